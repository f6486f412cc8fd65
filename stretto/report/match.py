"""Which record the customer meant: the model's picks beside the agents'."""

from stretto.evaluate.match import CONFIDENT, MatchAudit, Tally
from stretto.guards.match import Picks
from stretto.report.document import Document, Heading, Key, Prose, Table, table

_KINDS = {
    Picks.ITEMS: "items of an order",
    Picks.VARIANT: "variant of an item",
    Picks.PAYMENT: "payment method",
    Picks.RESERVATION: "reservation",
}


def match_document(audit: MatchAudit, name: str, oracle: str | None) -> Document:
    """
    What `oracle` picks at the writes of the domain `name`; if None, the agents alone.
    """
    title = f"Matching of {name}"
    if not audit.matchable.picks:
        return Document(title, (Prose(f"There was nothing to ask. {_left(audit)}"),))
    if oracle is None:
        text = f"Nobody was asked. {_left(audit)}"
        heads = Tally.CHOICES, Tally.NOT_OFFERED, Tally.AGENT_RIGHT
        parts = Key(_agents(audit)), Prose(text), Heading("Picks"), Prose(_HOW_TO_READ)
        return Document(title, (*parts, _table(audit, heads)))
    return Document(
        title,
        (
            _key(audit),
            Prose(f"Asked of {oracle}. {_left(audit)}{_unanswered(audit)}"),
            Heading("Picks"),
            Prose(_HOW_TO_READ),
            _picks(audit),
            Heading("Where the two differ"),
            Prose(_DIFFERENCES),
            _differences(audit),
        ),
    )


_HOW_TO_READ = (
    "A pick is right where it is what the task expects of that write. Where what it "
    "expects is not among the records read by then, nobody could pick it."
)
_DIFFERENCES = (
    "A pick that differs from the agent's would be an alarm: a true one where the "
    f"agent is wrong. A confident one has a probability of at least {CONFIDENT:g}, of "
    "the least certain item where several are picked."
)


def _key(audit: MatchAudit) -> Key:
    answered, model = audit.total(Tally.ANSWERED), audit.total(Tally.MODEL_RIGHT)
    share = _share(model, answered)
    first = (share, "of the picks asked about, the model is right")
    return Key((first, *_agents(audit)))


def _agents(audit: MatchAudit) -> tuple[tuple[str, str], ...]:
    n, right = audit.total(Tally.CHOICES), audit.total(Tally.AGENT_RIGHT)
    return (_share(right, n), "of all picks, the agent is right"), (f"{n:,}", "picks")


def _left(audit: MatchAudit) -> str:
    found = audit.matchable
    return (
        f"Of {found.sessions:,} sessions, {found.without_task:,} do not say what their "
        f"task expects. At {found.unexpected:,} more picks it expects no such write."
    )


def _unanswered(audit: MatchAudit) -> str:
    missing = audit.total(Tally.CHOICES) - audit.total(Tally.ANSWERED)
    return f" {missing:,} picks have no answer." if missing else ""


def _picks(audit: MatchAudit) -> Table:
    heads = (
        Tally.CHOICES,
        Tally.NOT_OFFERED,
        Tally.ANSWERED,
        Tally.MODEL_RIGHT,
        Tally.AGENT_RIGHT,
    )
    return _table(audit, heads)


def _differences(audit: MatchAudit) -> Table:
    heads = (
        Tally.DIFFER,
        Tally.DIFFER_AGENT_WRONG,
        Tally.CONFIDENT_DIFFER,
        Tally.CONFIDENT_AGENT_WRONG,
    )
    return _table(audit, heads)


def _table(audit: MatchAudit, tallies: tuple[Tally, ...]) -> Table:
    asked = [picks for picks in Picks if audit.counts[picks, Tally.CHOICES]]
    return table(
        ("what is picked", *(tally.value.replace("_", " ") for tally in tallies)),
        [
            (_KINDS[picks], *(f"{audit.counts[picks, t]:,}" for t in tallies))
            for picks in asked
        ],
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
