"""Decision graphs beside replays of one setting at a time: the same, to the integer."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import Episode
from stretto.evaluate.growing import Grower, Played
from stretto.evaluate.nodes import END, UNKNOWN
from stretto.evaluate.replay import replay
from stretto.evaluate.rows import row
from stretto.evaluate.setting import OFF, Setting
from stretto.evaluate.sweep import Sweep, replay_all
from stretto.flow.flow import Flow, Surprise
from stretto.flow.wire import read_flow
from stretto.program.text import parse
from stretto.traces.reader import read
from tests.conftest import ROOT, shared
from tests.evaluate.lessons import Lesson, steadily
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script

DECIDERS = ("habit", "reach")
PROGRAMS = sorted((ROOT / "programs").glob("*.fugue"))
LEVELS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0, 1.5, OFF)

seeds = st.integers(0, 2**32)


def sites(flow: Flow) -> list[str]:
    """The sites a flow may decide at, and one it never saw."""
    return sorted({*map(str, flow.sites.next), "think"})


def drawn(flow: Flow, random: Random, n: int) -> list[Setting]:
    """Random settings; some have a threshold that is exactly some score."""
    return [
        Setting(
            random.choice(LEVELS),
            {
                site: random.choice((*LEVELS, random.random()))
                for site in sites(flow)
                if random.random() < 0.7
            },
            None
            if random.random() < 0.7
            else frozenset(s for s in sites(flow) if random.random() < 0.7),
        )
        for _ in range(n)
    ]


def assert_alike(
    flow: Flow,
    measured: Sequence[Episode],
    name: str,
    found: Sequence[Played],
    chosen: Sequence[Setting],
) -> None:
    """What was found is what replaying each setting by itself comes to."""
    for number, setting in enumerate(chosen):
        expected = replay(
            setting.applied(flow), measured, decider=name, threshold=setting.threshold
        )
        for played, alone in zip(found, expected, strict=True):
            assert row(played.size, int(played.counted[number])) == alone


@given(seeds, st.sampled_from(DECIDERS), st.sampled_from([None, *PROGRAMS]))
@settings(max_examples=60, deadline=None)
def test_every_setting_counts_what_its_own_replay_counts(seed, name, program):
    lesson, random = Lesson(seed, steady=seed % 3 == 0), Random(seed)
    flow = lesson.flow
    if program is not None:
        flow = replace(flow, program=parse(program.read_text()))
    measured = lesson.measured(3, unanswered=0.05, n_orders=4)
    chosen = drawn(flow, random, 8)

    found = list(replay_all(Grower(flow, name), measured, chosen))

    event(f"{min(sum(p.n_nodes for p in found) // 10, 5)}0 nodes or more")
    assert_alike(flow, measured, name, found, chosen)


@given(seeds, st.sampled_from(DECIDERS))
@settings(max_examples=12, deadline=None)
def test_batch_after_batch_grows_a_sweep_without_changing_what_it_counts(seed, name):
    lesson, random = Lesson(seed), Random(seed)
    measured = lesson.measured(3, unanswered=0.05)
    sweep = Sweep(Grower(lesson.flow, name), measured)

    for _ in range(3):
        chosen = drawn(lesson.flow, random, 3)
        counts = sweep.counted(chosen)
        found = [Played(size, counts[:, i], 0) for i, size in enumerate(sweep.sizes)]
        assert_alike(lesson.flow, measured, name, found, chosen)


@given(seeds)
@settings(max_examples=6, deadline=None)
def test_near_the_caps_a_graph_tells_states_apart_by_the_calls_made(seed):
    lesson, random = Lesson(seed, steady=True), Random(seed)
    measured = lesson.measured(1, n_turns=40, n_orders=30)
    measured += lesson.named([steadily(60), steadily(35)])
    chosen = [Setting(0.01), Setting(0.3), *drawn(lesson.flow, random, 4)]
    sweep = Sweep(Grower(lesson.flow, "reach"), measured)

    counts = sweep.counted(chosen)

    found = [Played(size, counts[:, i], 0) for i, size in enumerate(sweep.sizes)]
    assert_alike(lesson.flow, measured, "reach", found, chosen)
    assert sweep.graphs[1].is_counting


@given(seeds, st.sampled_from(DECIDERS))
@settings(max_examples=15, deadline=None)
def test_a_threshold_that_is_a_score_itself_makes_the_lookup(seed, name):
    lesson = Lesson(seed, steady=seed % 2 == 0)
    measured = lesson.measured(2, n_orders=4)
    sweep = Sweep(Grower(lesson.flow, name), measured)
    sweep.counted([Setting(0.0)])
    scores = sorted({s for graph in sweep.graphs for s in graph.nodes.score})[-4:]
    chosen = [
        Setting(theta)
        for score in scores
        for theta in (score, float(np.nextafter(score, 2.0)))
    ]

    counts = sweep.counted(chosen)

    found = [Played(size, counts[:, i], 0) for i, size in enumerate(sweep.sizes)]
    assert_alike(lesson.flow, measured, name, found, chosen)


def test_an_edge_that_no_setting_takes_is_not_followed():
    lesson = Lesson(3, steady=True)
    sweep = Sweep(Grower(lesson.flow, "habit"), [steadily()])

    sweep.counted([Setting(0.0)])
    nodes = sweep.graphs[0].nodes
    before = len(nodes)
    assert before > 0
    assert set(nodes.hand_back.to) == {UNKNOWN}
    assert nodes.make.to[-1] == END

    sweep.counted([Setting(0.0), Setting(OFF)])
    assert nodes.hand_back.to[0] != UNKNOWN
    assert UNKNOWN in nodes.hand_back.to


def test_a_lookup_used_at_once_and_one_never_made_come_to_the_same_state():
    lesson = Lesson(3, steady=True)
    [episode] = [steadily()]
    sweep = Sweep(Grower(lesson.flow, "habit"), [episode])
    random = Random(1)
    chosen = [
        Setting(1.0, {site: random.choice((0.0, OFF)) for site in sites(lesson.flow)})
        for _ in range(200)
    ]

    sweep.counted(chosen)

    nodes = sweep.graphs[0].nodes
    entered = [n for e in (nodes.make, nodes.hand_back) for n in e.to if n >= 0]
    assert len(entered) > len(set(entered))


def test_an_episode_whose_graph_is_too_large_is_replayed_setting_by_setting():
    lesson, random = Lesson(3, steady=True), Random(3)
    measured = [steadily(), *lesson.measured(2)]
    grower = Grower(lesson.flow, "reach", max_nodes=2)
    chosen = [Setting(0.0), Setting(OFF), *drawn(lesson.flow, random, 6)]

    sweep = Sweep(grower, measured)
    for _ in range(2):
        counts = sweep.counted(chosen)
        found = [Played(size, counts[:, i], 0) for i, size in enumerate(sweep.sizes)]
        assert_alike(lesson.flow, measured, "reach", found, chosen)

    assert sweep.why_not[0] == "its graph has more than 2 nodes"


def test_a_chance_above_one_has_no_graph_and_counts_the_same():
    lesson = Lesson(3, steady=True)
    bare = dict.fromkeys(lesson.flow.bindings.args, 10**6)
    flow = replace(lesson.flow, bindings=replace(lesson.flow.bindings, bare=bare))
    chosen = [Setting(0.0), Setting(0.3), Setting(0.9), Setting(1.5)]
    measured = [steadily()]

    found = list(replay_all(Grower(flow, "reach"), measured, chosen))

    assert found[0].why_not == "the chance of list_all is above 1"
    assert_alike(flow, measured, "reach", found, chosen)


def test_processes_grow_what_one_process_grows():
    lesson, random = Lesson(5), Random(5)
    measured = lesson.measured(20, unanswered=0.05)
    chosen, more = drawn(lesson.flow, random, 4), drawn(lesson.flow, random, 4)
    alone, together = (
        Sweep(Grower(lesson.flow, "habit"), measured, jobs) for jobs in (1, 2)
    )

    for batch in (chosen, more):
        assert (together.counted(batch) == alone.counted(batch)).all()

    streamed = replay_all(Grower(lesson.flow, "habit"), measured, chosen, jobs=2)
    counts = np.stack([played.counted for played in streamed], axis=1)
    assert (counts == alone.counted(chosen)).all()


@pytest.mark.parametrize("name", DECIDERS)
def test_real_sessions_count_under_random_settings_what_replays_count(name):
    flow = read_flow(shared("reference/flows/airline-reach.flow.json"))
    path = shared("sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz")
    measured, random = list(islice(read([path]), 8)), Random(7)
    chosen = drawn(flow, random, 12)

    found = list(replay_all(Grower(flow, name), measured, chosen))

    assert sum(played.n_nodes for played in found) > 20
    assert_alike(flow, measured, name, found, chosen)


def test_each_program_is_swept_over_real_sessions_by_its_own_loop():
    """On these, every program but those that part at failures counts its own."""
    flow = read_flow(shared("reference/flows/airline-reach.flow.json"))
    path = shared("sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz")
    measured = list(islice(read([path]), 4))
    chosen = [Setting(0.05), *drawn(flow, Random(11), 4)]

    counted = {}
    for program in PROGRAMS:
        own = replace(flow, program=parse(program.read_text()))
        found = list(replay_all(Grower(own, "reach"), measured, chosen))
        assert all(played.n_nodes for played in found)
        assert_alike(own, measured, "reach", found, chosen)
        counted[program.stem] = tuple(int(played.counted[0]) for played in found)

    loops = ("one-lookup", "standard", "three-in-a-row")
    assert len({counted[loop] for loop in loops}) == len(loops)


def test_no_two_programs_count_the_same_where_lookups_fail():
    """Each is swept, and each beside its own replays; the seeds were looked for."""
    chosen = [Setting(0.05), *drawn(Lesson(34).flow, Random(34), 3)]
    counted = {program.stem: [] for program in PROGRAMS}
    for seed in (17, 34):
        lesson = Lesson(seed)
        measured = lesson.measured(6, unanswered=0.05, n_orders=4)
        for program in PROGRAMS:
            flow = replace(lesson.flow, program=parse(program.read_text()))
            found = list(replay_all(Grower(flow, "reach"), measured, chosen))
            assert_alike(flow, measured, "reach", found, chosen)
            counted[program.stem] += [int(played.counted[0]) for played in found]

    assert len(set(map(tuple, counted.values()))) == len(PROGRAMS)


def swept(flow: Flow, script: Script, chosen: Sequence[Setting]) -> None:
    """Each setting counts what its own replay of the one session counts."""
    measured = [script.episode()]
    found = list(replay_all(Grower(flow, "habit"), measured, chosen))
    assert_alike(flow, measured, "habit", found, chosen)


def test_a_lookup_two_messages_old_is_no_state_with_one_of_three():
    """
    Behind `get_user` A is looked up, and C too or not. If C is, the agent's C is
    skipped, and its A, in the turn after, uses the lookup next; if not, later.
    """
    script = Script().user("hi").turn(get_user()).turn(order("C"))
    script.turn(("find", {"email": "v@x.y"}, "u2"), order("A")).reply()
    both, one = Setting(0.2), Setting(0.2, {"get_order": OFF})

    rows = [
        next(replay(s.applied(FLOW), [script.episode()], decider="habit",
                    threshold=0.2))
        for s in (both, one)
    ]  # fmt: skip
    assert [(r.used_next, r.used_later) for r in rows] == [(2, 0), (0, 1)]
    swept(FLOW, script, [both, one])


def test_a_call_that_the_gate_has_scored_is_no_state_with_one_that_was_skipped():
    """With `get_user` skipped the gate has one step to go by, and two to wait for."""
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("A"))
    script.turn(order("C")).reply()
    flow = replace(FLOW, surprise=Surprise(2, 0.0))
    skipped = Setting(0.2, {"get_user": OFF})
    scored = Setting(0.2, {"get_user": OFF, "find": OFF})

    lookups = [
        next(replay(s.applied(flow), [script.episode()], decider="habit",
                    threshold=0.2)).lookups
        for s in (skipped, scored)
    ]  # fmt: skip
    assert lookups == [2, 0]
    swept(flow, script, [skipped, scored])
