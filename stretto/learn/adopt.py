"""An arbiter from elsewhere, served with a habit learned here; and one to lend."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from stretto.episodes.tasks import N_FOLDS
from stretto.errors import CannotDecide, FormatError
from stretto.files import read_json
from stretto.flow.arbiter_file import FIELD, Arbiter, parse_arbiter
from stretto.flow.flow import Flow
from stretto.flow.wire import parse_flow

MARK = "arbiter"
"""What a source's label begins with where it taught the arbiter and not the habit."""


class Given(NamedTuple):
    """An arbiter, and how its sources are labelled in a flow that takes it over."""

    arbiter: Arbiter
    label: str


def read_given(path: str | Path) -> Given:
    """
    The arbiter of an arbiter file, or of a flow that shares one fit.

    Raises:
        FormatError: it is neither.
        CannotDecide: the flow has no arbiter, or several fits.
    """
    node = read_json(path)
    if FIELD in node.fields():
        arbiter = parse_arbiter(node)
        return Given(arbiter, f"{MARK} ({arbiter.domain})")
    try:
        flow = parse_flow(node)
    except FormatError as cause:
        cause.hint = "name an arbiter file, or a flow with an arbiter"
        raise
    return Given(exported(flow), MARK)


def adopt(flow: Flow, given: Given) -> Flow:
    """`flow` decided by the arbiter, in place of its own if it had one."""
    arbiter, label = given
    taught = arbiter.provenance.sources
    already = [source for source in taught if source.startswith(MARK)]
    labelled = already or [f"{label}: {source}" for source in taught]
    return replace(
        flow,
        provenance=replace(
            flow.provenance,
            sources=tuple(sorted({*flow.provenance.sources, *labelled})),
            arbiter_cases=arbiter.provenance.arbiter_cases,
        ),
        predicates=arbiter.predicates,
        weighed=arbiter.weighed,
        folds=(arbiter.fitted,) * N_FOLDS,
        model=arbiter.model,
    )


def exported(flow: Flow) -> Arbiter:
    """
    A flow's arbiter on its own.

    Raises:
        CannotDecide: the flow has none, or its folds do not share one fit.
    """
    if not flow.folds:
        raise CannotDecide(
            "the flow has no arbiter", hint="learn it with `--oracle NAME`"
        )
    fitted = flow.folds[0]
    if any(other != fitted for other in flow.folds):
        raise CannotDecide(
            "the flow's folds differ: there is no one fit to serve elsewhere",
            hint="fit one for all: `learn` without `--by-fold`, `compile` with "
            "`--pooled-arbiter`",
        )
    return Arbiter(
        domain=flow.manifest.domain,
        provenance=flow.provenance,
        fitted=fitted,
        model=flow.model,
        predicates=flow.predicates,
        weighed=flow.weighed,
    )
