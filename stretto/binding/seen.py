"""What a binding needs to know of a session so far, kept event by event."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stretto.binding.outputs import Output, read
from stretto.binding.said import Said
from stretto.binding.sources import Source
from stretto.binding.values import is_keyish, scalars
from stretto.canonical import Json, text
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


class Passed(NamedTuple):
    """A value passed to a tool, as text."""

    tool: str
    argument: str
    text: str


class Seen:
    """A session so far. It only grows; a copy grows on its own."""

    __slots__ = (
        "_by_tool",
        "_calls",
        "_contents",
        "_given",
        "_named",
        "_returned",
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
        self._named: dict[Source, tuple[int, bool]] = {}
        self._by_tool: dict[str, list[Output]] = {}
        self._contents: list[Output] = []
        self._calls: dict[str, tuple[int, list[Passed]]] = {}
        self._returned: dict[Passed, tuple[int, Output]] = {}
        self._given: set[str] = set()
        self._ungiven: list[tuple[Json, int]] = []

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Seen":
        """What a binding needs to know of these events."""
        seen = cls()
        for event in events:
            seen.add(event)
        return seen

    def copy(self) -> "Seen":
        """The same session so far; what was taken apart already is shared."""
        other = Seen.__new__(Seen)
        other.said = self.said
        other.outputs = self.outputs.copy()
        other.called = self.called.copy()
        other.passed = self.passed.copy()
        other._named = self._named.copy()
        other._by_tool = {tool: x.copy() for tool, x in self._by_tool.items()}
        other._contents = self._contents.copy()
        other._calls = self._calls.copy()
        other._returned = self._returned.copy()
        other._given = self._given.copy()
        other._ungiven = self._ungiven.copy()
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

    def join(self, call: ToolCall, n_results: int) -> None:
        """
        A call of a turn that began when there were only `n_results` results.

        What it passed was passed then, whatever has come back since.
        """
        values = passed_by(call)
        self.called.add(call.tool)
        self.passed.update(values)
        self._calls[call.id] = (len(self._calls), values)
        self._ungiven.append((call.arguments, n_results))

    @property
    def n_results(self) -> int:
        """How many results there were, failures among them."""
        return len(self._contents)

    def outputs_of(self, tool: str) -> Sequence[Output]:
        """The outputs of one tool, in order of arrival."""
        return self._by_tool.get(tool, ())

    def names_any(self, source: Source) -> bool:
        """Whether the user has named a value that stood at a source, passed or not."""
        outputs = self.outputs_of(source.tool)
        n_known, named = self._named.get(source, (0, False))
        if not named and n_known < len(outputs):
            rows = (self.said.row(output, source.path) for output in outputs[n_known:])
            named = any(row.any_named for row in rows)
            self._named[source] = len(outputs), named
        return named

    def returned(self, value: Passed) -> Output | None:
        """What the latest successful call that passed this value returned."""
        found = self._returned.get(value)
        return None if found is None else found[1]

    def given(self) -> set[str]:
        """The key-like values a call passed before any result had held them."""
        for arguments, n_results in self._ungiven:
            earlier = self._contents[:n_results]
            self._given.update(
                value
                for value in filter(is_keyish, scalars(arguments))
                if not any(value in output.keys for output in earlier)
            )
        self._ungiven.clear()
        return self._given

    def _add_message(self, message: str) -> None:
        before, self.said = self.said, self.said.then(message)
        if self.said.changes > before.changes:
            self._named.clear()

    def _add_result(self, result: ToolResult) -> None:
        output = read(result.content)
        self._contents.append(output)
        if result.error:
            return
        self.outputs.append(Returned(result.tool, output))
        self._by_tool.setdefault(result.tool, []).append(output)
        order, values = self._calls.get(result.call_id, (0, []))
        for value in values:
            known = self._returned.get(value)
            if known is None or known[0] <= order:
                self._returned[value] = (order, output)


def passed_by(call: ToolCall) -> list[Passed]:
    """The arguments of a call; none where they are no object."""
    if not isinstance(call.arguments, dict):
        return []
    return [
        Passed(call.tool, argument, text(value))
        for argument, value in call.arguments.items()
    ]
