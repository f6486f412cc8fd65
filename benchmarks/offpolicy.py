"""
How close estimates from a log that explored come to what a rule's own replay counts.

    python benchmarks/offpolicy.py --out docs/results

A flow is learned from one agent's retail sessions, and explores along another run of
that agent's, once for each seed. From every log the rules are estimated.
"""

import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from stretto.cli.decisions import DecisionLog
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.chained import chained
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.labelled import sums_along
from stretto.evaluate.logged import Labels, Logged, Target
from stretto.evaluate.offpolicy import evaluate
from stretto.evaluate.replay import Replayer
from stretto.files import write_text
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Chances
from stretto.flow.flow import Flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.proxy.serving import Exploration
from stretto.traces.reader import ReadOptions, read

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
SESSIONS = SHARED / "sessions" / "tau2-retail-codesque16"
LEARNED = "retail__gpt-4.1-mini__run1__114.jsonl.gz"
MEASURED = "retail__gpt-4.1-mini__run2__114.jsonl.gz"
BY, AT, EPSILON, SEEDS = "reach", 0.3, 0.2, 20
RULES = (
    Target("the same", "reach", 0.3, Chances.INDEPENDENT),
    Target("a little looser", "reach", 0.27, Chances.INDEPENDENT),
    Target("looser", "reach", 0.15, Chances.INDEPENDENT),
    Target("stricter", "reach", 0.6, Chances.INDEPENDENT),
    Target("another decider", "habit", 0.3, Chances.EXCLUSIVE),
)
METRICS = ("used", "detours")
MIN_ESS = 10.0


def sessions(name: str) -> list[Episode]:
    """The sessions of a file that hold anything."""
    options = ReadOptions(domain="retail", strict=True)
    return [e for e in read([SESSIONS / name], options=options) if e.events]


def explored(flow: Flow, episodes: Sequence[Episode], seed: int) -> list[Logged]:
    """The log of a flow that explored along these sessions."""
    replayer = Replayer(flow, decider(flow, BY))
    log = DecisionLog(replayer, AT, Exploration(EPSILON, seed))
    for _ in log.noting(episodes):
        pass
    with tempfile.TemporaryDirectory() as folder:
        log.write(path := Path(folder) / "log.jsonl")
        return list(read_decisions(path))


def truth(flow: Flow, episodes: Sequence[Episode], rule: Target) -> Sequence[float]:
    """The sums of what the rule's own replay comes to."""
    replayer = Replayer(flow, decider(flow, rule.decider))
    sites = sums_along(replayer, episodes, threshold=rule.threshold)
    return [sum(values) for values in zip(*sites.values(), strict=True)]


def estimates(
    log: Sequence[Logged], rule: Target, metric: str
) -> Iterator[tuple[str, float | None]]:
    """By way of estimating, what a log says; None where it is refused."""
    _, total = evaluate(log, rule, metric)
    assert total.direct is not None
    assert total.snips is not None
    yield "direct", total.direct.value
    yield "by decision", total.snips.value
    found = chained(log, rule, metric)
    refused = found.is_refused(MIN_ESS) or found.snips is None
    yield "along sessions", None if refused else found.snips.value


def cell(values: Sequence[float | None], true: float) -> str:
    """The mean over logs, and the root mean square of how far each is off."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "refused"
    off = math.sqrt(sum((value - true) ** 2 for value in known) / len(known))
    return f"{sum(known) / len(known):,.0f} ({off:,.0f})"


def page(rows: Mapping[tuple[Target, str], tuple[float, Sequence[str]]], n: int) -> str:
    """What was found, as Markdown."""
    lines = [
        f"| {rule.name}: {rule.decider} at {rule.threshold:g} | {metric} | {true:,.0f} "
        f"| {' | '.join(cells)} |"
        for (rule, metric), (true, cells) in rows.items()
    ]
    return "\n".join(
        [
            "# How close estimates of another rule come",
            "",
            "    python benchmarks/offpolicy.py --out docs/results",
            "",
            f"A flow decided by {BY} at {AT:g} explores at {EPSILON:g} along {n} "
            "sessions of another run of the agent that it was learned from, once for "
            f"each of {SEEDS} seeds.",
            "From every log each rule is estimated; *replayed* is what the rule's own "
            "replay of the same sessions comes to.",
            "An estimate is its mean over the logs, and in brackets the root mean "
            "square of how far one log's is off.",
            "",
            "| rule | of its lookups | replayed | direct | by decision | along "
            "sessions |",
            "|---|---|--:|--:|--:|--:|",
            *lines,
            "",
            "The direct estimate and the self-normalised one by decision sum over the "
            "log's decisions, and know nothing of what a rule's own lookups would have "
            "led to.",
            "Along sessions that is weighed in.",
            "It is refused for a rule that hands back where the flow would not, and "
            f"where a log's weights are worth fewer than {MIN_ESS:g} decisions.",
            "",
        ]
    )


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(out: Path) -> None:
    """Explore, estimate, replay, and write `offpolicy.md` into the folder OUT."""
    manifest = read_manifest(SHARED / "manifests" / "retail.json")
    flow = learn(sessions(LEARNED), manifest, Settings()).flow
    measured = sessions(MEASURED)
    logs = [explored(flow, measured, seed) for seed in range(SEEDS)]
    rows = {}
    for rule in RULES:
        sums = truth(flow, measured, rule)
        for metric in METRICS:
            true = sums[Labels._fields.index(metric)]
            found = [dict(estimates(log, rule, metric)) for log in logs]
            cells = [cell([each[name] for each in found], true) for name in found[0]]
            rows[rule, metric] = true, cells
    write_text(out / "offpolicy.md", page(rows, len(measured)))


if __name__ == "__main__":
    sys.exit(main())
