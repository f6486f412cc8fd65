"""`stretto episodes`: what was read, before anything is learned from it."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.options import Sessions, as_json, labelled_sessions
from stretto.cli.table import show_table
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest
from stretto.markdown import printable
from stretto.traces.ledger import Ledger

COUNTS = ("episodes", "succeeded", "failed", "ungraded", "turns", "calls", "empty")

SHOWN = 20
"""How many problems are listed as text; JSON has as many as the ledger keeps."""


class Group(NamedTuple):
    """Whose episodes are counted together."""

    domain: str
    agent: str


@click.command(
    epilog=example(
        "stretto episodes sessions/",
        "stretto episodes results.json.gz --json",
        "stretto episodes logs/ --rewards rewards.json --strict",
    ),
)
@labelled_sessions
@as_json
def episodes(sessions: Sessions, as_json: bool) -> None:
    """
    Show what recorded sessions hold.

    One row for each agent in each domain: how many episodes succeeded, failed, or were
    not graded, their LLM turns and tool calls, and how many held nothing. Then the
    tools, what was left out, and what could not be read.

    PATHS are session files and folders of them, compressed or not.
    """
    groups = tally(sessions.episodes())
    if as_json:
        click.echo(json.dumps(_summary(groups, sessions), indent=2))
        return
    rows = sorted(groups.items())
    if len(groups) != 1:
        rows.append((Group("all", ""), sum(groups.values(), Counter())))
    show_table(
        ("domain", "agent", *COUNTS),
        [(domain or "–", agent, *_figures(n)) for (domain, agent), n in rows],
    )
    notes = (_tools(sessions.manifest()), _left_out(sessions.ledger))
    for line in (*filter(None, notes), *_problems(sessions.ledger)):
        click.echo(printable(line))
    if not groups and sessions.ledger.counts["folders left out"]:
        click.echo("nothing was read; `--recursive` looks into the folders too")


def tally(read: Iterable[Episode]) -> Mapping[Group, Counter[str]]:
    """How many there are of each of `COUNTS`, by group; no episode is kept."""
    groups: defaultdict[Group, Counter[str]] = defaultdict(Counter)
    for episode in read:
        graded = episode.reward is not None
        groups[Group(episode.domain, episode.agent)].update(
            episodes=1,
            succeeded=episode.succeeded,
            failed=graded and not episode.succeeded,
            ungraded=not graded,
            turns=len(episode.turns),
            calls=sum(len(turn.calls) for turn in episode.turns),
            empty=not episode.events,
        )
    return groups


def _figures(counts: Counter[str]) -> list[int]:
    return [int(counts[name]) for name in COUNTS]


def _tools(manifest: Manifest) -> str:
    kinds = Counter(manifest.tools.values())
    if not kinds:
        return ""
    return "tools: " + ", ".join(f"{kinds[kind]} {kind}" for kind in Kind)


def _left_out(ledger: Ledger) -> str:
    """Everything the ledger counted that is neither a file nor an episode read."""
    known = {"files", "episodes", "empty", "problems"}
    odd = [f"{n:,} {name}" for name, n in sorted(ledger.counts.items())
           if name not in known and n]  # fmt: skip
    if ledger.apart:
        odd.append(f"not merged, as logs overlap: {', '.join(ledger.apart)}")
    return f"also: {', '.join(odd)}" if odd else ""


def _problems(ledger: Ledger) -> Iterable[str]:
    n_problems = ledger.counts["problems"]
    if n_problems:
        yield f"problems: {n_problems:,}"
    for problem in ledger.problems[:SHOWN]:
        yield f"  {problem}"
    if n_problems > SHOWN:
        yield f"  … and {n_problems - SHOWN:,} more"


def _summary(groups: Mapping[Group, Counter[str]], sessions: Sessions) -> Json:
    manifest, ledger = sessions.manifest(), sessions.ledger
    return {
        "groups": [
            {**group._asdict(), **dict(zip(COUNTS, _figures(counts), strict=True))}
            for group, counts in sorted(groups.items())
        ],
        "counts": dict(sorted(ledger.counts.items())),
        "tools": {name: str(kind) for name, kind in sorted(manifest.tools.items())},
        "problems": [problem._asdict() for problem in ledger.problems],
    }
