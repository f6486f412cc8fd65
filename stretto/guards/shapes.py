"""The shapes that rule files are made of, each checked as it is read."""

from collections.abc import Mapping

from stretto.files import Node

MOST = 1_000
"""How many values a list may have."""
DEEPEST = 32
"""How many levels a rule may have in the file."""


def head(node: Node, known: Mapping[str, object], what: str) -> str:
    """The one key of an object that says what it is."""
    found = [key for key in node.fields() if key in known]
    if len(found) != 1:
        node.wanted(f"{what}: an object with one of {', '.join(sorted(known))}")
    return found[0]


def shallow(node: Node) -> None:
    """Fail where a rule is nested so deep that nobody could review it."""
    above, levels = node.parent, 0
    while above is not None:
        above, levels = above.parent, levels + 1
    if levels > DEEPEST:
        node.fail(f"is more than {DEEPEST} levels deep")


def names(node: Node) -> list[str]:
    """A list of texts, at least one and not too many."""
    found = [item.text() for item in node.array()]
    if not 1 <= len(found) <= MOST:
        node.wanted(f"a list of 1 to {MOST} names")
    return found


def yes(node: Node) -> None:
    """Fail on anything but true."""
    if node.value is not True:
        node.wanted("true")
