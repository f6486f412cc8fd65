"""
A flow's review: its parts, and what to be careful of.

Its records are named tuples. Defining one costs an eighth of what a dataclass does,
which is felt in a command that does little else but start.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from stretto.canonical import Json
from stretto.episodes.manifest import Kind
from stretto.flow.caps import PER_CALL, PER_SESSION
from stretto.flow.decide import THRESHOLD
from stretto.flow.deciders.protocol import default_name
from stretto.flow.flow import Flow, Promotion, Provenance, Surprise
from stretto.flow.review.arbiter import ArbiterReview, review_arbiter
from stretto.flow.review.bindings import (
    BindingReview,
    ConstantReview,
    OrderReview,
    review_bindings,
    review_constants,
    review_orders,
)
from stretto.flow.review.cautions import Caution, cautions
from stretto.flow.review.sites import SiteReview, expected, review_sites
from stretto.flow.wire.versions import version
from stretto.program.render import render
from stretto.program.standard import STANDARD


class ToolsReview(NamedTuple):
    """The tools by kind, and those the flow calls on its own."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    generic: tuple[str, ...]
    acting: tuple[str, ...]
    """The lookups some site offers and whose arguments have a source."""
    idle: Mapping[str, str]
    """The other read-only tools, and why the flow never calls them."""


class RunReview(NamedTuple):
    """How the flow runs after each call."""

    per_call: int
    per_session: int
    threshold: float
    decider: str
    """The one it is served with when none is named."""
    is_standard: bool
    program: str


class FeatureReview(NamedTuple):
    """The output fields of a tool that sharpen the habit; their values are left out."""

    tool: str
    fields: tuple[str, ...]
    combinations: int
    """The combinations of values that the file lists."""


class Review(NamedTuple):
    """A flow, as a reviewer reads it."""

    version: int
    domain: str
    provenance: Provenance
    cautions: tuple[Caution, ...]
    tools: ToolsReview
    run: RunReview
    sites: tuple[SiteReview, ...]
    promoted: Promotion | None
    surprise: Surprise | None
    bindings: tuple[BindingReview, ...]
    constants: tuple[ConstantReview, ...]
    orders: tuple[OrderReview, ...]
    contracts: Mapping[str, str]
    features: tuple[FeatureReview, ...]
    arbiter: ArbiterReview | None

    def json(self) -> dict[str, Json]:
        """The same, as JSON: every record an object, by its fields' names."""
        return {name: _json(part) for name, part in self._asdict().items()}


def review(
    flow: Flow, *, threshold: float = THRESHOLD, decider: str | None = None
) -> Review:
    """
    A flow's review.

    Args:
        threshold: The one the flow is to be served at.
        decider: The name of who is to decide; the one the flow asks for if None.
    """
    sites = review_sites(flow, threshold)
    bindings = review_bindings(flow)
    return Review(
        version=version(flow),
        domain=flow.manifest.domain,
        provenance=flow.provenance,
        cautions=cautions(flow, sites, bindings),
        tools=_tools(flow, sites),
        run=RunReview(
            per_call=PER_CALL,
            per_session=PER_SESSION,
            threshold=threshold,
            decider=decider or default_name(flow),
            is_standard=flow.program == STANDARD,
            program=render(flow.program),
        ),
        sites=sites,
        promoted=flow.promoted,
        surprise=flow.surprise,
        bindings=bindings,
        constants=review_constants(flow.bindings),
        orders=review_orders(flow.bindings),
        contracts=dict(sorted(flow.contracts.items())),
        features=_features(flow),
        arbiter=review_arbiter(flow),
    )


def _tools(flow: Flow, sites: tuple[SiteReview, ...]) -> ToolsReview:
    offered = {lookup.tool for site in sites for lookup in site.lookups}
    idle = {
        tool: "no site offers it" for tool in flow.sites.reads if tool not in offered
    }
    for tool in offered:
        if isinstance(why := expected(flow, tool), str):
            idle[tool] = why
    return ToolsReview(
        reads=_of_kind(flow, Kind.READ),
        writes=_of_kind(flow, Kind.WRITE),
        generic=_of_kind(flow, Kind.GENERIC),
        acting=tuple(sorted(offered - idle.keys())),
        idle=dict(sorted(idle.items())),
    )


def _of_kind(flow: Flow, kind: Kind) -> tuple[str, ...]:
    return tuple(sorted(t for t, k in flow.manifest.tools.items() if k is kind))


def _features(flow: Flow) -> tuple[FeatureReview, ...]:
    return tuple(
        FeatureReview(
            tool,
            tuple(
                f"length of {field.path or 'the output'}"
                if field.kind == "Len"
                else field.path
                for field in fields
            ),
            sum(name == tool for name, _ in flow.map.ids),
        )
        for tool, fields in sorted(flow.map.fields.items())
    )


def _json(value: Any) -> Json:
    """A part of a review as JSON; its records are named tuples and dataclasses."""
    if is_dataclass(value):
        return {f.name: _json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        items = [_json(item) for item in value]
        return items if names is None else dict(zip(names, items, strict=True))
    plain: Json = value
    return plain
