"""What `benchmarks.deciders` learns: a network, and flows that weigh it and a mock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto import __version__
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.episodes.tasks import task_group
from stretto.evaluate.growing import Grower
from stretto.learn.arbiter import Arbitrated, Arbitration, learn_arbitrated
from stretto.learn.local import local_cases, local_flows, survey_local
from stretto.learn.settings import Settings
from stretto.models.crossfit import fit
from stretto.models.local_folds import cross_fit, training
from stretto.oracle.local.file import (
    LocalModel,
    Provenance,
    read_local,
    write_local,
)
from stretto.oracle.local.oracle import Local
from stretto.oracle.mock import Mock
from stretto.oracle.oracle import Oracle
from stretto.oracle.wording import shipped_wording

SEED = 7

DECIDERS = ("habit", "reach", "arbiter with local", "arbiter with mock")


@dataclass(frozen=True, slots=True)
class Taught:
    """Flows learned from the same sessions, each with the oracle it asks."""

    local: Arbitrated
    mock: Arbitrated
    network: Local

    def growers(self) -> dict[str, Grower]:
        """By the names of `DECIDERS`; the flows' habits and reach are the same."""
        local, mock = self.local.flow, self.mock.flow
        growers = (
            Grower(local, "habit"),
            Grower(local, "reach"),
            Grower(local, "arbiter", oracle=self.network),
            Grower(mock, "arbiter", oracle=Mock()),
        )
        return dict(zip(DECIDERS, growers, strict=True))


def network(
    sessions: Sequence[Episode],
    manifest: Manifest,
    cache: Path,
    advance: Callable[[], None],
) -> Local:
    """The network of some sessions, trained unless `cache` holds it."""
    source = survey_local(sessions)
    path = cache / f"{source.sha256}-{SEED}.safetensors"
    if path.exists():
        return Local.of(read_local(path))
    flows = local_flows(sessions, manifest)
    cases = local_cases(sessions, flows, shipped_wording())
    fitted = cross_fit(cases, seed=SEED, advance=advance)
    provenance = Provenance(
        stretto=__version__,
        domain=manifest.domain,
        sources=tuple(sorted(source.agents)),
        sessions=len(source.places),
        decisions=len(cases),
        sha256=source.sha256,
        tasks=tuple(sorted(map(task_group, source.tasks))),
        settings=training(SEED, fitted),
        gain=None,
        scores={},
    )
    return Local.of(write_local(LocalModel(fitted.members, provenance), path))


def taught(sessions: Sequence[Episode], manifest: Manifest, own: Local) -> Taught:
    """The flows of some sessions, as `stretto learn --refit-habit` learns them."""

    def arbitrated(oracle: Oracle) -> Arbitrated:
        how = Arbitration(
            model=oracle.model, ask=lambda _: oracle, fit=fit, refits_habit=True
        )
        return learn_arbitrated(sessions, manifest, Settings(), how)

    return Taught(arbitrated(own), arbitrated(Mock()), own)
