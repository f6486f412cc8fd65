"""A walk over a program's tokens, one at hand, that fails where it stands."""

from collections.abc import Callable
from typing import NoReturn, TypeVar

from stretto.program.ast import MAX_LEVELS, RESERVED
from stretto.program.lexer import Kind, Source, Token, tokens

T = TypeVar("T")


class Cursor:
    """What a parser moves over its tokens."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.next = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        """The token at hand."""
        return self.tokens[self.next]

    @property
    def after(self) -> Token:
        """The token after the one at hand; the end follows itself."""
        return self.tokens[min(self.next + 1, len(self.tokens) - 1)]

    def place(self) -> str:
        """Where the token at hand stands."""
        return self.source.place(self.token.start)

    def advance(self, then: str | None = None) -> Token:
        """The token at hand, stepped over, and `then` after it."""
        token = self.token
        self.next += 1
        if then is not None:
            self.take(then)
        return token

    def skip(self, text: str) -> bool:
        """Whether the token at hand is `text`; if so it is stepped over."""
        if self.token.text != text:
            return False
        self.next += 1
        return True

    def take(self, text: str) -> None:
        """Step over `text`, which has to be at hand."""
        if not self.skip(text):
            self.fail(f"`{text}`")

    def ended(self, stmt: T) -> T:
        """A statement, once its `;` is stepped over."""
        self.take(";")
        return stmt

    def identifier(self, what: str) -> str:
        """A name, stepped over; errors call it `what`."""
        if not self.at_identifier():
            self.fail(what)
        return self.advance().text

    def at_identifier(self) -> bool:
        """Whether a name is at hand, and no keyword."""
        return self.token.kind is Kind.WORD and self.token.text not in RESERVED

    def at_arrow(self) -> bool:
        """Whether a `<-` is at hand: two tokens that touch, so `a <-1` compares."""
        touching = self.token.end == self.after.start
        return touching and (self.token.text, self.after.text) == ("<", "-")

    def fail(self, expected: str) -> NoReturn:
        """Fail at the token at hand, where `expected` should have been."""
        cause = f"expected {expected}, found {self.token}"
        self.source.fail(cause, self.token.start)

    def nested(self, part: Callable[[], T]) -> T:
        """A part of the program inside another: as deep as levels go, no deeper."""
        self.depth += 1
        if self.depth > MAX_LEVELS:
            cause = f"nests deeper than {MAX_LEVELS} levels"
            self.source.fail(cause, self.token.start)
        found = part()
        self.depth -= 1
        return found
