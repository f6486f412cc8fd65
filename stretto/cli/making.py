"""A flow made of sessions as a command was told to, and written."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from stretto.cli.arbitration import ArbitrationChoice
from stretto.cli.fitting import FittingChoice
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.warnings import warn
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import Split
from stretto.files import write_text
from stretto.flow.review.cautions import FEW_CASES
from stretto.flow.wire import write_flow
from stretto.learn.arbiter import Arbitrated, learn_arbitrated
from stretto.learn.corpus import Corpus
from stretto.learn.decisionlog import log_lines
from stretto.learn.learn import Learned
from stretto.learn.learn import learn as learn_flow
from stretto.learn.settings import Settings
from stretto.learn.survey import Survey


class Material(NamedTuple):
    """What a flow is made of."""

    corpus: Corpus
    manifest: Manifest
    surveyed: Survey
    split: Split | None = None
    """The tasks of the habit and those of the arbiter, where they are not drawn."""
    contracts: Mapping[str, str] | None = None
    conventions: str | None = None


class Made(NamedTuple):
    """A flow, and how its arbiter came about where one was fitted."""

    learned: Learned
    fitted: Arbitrated | None


def make(
    material: Material,
    settings: Settings,
    arbitration: ArbitrationChoice,
    choice: OracleChoice,
    how: FittingChoice,
) -> Made:
    """
    The flow that was asked for: of the habit alone, with an arbiter fitted, or with one
    taken over.

    Raises:
        NothingToLearn: as `learn_arbitrated` does.
        NoConvergence: a fit did not end at its mode, or chains did not mix.
        FormatError: a file that was named does not read.
        OracleError: the oracle lacks something, or most of it fails.
    """
    corpus, manifest, found, split, contracts, conventions = material
    if choice.kind is not None:
        fitted = learn_arbitrated(
            corpus,
            manifest,
            settings,
            arbitration.how(choice, how),
            split=split,
            surveyed=found,
            contracts=contracts,
            conventions=conventions,
        )
        return Made(fitted.learned, fitted)
    learned = learn_flow(
        corpus,
        manifest,
        settings,
        surveyed=found,
        contracts=contracts,
        conventions=conventions,
    )
    return Made(replace(learned, flow=arbitration.adopted(learned.flow)), None)


def write(made: Made, arbitration: ArbitrationChoice, out: Path) -> None:
    """
    Write the flow, and the decision log where one was asked for.

    Raises:
        CannotWrite: one of them cannot be written.
    """
    flow, fitted = made.learned.flow, made.fitted
    write_flow(flow, out)
    if fitted is None:
        return
    if arbitration.oracle_log is not None:
        lines = log_lines(flow, fitted.answered, fitted.candidates)
        write_text(arbitration.oracle_log, "".join(f"{line}\n" for line in lines))
    warn_of_few(flow.provenance.arbiter_cases)


def warn_of_few(cases: int) -> None:
    """Say so, where an arbiter was fitted on few decisions."""
    if cases < FEW_CASES:
        warn(
            f"the arbiter was fitted on {cases} decisions; on so few, published ones "
            "saved less than the habit alone (`--prior-from`, `--arbiter-from`)"
        )
