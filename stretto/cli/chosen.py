"""The sessions a command measures."""

from collections.abc import Iterator

from stretto.cli.options import Sessions
from stretto.cli.problems import warn_of_problems
from stretto.cli.tasks import Tasks
from stretto.episodes.episode import Episode
from stretto.errors import StrettoError


def measured(sessions: Sessions, tasks: Tasks | None) -> Iterator[Episode]:
    """
    The sessions of the chosen tasks; what could not be read is told at the end.

    Raises:
        StrettoError: none of the sessions is of a chosen task.
    """
    found = 0
    for episode in sessions.episodes():
        if tasks is None or tasks(episode.task_or_id):
            found += 1
            yield episode
    warn_of_problems(sessions.ledger)
    if not found:
        raise StrettoError(
            "there is no session to measure",
            hint="`stretto episodes` shows what was read; --split and --tasks choose "
            "by task id",
        )
