"""The oracle `replay`: kept answers, and no others."""

from dataclasses import dataclass, field

from stretto.errors import AnswerMissing, FormatError
from stretto.oracle.answer import Response
from stretto.oracle.cache import Cache
from stretto.oracle.question import Request
from stretto.oracle.settings import OracleSettings, model_of
from stretto.oracle.versions import Versions

NAME = "replay"


@dataclass(frozen=True, slots=True)
class Replay:
    """Answers that were kept. It asks nobody, needs no key and writes nothing."""

    cache: Cache
    model: str
    name: str = NAME
    versions: Versions = field(default_factory=Versions, compare=False)

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:  # noqa: ARG002
        """
        The answer that was kept.

        Raises:
            AnswerMissing: none was, or its file is damaged.
        """
        key, place = request.key, str(self.cache.folder)
        try:
            response = self.cache.get(key)
        except FormatError as damaged:
            raise AnswerMissing(key, place) from damaged
        if response is None:
            raise AnswerMissing(key, place)
        self.versions.note(request, response)
        return response


def oracle(settings: OracleSettings) -> Replay:
    """The answers in the settings' folder, to requests of the model they name."""
    return Replay(Cache(settings.cache), model_of(settings))
