"""How likely a local model makes held-out steps, beside the habit alone."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stretto.canonical import Json
from stretto.episodes.tasks import N_FOLDS, fold
from stretto.evaluate.calibration import calibration, expected_calibration_error
from stretto.evaluate.decisions import FLOOR
from stretto.evaluate.intervals import Interval, share_interval
from stretto.oracle.local.calibration import probabilities
from stretto.oracle.local.case import Case
from stretto.oracle.local.file import Member
from stretto.oracle.local.measure import scored

LOCAL, HABIT = "local", "habit"


@dataclass(frozen=True, slots=True)
class Judged:
    """One held-out decision, and what each of those compared gave its options."""

    task: str
    agent: str
    taken: str
    chances: Mapping[str, Mapping[str, float]]
    """By name; each one's options are the same, and sum to one."""

    def log_p(self, name: str) -> float:
        """The log probability one gave the agent's step, in nats; floored at 1e-6."""
        return math.log(max(self.chances[name].get(self.taken, 0.0), FLOOR))

    def top(self, name: str) -> str:
        """The option one found likeliest, the first of equals."""
        chances = self.chances[name]
        return max(chances, key=chances.__getitem__)


@dataclass(frozen=True, slots=True)
class Score:
    """How one of those compared did."""

    log_loss: float
    """In nats a decision."""
    interval: Interval | None
    """Of the log loss, over tasks."""
    agreement: float
    """The share of decisions whose likeliest option the agent took."""
    ece: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Held-out decisions under several, the habit among them."""

    decisions: int
    tasks: int
    scores: Mapping[str, Score]
    gains: Mapping[str, tuple[float, Interval | None]]
    """How much less each one's log loss is than the habit's, in nats a decision."""
    agents: Mapping[str, tuple[int, Mapping[str, float]]]
    """By agent: its decisions, and each one's log loss."""


def judged(members: Mapping[str, Member], cases: Sequence[Case]) -> list[Judged]:
    """
    The decisions whose step was offered, each by what left its task's fold out.

    Args:
        members: The networks, by the fold they leave out.
    """
    found = []
    for out in range(N_FOLDS):
        within = [
            case
            for case in cases
            if fold(case.task) == out and case.taken in case.offered[out]
        ]
        member = members[str(out)]
        scores = scored(member.net, within, out)
        for case, row in zip(within, scores, strict=True):
            p = probabilities(row, member.calibration.next).tolist()
            local = {
                option: share
                for option, share in zip(case.options, p, strict=False)
                if option in case.offered[out]
            }
            chances = {HABIT: case.habit, LOCAL: local}
            found.append(Judged(case.task, case.agent, case.taken or "", chances))
    return found


def compare(decisions: Sequence[Judged]) -> Comparison:
    """The decisions under each of those that judged them all; there is one or more."""
    names = [*decisions[0].chances]
    tasks = [decision.task for decision in decisions]
    losses = {name: [-d.log_p(name) for d in decisions] for name in names}
    ones = [1.0] * len(decisions)
    gains = {}
    for name in names:
        if name != HABIT:
            less = [h - o for h, o in zip(losses[HABIT], losses[name], strict=True)]
            gains[name] = (sum(less) / len(less), share_interval(tasks, less, ones))
    return Comparison(
        decisions=len(decisions),
        tasks=len(set(tasks)),
        scores={name: _score(decisions, name, losses[name], tasks) for name in names},
        gains=gains,
        agents=_by_agent(decisions, losses),
    )


def comparison_json(found: Comparison) -> dict[str, Json]:
    """A comparison as JSON; an interval is null where there are too few tasks."""
    return {
        "decisions": found.decisions,
        "tasks": found.tasks,
        "scores": {
            name: {
                "log_loss": score.log_loss,
                "interval": _interval_json(score.interval),
                "agreement": score.agreement,
                "ece": score.ece,
            }
            for name, score in found.scores.items()
        },
        "gains": {
            name: {"mean": gain, "interval": _interval_json(interval)}
            for name, (gain, interval) in found.gains.items()
        },
        "agents": {
            agent: {"decisions": n, **losses}
            for agent, (n, losses) in found.agents.items()
        },
    }


def _interval_json(interval: Interval | None) -> Json:
    return None if interval is None else [*interval]


def _score(
    decisions: Sequence[Judged],
    name: str,
    losses: Sequence[float],
    tasks: Sequence[str],
) -> Score:
    tops = [(d.chances[name][d.top(name)], d.top(name) == d.taken) for d in decisions]
    return Score(
        log_loss=sum(losses) / len(losses),
        interval=share_interval(tasks, losses, [1.0] * len(losses)),
        agreement=sum(agreed for _, agreed in tops) / len(tops),
        ece=expected_calibration_error(calibration(tops)),
    )


def _by_agent(
    decisions: Sequence[Judged], losses: Mapping[str, Sequence[float]]
) -> dict[str, tuple[int, Mapping[str, float]]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, decision in enumerate(decisions):
        places[decision.agent].append(place)
    return {
        agent: (
            len(at),
            {name: sum(of[i] for i in at) / len(at) for name, of in losses.items()},
        )
        for agent, at in sorted(places.items())
    }
