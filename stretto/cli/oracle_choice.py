"""Which System-One model a command was told to ask, and how."""

from dataclasses import dataclass
from pathlib import Path

import click

from stretto.oracle.installed import oracle as installed
from stretto.oracle.omit import Omission
from stretto.oracle.oracle import Oracle
from stretto.oracle.order import Orders, Shuffled
from stretto.oracle.predicates import (
    Predicate,
    predicates_file,
    shipped_predicates,
)
from stretto.oracle.settings import OracleSettings
from stretto.oracle.temperature import (
    HIGHEST,
    LOWEST,
    Temperatures,
    Tempered,
    read_temperatures,
)
from stretto.oracle.wording import Wording, read_wording, shipped_wording

NOBODY = "none"
"""In place of an oracle's name: what takes no model is told, and nobody is asked."""


@dataclass(frozen=True, slots=True)
class OracleChoice:
    """Which model is asked, how, and how much of it."""

    kind: str | None
    """The oracle's name; None where a command need not ask, and none was named."""
    settings: OracleSettings
    budget: float
    """In dollars."""
    limit: int | None = None
    dump: Path | None = None
    questions: Path | None = None
    predicates: Path | None = None
    temperatures: Temperatures | None = None
    orders: Orders | None = None
    """In which orders choices are asked; by name alone if None."""
    omit: tuple[Omission, ...] = ()

    def oracle(self) -> Oracle:
        """
        The oracle, its answers averaged and calibrated where that was asked for.

        Raises:
            UnknownPlugin: there is none of that name.
            OracleError: it lacks something, or none was named.
        """
        if self.kind is None:
            raise click.UsageError("name the oracle to ask with --oracle NAME")
        found = installed(self.kind, self.settings)
        if self.orders is not None:
            found = Shuffled(found, self.orders)
        if self.temperatures is None:
            return found
        return Tempered(found, self.temperatures)

    def model(self) -> str:
        """The model that requests name. Raises as `oracle` does."""
        return NOBODY if self.asks_nobody else self.oracle().model

    @property
    def asks_nobody(self) -> bool:
        """Whether it was chosen that nobody is asked."""
        return self.kind == NOBODY

    def wording(self) -> Wording:
        """The texts of `--questions`, or those that come with stretto."""
        if self.questions is None:
            return shipped_wording()
        return read_wording(self.questions)

    def asked_predicates(self) -> tuple[Predicate, ...]:
        """The predicates of `--predicates`, or those that come with stretto."""
        if self.predicates is None:
            return shipped_predicates()
        return predicates_file(self.predicates)


def temperatures(given: str) -> Temperatures:
    """One number for every type of question, or a file with one for each."""
    try:
        number = float(given)
    except ValueError:
        return read_temperatures(given)
    if not LOWEST <= number <= HIGHEST:
        raise click.UsageError(
            f"--temperature {given} is not from {LOWEST:g} to {HIGHEST:g}"
        )
    return Temperatures(number, number, number)
