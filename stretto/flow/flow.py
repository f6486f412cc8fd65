"""
A flow: everything learned, as numbers a reviewer can read.

The fields carry the file's names, one to one; docs/reference/formats.md says what each
one holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from stretto.binding.sources import Bindings
from stretto.canonical import Json
from stretto.episodes.manifest import Manifest
from stretto.episodes.site import Site
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.backoff import Backoff, Habit
from stretto.habit.features import FeatureMap
from stretto.oracle.predicates import Predicate
from stretto.program.ast import Program

GROUP = 1
"""The habit's condition of every episode: a flow is goal free."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a flow came from."""

    stretto: str
    sources: tuple[str, ...]
    habit_episodes: int
    arbiter_cases: int
    compiled_unix_ms: int
    conventions: str | None = None
    """The span conventions its sessions used, when they were spans."""


class Feed(NamedTuple):
    """A write's argument that a lookup's results supplied."""

    write: str
    argument: str


@dataclass(frozen=True, slots=True)
class Sites:
    """The lookups a flow may make after each call."""

    reads: tuple[str, ...]
    next: Mapping[Site, Mapping[str, int]]
    feeds: Mapping[str, Mapping[Feed, int]] = field(default_factory=dict)
    every_read: bool = False


class SiteRate(NamedTuple):
    """The held-out decisions at a site."""

    decisions: float
    agreed: float
    covered: float


@dataclass(frozen=True, slots=True)
class Rates:
    """How often the oracle agreed with the agent, and the agent's step was on offer."""

    sites: Mapping[str, SiteRate]
    agree: float
    cover: float


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit of the arbiter."""

    weights: tuple[float, ...]
    rates: Rates
    draws: tuple[tuple[float, ...], ...] = ()
    """Weights from their posterior, averaged over in place of `weights`; often none."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a site's record has to reach before the flow may act there."""

    threshold: float = 0.3
    min_used: float = 0.7
    min_lower: float = 0.5
    min_tasks: int = 3
    before_write: bool = False
    """Whether a lookup counts as used only before the agent's next write."""
    by_task: bool = False
    """Whether the lower end over tasks, weighing the same, has to reach it too."""
    holm: bool = False
    """Whether the share has to be above it after Holm's correction over sites."""


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """A site's record in the sessions it was scored on."""

    decisions: int
    lookups: int
    used: int
    tasks: int
    lower: float
    promoted: bool


@dataclass(frozen=True, slots=True)
class Promotion:
    """Where a flow may act. A site it does not list may not."""

    bar: Bar
    sites: Mapping[str, SiteRecord]


@dataclass(frozen=True, slots=True)
class Surprise:
    """When a session has become too unlike the ones learned from."""

    window: int
    threshold: float
    """In nats: the largest mean surprise of `window` steps in a row."""
    quantile: float | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """A compiled, read-only continuation of an agent's calls."""

    provenance: Provenance
    vocab: Vocabulary
    manifest: Manifest
    map: FeatureMap
    habit: Habit
    sites: Sites
    bindings: Bindings
    program: Program
    group: int = GROUP
    predicates: tuple[Predicate, ...] = ()
    weighed: tuple[Predicate, ...] = ()
    folds: tuple[Fit, ...] = ()
    model: str = ""
    promoted: Promotion | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    contracts: Mapping[str, str] = field(default_factory=dict)
    reach: Backoff | None = None
    surprise: Surprise | None = None
    has_program: bool = True
    """False for a file that leaves the program out, and so runs the standard one."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Optional fields this build does not know, kept as they were read."""
