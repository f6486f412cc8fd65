"""What about a flow a reviewer should not miss."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from stretto.flow.flow import Flow
from stretto.flow.review.bindings import BindingReview
from stretto.flow.review.sites import SiteReview
from stretto.program.standard import STANDARD

THIN = 2
"""A lookup seen at most this often at a site is a thin basis."""

FEW_EPISODES = 5
"""A habit of fewer successful sessions than this is a thin basis."""

FEW_CASES = 20
"""An arbiter fitted on fewer decisions has done worse than none."""

_WRITES = re.compile(
    "add|apply|approve|assign|book|buy|cancel|change|charge|close|commit|create|delete|"
    "deploy|disable|drop|edit|enable|exchange|execute|insert|install|invite|merge|"
    "modify|move|patch|pay|place|post|publish|purchase|put|refund|register|reject|"
    "remove|rename|replace|reset|restart|return|revoke|save|schedule|send|set|start|"
    "stop|submit|toggle|transfer|unsubscribe|update|upload|write"
)
"""The words that the names of writes begin with."""


class Concern(StrEnum):
    """The codes of cautions, as `--json` carries them."""

    READ_LIKE_WRITE = "read_like_write"
    PROGRAM = "program"
    UNKNOWN_FIELD = "unknown_field"
    EVERY_READ = "every_read"
    CONSTANT = "constant"
    FEW_EPISODES = "few_episodes"
    FEW_CASES = "few_cases"
    NOT_PINNED = "not_pinned"
    THIN = "thin"
    NO_SOURCE = "no_source"


class Caution(NamedTuple):
    """Something to look at, and everything it is about."""

    code: Concern
    text: str
    subjects: tuple[str, ...]


def cautions(
    flow: Flow, sites: tuple[SiteReview, ...], bindings: tuple[BindingReview, ...]
) -> tuple[Caution, ...]:
    """One for each kind of thing to look at, the gravest first."""
    found = (*_whole_flow(flow), _thin(sites), _no_source(bindings))
    return tuple(caution for caution in found if caution.subjects)


def reads_like_write(tool: str) -> bool:
    """Whether a tool's name begins as a write's does: `cancelOrder`, `shop::cancel`."""
    name = tool.rpartition("::")[2]
    first = re.match(r"_*([A-Z]?[a-z]+|[A-Z]+)", name)
    return first is not None and _WRITES.fullmatch(first[1].lower()) is not None


def _whole_flow(flow: Flow) -> Iterator[Caution]:
    yield Caution(
        Concern.READ_LIKE_WRITE,
        "marked read, with a name that reads like a write",
        tuple(filter(reads_like_write, flow.sites.reads)),
    )
    if flow.program != STANDARD:
        text = "a program other than the standard run"
        yield Caution(Concern.PROGRAM, text, ("program",))
    text = "not known to this build, and ignored"
    yield Caution(Concern.UNKNOWN_FIELD, text, tuple(flow.extra))
    if flow.sites.every_read:
        text = "every read-only tool is on offer after every call"
        yield Caution(Concern.EVERY_READ, text, ("every_read",))
    yield Caution(
        Concern.CONSTANT,
        "always passed one value, copied from training",
        tuple(f"{tool}.{name}" for tool, name in sorted(flow.bindings.constants)),
    )
    if (episodes := flow.provenance.habit_episodes) < FEW_EPISODES:
        text = "few successful sessions learned from"
        yield Caution(Concern.FEW_EPISODES, text, (str(episodes),))
    if flow.folds and (cases := flow.provenance.arbiter_cases) < FEW_CASES:
        text = "few decisions that the arbiter was fitted on"
        yield Caution(Concern.FEW_CASES, text, (str(cases),))
    if not flow.contracts:
        text = "no inputs are pinned, so a changed server goes unnoticed"
        yield Caution(Concern.NOT_PINNED, text, ("contracts",))


def _thin(sites: tuple[SiteReview, ...]) -> Caution:
    return Caution(
        Concern.THIN,
        "a thin basis, seen once or twice",
        tuple(
            f"{lookup.tool} after {site.site}"
            for site in sites
            for lookup in site.lookups
            if 0 < lookup.seen <= THIN
        ),
    )


def _no_source(bindings: tuple[BindingReview, ...]) -> Caution:
    return Caution(
        Concern.NO_SOURCE,
        "required, with no source: the flow never makes the lookup itself",
        tuple(
            f"{binding.tool}.{argument.argument}"
            for binding in bindings
            for argument in binding.arguments
            if argument.is_missing
        ),
    )
