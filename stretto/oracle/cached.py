"""An oracle whose answers are kept, so that nothing is asked twice."""

from dataclasses import dataclass, field

from stretto.errors import FormatError, OracleError
from stretto.oracle.answer import Response
from stretto.oracle.ask import ask
from stretto.oracle.cache import Cache
from stretto.oracle.check import check_response
from stretto.oracle.oracle import Oracle
from stretto.oracle.paid import price
from stretto.oracle.question import Request
from stretto.oracle.versions import Versions


@dataclass(frozen=True, slots=True)
class Cached:
    """
    `inner`, asked only for what the cache does not hold.

    A damaged file is set aside, and its answer asked for again. Only answers that are
    to their questions are kept.
    """

    inner: Oracle
    cache: Cache
    versions: Versions = field(default_factory=Versions, compare=False)

    @property
    def name(self) -> str:
        """That of `inner`."""
        return self.inner.name

    @property
    def model(self) -> str:
        """That of `inner`."""
        return self.inner.model

    def ask(self, request: Request, *, budget_s: float | None = None) -> Response:
        """
        The answer kept, or else `inner`'s, which is kept.

        Raises:
            OracleError: `inner` has no answer.
            CannotWrite: it has one, which cannot be kept.
        """
        if (response := self.kept(request)) is None:
            response = ask(self.inner, request, budget_s=budget_s)
            self.cache.put(request.key, response)
        self.versions.note(request, response)
        return response

    def kept(self, request: Request) -> Response | None:
        """The answer kept; None for none, or for one that cannot be read."""
        key = request.key
        try:
            if (response := self.cache.get(key)) is not None:
                check_response(request, response)
            return response
        except (FormatError, OracleError):
            self.cache.set_aside(key)
            return None

    def price(self, request: Request) -> float:
        """What asking would cost, in dollars: nothing where the answer is kept."""
        return 0.0 if self.kept(request) is not None else price(self.inner, request)
