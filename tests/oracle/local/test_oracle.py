"""The oracle `local`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from stretto.episodes.site import Site
from stretto.episodes.tasks import fold, task_group
from stretto.errors import FormatError, OracleError
from stretto.oracle.answer import ChoiceAnswer, NoulAnswer, ScoreAnswer
from stretto.oracle.ask import ask
from stretto.oracle.held_out import held_out
from stretto.oracle.installed import oracle
from stretto.oracle.local.clues import clues
from stretto.oracle.local.file import LocalModel, local_bytes, parse_local, write_local
from stretto.oracle.local.oracle import Local, go_on
from stretto.oracle.mock import Mock
from stretto.oracle.next_step import next_step_request, read_next_step
from stretto.oracle.predicates import shipped_predicates
from stretto.oracle.question import Choice, Noul, Request, Score
from stretto.oracle.settings import OracleSettings
from stretto.oracle.wording import shipped_wording
from tests.oracle.local.models import PROVENANCE, model_of
from tests.oracle.local.test_clues import OPTIONS, desk
from tests.oracle.strategies import REQUESTS

STATE = desk("L107")
LOOKUPS = {name: text for name, text in OPTIONS.items() if name != "respond"}
SEEN = clues(STATE, OPTIONS)
TASK = "the task"
MODEL = LocalModel(
    model_of(SEEN).members, replace(PROVENANCE, tasks=(task_group(TASK),))
)
LOCAL = Local.of(parse_local(local_bytes(MODEL), "f"))


def next_request(lookups=LOOKUPS):
    return next_step_request(
        LOCAL.model,
        STATE,
        Site("get_loan", False),
        lookups,
        predicates=shipped_predicates(),
        wording=shipped_wording(),
    )


def softmax(scores, temperature):
    p = np.exp(np.array(scores) / temperature)
    return p / p.sum()


def test_the_next_step_is_read_off_one_set_of_scores():
    scores = LOCAL.member.net.scores(SEEN)
    tempered = LOCAL.member.calibration

    found = read_next_step(ask(LOCAL, next_request()), LOOKUPS, shipped_predicates())

    assert found is not None
    one = softmax(scores, tempered.next)
    assert [*found.one.values()] == pytest.approx(one.tolist())
    open_odds = (1 - softmax(scores, 1)[2]) / softmax(scores, 1)[2]
    goes_on = 1 / (1 + open_odds ** (-1 / tempered.go_on))
    assert found.split["respond"] == pytest.approx(1 - goes_on)
    share = softmax(scores[:2], tempered.tool)
    assert found.split["get_loan"] == pytest.approx(goes_on * share[1])
    assert found.yes == {
        "list_pending": tempered.again[SEEN.pending],
        "needs_options": 0.5,
        "must_ask": 0.5,
    }


def test_with_one_lookup_no_tool_is_asked_and_the_step_is_complete():
    only = {"get_loan": LOOKUPS["get_loan"]}

    found = read_next_step(ask(LOCAL, next_request(only)), only, ())

    assert found is not None
    assert found.split["get_loan"] + found.split["respond"] == pytest.approx(1)


@given(REQUESTS)
def test_every_question_is_answered_by_what_the_check_takes(request):
    response = ask(LOCAL, request)

    assert response.answers.keys() == request.questions.keys()


def test_to_what_it_has_not_learned_its_answers_are_even_odds():
    asked = {
        "confirmed": Noul("Did they agree?"),
        "go_on": Noul("Go on?"),
        "which": Choice("Which?", {"b": "", "a": "", "c": "", "d": ""}),
        "level": Score("How far?", ("none", "some", "all")),
    }

    answers = ask(LOCAL, Request(LOCAL.model, STATE, asked)).answers

    assert answers["confirmed"] == answers["go_on"] == NoulAnswer(0.5)
    assert answers["which"] == ChoiceAnswer("a", dict.fromkeys("abcd", 0.25), 0.25)
    thirds = {str(level): pytest.approx(1 / 3) for level in range(3)}
    assert answers["level"] == ScoreAnswer(1.0, thirds, pytest.approx(1 / 3))


def test_going_on_stays_a_probability_where_one_side_has_none():
    assert go_on(np.array([800.0, 0.0]), 1, 1.0) == 1.0
    assert go_on(np.array([0.0, 800.0]), 1, 1.0) == 0.0


def test_a_task_it_learned_from_is_answered_by_the_network_that_left_it_out():
    own = held_out(LOCAL, TASK)

    assert own.member is LOCAL.found.members[str(fold(TASK))]
    assert own.model == f"{LOCAL.model}-without-{fold(TASK)}"
    assert ask(own, next_request()) != ask(LOCAL, next_request())


def test_a_task_it_never_saw_is_answered_by_the_network_of_all():
    assert held_out(LOCAL, "another") == LOCAL
    assert held_out(Mock(), TASK) == Mock()


def test_its_name_is_of_the_files_bytes():
    other = parse_local(local_bytes(model_of(SEEN, seed=2)), "f")

    assert LOCAL.model.startswith("local-")
    assert Local.of(other).model != LOCAL.model


def test_it_is_found_in_the_named_file_or_in_strettos_folder(tmp_path):
    home = {"STRETTO_HOME": str(tmp_path)}

    with pytest.raises(OracleError, match="no model of one's own"):
        oracle("local", OracleSettings(environ=home))
    with pytest.raises(FormatError, match="cannot be read"):
        oracle("local", OracleSettings(model=str(tmp_path / "none")))
    write_local(MODEL, tmp_path / "local.safetensors")
    write_local(model_of(SEEN, seed=2), tmp_path / "other")

    assert oracle("local", OracleSettings(environ=home)).model == LOCAL.model
    named = oracle("local", OracleSettings(model=str(tmp_path / "other"), environ=home))
    assert named.model != LOCAL.model
