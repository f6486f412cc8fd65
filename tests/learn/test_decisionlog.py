import json

import pytest

from stretto.errors import FormatError
from stretto.learn.decisionlog import check_width, log_lines, read_log
from stretto.oracle.predicates import Predicate
from tests.learn.test_arbiter import arbitration, learned

CANDIDATE = Predicate("greeted", "hand_back", "Was hello said?", "Yes.", "No.")

FIELDS = [
    *("actual", "agent", "case", "combined", "episode", "fixed", "key", "kind"),
    *("model", "options", "pick", "predicates", "split", "step", "target", "task"),
    "tool",
]


@pytest.fixture(scope="module")
def found():
    return learned(arbitration(candidates=(CANDIDATE,)))


@pytest.fixture
def path(found, tmp_path):
    path = tmp_path / "decisions.jsonl"
    lines = log_lines(found.flow, found.answered, found.candidates)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_a_line_holds_the_fields_of_the_format_sorted(path):
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        assert [*entry] == FIELDS
        assert sum(entry["options"].values()) == pytest.approx(1)
        assert entry["combined"].keys() == entry["options"].keys()
        assert entry["predicates"]["greeted"] == 0.9
        assert entry["case"]["options"][entry["case"]["pick"]] == entry["pick"][0]


def test_the_cases_that_are_read_are_those_that_were_written(path, found):
    read = [*read_log(path)]

    assert [one.case for one in read] == [one.case for one in found.answered]
    assert [one.key for one in read] == [
        one.asked.request.key for one in found.answered
    ]


def test_decisions_about_arguments_are_passed_over(path):
    lines = path.read_text().splitlines()
    entry = {**json.loads(lines[0]), "kind": {"Arg": "order_id"}}
    path.write_text("\n".join([json.dumps(entry), *lines]))

    assert len([*read_log(path)]) == len(lines)


@pytest.mark.parametrize(
    ("place", "value", "cause"),
    [
        (("case", "pick"), 9, "whole number from 0 to"),
        (("case", "features"), [[0.0] * 7], "an array of"),
        (("case", "features", 0), [0.0], "at least 4 features"),
        (("case", "features", 1, 0), "x", "a number"),
        (("case", "options"), ["respond", "get"], "sorted"),
        (("case", "options"), [], "at least one"),
        (("actual",), 7, "whole number"),
        (("predicates",), {"greeted": 1.5}, "a number from 0 to 1"),
        (("target",), "no", "true or false"),
        (("task",), 3, "a string"),
    ],
)
def test_a_line_that_is_not_one_is_refused_by_file_line_and_place(
    path, place, value, cause
):
    lines = path.read_text().splitlines()
    entry = json.loads(lines[1])
    inside = entry
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    path.write_text("\n".join([lines[0], json.dumps(entry)]))

    with pytest.raises(FormatError, match=cause) as error:
        list(read_log(path))
    assert f"{path}:2" in str(error.value)


def test_a_log_of_other_predicates_than_those_given_is_refused(path):
    logged = [*read_log(path)]

    check_width(logged, 3, path)
    with pytest.raises(FormatError, match="weighs 3 predicates"):
        check_width(logged, 2, path)
