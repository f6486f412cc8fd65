"""What is asked after a call, and how the answers are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.episodes.site import Site
from stretto.oracle.answer import Answer, ChoiceAnswer, NoulAnswer, Response
from stretto.oracle.next_step import (
    NextStep,
    hint,
    next_step_request,
    read_next_step,
    rubric,
)
from stretto.oracle.predicates import Predicate, shipped_predicates
from stretto.oracle.question import Choice, Noul, Request
from stretto.oracle.wording import shipped_wording
from tests.claims import claim

WORDS = shipped_wording()
PREDICATES = shipped_predicates()
SITE = Site("get", False)
ANSWERS: dict[str, Answer] = {
    "next": ChoiceAnswer("b", {"a": 0.2, "b": 0.5, "respond": 0.3}),
    "go_on": NoulAnswer(0.7),
    "tool": ChoiceAnswer("a", {"a": 0.8, "b": 0.2}),
    "pred_must_ask": NoulAnswer(0.25),
}


def asked(*lookups: str, site: Site = SITE) -> Request:
    rubrics = {lookup: f"Reads {lookup}." for lookup in lookups}
    return next_step_request(
        "m", {"k": 1}, site, rubrics, predicates=PREDICATES, wording=WORDS
    )


@claim("questions:next-step", "questions:predicates")
def test_a_site_with_two_lookups_is_asked_both_ways_and_every_predicate() -> None:
    questions = asked("b", "a").questions

    assert {id: type(question) for id, question in questions.items()} == {
        "next": Choice,
        "go_on": Noul,
        "tool": Choice,
        "pred_list_pending": Noul,
        "pred_needs_options": Noul,
        "pred_must_ask": Noul,
    }
    assert [*questions["next"].criteria] == ["a", "b", "respond"]
    assert questions["tool"].criteria == {"a": "Reads a.", "b": "Reads b."}


def test_a_site_with_one_lookup_is_not_asked_which() -> None:
    assert "tool" not in asked("a").questions


def test_instructions_are_context_note_last_event_and_question_in_this_order() -> None:
    ok, failed = asked("a", "b"), asked("a", "b", site=Site("get", True))
    last = WORDS.last_ok.replace("{tool}", "get")

    for id, text in (
        ("next", WORDS.next),
        ("go_on", WORDS.go_on),
        ("tool", WORDS.tool),
    ):
        expected = f"{WORDS.context} {WORDS.data_note} {last} {text}"
        assert ok.questions[id].instructions == expected
        assert WORDS.last_error.replace("{tool}", "get") in (
            failed.questions[id].instructions
        )
    predicate = PREDICATES[0]
    assert ok.questions["pred_list_pending"] == Noul(
        f"{WORDS.context} {WORDS.data_note} {predicate.question}",
        (predicate.yes, predicate.no),
    )


def test_the_key_does_not_depend_on_the_order_of_rubrics_or_predicates() -> None:
    other = next_step_request(
        "m",
        {"k": 1},
        SITE,
        {"b": "Reads b.", "a": "Reads a."},
        predicates=PREDICATES[::-1],
        wording=WORDS,
    )

    assert asked("a", "b").key == other.key


def test_the_worked_example_splits_as_the_page_says() -> None:
    found = read_next_step(Response("m", ANSWERS), ["a", "b"], PREDICATES)

    assert found == NextStep(
        one={"a": 0.2, "b": 0.5, "respond": 0.3},
        pick="b",
        split=pytest.approx({"a": 0.56, "b": 0.14, "respond": 0.3}),
        yes={"must_ask": 0.25},
    )


def test_one_lookup_gets_all_of_going_on() -> None:
    answers = {**ANSWERS, "tool": NoulAnswer(0.9)}
    found = read_next_step(Response("m", answers), ["a"], ())

    assert found is not None
    assert found.split == pytest.approx({"a": 0.7, "respond": 0.3})
    assert found.pick == "respond"
    assert found.one == {"a": 0.2, "respond": 0.3}


@pytest.mark.parametrize("id", ["next", "go_on", "tool"])
def test_without_an_answer_it_takes_or_with_one_of_another_type_it_is_none(id) -> None:
    wrong = NoulAnswer(0.5) if id != "go_on" else ANSWERS["next"]
    rest = {other: answer for other, answer in ANSWERS.items() if other != id}

    for answers in (rest, {**rest, id: wrong}):
        assert read_next_step(Response("m", answers), ["a", "b"], PREDICATES) is None


@given(
    st.floats(0, 1),
    st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
)
def test_the_split_is_a_distribution_where_its_halves_are(go_on, weights) -> None:
    lookups = [f"t{i}" for i in range(len(weights))]
    shares = {t: w / sum(weights) for t, w in zip(lookups, weights, strict=True)}
    answers = {
        "next": ChoiceAnswer("respond", {"respond": 1.0}),
        "go_on": NoulAnswer(go_on),
        "tool": ChoiceAnswer(max(shares, key=shares.__getitem__), shares),
    }
    found = read_next_step(Response("m", answers), lookups, ())

    assert found is not None
    assert sum(found.split.values()) == pytest.approx(1.0)


def test_a_hint_names_two_arguments_and_two_writes_of_each_by_count_then_name() -> None:
    feeds = {
        ("w1", "order"): 3,
        ("w2", "order"): 9,
        ("w3", "order"): 3,
        ("w1", "item"): 15,
        ("w1", "amount"): 4,
        ("w1", "rare"): 2,
    }

    assert hint(feeds, WORDS) == (
        "What it returns goes into item of w1. "
        "What it returns goes into order of w2, w1."
    )
    assert hint({("w", "rare"): 2}, WORDS) == ""


def test_a_rubric_is_the_summary_and_the_hint_in_250_characters() -> None:
    fed = {("w", "id"): 3}

    assert rubric("get", " Reads it. ", {}, WORDS) == "Reads it."
    assert rubric("get", "\n", {}, WORDS) == WORDS.tool_fallback.replace(
        "{tool}", "get"
    )
    assert rubric("get", "R.", fed, WORDS) == "R. What it returns goes into id of w."
    assert len(rubric("get", "x" * 300, fed, WORDS)) == 251


def test_every_published_predicate_is_shipped() -> None:
    assert [(p.id, p.favors) for p in PREDICATES] == [
        ("list_pending", "same_lookup"),
        ("needs_options", "any_lookup"),
        ("must_ask", "hand_back"),
    ]
    assert all(isinstance(predicate, Predicate) for predicate in PREDICATES)
