"""What turns are for, which rules are sure, and what chances mean, site by site."""

from collections import Counter
from itertools import pairwise

import pytest

from stretto.episodes.episode import AssistantTurn, UserMessage
from stretto.episodes.manifest import Kind, Manifest, read_manifest
from stretto.episodes.site import Site
from stretto.episodes.step import steps
from stretto.episodes.vocabulary import Vocabulary
from stretto.evaluate.anatomy import Anatomy, TurnKind, anatomy, turn_kinds
from stretto.evaluate.by_site import site_rows
from stretto.evaluate.sketch import Side, sketch, trace_calls
from stretto.evaluate.sure import SureRules
from stretto.habit.encode import encode
from stretto.habit.features import NO_FEATURES
from stretto.habit.reach import before_writes
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.evaluate.sessions import MANIFEST, episodes
from tests.toys import SHOP, TOY, Script, walked

VOCAB = Vocabulary.of(SHOP.tools)


def reduced(episode, manifest: Manifest = SHOP):
    tools = {call.tool for turn in episode.turns for call in turn.calls}
    vocab = Vocabulary.of(tools | manifest.tools.keys())
    found = trace_calls(episode)
    return sketch(episode, manifest, vocab, found, side=Side.TRAIN)


def encoded(walk: str, task: str = "t"):
    return encode(walked(task, walk), VOCAB, NO_FEATURES)


def literal_kinds(events, kinds: dict[str, Kind]) -> Counter[TurnKind]:
    """Turn by turn, by what the turn before it and the user did."""
    counts: Counter[TurnKind] = Counter()
    after_tool = False
    for event in events:
        if isinstance(event, UserMessage):
            after_tool = False
        elif isinstance(event, AssistantTurn):
            of = {kinds.get(call.tool, Kind.GENERIC) for call in event.calls}
            if not of:
                kind = TurnKind.REPLY
            elif not after_tool:
                kind = TurnKind.ANSWER
            elif of == {Kind.READ}:
                kind = TurnKind.READS
            elif Kind.WRITE in of:
                kind = TurnKind.WRITES
            else:
                kind = TurnKind.OTHER
            counts[kind] += 1
            after_tool = bool(of)
    return counts


def test_each_turn_is_of_one_kind():
    script = Script().user("hi").reply("hello").user("W1?")
    script.turn(("find", {}, 1))  # answers the user
    script.turn(("get", {}, 1), ("find", {}, 1)).turn(("get", {}, 1))  # two that read
    script.turn(("get", {}, 1), ("cancel", {}, 1))  # one that writes
    script.turn(("think", {}, 1))  # and one of no known kind
    script.reply()
    found = anatomy("a", [reduced(script.episode())])

    assert {kind: s.part for kind, s in found.kinds.items()} == {
        TurnKind.REPLY: 2, TurnKind.ANSWER: 1, TurnKind.READS: 2,
        TurnKind.WRITES: 1, TurnKind.OTHER: 1,
    }  # fmt: skip
    assert (found.language.part, found.language.whole) == (3, 7)


@pytest.mark.parametrize("seed", range(8))
def test_turns_of_random_sessions_are_sorted_as_turn_by_turn(seed):
    kinds = dict(MANIFEST.tools)
    for episode in episodes(seed, 6, n_turns=14):
        found = turn_kinds(reduced(episode, MANIFEST))

        assert +found == literal_kinds(episode.events, kinds)
        assert found.total() == len(episode.turns)


def recorded(file: str, domain: str) -> Anatomy:
    manifest = read_manifest(shared(f"manifests/{domain}.json"))
    path = shared(f"sessions/tau2-sierra-prs/{file}")
    return anatomy(file, [reduced(e, manifest) for e in read([path])])


@claim("tree:turns")
def test_what_turns_in_telecom_are_for():
    replies = [
        recorded(f"telecom__{name}.json.gz", "telecom").kinds[TurnKind.REPLY].value
        for name in ("gpt-4.1__40", "gpt-4o__20")
    ]
    reads = [
        recorded(f"telecom-solo__gpt-4.1__{n}.json.gz", "telecom-solo")
        .kinds[TurnKind.READS].value
        for n in ("40", "5x4")
    ]  # fmt: skip

    assert [round(share, 2) for share in replies] == [0.67, 0.64]
    assert [round(share, 2) for share in reads] == [0.55, 0.64]


def test_the_longest_history_seen_five_times_decides():
    taught = [encoded("fgR")] * 19 + [encoded("fcR")]
    rules = SureRules.of(taught, 2)
    find, got, cancelled = (encoded(walk).symbols[-2] for walk in ("fR", "ggR", "ccR"))

    assert VOCAB.tools == ("cancel", "find", "get")
    assert rules.decide((find,)) == VOCAB.id("get")  # 19 of 20
    assert rules.decide((got,)) == VOCAB.id(None)
    assert rules.decide((find, got)) == VOCAB.id(None)
    assert rules.decide((cancelled,)) is None  # seen once
    assert rules.decide((cancelled, got)) == VOCAB.id(None)  # by the shorter one
    assert (
        SureRules.of([*taught, encoded("fcR")], 2).decide((find,)) is None
    )  # 19 of 21


def test_a_longer_history_that_is_not_sure_leaves_the_shorter_ones_rule_aside():
    taught = [encoded("gR")] * 200 + [encoded("fgR")] * 3 + [encoded("fgcR")] * 3
    rules = SureRules.of(taught, 2)
    found, got = (encoded(walk).symbols[-2] for walk in ("fR", "gR"))

    assert rules.decide((got,)) == VOCAB.id(None)
    assert rules.decide((found, got)) is None


def test_a_row_counts_decisions_after_a_tool_alone():
    taught = [encoded("rfgR")] * 20
    measured = [encoded("rfgR", "a"), encoded("rfcR", "b")]
    row = SureRules.of(taught, 2).row("a", measured)

    # after find: get, foretold once of twice; after get: the end; after cancel: none
    assert (row.covered.part, row.covered.whole) == (3, 4)
    assert (row.agreed.part, row.agreed.whole) == (2, 3)
    assert row.rules == len(SureRules.of(taught, 2).sure) == 4


def test_chances_at_a_site_are_those_of_its_lookups_and_what_came():
    """The worked toy: after `find`, `get` has 394/405, and 43/45 by reach."""
    train = [encode(e, VOCAB, NO_FEATURES) for e in TOY]
    test = [encoded("rfgcR", "a"), encoded("rfcgR", "b")]
    every, *rows = site_rows(train, test, VOCAB, SHOP, order=2, alpha=1.0)
    found = {str(row.site): row for row in rows}

    assert every.site is None
    assert every.decisions == sum(row.decisions for row in rows) == 4
    assert set(found) == {"find", "get"}  # after `cancel` nothing was looked up
    at = found["find"]
    # one application of the full context: (2 + (2 + 4/15)/3)/3, not the flow's twice
    assert at.habit.mean_p == pytest.approx((2 + (2 + 4 / 15) / 3) / 3)
    assert at.reach.mean_p == pytest.approx(43 / 45)
    assert (at.habit.came.part, at.reach.came.part, at.habit.came.whole) == (1, 1, 2)
    assert at.reach.ece == pytest.approx(43 / 45 - 1 / 2)


@pytest.mark.parametrize("seed", range(4))
def test_chances_of_random_sessions_are_those_worked_out_one_by_one(seed):
    made = episodes(seed, 24, n_turns=12)
    vocab = Vocabulary.of(
        {c.tool for e in made for t in e.turns for c in t.calls} | MANIFEST.tools.keys()
    )
    kinds = MANIFEST.tools
    train, test = made[:16], made[16:]
    offered: dict[Site, set[str]] = {}
    for episode in train:
        walk = steps(episode.events)
        for before, after in pairwise(walk):
            if before.tool and after.tool and kinds.get(after.tool) is Kind.READ:
                site = Site(before.tool, before.outcome == 1)
                offered.setdefault(site, set()).add(after.tool)
    came: Counter[Site] = Counter()
    reached: Counter[Site] = Counter()
    chances: Counter[Site] = Counter()
    writes = {vocab.id(t) for t, k in kinds.items() if k is Kind.WRITE}
    for episode in test:
        walk = steps(episode.events)
        ahead = before_writes([vocab.id(s.tool) for s in walk], writes)
        for k in range(1, len(walk)):
            if walk[k - 1].tool is None:
                continue
            site = Site(walk[k - 1].tool, walk[k - 1].outcome == 1)
            for lookup in offered.get(site, ()):
                chances[site] += 1
                came[site] += walk[k].tool == lookup
                reached[site] += vocab.id(lookup) in ahead[k]
    rows = site_rows(
        [encode(e, vocab, NO_FEATURES) for e in train],
        [encode(e, vocab, NO_FEATURES) for e in test],
        vocab, MANIFEST, order=2, alpha=2.5,
    )[1:]  # fmt: skip

    assert {row.site: row.habit.came.whole for row in rows} == dict(chances)
    assert {row.site: row.habit.came.part for row in rows} == {
        s: came[s] for s in chances
    }
    assert {row.site: row.reach.came.part for row in rows} == {
        s: reached[s] for s in chances
    }
    for row in rows:
        assert 0 < row.habit.mean_p < 1
        assert 0 <= row.reach.ece <= 1


def test_without_a_lookup_to_offer_there_is_no_row():
    train = [encoded("rcR")]

    assert site_rows(train, train, VOCAB, SHOP, order=2, alpha=1.0) == ()
