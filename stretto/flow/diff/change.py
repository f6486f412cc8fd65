"""
The kinds of change between two flows.

What widens what a flow may send needs eyes; what narrows it does not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from stretto.canonical import Json

K = TypeVar("K")
V = TypeVar("V")


class NeedsReview(StrEnum):
    """The changes that may widen what a flow sends."""

    TOOL_READ = "tool_read"
    PROGRAM_CHANGED = "program_changed"
    EVERY_READ_ON = "every_read_on"
    DECIDER_CHANGED = "decider_changed"
    LOOKUP_ADDED = "lookup_added"
    LOOKUP_BINDS = "lookup_binds"
    SITE_ACTS = "site_acts"
    THRESHOLD_LOWERED = "threshold_lowered"
    SWITCHED_ON = "switched_on"
    SITE_PROMOTED = "site_promoted"
    PROMOTION_LIFTED = "promotion_lifted"
    SURPRISE_LIFTED = "surprise_lifted"
    SURPRISE_LOOSENED = "surprise_loosened"
    ARGUMENT_ADDED = "argument_added"
    SOURCE_ADDED = "source_added"
    CONSTANT_ADDED = "constant_added"
    CONSTANT_CHANGED = "constant_changed"
    CONTRACT_CHANGED = "contract_changed"
    CONTRACT_REMOVED = "contract_removed"
    MODEL_CHANGED = "model_changed"
    PREDICATE_ADDED = "predicate_added"
    PREDICATE_CHANGED = "predicate_changed"
    ARBITER_ADDED = "arbiter_added"
    ARBITER_CHANGED = "arbiter_changed"
    UNKNOWN_FIELD = "unknown_field"


class Listed(StrEnum):
    """The changes that do not."""

    DOMAIN_CHANGED = "domain_changed"
    TOOL_ADDED = "tool_added"
    TOOL_REMOVED = "tool_removed"
    TOOL_NOT_READ = "tool_not_read"
    EVERY_READ_OFF = "every_read_off"
    LOOKUP_REMOVED = "lookup_removed"
    LOOKUP_UNBOUND = "lookup_unbound"
    SITE_STOPS = "site_stops"
    SHARE_MOVED = "share_moved"
    CHANCE_MOVED = "chance_moved"
    THRESHOLD_RAISED = "threshold_raised"
    SWITCHED_OFF = "switched_off"
    PROMOTION_ADDED = "promotion_added"
    SITE_DEMOTED = "site_demoted"
    SURPRISE_ADDED = "surprise_added"
    SURPRISE_TIGHTENED = "surprise_tightened"
    ARGUMENT_REMOVED = "argument_removed"
    SOURCE_REMOVED = "source_removed"
    SOURCE_ORDER = "source_order"
    CONSTANT_REMOVED = "constant_removed"
    CONTRACT_ADDED = "contract_added"
    MODEL_REMOVED = "model_removed"
    PREDICATE_REMOVED = "predicate_removed"
    ARBITER_REMOVED = "arbiter_removed"
    FEATURES_CHANGED = "features_changed"
    FEEDS_CHANGED = "feeds_changed"


Code: TypeAlias = NeedsReview | Listed


@dataclass(frozen=True, slots=True)
class Change:
    """One change."""

    code: Code
    subject: str
    """A tool, a site, an argument or a field."""
    text: str
    before: Json = None
    """What stood there, where a value or a name did."""
    after: Json = None

    @property
    def needs_review(self) -> bool:
        """Whether a reviewer has to look at it."""
        return isinstance(self.code, NeedsReview)


def keyed(
    before: Mapping[K, V],
    after: Mapping[K, V],
    change: Callable[[K, V | None, V | None], Change | None],
) -> Iterator[Change]:
    """The changes at every key of two maps, sorted by key; None where one lacks it."""
    for key in sorted({*before, *after}, key=str):
        old, new = before.get(key), after.get(key)
        found = change(key, old, new) if old != new else None
        if found is not None:
            yield found
