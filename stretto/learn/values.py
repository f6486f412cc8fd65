"""Arguments of the agents' calls that a System-One model is asked for, and answers."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.episode import Episode, ToolCall
from stretto.episodes.manifest import Kind, ToolDocs
from stretto.errors import OracleError
from stretto.evaluate.closed import ClosedValues, spelled
from stretto.evaluate.provenance import Origin, Traced, traced
from stretto.flow.decide import answer as answer_to
from stretto.flow.deciders.arbiter import Asker
from stretto.learn.cases import Before, before_steps
from stretto.oracle.any_tool import any_tool_state
from stretto.oracle.held_out import held_out
from stretto.oracle.omit import applying, arguments_without
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request
from stretto.oracle.value import Pick, Place, read_value, value_request

NOT_BOUND = frozenset({Origin.LITERAL, Origin.SHORT, Origin.GENERATED})
"""Where a value comes from that nothing said so far can be relied on to hold."""


@dataclass(frozen=True, slots=True)
class AskedValue:
    """An argument that has to be chosen, in a call after a call."""

    episode: str
    task: str
    agent: str
    step: int
    """The call's place in the episode's walk, from 0."""
    place: Place
    actual: str
    """The value passed; empty for a list or an object."""
    options: tuple[str, ...]
    """The values to choose from: one is fixed, and none cannot be asked about."""
    request: Request | None
    """None where there is nothing to choose."""


class AnsweredValue(NamedTuple):
    """An argument, and what was picked; None where nobody answered."""

    asked: AskedValue
    pick: Pick | None


def values_asked(
    asker: Asker, episode: Episode, closed: ClosedValues, *, any_tool: bool = False
) -> Iterator[AskedValue]:
    """
    The arguments to choose, of each call of the agent's that comes after a call.

    They are those whose value is a literal or short, or stands in nothing said so far.
    Of lookups alone, and never about a number, unless `any_tool` has it otherwise.
    """
    leaves = {call.id: found for call, found in traced(episode.events)}
    for before in before_steps(asker, episode):
        call = before.call
        if call is None or before.moment.site is None:
            continue
        is_read = asker.flow.manifest.kind(call.tool) is Kind.READ
        if not (is_read or any_tool):
            continue
        for argument, value in _chosen(call, leaves[call.id]):
            place = Place(call.tool, argument)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            options = () if is_number and not any_tool else closed.options(place)
            yield AskedValue(
                episode.id,
                episode.task_or_id,
                episode.agent,
                len(before.moment.history),
                place,
                spelled(value) or "",
                options,
                _request(asker, before, call, place, options, any_tool=any_tool)
                if len(options) > 1
                else None,
            )


def values_answered(
    asked: Iterable[AskedValue], oracle: Oracle
) -> Iterator[AnsweredValue]:
    """What was picked for each; what is fixed is sure."""
    for one in asked:
        if len(one.options) == 1:
            yield AnsweredValue(one, Pick(one.options[0], {one.options[0]: 1.0}))
        elif one.request is None:
            yield AnsweredValue(one, None)
        else:
            response = answer_to(held_out(oracle, one.task), one.request)
            yield AnsweredValue(
                one,
                None
                if isinstance(response, OracleError)
                else read_value(response, one.options),
            )


def verdict(values: Collection[AnsweredValue], sure: float) -> bool | None:
    """
    Whether a call's arguments to choose are all right; None where one is not sure.

    One that is sure and wrong makes all of them wrong.

    Args:
        sure: The least probability that is.
    """
    picks = [
        (v.pick.option, v.asked.actual) for v in values if v.pick and v.pick.p >= sure
    ]
    if any(option != actual for option, actual in picks):
        return False
    return True if len(picks) == len(values) else None


def _chosen(call: ToolCall, leaves: Sequence[Traced]) -> Iterator[tuple[str, Json]]:
    """The arguments with a value that nothing said so far can be relied on to hold."""
    if isinstance(call.arguments, dict):
        names = {one.leaf.argument for one in leaves if one.origin in NOT_BOUND}
        for name in sorted(names):
            yield name, call.arguments[name]


def _request(
    asker: Asker,
    before: Before,
    call: ToolCall,
    place: Place,
    options: Sequence[str],
    *,
    any_tool: bool,
) -> Request:
    assert isinstance(call.arguments, dict)
    assert before.moment.state is not None
    others = {n: v for n, v in call.arguments.items() if n != place.argument}
    words, omit = asker.wording, asker.omit
    docs = asker.flow.manifest.docs.get(place.tool, ToolDocs())
    return value_request(
        asker.flow.model,
        any_tool_state(before.events, words.no_result, omit)
        if any_tool
        else before.moment.state.json(),
        place,
        arguments_without(others, applying(omit, place.tool)),
        options,
        doc=docs.args.get(place.argument, ""),
        wording=words,
    )
