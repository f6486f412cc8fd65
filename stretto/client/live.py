"""Episodes replayed against a server, in the record beside it, some at a time."""

import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice

from stretto.client.environment import PATIENCE_S, opened
from stretto.client.session import Ends
from stretto.client.started import Open
from stretto.episodes.episode import Episode
from stretto.errors import ServerFailed, StrettoError
from stretto.evaluate.alone import Account, played
from stretto.evaluate.fidelity import Fidelity
from stretto.evaluate.replay import Replayer

Reach = Callable[[Open], AbstractContextManager[Ends]]
"""Begins a session with the server, ended behind the block."""


@dataclass(frozen=True, slots=True)
class Live:
    """
    A server that episodes are replayed against, each in a session of its own.

    A server that is started is started anew for each, so none of them sees what
    another has written. One that goes on between sessions has to be reset before each,
    or nothing written.
    """

    reach: Reach
    goes_on: bool = False
    """Whether the server lives on between sessions, as one at a URL does."""
    reset: Sequence[str] = ()
    """A command that is run before each session."""
    writes: bool = False
    """Whether the agent's writes are sent; without, a session that has one is not."""
    patience_s: float = PATIENCE_S

    def prepare(self, episode: Episode, replayer: Replayer) -> None:
        """
        Reset the server for an episode.

        Raises:
            StrettoError: the command fails; or the episode writes, and that is not
                allowed, or the server goes on and is not reset.
        """
        called = {call.tool for turn in episode.turns for call in turn.calls}
        written = sorted(called - {*replayer.flow.manifest.reads})
        if written and not self.writes:
            raise StrettoError(
                f"session {episode.id} calls {written[0]}, which does more than read",
                hint="`--writes` has the server carry it out as the session did; give "
                "it a copy, never the server that others rely on",
            )
        if self.goes_on and not self.reset and written:
            raise StrettoError(
                f"session {episode.id} calls {written[0]}, which does more than read, "
                "and a server at a URL keeps what was written",
                hint="`--reset COMMAND` is run before each session, to put its state "
                "back",
            )
        if self.reset:
            _run(self.reset)


@dataclass(frozen=True, slots=True)
class Beside:
    """One episode against the server and in the record, by threshold."""

    live: tuple[Account, ...]
    record: tuple[Account, ...]
    fidelity: Fidelity = field(default_factory=Fidelity)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An episode that the server failed in."""

    episode: str
    cause: str


def replay_live(
    replayer: Replayer,
    episodes: Iterable[Episode],
    thresholds: Sequence[float],
    live: Live,
    *,
    jobs: int = 1,
) -> Iterator[Beside | LeftOut]:
    """
    Each episode, in order, against the server at every threshold, and in the record.

    An episode that the server fails in is left out, and said to be.

    Args:
        jobs: How many sessions are open at once.

    Raises:
        CannotStart: the server cannot be started.
        StrettoError: it lacks a tool that the agent called, or cannot be reset.
        CannotDecide: the decider did not keep to the options, or to probabilities.
    """
    is_open = Open()

    def one(episode: Episode) -> Beside | LeftOut:
        return _one(replayer, episode, thresholds, live, is_open)

    if jobs == 1:
        yield from map(one, episodes)
        return
    left = iter(episodes)
    waiting: deque[Future[Beside | LeftOut]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            waiting.extend(pool.submit(one, e) for e in islice(left, 2 * jobs))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(one, e) for e in islice(left, 1))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            is_open.call_off()
            raise


def _one(
    replayer: Replayer,
    episode: Episode,
    thresholds: Sequence[float],
    live: Live,
    is_open: Open,
) -> Beside | LeftOut:
    found: list[Account] = []
    fidelity = Fidelity()
    try:
        for threshold in thresholds:
            account, moved = _against(replayer, episode, threshold, live, is_open)
            found.append(account)
            fidelity.add(moved)
    except ServerFailed as cause:
        return LeftOut(episode.id, str(cause))
    record = tuple(played(replayer, episode, t).account for t in thresholds)
    return Beside(tuple(found), record, fidelity)


def _against(
    replayer: Replayer,
    episode: Episode,
    threshold: float,
    live: Live,
    is_open: Open,
) -> tuple[Account, Fidelity]:
    live.prepare(episode, replayer)
    with (
        live.reach(is_open) as ends,
        opened(ends, episode, patience_s=live.patience_s) as environment,
    ):
        done = played(replayer, episode, threshold, environment)
    fidelity = environment.fidelity
    for made in done.walk.made:
        if made.used:
            fidelity.read(made, done.walk.course.record.calls[made.by])
    return done.account, fidelity


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except (OSError, ValueError) as cause:
        why = cause.strerror if isinstance(cause, OSError) else cause
        raise StrettoError(f"--reset {command[0]} cannot be run: {why}") from cause
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise StrettoError(
            f"--reset {command[0]} exited with {done.returncode}", hint=" ".join(said)
        )
