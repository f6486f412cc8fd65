"""An audit as a probabilistic program: one categorical draw for each decision."""

from collections.abc import Iterable

from stretto.evaluate.decisions import Scored
from stretto.program.events import Draw, Steps
from stretto.program.families import Categorical


def decisions_run(decisions: Iterable[Scored]) -> Steps:
    """
    A run over recorded decisions, drawing `decision#i` among the options of the i-th.

    A draw's value is the option's place in the decision's sorted options. Scored at
    the agents' own choices it gives their log probability; simulated, it runs the flow
    as a stochastic policy; lowered, it is a NumPyro model to condition.
    """
    n = 0
    for n, decision in enumerate(decisions, start=1):
        options = Categorical(tuple(decision.probabilities.values()))
        yield Draw(f"decision#{n - 1}", options, int)
    return n


def agents_choices(decisions: Iterable[Scored]) -> dict[str, int]:
    """The choices at which `decisions_run` takes the agents' own steps."""
    return {
        f"decision#{i}": list(decision.probabilities).index(decision.actual)
        for i, decision in enumerate(decisions)
    }
