"""The whole job on the demo shop: record, learn, show, audit, replay, serve, report."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stretto.demo.record import record
from stretto.demo.served import Saved, saved, serve, write
from stretto.demo.world import build
from stretto.episodes.episode import Episode
from stretto.evaluate.audit import Audit, audit
from stretto.evaluate.concentrated import likely_alphas, savings
from stretto.evaluate.headroom import Headroom, headroom
from stretto.evaluate.intervals import Interval, saved_interval
from stretto.evaluate.replay import Replayer
from stretto.evaluate.rows import Row, totals
from stretto.evaluate.setting import Setting
from stretto.files import write_text
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.decider import decider
from stretto.flow.review import review
from stretto.flow.show import show
from stretto.flow.wire import write_flow
from stretto.learn.corpus import Corpus
from stretto.learn.learn import Learned, learn
from stretto.learn.settings import Settings
from stretto.learn.survey import survey
from stretto.report.audit import audit_document
from stretto.report.document import (
    Document,
    Heading,
    Key,
    Part,
    Prose,
    markdown,
)
from stretto.report.drawing import drawing
from stretto.report.page import html
from stretto.report.replay import Replayed, replay_document, saving
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read

LEARNED_FROM, HELD_OUT = 120, 60
"""How many sessions teach, and how many are kept to measure on."""

N_ALPHAS = 20
"""How many equally likely concentrations say how far a saving hangs on α."""

THRESHOLDS = (0.1, 0.2, THRESHOLD, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Tour:
    """What the demo came to."""

    learned: Learned
    audit: Audit
    headroom: Headroom
    """Of the held-out sessions."""
    settings: tuple[Replayed, ...]
    """The held-out sessions replayed, by threshold."""
    chosen: Replayed
    decider: str
    served: Saved
    """The held-out sessions again, with the flow served."""


def tour(out: Path, seed: int, say: Callable[[str], None]) -> Tour:
    """
    Do the whole job into the folder `out`, saying each step as it is done.

    Raises:
        CannotWrite: a file could not be written.
    """
    taught = record(out / "sessions", sessions=LEARNED_FROM, seed=seed)
    say(f"recorded  {len(taught)} sessions of a scripted agent at the shop")
    unseen = record(out / "held-out", sessions=HELD_OUT, seed=seed, first=LEARNED_FROM)
    say(f"          and {len(unseen)} more to measure on")

    ledger = Ledger()
    corpus = Corpus(lambda: read(taught, ledger=ledger))
    found = survey(corpus)
    learned = learn(
        corpus, ledger.manifest, Settings(), surveyed=found, contracts=ledger.contracts
    )
    flow = learned.flow
    write_flow(flow, out / "shop.flow.json")
    say(f"learned   {out / 'shop.flow.json'}: {len(flow.sites.next)} sites, α "
        f"{flow.habit.base.alpha:.2f}")  # fmt: skip
    write_text(out / "shop.flow.md", show(review(flow)))
    say(f"shown     {out / 'shop.flow.md'}: what a reviewer reads first")

    episodes = list(read(unseen))
    fit = audit(flow, episodes)
    write_text(out / "audit.md", markdown(audit_document(fit, "shop.flow.json")))
    say(f"audited   {out / 'audit.md'}: {fit.agreement:.0%} of {fit.decisions} "
        "decisions agree")  # fmt: skip
    live = serve(build(seed), flow, sessions=HELD_OUT, seed=seed, first=LEARNED_FROM)
    alphas = likely_alphas(flow, corpus, N_ALPHAS)
    result = _replayed(learned, fit, alphas, episodes, saved(live))
    document = replay_document(
        result.settings, result.chosen, "shop.flow.json", result.decider
    )
    write_text(out / "replay.md", markdown(document))
    say(f"replayed  {out / 'replay.md'}: saves {saving(result.chosen)}")
    write(out / "served", live)
    say(f"served    {out / 'served'}: the same sessions live, in {result.served.turns} "
        f"LLM turns instead of {result.served.turns_without}")  # fmt: skip
    write_text(out / "report.html", html(_page(result)))
    say(f"reported  {out / 'report.html'}: open it in a browser")
    return result


def _replayed(
    learned: Learned,
    fit: Audit,
    alphas: list[float],
    episodes: list[Episode],
    served: Saved,
) -> Tour:
    flow = learned.flow
    replayer = Replayer(flow, decider(flow))
    models = savings(flow, episodes, alphas, [*map(Setting, THRESHOLDS)])
    rows: dict[float, list[Row]] = defaultdict(list)
    for episode in episodes:
        for threshold in THRESHOLDS:
            rows[threshold].append(replayer.row(episode, threshold))
    settings = tuple(
        _setting(threshold, rows[threshold], models.interval(place))
        for place, threshold in enumerate(THRESHOLDS)
    )
    chosen = settings[THRESHOLDS.index(THRESHOLD)]
    room, name = headroom(episodes), replayer.decider.name
    return Tour(learned, fit, room, settings, chosen, name, served)


def _setting(threshold: float, rows: list[Row], model: Interval) -> Replayed:
    return Replayed(threshold, totals(rows), saved_interval(rows), model=model)


def closing(result: Tour) -> str:
    """What the flow would save, and what it saved: a sentence each, on its own line."""
    chosen, served = result.chosen.totals, result.served
    return (
        f"Behind this agent's calls the flow would save {saving(result.chosen)}, "
        f"with {chosen.detours} needless lookups in {chosen.episodes} sessions.\n"
        f"Served in the same sessions, it saved {served.turns_saved} of "
        f"{served.turns_without} LLM turns ({served.share:.1%}), "
        f"with {served.needless} needless lookups."
    )


def _page(result: Tour) -> Document:
    draw = drawing()
    fit = audit_document(result.audit, "the flow", draw)
    run = replay_document(
        result.settings, result.chosen, "the flow", result.decider, draw
    )
    opening = Prose(
        f"Learned from {result.learned.flow.provenance.habit_episodes} recorded "
        f"sessions, measured on {result.audit.episodes} others. Of their "
        f"{result.headroom.turns} LLM turns, {result.headroom.share:.1%} lie inside "
        "runs of calls, beyond each run's first: about as much as a flow can save."
    )
    return Document(
        "What a flow saves at the demo shop",
        (
            opening,
            *run.parts,
            Heading("And when it is served?"),
            *_live(result.served),
            Heading("Does the flow know this agent?"),
            *fit.parts,
        ),
    )


def _live(served: Saved) -> tuple[Part, ...]:
    used = served.lookups - served.needless
    return (
        Prose(
            "The same customers turned to the same agent again, with the flow between "
            "the agent and the server. What the flow looked up stood in the results "
            "of the agent's own calls, and the agent did not ask for it again."
        ),
        Key(
            (
                (f"{served.share:.1%}", "of LLM turns saved"),
                (f"{served.turns:,}", f"turns instead of {served.turns_without:,}"),
                (f"{used:,} of {served.lookups:,}", "lookups the agent had use for"),
                (f"{served.needless:,}", "needless lookups"),
            )
        ),
        Prose(
            "A replay cannot know what a lookup would have found that the record does "
            "not have, nor what the flow would have looked up next. A server answers "
            "those too, so serving makes more lookups, and more of them needless."
        ),
    )
