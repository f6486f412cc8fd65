"""Runs, origins and confirmations, beside toys and a literal reading of the page."""

import gzip
import json
import re
from collections import Counter

import numpy as np
import pytest

from stretto.episodes.manifest import Kind
from stretto.episodes.step import steps
from stretto.episodes.vocabulary import Vocabulary
from stretto.evaluate import intervals
from stretto.evaluate.agents import agent_row, common_runs
from stretto.evaluate.arguments import IN_OUTPUTS, confirmation_row, origin_rows
from stretto.evaluate.confirmation import heard, read
from stretto.evaluate.intervals import Interval, share, share_interval
from stretto.evaluate.need import Need, Values, need
from stretto.evaluate.provenance import Origin, is_part, is_whole, leaves, traced
from stretto.evaluate.runs import Run, runs
from stretto.evaluate.sketch import Side, Sketch, sketch, trace_calls
from stretto.traces.reader import ReadOptions
from stretto.traces.reader import read as read_sessions
from tests.claims import claim
from tests.conftest import shared
from tests.evaluate import measures as literal
from tests.evaluate.sessions import MANIFEST, episodes
from tests.toys import SHOP, Script

SEEDS = range(12)
KINDS = {tool: str(kind) for tool, kind in MANIFEST.tools.items()}


def reduced(episode, manifest=MANIFEST, *, side=Side.TRAIN) -> Sketch:
    tools = {call.tool for turn in episode.turns for call in turn.calls}
    vocab = Vocabulary.of(tools | manifest.tools.keys())
    return sketch(episode, manifest, vocab, trace_calls(episode), side=side)


# Runs.


@claim("measure:turn")
def test_a_user_message_parts_two_runs_and_so_does_a_reply():
    script = Script().turn(("find", {}, 1)).user("wait").turn(("get", {}, 1))
    script.turn(("get", {}, 1), ("get", {}, 2)).reply().turn(("cancel", {}, 1))

    assert runs(script.events) == [Run(0, 1, 0, 1), Run(1, 4, 1, 2), Run(5, 6, 4, 1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_are_those_of_the_page(seed):
    for episode in episodes(seed, 4):
        found = runs(episode.events)
        turns = [list(range(run.first, run.first + run.turns)) for run in found]
        walk = steps(episode.events)

        assert turns == literal.runs(episode.events)
        for run, of in zip(found, turns, strict=True):
            assert {walk[k].turn for k in range(run.start, run.end)} == set(of)
            assert all(walk[k].tool for k in range(run.start, run.end))


def test_a_call_more_in_the_same_turn_leaves_less_headroom():
    apart = Script().turn(("find", {}, 1)).turn(("get", {}, 1)).reply().episode()
    batched = Script().turn(("find", {}, 1), ("get", {}, 1)).reply().episode()

    assert agent_row("a", [reduced(apart, SHOP)]).headroom.value == 1 / 3
    assert agent_row("a", [reduced(batched, SHOP)]).headroom.value == 0


def test_lookups_of_a_run_are_told_apart_by_where_their_arguments_come_from():
    script = Script().user("where is W777?")
    script.turn(("find", {}, {"order": "W101"}))
    script.turn(("get", {"order": "W101"}, "ok"))  # from an output
    script.turn(("get", {"order": "W777"}, "ok"))  # from the user
    script.turn(("get", {"order": "W999"}, "ok"))  # from nowhere
    script.turn(("get", {}, "ok"), ("cancel", {}, "ok"))  # not all of it reads
    row = agent_row("a", [reduced(script.reply().episode(), SHOP)])

    assert (row.from_outputs.part, row.from_conversation.part) == (1, 2)
    assert row.headroom.part == 4
    assert row.from_outputs.whole == row.turns.part == 6


@pytest.mark.parametrize("seed", SEEDS)
def test_lookups_in_runs_are_those_of_the_page(seed):
    for episode in episodes(seed, 4):
        row = agent_row("a", [reduced(episode)])
        found = (row.from_outputs.part, row.from_conversation.part)

        assert found == literal.lookup_turns(episode.events, KINDS)


def test_writes_in_a_row_that_were_assented_to_could_be_one_call():
    def bundled(answer: str) -> float:
        script = Script().user(answer).turn(("cancel", {}, 1)).turn(("cancel", {}, 1))
        script.turn(("find", {}, 1)).turn(("cancel", {}, 1)).reply()
        return agent_row("a", [reduced(script.episode(), SHOP)]).bundled.part

    assert (bundled("Yes."), bundled("What would it cost?")) == (1, 0)


def test_the_most_common_runs_are_named_by_their_tools():
    script = Script().turn(("find", {}, 1)).turn(("get", {}, 1), ("get", {}, 1))
    script.reply().turn(("find", {}, 1)).reply().turn(("find", {}, 1))

    found = common_runs([reduced(script.episode(), SHOP)])

    assert found == [("find", 2), ("find → get → get", 1)]


# Where arguments come from.


def test_leaves_are_flattened_by_key_and_in_the_order_of_lists():
    arguments = {"b": [True, {"z": "  Two ", "a": 1.5}, None], "a": "X"}

    assert [tuple(leaf) for leaf in leaves(arguments)] == [
        ("a", "x", False),
        ("b", "true", True),
        ("b", "1.5", False),
        ("b", "two", False),
        ("b", "null", True),
    ]
    assert list(leaves("not an object")) == []


def test_an_origin_is_the_first_that_holds():
    script = Script().user("My name is ANN, order w101 and w303")
    script.turn(("find", {}, "W101 and W202"))
    arguments = {"a": True, "b": "an", "c": "w101", "d": " W303 ", "e": "W202"}
    script.turn(("get", {**arguments, "f": "W404"}, "W404"))
    [_, (_, found)] = traced(script.events)

    assert [one.origin for one in found] == [*Origin]


def test_calls_of_a_turn_do_not_see_what_the_turn_returned():
    script = Script().turn(("find", {}, "W101"), ("get", {"order": "W101"}, "ok"))
    [_, (_, [one])] = traced(script.events)

    assert one.origin is Origin.GENERATED


@pytest.mark.parametrize("seed", SEEDS)
def test_origins_and_confirmations_are_those_of_the_page(seed):
    for episode in episodes(seed, 4):
        found = [
            (call.id, [(o.leaf.argument, o.leaf.value, str(o.origin)) for o in of])
            for call, of in traced(episode.events)
        ]
        said = [(call.id, *words) for call, words in heard(episode.events)]

        assert found == list(literal.provenance(episode.events))
        assert said == list(literal.confirmations(episode.events))


@pytest.mark.parametrize(
    ("value", "text", "part", "whole"),
    [
        ("2012", "in 2012, or so", True, True),
        ("201", "in 2012", True, False),
        ("silva", "mohamed_silva_9265", True, False),
        ("w101", "#w101.", True, True),
        ("150", "150.25 dollars", True, False),
        ("150", "it is 150.", True, True),
        ("150", "150.0 dollars", True, True),
        ("15.0", "15 bags", False, True),
        ("15.50", "15.5 dollars", False, True),
        ("den", "denver, or den", True, True),
    ],
)
def test_a_part_of_a_word_is_no_whole_word(value, text, part, whole):
    assert (is_part(value, text), is_whole(value, text)) == (part, whole)


def test_a_yes_is_a_word_and_an_assent_may_be_a_phrase():
    assert read("Yes, please.") == (True, True)
    assert read("Yesterday I said no") == (False, False)
    assert read("Sounds GOOD to me") == (False, True)


def test_the_least_bound_of_a_calls_values_says_what_the_call_needs():
    values = Values()
    script = Script().user("order W101")
    for n in range(10):
        script.turn(("get", {"why": f"because {n % 2}", "n": f"number {n}"}, "ok"))
    script.turn(("get", {"order": "W101"}, "ok"))
    script.turn(("get", {"order": "W101", "fast": True}, "ok"))
    episode = script.episode()
    made = reduced(episode, SHOP)
    for call, found in traced(episode.events):
        values.add(call.tool, (one.leaf for one in found))
    needs = [need(call, values.closed()) for call in made.calls if call]

    assert values.closed() == {("get", "why")}
    assert needs[-2:] == [Need.BOUND, Need.CLOSED_SET]
    assert set(needs[:10]) == {Need.LLM}


# Real sessions, counted again from their files.

RUN1 = "sessions/tau2-retail-codesque16/retail__gpt-4.1-mini__run1__114.jsonl.gz"


@pytest.fixture(scope="module")
def run1():
    """Sessions of a real agent: as read, and as their lines hold them."""
    path = shared(RUN1)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        raw = [json.loads(line) for line in lines]
    read_ = list(read_sessions([path], options=ReadOptions(domain="retail")))
    tools = json.loads(shared("manifests/retail.json").read_text())["tools"]
    manifest = MANIFEST.__class__("retail", {t: Kind(k) for t, k in tools.items()})
    return raw, [reduced(episode, manifest) for episode in read_], tools


@claim("headroom:measure")
def test_real_sessions_counted_again_from_their_lines_come_to_the_same(run1):
    raw, sketches, tools = run1
    count, origins = Counter(), Counter()
    for session in raw:
        user, outputs, last, in_run = "", "", "", False
        for index, message in enumerate(session["messages"]):
            role, text = message["role"], (message.get("content") or "").lower()
            calls = message.get("tool_calls") or []
            if role == "user":
                user, last, in_run = f"{user}\0{text}", text, False
            elif role == "tool":
                outputs += f"\0{text}"
            elif index or calls:
                count["turns"] += 1
                count["spared"] += bool(calls) and in_run
                count["parallel"] += len(calls) > 1
                in_run = bool(calls)
                for call in calls:
                    count["calls"] += 1
                    if tools.get(call["name"]) != "write":
                        continue
                    count["writes"] += 1
                    count["yes"] += bool(re.search(r"(?<!\w)yes(?!\w)", last))
                    for _, value, is_literal in literal.leaves(call["arguments"]):
                        where = value in user, value in outputs
                        short = is_literal or len(value) < 3
                        origins["short" if short else where] += 1
    row, all_ = agent_row("a", sketches), origin_rows(sketches)
    found = {o.origin: o.writes.part for o in all_}
    confirmed = confirmation_row("a", sketches)

    assert row.turns.part == count["turns"] == 1438
    assert row.headroom.part == count["spared"]
    assert row.parallel.part == count["parallel"]
    assert row.calls.part == count["calls"]
    assert row.writes.part == count["writes"]
    assert (confirmed.yes.part, confirmed.yes.whole) == (count["yes"], count["writes"])
    assert found[IN_OUTPUTS] == origins[True, True] + origins[False, True]
    assert found["user"] == origins[True, False]
    assert found["generated"] == origins[False, False]
    assert found["literal"] + found["short"] == origins["short"]
    assert all_[0].writes.whole == origins.total()


# Intervals.


def test_a_share_is_the_sums_and_its_interval_moves_with_whole_tasks():
    found = share(["a", "a", "b"], [1, 0, 3], [2, 2, 4])

    assert (found.part, found.whole, found.value) == (4, 8, 0.5)
    assert found.interval == Interval(0.25, 0.75)  # all of `a`, all of `b`


def test_an_interval_takes_two_tasks_that_have_anything():
    assert share_interval(["a", "b"], [1, 0], [2, 0]) is None
    assert share_interval(["a", "a"], [1, 0], [2, 2]) is None


def test_an_interval_is_the_same_each_time_and_holds_the_share():
    tasks = [str(n % 30) for n in range(90)]
    parts, wholes = [n % 3 for n in range(90)], [5] * 90

    low, high = share_interval(tasks, parts, wholes)

    assert share_interval(tasks, parts, wholes) == (low, high)
    assert low < sum(parts) / sum(wholes) < high


def test_draws_taken_in_blocks_are_the_draws_taken_at_once(monkeypatch):
    tasks = [str(n) for n in range(40)]
    parts, wholes = [n % 4 for n in range(40)], [n % 5 for n in range(40)]
    at_once = share_interval(tasks, parts, wholes, draws=500)
    monkeypatch.setattr(intervals, "CELLS", 1000)

    assert share_interval(tasks, parts, wholes, draws=500) == at_once


def test_an_interval_is_that_of_tasks_drawn_one_by_one():
    tasks, parts, wholes = list("aabbcd"), [1, 0, 2, 1, 0, 3], [2, 1, 3, 3, 0, 4]
    of = {t: [sum(v[i] for i, x in enumerate(tasks) if x == t) for v in (parts, wholes)]
          for t in "abcd"}  # fmt: skip
    picks = np.random.default_rng(0).integers(4, size=(4000, 4))
    drawn = [[of["abcd"[i]] for i in row] for row in picks]
    sums = [(sum(p for p, _ in row), sum(w for _, w in row)) for row in drawn]
    shares = sorted(p / w for p, w in sums if w)

    low, high = share_interval(tasks, parts, wholes)

    assert low == pytest.approx(np.quantile(shares, 0.025), rel=1e-12)
    assert high == pytest.approx(np.quantile(shares, 0.975), rel=1e-12)
