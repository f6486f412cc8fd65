"""The scripted agent, played against the shop's tools without a server."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.demo.acts import Call, Result, Say
from stretto.demo.agent import Agent, Style, drawn_style
from stretto.demo.customer import Caller
from stretto.demo.tools import TOOLS, Refused, call
from stretto.demo.world import World, build

WORLD = build(0)
CUSTOMERS = tuple(WORLD.customers.values())
PLAIN = Style(together=False, thorough=False, trusting=False, slips=False)

seeds = st.integers(0, 2**32)
styles = st.builds(Style, *[st.booleans()] * 4)


class Desk:
    """The tools over one world, as the server would run them."""

    def __init__(self, world: World) -> None:
        self.world = world

    def run(self, made: Call) -> Result:
        try:
            text, self.world = call(TOOLS[made.tool], self.world, made.arguments)
        except Refused as refusal:
            return Result(True, str(refusal))
        return Result(False, text)


def converse(seed: int, style: Style) -> list[tuple[tuple[Call, ...], ...]]:
    """Each turn of one conversation, with its results; words as they are."""
    rng = random.Random(seed)
    caller = Caller(WORLD, rng.choice(CUSTOMERS), rng)
    desk, turns = Desk(WORLD), Agent(style).serve(caller.opening())
    played, reply = [], None
    while True:
        try:
            act = turns.send(reply)
        except StopIteration:
            return played
        if isinstance(act, Say):
            reply = caller.answer(act.need) if act.need else None
        else:
            reply = tuple(map(desk.run, act))
        played.append((act, reply))


@settings(max_examples=150, deadline=None)
@given(seeds, styles)
def test_every_conversation_ends_in_words_and_keeps_within_the_tools(seed, style):
    played = converse(seed, style)
    assert isinstance(played[-1][0], Say)
    for act, _ in played:
        if not isinstance(act, Say):
            assert act
            assert all(
                set(made.arguments) == set(TOOLS[made.tool].args) for made in act
            )


@settings(max_examples=150, deadline=None)
@given(seeds, styles)
def test_no_write_is_refused_because_what_it_needs_was_read_before(seed, style):
    for act, reply in converse(seed, style):
        if not isinstance(act, Say):
            for made, result in zip(act, reply, strict=True):
                assert TOOLS[made.tool].read_only or not result.failed


@settings(max_examples=150, deadline=None)
@given(seeds, styles)
def test_nothing_is_read_twice_before_it_is_changed(seed, style):
    known = set()
    acts = [act for act, _ in converse(seed, style) if not isinstance(act, Say)]
    for made in (made for act in acts for made in act):
        arguments = tuple(made.arguments.values())
        if TOOLS[made.tool].read_only is False:
            known.discard(("get_order", arguments[:1]))
        elif TOOLS[made.tool].read_only and made.tool != "find_customer":
            assert (made.tool, arguments) not in known
            known.add((made.tool, arguments))


def test_only_the_style_that_reads_together_makes_calls_side_by_side():
    widest = {
        together: max(
            len(act)
            for seed in range(60)
            for act, _ in converse(seed, Style(together, False, False, False))
            if not isinstance(act, Say)
        )
        for together in (False, True)
    }
    assert widest[False] == 1 < widest[True]


def test_a_slip_fails_once_and_is_put_right():
    failed = [
        sum(
            result.failed
            for act, reply in converse(seed, Style(False, False, False, True))
            if not isinstance(act, Say) and act[0].tool == "get_order"
            for result in reply
        )
        for seed in range(30)
    ]
    assert set(failed) <= {0, 1}
    assert sum(failed) > 15


def test_the_same_customer_is_served_the_same_way():
    assert converse(5, PLAIN) == converse(5, PLAIN)


def test_styles_vary():
    assert len({drawn_style(random.Random(seed)) for seed in range(50)}) > 5
