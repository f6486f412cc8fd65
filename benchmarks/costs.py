"""
What a saved turn and a detour cost on test tasks, and what θ* then does there.

    python -m benchmarks.costs --out docs/results

Each flow is learned as `benchmarks/figures.py` learns it, on training tasks; costs are
figured and replays made on sessions of test tasks. Writes `costs.md`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.figures import AIRLINE_TEST, LESSONS, RETAIL_TEST, episodes, teach
from stretto.episodes.episode import Episode
from stretto.evaluate.balance import INPUT, TokenPrices
from stretto.evaluate.costing import Costing, costing
from stretto.evaluate.costs import Costs, thresholds
from stretto.evaluate.replay import Replayer, replay
from stretto.evaluate.rows import totals
from stretto.files import write_text
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.markdown import table
from stretto.report.costs import costs_document, spelled
from stretto.report.document import markdown

CACHED = TokenPrices(5, 0.1, 1.25)
"""Output at five times the input, a cache that reads at a tenth and writes at 1.25."""


@dataclass(frozen=True, slots=True)
class Case:
    """A flow, and the sessions it is costed on, by the agent whose they are."""

    lesson: str
    agents: dict[str, str]
    published: tuple[int, int, float]
    """β, δ and θ*, of other agents' sessions."""


CASES = (
    Case(
        "retail",
        {
            "gpt-4.1-mini": "run2",
            "gpt-5-mini": "gpt-5-mini",
            "gemini-3-flash": "gemini-3-flash",
        },
        (5824, 2467, 0.298),
    ),
    Case(
        "airline",
        {
            "gpt-4o": "gpt-4o-2024-11-20",
            "claude-opus-4-6": "claude-opus-4-6-button",
            "gpt-4.1": "airline gpt-4.1 20",
        },
        (7051, 1022, 0.127),
    ),
)
TEST = {"retail": RETAIL_TEST, "airline": AIRLINE_TEST}


def sessions(case: Case) -> Iterator[Episode]:
    """The sessions of test tasks, each with its agent's name."""
    for agent, file in case.agents.items():
        for episode in episodes((file,), TEST[case.lesson]()):
            yield replace(episode, agent=agent)


def measured(flow: Flow, case: Case, prices: TokenPrices) -> Costing:
    """The costs of a case."""
    replayer = Replayer(flow, decider(flow))
    return costing(replayer, sessions(case), threshold=THRESHOLD, prices=prices)


def effects(flow: Flow, case: Case, found: Costing, cached: Costing) -> str:
    """What replays at each threshold come to, in turns and in tokens."""
    settings = {
        "0.3 everywhere": {},
        "θ*, pooled": thresholds(flow, found.costs, by_site=False),
        "θ* by site": thresholds(flow, found.costs),
        "θ* of cached prices, pooled": thresholds(flow, cached.costs, by_site=False),
    }
    rows, nets = [], {}
    for name, own in settings.items():
        changed = replace(flow, thresholds=own)
        total = totals(replay(changed, sessions(case)))
        net, net_cached = (
            _net(total.turns_saved, total.detours, each.costs)
            for each in (found, cached)
        )
        rows.append(
            [
                name, _spread(own), str(total.turns_saved), str(total.lookups),
                str(total.calls_skipped), str(total.detours),
                f"{net:,.0f}", f"{net_cached:,.0f}",
            ]
        )  # fmt: skip
        nets[name] = net
    headers = (
        "threshold", "is", "turns saved", "lookups", "used", "detours", "net",
        "net, cached",
    )  # fmt: skip
    best = max(nets, key=lambda name: nets[name])
    return (
        table(headers, rows, right=frozenset(range(2, len(headers))))
        + f"\n\nThe most is left with {best}."
    )


def _net(saved: int, detours: int, costs: Costs) -> float:
    """Turns saved at the pooled β, less detours at the pooled δ."""
    beta, delta = costs.pooled.beta.value, costs.pooled.delta.value
    assert beta is not None
    assert delta is not None
    return saved * beta - detours * delta


def _spread(own: dict[str, float]) -> str:
    if not own:
        return f"{THRESHOLD:g}"
    low, high = min(own.values()), max(own.values())
    return f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"


def beside(case: Case, found: Costing, cached: Costing) -> list[list[str]]:
    """A case's rows of the comparison."""
    beta, delta, theta = case.published
    rows = [[f"{case.lesson}, published", f"{beta:,}", f"{delta:,}", f"{theta:.3f}"]]
    for name, costs in (("here", found.costs), ("here, cached", cached.costs)):
        pooled = costs.pooled
        rows.append(
            [
                f"{case.lesson}, {name}", spelled(pooled.beta), spelled(pooled.delta),
                spelled(pooled.threshold, ".3f"),
            ]
        )  # fmt: skip
    return rows


INTRODUCTION = """\
# What a saved turn and a detour cost

    python -m benchmarks.costs --out docs/results

Flows are learned on training tasks; costs are figured on sessions of test tasks.
A task's sessions are those of three agents, of which the retail flow has learned from \
the first (another run of it) and the airline flow from the first two.
*Cached* is `--price 5,0.1,1.25`: output at five times the price of uncached input, a \
cache that is read at a tenth and written at 1.25 times.

The published figures are of other agents, whose sessions are not at hand, so they are \
comparable in kind and not in value."""

EFFECTS = (
    "What replays of the same sessions come to, and what is left in tokens when each "
    "saved turn is worth β and each detour costs δ, both pooled.\nθ* is where lookups "
    "begin to pay if the flow's probabilities are true and each lookup saves a whole "
    "turn; what is left says how far that holds.\nThe thresholds were "
    "figured on the sessions that they are replayed on here, and their gain is "
    "flattered; detours are a lower bound."
)


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
def main(out: Path | None) -> None:
    """Figure the costs, and write the page."""
    rows, parts = [], []
    for case in CASES:
        flow = teach(LESSONS[case.lesson]).flow
        found, cached = (measured(flow, case, prices) for prices in (INPUT, CACHED))
        rows += beside(case, found, cached)
        page = markdown(costs_document(found, f"the {case.lesson} flow"))
        parts.append(f"#{page}".replace("\n## ", "\n### "))
        parts += ["### What θ* does", EFFECTS, effects(flow, case, found, cached)]
    compared = table(("", "β", "δ", "θ*"), rows, right=frozenset({1, 2, 3}))
    text = "\n\n".join([INTRODUCTION, compared, *parts]) + "\n"
    click.echo(text)
    if out is not None:
        write_text(out / "costs.md", text)


if __name__ == "__main__":
    main()
