"""The confirmation judge against recorded sessions, beside the word list."""

from collections.abc import Sequence

from stretto.counted import counted
from stretto.evaluate.confirm import FAILURES, ConfirmAudit, Count, Example, Kind
from stretto.evaluate.guards import ENDED
from stretto.guards.evidence import Group
from stretto.report.document import Document, Heading, Key, Part, Prose, Table, table

MAX_MESSAGE = 160
"""Characters of a message that an example shows."""

_BECAME = {
    Group.SUCCESSFUL: "accepted; succeeded",
    Group.FAILED: "accepted; failed",
    Group.UNGRADED: "accepted; ungraded",
    Group.REFUSED: "refused",
}
_HEADS = {
    Count.WRITES: "writes",
    Count.WORD_LIST: "word list fails",
    Count.JUDGE: "judge fails",
    Count.TWO_QUESTIONS: "two questions fail",
    Count.BOTH: "both fail",
    Count.UNANSWERED: "unanswered",
    Count.PROPOSAL_CHECK: "flagged by no model",
}
_KINDS = {
    Kind.JUDGE_ONLY: "The judge alone fails these",
    Kind.WORD_LIST_ONLY: "The word list alone fails these",
    Kind.SECOND_ONLY: "The second question alone fails these",
}


def confirm_document(audit: ConfirmAudit, name: str, oracle: str | None) -> Document:
    """
    What `oracle` says of the writes of the domain `name`; if None, the word list alone.
    """
    title = f"Confirmations of {name}"
    if not audit.gathered.writes:
        n = sum(audit.gathered.sessions.values())
        text = f"There was no write to judge in {counted(n, 'session')}."
        return Document(title, (Prose(text),))
    counts = _counts(audit, oracle)
    ways = [way for way in FAILURES if way in counts]
    how = _FLAGS if oracle is None else f"{_HOW_TO_READ} {_FLAGS}"
    parts: list[Part] = [_key(audit, ways), Prose(_reading(audit, oracle))]
    parts += [Heading("Writes"), Prose(how), _writes(audit, counts)]
    failing = _sessions(audit, ways)
    parts += [Heading("Sessions with an accepted write that fails"), failing]
    for kind, examples in audit.examples.items():
        if examples:
            parts += [Heading(_KINDS[kind]), _examples(audit, examples)]
    return Document(title, tuple(parts))


_HOW_TO_READ = (
    "The judge fails a write where its probability of a yes is below the threshold. "
    "Both fail where the word list finds no yes either."
)
_FLAGS = (
    "The last column is a check of the arguments against the record that the customer "
    "named, which asks no model."
)


def _key(audit: ConfirmAudit, ways: Sequence[Count]) -> Key:
    n = audit.accepted
    counts = [(way, _accepted(audit, way)) for way in ways]
    return Key(
        (
            (f"{n:,}", "writes judged that the tools accepted"),
            *((f"{found:,}", f"of them: {_HEADS[way]}") for way, found in counts),
        )
    )


def _reading(audit: ConfirmAudit, oracle: str | None) -> str:
    judging, gathered = audit.judging, audit.gathered
    asked = " and ".join(f"`{asked}`" for asked in judging.asked)
    text = (
        "Nobody was asked."
        if oracle is None
        else (
            f"Asked of {oracle}: {asked}, with a threshold of {judging.threshold:g}. "
            f"{_agreement(audit)}"
        )
    )
    if gathered.unreturned:
        n = counted(gathered.unreturned, "write")
        text += f" Not counted: {n} without a result."
    if gathered.elsewhere:
        n = counted(gathered.elsewhere, "session")
        text += f" Not counted: {n} of another domain."
    return text


def _agreement(audit: ConfirmAudit) -> str:
    missing = sum(audit.counts[group, Count.UNANSWERED] for group in ENDED)
    if missing:
        return (
            f"{counted(missing, 'accepted write')} without every answer: what is not "
            "answered fails nothing."
        )
    failed = _accepted(audit, Count.WORD_LIST) + _accepted(audit, Count.JUDGE)
    apart = failed - 2 * _accepted(audit, Count.BOTH)
    n = audit.accepted
    if not n:
        return "None of the writes was accepted."
    share = (n - apart) / n
    return f"The judge and the word list agree on {share:.1%} of {n:,} accepted writes."


def _writes(audit: ConfirmAudit, counts: Sequence[Count]) -> Table:
    return table(
        ("what became of them", *(_HEADS[count] for count in counts)),
        [
            (_BECAME[group], *(f"{audit.counts[group, c]:,}" for c in counts))
            for group in Group
            if audit.counts[group, Count.WRITES]
        ],
    )


def _sessions(audit: ConfirmAudit, ways: Sequence[Count]) -> Table:
    return table(
        ("sessions", "all", *(_HEADS[way] for way in ways)),
        [
            (
                _BECAME[group].partition("; ")[2],
                f"{audit.gathered.sessions[group]:,}",
                *(f"{audit.episodes[group, way]:,}" for way in ways),
            )
            for group in ENDED
            if audit.gathered.sessions[group]
        ],
    )


def _examples(audit: ConfirmAudit, examples: Sequence[Example]) -> Table:
    heads = ["session", "call", "what became of it", "the agent", "the customer", "p"]
    if audit.judging.second is not None:
        heads.append("second p")
    return table(
        heads,
        [
            (
                found.write.episode,
                found.write.call.tool,
                _BECAME[found.write.group],
                shown(found.write.exchange.proposal),
                shown(found.write.exchange.customer),
                *map(_p, (found.p_yes, found.p_second)[: len(heads) - 5]),
            )
            for found in examples
        ],
        text=5,
    )


def shown(message: str) -> str:
    """A message on one line, cut at 160 characters."""
    words = " ".join(message.split())
    return words if len(words) <= MAX_MESSAGE else f"{words[: MAX_MESSAGE - 1]}…"


def _counts(audit: ConfirmAudit, oracle: str | None) -> list[Count]:
    """What is told of the writes: without an oracle, what takes none."""
    if oracle is None:
        return [Count.WRITES, Count.WORD_LIST, Count.PROPOSAL_CHECK]
    return [c for c in Count if audit.judging.second or c is not Count.TWO_QUESTIONS]


def _accepted(audit: ConfirmAudit, count: Count) -> int:
    return sum(audit.counts[group, count] for group in ENDED)


def _p(p: float | None) -> str:
    return "–" if p is None else f"{p:.2f}"
