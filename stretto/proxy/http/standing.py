"""What stands between hosts and a server: sessions, and what is done in each."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from stretto.proxy.folder import LogFolder
from stretto.proxy.http.access import Access
from stretto.proxy.http.lanes import Lane, Lanes
from stretto.proxy.http.lookups import Asks
from stretto.proxy.http.passage import Opens
from stretto.proxy.http.recorded import recording
from stretto.proxy.journal import Journal
from stretto.proxy.record import Recorder
from stretto.proxy.session import Session, named


class Standing(NamedTuple):
    """What stands there."""

    lanes: Lanes[Any]
    opens: Opens


Stands: TypeAlias = Callable[[Asks, Access, float], Standing]
"""
Makes it, on the event loop.

It is given what asks the server in the proxy's own name, who may make requests, and
after how many seconds without any a session ends.
"""


class Sessions:
    """
    Begins sessions, each at a time of its own, so that their names differ.

    Args:
        command: What names the server.
        about: `domain`, `agent_model` and `server_name`, as far as they are known.
        folder: Where they are logged, if they are.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        about: Mapping[str, str | None],
        folder: LogFolder | None,
    ) -> None:
        self._command, self._about, self._folder = command, about, folder
        self._latest_ms = 0

    def begin(self, stated: str | None) -> tuple[Session, Recorder | None]:
        """A session, and what keeps its log; what its host calls it may be no name."""
        session = Session.beginning(
            self._command, host_session=named(stated), **self._about
        )
        self._latest_ms = max(session.started_unix_ms, self._latest_ms + 1)
        session = session._replace(started_unix_ms=self._latest_ms)
        if (folder := self._folder) is None:
            return session, None
        return session, Recorder(Journal(lambda: folder.new_log(session)))


def recorded(sessions: Sessions) -> Stands:
    """Nothing but the logs of the sessions."""

    def begins(stated: str | None) -> Lane:
        return Lane(sessions.begin(stated)[1])

    def stands(_: Asks, __: Access, idle_s: float) -> Standing:
        lanes = Lanes(begins, idle_s=idle_s)
        return Standing(lanes, recording(lanes))

    return stands
