"""
What a model of one's own adds to the habit, on tasks and on agents it never saw.

    python benchmarks/local_model.py --out docs/results

Trains on the shared retail and airline sessions, and writes `local.json`. Every figure
is of decisions whose task no part of what judges them has seen; under "agents" neither
has it seen the agent. Three are compared with the habit: `local` alone; `arbiter`, the
habit and `local` weighed; and `refitted`, an arbiter that is told the habit twice
over, which shows what the weighing does with nothing new. Each arbiter is fitted on the
other folds' decisions, answered by networks that left those out in turn.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.episodes.site import Site
from stretto.episodes.tasks import N_FOLDS, fold, task_group
from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.local import (
    HABIT,
    LOCAL,
    Comparison,
    Judged,
    compare,
    comparison_json,
)
from stretto.files import read_json, write_text
from stretto.flow.case import Case as Choice
from stretto.flow.fitting import Fitting
from stretto.flow.flow import Fit
from stretto.flow.judge import features, relative
from stretto.learn.local import local_cases, local_flows
from stretto.markdown import table
from stretto.models.crossfit import fit
from stretto.models.local_folds import CrossFitted, cross_fit
from stretto.oracle.local.calibration import probabilities
from stretto.oracle.local.case import Case
from stretto.oracle.local.file import ALL, Member
from stretto.oracle.local.oracle import go_on
from stretto.oracle.next_step import NextStep
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import ReadOptions, read

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

RETAIL = "tau2-retail-codesque16/retail__"
AIRLINE = "tau2-sierra-prs/airline__"
FILES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "retail": {
        "gpt-4.1-mini": [
            f"{RETAIL}gpt-4.1-mini__run1__114.jsonl.gz",
            f"{RETAIL}gpt-4.1-mini__run2__114.jsonl.gz",
            f"{RETAIL}gpt-4.1-mini__policy-v2-extra-tools__114.jsonl.gz",
        ],
        "gemini-3-flash": [
            f"{RETAIL}gemini-3-flash-preview__first-run__114.jsonl.gz",
            f"{RETAIL}gemini-3-flash__tasks-verified__114.jsonl.gz",
        ],
        "gpt-5-mini": [f"{RETAIL}gpt-5-mini__114.jsonl.gz"],
        "gpt-4.1": [f"{RETAIL}gpt-4.1__hard35.jsonl.gz"],
    },
    "airline": {
        "claude-opus-4-6": [
            f"{AIRLINE}claude-opus-4-6-adaptive__50_simlist.json.gz",
            f"{AIRLINE}claude-opus-4-6-button__50.json.gz",
            f"{AIRLINE}claude-opus-4-6-cascata__50.json.gz",
        ],
        "gpt-4.1": [f"{AIRLINE}gpt-4.1__20.json.gz"],
        "gpt-4o": [f"{AIRLINE}gpt-4o-2024-11-20__50.json.gz"],
        "gpt-oss-120b": [f"{AIRLINE}gpt-oss-120b-langchain__50.json.gz"],
        "ironforge": [
            f"{AIRLINE}ironforge_v2_gpt54.json.gz",
            f"{AIRLINE}ironforge_v2_sonnet46.json.gz",
        ],
        "qwen2.5-7b": [f"{AIRLINE}qwen2.5-7b__50.json.gz"],
    },
}
"""
The agents' files. One agent's harnesses and runs are together, so that it is left out
whole; runs whose task ids are shuffled are not here.
"""

ARBITER, REFITTED = "arbiter", "refitted"

SEED = 7


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True)
@click.option("--domain", "domains", multiple=True, default=[*FILES])
def main(out: Path, domains: Sequence[str]) -> None:
    """Measure, print each table, and write them all."""
    found: dict[str, Json] = {}
    for domain in domains:
        sessions = [*sessions_of(domain)]
        manifest = read_manifest(SHARED / "manifests" / f"{domain}.json")
        measured: dict[str, Json] = {}
        for name, measure in (
            ("tasks", partial(on_tasks, sessions, manifest)),
            ("split", partial(on_split, sessions, manifest, domain)),
            ("agents", partial(on_agents, sessions, manifest)),
        ):
            comparison = measure()
            _show(f"{domain}, {name}", comparison)
            measured[name] = comparison_json(comparison)
        found[domain] = measured
    write_text(out / "local.json", json.dumps(found, indent=1) + "\n")


def on_tasks(sessions: Sequence[Episode], manifest: Manifest) -> Comparison:
    """Five folds of tasks, each left out in turn."""
    flows = local_flows(sessions, manifest)
    cases = local_cases(sessions, flows, shipped_wording())
    weighed = Weighed.of(cases, cross_fit(cases, seed=SEED), how=Fitting(by_fold=True))
    return compare([*weighed.judged(cases)])


def on_split(
    sessions: Sequence[Episode], manifest: Manifest, domain: str
) -> Comparison:
    """The published split: all is learned from its training tasks."""
    split = read_json(SHARED / "splits" / f"{domain}.json")
    train, test = (
        {task.text() for task in split[side].array()} for side in ("train", "test")
    )
    learned_from = [s for s in sessions if s.task in train]
    flows = local_flows(learned_from, manifest)
    cases = local_cases(learned_from, flows, shipped_wording())
    weighed = Weighed.of(cases, cross_fit(cases, seed=SEED), how=Fitting())
    new = [s for s in sessions if s.task in test]
    unseen = local_cases(new, flows, shipped_wording(), unseen=True)
    return compare([*weighed.judged(unseen, unseen=True)])


def on_agents(sessions: Sequence[Episode], manifest: Manifest) -> Comparison:
    """Each agent left out in turn, and the task's fold with it."""
    found: list[Judged] = []
    for agent in sorted({session.agent for session in sessions}):
        flows = local_flows(sessions, manifest, agents=lambda name, a=agent: name != a)
        cases = local_cases(sessions, flows, shipped_wording())
        others = [case for case in cases if case.agent != agent]
        weighed = Weighed.of(
            others, cross_fit(others, seed=SEED), how=Fitting(by_fold=True)
        )
        found += weighed.judged([case for case in cases if case.agent == agent])
    return compare(found)


@dataclass(frozen=True)
class Weighed:
    """Networks, and arbiters that weigh them against the habit."""

    members: Mapping[str, Member]
    fits: Mapping[str, Sequence[Fit]]
    """By what is weighed: `arbiter`, `refitted`."""

    @classmethod
    def of(
        cls, cases: Sequence[Case], networks: CrossFitted, *, how: Fitting
    ) -> "Weighed":
        """Arbiters fitted on decisions, each answered by what left its fold out."""
        offered = [
            case for case in cases if case.taken in case.offered[fold(case.task)]
        ]
        answered = [(case, networks.members[str(fold(case.task))]) for case in offered]
        n_weighed = len(shipped_predicates())
        fits = {
            name: fit([as_choice(*one, name) for one in answered], n_weighed, how)
            for name in (ARBITER, REFITTED)
        }
        return cls(networks.members, fits)

    def judged(
        self, cases: Sequence[Case], *, unseen: bool = False
    ) -> Iterator[Judged]:
        """The decisions whose step was offered, under each."""
        for case in cases:
            out = fold(case.task)
            place, offering = (ALL, N_FOLDS) if unseen else (str(out), out)
            if case.taken not in case.offered[offering]:
                continue
            member = self.members[place]
            step = _next_step(case, member)
            chances: dict[str, Mapping[str, float]] = {
                HABIT: case.habit,
                LOCAL: step.one,
            }
            for name, fits in self.fits.items():
                seen = as_choice(case, member, name).features
                shares = relative(fits[out], seen)
                chances[name] = dict(zip(seen.options, shares, strict=True))
            yield Judged(case.task, case.agent, case.taken or "", chances)


def as_choice(case: Case, member: Member, name: str) -> Choice:
    """A decision as an arbiter sees it."""
    told = case.habit
    step = (
        _next_step(case, member)
        if name == ARBITER
        else NextStep(told, max(sorted(told), key=told.__getitem__), told, {})
    )
    failed = case.site.endswith(" (error)")
    site = Site(case.site.removesuffix(" (error)"), failed)
    seen = features(site, case.habit, step, shipped_predicates())
    actual = seen.options.index(case.taken or "")
    return Choice(seen, task_group(case.task), actual)


def _next_step(case: Case, member: Member) -> NextStep:
    """What the oracle would answer, asked about what the habit was offered."""
    options = [option for option in case.options if option in case.habit]
    places = [case.options.index(option) for option in options]
    scores, read = member.net.scores(case.clues)[places], member.calibration
    one = dict(zip(options, probabilities(scores, read.next).tolist(), strict=True))
    goes_on = go_on(scores, len(options) - 1, read.go_on)
    which = probabilities(scores[:-1], read.tool).tolist()
    split = {o: goes_on * p for o, p in zip(options[:-1], which, strict=True)}
    return NextStep(
        one,
        max(one, key=one.__getitem__),
        {**split, RESPOND: 1 - goes_on},
        {"list_pending": read.again[case.clues.pending]},
    )


def sessions_of(domain: str) -> Iterator[Episode]:
    """A domain's sessions, each with its agent's name."""
    for agent, paths in FILES[domain].items():
        files = [SHARED / "sessions" / path for path in paths]
        for session in read(files, options=ReadOptions(agent=agent)):
            if session.events:
                yield session


def _show(title: str, found: Comparison) -> None:
    click.echo(f"\n{title}: {found.decisions:,} decisions of {found.tasks} tasks\n")
    rows = []
    for name, score in found.scores.items():
        gain, interval = found.gains.get(name, (0.0, None))
        within = (
            "" if interval is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
        )
        rows.append(
            (
                name,
                f"{score.log_loss:.3f}",
                "" if name == HABIT else f"{gain:.3f}{within}",
                f"{score.agreement:.1%}",
                f"{score.ece:.3f}",
            )
        )
    heads = ("", "log loss", "gain on the habit", "agreement", "ECE")
    click.echo(table(heads, rows, right={1, 2, 3, 4}))
    names = [*found.scores]
    agents = [
        (agent, f"{n:,}", *(f"{losses[name]:.3f}" for name in names))
        for agent, (n, losses) in found.agents.items()
    ]
    columns = range(1, len(names) + 2)
    click.echo("")
    click.echo(table(("agent", "decisions", *names), agents, right={*columns}))


if __name__ == "__main__":
    main()
