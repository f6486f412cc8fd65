"""What replays spare and spend of prompts: by hand, by definition, and in graphs."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, Usage
from stretto.evaluate.growing import Grower
from stretto.evaluate.replay import Replayer
from stretto.evaluate.setting import OFF, Setting
from stretto.evaluate.spent import NOTHING, Spending, Spent
from stretto.evaluate.spent_by import SpentBy
from stretto.evaluate.sweep import replay_all
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.flow.wire import flow_json, read_flow
from stretto.traces.reader import read
from tests.conftest import shared
from tests.evaluate.lessons import Lesson
from tests.evaluate.literal_spent import Spending as ByDefinition
from tests.evaluate.test_graph import DECIDERS, drawn, seeds
from tests.evaluate.test_replay import FLOW, find, get_user, order
from tests.toys import Script

happenings = st.lists(st.integers(-9, 9) | st.none() | st.just("saved"), max_size=9)
"""None is a turn that is still made, and a number is text from then on."""


def stretch(of: Sequence[int | str | None]) -> Spent:
    """The stretch in which that happened."""
    spending = Spending()
    for happening in of:
        match happening:
            case None:
                spending.turn()
            case int(characters):
                spending.text(characters)
            case _:
                spending.spare(Spent(7, 5, 0.25, fresh=-3))
    return spending.stretch()


def with_usage(episode: Episode, random: Random) -> Episode:
    """The episode, its turns' tokens and costs drawn; a few recorded none."""
    events = [
        replace(event, usage=Usage(random.randrange(9000), random.randrange(90),
                                   random.random()))
        if isinstance(event, AssistantTurn) and random.random() < 0.9
        else event
        for event in episode.events
    ]  # fmt: skip
    return replace(episode, events=tuple(events))


def alone(flow: Flow, episode: Episode, name: str, setting: Setting) -> Spent:
    """What one setting's own replay comes to."""
    replayer = Replayer(setting.applied(flow), decider(flow, name))
    walk = replayer.walk(episode)
    replayer.finish(walk, setting.threshold)
    return walk.take()[1]


def assert_same(found: Spent, expected: Spent) -> None:
    """To the integer, and dollars to a billionth."""
    assert found.dollars == pytest.approx(expected.dollars, abs=1e-9)
    assert found._replace(dollars=0, turns=0) == expected._replace(dollars=0, turns=0)


def assert_defined(found: Spent, literal: ByDefinition) -> None:
    prompt, completion, dollars = literal.spared()
    assert (found.prompt, found.completion) == (prompt, completion)
    assert found.dollars == pytest.approx(dollars, abs=1e-9)
    assert (found.once, found.again) == literal.carried()


def test_the_worked_example_comes_to_what_it_comes_to_by_hand():
    """
    Behind `find` the user, A and C are looked up. The turn of `get_user` is saved, as
    is that of C; A's turn is not, for its B.
    """
    script = Script().user("hi").turn(find()).turn(get_user())
    script.turn(order("A"), order("B")).reply().turn(order("C")).reply()
    episode = with_usage(script.episode(), Random(1))
    saved = [episode.turns[1], episode.turns[4]]
    results = [e for e in episode.events if isinstance(e, ToolResult)]
    a, c = (len(results[i].content) for i in (2, 4))
    user_call = len('[{"arguments":{"user_id":"u1"},"name":"get_user"}]')
    c_call = len('[{"arguments":{"order_id":"C"},"name":"get_order"}]')

    found = alone(FLOW, episode, "habit", Setting(0.2))

    usage = [turn.usage for turn in saved]
    assert found.prompt == sum(u.prompt_tokens for u in usage) > 0
    assert found.completion == sum(u.completion_tokens for u in usage)
    assert found.dollars == pytest.approx(sum(u.cost for u in usage))
    # In the prompt of the turn with B, A and C are new, and the call of `get_user` is
    # gone; in the first reply's the record has A too; in the last one's C, but not
    # the call of it.
    assert found.once == (a + c - user_call) - a - (c + c_call)
    assert found.again == (a + c - user_call) + (c - user_call)


def test_a_detour_is_in_every_later_prompt_and_a_lookup_used_at_once_in_none():
    """Of `get_order` the record has B alone, whose result stands in for A's and C's."""
    script = Script().user("hi").turn(find()).turn(get_user()).turn(order("B"))
    episode = script.reply().user("bye").reply().episode()
    stand_in = len([e for e in episode.events if isinstance(e, ToolResult)][2].content)
    user_call = len('[{"arguments":{"user_id":"u1"},"name":"get_user"}]')

    off = {"get_user": OFF, "get_order": OFF}
    frugal = alone(FLOW, episode, "habit", Setting(0.2, off))
    wasteful = alone(FLOW, episode, "habit", Setting(0.2))

    assert (frugal.once, frugal.again) == (-user_call, -2 * user_call)
    more = 2 * stand_in - user_call
    assert (wasteful.once, wasteful.again) == (more, 2 * more)


@given(happenings, st.integers(0, 9), st.integers(0, 9))
def test_a_stretch_is_what_its_parts_come_to_however_it_is_cut(happened, one, other):
    first, second = sorted((one, other))
    a, b, c = (
        stretch(part)
        for part in (happened[:first], happened[first:second], happened[second:])
    )

    assert a.then(b).then(c) == a.then(b.then(c)) == stretch(happened)
    assert stretch(happened).turns == happened.count(None)


@given(st.lists(st.tuples(happenings, st.sets(st.integers(0, 3))), max_size=6))
@settings(deadline=None)
def test_settings_side_by_side_go_on_as_each_alone(steps):
    by, each = SpentBy(4), [NOTHING] * 4
    for happened, who in steps:
        by.add(np.array(sorted(who), np.intp), stretch(happened))
        each = [
            s.then(stretch(happened)) if i in who else s for i, s in enumerate(each)
        ]

    assert [*by] == [spent._replace(turns=0) for spent in each]


@given(seeds, st.sampled_from(DECIDERS))
@example(0, "habit")
@settings(max_examples=25, deadline=None)
def test_a_replay_spends_what_its_definition_says(seed, name):
    lesson, random = Lesson(seed, steady=seed % 2 == 0), Random(seed)
    flow = lesson.flow
    for episode in lesson.measured(2, unanswered=0.05, n_orders=4):
        [setting] = drawn(flow, random, 1)
        told = with_usage(episode, random)
        file = flow_json(setting.applied(flow))

        found = alone(flow, told, name, setting)

        assert_defined(found, ByDefinition(file, told, name, setting.threshold))


@given(seeds, st.sampled_from(DECIDERS), st.sampled_from([3, 20_000]))
@settings(max_examples=30, deadline=None)
def test_every_setting_spends_what_its_own_replay_spends(seed, name, max_nodes):
    lesson, random = Lesson(seed, steady=seed % 3 == 0), Random(seed)
    flow = lesson.flow
    measured = lesson.measured(3, unanswered=0.05, n_orders=4)
    measured = [with_usage(episode, random) for episode in measured]
    chosen = [Setting(0.0), Setting(OFF), *drawn(flow, random, 6)]
    grower = Grower(flow, name, max_nodes=max_nodes)

    for played, episode in zip(
        replay_all(grower, measured, chosen, is_spent=True), measured, strict=True
    ):
        for found, setting in zip(played.spent, chosen, strict=True):
            assert_same(found, alone(flow, episode, name, setting))


@pytest.mark.parametrize("name", DECIDERS)
def test_real_sessions_spend_under_random_settings_what_the_definition_says(name):
    flow = read_flow(shared("reference/flows/airline-reach.flow.json"))
    path = shared("sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz")
    measured, random = list(islice(read([path]), 6)), Random(7)
    chosen = drawn(flow, random, 12)

    found = list(replay_all(Grower(flow, name), measured, chosen, is_spent=True))

    spared = 0
    for place, (played, episode) in enumerate(zip(found, measured, strict=True)):
        for spent, setting in zip(played.spent, chosen, strict=True):
            assert_same(spent, alone(flow, episode, name, setting))
            spared += spent.prompt
        spent = [*played.spent][place]
        file = flow_json(chosen[place].applied(flow))
        literal = ByDefinition(file, episode, name, chosen[place].threshold)
        assert_defined(spent, literal)
    assert spared > 0
