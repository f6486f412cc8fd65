"""Tokens and dollars that replays save: by hand, beside costs, and on real sessions."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.episodes.episode import AssistantTurn, Episode, Usage
from stretto.evaluate.balance import INPUT, Balance, TokenPrices
from stretto.evaluate.ceiling import llm_turns
from stretto.evaluate.outlay import outlay
from stretto.evaluate.setting import OFF, Setting
from stretto.evaluate.spent import NOTHING, Spent
from stretto.evaluate.tokens import Meters, Net, metered
from tests.conftest import shared
from tests.evaluate.literal_costs import characters_per_token
from tests.evaluate.test_replay import FLOW, SHOP, find, get_user
from tests.evaluate.test_spent import alone
from tests.toys import Script

CACHED = TokenPrices(5, 0.1, 1.25)
AIRLINE = "sessions/tau2-sierra-prs/airline__gpt-4.1__20.json.gz"


def script() -> Script:
    """A session whose second turn a flow saves, and that goes on for two more."""
    return Script().user("hi").turn(find()).turn(get_user()).reply().user("ok").reply()


def spending(name: str, *usage: tuple[int, int, float], agent: str = "a") -> Episode:
    """The session by an agent, its turns' usage as given; None for not recorded."""
    left = iter(usage)
    episode = script().episode(name)
    events = [
        replace(event, usage=Usage(*spent) if (spent := next(left)) else None)
        if isinstance(event, AssistantTurn)
        else event
        for event in episode.events
    ]
    return replace(episode, events=tuple(events), agent=agent)


FULL = ((100, 10, 0.11), (140, 10, 0.15), (180, 5, 0.185), (200, 5, 0.205))
"""What four turns came to, at a thousandth of a dollar a token of either kind."""


def noted(*episodes: Episode) -> Meters:
    meters = Meters()
    list(meters.noting(episodes))
    return meters


def test_a_session_saves_what_it_comes_to_by_hand():
    meters = noted(spending("e", *FULL))
    rates = meters.rates()
    rate = 1 / characters_per_token([spending("e", *FULL)])

    found = meters.tokens(rates, [Spent(140, 10, 0.15, carried=-40, again=-40)])

    assert rates.tokens == {"a": pytest.approx(rate)}
    assert (found.sessions, found.without_usage) == (1, 0)
    assert (found.prompt.part, found.prompt.whole) == (
        pytest.approx(140 + 80 * rate), 620
    )  # fmt: skip
    assert (found.completion.part, found.completion.whole) == (10, 30)
    assert found.dollars.part == pytest.approx(0.15 + 80 * rate * 0.001)
    assert found.dollars.whole == pytest.approx(0.65)
    assert found.priced == found.prompt


def test_a_detour_takes_off_what_it_adds_to_later_prompts():
    meters = noted(spending("e", *FULL))
    rates = meters.rates()

    [net] = meters.nets(rates, [Spent(carried=30, again=60)], CACHED)

    rate = rates.tokens["a"]
    assert net == Net(
        pytest.approx(-90 * rate),
        0,
        pytest.approx(-90 * rate * 0.001),
        pytest.approx(-(1.25 * 30 + 0.1 * 60) * rate),
    )


@pytest.mark.parametrize("prices", [INPUT, CACHED])
def test_one_saved_turn_without_a_detour_is_worth_what_costs_take_it_for(prices):
    episode = spending("e", *FULL)
    off = {"get_user": OFF, "get_order": OFF}
    spent = alone(FLOW, episode, "habit", Setting(0.2, off))
    assert spent.prompt == 140
    meters = noted(episode)

    [net] = meters.nets(meters.rates(), [spent], prices)

    sums = outlay(episode, llm_turns(episode, SHOP), {})
    columns = sorted(sums)
    rows = np.array([[sums[column] for column in columns]])
    balance = Balance(columns, rows, prices)
    [worth] = sum(balance.saved("a", site) for site in balance.sites)
    assert net.priced == pytest.approx(worth)


def test_sessions_without_usage_are_counted_apart():
    whole = spending("one", *FULL)
    lacking = spending("two", *FULL[:3], None)
    unread = spending("three", *FULL[:3], (0, 5, 0.1))
    steady = spending("four", *[(100, 10, 0.1)] * 4, agent="b")
    meters = noted(whole, lacking, unread, steady)
    rates = meters.rates()
    spends = [Spent(10, 1, 0.01)] * 4

    found = meters.tokens(rates, spends)

    assert [metered(e) is None for e in (whole, lacking, unread, steady)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert rates.tokens.keys() == {"a"}
    assert [net is None for net in meters.nets(rates, spends)] == [
        False, True, True, True,
    ]  # fmt: skip
    assert (found.sessions, found.without_usage) == (1, 3)
    assert noted(lacking).tokens(noted(lacking).rates(), [NOTHING]) is None


def test_dollars_are_of_the_sessions_that_recorded_a_cost():
    free = [(p, c, 0.0) for p, c, _ in FULL]
    meters = noted(spending("one", *FULL), spending("two", *free))
    spends = [Spent(140, 10, 0.15), Spent(140, 10, 0.0, carried=100)]

    found = meters.tokens(meters.rates(), spends)

    assert found.dollars.part == pytest.approx(0.15)
    assert found.dollars.whole == pytest.approx(0.65)
    assert found.prompt.whole == 2 * 620


def test_a_greeting_that_recorded_nothing_leaves_the_usage_known():
    episode = spending("e", *FULL)
    greeted = replace(episode, events=(AssistantTurn("Hello!"), *episode.events))

    assert metered(greeted)._replace(added=0) == metered(episode)._replace(added=0)


def replayed(*args: str) -> str:
    paths = shared("reference/flows/airline-reach.flow.json"), shared(AIRLINE)
    result = CliRunner().invoke(cli, ["replay", *map(str, paths), *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_replay_of_real_sessions_tells_tokens_by_threshold_and_session():
    off = "--threshold", "0.3", "--threshold", "2"
    found = json.loads(replayed(*off, "--json"))
    text = replayed(*off, "--price", "5,0.1,1.25", "--jobs", "2")

    totals = found["totals"]["tokens"]
    each = [episode["tokens"] for episode in found["episodes"]]
    assert (totals["sessions"], totals["without_usage"]) == (20, 0)
    for name in ("prompt", "completion", "dollars"):
        parts = sum(tokens[name] for tokens in each)
        assert totals[name]["part"] == pytest.approx(parts)
        assert 0 < totals[name]["part"] < totals[name]["whole"]
        low, high = totals[name]["interval"]
        assert low < totals[name]["share"] < high
    nothing = found["thresholds"][1]["tokens"]
    assert nothing["prompt"]["part"] == nothing["dollars"]["part"] == 0
    assert f"{totals['prompt']['part']:,.0f}" in text
    assert "20 sessions record what every turn cost." in text
    assert "tokens at the prices given" in text
    assert "dollars saved" in text
