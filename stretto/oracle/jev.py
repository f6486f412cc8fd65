"""The oracle `jev`: TypeSafe's System-One model, over HTTP, its answers kept."""

from dataclasses import dataclass

from stretto.errors import FormatError, OracleError
from stretto.files import parse_json
from stretto.oracle.answer import Response
from stretto.oracle.cache import Cache
from stretto.oracle.cached import Cached
from stretto.oracle.http.endpoint import Endpoint, endpoint
from stretto.oracle.paid import tokens
from stretto.oracle.question import Request
from stretto.oracle.settings import OracleSettings, model_of
from stretto.oracle.wire import read_response

NAME = "jev"

KEY = "TYPESAFE_API_KEY"
"""The variable that holds the key; `TYPESAFE_API_KEY_FILE` names a file with it."""

BASE_URL = "TYPESAFE_BASE_URL"
"""The variable that names another server."""

SERVER = "https://api.typesafe.ai"

DOLLARS_PER_TOKEN = 0.042 / 1e6
"""What an input token costs; output is free."""


@dataclass(frozen=True, slots=True)
class Jev:
    """A System-One model behind TypeSafe's API."""

    endpoint: Endpoint
    model: str
    name: str = NAME

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        What the server answers.

        Raises:
            OracleError: there is no key, or no answer, or none that can be read.
        """
        body = self.endpoint.guarded(
            budget_s, lambda until: self.endpoint.post(request.data, until)
        )
        try:
            return read_response(parse_json(body, "the answer"))
        except FormatError as cause:
            raise OracleError(str(cause)) from cause

    def price(self, request: Request) -> float:
        """What asking would cost, in dollars, by an estimate of the tokens."""
        return tokens(request) * DOLLARS_PER_TOKEN


def oracle(settings: OracleSettings) -> Cached:
    """
    Jev behind the cache. A key is looked for only once something has to be asked.

    Raises:
        OracleError: the server's URL is none, or the roots to trust cannot be read.
    """
    base = settings.environ.get(BASE_URL) or SERVER
    url = f"{base.rstrip('/')}/v1/systemone"
    jev = Jev(endpoint(NAME, url, KEY, settings.environ), model_of(settings))
    return Cached(jev, Cache(settings.cache))
