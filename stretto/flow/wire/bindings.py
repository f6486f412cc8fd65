"""The bindings of a flow file: where each lookup's arguments came from."""

from collections.abc import Mapping

from stretto.binding.sources import (
    Agreement,
    ArgCounts,
    Argument,
    Bindings,
    Found,
    Picks,
    Source,
    Tally,
)
from stretto.canonical import Json
from stretto.files import Node
from stretto.flow.wire.pairs import (
    at_most,
    named_pair,
    names_json,
    pairs_json,
    read_names,
    read_pairs,
)

VERSION_2 = (
    "named_other",
    "described_read",
    "lists",
    "bare",
    "constants",
    "site_sources",
)
"""The fields that a build which reads only version 1 must not ignore."""


def read_bindings(node: Node) -> Bindings:
    """
    The bindings.

    Raises:
        FormatError: something is counted more often than it could have been.
    """
    constants, site_sources = node.get("constants"), node.get("site_sources")
    return Bindings(
        args=read_names(node["args"], _read_args),
        sources=_read_sources(node["sources"]),
        agreed=read_names(node["agreed"], _read_agreement),
        named_other=read_names(node.get("named_other"), _read_picks),
        described_read=read_names(node.get("described_read"), _read_picks),
        lists=_read_sources(node.get("lists")),
        bare=read_names(node.get("bare"), Node.integer),
        constants={}
        if constants is None
        else read_pairs(constants, named_pair, lambda value: value.value),
        site_sources={}
        if site_sources is None
        else dict(_read_site_source(entry) for entry in site_sources.array()),
    )


def bindings_json(bindings: Bindings) -> dict[str, Json]:
    """The bindings; what training counted none of is left out after `agreed`."""
    optional: dict[str, Json] = {
        "named_other": names_json(bindings.named_other, list),
        "described_read": names_json(bindings.described_read, list),
        "lists": _sources_json(bindings.lists),
        "bare": names_json(bindings.bare, lambda calls: calls),
        "constants": pairs_json(bindings.constants, list, lambda value: value),
        "site_sources": [
            {
                "tool": tool,
                "arg": argument,
                "site": site,
                "source": list(source),
                "values": values,
            }
            for (tool, argument, site, source), values in sorted(
                bindings.site_sources.items()
            )
        ],
    }
    return {
        "args": names_json(
            bindings.args,
            lambda counts: [counts.calls, names_json(counts.args, lambda n: n)],
        ),
        "sources": _sources_json(bindings.sources),
        "agreed": names_json(
            bindings.agreed, lambda agreed: [list(tally) for tally in agreed]
        ),
        **{name: value for name, value in optional.items() if value},
    }


def _read_args(node: Node) -> ArgCounts:
    calls, args = node.array(2)
    n_calls = calls.integer()
    passed = read_names(args, Node.integer)
    at_most(args, max(passed.values(), default=0), n_calls, "calls")
    return ArgCounts(n_calls, passed)


def _read_sources(node: Node | None) -> dict[Argument, Found]:
    return {} if node is None else read_pairs(node, named_pair, _read_found)


def _read_found(node: Node) -> Found:
    values = node["values"].integer()
    found = read_pairs(node["found"], _read_source, Node.integer)
    at_most(node, sum(found.values()), values, "values")
    return Found(values, found)


def _sources_json(sources: Mapping[Argument, Found]) -> Json:
    return pairs_json(
        sources,
        list,
        lambda found: {
            "values": found.values,
            "found": pairs_json(found.found, list, lambda n: n),
        },
    )


def _read_source(node: Node) -> Source:
    return Source(*named_pair(node))


def _read_agreement(node: Node) -> Agreement:
    unmentioned, mentioned = (_read_tally(tally) for tally in node.array(2))
    return Agreement(unmentioned, mentioned)


def _read_tally(node: Node) -> Tally:
    agreed, calls = (n.integer() for n in node.array(2))
    at_most(node, agreed, calls, "calls")
    return Tally(agreed, calls)


def _read_picks(node: Node) -> Picks:
    used, picks = (n.integer() for n in node.array(2))
    at_most(node, used, picks, "picks")
    return Picks(used, picks)


def _read_site_source(node: Node) -> tuple[tuple[str, str, str, Source], int]:
    tool, argument, site = (node[key].text() for key in ("tool", "arg", "site"))
    source = _read_source(node["source"])
    return (tool, argument, site, source), node["values"].integer()
