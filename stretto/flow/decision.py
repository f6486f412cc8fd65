"""What a flow decided, and why it handed back where it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from stretto.canonical import Json, number
from stretto.episodes.site import Site
from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.question import Request


class Reason(StrEnum):
    """The codes of handing back, as logs and answers carry them."""

    NOT_AFTER_CALL = "not_after_call"
    NOT_PROMOTED = "not_promoted"
    SWITCHED_OFF = "switched_off"
    NO_OPTIONS = "no_options"
    SURPRISED = "surprised"
    ORACLE_FAILED = "oracle_failed"
    ORACLE_INCOMPLETE = "oracle_incomplete"
    NONE = "none"
    BELOW = "below"
    UNBOUND = "unbound"
    BELOW_BOUND = "below_bound"


NO_ANSWER = frozenset({Reason.ORACLE_FAILED, Reason.ORACLE_INCOMPLETE})
"""The codes of a decision that a System-One model had no answer for."""

SENTENCES: Mapping[Reason, str] = {
    Reason.NOT_AFTER_CALL: "the last step is not a call",
    Reason.NOT_PROMOTED: "the flow is not promoted at this site",
    Reason.SWITCHED_OFF: "the flow is switched off at this site",
    Reason.NO_OPTIONS: "training saw no lookup at this site",
    Reason.ORACLE_INCOMPLETE: "the System-One model left a question unanswered",
    Reason.NONE: "no lookup has any probability here",
}
"""The texts of the reasons that carry no data."""


@dataclass(frozen=True, slots=True)
class HandBack:
    """Leaving the next step to the agent."""

    code: Reason
    text: str
    chance: float | None = field(default=None, compare=False)
    """That of the arguments, where the lookup that was given up has some."""

    @classmethod
    def plain(cls, code: Reason) -> "HandBack":
        """A reason that carries no data."""
        return cls(code, SENTENCES[code])

    @classmethod
    def below(cls, tool: str, p: float, threshold: float) -> "HandBack":
        """The likeliest lookup is not likely enough."""
        return cls(Reason.BELOW, f"{tool} at {p:.2f}, below {_shortest(threshold)}")

    @classmethod
    def below_bound(
        cls, tool: str, p: float, chance: float, threshold: float
    ) -> "HandBack":
        """Likely enough alone, but not with the arguments it would have."""
        text = f"{tool} at {p:.2f}, times {chance:.2f} for its arguments, below "
        return cls(Reason.BELOW_BOUND, text + _shortest(threshold), chance)

    @classmethod
    def oracle_failed(cls, error: OracleError) -> "HandBack":
        """There is no answer to what was asked."""
        text = f"the System-One model did not answer: {error}"
        return cls(Reason.ORACLE_FAILED, text)

    @classmethod
    def unbound(cls, tool: str, why: str) -> "HandBack":
        """An argument has nowhere to come from."""
        return cls(Reason.UNBOUND, f"{tool}: {why}")


@dataclass(frozen=True, slots=True)
class Lookup:
    """A read-only call for the flow to make."""

    tool: str
    arguments: Mapping[str, Json]
    p: float
    chance: float
    """How often arguments bound this way were the agent's own."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice at one site."""

    site: Site | None
    action: Lookup | HandBack
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """Each option's, `respond` among them; empty where the flow did not weigh any."""
    request: Request | None = None
    """What a System-One model was, or would have been, asked; its key is a log's."""
    response: Response | None = None
    """What it answered."""


def _shortest(threshold: float) -> str:
    return number(threshold).removesuffix(".0")
