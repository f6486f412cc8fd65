"""The sessions a command measures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stretto.cli.options import Sessions
from stretto.cli.problems import warn_of_problems
from stretto.cli.tasks import Tasks
from stretto.episodes.episode import Episode
from stretto.errors import StrettoError


@dataclass(slots=True)
class Measured:
    """
    The sessions of the chosen tasks, as often as they are gone through.

    The first time, what could not be read is told at the end.
    """

    sessions: Sessions
    tasks: Tasks | None = None
    """Which tasks; all where not given."""
    again: bool = False
    """Whether they are gone through more than once."""
    _episodes: Iterable[Episode] = field(init=False)
    _was_told: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.again:
            self._episodes = self.sessions.corpus("measuring")
        else:
            self._episodes = self.sessions.episodes()

    def __iter__(self) -> Iterator[Episode]:
        """
        The episodes.

        Raises:
            StrettoError: none of the sessions is of a chosen task.
        """
        found = 0
        for episode in self._episodes:
            if self.tasks is None or self.tasks(episode.task_or_id):
                found += 1
                yield episode
        if not self._was_told:
            self._was_told = True
            warn_of_problems(self.sessions.ledger)
        if not found:
            hint = "`stretto episodes` shows what was read"
            if self.tasks is not None:
                hint += "; --split and --tasks choose by task id"
            raise StrettoError("there is no session to measure", hint=hint)
