"""What served flows decided: logs of decisions beside those of their sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.cli.options import Sessions
from stretto.cli.problems import warn_of_problems
from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Manifest
from stretto.errors import StrettoError
from stretto.evaluate.decision_file import log_lines
from stretto.evaluate.logged import Logged
from stretto.evaluate.served import joined
from stretto.traces.reader import ReadOptions

ENDING = ".flow.jsonl"
"""How the name of a log of decisions ends that lies beside its session's."""


@dataclass(frozen=True, slots=True)
class Served:
    """The labelled decisions of served sessions."""

    decisions: Sequence[Logged]
    episodes: Sequence[Episode]
    """The sessions whose decisions these are."""
    unplaced: int
    """Decisions left out, as no call of the session is known to be theirs."""
    apart: int
    """Logs of decisions whose session was not found."""
    has_chains: bool
    """Whether none was taken in shadow."""

    @property
    def is_live(self) -> bool:
        """Whether any of the sessions had lookups made in it."""
        return any(decision.is_live for decision in self.decisions)


def is_served(log: Path) -> bool:
    """Whether a path is a folder of served sessions, or one session's decisions."""
    return log.is_dir() or log.name.endswith(ENDING)


def read_served(log: Path, given: Manifest | None) -> Served:
    """
    The decisions of a folder, or of one log, labelled by the sessions beside them.

    Raises:
        StrettoError: no session has a log of decisions, none of them says how likely
            they were, or nothing says which tools write.
        FormatError: a line is none that a served flow logs.
    """
    logs = sorted(log.glob(f"*{ENDING}")) if log.is_dir() else [log]
    sessions = Sessions(_sessions(log), "sessions", ReadOptions(), given)
    episodes = {episode.id: episode for episode in sessions.episodes()}
    warn_of_problems(sessions.ledger)
    found = {path: path.name.removesuffix(ENDING) for path in logs}
    known = {path: episodes[id] for path, id in found.items() if id in episodes}
    if not known:
        raise StrettoError(
            f"no session in {log} has its decisions beside it",
            hint=f"SESSION{ENDING} lies beside SESSION.jsonl, as stretto-proxy "
            "writes them",
        )
    manifest = sessions.manifest()
    if not manifest.tools:
        raise StrettoError(
            "nothing says which tools write, after which a lookup is of no use",
            hint="name their kinds with --manifest",
        )
    joints = [joined(log_lines(path), e, manifest) for path, e in known.items()]
    decisions = [decision for joint in joints for decision in joint.decisions]
    if not decisions:
        raise StrettoError(
            f"no decision in {log} says how likely it was",
            hint="serve with --flow-explore; at 0 nothing else is taken, and all is "
            "logged",
        )
    unplaced = sum(joint.unplaced for joint in joints)
    has_chains = not any(joint.in_shadow for joint in joints)
    apart = len(logs) - len(known)
    return Served(decisions, [*known.values()], unplaced, apart, has_chains)


def _sessions(log: Path) -> tuple[Path, ...]:
    if log.is_dir():
        return (log,)
    session = log.name.removesuffix(ENDING)
    first = log.with_name(f"{session}.jsonl")
    if not first.is_file():
        raise StrettoError(f"{log} has no session beside it, which is {first.name}")
    return (first, *sorted(log.parent.glob(f"{session}.[0-9]*.jsonl")))
