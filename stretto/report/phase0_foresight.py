"""The part of phase 0 about foretelling steps: order, coverage, position, transfer."""

from collections.abc import Iterable, Mapping

from stretto.episodes.vocabulary import Vocabulary
from stretto.evaluate.forecast import MIN_EVIDENCE
from stretto.evaluate.foresight import ORDERS, POSITION_THRESHOLD, Foresight
from stretto.evaluate.transfer import OWN, POOLED
from stretto.report.document import Figure, Heading, Part, Prose, table
from stretto.report.drawing import Drawing
from stretto.report.naming import action_name, context_name
from stretto.report.shares import mean, percent


def foresight_parts(
    found: Foresight, vocab: Vocabulary, draw: Drawing | None
) -> Iterable[Part]:
    """Every table of prediction but the transfer matrix."""
    yield from _orders(found, draw)
    yield from _coverage(found, draw)
    yield from _positions(found)
    yield from _variants(found)
    yield from _validated(found, vocab)


def transfer_parts(
    found: Foresight, names: Mapping[str, str], draw: Drawing | None
) -> Iterable[Part]:
    """Whose habit foretells whose steps."""
    transfer = found.transfer
    called = {POOLED: "all learned from", OWN: OWN}
    rows = [called.get(habit, names.get(habit, habit)) for habit in transfer.habits]
    columns = [names.get(agent, agent) for agent in transfer.agents]
    yield Heading("Does a habit carry to another agent?")
    yield Prose(
        "The share of held-out steps whose likeliest action was done, by the habit of "
        "the row for the sessions of the column. Every habit has the concentration of "
        "the report's head."
    )
    if draw is not None:
        cells = [
            [None if cell is None else cell.value for cell in row]
            for row in transfer.top1
        ]
        drawn = draw.heat_map(rows, columns, cells)
        yield Figure(drawn, "First guesses that are right, in percent.")
    yield table(
        ("habit of", *columns),
        [
            (row, *("–" if cell is None else percent(cell) for cell in cells_))
            for row, cells_ in zip(rows, transfer.top1, strict=True)
        ],
    )


def _orders(found: Foresight, draw: Drawing | None) -> Iterable[Part]:
    yield Heading("How far the next action can be foretold")
    yield Prose(
        "Bits are the mean surprise at what was done, in held-out sessions; first "
        "guesses count where the likeliest action was done."
    )
    if draw is not None:
        points = [
            (order, fit.bits.value, fit.top1.value)
            for order, fit in zip(ORDERS, found.orders, strict=True)
        ]
        drawn = draw.by_order(points)
        yield Figure(drawn, "What each further step of history adds.")
    yield table(
        ("steps of history", "bits a step", "first guess right"),
        [
            (order, mean(fit.bits), percent(fit.top1))
            for order, fit in zip(ORDERS, found.orders, strict=True)
        ],
        text=0,
    )


def _coverage(found: Foresight, draw: Drawing | None) -> Iterable[Part]:
    yield Heading("How often the habit is sure")
    yield Prose(
        f"A step is covered where its context was seen {MIN_EVIDENCE} times or more "
        "and the likeliest action has at least the threshold's probability. "
        "Two steps of history."
    )
    if draw is not None:
        points = [
            (r.threshold, r.coverage.value, r.agreement.value) for r in found.reliance
        ]
        yield Figure(draw.coverage(points), "The price of being sure.")
    yield table(
        ("threshold", "steps covered", "of those, agreed"),
        [
            (f"{r.threshold:g}", percent(r.coverage), percent(r.agreement))
            for r in found.reliance
        ],
        text=0,
    )


def _positions(found: Foresight) -> Iterable[Part]:
    yield Heading("After the user, and after a tool")
    at = f"{POSITION_THRESHOLD:g}"
    yield table(
        ("position", "of steps", "bits a step", "first guess right",
         f"covered at {at}", "of those, agreed"),
        [
            (
                p.position, percent(p.share), mean(p.fit.bits), percent(p.fit.top1),
                percent(p.reliance.coverage), percent(p.reliance.agreement),
            )
            for p in found.positions
        ],
    )  # fmt: skip


def _variants(found: Foresight) -> Iterable[Part]:
    if len(found.variants) < 2:
        return
    yield Heading("What results and intent add")
    yield Prose(_selected(found))
    at = f"{POSITION_THRESHOLD:g}"
    yield table(
        ("the habit sees", "α", "bits a step", "first guess right",
         f"after a tool, covered at {at}", "of those, agreed"),
        [
            (
                v.variant, f"{v.alpha:.3f}", mean(v.fit.bits), percent(v.fit.top1),
                percent(v.after_tool.coverage), percent(v.after_tool.agreement),
            )
            for v in found.variants
        ],
    )  # fmt: skip


def _selected(found: Foresight) -> str:
    if found.selection is None or not found.selection.chosen:
        fields = "No field of a result sharpens the habit by 5 nats or more"
    else:
        fields = "Fields of results that sharpen it: " + ", ".join(
            f"{c.candidate.tool} {c.candidate.field.kind}({c.candidate.field.path}) "
            f"+{c.gain:.1f} nats"
            for c in found.selection.chosen
        )
    n = 0 if found.selection is None else found.selection.n_candidates
    return (
        f"{fields}, of {n} looked at. The intent is the set of writes a session goes "
        "on to make, which nobody knows while it runs."
    )


def _validated(found: Foresight, vocab: Vocabulary) -> Iterable[Part]:
    yield Heading("Contexts that held up")
    yield Prose(
        "Contexts whose likeliest action agreed in 99% of 20 decisions or more, from "
        "ten tasks or more, each decision foretold by the other folds' tasks."
    )
    if not found.validated:
        yield Prose("There is none.")
        return
    yield table(
        ("context", "then", "decisions", "agreed", "tasks", "held out", "agreed there"),
        [
            (
                context_name(v.context, vocab), action_name(v.action, vocab),
                f"{v.agreed.whole:,.0f}", percent(v.agreed), v.tasks,
                f"{v.held_out.whole:,.0f}", percent(v.held_out),
            )
            for v in found.validated
        ],
        text=2,
    )  # fmt: skip
