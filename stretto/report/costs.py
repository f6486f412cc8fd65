"""A report of costs: a saved turn's, a detour's, and the threshold that follows."""

from collections.abc import Mapping

from stretto.evaluate.balance import TokenPrices
from stretto.evaluate.costing import Ceiling, Costing
from stretto.evaluate.costs import ENOUGH, Cost, Costs, Estimate
from stretto.evaluate.intervals import Share
from stretto.report.document import Document, Heading, Key, Part, Prose, table

POOLED = "pooled"

RULES = (
    "A turn could be spared if all its calls are reads, a turn of calls came before "
    "it, and every value they pass stood in an earlier result; *with words*, also if "
    "the user had said it. As published, a write's own response counts as a turn of "
    "calls; *fresh* asks for one since the latest write. β is a mean over the turns "
    "of the first column."
)

COUNTED = (
    "β: a spared turn's prompt, and its calls for each turn they would have stayed in "
    "the prompt. δ: the mean result of a detour's tool, for the mean number of turns "
    "left after a call at its site. θ* = δ/(β + δ). Characters become tokens at the "
    "rate at which each agent's prompts grew. Intervals are 95%, from 4,000 draws of "
    "tasks with seed 0, each figured anew from the tasks drawn."
)

REPLAYED = (
    "The replay takes it that the agent would have acted the same with the lookups in "
    "hand, and results come from the record, so detours are a lower bound."
)


def costs_document(found: Costing, name: str, *, at_least: int = ENOUGH) -> Document:
    """
    The costs of the flow called `name`.

    Args:
        at_least: The ceiling turns and detours that a site's own θ* is taken from.
    """
    costs = found.costs
    parts: list[Part] = [
        _key(found),
        Prose(_reading(found)),
        Heading("Agents"),
        _costs("agent", {POOLED: costs.pooled, **costs.agents}),
        Prose(COUNTED),
    ]
    if costs.sites:
        parts += [Heading("Sites"), _costs("site", costs.sites), Prose(_own(at_least))]
    parts += [Heading("Ceiling"), _ceilings(found.ceilings), Prose(RULES)]
    parts += [Heading("Turns"), _turns(found), Prose(REPLAYED)]
    return Document(f"Costs of {name}", tuple(parts))


def spelled(found: Estimate, form: str = ",.0f") -> str:
    """A number with its interval; nothing where there is none."""
    if found.value is None:
        return ""
    text = format(found.value, form)
    if found.interval is None:
        return text
    low, high = (format(end, form) for end in found.interval)
    return f"{text} ({low} to {high})"


def _number(found: Estimate, label: str, form: str = ",.0f") -> tuple[str, str]:
    """A key number, its interval beside its label."""
    value, space, interval = spelled(found, form).partition(" ")
    return value or "unknown", f"{label}{space}{interval}"


def _key(found: Costing) -> Key:
    pooled = found.costs.pooled
    ceiling = next(iter(found.ceilings.values()))
    return Key(
        (
            _number(pooled.threshold, "θ*, pooled", ".3f"),
            _number(pooled.beta, "tokens a saved turn is worth, β"),
            _number(pooled.delta, "tokens a detour costs, δ"),
            (
                f"{ceiling.state.part:,.0f} of {ceiling.state.whole:,.0f}",
                "LLM turns could be spared from tool state",
            ),
        )
    )


def _reading(found: Costing) -> str:
    costs = found.costs
    text = (
        f"{found.episodes:,} sessions. {_priced(costs.prices)} Detours are those of a "
        f"replay at threshold {found.threshold:g}. {_rates(costs)}"
    )
    if costs.without_usage:
        text += (
            f" Left out of the costs, for they record no prompt's tokens: "
            f"{', '.join(costs.without_usage)}."
        )
    if costs.pooled.delta.value is None:
        text += " There was no detour, so δ and θ* are not known."
    return text


def _priced(prices: TokenPrices) -> str:
    if prices == TokenPrices():
        return "Tokens are input tokens, none of them cached; output is not counted."
    return (
        f"Tokens are worth so many of uncached input: output {prices.output:g}, read "
        f"from the cache {prices.read:g}, written to it {prices.write:g}. Prompts are "
        "read from the cache, and what a turn adds is written to it once."
    )


def _rates(costs: Costs) -> str:
    each = [f"{agent} {rate:.2f}" for agent, rate in costs.characters.items()]
    return f"Characters a token: {', '.join(each)}."


def _costs(what: str, found: Mapping[str, Cost]) -> Part:
    headers = (what, "ceiling turns", "detours", "β", "δ", "θ*")
    rows = [
        (
            name, f"{cost.ceiling_turns:,}", f"{cost.detours:,}", spelled(cost.beta),
            spelled(cost.delta), spelled(cost.threshold, ".3f"),
        )
        for name, cost in found.items()
    ]  # fmt: skip
    return table(headers, rows)


def _own(at_least: int) -> str:
    return (
        "A site's ceiling turns are those right behind a call at it; its detours were "
        f"decided on there. With fewer than {at_least} of either, `--write` gives the "
        "site the pooled θ*. No correction is made for there being several sites."
    )


def _ceilings(found: Mapping[str, Ceiling]) -> Part:
    headers = ("agent", "from tool state", "with words", "fresh", "fresh, with words")
    rows = [
        (name, *map(_share, (c.state, c.words, c.fresh_state, c.fresh_words)))
        for name, c in found.items()
    ]
    return table(headers, rows)


def _share(found: Share) -> str:
    text = f"{found.value:.1%}"
    if found.interval is None:
        return text
    return f"{text} ({found.interval.low:.1%} to {found.interval.high:.1%})"


def _turns(found: Costing) -> Part:
    rows = [(trigger, kind, f"{n:,}") for (trigger, kind), n in found.turns.items()]
    return table(("after", "the turn", "n"), rows, text=2)
