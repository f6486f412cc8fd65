"""The surprise gate: has the session become too unlike the ones learned from?"""

import math
from collections.abc import Sequence

from stretto.canonical import number
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import RESPOND
from stretto.flow.decision import HandBack, Reason
from stretto.flow.flow import Flow
from stretto.flow.options import options

FLOOR = 1e-6
"""The least probability a step is scored with."""


def step_score(
    flow: Flow, site: Site, history: Sequence[int], tool: str | None
) -> float:
    """
    The surprise, in nats, of the agent's step after a call at `site`.

    A step the site does not offer is scored as handing back.
    """
    offered = options(flow, site)
    ids = [flow.vocab.id(name) for name in offered]
    chances = flow.habit.chance(history, ids, flow.group)
    weighed = dict(zip(offered, chances, strict=True))
    weighed[RESPOND] = max(0.0, 1.0 - sum(chances))
    p = weighed.get(tool or RESPOND, weighed[RESPOND])
    return 0.0 - math.log(max(p, FLOOR))


def peak(scores: Sequence[float], window: int) -> float | None:
    """The largest mean of `window` scores in a row; None before there are as many."""
    if len(scores) < window:
        return None
    means = (sum(scores[i : i + window]) for i in range(len(scores) - window + 1))
    return max(means) / window


def tripped(flow: Flow, scores: Sequence[float]) -> HandBack | None:
    """Why every later decision hands back; None while the gate has not tripped."""
    gate = flow.surprise
    if gate is None:
        return None
    worst = peak(scores, gate.window)
    if worst is None or worst <= gate.threshold:
        return None
    limit = number(gate.threshold).removesuffix(".0")
    text = (
        f"the session surprises the habit: {worst:.2f} nats a step over "
        f"{gate.window} steps, above {limit}"
    )
    return HandBack(Reason.SURPRISED, text)
