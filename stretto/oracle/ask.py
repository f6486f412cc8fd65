"""Asking: a request checked before it is sent, and its answers before they are read."""

from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.check import check_request, check_response
from stretto.oracle.oracle import Oracle
from stretto.oracle.question import Request


def ask(oracle: Oracle, request: Request, *, budget_s: float | None = None) -> Response:
    """
    What `oracle` answers, held to what it was asked.

    Args:
        budget_s: How many seconds it may take; None leaves that to the oracle.

    Raises:
        OracleError: no System-One model would take the request, there is no answer, or
            not one to these questions. Nothing else is raised for what an oracle does.
        AnswerMissing: answers are replayed, and this one was not kept.
    """
    check_request(request)
    try:
        response = oracle.ask(request, budget_s=budget_s)
        check_response(request, response)
    except OracleError:
        raise
    except Exception as cause:  # an oracle may be a stranger's, and raise anything
        raise OracleError(f"the oracle {oracle.name} failed: {cause}") from cause
    return response
