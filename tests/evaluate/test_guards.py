"""An audit of guards: every write counted once, by what became of it and when."""

from collections import Counter
from dataclasses import replace

import pytest

from stretto.episodes.episode import AssistantTurn, Episode
from stretto.evaluate.guards import GuardAudit, audit_guards, writes
from stretto.guards.evidence import Group, Three
from stretto.guards.guard import Guard, Guards
from stretto.guards.load import load
from stretto.guards.retail import GUARDS as RETAIL
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.guards.world import ORDER, read_order
from tests.toys import Script

CANCEL = "cancel_pending_order"
GIVEN = {"order_id": "#W1", "reason": "no longer needed"}
CANCELLED = ORDER | {"status": "cancelled"}
RUN1 = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"


def good(name: str = "good", reward: float | None = 1.0) -> Episode:
    """A cancellation that breaks no rule, and a second one that the tool refuses."""
    session = read_order().user("yes").turn((CANCEL, GIVEN, CANCELLED))
    return session.turn((CANCEL, GIVEN, ValueError("no"))).episode(name, reward=reward)


def blind(name: str = "blind", reward: float | None = 0.0) -> Episode:
    """A cancellation by somebody unknown of an order that nobody read."""
    return (
        Script()
        .user("hi")
        .turn((CANCEL, GIVEN, CANCELLED))
        .episode(name, reward=reward)
    )


def counts(found: GuardAudit, rule: str) -> dict[str, Three]:
    return {g.value: found.rules[f"retail.{rule}"].of(g) for g in Group}


def test_a_write_counts_by_what_became_of_it_and_of_its_session() -> None:
    found = audit_guards(RETAIL, [good(), blind(), good("u", None)])

    assert found.writes == {
        Group.SUCCESSFUL: 1, Group.FAILED: 1, Group.UNGRADED: 1, Group.REFUSED: 2,
    }  # fmt: skip
    assert counts(found, "pending") == {
        "accepted_successful": Three(1, 0, 0),
        "accepted_failed": Three(0, 0, 1),
        "accepted_ungraded": Three(1, 0, 0),
        "refused": Three(0, 2, 0),
    }
    assert counts(found, "status_checked")["accepted_failed"] == Three(0, 1, 0)
    assert counts(found, "delivered")["refused"] == Three(0, 0, 0)
    assert [found.ended(g) for g in Group] == [1, 1, 1, 0]
    assert [found.refused(g) for g in Group] == [0, 1, 0, 0]


@claim("guards:false-alarm")
def test_a_failure_in_a_session_that_succeeded_is_counted_as_a_false_alarm() -> None:
    found = audit_guards(RETAIL, [blind("a", 1.0), blind("b", 0.0), good()])
    alarm = found.rules["retail.status_checked"]

    assert alarm.episodes == {Group.SUCCESSFUL: 1, Group.FAILED: 1}
    assert found.refused(Group.SUCCESSFUL) == 1
    assert [firing.group for firing in alarm.firings] == [
        Group.SUCCESSFUL, Group.FAILED,
    ]  # fmt: skip
    assert alarm.firings[0].reason == "the order was not looked up"


def test_a_logged_rule_and_a_refused_write_refuse_no_session() -> None:
    silent = read_order().turn((CANCEL, GIVEN, CANCELLED)).episode()
    late = read_order(status="delivered").user("yes")
    refused = late.turn((CANCEL, GIVEN, ValueError("no"))).episode()
    found = audit_guards(RETAIL, [silent, refused])

    assert counts(found, "confirmed")["accepted_successful"] == Three(0, 1, 0)
    assert counts(found, "pending")["refused"] == Three(0, 1, 0)
    assert found.refused(Group.SUCCESSFUL) == 0


def test_a_turns_calls_are_checked_before_any_of_them_returned() -> None:
    both = (
        read_order().user("yes").turn((CANCEL, GIVEN, CANCELLED), (CANCEL, GIVEN, {}))
    )

    assert counts(audit_guards(RETAIL, [both.episode()]), "pending")[
        "accepted_successful"
    ] == Three(2, 0, 0)


def test_a_write_without_a_result_is_counted_apart() -> None:
    lost = read_order().turn((CANCEL, GIVEN, None)).episode()
    found = audit_guards(RETAIL, [lost])

    assert (found.unanswered, found.writes) == (1, {})


def test_sessions_of_another_domain_are_left_out() -> None:
    other = replace(good(), domain="airline")
    same = replace(good(), domain="retail")
    found = audit_guards(RETAIL, [other, same])

    assert (found.elsewhere, len(found.sessions)) == (1, 1)


def test_the_digest_is_of_the_sessions_in_any_order() -> None:
    def digest(*episodes: Episode) -> str:
        return audit_guards(RETAIL, episodes).digest

    assert digest(good(), blind()) == digest(blind(), good())
    assert digest(good()) == digest(replace(good(), id="renamed"))
    others = (good(), blind(), good("g"), good(reward=0.0), good(reward=None))
    assert len({digest(each) for each in others}) == len(others)
    assert digest() != digest(good())


def test_examples_are_the_first_of_each_rule_and_group() -> None:
    failed = [blind(str(n), 0.0) for n in range(5)]
    many = [*failed, *(blind(f"good-{n}", 1.0) for n in range(5))]
    found = audit_guards(RETAIL, many, n_examples=2)

    firings = found.rules["retail.authenticated"].firings
    assert [firing.episode for firing in firings] == ["0", "1", "good-0", "good-1"]
    assert found.rules["retail.own_order"].firings == []


def test_a_check_that_breaks_is_counted_and_unknown() -> None:
    guard = Guard("x.y", "Nothing.", frozenset({CANCEL}), lambda _f, _c: 1 / 0)  # type: ignore[arg-type,return-value]
    found = audit_guards(Guards("", (guard,), RETAIL.sources), [good()])

    assert found.rules["x.y"].broken == 2
    assert found.rules["x.y"].of(Group.SUCCESSFUL) == Three(0, 0, 1)


def test_the_share_of_refused_sessions_has_an_interval_over_tasks() -> None:
    found = audit_guards(RETAIL, [blind(str(n), 1.0) for n in range(3)] + [good()])

    low, high = found.refused_share(Group.SUCCESSFUL) or (9, 9)
    assert 0 <= low < 0.75 < high <= 1
    assert found.refused_share(Group.FAILED) is None


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_every_recorded_write_is_counted_once_by_every_rule_that_it_has(domain) -> None:
    path = {"retail": RUN1, "airline": "sessions/tau1-airline-yiphei"}[domain]
    guards = load(domain).guards
    found = audit_guards(guards, read([shared(path)]))
    literal: Counter[tuple[str, bool]] = Counter()
    n_flagged = 0
    for episode in read([shared(path)]):
        failed = {e.call_id: e.error for e in episode.events if hasattr(e, "call_id")}
        for turn in (e for e in episode.events if isinstance(e, AssistantTurn)):
            for call in turn.calls:
                for guard in guards.rules:
                    literal[guard.rule, failed[call.id]] += call.tool in guard.tools
        n_flagged += sum(bool(w.flags) for w in writes(guards, episode))

    for rule, counted in found.rules.items():
        assert sum(counted.of(Group.REFUSED)) == literal[rule, True]
        accepted = [g for g in Group if g is not Group.REFUSED]
        assert sum(sum(counted.of(g)) for g in accepted) == literal[rule, False]
    assert n_flagged == sum(found.flagged.values())
    assert not any(counted.broken for counted in found.rules.values())


def test_what_the_rules_say_of_one_agents_recorded_sessions() -> None:
    found = audit_guards(RETAIL, read([shared(RUN1)]))

    assert [found.ended(g) for g in Group] == [79, 35, 0, 0]
    assert [found.refused(g) for g in Group] == [2, 0, 0, 0]
    assert [found.writes[g] for g in Group] == [106, 53, 0, 43]
    cells = {
        rule.partition(".")[2]: "; ".join(
            "/".join(map(str, counted.of(g))) for g in Group if found.writes[g]
        )
        for rule, counted in found.rules.items()
    }
    assert cells == {
        "authenticated": "106/0/0; 53/0/0; 43/0/0",
        "own_order": "98/0/1; 49/0/0; 41/0/2",
        "status_checked": "98/1/0; 49/0/0; 41/2/0",
        "pending": "45/0/1; 34/0/0; 10/8/2",
        "delivered": "53/0/0; 15/0/0; 12/11/0",
        "cancel_reason": "13/0/0; 11/0/0; 4/0/0",
        "items_in_order": "73/0/0; 31/0/0; 34/1/0",
        "same_product": "40/1/4; 19/0/0; 11/4/12",
        "once": "45/0/0; 19/0/0; 26/1/0",
        "own_payment": "64/0/10; 31/0/0; 34/0/2",
        "refund_method": "28/0/0; 12/0/0; 0/8/0",
        "confirmed": "104/2/0; 51/2/0; 43/0/0",
    }
