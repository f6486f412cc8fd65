"""The part of phase 0 about savings: what flows could come to, and what tokens cost."""

from collections.abc import Iterable, Mapping

from stretto.episodes.manifest import Kind
from stretto.evaluate.outlook import OutlookRow
from stretto.evaluate.phase0 import Phase0
from stretto.evaluate.projection import Design
from stretto.evaluate.transfer import POOLED
from stretto.report.document import Heading, Part, Prose, table
from stretto.report.shares import percent

RISK = 0.01
"""The most sessions that may hold a call the agent did not make."""

WORTH = 0.2
"""The turns that have to go for a flow to be worth its while."""

_ALLOWED = {Design.READ_ONLY: "what only reads", Design.ANY_TOOL: "any tool"}

ORACLE_MISSING = (
    "What an oracle that is sometimes wrong would add (its answers trusted above a "
    "threshold, confirmed by the habit, weighed by an arbiter, or taken for the "
    "likeliest lookup) is not projected: none was named with `--oracle NAME`."
)


def outlook_parts(
    found: Phase0, names: Mapping[str, str], *, asked: bool = False
) -> Iterable[Part]:
    """
    What flows would save of the held-out sessions.

    Args:
        asked: Whether a part about an oracle's answers follows.
    """
    yield Heading("What a flow would save")
    if not found.tools.get(Kind.READ):
        yield Prose(
            "No tool is known to only read, and a flow calls no other; "
            "`--manifest FILE` says which do."
        )
        return
    yield Prose(
        "A flow stands behind the first call of each run and makes the run's other "
        "calls while the habit's gate is open: at a probability, given enough "
        "evidence, or in the contexts that held up. Where it is shut, nobody decides, "
        "or an oracle that is always right, also about an argument that is one of a "
        "few values. A pause leaves the agent one turn; an argument that has to be "
        "written is a pause. The habit sees fields of results, and no intent. "
        "A flow that only reads hands every other call back."
    )
    pooled = [row for row in found.outlook if row.agent == POOLED]
    for design, odd in (
        (Design.READ_ONLY, "with a detour"),
        (Design.ANY_TOOL, "with a wrong call"),
    ):
        yield Prose(f"A flow that may call {_ALLOWED[design]}:")
        yield table(
            ("decided by", "gate", "turns saved", "prompt tokens", "at bytes/4",
             "dollars", odd, "gate met"),
            [_row(row) for row in pooled if row.design is design],
            text=2,
        )  # fmt: skip
    ceiling = percent(pooled[0].ceiling)
    yield Prose(
        f"One call for each run would save {ceiling} of these sessions' turns. "
        "A detour is a lookup the agent did not make, a wrong call any other; both are "
        "counted in sessions. "
        "Prompt tokens charge each detour what a lookup is fitted to add; beside it "
        "they charge a quarter of its bytes, as published. "
        f"The gate is met at {WORTH:.0%} fewer turns with a wrong call in no more than "
        f"{RISK:.0%} of the sessions." + ("" if asked else f" {ORACLE_MISSING}")
    )
    yield Heading("Where the flow pauses")
    yield table(
        ("may call", "decided by", "gate", "hands back", "stops early", "undecided",
         "argument"),
        [
            (row.design, row.scenario, row.gate, row.handed_back, row.stopped,
             row.unsure, row.arguments)
            for row in pooled
        ],
        text=3,
    )  # fmt: skip
    yield Heading("What a perfect oracle would save of each agent")
    yield table(
        ("agent", "may call", "turns saved", "ceiling", "prompt tokens", "dollars"),
        [
            (names[row.agent], row.design, percent(row.turns), percent(row.ceiling),
             percent(row.prompt), percent(row.dollars))
            for row in found.outlook
            if row.agent != POOLED
        ],
        text=2,
    )  # fmt: skip
    yield from _costs(found, names)


def is_worth_it(row: OutlookRow) -> bool:
    """Whether a flow saves enough turns, and risks little enough, to be built."""
    return row.turns.value >= WORTH and row.with_wrong.value <= RISK


def _row(row: OutlookRow) -> tuple[str, ...]:
    odd = row.with_detour if row.design is Design.READ_ONLY else row.with_wrong
    return (
        row.scenario,
        row.gate,
        percent(row.turns),
        percent(row.prompt),
        percent(row.prompt_by_bytes),
        percent(row.dollars),
        percent(odd),
        "yes" if is_worth_it(row) else "no",
    )


def _costs(found: Phase0, names: Mapping[str, str]) -> Iterable[Part]:
    tokens = found.tokens
    fitted = (
        "the sessions recorded no usage to fit its tokens from"
        if tokens.fitted is None
        else f"{tokens.fitted:.0f} by the tokens that prompts grew by for each "
        "character of a successful one, which is what is charged above"
    )
    yield Heading("What tokens cost")
    yield Prose(
        f"The result of a lookup is {tokens.by_bytes:.0f} tokens at four bytes each, "
        f"failed ones included, as published; {fitted}."
    )
    priced = [(name, p) for name, p in found.prices.items() if p.prompt or p.completion]
    if priced:
        yield Prose("Prices, fitted from the recorded costs without an intercept:")
        yield table(
            ("agent", "$ a million prompt tokens", "$ a million completion tokens"),
            [
                (names[name], f"{1e6 * p.prompt:.3f}", f"{1e6 * p.completion:.3f}")
                for name, p in priced
            ],
        )
