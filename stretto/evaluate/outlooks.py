"""The projections of a report: every design, scenario and gate, and some by agent."""

from collections.abc import Iterator, Sequence

from stretto.evaluate.foresight import Foresight
from stretto.evaluate.outlook import (
    Measured,
    Outlook,
    OutlookRow,
    at_threshold,
    where_validated,
)
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.sketch import Sketch, by_agent
from stretto.evaluate.transfer import POOLED

GATES = (0.9, 0.95)


def outlooks(
    outlook: Outlook, sketches: Sequence[Sketch], foresight: Foresight
) -> Iterator[OutlookRow]:
    """
    The rows, first those over all agents learned from.

    Each agent's own are of a perfect oracle that decides wherever no context was
    validated, which is as far as flows could go.
    """
    measured = [
        Measured(sketch, foretold)
        for sketch, foretold in zip(sketches, foresight.foretold, strict=True)
        if foretold is not None
    ]
    validated = where_validated({v.context for v in foresight.validated})
    gates = [*map(at_threshold, GATES), validated]
    own = [m for m in measured if not m.sketch.is_target]
    for design in Design:
        for scenario in (Scenario.HABIT_ONLY, Scenario.PERFECT):
            for gate in gates:
                yield outlook.row(POOLED, own, gate, scenario, design)
    for agent in by_agent(m.sketch for m in measured):
        of = [m for m in measured if m.sketch.agent == agent]
        for design in Design:
            yield outlook.row(agent, of, validated, Scenario.PERFECT, design)
