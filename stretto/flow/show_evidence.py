"""What a flow's lookups rest on: where their arguments come from, what weighs them."""

from collections.abc import Iterator

from stretto.binding.pick import Mention
from stretto.canonical import compact
from stretto.flow.review import Review
from stretto.flow.review.arbiter import ArbiterReview
from stretto.flow.review.bindings import (
    SAID,
    ArgumentReview,
    BindingReview,
    OrderReview,
    SourceReview,
)
from stretto.flow.review.document import FeatureReview
from stretto.markdown import bullets, code, codes, count, quantity, table

SOURCES = ("lookup", "argument", "passed", "source", "values")


def evidence(review: Review) -> dict[str, str]:
    """The parts, by heading."""
    return {
        "Bindings": _bindings(review.bindings),
        "Constants": _constants(review),
        "Sources by site": _orders(review.orders),
        "Pinned inputs": _contracts(review),
        "Code features": _features(review.features),
        "Arbiter": _arbiter(review.arbiter),
    }


def _bindings(bindings: tuple[BindingReview, ...]) -> str:
    if not bindings:
        return "Training called no lookup."
    sources = [row for binding in bindings for row in _argument_rows(binding)]
    chances = [_chance_row(binding) for binding in bindings]
    said = [SAID[mention] for mention in Mention]
    bare = any(binding.bare is not None for binding in bindings)
    columns = ("lookup", "agent's own", "chance", *said, "passed none")
    return "\n\n".join(
        (
            table(SOURCES, sources, right=(2, 4)),
            "Only required arguments and constants are passed.\n"
            "A source in brackets supplied too few of the values to be used.",
            "How likely the arguments are the agent's own, by what the user has said:",
            table(
                columns if bare else columns[:-1],
                [row if bare else row[:-1] for row in chances],
                right=range(1, len(columns)),
            ),
        )
    )


def _argument_rows(binding: BindingReview) -> Iterator[tuple[str, ...]]:
    calls = f"of {binding.calls:,}"
    if not binding.arguments:
        yield code(binding.tool), "takes none", calls, "", ""
    for place, argument in enumerate(binding.arguments):
        tool = code(binding.tool) if place == 0 else ""
        passed = (
            f"{argument.passed:,} {calls}" if place == 0 else f"{argument.passed:,}"
        )
        name = code(argument.argument) + ("" if argument.is_required else " (optional)")
        for row, (source, values) in enumerate(_source_cells(argument)):
            yield (
                (tool, name, passed, source, values)
                if row == 0
                else (("", "", "", source, values))
            )


def _source_cells(argument: ArgumentReview) -> Iterator[tuple[str, str]]:
    if argument.has_constant:
        yield "a constant", ""
    of = f"of {argument.values:,}"
    used = [source for source in argument.sources if source.is_used]
    unused = [source for source in argument.sources if not source.is_used]
    for source in used:
        whole = " (the whole list)" if argument.takes_lists else ""
        yield _source(source) + whole, f"{source.values:,} {of}"
    if not used and not argument.has_constant:
        yield "**none**" if argument.is_required else "none", f"0 {of}"
    if len(unused) == 1:
        yield _source(unused[0]), f"{unused[0].values:,} {of}"
    elif unused:
        values = sum(source.values for source in unused)
        yield f"({len(unused)} others)", f"{values:,} {of}"


def _chance_row(binding: BindingReview) -> tuple[str, ...]:
    pooled = binding.pooled
    return (
        code(binding.tool),
        f"{pooled.agreed:,} of {pooled.calls:,}" if pooled.calls else "",
        "–" if binding.chance is None else f"{binding.chance:.2f}",
        *(
            f"{binding.chances[mention]:.2f}" if mention in binding.chances else ""
            for mention in Mention
        ),
        "" if binding.bare is None else f"{binding.bare:,} of {binding.calls:,}",
    )


def _source(source: SourceReview) -> str:
    tool, path = source.source
    text = f"{code(tool)} {code(path)}"
    return text if source.is_used else f"({text})"


def _constants(review: Review) -> str:
    if not review.constants:
        return "None."
    rows = [
        (code(c.tool), code(c.argument), code(compact(c.value)))
        for c in review.constants
    ]
    return table(("lookup", "argument", "value, from training"), rows)


def _orders(orders: tuple[OrderReview, ...]) -> str:
    followed = [order for order in orders if order.is_used]
    if not followed:
        return "None: the latest result comes first everywhere."
    items = bullets(
        f"{code(f'{order.tool}.{order.argument}')} after {code(order.site)}: "
        + ", then ".join(
            f"{_source(s)} ({s.values:,})" for s in order.sources if s.is_used
        )
        for order in followed
    )
    return f"{items}\n\nEverywhere else the latest result comes first."


def _contracts(review: Review) -> str:
    if not review.contracts:
        return "None: a server whose inputs changed would not be noticed."
    rows = [(code(tool), code(text)) for tool, text in review.contracts.items()]
    return table(("tool", "inputs when learned"), rows)


def _features(features: tuple[FeatureReview, ...]) -> str:
    if not features:
        return "None."
    rows = [(code(f.tool), codes(f.fields), f"{f.combinations}") for f in features]
    return (
        table(("output of", "fields", "combinations"), rows, right=(2,))
        + "\n\nThe file holds the combinations' values, copied from training outputs."
    )


def _averaged(arbiter: ArbiterReview) -> str:
    if not arbiter.draws:
        return ""
    draws = count(arbiter.draws, "draw")
    return f" Its probabilities are means over {draws} of its weights."


def _arbiter(arbiter: ArbiterReview | None) -> str:
    if arbiter is None:
        return "None."
    fits = "one shared fit" if arbiter.fits == 1 else f"{arbiter.fits} fits"
    weights = [
        (w.name, f"{w.mean:+.3f}", f"{w.low:+.3f}", f"{w.high:+.3f}")
        for w in arbiter.weights
    ]
    rates = [
        (
            code(rate.site),
            quantity(rate.decisions),
            _share(rate.agreed, rate.decisions),
            _share(rate.covered, rate.decisions),
        )
        for rate in arbiter.rates
    ]
    questions = [
        f"{code(q.id)} favors {code(q.favors)}"
        f"{'' if q.is_weighed else ' (asked, not weighed)'}: {q.question}"
        for q in arbiter.questions
    ]
    return "\n\n".join(
        filter(
            None,
            (
                f"{arbiter.folds} folds with {fits}, on "
                f"{count(arbiter.cases, 'held-out decision')}. "
                f"It asks {code(arbiter.model)}, which agreed with the agent at "
                f"{arbiter.agree:.0%} of them; the agent's step was on offer at "
                f"{arbiter.cover:.0%}."
                f"{_averaged(arbiter)}",
                bullets(questions),
                table(
                    ("weight", "mean", "lowest", "highest"), weights, right=(1, 2, 3)
                ),
                table(
                    ("site", "decisions", "agreed", "on offer"), rates, right=(1, 2, 3)
                ),
            ),
        )
    )


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"
