"""
A thousand settings over every τ-bench and τ²-bench session, beside one at a time.

    python benchmarks/sweep.py --out docs/results

Each domain's sessions are replayed behind a flow learned from half of them: what is
measured is time, and no saving. The settings of one kind draw every site's threshold by
itself from those a search may choose, which parts them as much as can be; those of the
other have one threshold everywhere. A few of the thousand are also replayed one at a
time, over every session, and have to count the same. Writes `sweep.md`; exits 1 if a
count differs.
"""

import gc
import os
import platform
import resource
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import click
import numpy as np
from numpy.typing import NDArray

from stretto.cli.main import COLLECTING
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest, read_manifest
from stretto.evaluate.flat import Flat, Walkable
from stretto.evaluate.graph import MAX_NODES, Graph
from stretto.evaluate.growing import Grower, play
from stretto.evaluate.parting import counted as part
from stretto.evaluate.replay import Replayer
from stretto.evaluate.setting import OFF, Batch, Setting
from stretto.files import write_text
from stretto.flow.flow import Flow
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.models.sweep import jax_walk, numpy_walk
from stretto.traces.reader import read

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
LEVELS = [0.1 + 0.05 * level for level in range(18)] + [OFF]
READS = ("check", "get", "list", "search", "track")
"""How the read tools begin of the domains that come without a manifest."""

KINDS = ("a threshold for each site", "one threshold everywhere")
DECIDERS = ("habit", "reach")


@dataclass(slots=True)
class Spent:
    """Seconds of one thing after another, over all domains."""

    one: float = 0.0
    """One setting replayed by itself, on average."""
    grow: float = 0.0
    """All settings, graphs grown on the way."""
    again: float = 0.0
    """All settings, sent through the graphs once they are grown."""
    numpy: float = 0.0
    jax: float = 0.0
    nodes: int = 0
    bytes: int = 0
    compared: int = 0
    """Replays that were made one at a time too."""
    wrong: int = 0
    alone: int = 0
    """Episodes without a graph."""
    by_size: list[tuple[int, float, int]] = field(default_factory=list)
    """By episode: its events, the seconds its graph took, and its nodes."""


def domains() -> dict[str, list[Episode]]:
    """Every session, by the manifest its tools are described in."""
    found: dict[str, list[Episode]] = defaultdict(list)
    for path in sorted((SHARED / "sessions").glob("tau*/*.json*")):
        if "openai-chat" not in path.name:
            for episode in read([path]):
                found[_domain(path, episode)].append(episode)
    return found


def _domain(path: Path, episode: Episode) -> str:
    if path.parent.name == "tau2-custom-domains-oscaralvaro":
        return episode.domain
    for name in ("telecom-solo", "telecom", "airline", "retail"):
        if name in path.name:
            return f"{name}-v1" if path.parent.name.startswith("tau1") else name
    raise ValueError(path)


def taught(domain: str, episodes: Sequence[Episode]) -> Flow:
    """A flow learned from every other session that succeeded."""
    path = SHARED / "manifests" / f"{domain}.json"
    manifest = read_manifest(path) if path.exists() else Manifest(domain, {}, {})
    called = {call.tool for e in episodes for turn in e.turns for call in turn.calls}
    for tool in called - manifest.tools.keys():
        kind = Kind.READ if tool.startswith(READS) else Kind.WRITE
        manifest = manifest.merged(Manifest(domain, {tool: kind}, {}))
    return learn(episodes[::2], manifest, Settings()).flow


def drawn(flow: Flow, kind: str, n: int) -> list[Setting]:
    """The settings of a kind."""
    if kind == KINDS[1]:
        return [Setting((place + 0.5) / n) for place in range(n)]
    random, sites = Random(25), sorted(map(str, flow.sites.next))
    return [Setting(0.3, {s: random.choice(LEVELS) for s in sites}) for _ in range(n)]


def fastest(run: Callable[[], NDArray[np.int64]], clock: Callable[[], float]) -> float:
    """The best of three runs, in seconds."""
    took = []
    for _ in range(3):
        began = clock()
        run()
        took.append(clock() - began)
    return min(took)


def measure(
    spent: Spent, flow: Flow, decider: str, episodes: list[Episode],
    chosen: list[Setting], n_alone: int,
) -> None:  # fmt: skip
    """Add what a domain takes; its counts are compared on the way."""
    grower, batch = Grower(flow, decider), Batch(chosen)
    grower.floors.admit(batch)
    graphs, counts = [], []
    for episode in episodes:
        began = process_time()
        graph = grower.graph(episode)
        played = play(grower, graph, episode, batch)
        took = process_time() - began
        graphs.append(graph)
        counts.append(played.counted)
        spent.grow += took
        spent.alone += bool(played.why_not)
        spent.by_size.append((len(episode.events), took, played.n_nodes))
    counted = np.stack(counts, axis=1)
    walk(spent, graphs, batch, counted)
    places = range(0, len(chosen), len(chosen) // n_alone)[:n_alone]
    for place in places:
        setting = chosen[place]
        replayer = Replayer(setting.applied(flow), grower.decider)
        began = process_time()
        alone = [_alone(replayer, e, setting.threshold) for e in episodes]
        spent.one += (process_time() - began) / n_alone
        spent.compared += len(alone)
        spent.wrong += int((np.array(alone) != counted[place]).sum())


def walk(
    spent: Spent, graphs: list[Graph], batch: Batch, counted: NDArray[np.int64]
) -> None:
    """Add what the settings take once the graphs are grown."""

    def again() -> NDArray[np.int64]:
        return np.stack([part(graph, batch) for graph in graphs], axis=1)

    spent.again += fastest(again, process_time)
    flat = Flat.of([(graph.nodes, graph.is_counting) for graph in graphs])
    walkable = Walkable.of(flat)
    levels = walkable.levels(flat, batch)
    found = [numpy_walk(walkable, levels), jax_walk(walkable, levels)]
    spent.numpy += fastest(lambda: numpy_walk(walkable, levels), process_time)
    spent.jax += fastest(lambda: jax_walk(walkable, levels), perf_counter)
    spent.wrong += sum(int((walked != counted).sum()) for walked in found)
    spent.nodes, spent.bytes = spent.nodes + flat.n_nodes, spent.bytes + flat.n_bytes


def _alone(replayer: Replayer, episode: Episode, threshold: float) -> int:
    walk = replayer.walk(episode)
    replayer.finish(walk, threshold)
    return walk.counted


def table(found: dict[tuple[str, str], Spent], n: int, n_episodes: int) -> list[str]:
    """What each decider takes for each kind of settings."""
    lines = [
        "| decider | settings | one at a time, s | graphs grown on the way, s | "
        "times as fast | grown: parting, s | times as fast | numpy walk, s | "
        "JAX walk, s | times as fast | nodes an episode | bytes an episode |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for (decider, kind), spent in found.items():
        one = spent.one * n
        ratios = [f"{one / t:,.0f}" for t in (spent.grow, spent.again, spent.jax)]
        lines.append(
            f"| {decider} | {kind} | {one:,.0f} | {spent.grow:.1f} | {ratios[0]} | "
            f"{spent.again:.2f} | {ratios[1]} | {spent.numpy:.2f} | {spent.jax:.2f} | "
            f"{ratios[2]} | {spent.nodes / n_episodes:.1f} | "
            f"{spent.bytes / n_episodes:,.0f} |"
        )
    return lines


def growth(spent: Spent, kind: str) -> list[str]:
    """How graphs grow with the length of episodes, for each fifth of them."""
    lines = [
        "",
        f"Reach, {kind}:",
        "",
        "| events, mean | nodes, mean | nodes, most | ms an episode | µs an event "
        "| µs a node |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    ordered = sorted(spent.by_size)
    for fifth in np.array_split(np.array(ordered), 5):
        events, took, nodes = fifth.T
        lines.append(
            f"| {events.mean():.0f} | {nodes.mean():.0f} | {nodes.max():.0f} | "
            f"{1e3 * took.mean():.1f} | {1e6 * took.sum() / events.sum():.0f} | "
            f"{1e6 * took.sum() / nodes.sum():.0f} |"
        )
    return lines


def page(
    found: dict[tuple[str, str], Spent], n: int, n_alone: int, n_episodes: int
) -> str:
    """The results as Markdown."""
    compared = sum(spent.compared for spent in found.values())
    alone = sum(spent.alone for spent in found.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return "\n".join(
        [
            "# A thousand settings at once",
            "",
            f"    python benchmarks/sweep.py --alone {n_alone} --out docs/results",
            "",
            f"{n:,} settings of each kind over {n_episodes:,} episodes: every τ-bench "
            "and τ²-bench session of the shared data.",
            "Each domain has a flow of its own, learned from every other session that "
            "succeeded; it is time that is measured here, and no saving.",
            f"One at a time is measured on {n_alone} of the settings, spread evenly, "
            "over every episode, and scaled up.",
            f"All {compared:,} replays of those count what the graphs count, to the "
            "integer, and so do both walks for every setting.",
            f"Graphs that outgrew their {MAX_NODES:,} nodes: {alone}.",
            "",
            *table(found, n, n_episodes),
            "",
            "*A threshold for each site* draws every site's from the 19 levels of a "
            "search, which parts the settings as early and as often as can be.",
            "Seconds are CPU seconds of one process, but for JAX's walk, which is wall "
            "time after its compiler has run.",
            "Growing includes reading the episode into a course; walking includes "
            "neither that nor flattening.",
            "",
            "## Growing, by the length of the episode",
            "",
            "Each row is a fifth of the episodes.",
            "Nodes grow faster than events, since each lookup can be made or left; so "
            "does the time: it is not linear in events, and goes with nodes.",
            *growth(found["reach", KINDS[1]], KINDS[1]),
            *growth(found["reach", KINDS[0]], KINDS[0]),
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores that other "
            f"jobs used too, load {load} at the end, peak memory {peak:,.0f} MiB with "
            "every graph of a domain kept.",
            "",
        ]
    )


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--settings", "n", default=1000, show_default=True)
@click.option("--alone", "n_alone", default=8, show_default=True)
def main(out: Path | None, n: int, n_alone: int) -> None:
    """Measure, and write the page."""
    gc.set_threshold(*COLLECTING)  # as the command line does
    found: dict[tuple[str, str], Spent] = defaultdict(Spent)
    sessions = domains()
    for domain, episodes in sessions.items():
        flow = taught(domain, episodes)
        click.echo(f"{domain}: {len(episodes)} episodes", err=True)
        for decider in DECIDERS:
            for kind in KINDS:
                chosen = drawn(flow, kind, n)
                measure(found[decider, kind], flow, decider, episodes, chosen, n_alone)
    text = page(found, n, n_alone, sum(map(len, sessions.values())))
    click.echo(text)
    if out is not None:
        write_text(out / "sweep.md", text)
    sys.exit(any(spent.wrong for spent in found.values()))


if __name__ == "__main__":
    main()
