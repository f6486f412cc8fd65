"""What `stretto phase0` asks a System-One model, and the log of its answers."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from stretto.cli.asking import ask_choice
from stretto.cli.fitting import fitter
from stretto.cli.oracle_choice import OracleChoice
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.evaluate.phase0 import Phase0
from stretto.files import write_text
from stretto.learn.arbiter import Arbitration
from stretto.learn.decisionlog import heard_lines
from stretto.learn.opinions import Opinions, opinions
from stretto.oracle.predicates import predicates_file


class Asking(NamedTuple):
    """What is asked, and whether of any tool as well."""

    arbitration: Arbitration
    any_tool: bool

    def opinions(
        self, episodes: Iterable[Episode], manifest: Manifest, found: Phase0
    ) -> Opinions | None:
        """What is answered about the sessions that were measured."""
        how, any_tool = self
        return opinions(episodes, manifest, found, how, any_tool=any_tool)


def asking(
    choice: OracleChoice, candidates: Path | None, log: Path | None, *, any_tool: bool
) -> Asking | None:
    """
    What is asked of what was chosen; None where nobody is.

    Raises:
        UsageError: something was given that takes an oracle, and none was.
        FormatError: a file that was named does not read.
        OracleError: the oracle lacks something, such as a key.
    """
    if choice.kind is None:
        given = {
            "--any-tool": any_tool,
            "--candidates": candidates is not None,
            "--oracle-log": log is not None,
        }
        if stray := [name for name, is_given in given.items() if is_given]:
            raise click.UsageError(f"{stray[0]} needs --oracle NAME, to ask")
        return None
    arbitration = Arbitration(
        model=choice.oracle().model,
        ask=partial(ask_choice, choice),
        fit=fitter(),
        wording=choice.wording(),
        omit=choice.omit,
        predicates=choice.asked_predicates(),
        candidates=() if candidates is None else predicates_file(candidates),
    )
    return Asking(arbitration, any_tool)


def write_log(found: Opinions | None, path: Path) -> None:
    """
    Write the decisions that were answered, a line each.

    Raises:
        CannotWrite: it cannot be written.
    """
    if found is not None:
        write_text(path, "".join(f"{line}\n" for line in heard_lines(found.heard)))
