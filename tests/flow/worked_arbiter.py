"""The arbiter's worked example: three decisions, one predicate."""

from stretto.episodes.site import Site
from stretto.flow.case import Case
from stretto.flow.judge import features
from stretto.oracle.next_step import NextStep
from stretto.oracle.predicates import Predicate

OPTIONS = ("get_order", "get_product", "respond")

AGAIN = Predicate("again", "same_lookup", "Is a list being read?", "Yes.", "No.")


def answered(one, go_on, tool, yes, pick):
    """What the model said of the three options."""
    split = (go_on * tool[0], go_on * tool[1], 1 - go_on)
    return NextStep(
        one=dict(zip(OPTIONS, one, strict=True)),
        pick=pick,
        split=dict(zip(OPTIONS, split, strict=True)),
        yes={"again": yes},
    )


def case(site, prior, answer, actual, *, group=0):
    """The decision after a call to `site` that succeeded."""
    weighed = dict(zip(OPTIONS, prior, strict=True))
    seen = features(Site(site, False), weighed, answer, [AGAIN])
    return Case(seen, group, OPTIONS.index(actual))


CASES = (
    case(
        "get_user",
        (0.6, 0.1, 0.3),
        answered((0.5, 0.1, 0.4), 0.7, (0.8, 0.2), 0.9, "get_order"),
        "get_order",
    ),
    case(
        "get_order",
        (0.3, 0.1, 0.6),
        answered((0.2, 0.1, 0.7), 0.2, (0.9, 0.1), 0.2, "respond"),
        "respond",
    ),
    case(
        "get_order",
        (0.4, 0.2, 0.4),
        answered((0.2, 0.3, 0.5), 0.6, (0.3, 0.7), 0.6, "respond"),
        "get_product",
    ),
)

WEIGHTS = (0.080480, 0.353405, 0.801663, -0.398676, 0.145878, 0.155329)
