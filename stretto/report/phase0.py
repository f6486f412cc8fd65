"""Phase 0: what sessions say about an agent before a flow is compiled from them."""

from collections.abc import Iterable

from stretto.counted import counted
from stretto.episodes.manifest import Kind
from stretto.evaluate.anatomy import TurnKind
from stretto.evaluate.foresight import Foresight
from stretto.evaluate.intervals import Share
from stretto.evaluate.lesson import ORDER
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.projection import Design, Scenario
from stretto.evaluate.transfer import POOLED
from stretto.learn.opinions import Opinions
from stretto.report.document import Document, Figure, Heading, Key, Part, Prose, table
from stretto.report.drawing import Drawing
from stretto.report.naming import short_names
from stretto.report.opinions import opinion_parts
from stretto.report.phase0_arguments import argument_parts, told_of
from stretto.report.phase0_foresight import foresight_parts, transfer_parts
from stretto.report.phase0_outlook import outlook_parts
from stretto.report.phase0_sites import site_parts
from stretto.report.shares import mean, percent

INTERVALS = (
    "In brackets stands the 95% interval over tasks, drawn with replacement; sessions "
    "of one task stay together."
)


def phase0_document(
    found: Phase0, draw: Drawing | None = None, opinions: Opinions | None = None
) -> Document:
    """
    The measures of one domain, with figures where they can be drawn.

    Args:
        opinions: What a System-One model answered, where one was asked.
    """
    names = {POOLED: POOLED, **short_names(a.agent for a in found.agents)}
    parts: list[Part] = [_key(found), Prose(_head(found)), Prose(INTERVALS)]
    parts += _agents(found, names, draw)
    parts += _anatomy(found, names)
    foresight = found.foresight
    if foresight is None:
        parts.append(Prose(_nothing(found)))
    else:
        parts += foresight_parts(foresight, found.vocab, draw)
        parts += site_parts(foresight, names)
        parts += outlook_parts(found, names, asked=opinions is not None)
        if opinions is not None:
            parts += opinion_parts(opinions, names)
        parts += transfer_parts(foresight, names, draw)
    parts += _runs(found)
    parts += argument_parts(found, names)
    return Document(f"Phase 0: {found.domain or 'unnamed'}", tuple(parts))


def _key(found: Phase0) -> Key:
    """What there is of: headroom, savings at best, provenance, and foresight."""
    pooled, of = found.agents[0], told_of(found)
    values = [
        (f"{pooled.headroom.value:.1%}", "of LLM turns one call a run would leave out")
    ]
    if found.foresight is not None and found.tools.get(Kind.READ):
        ceiling = f"{_read_only_ceiling(found).value:.1%}"
        values.append((ceiling, "of held-out turns a flow could save at best"))
    if of:
        name, share, _ = of[0](found.origins[0])
        what = f"of the values in arguments of {name} stand in a tool's output"
        values.append((f"{share.value:.1%}", what))
    if found.foresight is not None:
        top1 = found.foresight.orders[ORDER].top1
        values.append((f"{top1.value:.1%}", "of held-out steps foretold"))
    return Key(tuple(values))


def _read_only_ceiling(found: Phase0) -> Share:
    """What a flow that only reads would save with a perfect oracle."""
    [row] = [
        row
        for row in found.outlook
        if row.agent == POOLED
        and row.design is Design.READ_ONLY
        and row.scenario is Scenario.PERFECT
        and row.gate == "validated"
    ]
    return row.turns


def _head(found: Phase0) -> str:
    tools = ", ".join(f"{found.tools.get(kind, 0)} {kind}" for kind in Kind)
    text = (
        f"{counted(found.episodes, 'session')}. Habits are learned from "
        f"{counted(found.train_episodes, 'successful session')} of "
        f"{counted(found.train_tasks, 'task')} and measured on "
        f"{counted(found.test_episodes, 'session')} of "
        f"{counted(found.test_tasks, 'other')}, failed ones too. Tools: {tools}. "
    )
    if found.foresight is not None:
        text += f"{_alpha(found.foresight)} "
    if found.on_trust:
        text += (
            f"Nobody graded {found.on_trust:,} of the sessions, which count as "
            "successful. "
        )
    if found.unlisted:
        text += (
            f"Not in the manifest, and so neither reads nor writes: "
            f"{', '.join(found.unlisted)}. "
        )
    return text.strip()


def _alpha(foresight: Foresight) -> str:
    posterior = foresight.concentration
    if posterior is None:
        return f"The concentration α is {foresight.alpha:g}, as given."
    return (
        f"The concentration α is {posterior.median:.3f} "
        f"[{posterior.low:.3f}, {posterior.high:.3f}], the posterior's median and "
        "its central 90%."
    )


def _nothing(found: Phase0) -> str:
    return (
        f"With {counted(found.train_episodes, 'session')} to learn from and "
        f"{found.test_episodes:,} to measure, nothing can be foretold."
    )


def _agents(
    found: Phase0, names: dict[str, str], draw: Drawing | None
) -> Iterable[Part]:
    yield Heading("Agents and their runs")
    yield Prose(
        "A run is a stretch of turns with calls, with nothing said in between. "
        "Headroom is the share of LLM turns that would go if each run were one call."
    )
    if draw is not None:
        bars = [
            (_called(names[a.agent], a.is_target), a.headroom.value,
             *(a.headroom.interval or (a.headroom.value,) * 2))
            for a in found.agents
        ]  # fmt: skip
        drawn = draw.shares_by_name(bars, "headroom, % of LLM turns")
        yield Figure(drawn, "Headroom by agent, with 95% intervals over tasks.")
    yield table(
        ("agent", "sessions", "tasks", "succeeded", "turns", "calls", "writes",
         "parallel", "headroom"),
        [
            (
                _called(names[a.agent], a.is_target), a.episodes, a.tasks,
                percent(a.succeeded, 0), mean(a.turns, 1), mean(a.calls, 1),
                mean(a.writes) if _is_told(found) else "–",
                percent(a.parallel, 0), percent(a.headroom),
            )
            for a in found.agents
        ],
    )  # fmt: skip
    yield Prose(
        "Turns, calls and writes are of a session; parallel is the share of turns with "
        "calls that have two or more."
    )
    yield from _lookups(found, names)
    if empty := sum(a.empty for a in found.agents if a.agent != POOLED):
        yield Prose(f"{empty:,} of the sessions had no LLM turn.")


def _lookups(found: Phase0, names: dict[str, str]) -> Iterable[Part]:
    if not _is_told(found):
        yield Prose(
            "No tool is known to write or only to read, so lookups and writes among "
            "them cannot be told; `--manifest FILE` says which do."
        )
        return
    yield Prose(
        "Of all LLM turns, these are later turns of a run that only look something up, "
        "by where the arguments come from, and turns that bundling assented writes "
        "would leave out:"
    )
    yield table(
        ("agent", "from outputs", "from the conversation", "bundled writes"),
        [
            (_called(names[a.agent], a.is_target), percent(a.from_outputs),
             percent(a.from_conversation), percent(a.bundled))
            for a in found.agents
        ],
    )  # fmt: skip


def _is_told(found: Phase0) -> bool:
    """Whether any tool is known to write, or only to read."""
    return bool(found.tools.get(Kind.READ) or found.tools.get(Kind.WRITE))


def _anatomy(found: Phase0, names: dict[str, str]) -> Iterable[Part]:
    yield Heading("What turns are for")
    yield Prose(
        "A turn is a reply; or its calls answer the user, as the first of a run; or it "
        "follows a tool. What follows a tool and only reads is the skeleton that flows "
        "can be compiled from; the first two, language, are not."
    )
    untold = set() if _is_told(found) else {TurnKind.READS, TurnKind.WRITES}
    yield table(
        ("agent", *TurnKind, "language"),
        [
            (
                _called(names[a.agent], a.is_target),
                *("–" if kind in untold else percent(a.kinds[kind])
                  for kind in TurnKind),
                percent(a.language),
            )
            for a in found.anatomy
        ],
    )  # fmt: skip


def _called(name: str, is_target: bool) -> str:
    return f"{name} (target)" if is_target else name


def _runs(found: Phase0) -> Iterable[Part]:
    if found.runs:
        yield Heading("The most common runs")
        rows = [(name, n) for name, n in found.runs]
        yield table(("run", "in the sessions learned from"), rows)
