"""Names that fit into a table, and shares with their intervals."""

from stretto.episodes.vocabulary import START, Vocabulary, symbol
from stretto.evaluate.intervals import Interval, Share
from stretto.report.naming import action_name, context_name, short_names
from stretto.report.shares import mean, percent, share_json

VOCAB = Vocabulary.of(["find", "get"])


def test_agents_lose_their_provider_and_the_date_of_their_version():
    found = short_names(["azure/gpt-4o-2024-11-20", "xai/grok-3", "m-20250219"])

    assert list(found.values()) == ["gpt-4o", "grok-3", "m"]


def test_agents_that_would_be_called_the_same_keep_their_whole_names():
    agents = ["gpt-4o", "azure/gpt-4o-2024-11-20", "o4"]

    assert short_names(agents) == {agent: agent for agent in agents}


def test_a_context_is_its_steps_and_how_each_ended():
    context = (START, symbol(0, 2), symbol(2, 1, 3))

    assert context_name(context, VOCAB) == "start, respond (answered), get (error) #3"
    assert action_name(3, VOCAB) == "another tool"


def test_a_share_without_a_whole_is_no_zero():
    assert percent(Share(0, 0)) == mean(Share(0, 0)) == "–"
    assert share_json(Share(0, 0)) == {
        "share": None, "part": 0, "whole": 0, "interval": None,
    }  # fmt: skip


def test_an_interval_stands_behind_its_share_and_is_not_broken():
    found = Share(1, 4, Interval(0.125, 0.5))

    assert percent(found) == "25.0% [12.5,\u00a050.0]"
    assert mean(found, 1) == "0.2 [0.1,\u00a00.5]"
