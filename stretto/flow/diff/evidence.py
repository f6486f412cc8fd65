"""Changes in what a flow's lookups rest on: bindings, contracts and the arbiter."""

from collections.abc import Iterator

from stretto.canonical import compact
from stretto.flow.diff.acting import Reviews, moved
from stretto.flow.diff.arbiter import arbiter_changes
from stretto.flow.diff.change import Change, Listed, NeedsReview, keyed
from stretto.flow.flow import Flow
from stretto.flow.review import Review
from stretto.flow.review.bindings import SAID, ArgumentReview, BindingReview


def evidence_changes(
    before: Flow, after: Flow, reviews: Reviews, tolerance: float
) -> Iterator[Change]:
    """What changed in what the flow's lookups rest on."""
    old, new = ({b.tool: b for b in review.bindings} for review in reviews)
    for tool in sorted({*old, *new}):
        yield from _binding(tool, old.get(tool), new.get(tool), tolerance)
    yield from _constants(before, after)
    yield from _orders(*reviews)
    yield from keyed(before.contracts, after.contracts, _contract)
    yield from arbiter_changes(before, after)
    if before.map != after.map:
        text = "sharpen the habit by other output fields or values"
        yield Change(Listed.FEATURES_CHANGED, "code features", text)
    if before.sites.feeds != after.sites.feeds:
        text = "describe the lookups otherwise in the questions"
        yield Change(Listed.FEEDS_CHANGED, "feeds", text)


def _binding(
    tool: str, old: BindingReview | None, new: BindingReview | None, tolerance: float
) -> Iterator[Change]:
    if old is not None and new is not None:
        yield from _binds(tool, old, new)
        yield from _chances(tool, old, new, tolerance)
    had, has = (
        {} if binding is None else {a.argument: a for a in binding.arguments}
        for binding in (old, new)
    )
    for argument in sorted({*had, *has}):
        name = f"{tool}.{argument}"
        was, is_ = had.get(argument), has.get(argument)
        yield from _sources(name, was, is_)
        if old is not None and new is not None:
            yield from _passed(name, was, is_)


def _binds(tool: str, old: BindingReview, new: BindingReview) -> Iterator[Change]:
    if old.chance is None and new.chance is not None:
        text = "can be bound now: every required argument has a source"
        yield Change(NeedsReview.LOOKUP_BINDS, tool, text)
    if old.chance is not None and new.chance is None:
        missing = [a.argument for a in new.arguments if a.is_missing]
        text = f"cannot be bound any more: nothing supplies {', '.join(missing)}"
        yield Change(Listed.LOOKUP_UNBOUND, tool, text)


def _chances(
    tool: str, old: BindingReview, new: BindingReview, tolerance: float
) -> Iterator[Change]:
    chances = [("", old.chance, new.chance)]
    for mention, said in SAID.items():
        where = f" where the user {said}"
        chances.append((where, old.chances.get(mention), new.chances.get(mention)))
    for where, was, is_ in chances:
        if was is not None and is_ is not None and moved(was, is_, tolerance):
            text = f"has a chance of {is_:.2f}{where}, was {was:.2f}"
            yield Change(Listed.CHANCE_MOVED, tool, text, was, is_)


def _sources(
    name: str, old: ArgumentReview | None, new: ArgumentReview | None
) -> Iterator[Change]:
    had, has = (
        {} if argument is None else {s.source: s for s in argument.sources if s.is_used}
        for argument in (old, new)
    )
    for source in sorted(has.keys() - had.keys()):
        tool, path = source
        found = f"{has[source].values} of {new.values if new else 0} values"
        text = f"is taken from {tool} {path} too, which held {found}"
        yield Change(NeedsReview.SOURCE_ADDED, name, text, None, [tool, path])
    for source in sorted(had.keys() - has.keys()):
        tool, path = source
        text = f"is not taken from {tool} {path} any more"
        yield Change(Listed.SOURCE_REMOVED, name, text, [tool, path], None)


def _passed(
    name: str, old: ArgumentReview | None, new: ArgumentReview | None
) -> Iterator[Change]:
    was, is_ = (
        argument is not None and argument.is_required for argument in (old, new)
    )
    if is_ and not was:
        yield Change(NeedsReview.ARGUMENT_ADDED, name, "is passed now", False, True)
    if was and not is_:
        text = "is not passed any more"
        yield Change(Listed.ARGUMENT_REMOVED, name, text, True, False)


def _constants(before: Flow, after: Flow) -> Iterator[Change]:
    def changed(name: str, old: str | None, new: str | None) -> Change:
        if new is None:
            text = "is no constant any more"
            return Change(Listed.CONSTANT_REMOVED, name, text, old, None)
        if old is None:
            text = f"is always {new} now"
            return Change(NeedsReview.CONSTANT_ADDED, name, text, None, new)
        text = f"is always {new}, was {old}"
        return Change(NeedsReview.CONSTANT_CHANGED, name, text, old, new)

    old, new = (
        {f"{t}.{a}": compact(v) for (t, a), v in flow.bindings.constants.items()}
        for flow in (before, after)
    )
    yield from keyed(old, new, changed)


def _orders(old: Review, new: Review) -> Iterator[Change]:
    had, has = (
        {
            f"{o.tool}.{o.argument} after {o.site}": [
                " ".join(s.source) for s in o.sources if s.is_used
            ]
            for o in review.orders
            if o.is_used
        }
        for review in (old, new)
    )

    def changed(name: str, was: list[str] | None, is_: list[str] | None) -> Change:
        before, after = (_order(sources) for sources in (was, is_))
        text = f"is taken in another order: {after}; before, {before}"
        return Change(Listed.SOURCE_ORDER, name, text)

    yield from keyed(had, has, changed)


def _contract(tool: str, old: str | None, new: str | None) -> Change:
    if old is None:
        text = f"has its inputs pinned: {new}"
        return Change(Listed.CONTRACT_ADDED, tool, text, old, new)
    if new is None:
        text = "has no pinned inputs any more"
        return Change(NeedsReview.CONTRACT_REMOVED, tool, text, old, new)
    text = f"takes {new}, took {old}"
    return Change(NeedsReview.CONTRACT_CHANGED, tool, text, old, new)


def _order(sources: list[str] | None) -> str:
    return ", then ".join(sources) if sources else "the latest result first"
