"""Who decides in a command that measures, and how much they may ask."""

import json

import pytest

from stretto import assets
from stretto.cli.deciding import Budgeted, Deciding
from stretto.cli.oracle_choice import OracleChoice
from stretto.errors import CannotDecide, OracleError
from stretto.flow.wire import write_flow
from stretto.oracle.mock import Mock
from stretto.oracle.question import Noul, Request
from stretto.oracle.settings import OracleSettings
from tests.flow.test_arbiter_decider import ARBITER
from tests.flow.test_decide import FLOW, reader
from tests.oracle.test_usual import trained

REQUEST = Request("m", {}, {"q": Noul("?")})


class Charging(Mock):
    """A mock that charges a dollar a request."""

    def price(self, _):
        return 1.0


def choice(kind, **settings):
    return OracleChoice(kind, OracleSettings(**settings), budget=1.0)


@pytest.fixture
def path(tmp_path):
    write_flow(ARBITER, tmp_path / "f.json")
    return tmp_path / "f.json"


def test_a_budget_bounds_what_is_asked_one_by_one():
    oracle = Budgeted(Charging(), 2.0)

    oracle.ask(REQUEST)
    oracle.ask(REQUEST)
    with pytest.raises(OracleError, match=r"budget of \$2.00 is spent"):
        oracle.ask(REQUEST)
    assert oracle.spent == 2.0


def test_an_oracle_that_charges_nothing_is_asked_without_a_budget():
    oracle = Budgeted(Mock(), 0.0)

    assert oracle.ask(REQUEST).answers.keys() == {"q"}
    assert (oracle.name, oracle.model) == ("mock", "mock")


def test_the_flow_is_decided_as_it_asks_to_be_and_asks_the_model_it_names(path):
    found = Deciding.of(path, None, choice("mock"))

    assert found.decider.name == "arbiter"
    assert found.asks
    assert found.flow.model == "jev-latest"


def test_another_model_can_be_asked_in_its_place_and_that_is_warned_of(path, capsys):
    found = Deciding.of(path, "arbiter", choice("jev", model="jev-1.13.0"))

    assert found.decider.asker.flow.model == found.flow.model == "jev-1.13.0"
    assert "fitted on answers of jev-latest, not jev-1.13.0" in capsys.readouterr().err


def test_the_model_it_was_fitted_on_is_not_warned_of(path, capsys):
    Deciding.of(path, "arbiter", choice("jev", model="jev-latest"))
    Deciding.of(path, "arbiter", choice("replay"))

    assert capsys.readouterr().err == ""


def test_who_asks_nothing_needs_no_oracle(path):
    found = Deciding.of(path, "habit", choice("no-such-oracle"))

    assert not found.asks
    assert found.oracle() is None
    assert found.asked([reader().episode()]) is None


def unnamed(folder):
    """A choice that names no oracle, where a model of one's own beats no habit."""
    return choice(None, environ=trained(folder, None))


def test_a_model_that_beats_no_habit_leaves_the_deciding_to_it(path, tmp_path, capsys):
    found = Deciding.of(path, None, unnamed(tmp_path))

    assert (found.decider.name, found.asks) == ("habit", False)
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: ")
    assert "local.safetensors does not beat the habit" in line
    assert line.endswith("; the habit decides")


def test_a_decider_that_was_named_is_kept_and_asks_jev(path, tmp_path, capsys):
    found = Deciding.of(path, "arbiter", unnamed(tmp_path))

    assert (found.decider.name, found.choice.kind) == ("arbiter", "jev")
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith("`--oracle local` asks it all the same")


def test_a_model_is_not_spoken_of_where_nobody_would_be_asked(path, tmp_path, capsys):
    found = Deciding.of(path, "habit", unnamed(tmp_path))

    assert not found.asks
    assert capsys.readouterr().err == ""


def test_a_flow_without_an_arbiter_has_none_to_decide(tmp_path):
    write_flow(FLOW, tmp_path / "f.json")

    with pytest.raises(CannotDecide, match="has no arbiter"):
        Deciding.of(tmp_path / "f.json", "arbiter", choice("mock"))


def test_other_words_are_asked_where_they_are_named(path, tmp_path):

    texts = json.loads((assets.data() / "questions.json").read_text())
    texts["texts"]["next"] = "And now?"
    (tmp_path / "words.json").write_text(json.dumps(texts))
    given = OracleChoice(
        "mock", OracleSettings(), budget=1.0, questions=tmp_path / "words.json"
    )

    found = Deciding.of(path, None, given)

    assert found.decider.asker.wording.next == "And now?"
