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


def match_document(audit: MatchAudit, name: str, oracle: str) -> Document:
    """What `oracle` picks at the writes of the domain `name`."""
    title = f"Matching of {name}"
    if not audit.matchable.picks:
        return Document(title, (Prose(f"There was nothing to ask. {_left(audit)}"),))
    return Document(
        title,
        (
            _key(audit),
            Prose(f"Asked of {oracle}. {_left(audit)}"),
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
    n, answered = audit.total(Tally.CHOICES), audit.total(Tally.ANSWERED)
    model, agent = audit.total(Tally.MODEL_RIGHT), audit.total(Tally.AGENT_RIGHT)
    return Key(
        (
            (_share(model, answered), "of the picks asked about, the model is right"),
            (_share(agent, n), "of all picks, the agent is"),
            (f"{n:,}", "picks"),
        )
    )


def _left(audit: MatchAudit) -> str:
    found = audit.matchable
    text = (
        f"Of {found.sessions:,} sessions, {found.without_task:,} do not say what their "
        f"task expects. At {found.unexpected:,} more picks it expects no such write."
    )
    if missing := audit.total(Tally.CHOICES) - audit.total(Tally.ANSWERED):
        text += f" {missing:,} picks have no answer."
    return text


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
