"""What an arbiter is fitted on: decisions that were asked, answered, and then taken."""

from dataclasses import dataclass

from stretto.episodes.tasks import N_FOLDS

FIXED_FEATURES = 4
"""The features of every option: the habit, both questions and handing back. Those of
the weighed predicates come after them, and reliability last."""


@dataclass(frozen=True, slots=True)
class Features:
    """
    A site's options as the arbiter sees them.

    How far the model is to be trusted at the site is not among them: it depends on the
    fit, which appends it as the last feature of the model's pick.
    """

    site: str
    """The call that returned, as `str(Site)` writes it."""
    options: tuple[str, ...]
    """Sorted; `respond` is one of them."""
    rows: tuple[tuple[float, ...], ...]
    """Each option's features, in the order of a fit's weights, without the last."""
    pick: int
    """The place of the model's own choice among the options."""


@dataclass(frozen=True, slots=True)
class Case:
    """One decision, and what the agent did there."""

    features: Features
    group: int
    """The hash of the task, which says in which fold it is judged."""
    actual: int | None
    """The place of the agent's step among the options; None when it was not offered."""
    fittable: bool = True
    """Whether a fit may learn from it: not from sessions an arbiter is carried to."""

    @property
    def fold(self) -> int:
        """The fold, in 0..4, that holds the decision out."""
        return self.group % N_FOLDS

    @property
    def agreed(self) -> bool:
        """Whether the model's own choice was the agent's step."""
        return self.actual == self.features.pick

    @property
    def covered(self) -> bool:
        """Whether the agent's step was on offer."""
        return self.actual is not None
