"""An audit, for a reader who has to decide whether to trust the flow."""

from stretto.counted import counted
from stretto.evaluate.audit import Audit
from stretto.flow.decision import SENTENCES, Reason
from stretto.report.document import (
    Document,
    Figure,
    Heading,
    Key,
    Part,
    Prose,
    table,
)
from stretto.report.drawing import Drawing

MAX_BARS = 20

_WHY = {
    **SENTENCES,
    Reason.SURPRISED: "the session is too unlike those it learned from",
    Reason.ORACLE_FAILED: "the System-One model gave no answer",
}


def audit_document(
    audit: Audit, name: str, draw: Drawing | None = None, *, each_call: bool = False
) -> Document:
    """The audit of the flow called `name`, with figures where they can be drawn."""
    title = f"Audit of {name}"
    if not audit.decisions:
        nothing = Prose(
            f"The flow decided nowhere in {counted(audit.episodes, 'session')}. "
            + _skipped(audit)
        )
        return Document(title, (nothing,))
    scored = Prose(
        "Every call of a turn is scored, each behind the one before and its result."
        if each_call
        else "Of a turn of several calls the first is scored."
    )
    parts: list[Part] = [_key(audit), Prose(_reading(audit)), scored]
    parts += [Heading("Calibration"), Prose(_calibration_reading(audit))]
    if draw is not None:
        bins = [(b.mean_p, b.agreement, b.decisions) for b in audit.calibration]
        drawn = draw.reliability([b for b in bins if b[2]])
        parts.append(
            Figure(drawn, "On the dashed line, a probability means what it says.")
        )
    parts.append(_calibration_table(audit))
    parts.append(Heading("Sites"))
    if draw is not None:
        sites = [(s.site, -s.mean_log_p, s.decisions) for s in audit.sites[:MAX_BARS]]
        drawn = draw.surprise_by_site(sites)
        parts.append(Figure(drawn, "Mean surprise where the flow decided most."))
    parts.append(_sites_table(audit))
    parts += [Heading("The most surprising sessions"), _surprising_table(audit)]
    return Document(title, tuple(parts))


def _key(audit: Audit) -> Key:
    return Key(
        (
            (f"{audit.agreement:.1%}", "of decisions: the likeliest option was taken"),
            (f"{-audit.mean_log_p:.3f}", "nats of surprise a decision"),
            (f"{audit.ece:.3f}", "expected calibration error"),
            (f"{audit.decisions:,}", f"decisions in {audit.episodes:,} sessions"),
        )
    )


def _reading(audit: Audit) -> str:
    missed = audit.decisions - audit.offered
    text = f"Domain {audit.domain}, decided by the {audit.decider}. "
    if audit.decider != audit.served_by:
        text += (
            f"Served, the flow is decided by {audit.served_by}; an audit asks for "
            "probabilities of the one next step. "
        )
    text += (
        f"The agents' steps have a mean probability of {audit.expected_agreement:.3f}. "
    )
    if missed:
        text += _without(audit, missed)
    if audit.decider == "reach":
        text += "Reach gives each lookup its own chance; what they leave is `respond`. "
    return text + _skipped(audit)


def _without(audit: Audit, missed: int) -> str:
    """The surprise without the reads that a site does not offer."""
    offered, among = (
        f"{-nats:.3f}" for nats in (audit.mean_log_p_offered, audit.mean_log_p_among)
    )
    text = (
        f"At {counted(missed, 'decision')} the agent made a read the site does not "
        f"offer; without these the surprise is {offered} nats"
    )
    if among != offered:
        text += f", and {among} where nothing is set aside for such reads"
    return f"{text}. "


def _skipped(audit: Audit) -> str:
    if not audit.skipped:
        return ""
    times = (
        f"{counted(n, 'time')}, {_WHY.get(code, code.value)}"
        for code, n in audit.skipped.items()
    )
    text = f"Handed back before weighing anything: {'; '.join(times)}."
    if audit.unanswered:
        asked = audit.decisions + audit.unanswered
        text += (
            f" Of {counted(asked, 'question')} to the System-One model, "
            f"{audit.unanswered:,} had no answer; nothing here is about those."
        )
    return text


def _calibration_reading(audit: Audit) -> str:
    gap = sum(b.decisions * (b.mean_p - b.agreement) for b in audit.calibration)
    gap /= audit.decisions
    if abs(gap) < 0.02:
        return "Over all decisions the probabilities are neither too high nor too low."
    side = "higher" if gap > 0 else "lower"
    return (
        f"Over all decisions the probabilities are {abs(gap):.2f} {side} than the "
        "agreement they go with."
    )


def _calibration_table(audit: Audit) -> Part:
    return table(
        ("probability", "decisions", "mean", "agreement"),
        [
            (f"{b.low:.1f} to {b.low + 0.1:.1f}", b.decisions, f"{b.mean_p:.3f}",
             f"{b.agreement:.3f}")
            for b in audit.calibration
            if b.decisions
        ],
    )  # fmt: skip


def _sites_table(audit: Audit) -> Part:
    return table(
        ("site", "decisions", "agreement", "nats a decision"),
        [
            (s.site, s.decisions, f"{s.agreement:.3f}", f"{-s.mean_log_p:.3f}")
            for s in audit.sites
        ],
    )


def _surprising_table(audit: Audit) -> Part:
    return table(
        ("session", "task", "decisions", "nats a decision"),
        [
            (e.episode, e.task, e.decisions, f"{-e.mean_log_p:.3f}")
            for e in audit.surprising
        ],
        text=2,
    )
