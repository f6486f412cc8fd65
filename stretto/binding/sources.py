"""
Where a lookup's arguments came from in training: the counts a flow file keeps, and the
rules that follow from them.

The fields of `Bindings` carry the file's names, one to one. Shares are exact: a source
or a requirement is in at the share itself, never a rounding below it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stretto.canonical import Json

MIN_FOUND = 2
"""The values a source has to have supplied before it is used."""

MIN_AT_SITE = 5
"""The values a site has to have seen before it orders an argument's sources."""

Argument: TypeAlias = tuple[str, str]
"""A lookup, and the name of one of its arguments."""


class Source(NamedTuple):
    """A place in a tool's output, as `$.orders[*]` of `get_user`."""

    tool: str
    path: str


@dataclass(frozen=True, slots=True)
class ArgCounts:
    """How often a lookup was called, and how many of its calls passed each argument."""

    calls: int
    args: Mapping[str, int]

    def required(self) -> tuple[str, ...]:
        """The arguments passed in at least 90% of the calls, sorted."""
        return tuple(
            sorted(a for a, n in self.args.items() if 10 * n >= 9 * self.calls)
        )


class Rule(NamedTuple):
    """A source a binding uses, and how many values it supplied in training."""

    source: Source
    found: int


@dataclass(frozen=True, slots=True)
class Found:
    """How many values an argument took, and how many each source supplied."""

    values: int
    found: Mapping[Source, int]

    def rules(self) -> tuple[Rule, ...]:
        """The sources that supplied two values and 10% of them, sorted."""
        return tuple(
            Rule(source, n)
            for source, n in sorted(self.found.items())
            if n >= MIN_FOUND and 10 * n >= self.values
        )


class Tally(NamedTuple):
    """Of the agent's own calls, those a binding would have made word for word."""

    agreed: int = 0
    calls: int = 0


class Agreement(NamedTuple):
    """A lookup's tallies, by whether the user had mentioned what was picked."""

    unmentioned: Tally = Tally()
    mentioned: Tally = Tally()


class Picks(NamedTuple):
    """Of the distinct picks a binding would have made, those the agent made later."""

    used: int = 0
    picks: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """How one required argument is filled when it has no constant."""

    argument: str
    sources: tuple[Source, ...]
    """Those the rules allow, sorted."""
    takes_lists: bool
    takes_strings: bool
    paths: Mapping[str, tuple[str, ...]]
    """Of the sources, by the tool whose output they lead into."""
    by_site: Mapping[str, tuple[Source, ...]]
    """The order of the sources at the sites that have one of their own."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a lookup's arguments are filled."""

    required: tuple[str, ...]
    constants: Mapping[str, Json]
    """Of required and of optional arguments."""
    slots: tuple[Slot, ...]
    """The required arguments without a constant, sorted."""

    @property
    def can_bind(self) -> bool:
        """Whether every slot has a source."""
        return all(slot.sources for slot in self.slots)


_BySite: TypeAlias = dict[str, dict[Source, int]]
"""By site, the values each source supplied there."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """What training says about the arguments of every lookup the agent made."""

    args: Mapping[str, ArgCounts]
    sources: Mapping[Argument, Found]
    """Of arguments that took strings."""
    agreed: Mapping[str, Agreement]
    named_other: Mapping[str, Picks] = field(default_factory=dict)
    """Picks of a record other than one the user had named."""
    described_read: Mapping[str, Picks] = field(default_factory=dict)
    """Picks made after the record the user described had been read."""
    lists: Mapping[Argument, Found] = field(default_factory=dict)
    """Of arguments that took lists of strings."""
    bare: Mapping[str, int] = field(default_factory=dict)
    """Calls without arguments, of lookups that require none and sometimes take some."""
    constants: Mapping[Argument, Json] = field(default_factory=dict)
    site_sources: Mapping[tuple[str, str, str, Source], int] = field(
        default_factory=dict
    )
    """By lookup, argument, site (the tool whose result came last) and source."""
    _recipes: Mapping[str, Recipe] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_site: dict[Argument, _BySite] = {}
        for (tool, argument, site, source), n in self.site_sources.items():
            sites = by_site.setdefault((tool, argument), {})
            sites.setdefault(site, {})[source] = n
        constants: dict[str, dict[str, Json]] = {}
        for (tool, argument), value in self.constants.items():
            constants.setdefault(tool, {})[argument] = value
        recipes = {
            tool: self._recipe(tool, constants.get(tool, {}), by_site)
            for tool in self.args
        }
        object.__setattr__(self, "_recipes", recipes)

    def recipe(self, tool: str) -> Recipe | None:
        """How a lookup's arguments are filled; None if training never called it."""
        return self._recipes.get(tool)

    def _recipe(
        self,
        tool: str,
        constants: Mapping[str, Json],
        by_site: Mapping[Argument, _BySite],
    ) -> Recipe:
        required = self.args[tool].required()
        slots = (
            self._slot(tool, argument, by_site.get((tool, argument), {}))
            for argument in required
            if argument not in constants
        )
        return Recipe(required, constants, tuple(slots))

    def _slot(self, tool: str, argument: str, by_site: _BySite) -> Slot:
        sources = tuple(rule.source for rule in rules(self, tool, argument))
        return Slot(
            argument,
            sources,
            (tool, argument) in self.lists,
            (tool, argument) in self.sources,
            _by_tool(sources),
            _site_orders(sources, by_site),
        )


def required(bindings: Bindings, tool: str) -> list[str]:
    """The arguments a lookup is never made without, sorted."""
    recipe = bindings.recipe(tool)
    return [] if recipe is None else list(recipe.required)


def rules(bindings: Bindings, tool: str, argument: str) -> list[Rule]:
    """The sources an argument is taken from, sorted; of lists if it took any."""
    key = tool, argument
    found = bindings.lists.get(key) or bindings.sources.get(key)
    return [] if found is None else list(found.rules())


def _site_orders(
    sources: Sequence[Source], by_site: _BySite
) -> dict[str, tuple[Source, ...]]:
    """The sources by their counts, at each site that has seen enough of them."""
    return {
        site: tuple(sorted(sources, key=lambda source: -counts.get(source, 0)))
        for site, counts in by_site.items()
        if sum(counts.get(source, 0) for source in sources) >= MIN_AT_SITE
    }


def _by_tool(sources: Iterable[Source]) -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for tool, path in sources:
        paths[tool] = (*paths.get(tool, ()), path)
    return paths
