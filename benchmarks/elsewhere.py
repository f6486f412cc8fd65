"""
What the paper measured on its agents, measured on the agents at hand.

    python -m benchmarks.elsewhere --out docs/results

The paper's sessions are not in ../shared/data, and those there are of other agents. So
its numbers cannot be met; what can be seen is whether a finding holds for these, too.
Everything is decided by the habit or by reach, which ask nobody. Writes `elsewhere.md`,
which notes in docs/reference/claims.md cite.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import click

from benchmarks.local_model import SHARED, sessions_of
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest, read_manifest
from stretto.errors import NothingToLearn
from stretto.evaluate.audit import audit
from stretto.evaluate.phase0 import phase0
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import Totals, totals
from stretto.files import read_json, write_text
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.learn.curve import drawn
from stretto.learn.learn import learn
from stretto.learn.promote import promote
from stretto.learn.settings import Settings
from stretto.markdown import table

N_TASKS = {"retail": (1, 3, 7), "airline": (1, 3, 8)}
N_SESSIONS = (5, 10, 20)
TASK_DRAWS, SESSION_DRAWS = 5, 4
SEED = 7
DECIDERS = ("habit", "reach")


@dataclass(frozen=True, slots=True)
class Domain:
    """The sessions of a domain, and the flow of its training tasks."""

    name: str
    sessions: Sequence[Episode]
    manifest: Manifest
    train: Sequence[str]
    """Its training tasks, sorted."""
    held_out: Sequence[Episode]
    """The sessions of its test tasks."""
    flow: Flow

    @classmethod
    def read(cls, name: str) -> "Domain":
        """The domain's shared sessions, as the deciders are measured on them."""
        split = read_json(SHARED / "splits" / f"{name}.json")
        train, test = (
            {task.text() for task in split[side].array()} for side in ("train", "test")
        )
        sessions = [replace(s, domain=name) for s in sessions_of(name)]
        manifest = read_manifest(SHARED / "manifests" / f"{name}.json")
        return cls(
            name,
            sessions,
            manifest,
            sorted(train),
            [s for s in sessions if s.task in test],
            learn(sessions, manifest, Settings(tasks=train.__contains__)).flow,
        )

    def learned(self, tasks: Iterable[str]) -> Flow | None:
        """The flow of some tasks; none where no session of theirs succeeded."""
        wanted = Settings(tasks=frozenset(tasks).__contains__)
        try:
            return learn(self.sessions, self.manifest, wanted).flow
        except NothingToLearn:
            return None

    def replayed(
        self, flow: Flow, by: str = "habit", *, threshold: float = 0.3
    ) -> Totals:
        """What the flow comes to on the test tasks."""
        return totals(replay(flow, self.held_out, decider=by, threshold=threshold))


def bindings(domains: Sequence[Domain]) -> str:
    """How often bound arguments were the agent's own."""
    tools = ("get_order_details", "get_product_details", "get_reservation_details")
    rows = [
        (of.name, tool, _share(*found.unmentioned), _share(*found.mentioned))
        for of in domains
        for tool in tools
        if (found := of.flow.bindings.agreed.get(tool)) is not None
    ]
    return table(("domain", "lookup", "not mentioned", "mentioned"), rows)


def few_tasks(domains: Sequence[Domain]) -> str:
    """The habit alone, learned from few tasks."""
    rows = []
    for of in domains:
        for n in (*N_TASKS[of.name], len(of.train)):
            draws = 1 if n == len(of.train) else TASK_DRAWS
            flows = [of.learned(drawn(of.train, n, draw)) for draw in range(draws)]
            sites = [0 if f is None else len(f.sites.next) for f in flows]
            saved, detours = _came_to(of, flows)
            rows.append((of.name, str(n), _ends(sites), saved, detours))
    return table(("domain", "tasks", "sites", "turns saved, %", "detours"), rows)


def few_sessions(domains: Sequence[Domain]) -> str:
    """The habit alone, learned from few sessions that succeeded, drawn at random."""
    rows = []
    for of in domains:
        train = frozenset(of.train)
        taught = [s for s in of.sessions if s.task in train and s.succeeded]
        for n in N_SESSIONS:
            draws = (Random(f"{SEED}-{n}-{k}") for k in range(SESSION_DRAWS))
            flows = [learn(d.sample(taught, n), of.manifest).flow for d in draws]
            rows.append((of.name, str(n), *_came_to(of, flows)))
        rows.append((of.name, f"all {len(taught)}", *_came_to(of, [of.flow])))
    return table(("domain", "sessions", "turns saved, %", "detours"), rows)


def sure(domains: Sequence[Domain]) -> str:
    """The habit at 0.99, and how often it is right where it is 0.8 to 0.9 sure."""
    rows = []
    for of in domains:
        found = audit(of.flow, of.held_out, decider="habit")
        [tenth] = [b for b in found.calibration if round(10 * b.low) == 8]
        right = _share(round(tenth.agreement * tenth.decisions), tenth.decisions)
        at = of.replayed(of.flow, threshold=0.99)
        rows.append((of.name, f"{at.lookups:,}", f"{at.turns_saved:,}", right))
    head = ("domain", "lookups at 0.99", "turns saved", "right at 0.8 to 0.9")
    return table(head, rows)


def promoted(domains: Sequence[Domain]) -> str:
    """Each half of the test tasks, by a flow promoted on the other half."""
    rows = []
    for of in domains:
        tasks = sorted({s.task_or_id for s in of.held_out})
        halves = [
            [s for s in of.held_out if tasks.index(s.task_or_id) % 2 == half]
            for half in (0, 1)
        ]
        for by in DECIDERS:
            free, bound = [], []
            for own, other in (halves, halves[::-1]):
                found = promote(of.flow, other, decider(of.flow, by)).promotion
                free += replay(of.flow, own, decider=by)
                bound += replay(replace(of.flow, promoted=found), own, decider=by)
            rows.append((of.name, by, *_beside(totals(bound), totals(free))))
    return table(("domain", "decided by", "turns saved", "detours"), rows)


def named_other(domains: Sequence[Domain]) -> str:
    """With the count of picks other than the one the customer named, and without."""
    rows = []
    for of in domains:
        bare = replace(of.flow, bindings=replace(of.flow.bindings, named_other={}))
        for by in DECIDERS:
            both = of.replayed(of.flow, by), of.replayed(bare, by)
            rows.append((of.name, by, *_beside(*both)))
    return table(("domain", "decided by", "turns saved", "detours"), rows)


def styles(domains: Sequence[Domain]) -> str:
    """How each agent calls its tools, and what the habit saves of its test tasks."""
    rows = []
    for of in domains:
        whose = {s.agent for s in of.held_out}
        for agent in phase0(of.sessions, of.manifest).agents:
            if agent.agent not in whose:
                continue
            own = [s for s in of.held_out if s.agent == agent.agent]
            saved = totals(replay(of.flow, own, decider="habit"))
            shares = (
                agent.parallel,
                agent.from_outputs,
                agent.from_conversation,
                agent.bundled,
            )
            rows.append(
                (
                    of.name,
                    agent.agent,
                    *(f"{100 * share.value:.1f}" for share in shares),
                    f"{100 * saved.turns_saved_share:.1f}",
                )
            )
    head = (
        "domain", "agent", "parallel, %", "from outputs, %", "from conversation, %",
        "bundled writes, %", "turns saved, %",
    )  # fmt: skip
    return table(head, rows)


Part = tuple[str, str, Callable[[Sequence[Domain]], str]]

PARTS: Sequence[Part] = (
    (
        "How often bound arguments are the agent's own",
        "Calls that a binding would have made word for word, of the agents' calls in "
        "training, by whether the customer had mentioned the value.",
        bindings,
    ),
    (
        "From few tasks",
        "By the habit alone. "
        f"Each number of tasks is drawn {TASK_DRAWS} times: the least and the most.",
        few_tasks,
    ),
    (
        "From few sessions",
        "By the habit alone, from sessions that succeeded. "
        f"Each number is drawn {SESSION_DRAWS} times: the least and the most.",
        few_sessions,
    ),
    ("Where the habit is sure", "Both by the habit alone.", sure),
    (
        "Promoted on the other half",
        "The test tasks are halved; each half is replayed by a flow that was promoted "
        "on the other, at the published bar. Of what the flow comes to when it may act "
        "everywhere.",
        promoted,
    ),
    (
        "The count of picks other than the one named",
        "With the count that `named_other` keeps, of what the flow comes to without.",
        named_other,
    ),
    (
        "How the agents call their tools",
        "*Parallel* is the share of turns with calls that have two or more. "
        "The next three are shares of all turns: later turns of a run that only look "
        "something up, with values from outputs or from the conversation, and turns "
        "that one call for assented writes in a row would leave out. "
        "The last is what the habit saves of the test tasks' turns. "
        "gpt-oss-120b's sessions hold loops of transfers to a person.",
        styles,
    ),
)


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(out: Path) -> None:
    """Measure, and write the page."""
    domains = [Domain.read(name) for name in N_TASKS]
    write_text(out / "elsewhere.md", page(domains))


def page(domains: Sequence[Domain]) -> str:
    """docs/results/elsewhere.md."""
    n = " and ".join(
        f"{len(of.sessions):,} of {of.name} ({len(of.held_out):,} of test tasks)"
        for of in domains
    )
    head = (
        "# The paper's measurements on other agents\n\n"
        "From this page you know which of the paper's findings hold for the agents in "
        "`../shared/data`, which are not the paper's.\n\n"
        "    python -m benchmarks.elsewhere --out docs/results\n\n"
        f"Sessions: {n}, of [the deciders' agents](deciders.md).\n"
        "Flows are learned from the successful sessions of the *train* tasks and "
        "replayed on the *test* tasks at 0.3.\n"
        "Nobody is asked; the paper's arbiter asks Jev, to which this project has no "
        "key.\n"
    )
    parts = [
        f"## {title}\n\n{_lines(about)}\n\n{measure(domains)}\n"
        for title, about, measure in PARTS
    ]
    return "\n".join([head, *parts])


def _lines(text: str) -> str:
    return text.replace(". ", ".\n")


def _came_to(of: Domain, flows: Sequence[Flow | None]) -> tuple[str, str]:
    """The least and the most that flows save, and of their detours."""
    found = [None if flow is None else of.replayed(flow) for flow in flows]
    saved = [0.0 if t is None else 100 * t.turns_saved_share for t in found]
    detours = [0 if t is None else t.detours for t in found]
    return _ends([round(share, 1) for share in saved]), _ends(detours)


def _ends(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _beside(found: Totals, other: Totals) -> tuple[str, str]:
    return (
        f"{found.turns_saved:,} of {other.turns_saved:,}",
        f"{found.detours:,} of {other.detours:,}",
    )


def _share(of: int, whole: int) -> str:
    return f"{of:,} of {whole:,}, {of / whole:.0%}" if whole else "–"


if __name__ == "__main__":
    main()
