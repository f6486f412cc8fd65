"""Logged decisions with labels, read again: `decisions.jsonl`."""

from collections.abc import Iterator
from pathlib import Path

from stretto.episodes.vocabulary import RESPOND
from stretto.evaluate.offpolicy import Labels, Logged, Option
from stretto.files import Node, parse_json, read_text


def read_decisions(path: Path) -> Iterator[Logged]:
    """
    The decisions of a log, in order.

    Raises:
        FormatError: a line is no decision, or one without a policy and labels.
    """
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            yield _decision(parse_json(line, f"{path}:{number}"))


def _decision(node: Node) -> Logged:
    policy = node["policy"]
    options = [_option(option) for option in policy["options"].array()]
    tools = {option.tool for option in options}
    action, greedy = node["action"].text(), policy["greedy"].text()
    if action not in ("lookup", "hand_back"):
        node["action"].wanted("`lookup` or `hand_back`")
    taken = node["tool"].text() if action == "lookup" else None
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
    )


def _option(node: Node) -> Option:
    chance = node.get("binding")
    labels = Labels()
    if chance is not None:
        used = node["used"].boolean()
        labels = Labels(1.0, float(used), float(not used), node["turn"].number(0, 1))
    return Option(
        tool=node["tool"].text(),
        p=node["p"].number(0, 2),
        habit=node["habit"].number(0, 2),
        chance=None if chance is None else chance.number(0),
        labels=labels,
    )
