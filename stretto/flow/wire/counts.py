"""The counted half of a flow file: vocabulary, features, habit and reach."""

from collections.abc import Callable, Collection
from typing import TypeAlias

from stretto.canonical import Json
from stretto.episodes.vocabulary import START, Vocabulary
from stretto.files import Node
from stretto.flow.wire.pairs import (
    at_most,
    names_json,
    pairs_json,
    read_names,
    read_pairs,
    texts,
)
from stretto.habit.backoff import Backoff, Context, Counts, Habit, Level
from stretto.habit.discover import MAX_ID
from stretto.habit.features import FeatureMap, Field

MAX_ORDER = 32
"""The longest history a file may count."""

MAX_TOOLS = 2**18 - 3
"""The most tools whose ids a 32-bit symbol can hold."""

_SYMBOLS_PER_ACTION = 4 * 4096

Share: TypeAlias = Callable[[Collection[float]], float]
"""What of a history's counts its total has to cover."""


def read_vocab(node: Node) -> Vocabulary:
    """The actions by id: `"Respond"`, then `{"Tool": name}` for each tool."""
    actions = node.array()
    if not actions or actions[0].value != "Respond":
        node.fail('has to begin with "Respond", the action whose id is 0')
    tools = [action["Tool"].text() for action in actions[1:]]
    if len(set(tools)) < len(tools):
        node.fail("names a tool twice")
    if len(tools) > MAX_TOOLS:
        node.fail(f"names more than {MAX_TOOLS} tools")
    return Vocabulary(tuple(tools))


def vocab_json(vocab: Vocabulary) -> Json:
    """The actions, in id order."""
    tools: list[Json] = [{"Tool": tool} for tool in vocab.tools]
    return ["Respond", *tools]


def read_map(node: Node) -> FeatureMap:
    """The code features; every numbered combination has a value for each field."""
    fields = read_names(node["fields"], _read_fields)

    def combination(key: Node) -> tuple[str, tuple[str, ...]]:
        tool, values = key.array(2)
        wanted = len(fields.get(tool.text(), ()))
        values.array(wanted)
        return tool.text(), texts(values)

    return FeatureMap(
        fields, read_pairs(node["ids"], combination, lambda id: id.integer(0, MAX_ID))
    )


def map_json(features: FeatureMap) -> Json:
    """The code features."""
    return {
        "fields": names_json(
            features.fields, lambda fields: [{f.kind: f.path} for f in fields]
        ),
        "ids": pairs_json(
            features.ids, lambda key: [key[0], list(key[1])], lambda id: id
        ),
    }


def read_habit(node: Node, size: int) -> Habit:
    """The habit over `size` action ids."""
    base = read_backoff(node["base"], size, covered=sum)

    def group_context(key: Node) -> tuple[int, Context]:
        group, context = key.array(2)
        return group.integer(), _read_context(context, base.order, size)

    top = read_pairs(
        node["top"], group_context, lambda counts: _read_counts(counts, size, sum)
    )
    return Habit(base, _concentration(node["beta"]), top)


def habit_json(habit: Habit) -> Json:
    """The habit."""
    return {
        "base": backoff_json(habit.base),
        "beta": float(habit.beta),
        "top": pairs_json(habit.top, lambda key: [key[0], list(key[1])], _counts_json),
    }


def read_reach(node: Node | None, size: int) -> Backoff | None:
    """The reach counts, if there are any: several actions may follow one step."""
    if node is None:
        return None
    return read_backoff(node, size, covered=lambda counts: max(counts, default=0.0))


def read_backoff(node: Node, size: int, *, covered: Share) -> Backoff:
    """
    Counts over `size` action ids after contexts of every length up to an order.

    Raises:
        FormatError: an id or symbol is outside the vocabulary, or a total is smaller
            than what it covers of its counts.
    """
    order = node["order"].integer(0, MAX_ORDER)
    if node["vocab_size"].integer() != size:
        node["vocab_size"].fail(
            f"is {node['vocab_size'].value}, and `vocab` makes it {size}: one id per "
            "entry, and one for any other tool"
        )
    levels = [
        _read_level(level, length, size, covered)
        for length, level in enumerate(node["levels"].array(order + 1))
    ]
    return Backoff(order, _concentration(node["alpha"]), size, tuple(levels))


def backoff_json(backoff: Backoff) -> Json:
    """Counts after contexts of every length."""
    return {
        "order": backoff.order,
        "alpha": float(backoff.alpha),
        "vocab_size": backoff.vocab_size,
        "levels": [pairs_json(level, list, _counts_json) for level in backoff.levels],
    }


def _read_level(node: Node, length: int, size: int, covered: Share) -> Level:
    return read_pairs(
        node,
        lambda context: _read_context(context, length, size),
        lambda counts: _read_counts(counts, size, covered),
    )


def _read_context(node: Node, length: int, size: int) -> Context:
    context = tuple(symbol.integer(0, START) for symbol in node.array(length))
    for symbol in context:
        if symbol != START and symbol // _SYMBOLS_PER_ACTION >= size:
            node.fail(f"holds {symbol}, whose action is not one of {size} ids")
    return context


def _read_counts(node: Node, size: int, covered: Share) -> Counts:
    by_action = read_pairs(
        node["by_action"], lambda id: id.integer(0, size - 1), lambda n: n.number(0)
    )
    total = node["total"].number(0)
    at_most(node["total"], covered(by_action.values()), total, "steps")
    return Counts(by_action, total)


def _counts_json(counts: Counts) -> Json:
    return {
        "by_action": pairs_json(counts.by_action, lambda id: id, float),
        "total": float(counts.total),
    }


def _read_fields(node: Node) -> tuple[Field, ...]:
    return tuple(_read_field(field) for field in node.array())


def _read_field(node: Node) -> Field:
    match list(node.items()):
        case [("Scalar", path)]:
            return Field("Scalar", path.text())
        case [("Len", path)]:
            return Field("Len", path.text())
        case _:
            node.wanted('{"Scalar": path} or {"Len": path}')


def _concentration(node: Node) -> float:
    alpha = node.number()
    if alpha <= 0:
        node.wanted("a number above 0")
    return alpha
