"""Where a flow may act: its sites, its promotion and its surprise gate."""

from stretto.canonical import Json
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.files import Node
from stretto.flow.flow import Bar, Feed, Promotion, SiteRecord, Sites, Surprise
from stretto.flow.wire.pairs import (
    at_most,
    named_pair,
    names_json,
    pairs_json,
    read_names,
    read_pairs,
    texts,
)

STRICTER = ("before_write", "by_task", "holm")
"""What a bar may hold beside the published one; left out where it does not."""

OFF = 2.0
"""How a threshold that switches a site off is written; null reads as it."""


def read_sites(node: Node, manifest: Manifest) -> Sites:
    """
    The lookups a flow may make after each call.

    Raises:
        FormatError: one of them is no tool that the manifest marks read.
    """
    reads = texts(node["reads"])
    for tool in reads:
        if manifest.kind(tool) is not Kind.READ:
            node["reads"].fail(
                f"lists `{tool}`, which `manifest.tools` marks {manifest.kind(tool)}",
                hint="a flow only looks up tools marked read: correct the kind, or "
                "take the tool out of `sites`",
            )

    def read_lookups(lookups: Node) -> dict[str, int]:
        counts = read_names(lookups, Node.integer)
        for tool in counts:
            if tool not in reads:
                lookups.fail(f"offers `{tool}`, which is not one of `sites.reads`")
        return counts

    every_read = node.get("every_read")
    return Sites(
        reads,
        read_pairs(node["next"], _read_site, read_lookups),
        read_names(node.get("feeds"), _read_feeds),
        every_read is not None and every_read.boolean(),
    )


def sites_json(sites: Sites) -> Json:
    """The lookups a flow may make after each call."""
    known: dict[str, Json] = {
        "reads": list(sites.reads),
        "next": pairs_json(sites.next, list, lambda counts: names_json(counts, _same)),
        "feeds": names_json(
            sites.feeds, lambda counts: pairs_json(counts, list, _same)
        ),
    }
    if sites.every_read:
        known["every_read"] = True
    return known


def read_promotion(node: Node | None) -> Promotion | None:
    """Where a flow may act, if it was promoted."""
    if node is None:
        return None
    bar = node["bar"]
    return Promotion(
        Bar(
            bar["threshold"].number(0),
            bar["min_used"].number(0, 1),
            bar["min_lower"].number(0, 1),
            bar["min_tasks"].integer(),
            *(_is_set(bar.get(name)) for name in STRICTER),
        ),
        read_names(node["sites"], _read_record),
    )


def promotion_json(promotion: Promotion) -> Json:
    """Where a flow may act."""
    bar = promotion.bar
    stricter: dict[str, Json] = {n: True for n in STRICTER if getattr(bar, n)}
    return {
        "bar": {
            "threshold": float(bar.threshold),
            "min_used": float(bar.min_used),
            "min_lower": float(bar.min_lower),
            "min_tasks": bar.min_tasks,
            **stricter,
        },
        "sites": names_json(promotion.sites, _record_json),
    }


def read_threshold(node: Node) -> float:
    """A site's threshold; null switches the flow off there."""
    return OFF if node.value is None else node.number(0)


def read_surprise(node: Node | None) -> Surprise | None:
    """The surprise gate, if there is one."""
    if node is None:
        return None
    quantile = node.get("quantile")
    return Surprise(
        node["window"].integer(1),
        node["threshold"].number(0),
        None if quantile is None else quantile.number(0, 1),
    )


def surprise_json(surprise: Surprise) -> Json:
    """The surprise gate."""
    known: dict[str, Json] = {
        "window": surprise.window,
        "threshold": float(surprise.threshold),
    }
    if surprise.quantile is not None:
        known["quantile"] = float(surprise.quantile)
    return known


def _read_site(node: Node) -> Site:
    tool, failed = node.array(2)
    return Site(tool.text(), failed.boolean())


def _read_feeds(node: Node) -> dict[Feed, int]:
    return read_pairs(node, lambda key: Feed(*named_pair(key)), Node.integer)


def _is_set(node: Node | None) -> bool:
    return node is not None and node.boolean()


def _read_record(node: Node) -> SiteRecord:
    record = SiteRecord(
        node["decisions"].integer(),
        node["lookups"].integer(),
        node["used"].integer(),
        node["tasks"].integer(),
        node["lower"].number(0, 1),
        node["promoted"].boolean(),
    )
    at_most(node["used"], record.used, record.lookups, "lookups")
    return record


def _record_json(record: SiteRecord) -> Json:
    return {
        "decisions": record.decisions,
        "lookups": record.lookups,
        "used": record.used,
        "tasks": record.tasks,
        "lower": float(record.lower),
        "promoted": record.promoted,
    }


def _same(count: int) -> Json:
    return count
