"""What a binding needs to know of a session so far, kept event by event."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from stretto.binding.candidates import Candidate
from stretto.binding.outputs import Output, read
from stretto.binding.passed import Passed, passed_by
from stretto.binding.rows import Rows
from stretto.binding.said import Said
from stretto.binding.scope import Scope
from stretto.binding.sourced import Choice, Sourced
from stretto.binding.sources import Source
from stretto.binding.values import is_keyish, scalars
from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)


class Returned(NamedTuple):
    """A tool, and what it returned."""

    tool: str
    output: Output


class Seen:
    """
    A session so far. It only grows; a copy grows on its own.

    Args:
        scope: What of the session will be read; the rest is let go. None for all.
    """

    __slots__ = (
        "_calls",
        "_given",
        "_held",
        "_last",
        "_newest",
        "_passed_to",
        "_returned",
        "_scope",
        "_sourced",
        "_ungiven",
        "_unread",
        "called",
        "last_tool",
        "n_results",
        "outputs",
        "passed",
        "said",
    )

    def __init__(self, scope: Scope | None = None) -> None:
        self.said = Said()
        self.n_results = 0
        """How many results there were, failures among them."""
        self.last_tool: str | None = None
        """The tool of the latest call that succeeded, read or not."""
        self.outputs: list[Returned] = []
        """Of the calls that succeeded, in order of arrival."""
        self.called: set[str] = set()
        """The tools called, whatever became of it."""
        self.passed: set[Passed] = set()
        """Every argument of every call that is read, whatever became of it."""
        self._scope = scope
        self._passed_to: dict[tuple[str, str], set[str]] = {}
        self._sourced = Sourced(self.said)
        self._calls: dict[str, tuple[int, list[Passed]]] = {}
        self._returned: dict[Passed, tuple[int, Output]] = {}
        self._newest: tuple[list[Passed], Output] | None = None
        """What the latest result's call passed and returned; None where it failed."""
        self._last: tuple[list[Passed], Output] | None = None
        """The same of the call that counts as the latest, where one does."""
        self._given: set[str] = set()
        self._ungiven: dict[str, int] = {}
        """By key-like value passed since: the fewest results there were then."""
        self._held: dict[str, int] = {}
        """The first result that held each key-like value, of those taken apart."""
        self._unread: list[Output | str] = []
        """The latest results, which are not; the contents of those no source reads."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Seen":
        """What a binding needs to know of these events."""
        seen = cls()
        for event in events:
            seen.add(event)
        return seen

    def copy(self) -> "Seen":
        """The same session so far; results that were taken apart already are shared."""
        other = Seen(self._scope)
        other.n_results, other.last_tool = self.n_results, self.last_tool
        other.said = self.said.copy()
        other.outputs = self.outputs.copy()
        other.called = self.called.copy()
        other.passed = self.passed.copy()
        other._passed_to = {key: x.copy() for key, x in self._passed_to.items()}
        other._sourced = self._sourced.copy(other.said)
        other._calls = self._calls.copy()
        other._returned = self._returned.copy()
        other._newest, other._last = self._newest, self._last
        other._given, other._ungiven = self._given.copy(), self._ungiven.copy()
        other._held = self._held.copy()
        other._unread = self._unread.copy()
        return other

    def add(self, event: Event) -> None:
        """One event more."""
        match event:
            case UserMessage(text=message):
                self._add_message(message)
            case AssistantTurn(calls=calls):
                for call in calls:
                    self.join(call, self.n_results)
            case ToolResult():
                self._add_result(event)

    def join(self, call: ToolCall, n_results: int, *, order: int | None = None) -> None:
        """
        A call of a turn that began when there were only `n_results` results.

        What it passed was passed then, whatever has come back since.

        Args:
            order: Its place among all calls, where they do not come in order.
        """
        self.called.add(call.tool)
        for key in filter(is_keyish, scalars(call.arguments)):
            if key not in self._given:
                self._ungiven[key] = min(n_results, self._ungiven.get(key, n_results))
        if self._scope is not None and not self._scope.reads_calls(call.tool):
            return
        values = passed_by(call)
        self.passed.update(values)
        for tool, argument, passed in values:
            self._passed_to.setdefault((tool, argument), set()).add(passed)
        place = len(self._calls) if order is None else order
        self._calls[call.id] = (place, values)

    def outputs_of(self, tool: str) -> Sequence[Output]:
        """The outputs of one tool, in order of arrival."""
        return self._sourced.outputs_of(tool)

    def rows(self, source: Source) -> Rows:
        """The values at a source, in order of arrival, and which the user named."""
        return self._sourced.rows(source)

    def names_any(self, source: Source) -> bool:
        """Whether the user has named a value that stood at a source, passed or not."""
        return self.rows(source).any_named

    def first(
        self,
        tool: str,
        argument: str,
        sources: tuple[Source, ...],
        *,
        in_order: bool,
        also: Container[str] = (),
    ) -> Candidate | None:
        """
        The first value at the sources that the user named, else the first there is.

        Values that this argument was passed before are left out.

        Args:
            in_order: Whether the sources go one after the other; otherwise the latest
                output goes first, whichever of them it has.
            also: Values that count as passed.
        """
        choice = Choice(tool, argument, sources, in_order)
        passed = self._passed_to.get((tool, argument), ())
        return self._sourced.first(choice, passed, also)

    def returned(self, value: Passed) -> Output | None:
        """What the latest successful call that passed this value returned."""
        if self._last is not None and value in self._last[0]:
            return self._last[1]
        found = self._returned.get(value)
        return None if found is None else found[1]

    def show_last(self, *, newest: bool) -> None:
        """Have the call that returned latest, or none, count as the latest made."""
        self._last = self._newest if newest else None

    def given(self) -> set[str]:
        """The key-like values a call passed before any result had held them."""
        first = self.n_results - len(self._unread)
        for place, unread in enumerate(self._unread, first):
            output = read(unread) if isinstance(unread, str) else unread
            for value in output.keys:
                self._held.setdefault(value, place)
        self._unread.clear()
        for value, n_results in self._ungiven.items():
            if self._held.get(value, n_results) >= n_results:
                self._given.add(value)
        self._ungiven.clear()
        return self._given

    def _add_message(self, message: str) -> None:
        if newly := self.said.hear(message):
            self._sourced.hear(newly)

    def _add_result(self, result: ToolResult) -> None:
        self.n_results += 1
        self._newest = None
        if not result.error:
            self.last_tool = result.tool
        if self._scope is not None and not self._scope.reads_outputs(result.tool):
            self._unread.append(result.content)
            return
        output = read(result.content)
        self._unread.append(output)
        if result.error:
            return
        self._sourced.take(result.tool, output, len(self.outputs))
        self.outputs.append(Returned(result.tool, output))
        order, values = self._calls.get(result.call_id, (0, []))
        self._newest = (values, output)
        for value in values:
            known = self._returned.get(value)
            if known is None or known[0] <= order:
                self._returned[value] = (order, output)
