"""Where a flow's arguments come from, and how often they are the agent's own."""

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from stretto.binding.chance import chance
from stretto.binding.pick import Mention, Pick
from stretto.binding.sources import (
    MIN_AT_SITE,
    Agreement,
    Bindings,
    Found,
    Picks,
    Source,
    Tally,
    rules,
)
from stretto.canonical import Json
from stretto.flow.flow import Flow
from stretto.flow.review.sites import expected

SAID: Mapping[Mention, str] = {
    Mention.PICKED: "named it",
    Mention.NONE: "named none",
    Mention.OTHER: "named another",
    Mention.DESCRIBED: "described one read",
}
"""What the user has said of a pick, in two words or three."""


class SourceReview(NamedTuple):
    """A place that supplied an argument's values."""

    source: Source
    values: int
    is_used: bool
    """Whether it supplied enough of them to be bound from."""


class ArgumentReview(NamedTuple):
    """An argument of a lookup."""

    argument: str
    passed: int
    """The calls that passed it."""
    is_required: bool
    takes_lists: bool
    values: int
    """The values it took that could have had a source."""
    sources: tuple[SourceReview, ...]
    """The most frequent first."""
    has_constant: bool

    @property
    def is_missing(self) -> bool:
        """Whether it is required and has nowhere to come from."""
        used = any(source.is_used for source in self.sources)
        return self.is_required and not used and not self.has_constant


class BindingReview(NamedTuple):
    """A lookup's arguments."""

    tool: str
    calls: int
    chance: float | None
    """That a binding's arguments are the agent's; None where none binds."""
    chances: Mapping[Mention, float]
    """The same, by what the user has said; empty where it takes no arguments."""
    agreed: Agreement
    named_other: Picks | None
    described_read: Picks | None
    bare: int | None
    arguments: tuple[ArgumentReview, ...]

    @property
    def pooled(self) -> Tally:
        """The agreement, whatever the user had mentioned."""
        first, second = self.agreed
        return Tally(first.agreed + second.agreed, first.calls + second.calls)


class ConstantReview(NamedTuple):
    """The one value that an argument is always passed."""

    tool: str
    argument: str
    value: Json


class OrderReview(NamedTuple):
    """The sources that the agent's values of an argument came from at one site."""

    tool: str
    argument: str
    site: str
    sources: tuple[SourceReview, ...]
    """The most frequent first."""
    is_used: bool
    """Whether there are enough values for the binding to follow this order."""


def review_bindings(flow: Flow) -> tuple[BindingReview, ...]:
    """The lookups that training called, sorted."""
    return tuple(_binding(flow, tool) for tool in sorted(flow.bindings.args))


def review_constants(bindings: Bindings) -> tuple[ConstantReview, ...]:
    """The constants, sorted by lookup and argument."""
    return tuple(
        ConstantReview(*key, bindings.constants[key])
        for key in sorted(bindings.constants)
    )


def review_orders(bindings: Bindings) -> tuple[OrderReview, ...]:
    """The orders of sources by site, sorted by lookup, argument and site."""
    counts: dict[tuple[str, str, str], dict[Source, int]] = {}
    for (tool, argument, site, source), values in bindings.site_sources.items():
        counts.setdefault((tool, argument, site), {})[source] = values
    return tuple(_order(bindings, key, counts[key]) for key in sorted(counts))


def _binding(flow: Flow, tool: str) -> BindingReview:
    bindings = flow.bindings
    counts = bindings.args[tool]
    bound = expected(flow, tool)
    named = {argument for name, argument in bindings.constants if name == tool}
    return BindingReview(
        tool,
        counts.calls,
        None if isinstance(bound, str) else bound.chance,
        {}
        if isinstance(bound, str)
        else _chances(bindings, tool, (*counts.required(), *named)),
        bindings.agreed.get(tool, Agreement()),
        bindings.named_other.get(tool),
        bindings.described_read.get(tool),
        bindings.bare.get(tool),
        tuple(
            _argument(bindings, tool, argument)
            for argument in sorted({*counts.args, *named})
        ),
    )


def _chances(
    bindings: Bindings, tool: str, passed: Iterable[str]
) -> dict[Mention, float]:
    arguments: dict[str, Json] = dict.fromkeys(passed)
    if not arguments:
        return {}
    return {m: chance(bindings, tool, Pick(arguments, m)) for m in Mention}


def _argument(bindings: Bindings, tool: str, argument: str) -> ArgumentReview:
    key = (tool, argument)
    counts = bindings.args[tool]
    lists = bindings.lists.get(key)
    found = lists or bindings.sources.get(key) or Found(0, {})
    used = {rule.source for rule in rules(bindings, tool, argument)}
    return ArgumentReview(
        argument,
        counts.args.get(argument, 0),
        argument in counts.required(),
        lists is not None,
        found.values,
        _most_first(found.found, used),
        key in bindings.constants,
    )


def _order(
    bindings: Bindings, key: tuple[str, str, str], counts: dict[Source, int]
) -> OrderReview:
    tool, argument, site = key
    used = {rule.source for rule in rules(bindings, tool, argument)}
    enough = sum(n for source, n in counts.items() if source in used) >= MIN_AT_SITE
    return OrderReview(tool, argument, site, _most_first(counts, used), enough)


def _most_first(
    counts: Mapping[Source, int], used: Container[Source]
) -> tuple[SourceReview, ...]:
    return tuple(
        SourceReview(source, n, source in used)
        for source, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
