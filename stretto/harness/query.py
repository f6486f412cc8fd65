"""
A query of a harness, and what the flow answers.

The query says what has happened so far, as τ²-bench writes messages; nothing is kept
between queries. The answer is the next lookup to make, or handing back.
"""

from dataclasses import dataclass
from typing import NamedTuple

from stretto.canonical import Json
from stretto.episodes.episode import Episode, ToolResult
from stretto.flow.decide import THRESHOLD, decide
from stretto.flow.deciders.protocol import Decider
from stretto.flow.decision import HandBack, Lookup, Reason
from stretto.flow.flow import Flow
from stretto.flow.moment import Transcript
from stretto.oracle.oracle import Oracle
from stretto.traces.decode import Unreadable
from stretto.traces.ledger import Ledger
from stretto.traces.record import objects
from stretto.traces.tau2 import message_events

MAX_QUESTIONS = 300
"""How often a flow is asked in one session, unless told otherwise."""

ANSWER_S = 1.5
"""How many seconds an oracle may take over one query, unless told otherwise."""

TOO_OFTEN = "too_many_questions"
"""The code of handing back because the session has asked often enough."""


class Answer(NamedTuple):
    """What a flow answers."""

    action: Lookup | HandBack | str
    """A text where the flow was not asked: the session has asked often enough."""

    def json(self) -> dict[str, Json]:
        """The answer as a harness gets it."""
        match self.action:
            case Lookup(tool=tool, arguments=arguments):
                made: dict[str, Json] = {"tool": tool, "arguments": {**arguments}}
                return {"action": "lookup", **made}
            case HandBack(code=code, text=text):
                return {"action": "hand_back", "reason": text, "code": code.value}
            case text:
                return {"action": "hand_back", "reason": text, "code": TOO_OFTEN}


@dataclass(frozen=True, slots=True)
class Desk:
    """A flow and its decider, ready for any session's query."""

    flow: Flow
    decider: Decider
    threshold: float = THRESHOLD
    max_questions: int = MAX_QUESTIONS
    """Results a session may have before the flow is asked no more."""
    oracle: Oracle | None = None
    """Whom to ask, where the decider asks."""
    answer_s: float = ANSWER_S
    """How many seconds the oracle may take over a query."""

    def answer(self, query: dict[str, Json]) -> Answer:
        """
        What the flow does after the last of the query's messages.

        Args:
            query: `messages`, of which the last is a tool's result; `task_id`, if it
                has one, says which fold of an arbiter judges it.

        Raises:
            Unreadable: the messages are not as they should be.
        """
        if "messages" not in query:
            raise Unreadable("has no `messages`")
        messages = objects(query["messages"], "messages")
        events = tuple(message_events(messages, Ledger()))
        last = events[-1] if events else None
        if not isinstance(last, ToolResult):
            return Answer(HandBack.plain(Reason.NOT_AFTER_CALL))
        n_asked = sum(isinstance(event, ToolResult) for event in events)
        if n_asked > self.max_questions:
            return Answer(f"the session has asked {self.max_questions} times")
        view = Episode("", events).after(last.call_id)
        task = query.get("task_id")
        transcript = Transcript.of(
            self.flow,
            view.episode.events,
            state=self.decider.state(),
            task=task if isinstance(task, str) else "",
        )
        decided = decide(
            self.flow,
            transcript.moment(view.pending),
            self.decider,
            threshold=self.threshold,
            oracle=self.oracle,
            budget_s=self.answer_s,
        )
        return Answer(decided.action)
