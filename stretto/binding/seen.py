"""What a binding needs to know of a session so far, kept event by event."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from stretto.binding.candidates import Candidate
from stretto.binding.outputs import Output, read
from stretto.binding.passed import Passed, passed_by
from stretto.binding.rows import Rows
from stretto.binding.said import Said
from stretto.binding.sourced import Choice, Sourced
from stretto.binding.sources import Source
from stretto.binding.values import is_keyish, scalars
from stretto.canonical import Json
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
    """A session so far. It only grows; a copy grows on its own."""

    __slots__ = (
        "_calls",
        "_contents",
        "_given",
        "_held",
        "_last",
        "_n_held",
        "_newest",
        "_passed_to",
        "_returned",
        "_sourced",
        "_ungiven",
        "called",
        "outputs",
        "passed",
        "said",
    )

    def __init__(self) -> None:
        self.said = Said()
        self.outputs: list[Returned] = []
        """Of the calls that succeeded, in order of arrival."""
        self.called: set[str] = set()
        """The tools called, whatever became of it."""
        self.passed: set[Passed] = set()
        """Every argument of every call, whatever became of it."""
        self._passed_to: dict[tuple[str, str], set[str]] = {}
        self._sourced = Sourced(self.said)
        self._contents: list[Output] = []
        self._calls: dict[str, tuple[int, list[Passed]]] = {}
        self._returned: dict[Passed, tuple[int, Output]] = {}
        self._newest: tuple[list[Passed], Output] | None = None
        """What the latest result's call passed and returned; None where it failed."""
        self._last: tuple[list[Passed], Output] | None = None
        """The same of the call that counts as the latest, where one does."""
        self._given: set[str] = set()
        self._ungiven: list[tuple[Json, int]] = []
        self._held: dict[str, int] = {}
        """The first result that held each key-like value, of those looked at."""
        self._n_held = 0

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Seen":
        """What a binding needs to know of these events."""
        seen = cls()
        for event in events:
            seen.add(event)
        return seen

    def copy(self) -> "Seen":
        """The same session so far; results that were taken apart already are shared."""
        other = Seen()
        other.said = self.said.copy()
        other.outputs = self.outputs.copy()
        other.called = self.called.copy()
        other.passed = self.passed.copy()
        other._passed_to = {key: x.copy() for key, x in self._passed_to.items()}
        other._sourced = self._sourced.copy(other.said)
        other._contents = self._contents.copy()
        other._calls = self._calls.copy()
        other._returned = self._returned.copy()
        other._newest, other._last = self._newest, self._last
        other._given = self._given.copy()
        other._ungiven = self._ungiven.copy()
        other._held, other._n_held = self._held.copy(), self._n_held
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
        values = passed_by(call)
        self.called.add(call.tool)
        self.passed.update(values)
        for tool, argument, passed in values:
            self._passed_to.setdefault((tool, argument), set()).add(passed)
        place = len(self._calls) if order is None else order
        self._calls[call.id] = (place, values)
        self._ungiven.append((call.arguments, n_results))

    @property
    def n_results(self) -> int:
        """How many results there were, failures among them."""
        return len(self._contents)

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
        for place in range(self._n_held, len(self._contents)):
            for value in self._contents[place].keys:
                self._held.setdefault(value, place)
        self._n_held = len(self._contents)
        for arguments, n_results in self._ungiven:
            self._given.update(
                value
                for value in filter(is_keyish, scalars(arguments))
                if self._held.get(value, n_results) >= n_results
            )
        self._ungiven.clear()
        return self._given

    def _add_message(self, message: str) -> None:
        if newly := self.said.hear(message):
            self._sourced.hear(newly)

    def _add_result(self, result: ToolResult) -> None:
        output = read(result.content)
        self._contents.append(output)
        self._newest = None
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
