"""All that phase 0 asks a System-One model about held-out sessions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stretto.episodes.episode import Episode
from stretto.evaluate.closed import ClosedValues
from stretto.evaluate.sketch import Side, Sketch
from stretto.flow.deciders.arbiter import Asker
from stretto.flow.flow import Flow
from stretto.learn.any_tool import AnyAsker, AskedTool
from stretto.learn.arbiter import Arbitration, requests_alone
from stretto.learn.arbiter import Place as Beside
from stretto.learn.cases import AskedStep, steps_asked
from stretto.learn.corpus import Chosen
from stretto.learn.values import AskedValue, values_asked
from stretto.oracle.question import Request


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """What is asked, each with its session's place in reading order."""

    steps: list[tuple[int, AskedStep]] = field(default_factory=list)
    """The next step, after calls whose site has a lookup to offer."""
    values: list[tuple[int, AskedValue]] = field(default_factory=list)
    """The arguments of lookups."""
    any_asker: AnyAsker | None = None
    """What asks about any tool; None where that is not asked."""
    any_steps: list[tuple[int, AskedTool]] = field(default_factory=list)
    """The next step among all tools, after every call."""
    any_values: list[tuple[int, AskedValue]] = field(default_factory=list)
    """The arguments of all calls."""
    beside: Mapping[Beside, Request] = field(default_factory=dict)
    """The candidates, each asked alone before each of the steps."""

    def requests(self) -> list[Request]:
        """All of them; some may be the same."""
        return [*self._requests()]

    def _requests(self) -> Iterator[Request]:
        for _, step in self.steps:
            yield step.request
        for _, any_step in self.any_steps:
            yield any_step.request
        for _, value in (*self.values, *self.any_values):
            if value.request is not None:
                yield value.request
        yield from self.beside.values()


def questionnaire(
    episodes: Iterable[Episode],
    flow: Flow,
    sketches: Sequence[Sketch],
    how: Arbitration,
    *,
    any_tool: bool,
) -> Questionnaire:
    """
    What is asked about the held-out sessions.

    Args:
        episodes: Those that the sketches are of, in the same order.
        any_tool: Whether it is also asked what a flow that may call anything would be.
    """
    asker = Asker.of(flow, how.wording, how.omit)
    teaching = [at for at, s in enumerate(sketches) if s.teaches and not s.is_target]
    closed = ClosedValues.of(Chosen(episodes, teaching))
    found = Questionnaire(any_asker=AnyAsker.of(asker) if any_tool else None)
    for place, (episode, sketch) in enumerate(zip(episodes, sketches, strict=True)):
        if sketch.side is not Side.TEST:
            continue
        found.steps.extend((place, s) for s in steps_asked(flow, asker, episode))
        found.values.extend((place, v) for v in values_asked(asker, episode, closed))
        if found.any_asker is not None:
            found.any_steps.extend((place, s) for s in found.any_asker.steps(episode))
            found.any_values.extend(
                (place, v) for v in values_asked(asker, episode, closed, any_tool=True)
            )
    steps = [step for _, step in found.steps]
    return replace(found, beside=requests_alone(asker, steps, how.candidates))
