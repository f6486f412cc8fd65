"""What could not be read, said once reading is over."""

from stretto.cli.warnings import warn
from stretto.traces.ledger import Ledger

SHOWN = 3
"""How many problems are told; `stretto episodes` tells more."""


def warn_of_problems(ledger: Ledger) -> None:
    """Say on standard error what of the sessions could not be read."""
    n = ledger.counts["problems"]
    for problem in ledger.problems[:SHOWN]:
        warn(str(problem))
    if n > SHOWN:
        warn(f"{n - SHOWN:,} more could not be read; `stretto episodes` lists them")
