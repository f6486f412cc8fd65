"""Which versions of a model answered, where what is asked is an alias: `latest`."""

from collections.abc import Iterator
from threading import Lock

from stretto.oracle.answer import Response
from stretto.oracle.question import Request


class Versions:
    """The versions that answered under each name. Threads may share one."""

    __slots__ = ("_by_name", "_lock")

    def __init__(self) -> None:
        self._by_name: dict[str, dict[str, int]] = {}
        self._lock = Lock()

    def note(self, request: Request, response: Response) -> None:
        """Count an answer."""
        with self._lock:
            by_version = self._by_name.setdefault(request.model, {})
            by_version[response.model] = by_version.get(response.model, 0) + 1

    def counts(self, name: str) -> dict[str, int]:
        """How many answers each version gave, asked as `name`, by version."""
        with self._lock:
            return dict(sorted(self._by_name.get(name, {}).items()))

    def mixtures(self) -> Iterator[str]:
        """A sentence for each name that more than one version answered to."""
        for name in sorted(self._by_name):
            if len(counts := self.counts(name)) > 1:
                told = ", ".join(f"{version} ({n:,})" for version, n in counts.items())
                yield f"{name} was answered by {len(counts)} versions: {told}"
