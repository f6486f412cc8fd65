"""A flow file: written one way, and read with every field checked."""

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.canonical import Json, in_order
from stretto.errors import CannotWrite, FormatError, ProgramError, StrettoError
from stretto.files import Node, parse_json
from stretto.flow.flow import Flow
from stretto.flow.wire import counts, flow_json, parse_flow, read_flow, write_flow
from stretto.program.standard import STANDARD
from tests.claims import claim
from tests.conftest import shared
from tests.flow.maximal import MAXIMAL
from tests.flow.strategies import VALUES, flows

PUBLISHED = (
    "airline-f2",
    "airline-reach",
    "retail-5-sessions",
    "shop",
    "shop.promoted",
)

Path_ = tuple[str | int, ...]


def text(flow: Flow) -> str:
    return in_order(flow_json(flow))


def reread(flow: Flow) -> Flow:
    return parse_flow(parse_json(text(flow), "x.flow.json"))


def edited(path: Path_, value: object) -> Node:
    """The maximal flow's file with one value in another's place."""
    document: Any = copy.deepcopy(flow_json(MAXIMAL))
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return Node(document, "x.flow.json")


def without(*path: str) -> Node:
    """The maximal flow's file with one field taken out."""
    document: Any = copy.deepcopy(flow_json(MAXIMAL))
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    del inside[path[-1]]
    return Node(document, "x.flow.json")


@claim("fields:all")
@settings(max_examples=40, deadline=None)
@given(flows())
def test_a_flow_written_and_read_is_the_same_flow(flow: Flow) -> None:
    again = reread(flow)

    assert again == flow
    assert text(again) == text(flow)


@claim("fields:all")
def test_a_flow_with_every_field_keeps_them_all() -> None:
    assert reread(MAXIMAL) == MAXIMAL


@claim("fields:all")
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_flow_is_written_back_byte_for_byte(name: str) -> None:
    path = shared(f"reference/flows/{name}.flow.json")

    assert text(read_flow(path)) == path.read_text(encoding="utf-8")


@claim("file:one-line")
def test_a_flow_is_written_on_one_line(tmp_path: Path) -> None:
    write_flow(MAXIMAL, path := tmp_path / "x.flow.json")

    assert path.read_text(encoding="utf-8").splitlines() == [text(MAXIMAL)]


@claim("file:pairs")
def test_the_order_in_which_things_were_counted_leaves_no_mark() -> None:
    assert text(_reversed(MAXIMAL)) == text(MAXIMAL)


def _reversed(value: Any) -> Any:
    """The value with every map in it turned around."""
    if isinstance(value, Mapping):
        return {k: _reversed(v) for k, v in reversed(value.items())}
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            f.name: _reversed(getattr(value, f.name)) for f in fields(value) if f.init
        }
        changes.pop("extra", None)
        return replace(value, **changes)
    return value


@claim("file:same-data")
def test_two_writes_differ_in_when_they_were_written_alone() -> None:
    later = replace(MAXIMAL.provenance, compiled_unix_ms=1)
    old, new = flow_json(MAXIMAL), flow_json(replace(MAXIMAL, provenance=later))

    assert [key for key in old if old[key] != new[key]] == ["provenance"]
    stamp = re.compile(r'"compiled_unix_ms":\d+')
    assert stamp.sub("", in_order(old)) == stamp.sub("", in_order(new))


def test_counts_are_written_as_floats() -> None:
    assert '{"by_action":[[0,8.0],[2,20.0],[4,10.0]],"total":40.0}' in text(MAXIMAL)


@claim("program:default")
def test_a_flow_without_a_program_runs_the_standard_one_and_stays_without() -> None:
    flow = parse_flow(without("program"))

    assert flow.program == STANDARD
    assert "program" not in flow_json(flow)


def test_a_program_put_into_a_flow_without_one_is_written() -> None:
    flow = replace(parse_flow(without("program")), program=MAXIMAL.program)

    assert flow_json(flow)["program"] == flow_json(MAXIMAL)["program"]


@pytest.mark.parametrize(
    "name", ["promoted", "contracts", "reach", "surprise", "thresholds", "model"]
)
def test_an_optional_field_that_is_null_is_one_left_out(name: str) -> None:
    assert parse_flow(edited((name,), None)) == parse_flow(without(name))


def test_a_threshold_of_null_is_off_and_is_written_as_two() -> None:
    flow = parse_flow(edited(("thresholds", "get_order"), None))

    assert flow.thresholds["get_order"] == 2.0
    assert flow_json(flow)["thresholds"] == {
        "get_order": 2.0,
        "get_user": 0.2,
        "get_user (error)": 2.0,
    }


@claim("version:optional")
def test_a_field_this_build_does_not_know_is_kept_behind_those_it_does() -> None:
    flow = parse_flow(edited(("newer",), [1]))

    assert list(flow_json(flow))[-2:] == ["a_later_field", "newer"]
    assert reread(flow).extra == {"a_later_field": {"kept": True}, "newer": [1]}


def test_a_field_unknown_inside_a_known_part_does_no_harm() -> None:
    assert parse_flow(edited(("habit", "base", "newer"), 1)) == MAXIMAL


def test_a_flow_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite):
        write_flow(MAXIMAL, tmp_path / "missing" / "x.flow.json")

    assert list(tmp_path.iterdir()) == []


LEVEL_1 = ("habit", "base", "levels", 1)

REFUSED: tuple[tuple[Path_, object, str, str], ...] = (
    (("group",), "one", "group", "a whole number"),
    (("vocab", 0), "respond", "vocab", 'begin with "Respond"'),
    (("vocab", 2, "Tool"), "cancel_order", "vocab", "names a tool twice"),
    (("manifest", "tools", "think"), "safe", "manifest.tools.think", "`generic`"),
    (("manifest", "tools", "get_order"), "write", "sites.reads", "marks write"),
    (("sites", "reads"), ["get_order"], "sites.next[0][1]", "`sites.reads`"),
    (("sites", "next", 0, 0), ["get_order"], "sites.next[0][0]", "an array of 2"),
    (("sites", "every_read"), "yes", "sites.every_read", "true or false"),
    (("map", "ids", 0, 1), 64, "map.ids[0][1]", "from 0 to 63"),
    (("map", "ids", 0, 0, 1), ["gold"], "map.ids[0][0][1]", "an array of 2"),
    (("map", "fields", "get_user", 0), {"Text": "x"}, "map.fields.get_user[0]", "Len"),
    (("habit", "base", "order"), 1, "habit.base.levels", "an array of 2"),
    (("habit", "base", "alpha"), 0, "habit.base.alpha", "above 0"),
    (("habit", "base", "vocab_size"), 8, "habit.base.vocab_size", "makes it 9"),
    (("habit", "beta"), -1.0, "habit.beta", "above 0"),
    ((*LEVEL_1, 0, 0), [0, 1], "levels[1][0][0]", "an array of 1"),
    ((*LEVEL_1, 0, 0, 0), 147456, "levels[1][0][0]", "not one of 9 ids"),
    ((*LEVEL_1, 0, 1, "total"), -1, "levels[1][0][1].total", "from 0"),
    ((*LEVEL_1, 0, 1, "total"), 0.5, "levels[1][0][1].total", "of 0.5 steps"),
    ((*LEVEL_1, 0, 1, "total"), 1e999, "levels[1][0][1].total", "finite"),
    ((*LEVEL_1, 0, 1, "total"), 10**400, "levels[1][0][1].total", "finite"),
    ((*LEVEL_1, 0, 1, "by_action", 0, 0), 9, "by_action[0][0]", "from 0 to 8"),
    ((*LEVEL_1, 0, 1, "by_action", 0, 1), float("nan"), "by_action[0][1]", "NaN"),
    (("reach", "levels", 1, 0, 1, "total"), 1, "reach.levels", "9 of 1 steps"),
    (("predicates", 0, "favors"), "write", "predicates[0].favors", "hand_back"),
    (("predicates", 1, "id"), "must_ask", "predicates", "under one `id`"),
    (("weighed", 0, "yes"), "Else.", "weighed", "not among `predicates`"),
    (("folds", 0, "weights"), [0.1] * 6, "folds[0].weights", "an array of 7"),
    (("folds", 0, "rates", "agree"), 1.5, "folds[0].rates.agree", "from 0 to 1"),
    (("folds", 0, "rates", "sites", 0, 1), [1, 2, 1], "rates.sites[0][1]", "2 of 1"),
    (
        ("bindings", "args", "get_user"),
        [1, {"a": 2}],
        "bindings.args.get_user",
        "2 of 1",
    ),
    (("bindings", "agreed", "get_order", 0), [3, 2], "agreed.get_order[0]", "3 of 2"),
    (("bindings", "named_other", "get_order"), [3, 2], "named_other", "3 of 2 picks"),
    (("bindings", "lists", 0, 1, "values"), 3, "bindings.lists[0][1]", "4 of 3"),
    (("bindings", "sources", 0, 1, "found", 0, 1), 1.5, "found[0][1]", "whole number"),
    (("bindings", "site_sources", 0, "source"), ["a"], "source", "an array of 2"),
    (("promoted", "bar", "min_lower"), 2, "promoted.bar.min_lower", "from 0 to 1"),
    (("promoted", "sites", "get_user", "used"), 9, "sites.get_user.used", "9 of 8"),
    (("thresholds", "get_user"), -0.1, "thresholds.get_user", "from 0"),
    (("contracts", "get_user"), 1, "contracts.get_user", "a string"),
    (("surprise", "window"), 0, "surprise.window", "from 1"),
    (("surprise", "quantile"), 1.1, "surprise.quantile", "from 0 to 1"),
    (("provenance", "compiled_unix_ms"), 10**15, "compiled_unix_ms", "253402300799999"),
    (("provenance", "sources"), "me", "provenance.sources", "an array"),
)


@pytest.mark.parametrize(
    ("path", "value", "place", "wanted"), REFUSED, ids=[str(r[0][-1]) for r in REFUSED]
)
def test_a_part_that_does_not_fit_is_refused_with_its_place(
    path: Path_, value: object, place: str, wanted: str
) -> None:
    with pytest.raises(FormatError) as refused:
        parse_flow(edited(path, value))

    assert place in refused.value.place
    assert wanted in refused.value.cause
    assert str(refused.value).startswith("x.flow.json: ")


@pytest.mark.parametrize(
    "path",
    [
        ("provenance",),
        ("vocab",),
        ("manifest",),
        ("map",),
        ("group",),
        ("habit",),
        ("sites",),
        ("bindings",),
        ("habit", "base", "alpha"),
        ("bindings", "agreed"),
        ("surprise", "threshold"),
    ],
    ids=".".join,
)
def test_a_field_that_has_to_be_there_is_missed_by_name(path: tuple[str, ...]) -> None:
    with pytest.raises(FormatError, match=f"has no `{path[-1]}`"):
        parse_flow(without(*path))


def test_a_key_that_stands_twice_in_a_list_of_pairs_is_refused() -> None:
    document: Any = copy.deepcopy(flow_json(MAXIMAL))
    document["sites"]["next"].append(document["sites"]["next"][0])

    with pytest.raises(FormatError, match=r"sites\.next\[3\]\[0\]: stands twice"):
        parse_flow(Node(document, "x.flow.json"))


def test_a_vocabulary_whose_ids_no_symbol_can_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counts, "MAX_TOOLS", len(MAXIMAL.vocab.tools) - 1)

    with pytest.raises(FormatError, match="names more than 6 tools"):
        reread(MAXIMAL)


@claim("review:reads-only")
def test_a_flow_that_would_look_a_write_up_is_refused_with_the_remedy() -> None:
    with pytest.raises(FormatError) as refused:
        parse_flow(edited(("sites", "reads", 0), "cancel_order"))

    assert "`cancel_order`" in refused.value.cause
    assert refused.value.hint is not None
    assert "correct the kind" in refused.value.hint


PROGRAM = ("program", "ret")


@claim("program:families", "program:checked")
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ({"name": "Normal", "args": []}, "Normal"),
        ({"name": "Decide", "args": []}, "Decide"),
    ],
)
def test_a_program_that_draws_from_anything_else_does_not_load(
    statement: Json, why: str
) -> None:
    drawn = {"stmt": "sample", "var": "d", "addr": {"name": "d"}, "dist": statement}

    with pytest.raises(ProgramError, match=why) as refused:
        parse_flow(edited(("program", "body"), [drawn]))

    assert "x.flow.json: program.body[0]" in refused.value.place


@pytest.mark.parametrize("name", ["exp", "sqrt"])
def test_a_program_that_calls_a_function_does_not_load(name: str) -> None:
    call = {"op": "call", "func": name, "args": [{"op": "int", "value": 1}]}

    with pytest.raises(ProgramError, match=name):
        parse_flow(edited(PROGRAM, call))


def test_a_program_that_reads_what_is_not_there_does_not_load() -> None:
    with pytest.raises(ProgramError, match="elsewhere"):
        parse_flow(edited(PROGRAM, {"op": "var", "name": "elsewhere"}))


def test_a_program_that_could_run_on_and_on_does_not_load() -> None:
    loop = {
        "stmt": "for",
        "var": "i",
        "start": {"op": "int", "value": 0},
        "end": {"op": "int", "value": 2**40},
        "body": [],
    }

    with pytest.raises(ProgramError) as refused:
        parse_flow(edited(("program", "body"), [loop]))

    assert "x.flow.json" in refused.value.place


def _places(value: Json, path: Path_ = ()) -> list[Path_]:
    inside: Any = value
    keys = (
        list(inside)
        if isinstance(value, dict)
        else list(range(len(inside)))
        if isinstance(value, list)
        else []
    )
    return [path, *(p for key in keys for p in _places(inside[key], (*path, key)))]


PLACES = _places(flow_json(MAXIMAL))[1:]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PLACES), VALUES)
def test_whatever_stands_anywhere_the_file_loads_or_says_what_is_wrong(
    path: Path_, value: Json
) -> None:
    error, flow = None, MAXIMAL
    try:
        flow = parse_flow(edited(path, value))
    except StrettoError as refused:
        error = refused

    assert error is None or "x.flow.json" in str(error)
    assert reread(flow) == flow


@settings(max_examples=10, deadline=None)
@given(flows(), st.randoms(use_true_random=False))
def test_json_spelled_with_spaces_and_other_key_order_reads_the_same(
    flow: Flow, random: Any
) -> None:
    document = _shuffled(flow_json(flow), random.shuffle)
    spaced = json.dumps(document, indent=1)

    again = parse_flow(parse_json(spaced, "x.flow.json"))

    assert replace(again, extra={}) == replace(flow, extra={})


def _shuffled(value: Json, shuffle: Callable[[list[Any]], None]) -> Json:
    if isinstance(value, dict):
        keys = list(value)
        shuffle(keys)
        return {key: _shuffled(value[key], shuffle) for key in keys}
    if isinstance(value, list):
        return [_shuffled(item, shuffle) for item in value]
    return value
