"""Estimates along sessions: held to the truth over all that could be drawn."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from stretto.cli.decisions import DecisionLog
from stretto.episodes.episode import Episode
from stretto.evaluate.chained import chained
from stretto.evaluate.decision_file import read_decisions
from stretto.evaluate.labelled import sums_along
from stretto.evaluate.logged import Labels, Logged, Option, Target
from stretto.evaluate.offpolicy import evaluate
from stretto.evaluate.replay import Replayer
from stretto.flow.deciders.decider import decider
from stretto.flow.deciders.protocol import Chances
from stretto.proxy.explore import Explorer, _Taken
from stretto.proxy.serving import Exploration
from tests.evaluate.test_replay import SHOP, order
from tests.toys import Script, taught

FOUND = {"user_id": "u1", "orders": ["A", "C", "D"]}
FIND = ("find", {"email": "u@x.y"}, FOUND)
USER = ("get_user", {"user_id": "u1"}, {"name": "Mia", "favourite": "A"})
CANCEL = ("cancel", {}, "ok")
EPSILON = 0.3


def session(*turns: tuple) -> Script:
    script = Script().user("hi")
    for turn in turns:
        script.turn(*turn) if isinstance(turn[0], tuple) else script.turn(turn)
    return script.reply()


FLOW = taught(
    [
        script.episode(str(n))
        for n, script in enumerate(
            (
                session(FIND, USER, order("A"), order("C")),
                session(FIND, USER, order("A"), order("C"), order("D")),
                session(FIND, order("A"), USER, order("C")),
                session(FIND, order("A"), order("C"), USER),
                session(FIND, USER, CANCEL),
            )
        )
    ],
    SHOP,
).flow

SESSIONS = [
    session(FIND, USER, order("A")),
    session(FIND, (order("A"), order("C")), CANCEL, USER),
    session(FIND, order("C"), FIND, USER),
]


class Way(NamedTuple):
    """One way that the exploring can go, and how likely it is."""

    p: float
    log: Sequence[Logged]


@pytest.fixture
def every_way(tmp_path, monkeypatch):
    """All the logs that exploring one session could leave, by the code that does."""
    script: list[int] = []
    n_others: list[int] = []

    def taken(_, others, greedy, *__):
        nth = len(n_others)
        n_others.append(len(others))
        place = script[nth] if nth < len(script) else 0
        if place == 0:
            return _Taken(greedy.action, 1 - EPSILON if others else 1.0)
        other = others[place - 1]
        share = other.p / sum(each.p for each in others)
        return _Taken(other, EPSILON * share)

    monkeypatch.setattr(Explorer, "_taken", taken)

    def ways(by: str, threshold: float, episode: Episode) -> Iterator[Way]:
        waiting: list[list[int]] = [[]]
        while waiting:
            script[:], n_others[:] = waiting.pop(), []
            log = logged(tmp_path / "log.jsonl", by, threshold, episode)
            p = 1.0
            for decision in log:
                p *= decision.propensity
            yield Way(p, log)
            for nth in range(len(script), len(n_others)):
                taken_so_far = script + [0] * (nth - len(script))
                waiting += [[*taken_so_far, n + 1] for n in range(n_others[nth])]

    return ways


def logged(path: Path, by: str, threshold: float, episode: Episode) -> list[Logged]:
    log = DecisionLog(
        Replayer(FLOW, decider(FLOW, by)), threshold, Exploration(EPSILON)
    )
    list(log.noting([episode]))
    log.write(path)
    return list(read_decisions(path))


def target(by: str, threshold: float) -> Target:
    chances = Chances.INDEPENDENT if by == "reach" else Chances.EXCLUSIVE
    return Target("it", by, threshold, chances)


def truth(rule: Target, episode: Episode, metric: str) -> float:
    """What the rule's own replay comes to."""
    replayer = Replayer(FLOW, decider(FLOW, rule.decider))
    sites = sums_along(replayer, [episode], threshold=rule.threshold)
    return sum(sums[Labels._fields.index(metric)] for sums in sites.values())


@pytest.mark.parametrize("script", SESSIONS)
@pytest.mark.parametrize(
    ("by", "at", "rule"),
    [
        ("habit", 0.5, target("habit", 0.5)),
        ("habit", 0.9, target("habit", 0.1)),
        ("reach", 0.9, target("reach", 0.2)),
        ("reach", 0.9, target("habit", 0.1)),
    ],
)
def test_over_all_ways_that_exploring_can_go_the_mean_is_the_rules_own_replay(
    every_way, script, by, at, rule
):
    episode = script.episode()
    ways = [*every_way(by, at, episode)]

    assert sum(way.p for way in ways) == pytest.approx(1)
    for metric in Labels._fields:
        found = [chained(way.log, rule, metric) for way in ways]
        mean = sum(w.p * c.ips.value for w, c in zip(ways, found, strict=True))
        assert mean == pytest.approx(truth(rule, episode, metric))
        assert not any(each.unsupported for each in found)


def test_a_rule_that_hands_back_where_the_log_never_would_is_refused(every_way):
    episode = SESSIONS[0].episode()
    rule = target("habit", 0.6)
    ways = [*every_way("habit", 0.1, episode)]

    found = [chained(way.log, rule, "lookups") for way in ways]

    assert any(each.unsupported for each in found)
    assert all(each.is_refused(0) for each in found if each.unsupported)


def test_by_decision_the_mean_is_not_the_replay_of_another_decider(every_way):
    """The chains that its own lookups would have led to are not there."""
    episode = SESSIONS[1].episode()
    rule = target("habit", 0.1)
    ways = [*every_way("habit", 0.9, episode)]

    mean = sum(w.p * evaluate(w.log, rule, "detours")[1].ips.value for w in ways)

    assert abs(mean - truth(rule, episode, "detours")) > 0.5


USED, UNUSED = Labels(1.0, 1.0, 0.0, 1.0), Labels(1.0, 0.0, 1.0, 0.0)


def step(session: str, taken: str | None, propensity: float, **changes) -> Logged:
    options = (Option("o", 0.6, 0.6, 1.0, USED), Option("p", 0.3, 0.3, 1.0, UNUSED))
    at = {"site": "s", "decider": "habit", "epsilon": 0.2, "greedy": "o", **changes}
    return Logged(
        taken=taken, propensity=propensity, options=options, session=session, **at
    )


RULE = Target("it", "habit", 0.3, Chances.EXCLUSIVE)


def test_a_chain_counts_as_often_as_its_steps_were_unlikely_together():
    """Worked by hand: three sessions; two take o twice, one parts at its second."""
    log = [
        step("a", "o", 0.8), step("b", "o", 0.8), step("a", "o", 0.8),
        step("b", "p", 0.2), step("c", "o", 0.8), step("c", "o", 0.8),
        step("b", "o", 0.8),
    ]  # fmt: skip

    found = chained(log, RULE, "used")

    once, twice = 1 / 0.8, 1 / 0.64
    assert found.sessions == 3
    assert found.ips.value == pytest.approx(3 * once + 2 * twice)
    assert found.ess == pytest.approx(
        (3 * once + 2 * twice) ** 2 / (3 * once**2 + 2 * twice**2)
    )
    assert found.snips is not None
    assert found.snips.value == pytest.approx(3 * 1 + 3 * 1)
    assert found.unsupported == 0


def test_a_session_that_is_over_counts_among_those_that_go_on():
    """One of two sessions has a second step, which is used: a half, of two sessions."""
    log = [step("a", "o", 1.0), step("b", "o", 1.0), step("a", "o", 1.0)]

    found = chained(log, RULE, "used")

    assert found.snips is not None
    assert found.snips.value == pytest.approx(2 + 2 * 0.5)


def test_where_the_rule_has_parted_with_every_way_nothing_is_normalised():
    found = chained([step("a", "p", 0.2), step("b", "p", 0.2)], RULE, "used")

    assert (found.ips.value, found.snips, found.ess) == (0.0, None, 0.0)
    assert found.is_refused(1)
    assert chained([], RULE, "used").snips is None


def test_a_decision_that_no_session_is_known_of_is_one_by_itself():
    found = chained([step("", "o", 0.8)] * 3, RULE, "used")

    assert found.ips.value == pytest.approx(3 / 0.8)


def test_handing_back_is_as_likely_as_the_draw_left_it():
    chose, did_not = step("a", "o", 0.8), step("a", "o", 0.1, greedy=None)

    assert chose.chance_of(None) == 0.0
    assert did_not.chance_of(None) == pytest.approx(0.8)
    assert step("a", None, 1.0, greedy=None).chance_of(None) == 1.0


def test_a_log_places_its_decisions_in_sessions(tmp_path):
    log = logged(tmp_path / "x", "habit", 0.5, SESSIONS[0].episode("one"))

    assert {decision.session for decision in log} == {"one"}
