"""A program's text as tokens, each with its place."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum, auto
from typing import NoReturn

from stretto.errors import ProgramError

_TOKEN = re.compile(
    r"""
      (?P<blank>  [ \t\r\n]+ | //[^\n]* )
    | (?P<FLOAT>  [0-9]+ \. [0-9]+ (?:[eE][+-]?[0-9]+)? | [0-9]+ [eE][+-]?[0-9]+ )
    | (?P<INT>    [0-9]+ )
    | (?P<WORD>   [A-Za-z_][A-Za-z0-9_]* )
    | (?P<STRING> " (?: [^"\\] | \\. )* " )
    | (?P<SIGN>   \.\. | :: | [=!<>]= | && | \|\| | [-+*/!<>=(){}\[\],;.] )
    """,
    re.VERBOSE | re.DOTALL,
)

_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))", re.DOTALL)
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


class Kind(Enum):
    """What a token is."""

    FLOAT = auto()
    INT = auto()
    WORD = auto()
    STRING = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; the text is the source's own."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next character stands."""
        return self.start + len(self.text)

    def __str__(self) -> str:
        return "the end of the program" if self.kind is Kind.END else f"`{self.text}`"


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name it goes by in errors."""

    text: str
    name: str
    lines: tuple[int, ...]
    """Where each line starts."""

    @classmethod
    def of(cls, text: str, name: str) -> "Source":
        """A text, its lines found."""
        ends = (i + 1 for i, character in enumerate(text) if character == "\n")
        return cls(text, name, (0, *ends))

    def place(self, at: int) -> str:
        """`NAME:LINE:COLUMN` of a character, both counted from 1."""
        line = bisect_right(self.lines, at)
        return f"{self.name}:{line}:{at - self.lines[line - 1] + 1}"

    def fail(self, cause: str, at: int) -> NoReturn:
        """Fail at a character, for `cause`."""
        raise ProgramError(cause, place=self.place(at))


def tokens(source: Source) -> list[Token]:
    """
    The tokens of a text, without blanks and comments, and one that ends them.

    Raises:
        ProgramError: a character starts no token, and where it stands.
    """
    found: list[Token] = []
    at = 0
    while at < len(source.text):
        match = _TOKEN.match(source.text, at)
        if match is None:
            character = source.text[at]
            cause = "a string that never ends" if character == '"' else f"`{character}`"
            source.fail(f"expected a program, found {cause}", at)
        if match.lastgroup != "blank":
            found.append(Token(Kind[match.lastgroup or ""], match[0], at))
        at = match.end()
    return [*found, Token(Kind.END, "", at)]


def unquote(source: Source, token: Token) -> str:
    """
    What a string token says.

    Raises:
        ProgramError: it has an escape that means nothing.
    """

    def meaning(escape: re.Match[str]) -> str:
        code, letter = escape.groups()
        if code is not None and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if letter not in _ESCAPES:
            at = token.start + 1 + escape.start()
            source.fail(f"`{escape[0]}` is no escape of a string", at)
        return _ESCAPES[letter]

    return _ESCAPE.sub(meaning, token.text[1:-1])


def quote(text: str) -> str:
    """A string token that says `text`."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    for letter, meaning in _ESCAPES.items():
        if character == meaning and letter.isalnum():
            return f"\\{letter}"
    if character.isprintable():
        return character
    return f"\\u{{{ord(character):x}}}"
