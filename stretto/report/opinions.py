"""The part of phase 0 about a System-One model: its answers, weighed and projected."""

from collections.abc import Iterable, Mapping

from stretto.canonical import Json
from stretto.evaluate.agreement import Agreement
from stretto.evaluate.calibration import Bin
from stretto.evaluate.closed import MAX_OPTIONS
from stretto.evaluate.intervals import Share
from stretto.evaluate.outlook import OutlookRow
from stretto.evaluate.projection import Design
from stretto.evaluate.transfer import POOLED
from stretto.learn.opinions import Opinions
from stretto.learn.value_opinions import ValueOpinions
from stretto.report.document import Heading, Part, Prose, table
from stretto.report.phase0_outlook import is_worth_it
from stretto.report.shares import percent, share_json


def opinion_parts(found: Opinions, names: Mapping[str, str]) -> Iterable[Part]:
    """How the model agreed with the agents, and what it would save."""
    yield Heading("What an oracle adds")
    yield Prose(
        f"{found.model} was asked at {found.asked:,} of {found.decisions:,} held-out "
        f"steps after a call, those whose site has a lookup to offer, and answered "
        f"{found.answered:,}. It is asked one question for the next step, and two "
        "halves of it; the arbiter weighs both against the habit, in five folds of "
        "tasks. A read that the site does not offer counts as a miss."
    )
    yield table(
        ("decider", "agreed", "agreed to stop", "Brier", "log loss, nats", "ECE"),
        [
            (
                name, percent(a.agreed), percent(a.stop_agreed), f"{a.brier:.3f}",
                f"{a.log_loss:.3f}", f"{a.ece:.3f}",
            )
            for name, a in _deciders(found)
        ],
    )  # fmt: skip
    yield Prose("How much of that is sure, and how often it then agreed:")
    yield table(
        ("decider", "at", "so sure", "of those, agreed"),
        [
            (name, f"{threshold:g}", percent(sure), percent(agreed))
            for name, a in _deciders(found)
            for threshold, sure, agreed in a.curve
        ],
    )
    yield from _agents(found, names)
    yield from _values(found)
    yield table(("weight", "mean over folds"), [(w, f"{x:.3f}") for w, x in
                                                 found.weights])  # fmt: skip
    yield from _savings(found, names)


def opinions_json(found: Opinions) -> Json:
    """The same as JSON; savings are with those of the other scenarios."""
    return {
        "model": found.model,
        "decisions": found.decisions,
        "asked": found.asked,
        "answered": found.answered,
        "one": _agreement_json(found.one),
        "split": _agreement_json(found.split),
        "arbiter": _agreement_json(found.arbiter),
        "by_agent": {name: _agreement_json(a) for name, a in found.by_agent.items()},
        "weights": dict(found.weights),
        "values": _values_json(found.values),
        "any_tool": None
        if found.any_tool is None
        else {
            "asked": found.any_tool.asked,
            **_agreement_json(found.any_tool.agreement),
            "values": _values_json(found.any_tool.values),
        },
    }


def _deciders(found: Opinions) -> list[tuple[str, Agreement]]:
    asked = [
        ("one question", found.one),
        ("split questions", found.split),
        ("arbiter", found.arbiter),
    ]
    if found.any_tool is not None:
        asked.append(("of any tool", found.any_tool.agreement))
    return asked


def _values(found: Opinions) -> Iterable[Part]:
    """How often arguments were picked as the agents passed them."""
    every = {"a lookup": found.values}
    if found.any_tool is not None:
        every["any call"] = found.any_tool.values
    yield Prose(
        "Arguments of calls after a call whose value stands in nothing said before, or "
        "is too short to tell. The model is asked where training knows two values or "
        f"more, up to {MAX_OPTIONS}; one alone is taken, and the rest is a pause. "
        "A lookup is not asked about numbers."
    )
    yield table(
        ("of", "asked", "agreed", "one value", "took it", "not asked"),
        [
            (
                of, v.asked, _percent(v.agreement.agreed), v.fixed,
                _percent(v.fixed_agreed), v.unanswerable,
            )
            for of, v in every.items()
        ],
    )  # fmt: skip
    rows = [(of, row) for of, v in every.items() for row in v.rows]
    if rows:
        yield table(
            ("of", "argument", "values", "answered", "agreed"),
            [
                (of, f"{row.place.tool} {row.place.argument}", row.options,
                 f"{row.agreed.whole:,.0f}", percent(row.agreed))
                for of, row in rows
            ],
            text=2,
        )  # fmt: skip


def _percent(share: Share) -> str:
    return percent(share) if share.whole else "–"


def _values_json(found: ValueOpinions) -> Json:
    return {
        "asked": found.asked,
        "fixed": found.fixed,
        "fixed_agreed": share_json(found.fixed_agreed),
        "not_asked": found.unanswerable,
        **_agreement_json(found.agreement),
        "arguments": [
            {
                "tool": row.place.tool, "argument": row.place.argument,
                "values": row.options, "agreed": share_json(row.agreed),
            }
            for row in found.rows
        ],
    }  # fmt: skip


def _agents(found: Opinions, names: Mapping[str, str]) -> Iterable[Part]:
    yield Prose("The arbiter, agent by agent:")
    yield table(
        ("agent", "decisions", "agreed", "ECE"),
        [
            (names.get(agent, agent), f"{a.agreed.whole:,.0f}", percent(a.agreed),
             f"{a.ece:.3f}")
            for agent, a in found.by_agent.items()
        ],
    )  # fmt: skip


def _savings(found: Opinions, names: Mapping[str, str]) -> Iterable[Part]:
    yield Prose(
        "What a flow that only reads would save where the habit is relied on in the "
        "contexts that held up, and elsewhere whoever the row names decides, when at "
        "least so sure:"
    )
    pooled = [
        row
        for row in found.rows
        if row.agent == POOLED and row.design is Design.READ_ONLY
    ]
    yield table(
        ("decided by", "at", "turns saved", "prompt tokens", "dollars",
         "with a detour"),
        [_row(row) for row in pooled],
        text=1,
    )  # fmt: skip
    own = [row for row in found.rows if row.agent != POOLED]
    if own:
        yield Prose("The likeliest lookup, agent by agent:")
        yield table(
            ("agent", "at", "turns saved", "of at most", "with a detour"),
            [
                (names.get(row.agent, row.agent), f"{row.threshold:g}",
                 percent(row.turns), percent(row.ceiling), percent(row.with_detour))
                for row in own
            ],
        )  # fmt: skip

    writing = [row for row in found.rows if row.design is Design.ANY_TOOL]
    if writing:
        yield Prose(
            "The same of a flow that may call any tool, by what was answered with all "
            "of them as options. It also makes calls that the agent did not make, or "
            "with other arguments:"
        )
        yield table(
            ("decided by", "at", "turns saved", "prompt tokens", "dollars",
             "with a wrong call", "pauses for an argument", "gate met"),
            [
                (*_row(row)[:-1], percent(row.with_wrong), str(row.arguments),
                 "yes" if is_worth_it(row) else "no")
                for row in writing
            ],
            text=1,
        )  # fmt: skip


def _row(row: OutlookRow) -> tuple[str, ...]:
    return (
        row.scenario,
        f"{row.threshold:g}",
        percent(row.turns),
        percent(row.prompt),
        percent(row.dollars),
        percent(row.with_detour),
    )


def _agreement_json(found: Agreement) -> dict[str, Json]:
    return {
        "agreed": share_json(found.agreed),
        "stop_agreed": share_json(found.stop_agreed),
        "brier": found.brier,
        "log_loss": found.log_loss,
        "ece": found.ece,
        "curve": [
            {"threshold": t, "share": share_json(s), "agreed": share_json(agreed)}
            for t, s, agreed in found.curve
        ],
        "bins": [_bin_json(b) for b in found.bins],
    }


def _bin_json(one: Bin) -> Json:
    return {
        "from": one.low,
        "decisions": one.decisions,
        "mean_prob": one.mean_p,
        "agreement": one.agreement,
    }
