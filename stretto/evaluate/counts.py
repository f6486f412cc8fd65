"""
What a replay counts, packed into one integer so that walks add it up in one go.

Each count has eight bits, and none can outgrow them: an episode takes part with at most
60 calls, 40 of them lookups (`stretto.evaluate.walk`), and no call is skipped, asked
after or looked up more often than that.
"""

BITS = 8
"""The bits of each count."""

NAMES = (
    "turns_saved",
    "used_next",
    "used_later",
    "lookups",
    "queries",
    "unanswered",
    "unrecorded",
    "not_in_record",
)
"""The counts, from the lowest bits up; each is a field of `Row`."""

(
    TURN_SAVED,
    USED_NEXT,
    USED_LATER,
    LOOKUP,
    QUERY,
    UNANSWERED,
    UNRECORDED,
    NOT_IN_RECORD,
) = (1 << BITS * place for place in range(len(NAMES)))
"""One of each."""


def count(packed: int, one: int) -> int:
    """How many of a kind were counted."""
    return packed // one & (1 << BITS) - 1


def unpacked(packed: int) -> dict[str, int]:
    """Every count by name."""
    return {
        name: packed >> BITS * place & (1 << BITS) - 1
        for place, name in enumerate(NAMES)
    }
