"""`stretto replay`, one setting at a time: by any rule, against any environment."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from stretto.canonical import Json
from stretto.cli.counting import Counting
from stretto.cli.deciding import Deciding
from stretto.cli.reports import write_report
from stretto.client.live import LeftOut, Live, replay_live
from stretto.episodes.episode import Episode
from stretto.evaluate.accounts import Sum, added
from stretto.evaluate.alone import Account, Pair, played
from stretto.evaluate.fidelity import Fidelity
from stretto.evaluate.replay import Replayer
from stretto.report.replay_alone import AtServer, counting, replay_alone_document


def replay_alone(
    deciding: Deciding,
    episodes: Iterable[Episode],
    thresholds: Sequence[float],
    chosen: int,
    alone: Counting,
    *,
    name: str,
    jobs: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """
    Replay the episodes at each threshold, and report.

    Args:
        thresholds: Rising.
        chosen: The place of the one that the report is about.
        name: The flow's.
        jobs: How many sessions with a server are open at once.
    """
    replayer = Replayer(deciding.flow, deciding.decider, deciding.oracle(), alone.rule)
    if alone.live is None:
        record: list[Sequence[Account]] = [
            [played(replayer, episode, t).account for t in thresholds]
            for episode in episodes
        ]
        accounts, server = record, None
    else:
        jobs = 1 if deciding.asks else jobs
        found = _at_server(replayer, episodes, thresholds, alone.live, jobs)
        record, accounts, server = found
    sums = _sums(thresholds, record)
    decider = deciding.decider.name
    write_report(
        lambda _: replay_alone_document(
            sums, chosen, name, decider, alone.rule, server
        ),
        summary(sums, chosen, accounts, decider, alone, server),
        page,
        as_json,
    )


def _at_server(
    replayer: Replayer,
    episodes: Iterable[Episode],
    thresholds: Sequence[float],
    live: Live,
    jobs: int,
) -> tuple[list[Sequence[Account]], list[Sequence[Account]], AtServer]:
    """Each episode's replays in the record and at the server, and what it did."""
    record: list[Sequence[Account]] = []
    at_server: list[Sequence[Account]] = []
    fidelity, left_out = Fidelity(), list[tuple[str, str]]()
    for found in replay_live(replayer, episodes, thresholds, live, jobs=jobs):
        if isinstance(found, LeftOut):
            left_out.append((found.episode, found.cause))
            click.echo(f"note: {found.episode} is left out: {found.cause}", err=True)
        else:
            record.append(found.record)
            at_server.append(found.live)
            fidelity.add(found.fidelity)
    beside = AtServer(_sums(thresholds, at_server), fidelity, left_out)
    return record, at_server, beside


def _sums(
    thresholds: Sequence[float], by_episode: Sequence[Sequence[Account]]
) -> list[Sum]:
    return [
        added(threshold, (accounts[place] for accounts in by_episode))
        for place, threshold in enumerate(thresholds)
    ]


def summary(
    sums: Sequence[Sum],
    chosen: int,
    accounts: Sequence[Sequence[Account]],
    decider: str,
    alone: Counting,
    server: AtServer | None,
) -> Json:
    """
    The replay as JSON. `totals`, `thresholds` and `episodes` are the server's where
    there is one, and `record` has the record's thresholds beside them.
    """
    main = sums if server is None else server.sums
    found: dict[str, Json] = {
        "counting": alone.rule.name,
        "assumes": counting(alone.rule),
        "environment": "record" if server is None else "server",
        "decider": decider,
        "threshold": main[chosen].threshold,
        "totals": _totals(main[chosen]),
        "thresholds": [{"threshold": s.threshold, **_totals(s)} for s in main],
        "episodes": [_episode(each[chosen]) for each in accounts],
    }
    if server is not None:
        found["record"] = [{"threshold": s.threshold, **_totals(s)} for s in sums]
        found["server"] = {
            **_fidelity(server.fidelity),
            "left_out": [
                {"session": name, "cause": cause} for name, cause in server.left_out
            ],
        }
    return found


def _fidelity(of: Fidelity) -> dict[str, Json]:
    return {
        "executed": of.executed,
        "differing": dict(of.differing),
        "answered": of.answered,
        "misread": dict(of.misread),
        "unsent": of.unsent,
    }


def _totals(of: Sum) -> dict[str, Json]:
    return {
        **asdict(of.totals),
        "turns_saved_share": round(of.totals.turns_saved_share, 4),
        "turns_saved_share_interval": None if of.interval is None else [*of.interval],
        "turns_saved_in_part": round(of.credit, 4),
        "detours_between": [*of.detours],
        "pairs": _pairs(of.pairs),
    }


def _episode(account: Account) -> Json:
    return {
        "session": account.episode,
        **asdict(account.row),
        "turns_saved_in_part": round(account.credit, 4),
        "detours_between": [*account.detours],
        "pairs": _pairs(account.pairs),
    }


def _pairs(pairs: Counter[Pair]) -> Json:
    return [
        {
            "tool": pair.call.tool,
            "lookup": pair.lookup.arguments,
            "call": pair.call.arguments,
            "times": n,
        }
        for pair, n in pairs.most_common()
    ]
