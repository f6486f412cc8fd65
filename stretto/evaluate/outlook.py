"""What flows would save of held-out sessions, by what they may call and who decides."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from stretto.episodes.episode import Usage
from stretto.episodes.manifest import Kind
from stretto.evaluate.forecast import MIN_EVIDENCE, Forecast
from stretto.evaluate.intervals import Share, share
from stretto.evaluate.need import Need, need
from stretto.evaluate.prediction import Foretold
from stretto.evaluate.prices import LookupTokens, Price
from stretto.evaluate.projection import (
    Case,
    Design,
    Gate,
    RunProjection,
    Scenario,
    project,
)
from stretto.evaluate.savings import NOTHING, Saving, saving
from stretto.evaluate.sketch import Sketch
from stretto.habit.backoff import Context


@dataclass(frozen=True, slots=True)
class OutlookRow:
    """One flow, over all measured sessions."""

    agent: str
    design: Design
    scenario: Scenario
    gate: str
    turns: Share
    """Saved, of all LLM turns."""
    ceiling: Share
    """Those that one call for each run would save."""
    prompt: Share
    """Prompt tokens saved, of all where usage was recorded; detours charged."""
    prompt_by_bytes: Share
    """The same with a detour charged as a quarter of a result's bytes."""
    dollars: Share
    with_detour: Share
    """Of the sessions, those with a lookup the agent did not make."""
    with_wrong: Share
    """Of the sessions, those with any other call the agent did not make."""
    handed_back: int
    """Pauses at calls that are not reads."""
    stopped: int
    """Pauses where the flow stopped although the agent went on."""
    unsure: int
    """Pauses where nobody decided."""
    arguments: int
    """Pauses for an argument alone."""
    threshold: float | None = None
    """Of the scenario, where somebody has to be sure enough."""


class Measured(NamedTuple):
    """A held-out session, how a habit foretells it, and what others decide of it."""

    sketch: Sketch
    foretold: Foretold
    picks: Mapping[int, int] = MappingProxyType({})
    """The actions' ids, by step."""
    argued: Mapping[int, bool] = MappingProxyType({})
    """Whether they have the step's closed arguments right, where they are sure."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What every projection of a report shares."""

    reads: Collection[int]
    """The ids of the tools that only read."""
    closed: Collection[tuple[str, str]]
    """The arguments, by tool, that a closed question can offer the values of."""
    tokens: LookupTokens
    prices: Mapping[str, Price]
    """By agent."""

    def row(
        self,
        agent: str,
        sessions: Sequence[Measured],
        gate: tuple[str, Gate],
        scenario: Scenario,
        design: Design,
    ) -> OutlookRow:
        """The sessions projected under one flow."""
        tasks = [m.sketch.task for m in sessions]
        runs = [
            project(self._case(m), gate[1], scenario, design, self.reads)
            for m in sessions
        ]
        turns = [m.sketch.turns for m in sessions]
        ones = [1] * len(sessions)
        every = [run for of in runs for run in of]
        return OutlookRow(
            agent,
            design,
            scenario,
            gate[0],
            share(tasks, [sum(run.saved for run in of) for of in runs], turns),
            share(tasks, [sum(run.ceiling for run in of) for of in runs], turns),
            *self._costs(tasks, sessions, runs),
            share(tasks, [any(run.detours for run in of) for of in runs], ones),
            share(tasks, [any(run.wrong for run in of) for of in runs], ones),
            handed_back=sum(run.handed_back for run in every),
            stopped=sum(run.stopped for run in every),
            unsure=sum(run.unsure for run in every),
            arguments=sum(run.arguments for run in every),
        )

    def _costs(
        self,
        tasks: Sequence[str],
        sessions: Sequence[Measured],
        runs: Sequence[Sequence[RunProjection]],
    ) -> tuple[Share, Share, Share]:
        """Prompt tokens, the same by bytes, and dollars."""
        by_bytes, fitted = self.tokens.by_bytes, self.tokens.fitted
        by_fit = self._savings(sessions, runs, by_bytes if fitted is None else fitted)
        by_bytes_ = self._savings(sessions, runs, by_bytes)
        usage = [_known_usage(m) for m in sessions]
        prompts = [sum(turn.prompt_tokens for turn in of) for of in usage]
        costs = [sum(turn.cost for turn in of) for of in usage]
        return (
            share(tasks, [s.prompt_tokens for s in by_fit], prompts),
            share(tasks, [s.prompt_tokens for s in by_bytes_], prompts),
            share(tasks, [s.dollars for s in by_fit], costs),
        )

    def _savings(
        self,
        sessions: Sequence[Measured],
        runs: Sequence[Sequence[RunProjection]],
        detour_tokens: float,
    ) -> list[Saving]:
        """By session; nothing is saved where it is not known what turns cost."""
        return [
            saving(of, usage, detour_tokens, self.prices[measured.sketch.agent])
            if (usage := _known_usage(measured))
            else NOTHING
            for measured, of in zip(sessions, runs, strict=True)
        ]

    def _case(self, measured: Measured) -> Case:
        sketch = measured.sketch
        return Case(
            measured.foretold.steps,
            sketch.step_turns,
            [call is not None and call.kind is Kind.READ for call in sketch.calls],
            [need(c, self.closed) if c else Need.BOUND for c in sketch.calls],
            sketch.runs,
            measured.picks,
            measured.argued,
        )


def _known_usage(measured: Measured) -> list[Usage]:
    """The usage of each turn; none where a turn's was not recorded."""
    usage = [turn for turn in measured.sketch.usage if turn]
    return usage if len(usage) == measured.sketch.turns else []


def at_threshold(threshold: float) -> tuple[str, Gate]:
    """The gate that is open where the top is likely enough, with enough evidence."""

    def is_open(forecast: Forecast) -> bool:
        return forecast.evidence >= MIN_EVIDENCE and forecast.p_top >= threshold

    return f"p ≥ {threshold:g}", is_open


def where_validated(contexts: Collection[Context]) -> tuple[str, Gate]:
    """The gate that is open in contexts that held up, whatever the probability."""
    return "validated", lambda forecast: forecast.context in contexts
