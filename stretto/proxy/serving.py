"""How a flow is served: its limits, and what is done with what it looked up."""

from dataclasses import dataclass
from enum import StrEnum

from stretto.flow.caps import PER_CALL, PER_SESSION
from stretto.flow.decide import THRESHOLD
from stretto.guards.confirm import Judging
from stretto.guards.guard import Guards

HOLD_S = 5.0
"""How many seconds a result is held at most; hosts give a call up after 60."""
PATIENCE_S = 3.0
"""How many of them one lookup may take."""
LOOKUP_CHARS = 8_000
"""How many characters of one lookup's result are added at most."""
ANSWER_S = 1.5
"""How many seconds a System-One model may take over one decision."""
QUESTIONS = 300
"""How many decisions of a session may ask one."""
CONFIRMATIONS = 100
"""How many questions of a session may be asked about its writes."""
RESULT_CHARS = 50_000
"""How long a result may become; hosts put longer ones aside."""


class Structured(StrEnum):
    """What becomes of a result's structured content when lookups are added to it."""

    AUTO = "auto"
    """It holds them too, where its schema lets it or could be made to."""
    TEXT = "text"
    """It stays as it is, and they are added as text alone."""
    STRIP = "strip"
    """It is taken out, and its schema out of the list of tools."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """Now and then another lookup than the flow's choice, at a known rate."""

    epsilon: float
    """How often, between 0 and 1; at 0 the choices are logged in the same way."""
    seed: int = 0
    task: str = ""


@dataclass(frozen=True, slots=True)
class Confirming:
    """Whether the customer agreed to writes, as a System-One model is asked."""

    judging: Judging
    model: str
    """The model that requests name."""
    is_enforced: bool = False
    """Whether a write that fails is refused; otherwise that is only logged."""
    questions: int = CONFIRMATIONS
    """How many questions of a session may be asked."""


@dataclass(frozen=True, slots=True)
class Serving:
    """One session's settings."""

    token: str
    """Letters and digits drawn for this session, for the ids of the proxy's calls."""
    task: str = ""
    """What the session is about, which says which fold of an arbiter judges it."""
    threshold: float = THRESHOLD
    per_call: int = PER_CALL
    per_session: int = PER_SESSION
    hold_s: float = HOLD_S
    patience_s: float = PATIENCE_S
    answer_s: float = ANSWER_S
    questions: int = QUESTIONS
    lookup_chars: int = LOOKUP_CHARS
    result_chars: int = RESULT_CHARS
    shadow: bool = False
    """Whether the flow only decides, and looks nothing up."""
    grants: frozenset[str] | None = None
    """The only tools it may call; None for every read."""
    server: str | None = None
    """What a flow learned across servers calls this one."""
    structured: Structured = Structured.AUTO
    relists: bool = True
    """Whether schemas may be changed where the server lists its tools."""
    exploration: Exploration | None = None
    commit: bool = False
    """Whether the host is offered `stretto_commit`."""
    guards: Guards | None = None
    """What is to be checked before a call, if anything is."""
    guards_shadow: bool = False
    """Whether guards only log, and refuse nothing."""
    refuses_unnamed: bool = True
    """Whether a judged write may wait on a stream that no request names."""
    confirming: Confirming | None = None
    """How writes that the guards let pass are judged, if they are."""
