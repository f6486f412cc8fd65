"""Learning: which sessions teach, and what the flow then holds."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import Kind, Manifest
from stretto.episodes.site import Site
from stretto.errors import NothingToLearn
from stretto.flow.flow import Flow
from stretto.flow.wire import flow_json, read_flow
from stretto.learn.corpus import Chosen, Corpus
from stretto.learn.gate import at
from stretto.learn.learn import learn
from stretto.learn.settings import Settings
from stretto.learn.survey import survey
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from tests.claims import claim
from tests.conftest import shared
from tests.toys import SHOP, TOY, Script, taught, walked

PLAIN = Settings(alpha=1.0, features=False, now_ms=lambda: 0)


@claim("site:options")
def test_the_toys_sites_and_habit_are_the_worked_ones():
    flow = taught(TOY).flow

    assert flow.sites.next == {
        Site("find", False): {"get": 2},
        Site("get", False): {"get": 1},
    }
    assert flow.habit.base.levels[0][()].total == 11
    assert flow.provenance.habit_episodes == 2


@claim("habit:successes", "provenance:habit-episodes")
def test_failed_sessions_teach_nothing_but_their_tools_names():
    failed = replace(walked("E3", "rfgR"), reward=0.5)
    odd = Script().turn(("mystery", {}, "ok")).episode("E4", reward=0.0)

    flow = taught([*TOY, failed, odd]).flow

    assert flow.vocab.tools == ("cancel", "find", "get", "mystery")
    assert flow.provenance.habit_episodes == 2
    assert flow.habit.base.levels == taught(TOY).flow.habit.base.levels
    assert flow.sites == taught(TOY).flow.sites


def test_ungraded_sessions_are_taken_on_trust_and_counted():
    ungraded = [replace(episode, reward=None) for episode in TOY]

    learned = taught([*ungraded, Episode("empty", ())])

    assert (learned.on_trust, learned.flow.provenance.habit_episodes) == (2, 2)


@claim("sample:named", "data:splits")
def test_only_the_chosen_tasks_teach():
    settings = replace(PLAIN, tasks=lambda task: task == "E2")

    learned = learn(TOY, SHOP, settings)

    assert (learned.episodes, learned.training) == (2, 1)
    assert learned.flow.habit.base.levels[0][()].total == 4


def test_without_a_success_there_is_nothing_to_learn():
    with pytest.raises(NothingToLearn, match="none of the 1 sessions"):
        taught([replace(TOY[0], reward=0.0)])


def test_without_a_tool_that_only_reads_there_is_nothing_to_learn():
    with pytest.raises(NothingToLearn, match="only read"):
        taught(TOY, Manifest("shop", {"find": Kind.GENERIC}))


def test_half_life_weighs_older_sessions_less():
    learned = learn(TOY, SHOP, replace(PLAIN, half_life=1.0))

    assert learned.flow.habit.base.levels[0][()].total == 7 * 0.5 + 4


def test_the_gate_is_the_ceiling_quantile_of_the_peaks():
    assert at([0.5, 0.9, 1.2, 2.0, 3.1], 0.8) == 2.0
    assert at([0.5, 0.9], 0.01) == 0.5
    assert at([0.5, 0.9], 1.0) == 0.9


def test_a_learned_gate_lets_its_share_of_the_training_sessions_pass():
    walks = [walked(f"t{i}", "rfgrfgrcrfgR") for i in range(12)]
    flow = learn(walks, SHOP, replace(PLAIN, surprise=1.0, window=2)).flow

    assert flow.surprise is not None
    assert flow.surprise.window == 2
    assert math.isfinite(flow.surprise.threshold)


def test_a_corpus_that_outgrows_its_budget_is_read_again_and_says_the_same():
    readings = 0

    def reading():
        nonlocal readings
        readings += 1
        return iter(TOY)

    held, reread = Corpus(reading), Corpus(reading, budget=1)
    assert [list(held), list(held)] == [list(TOY)] * 2
    assert readings == 1

    assert [list(reread), list(reread)] == [list(TOY)] * 2
    assert readings == 3
    assert learn(reread, SHOP, PLAIN).flow == learn(held, SHOP, PLAIN).flow


def test_a_corpus_fills_the_ledger_once():
    first, again = iter(TOY), lambda: iter(TOY)
    corpus = Corpus(lambda: first, again, budget=1)

    assert list(corpus) == list(corpus)


def test_chosen_sessions_come_in_reading_order():
    episodes = [walked(str(i), "rR") for i in range(5)]

    assert [e.id for e in Chosen(episodes, [1, 3])] == ["1", "3"]
    assert len(Chosen(episodes, [1, 3])) == 2


def test_surveying_first_changes_nothing():
    ahead = survey(TOY, PLAIN)

    assert learn(TOY, SHOP, PLAIN, surveyed=ahead) == learn(TOY, SHOP, PLAIN)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(alphabet="rfgc", min_size=1, max_size=8), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_with_a_given_concentration_the_order_of_the_sessions_does_not_matter(
    walks: list[str], shuffle: random.Random
):
    episodes = [walked(f"t{i}", walk) for i, walk in enumerate(walks)]
    mixed = list(episodes)
    shuffle.shuffle(mixed)

    def written(episodes: list[Episode]) -> object:
        return flow_json(learn(episodes, SHOP, replace(PLAIN, features=True)).flow)

    assert written(episodes) == written(mixed)


def logs() -> tuple[Ledger, list[Episode]]:
    ledger = Ledger()
    return ledger, list(read([shared("reference/logs/shop")], ledger=ledger))


def learned_shop(alpha: float) -> Flow:
    ledger, episodes = logs()
    settings = Settings(alpha=alpha, now_ms=lambda: 1790561041051)
    return learn(episodes, ledger.manifest, settings, contracts=ledger.contracts).flow


@claim("contracts:pinned", "fields:all")
def test_the_published_flow_is_learned_again_from_its_six_logs():
    published = read_flow(shared("reference/flows/shop.flow.json"))

    flow = learned_shop(published.habit.base.alpha)

    assert flow_json(flow) == flow_json(published)


@claim("file:same-data")
def test_two_runs_differ_in_when_they_ran_and_in_nothing_else():
    ledger, episodes = logs()
    ticks = iter(range(10))

    def one() -> Flow:
        return learn(
            episodes, ledger.manifest, Settings(now_ms=lambda: next(ticks))
        ).flow

    first, second = one(), one()

    assert first != second
    when = first.provenance.compiled_unix_ms
    assert first == replace(
        second, provenance=replace(second.provenance, compiled_unix_ms=when)
    )
