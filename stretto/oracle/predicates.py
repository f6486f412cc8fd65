"""
Predicates: yes/no questions asked beside the next-step questions.

They come from a file, `{"about", "predicates": [{"id", "favors", "question", "yes",
"no"}]}`, and a flow carries the ones it was learned with.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from stretto import assets
from stretto.canonical import Json
from stretto.episodes.vocabulary import RESPOND
from stretto.files import Node, read_json

KINDS = ("same_lookup", "any_lookup", "hand_back")
"""What a predicate may favor besides one named lookup."""

Favors: TypeAlias = "str | Lookup"


class Lookup(NamedTuple):
    """One named lookup, as what a predicate favors."""

    lookup: str


@dataclass(frozen=True, slots=True)
class Predicate:
    """A yes/no question about the state, and the options its answer bears on."""

    id: str
    favors: Favors
    """`same_lookup`, `any_lookup`, `hand_back`, or a named lookup."""
    question: str
    yes: str
    no: str


def favored(predicate: Predicate, option: str, site_tool: str) -> bool:
    """
    Whether a yes speaks for `option`.

    Args:
        option: A lookup, or `respond`.
        site_tool: The tool that has just returned, whether or not it failed.
    """
    match predicate.favors:
        case Lookup(lookup):
            return option == lookup
        case "same_lookup":
            return option == site_tool
        case "any_lookup":
            return option != RESPOND
        case _:
            return option == RESPOND


@cache
def shipped_predicates() -> tuple[Predicate, ...]:
    """The predicates that come with stretto."""
    return predicates_file(assets.data() / "predicates-v2.json")


def predicates_file(path: str | Path) -> tuple[Predicate, ...]:
    """
    The predicates of a file, in its order.

    Raises:
        FormatError: it cannot be read, or does not have the format's shape.
    """
    node = read_json(path)
    node.only("about", "predicates")
    node["about"].text()
    return read_predicates(node["predicates"])


def read_predicates(node: Node | None) -> tuple[Predicate, ...]:
    """
    The predicates of a list, each with an id of its own; none where it is left out.

    Raises:
        FormatError: an entry does not have the format's shape, or two share an id.
    """
    entries = [] if node is None else node.array()
    predicates = tuple(_read_predicate(entry) for entry in entries)
    if node is not None and len({p.id for p in predicates}) < len(predicates):
        node.fail("asks two questions under one `id`")
    return predicates


def predicates_json(predicates: Iterable[Predicate]) -> Json:
    """The predicates as their list, in order."""
    return [
        {
            "id": predicate.id,
            "favors": _favors_json(predicate.favors),
            "question": predicate.question,
            "yes": predicate.yes,
            "no": predicate.no,
        }
        for predicate in predicates
    ]


def _read_predicate(node: Node) -> Predicate:
    return Predicate(
        node["id"].text(),
        _read_favors(node["favors"]),
        node["question"].text(),
        node["yes"].text(),
        node["no"].text(),
    )


def _read_favors(node: Node) -> Favors:
    if isinstance(node.value, dict):
        return Lookup(node["lookup"].text())
    if node.value not in KINDS:
        node.wanted(f'{", ".join(KINDS)} or {{"lookup": TOOL}}')
    return node.text()


def _favors_json(favors: Favors) -> Json:
    return {"lookup": favors.lookup} if isinstance(favors, Lookup) else favors
