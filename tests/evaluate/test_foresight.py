"""Prediction, transfer and validated contexts, beside a literal reading of the page."""

from dataclasses import replace

import pytest

from stretto.episodes.tasks import fold
from stretto.episodes.vocabulary import START, Vocabulary
from stretto.evaluate.forecast import Forecaster
from stretto.evaluate.foresight import THRESHOLDS, foresight
from stretto.evaluate.lesson import Lesson
from stretto.evaluate.prediction import Position, fit, foretell, reliance
from stretto.evaluate.sketch import Side, sketch, trace_calls
from stretto.evaluate.transfer import OWN, POOLED, transfer
from stretto.evaluate.validated import validated
from stretto.habit.backoff import Backoff, fit_habit
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES
from tests.evaluate import measures as literal
from tests.evaluate.sessions import MANIFEST, episodes
from tests.habit.toy import E1, E2, VOCAB_SIZE
from tests.toys import SHOP, walked

ALPHA = 2.5
SESSIONS = [e for seed in range(6) for e in episodes(seed, 8, n_turns=14)]
VOCAB = Vocabulary.of({c.tool for e in SESSIONS for t in e.turns for c in t.calls})
ENCODED = [
    encode(e, VOCAB, NO_FEATURES)._replace(task=f"t{n % 17}")
    for n, e in enumerate(SESSIONS)
]
TRAIN, TEST = ENCODED[:30], ENCODED[30:]


def base(train, order=2, alpha=ALPHA) -> Backoff:
    return fit_habit(train, order=order, alpha=alpha, vocab_size=VOCAB.size).base


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_bits_and_hits_are_those_of_the_page(order):
    foretold = foretell(Forecaster.plain(base(TRAIN, order)), TEST)
    expected = list(literal.predictions(TRAIN, TEST, order, ALPHA, VOCAB.size))
    steps = [step for of in expected for step in of]
    found = fit(foretold)

    assert found.bits.value == pytest.approx(literal.bits(steps), rel=1e-12)
    assert found.top1.value == pytest.approx(literal.top1(steps), rel=1e-12)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_coverage_and_agreement_are_those_of_the_page_at_each_position(threshold):
    foretold = foretell(Forecaster.plain(base(TRAIN)), TEST)
    expected = list(literal.predictions(TRAIN, TEST, 2, ALPHA, VOCAB.size))
    flags = [literal.after_tool(episode) for episode in TEST]
    for position in Position:
        there = reliance([f.at(position) for f in foretold], threshold)
        steps = [
            step
            for of, after in zip(expected, flags, strict=True)
            for step, is_after in zip(of, after, strict=True)
            if is_after == (position is Position.TOOL)
        ]
        sure = literal.covered(steps, threshold)

        assert (there.coverage.part, there.coverage.whole) == (len(sure), len(steps))
        assert there.agreement.part == sum(s[0] == s[2] for s in sure)


def test_the_first_step_comes_after_the_user():
    [found] = foretell(Forecaster.plain(base([E1, E2])), [E1])

    assert found.positions[:3] == (Position.USER, Position.USER, Position.TOOL)


def test_a_toy_is_foretold_as_worked_out_by_hand():
    toy = Backoff(2, 1.0, VOCAB_SIZE, levels_of([E1, E2]))
    steps = list(Forecaster.plain(toy).steps(E2))
    # reply, find ⇒ get: (2 + P₁)/(2 + 1), P₁ = (2 + 4/15)/3 as `find` came twice
    third = steps[2]

    assert third.p_actual == pytest.approx((2 + (2 + 4 / 15) / 3) / 3)
    assert (third.hit, third.evidence, third.confidence) == (True, 2, 0.0)


def levels_of(encoded):
    return fit_habit(encoded, alpha=1.0, vocab_size=VOCAB_SIZE).base.levels


def test_the_transfer_matrix_is_each_rows_habit_on_each_columns_sessions():
    taught = {"a": TRAIN[:15], "b": TRAIN[15:]}
    measured = {"a": TEST[:8], "b": TEST[8:], "target": TEST[3:11]}
    own = {**taught, "target": TRAIN[5:20]}

    found = transfer(taught, own, measured, order=2, alpha=ALPHA, vocab_size=VOCAB.size)
    rows = {**taught, POOLED: TRAIN}
    expected = {
        name: [
            literal.top1(
                [
                    step
                    for of in literal.predictions(train, test, 2, ALPHA, VOCAB.size)
                    for step in of
                ]
            )
            for test in measured.values()
        ]
        for name, train in {**rows, OWN: own["target"]}.items()
    }

    assert found.habits == ("a", "b", POOLED, OWN)
    assert found.agents == ("a", "b", "target")
    for name, row in zip(found.habits, found.top1, strict=True):
        values = [cell.value for cell in row if cell]
        if name == OWN:
            assert values[2] == pytest.approx(expected[OWN][2])
            assert values[0] == pytest.approx(expected["a"][0])
        else:
            assert values == pytest.approx(expected[name])


def test_validated_contexts_are_those_of_the_page():
    steady = [
        encode(walked(f"{n}", "rfggR" if n % 9 else "rfgcR"), SHOP_VOCAB, NO_FEATURES)
        for n in range(90)
    ]
    train, test = steady[:60], steady[60:]
    found = validated(train, test, order=2, alpha=ALPHA, vocab_size=SHOP_VOCAB.size)
    expected = literal.validated(train, test, ALPHA, SHOP_VOCAB.size, fold)

    assert {
        v.context: (
            v.agreed.whole,
            v.agreed.part,
            v.tasks,
            v.held_out.whole,
            v.held_out.part,
        )
        for v in found
    } == expected
    assert len(found) > 1
    assert any(literal.is_start(v.context) and v.action == 0 for v in found)


def test_a_context_that_is_certain_but_rare_is_not_validated():
    few = [encode(walked(str(n), "rfR"), SHOP_VOCAB, NO_FEATURES) for n in range(19)]

    assert validated(few, [], order=2, alpha=ALPHA, vocab_size=SHOP_VOCAB.size) == []


SHOP_VOCAB = Vocabulary.of(SHOP.tools)


def sketched(side_of=lambda n: Side.TEST if n % 3 == 0 else Side.TRAIN):
    return [
        sketch(
            replace(episode, agent="ab"[n % 2], reward=1.0),
            MANIFEST,
            VOCAB,
            trace_calls(episode),
            side=side_of(n),
        )
        for n, episode in enumerate(SESSIONS)
    ]


def test_the_named_intent_is_the_set_of_writes_an_episode_goes_on_to_make():
    episode = walked("a", "rfcgccR")
    made = sketch(episode, SHOP, SHOP_VOCAB, trace_calls(episode), side=Side.TEST)

    assert made.intent == "cancel"


def test_every_table_of_foresight_is_of_the_held_out_sessions_alone():
    sketches = sketched()
    found = foresight(Lesson(sketches, VOCAB), SESSIONS, MANIFEST)
    n_steps = sum(len(s.encoded.actions) for s in sketches if s.side is Side.TEST)

    assert found is not None
    assert {f.bits.whole for f in found.orders} == {n_steps}
    assert sum(p.share.part for p in found.positions) == n_steps
    assert [v.variant for v in found.variants] == [
        "actions",
        "with features",
        "with features and intent",
    ]
    assert [f is not None for f in found.foretold] == [
        s.side is Side.TEST for s in sketches
    ]


def test_what_failed_teaches_nothing_and_is_measured_all_the_same():
    sketches = [replace(s, succeeded=n % 4 != 0) for n, s in enumerate(sketched())]
    lesson = Lesson(sketches, VOCAB, alpha=ALPHA, features=False)
    found = foresight(lesson, SESSIONS, MANIFEST)
    train = [s.encoded for s in sketches if s.teaches]
    test = [s.encoded for s in sketches if s.side is Side.TEST]
    expected = literal.predictions(train, test, 2, ALPHA, VOCAB.size)
    steps = [step for of in expected for step in of]

    assert found is not None
    assert found.orders[2].bits.value == pytest.approx(literal.bits(steps))


def test_with_nothing_to_learn_from_there_is_no_foresight():
    sketches = sketched(lambda _: Side.TEST)

    assert foresight(Lesson(sketches, VOCAB), SESSIONS, MANIFEST) is None


def test_the_start_of_an_episode_is_padded():
    [first, *_] = Forecaster.plain(base(TRAIN)).steps(TEST[0])

    assert first.context == (START, START)
