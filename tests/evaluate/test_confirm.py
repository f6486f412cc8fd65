"""The audit of the confirmation judge: every judged write counted once, by group."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from stretto.canonical import Json
from stretto.episodes.episode import AssistantTurn, Episode, UserMessage
from stretto.errors import OracleError
from stretto.evaluate.confirm import (
    ConfirmAudit,
    Count,
    Kind,
    audit_confirm,
    requests,
)
from stretto.evaluate.judged import gather
from stretto.guards.agreed import is_agreement
from stretto.guards.confirm import Asked, Judging
from stretto.guards.evidence import Group
from stretto.guards.load import load
from stretto.guards.retail import GUARDS as RETAIL
from stretto.oracle.answer import Answer, NoulAnswer
from stretto.oracle.batch import distinct
from stretto.oracle.mock import Mock
from stretto.oracle.question import Criteria, Noul, Request
from stretto.oracle.scripted import ScriptedOracle
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.guards.world import ORDER, read_order

CANCEL = "cancel_pending_order"
GIVEN = {"order_id": "#W1", "reason": "no longer needed"}
CANCELLED = ORDER | {"status": "cancelled"}
SESSIONS = {
    "retail": (
        "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"
    ),
    "airline": "sessions/tau1-airline-yiphei",
}
BOTH = Judging(Asked.PROPOSED)


def session(said: str, *, reward: float | None = 1.0, result: object = CANCELLED):
    told = read_order().reply("Shall I cancel #W1?").user(said)
    return told.turn((CANCEL, GIVEN, result)).episode(said, reward=reward)


def scripted(answers: Mapping[tuple[str, str], float]) -> ScriptedOracle:
    """Answers by what the customer replied and the question's id."""

    def answer(request: Request) -> dict[str, Answer]:
        assert isinstance(request.state, dict)
        [asked] = request.questions
        p = answers.get((str(request.state["customer_replied"]), asked))
        if p is None:
            raise OracleError("nobody knows")
        return {asked: NoulAnswer(p)}

    return ScriptedOracle(answer)


def audit(*episodes: Episode, judging: Judging = BOTH, **answers: object):
    oracle = scripted(answers["answers"])  # type: ignore[arg-type]
    found = gather(RETAIL, episodes)
    return audit_confirm(RETAIL, found, judging, oracle, shipped_wording())


@claim("judge:question")
def test_each_count_is_of_the_writes_that_its_judge_fails() -> None:
    found = audit(
        session("yes"), session("hm"), session("yes, both", reward=0.0),
        answers={
            ("yes", "confirmed"): 0.5, ("yes", "proposed"): 0.4,
            ("hm", "confirmed"): 0.4, ("hm", "proposed"): 0.9,
            ("yes, both", "confirmed"): 0.1, ("yes, both", "proposed"): 0.9,
        },
    )  # fmt: skip

    assert {c: found.counts[Group.SUCCESSFUL, c] for c in Count} == {
        Count.WRITES: 2, Count.WORD_LIST: 1, Count.JUDGE: 1, Count.TWO_QUESTIONS: 2,
        Count.BOTH: 1, Count.UNANSWERED: 0, Count.PROPOSAL_CHECK: 0,
    }  # fmt: skip
    assert found.counts[Group.FAILED, Count.JUDGE] == 1
    assert found.counts[Group.FAILED, Count.BOTH] == 0
    examples = {k: [e.write.episode for e in v] for k, v in found.examples.items()}
    assert examples == {
        Kind.JUDGE_ONLY: ["yes, both"], Kind.WORD_LIST_ONLY: [],
        Kind.SECOND_ONLY: ["yes"],
    }  # fmt: skip


def test_what_is_not_answered_fails_nothing_and_is_counted() -> None:
    found = audit(session("hm"), session("yes"), answers={("yes", "confirmed"): 0.2})

    assert found.counts[Group.SUCCESSFUL, Count.UNANSWERED] == 2
    assert found.counts[Group.SUCCESSFUL, Count.JUDGE] == 1
    assert found.counts[Group.SUCCESSFUL, Count.TWO_QUESTIONS] == 1
    assert found.examples[Kind.WORD_LIST_ONLY] == []
    assert found.examples[Kind.JUDGE_ONLY][0].p_second is None


def test_a_refused_write_is_a_group_of_its_own_and_fails_no_session() -> None:
    no = {("hm", "confirmed"): 0.1}
    accepted, refused = session("hm", reward=0.0), session("hm", result=ValueError("x"))
    found = audit(accepted, accepted, refused, answers=no, judging=Judging())

    assert found.counts[Group.REFUSED, Count.JUDGE] == 1
    assert found.episodes == {
        (Group.FAILED, Count.JUDGE): 2, (Group.FAILED, Count.WORD_LIST): 2,
    }  # fmt: skip
    assert found.accepted == 2


def test_writes_that_never_returned_and_other_domains_are_left_out() -> None:
    lost = session("yes", result=None)
    found = gather(RETAIL, [lost, replace(session("yes"), domain="airline")])

    assert (found.writes, found.unreturned, found.elsewhere) == ((), 1, 1)


def test_examples_are_the_first_ones() -> None:
    answers = {(f"yes {n}", "confirmed"): 0.1 for n in range(5)}
    found = gather(RETAIL, [session(f"yes {n}") for n in range(5)])
    made = audit_confirm(
        RETAIL, found, Judging(), scripted(answers), shipped_wording(), n_examples=2
    )

    kept = made.examples[Kind.JUDGE_ONLY]
    assert [e.write.episode for e in kept] == ["yes 0", "yes 1"]


def by_hash(request: Request) -> dict[str, Answer]:
    """A probability that a request alone decides; some questions stay open."""
    [asked] = request.questions
    byte = hashlib.sha256(request.key.encode()).digest()[0]
    if byte < 20:
        raise OracleError("nobody knows")
    return {asked: NoulAnswer(byte / 255)}


@pytest.mark.parametrize("domain", sorted(SESSIONS))
@claim("judge:question")
def test_the_counts_are_those_of_a_literal_recount_of_recorded_sessions(domain) -> None:
    guards, oracle = load(domain).guards, ScriptedOracle(by_hash)
    episodes = [*read([shared(SESSIONS[domain])])]
    found = gather(guards, episodes)
    made = audit_confirm(guards, found, BOTH, oracle, shipped_wording())
    [rule] = [g for g in guards.rules if g.rule.endswith(".confirmed")]
    literal: Counter[tuple[str, str]] = Counter()
    sessions: Counter[tuple[str, str]] = Counter()
    for episode in episodes:
        sessions.update(recounted(episode, rule.tools, literal))

    assert {k: n for k, n in made.counts.items() if k[1] != "proposal_check"} == literal
    assert made.episodes == sessions
    assert found.writes
    for count in Count:
        assert any(made.counts[group, count] for group in Group)


def recounted(
    episode: Episode, tools: frozenset[str], literal: Counter[tuple[str, str]]
) -> set[tuple[str, str]]:
    """What section 4 of the guards' spec says, read off the events; failing ways."""
    words, agent, proposal, customer = shipped_wording(), "", "", ""
    failing = set()
    reward = episode.reward
    graded = "successful" if reward and reward > 1 - 1e-9 else "failed"
    ended = f"accepted_{'ungraded' if reward is None else graded}"
    for event in episode.events:
        if isinstance(event, UserMessage):
            proposal, customer = agent, event.text
        if not isinstance(event, AssistantTurn):
            continue
        for call in event.calls:
            [result] = [
                e for e in episode.events if getattr(e, "call_id", None) == call.id
            ] or [None]
            if call.tool not in tools or result is None:
                continue
            state: Json = {
                "agent_said_last": proposal[-1500:],
                "customer_replied": customer[:600],
                "call_about_to_be_made": {
                    "tool": call.tool, "arguments": call.arguments,
                },
            }  # fmt: skip
            ps = {}
            for asked in ("confirmed", "proposed"):
                one = literal_request(state, asked, words)
                try:
                    [answer] = by_hash(one).values()
                    ps[asked] = answer.noul  # type: ignore[union-attr]
                except OracleError:
                    pass
            listed = is_agreement(customer)
            judge = ps.get("confirmed", 1.0) < 0.5
            two = judge or ps.get("proposed", 1.0) < 0.5
            marks = {
                "writes": True, "word_list": not listed, "judge": judge,
                "two_questions": two, "both": judge and not listed,
                "unanswered": len(ps) < 2,
            }  # fmt: skip
            group = "refused" if result.error else ended
            literal.update((group, name) for name, holds in marks.items() if holds)
            if group == ended:
                ways = ("word_list", "judge", "two_questions")
                failing |= {(ended, way) for way in ways if marks[way]}
        if event.text and event.text.strip():
            agent = event.text
    return failing


def literal_request(state: Json, asked: str, words) -> Request:
    text = f"{words.data_note} {getattr(words, asked)}"
    criteria = Criteria(
        getattr(words, f"{asked}_true"), getattr(words, f"{asked}_false")
    )
    return Request("scripted", state, {asked: Noul(text, criteria)})


def test_a_model_that_is_open_about_everything_fails_no_recorded_write() -> None:
    found = gather(RETAIL, read([shared(SESSIONS["retail"])]))
    asked = distinct(requests(found, BOTH, "mock", shipped_wording()))
    made: ConfirmAudit = audit_confirm(RETAIL, found, BOTH, Mock(), shipped_wording())

    assert len(found.writes) == 202
    assert 0 < len(asked) <= 404
    assert [made.counts[g, Count.WRITES] for g in Group] == [106, 53, 0, 43]
    assert [made.counts[g, Count.WORD_LIST] for g in Group] == [2, 2, 0, 0]
    assert not any(made.counts[g, Count.TWO_QUESTIONS] for g in Group)
