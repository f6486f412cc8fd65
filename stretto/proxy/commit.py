"""
`stretto_commit`: one call for all the changes that a user agreed to.

The proxy answers it, and so the server never sees it. It stops at the first change that
does not go through, and says of each what became of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.proxy.actions import Drop, Hold, Outbox, Record, Send, Side
from stretto.proxy.appendix import said
from stretto.proxy.entry import Sender
from stretto.proxy.observe import is_complete, spelled
from stretto.proxy.requests import Asked, Checks, Follows, OwnCalls, Place, answer
from stretto.traces.messages import Message, fields, params

NAME = "stretto_commit"

TOOL: Json = {
    "name": NAME,
    "description": (
        "Makes several changes in one call, in the order given. Use it once the user "
        "has agreed to all of them. Each is checked and made as if it had been called "
        "by itself; the first one that fails is the last one tried. The answer tells "
        "what became of every change."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "calls": {
                "type": "array",
                "minItems": 1,
                "description": "The changes, each as a tool's name and arguments.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "arguments": {"type": "object"},
                    },
                    "required": ["name"],
                },
            }
        },
        "required": ["calls"],
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": True},
}

ADVICE = (
    f"When the user has agreed to several changes, make them with one call of {NAME} "
    "instead of one call each."
)
"""What the server's instructions say of it to the agent."""

_UNANSWERED = "was never answered; whether it was made is not known"
_REFUSED = "was refused, and nothing of it was done: "
_UNTRIED = "was not tried"
_NO_RESULT = "it did not answer with a result; call it by itself"


class Change(NamedTuple):
    """One of a commit's calls."""

    tool: str
    arguments: Message

    def __str__(self) -> str:
        return f"{self.tool} {compact(self.arguments)}"


@dataclass(slots=True, eq=False)
class _Commit:
    """A commit under way."""

    asked: Asked
    left: list[Change]
    blocks: list[str] = field(default_factory=list)
    has_failed: bool = False
    waiting: str | None = None
    """The id of the change under way, the first of those left."""
    is_checking: bool = False
    """Whether the first of those left is not yet known to be allowed."""


class Commits:
    """One session's commits."""

    def __init__(
        self, calls: OwnCalls, checks: Checks, follows: Follows, out: Outbox
    ) -> None:
        self._calls, self._checks = calls, checks
        self._follows, self._out = follows, out
        self._commits: list[_Commit] = []

    def begin(self, asked: Asked, now: float) -> None:
        """Begin with the first change; what is no list of changes is refused."""
        changes = _changes(asked.message)
        if isinstance(changes, str):
            self._answer(asked, f"Nothing was done: {changes}.", now, has_failed=True)
            return
        commit = _Commit(asked, changes)
        self._commits.append(commit)
        self._out.put(Hold(asked.place.stream))
        self._go_on(commit, now)

    def withdraw(self, is_gone: Callable[[Place], bool], now: float) -> None:
        """The host no longer waits at some places: no other change is begun there."""
        for commit in [c for c in self._commits if is_gone(c.asked.place)]:
            self._commits.remove(commit)
            self._out.put(Drop(commit.asked.place.stream))
            if commit.waiting is not None:
                self._calls.abandon(commit.waiting, "the commit was cancelled", now)

    def close(self, now: float) -> None:
        """A side has ended: a change under way will not be answered, none is begun."""
        for commit in [*self._commits]:
            if commit.is_checking:
                self._stop(commit, now)
                continue
            if commit.waiting is not None:
                self._calls.ignore(commit.waiting)
            self._answered(commit, None, now)

    def _go_on(self, commit: _Commit, now: float) -> None:
        if not commit.left:
            self._finish(commit, now)
            return
        tool, arguments = commit.left[0]
        commit.is_checking, checked = True, partial(self._checked, commit)
        self._checks(tool, arguments, commit.asked.id, checked, now)

    def _checked(self, commit: _Commit, why: str | None, now: float) -> None:
        if commit not in self._commits:
            return
        commit.is_checking = False
        if why is not None:
            commit.blocks.append(f"{commit.left.pop(0)} {_REFUSED}{why}")
            self._stop(commit, now)
            return
        tool, arguments = commit.left[0]
        answered = partial(self._answered, commit)
        commit.waiting = self._calls.call(commit.asked, tool, arguments, answered, now)

    def _answered(self, commit: _Commit, response: Message | None, now: float) -> None:
        if commit not in self._commits:
            return
        commit.waiting = None
        done = _done(commit.left.pop(0), response)
        commit.blocks.append(done.block)
        if done.has_failed:
            self._stop(commit, now)
        else:
            self._go_on(commit, now)

    def _stop(self, commit: _Commit, now: float) -> None:
        """End before all changes are made."""
        commit.blocks += [f"{change} {_UNTRIED}" for change in commit.left]
        commit.has_failed = True
        self._finish(commit, now)

    def _finish(self, commit: _Commit, now: float) -> None:
        self._commits.remove(commit)
        text, has_failed = "\n\n".join(commit.blocks), commit.has_failed
        self._answer(commit.asked, text, now, has_failed=has_failed)

    def _answer(self, asked: Asked, text: str, now: float, *, has_failed: bool) -> None:
        message = answer(asked.message, text, has_failed=has_failed)
        line, stream = spelled(message), asked.place.stream
        self._follows(now, Sender.PROXY, message, stream)
        self._out.put(Record(Sender.PROXY, line), Send(Side.HOST, line, stream))


class _Done(NamedTuple):
    """What became of a change."""

    block: str
    has_failed: bool


def _done(change: Change, response: Message | None) -> _Done:
    if response is None:
        return _Done(f"{change} {_UNANSWERED}", True)
    if response.get("error") is None and not is_complete(response):
        return _Done(f"{change} (error):\n{_NO_RESULT}", True)
    has_failed, text = said(response)
    return _Done(f"{change}{' (error)' if has_failed else ''}:\n{text}", has_failed)


def _changes(request: Message) -> list[Change] | str:
    """A commit's changes, or what is wrong with them."""
    given = fields(request, "params", "arguments").get("calls")
    if not isinstance(given, list) or not given:
        return "`calls` is to be a list of at least one change"
    changes: list[Change] = []
    for change in map(fields, given):
        tool, arguments = change.get("name"), change.get("arguments", {})
        if not isinstance(tool, str) or tool == NAME:
            return f"each change needs the `name` of a tool other than {NAME}"
        if not isinstance(arguments, dict):
            return f"the `arguments` of {tool} are no object"
        changes.append(Change(tool, arguments))
    return changes


def is_commit(request: Message) -> bool:
    """Whether a request of the host's is a call of the commit tool."""
    is_call = request.get("method") == "tools/call"
    return is_call and params(request).get("name") == NAME
