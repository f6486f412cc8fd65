"""Where arguments come from, by the kind of call, and what users said before writes."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from stretto.evaluate.arguments import OriginRow
from stretto.evaluate.intervals import Share
from stretto.evaluate.phase0 import Phase0
from stretto.report.document import Heading, Part, Prose, table
from stretto.report.shares import percent


class Told(NamedTuple):
    """An origin's shares, of calls of one kind."""

    calls: str
    """What the calls are named in a table."""
    part: Share
    """Found as a part of any text."""
    whole: Share
    """Found as whole words."""


Kinds: TypeAlias = Sequence[Callable[[OriginRow], Told]]


def told_of(found: Phase0) -> Kinds:
    """
    Of which calls it is said, writes before reads.

    Calls that are known neither to write nor only to read are told of where no others
    had an argument: they are all there is where nobody said what the tools do.
    """
    first = found.origins[0]
    kinds: Sequence[Kinds] = ((_writes, _reads), (_others,))
    told = ([of for of in some if of(first).part.whole] for some in kinds)
    return next(filter(None, told), [])


def argument_parts(found: Phase0, names: dict[str, str]) -> Iterable[Part]:
    """The section on arguments."""
    yield Heading("Where arguments come from")
    if not (of := told_of(found)):
        yield Prose("No call had an argument.")
        return
    rows = [[kind(row) for kind in of] for row in found.origins]
    called = " and ".join(f"{t.calls} ({t.part.whole:,.0f})" for t in rows[0])
    yield Prose(
        f"The values in arguments of {called}, by where they stood before the turn of "
        "the call: as a part of any text, as the published shares have it, and as "
        "whole words. The first row is the sum of `both` and `tool output`."
    )
    heads = [head for t in rows[0] for head in (t.calls, f"{t.calls}, whole words")]
    yield table(
        ("origin", *heads),
        [
            (row.origin, *(percent(s) for t in told for s in (t.part, t.whole)))
            for row, told in zip(found.origins, rows, strict=True)
        ],
    )
    if found.confirmations[0].yes.whole:
        yield from _confirmations(found, names)


def _confirmations(found: Phase0, names: dict[str, str]) -> Iterable[Part]:
    yield Prose(
        "What the user had last said before a write: the word `yes`, or that or one of "
        "a few phrases. It is a list of words, and judges no single write."
    )
    yield table(
        ("agent", "writes", "yes", "assent"),
        [
            (names[c.agent], f"{c.yes.whole:,.0f}", percent(c.yes), percent(c.assent))
            for c in found.confirmations
        ],
    )


def _writes(row: OriginRow) -> Told:
    return Told("writes", row.writes, row.writes_whole)


def _reads(row: OriginRow) -> Told:
    return Told("reads", row.reads, row.reads_whole)


def _others(row: OriginRow) -> Told:
    return Told("all calls", row.others, row.others_whole)
