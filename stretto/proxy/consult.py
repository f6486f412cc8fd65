"""An oracle asked while a session goes on: whoever asks does not wait."""

import threading
from collections.abc import Callable

from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.ask import ask
from stretto.oracle.oracle import Oracle
from stretto.proxy.actions import Consult
from stretto.proxy.notes import note


class Consulting:
    """
    Asks each question in a thread of its own.

    An oracle that takes longer than it may keeps that thread, and nobody waits for it.

    Args:
        told: Takes a question's id and what was answered, or why nothing was; called
            in the thread that asked.
    """

    def __init__(
        self, oracle: Oracle, told: Callable[[str, Response | OracleError], None]
    ) -> None:
        self._oracle, self._told = oracle, told

    def ask(self, consult: Consult) -> None:
        """Ask; does not wait."""
        asking = threading.Thread(target=self._ask, args=(consult,), daemon=True)
        try:
            asking.start()
        except RuntimeError as cause:  # the answer is late then, and handed back
            note(f"the oracle is not asked: {cause}")

    def _ask(self, consult: Consult) -> None:
        try:
            answer: Response | OracleError = ask(
                self._oracle, consult.request, budget_s=consult.budget_s
            )
        except OracleError as error:
            answer = error
        self._told(consult.id, answer)
