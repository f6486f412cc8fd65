"""
The guards against all recorded sessions of their domains, and what that costs.

    python benchmarks/guards.py --out docs/results

Writes `guards.md`: what each rule says of every write, by what became of the write and
of its session; the published shares beside those found; how long a pass takes, and how
much memory. Linux only, since that is read from `/proc`.
"""

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from stretto.evaluate.guards import (
    ENDED,
    GuardAudit,
    audit_guards,
    ending_of,
    writes,
)
from stretto.files import write_text
from stretto.guards.evidence import Group
from stretto.guards.guard import GUARDS
from stretto.markdown import table
from stretto.report.guards import BECAME, share
from stretto.traces.reader import read

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT.parent / "shared" / "data" / "sessions"
FILES = {
    "retail": (
        "tau1-sierra/retail*", "tau1-retail-madhav/retail*",
        "tau2-retail-codesque16/retail*", "tau2-sierra-prs/retail*",
    ),
    "airline": (
        "tau1-sierra/airline*", "tau1-airline-yiphei/airline*",
        "tau2-airline-grok-blakeelias/*airline*.json*", "tau2-sierra-prs/airline*",
    ),
}  # fmt: skip
DOUBTED = {
    "retail__grok-3__115.json.gz": "its rewards are shares, none of them 1",
    "retail__gemini-3-flash-preview__first-run__114.jsonl.gz": "21 sessions are empty",
    "airline__claude-opus-4-6-cascata__50.json.gz": "some rewards are wrong",
    "airline__claude-opus-4-6-adaptive__50_simlist.json.gz": "some rewards are wrong",
    "airline__gpt-oss-120b-langchain__50.json.gz": "loops of transfers",
}
"""Files whose grades say little; they are left out of what is pooled."""
ROUNDS = 3

PUBLISHED = {
    "retail": {
        "of successful sessions, refused": (28, 1324),
        "of failed sessions, refused": (1, 500),
        "retail.same_product, successful": (25, 750),
        "retail.same_product, refused writes": (71, 205),
        "retail.status_checked, successful": (3, 1804),
        "retail.authenticated, successful": (2, 1914),
        "retail.own_payment, successful": (0, 1255),
        "retail.delivered, refused writes": (84, 182),
        "retail.refund_method, refused writes": (46, 69),
        "retail.confirmed, successful": (61, 1914),
        "retail.confirmed, failed": (28, 726),
    },
    "airline": {
        "of successful sessions, refused": (5, 431),
        "of failed sessions, refused": (141, 369),
        "airline.cancel_allowed, successful": (5, 44),
        "airline.cancel_allowed, failed": (144, 262),
        "airline.basic_economy_flights, successful": (0, 158),
        "airline.basic_economy_flights, failed": (23, 151),
        "airline.own_payment, failed": (0, 264),
        "airline.own_reservation, failed": (0, 471),
        "airline.confirmed, successful": (21, 303),
        "airline.confirmed, failed": (35, 541),
    },
}
"""Of the 2025 baseline agents, whose sessions are not at hand: failures of how many."""
_ID = re.compile(r"\S*\d{4,}\S*")
_GROUPS = {
    "successful": Group.SUCCESSFUL,
    "failed": Group.FAILED,
    "refused writes": Group.REFUSED,
}


class Cost(NamedTuple):
    """What a pass cost."""

    sessions: int
    seconds: float
    peak_mib: float


def files(domain: str) -> list[Path]:
    """The files of a domain's sessions."""
    found = [path for glob in FILES[domain] for path in sorted(SESSIONS.glob(glob))]
    return [path for path in found if path.suffix != ".md"]


def measured(domain: str, times: int, *, checks: bool) -> Cost:
    """A pass over a domain's files, each given so often, in a process of its own."""
    arguments = [sys.executable, __file__, "--measure", domain, str(times)]
    arguments.append("check" if checks else "read")
    runs = [
        json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
        for _ in range(ROUNDS)
    ]
    return min((Cost(*run) for run in runs), key=lambda cost: cost.seconds)


def measure(domain: str, times: int, what: str) -> None:
    """Print what one pass costs in this process."""
    begun = time.process_time()
    paths = [path for path in files(domain) for _ in range(times)]
    if what == "check":
        n = len(audit_guards(GUARDS.get(domain), read(paths)).sessions)
    else:
        n = sum(1 for _ in read(paths))
    taken = time.process_time() - begun
    click.echo(json.dumps([n, taken, peak_mib()]))


def peak_mib() -> float:
    """The most memory that this process has held, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def page() -> Iterator[str]:
    """The results page, part by part."""
    yield "# Guards against recorded sessions"
    yield (
        "What the retail and airline rules say of every write in the shared sessions "
        "of these domains.\n`python benchmarks/guards.py --out docs/results` makes "
        "this page; `stretto guards FILES --domain NAME` prints the same for other "
        "sessions."
    )
    for domain in FILES:
        yield from _domain(domain)
    yield "## What a pass costs"
    yield (
        "Each in a process of its own, the best of "
        f"{ROUNDS}. The sessions are streamed: given four times over, they take four "
        "times as long, and the memory that an audit keeps is 32 bytes of digest and "
        "one row for each session. Seconds are of the processor, since other jobs ran."
    )
    yield _costs()


def _domain(domain: str) -> Iterator[str]:
    trusted = [path for path in files(domain) if path.name not in DOUBTED]
    pooled = audit_guards(GUARDS.get(domain), read(trusted), n_examples=0)
    yield f"## {domain.capitalize()}"
    ended = [group for group in ENDED if pooled.ended(group)]
    n = sum(pooled.writes[group] for group in ENDED)
    yield (
        f"{len(trusted)} files, {len(pooled.sessions):,} sessions, {n:,} accepted and "
        f"{pooled.writes[Group.REFUSED]:,} refused writes.\nAn enforced rule fails an "
        "accepted write in " + " and ".join(share(pooled, g) for g in ended) + "."
    )
    yield _rules(pooled)
    yield "Beside the published agents, whose sessions are not at hand: failures."
    yield _beside(domain, pooled)
    yield (
        "What enforced rules fail in sessions that succeeded, by reason, with ids left "
        "out."
    )
    yield _alarms(domain, trusted)
    yield (
        "The first write that each enforced rule fails, of those accepted in sessions "
        "that succeeded and that failed, and of those refused; the session by its "
        "file, its task, and its trial unless that is 0."
    )
    yield _fired(domain, trusted)
    yield "By file; those with a remark are not in the sums above."
    yield _by_file(domain)
    n_flagged = ", ".join(
        f"{pooled.flagged[g]:,} of {pooled.writes[g]:,} {name}"
        for name, g in zip(("successful", "failed", "refused"),
                           (Group.SUCCESSFUL, Group.FAILED, Group.REFUSED), strict=True)
    )  # fmt: skip
    yield f"Writes with an argument of another record than the chosen one: {n_flagged}."


def _rules(pooled: GuardAudit) -> str:
    groups = (Group.SUCCESSFUL, Group.FAILED, Group.REFUSED)
    rows = [
        (
            rule,
            "enforced" if counts.guard.enforced else "logged",
            *("/".join(map(str, counts.of(group))) for group in groups),
            str(counts.episodes[Group.SUCCESSFUL]),
            str(counts.episodes[Group.FAILED]),
        )
        for rule, counts in pooled.rules.items()
    ]
    heads = (
        "rule", "", "accepted; succeeded", "accepted; failed", "refused",
        "sessions that succeeded", "that failed",
    )  # fmt: skip
    return table(heads, rows, right={2, 3, 4, 5, 6})


def _beside(domain: str, pooled: GuardAudit) -> str:
    rows = []
    for name, (failed, of) in PUBLISHED[domain].items():
        found, among = _found(pooled, name)
        rows.append((name, _share(failed, of), _share(found, among)))
    return table(("of", "published", "found here"), rows, right={1, 2})


def _found(pooled: GuardAudit, name: str) -> tuple[int, int]:
    if name.startswith("of "):
        group = Group.SUCCESSFUL if "successful" in name else Group.FAILED
        return pooled.refused(group), pooled.ended(group)
    rule, _, of = name.partition(", ")
    three = pooled.rules[rule].of(_GROUPS[of])
    return three.failed, sum(three)


def _share(n: int, of: int) -> str:
    return f"{n:,} of {of:,} ({n / of:.1%})" if of else "none"


def _alarms(domain: str, paths: Sequence[Path]) -> str:
    guards = GUARDS.get(domain)
    sessions: Counter[tuple[str, str]] = Counter()
    for episode in read(paths):
        if episode.succeeded:
            sessions.update(
                {
                    (ruling.guard.rule, _ID.sub("…", ruling.verdict.reason))
                    for write in writes(guards, episode)
                    if write.result is not None and not write.result.error
                    for ruling in write.rulings
                    if ruling.refuses
                }
            )
    rows = [(*about, str(n)) for about, n in sessions.most_common()]
    return table(("rule", "reason", "sessions"), rows, right={2})


def _fired(domain: str, paths: Sequence[Path]) -> str:
    guards = GUARDS.get(domain)
    rows: dict[tuple[str, Group], tuple[str, ...]] = {}
    for path in paths:
        for episode in read([path]):
            trial = f", trial {episode.trial}" if episode.trial else ""
            for write in writes(guards, episode):
                group = write.became(ending_of(episode))
                for ruling in write.rulings:
                    if group is not None and ruling.refuses:
                        rows.setdefault(
                            (ruling.guard.rule, group),
                            (
                                BECAME[group], _short(path.name),
                                f"{episode.task}{trial}", write.call.tool,
                                ruling.verdict.reason,
                            ),
                        )  # fmt: skip
    heads = ("rule", "what became of it", "file", "task", "call", "why")
    in_order = [
        (rule, *rows[rule, group])
        for rule in (guard.rule for guard in guards.rules)
        for group in Group
        if (rule, group) in rows
    ]
    return table(heads, in_order)


def _by_file(domain: str) -> str:
    rows = []
    for path in files(domain):
        found = audit_guards(GUARDS.get(domain), read([path]), n_examples=0)
        cells = [
            f"{found.refused(g)} of {found.ended(g)}"
            for g in (Group.SUCCESSFUL, Group.FAILED)
        ]
        rows.append((_short(path.name), *cells, DOUBTED.get(path.name, "")))
    heads = ("file", "refused, of successful", "of failed", "remark")
    return table(heads, rows, right={1, 2})


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:28]}…{name[-31:]}"


def _costs() -> str:
    rows = []
    for domain in FILES:
        for times in (1, 4):
            for checks in (False, True):
                cost = measured(domain, times, checks=checks)
                rows.append(
                    (
                        f"{domain}, {'read and checked' if checks else 'read'}",
                        f"{cost.sessions:,}",
                        f"{cost.seconds:.2f}",
                        f"{cost.sessions / cost.seconds:,.0f}",
                        f"{cost.peak_mib:.0f}",
                    )
                )
    heads = ("what", "sessions", "seconds", "sessions a second", "peak MiB")
    return table(heads, rows, right={1, 2, 3, 4})


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--measure", "what", nargs=3, hidden=True)
def main(out: Path | None, what: Sequence[str] | None) -> None:
    """Audit the guards on the shared sessions, and measure what that costs."""
    if what:
        measure(what[0], int(what[1]), what[2])
        return
    text = "\n\n".join(page()) + "\n"
    if out is None:
        click.echo(text)
    else:
        write_text(out / "guards.md", text)


if __name__ == "__main__":
    main()
