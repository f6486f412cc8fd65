"""Logged decisions with labels, read again: `decisions.jsonl`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.logged import Labels, Logged, Option
from stretto.files import Node, parse_json, read_text

Label: TypeAlias = Callable[[Node], Labels]
"""What an option that binds came to, or would have."""


def read_decisions(path: Path) -> Iterator[Logged]:
    """
    The decisions of a log, in order.

    Raises:
        FormatError: a line is no decision, or one without a policy and labels.
    """
    for node in log_lines(path):
        yield read_decision(node, node["episode"].text(), _recorded)


def log_lines(path: Path) -> Iterator[Node]:
    """The lines of a log that are not blank. Raises `FormatError`."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            yield parse_json(line, f"{path}:{number}")


def read_decision(
    node: Node, session: str, label: Label, *, is_live: bool = False
) -> Logged:
    """
    A line's decision, its options labelled. Raises `FormatError`.

    Args:
        session: What it was decided in.
        is_live: As `Logged` has it.
    """
    policy = node["policy"]
    options = [_option(option, label) for option in policy["options"].array()]
    tools = {option.tool for option in options}
    greedy = policy["greedy"].text()
    taken = node["tool"].text() if is_lookup(node) else None
    for place, tool in (("tool", taken), ("greedy", greedy)):
        if tool not in (None, RESPOND, *tools):
            node.fail(f"has the {place} {tool!r}, which is none of its options")
    return Logged(
        site=node["site"].text(),
        decider=policy["decider"].text(),
        epsilon=policy["epsilon"].number(0, 1),
        greedy=None if greedy == RESPOND else greedy,
        taken=taken,
        propensity=policy["propensity"].number(0, 1),
        options=options,
        session=session,
        is_live=is_live,
    )


def is_lookup(node: Node) -> bool:
    """Whether a line decided on a lookup. Raises `FormatError`."""
    action = node["action"].text()
    if action not in ("lookup", "hand_back"):
        node["action"].wanted("`lookup` or `hand_back`")
    return action == "lookup"


def _option(node: Node, label: Label) -> Option:
    chance = node.get("binding")
    return Option(
        tool=node["tool"].text(),
        p=node["p"].number(0, 2),
        habit=node["habit"].number(0, 2),
        chance=None if chance is None else chance.number(0),
        labels=Labels() if chance is None else label(node),
    )


def _recorded(option: Node) -> Labels:
    """The labels that a replay wrote."""
    return labels(option["used"].boolean(), option["turn"].number(0, 1))


def labels(used: bool, turn: float) -> Labels:
    """Those of a lookup that was used, or not, and its share of a turn."""
    return Labels(1.0, float(used), float(not used), turn)
