"""What a flow would save of runs of calls, were its decisions as good as supposed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from stretto.evaluate.forecast import Forecast
from stretto.evaluate.need import Need
from stretto.evaluate.runs import Run

RESPOND_ID = 0
"""The id of handing back."""


class Design(StrEnum):
    """What a flow may call."""

    ANY_TOOL = "any tool"
    READ_ONLY = "read only"
    """It hands every other call back, and a wrong lookup is a detour."""


class Scenario(StrEnum):
    """Who decides where the habit is not relied on."""

    HABIT_ONLY = "habit alone"
    """Nobody."""
    PERFECT = "habit, then a perfect oracle"
    """Somebody who is always right, about closed arguments too."""
    ORACLE = "habit, then the oracle"
    """The oracle, where it is sure enough."""
    TWO_KEYS = "habit and oracle, agreed"
    """The oracle, where it picks the habit's own top and is sure enough."""
    ARBITRATED = "arbiter"
    """The arbiter, where it is sure enough."""
    LOOKUP_FIRST = "arbiter, lookup first"
    """The lookup that the arbiter finds likeliest, where that is likely enough."""


Gate = Callable[[Forecast], bool]
"""Whether the habit is relied on for a step."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a projection looks at of one episode, step by step."""

    forecasts: Sequence[Forecast]
    step_turns: Sequence[int]
    reads: Sequence[bool]
    """Whether the step is a call of a tool that only reads."""
    needs: Sequence[Need]
    runs: Sequence[Run]
    picks: Mapping[int, int] = field(default_factory=dict)
    """What somebody decides, where they do: the action's id, by step."""
    argued: Mapping[int, bool] = field(default_factory=dict)
    """Whether somebody has a step's closed arguments right, where they are sure."""


@dataclass(frozen=True, slots=True)
class RunProjection:
    """What would become of one run."""

    run: Run
    saved: int
    """Turns: the run's last ones."""
    detours: tuple[int, ...]
    """For each lookup the agent did not make, the turn it would come behind."""
    wrong: int
    """Calls that the agent did not make, by a flow that may call anything."""
    handed_back: int
    """Pauses at calls that are not reads."""
    stopped: int
    """Pauses where the flow stopped although the agent went on."""
    unsure: int
    """Pauses where nobody decided."""
    arguments: int
    """Pauses for an argument alone."""

    @property
    def ceiling(self) -> int:
        """The turns that one call for all of the run would save."""
        return self.run.turns - 1

    @property
    def kept(self) -> range:
        """The turns that remain."""
        return range(self.run.first, self.run.first + self.run.turns - self.saved)

    @property
    def removed(self) -> range:
        """The turns saved."""
        return range(self.kept.stop, self.run.first + self.run.turns)


@dataclass(slots=True)
class _Count:
    pauses: int = 0
    wrong: int = 0
    handed_back: int = 0
    stopped: int = 0
    unsure: int = 0
    arguments: int = 0


def project(
    case: Case,
    gate: Gate,
    scenario: Scenario,
    design: Design,
    reads: Collection[int],
) -> list[RunProjection]:
    """
    Each run of an episode, with a flow behind its first call.

    The flow decides every further step of the run, and whether to stop at its end. A
    step costs the agent one more turn where the flow pauses, and at most one.

    Args:
        reads: The ids of the tools that only read.
    """
    flow = _Flow(case, gate, scenario, design, reads)
    return [flow.run(run) for run in case.runs]


@dataclass(frozen=True, slots=True)
class _Flow:
    case: Case
    gate: Gate
    scenario: Scenario
    design: Design
    reads: Collection[int]

    def run(self, run: Run) -> RunProjection:
        count = _Count()
        astray = [
            step
            for step in range(run.start + 1, run.end)
            if self._goes_astray(step, count)
        ]
        if run.end < len(self.case.forecasts) and self._goes_on(run.end):
            astray.append(run.end)
        detours = [self.case.step_turns[step - 1] for step in astray]
        if self.design is Design.ANY_TOOL:
            count.wrong, detours = len(detours), []
        return RunProjection(
            run,
            run.turns - min(run.turns, 1 + count.pauses),
            tuple(detours),
            count.wrong,
            count.handed_back,
            count.stopped,
            count.unsure,
            count.arguments,
        )

    def _goes_astray(self, step: int, count: _Count) -> bool:
        """Counts one decision; whether it would be a call the agent did not make."""
        if self.design is Design.READ_ONLY and not self.case.reads[step]:
            count.pauses += 1
            count.handed_back += 1
            return False
        actual = self.case.forecasts[step].actual
        pick = self._pick(step, actual)
        if pick == actual:
            right = self._arguments(step)
            if not right:
                count.pauses += 1
                count.arguments += 1
            return right is False
        count.pauses += 1
        if pick is None:
            count.unsure += 1
        elif pick == RESPOND_ID:
            count.stopped += 1
        else:
            return True
        return False

    def _goes_on(self, step: int) -> bool:
        """Whether the flow would call something although the run is over."""
        return self._pick(step, RESPOND_ID) not in (None, RESPOND_ID)

    def _pick(self, step: int, right: int) -> int | None:
        forecast = self.case.forecasts[step]
        if not self.gate(forecast):
            if self.scenario is Scenario.PERFECT:
                return right
            return self.case.picks.get(step)
        if self.design is Design.READ_ONLY and forecast.top not in self.reads:
            return RESPOND_ID
        return forecast.top

    def _arguments(self, step: int) -> bool | None:
        """Whether a step's arguments are right; None where nobody is sure of them."""
        match self.case.needs[step]:
            case Need.BOUND:
                return True
            case Need.CLOSED_SET:
                if self.scenario is Scenario.PERFECT:
                    return True
                return self.case.argued.get(step)
            case Need.LLM:
                return None
