"""The JSON form: strict on the way in, and the same on the way out."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from stretto.canonical import compact
from stretto.errors import FormatError, ProgramError, VersionError
from stretto.files import Node, parse_json
from stretto.program.ast import (
    MAX_LEVELS,
    Float,
    If,
    Int,
    Len,
    Program,
    Sign,
    Unary,
    Var,
)
from stretto.program.text import parse
from stretto.program.wire import program_json, read_program
from tests.claims import claim
from tests.program.strategies import programs

ONE = {"op": "int", "value": 1}


def read(value: object, **others: object) -> Program:
    return read_program(
        Node({"fugue_program": 1, "body": [], "ret": value, **others}, "p.json")
    )


def body(*stmts: object) -> Program:
    return read(ONE, body=list(stmts))


@settings(max_examples=120, deadline=None)
@given(programs())
def test_reading_what_was_written_gives_the_program_back(program):
    text = compact(program_json(program))

    assert read_program(parse_json(text, "p.json")) == program


@settings(max_examples=100, deadline=None)
@given(programs())
def test_no_object_of_a_program_may_have_a_field_of_its_own(program):
    value = program_json(program)
    for found in objects(value):
        found["more"] = None
        with pytest.raises(FormatError, match="unknown field `more`"):
            read_program(Node(value, "p.json"))
        del found["more"]
    assert read_program(Node(value, "p.json")) == program


def objects(value: object) -> Iterator[dict]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


@claim("program:format")
@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None, [1]])
def test_a_program_of_another_version_is_refused_before_anything_else(version):
    node = Node({"fugue_program": version, "nonsense": 1}, "p.json")

    with pytest.raises(VersionError) as raised:
        read_program(node)

    if version is None:
        assert "has no `fugue_program` field" in str(raised.value)
    else:
        assert f"`fugue_program` is {version!r}" in str(raised.value)
    assert "reads version 1" in str(raised.value)


def test_a_program_without_a_version_is_refused():
    with pytest.raises(VersionError, match="has no `fugue_program` field"):
        read_program(Node({"body": [], "ret": ONE}, "p.json"))


@pytest.mark.parametrize("value", [None, 1, "text", [], True])
def test_what_is_no_object_is_no_program(value):
    with pytest.raises(FormatError, match="should be an object"):
        read_program(Node(value, "p.json"))


@pytest.mark.parametrize(
    ("ret", "said"),
    [
        ({"op": "f64", "value": True}, "ret.value: is true, and should be a number"),
        ({"op": "int", "value": 1.0}, "ret.value: is 1.0, and should be a whole"),
        ({"op": "int", "value": 2**63}, "ret.value: .*whole number from -9223372"),
        ({"op": "bool", "value": 1}, "ret.value: is 1, and should be true or false"),
        ({"op": "var", "name": "for"}, "ret.name: .*no keyword"),
        ({"op": "var", "name": "1a"}, "ret.name: .*no keyword"),
        ({"op": "var", "name": "a\n"}, "ret.name: .*no keyword"),
        ({"op": "xor"}, 'ret.op: is "xor", and should be one of f64, int'),
        ({"op": "neg"}, "ret: has no `arg`"),
        ({"value": 1}, "ret: has no `op`"),
        ({"op": "array", "items": {}}, "ret.items: is {}, and should be an array"),
    ],
)
def test_an_expression_of_another_shape_is_refused_at_its_place(ret, said):
    with pytest.raises(FormatError, match=f"p.json: {said}"):
        read(ret)


@pytest.mark.parametrize(
    ("stmt", "said"),
    [
        ({"stmt": "goto"}, r'body\[0\].stmt: is "goto", and should be one of sample'),
        ({"stmt": "break", "label": 1}, r"body\[0\]: has an unknown field `label`"),
        ({"stmt": "if", "cond": ONE, "then": [], "else": None},
         r"body\[0\].else: is null, and should be an array"),
        ({"stmt": "sample", "var": "a", "addr": {"name": 1}, "dist": {"name": "D"}},
         r"body\[0\].addr.name: is 1, and should be a string"),
    ],
)  # fmt: skip
def test_a_statement_of_another_shape_is_refused_at_its_place(stmt, said):
    with pytest.raises(FormatError, match=said):
        body(stmt)


def test_a_float_without_a_point_is_read_and_written_with_one():
    program = read({"op": "f64", "value": 2})

    assert program.ret == Float(2.0)
    assert '"value":2.0' in compact(program_json(program))


def test_a_float_too_large_for_one_is_refused():
    text = '{"fugue_program":1,"body":[],"ret":{"op":"f64","value":1e999}}'

    with pytest.raises(FormatError, match="should be a finite number"):
        read_program(parse_json(text, "p.json"))


def test_what_is_empty_may_be_left_out_and_is_not_written():
    short = body(
        {"stmt": "if", "cond": ONE, "then": []},
        {"stmt": "sample", "var": "a", "addr": {"name": "a"}, "dist": {"name": "D"}},
    )
    long = body(
        {"stmt": "if", "cond": ONE, "then": [], "else": []},
        {
            "stmt": "sample", "var": "a", "addr": {"name": "a"},
            "dist": {"name": "D", "args": []},
        },
    )  # fmt: skip

    assert short == long
    written = program_json(long)
    assert "else" not in written["body"][0]
    assert "index" not in written["body"][1]["addr"]


def levels(value: object) -> int:
    """How deep the statements and expressions of a program's JSON stand."""
    inside = list(value.values()) if isinstance(value, dict) else value
    below = [levels(v) for v in inside if isinstance(v, dict | list)]
    deepest = max(below, default=-1000) + 1
    stands = isinstance(value, dict) and ("op" in value or "stmt" in value)
    return max(deepest, 1 if stands else -1000)


@settings(max_examples=100, deadline=None)
@given(programs())
def test_nesting_is_counted_in_levels_of_the_json(program):
    """However deep it stands: a program wrapped to exactly 100 is read, to 101 not."""
    ret = program.ret
    for _ in range(MAX_LEVELS - levels(program_json(Program((), ret)))):
        ret = Unary(Sign.NOT, ret)
    assert read(json.loads(json.dumps(program_json(Program((), ret))))["ret"])
    with pytest.raises((ProgramError, FormatError), match="nests deeper"):
        read(program_json(Program((), Len(ret)))["ret"])


def wrapped(program: Program, n: int) -> Program:
    for _ in range(n):
        program = Program((If(Var("a"), program.body),), program.ret)
    return program


@pytest.mark.parametrize(
    ("text", "deepest"),
    [
        ("break;", 3),
        ("let a = 1;", 4),
        ('let a <- sample(addr!("a"), D(1));', 6),
        ('let a <- sample(addr!("a", 1), D());', 5),
        ('observe(addr!("a"), D([1]), 1);', 8),
        ("for i in 0..1 { break; }", 5),
        ("factor(f(1));", 6),
        ("factor(1 + -a);", 6),
        ("factor([1][0].len());", 8),
    ],
)
def test_each_part_stands_as_deep_as_it_is_written(text, deepest):
    program = parse(f"{text} pure(0)")
    spare = (MAX_LEVELS - deepest) // 2

    fits = program_json(wrapped(program, spare))
    assert read_program(Node(fits, "p.json"))
    with pytest.raises((ProgramError, FormatError), match="nests deeper"):
        read_program(Node(program_json(wrapped(program, spare + 1)), "p.json"))


def test_json_nested_without_end_is_refused_and_not_a_crash():
    deep: dict = dict(ONE)
    for _ in range(50_000):
        deep = {"op": "neg", "arg": deep}

    with pytest.raises(FormatError, match="nests deeper than 100 levels"):
        read(deep)


def test_a_node_knows_where_it_stood():
    program = body({"stmt": "let", "var": "a", "value": {"op": "len", "array": ONE}})

    (let,) = program.body
    assert let.at == "p.json: body[0]"
    assert let.value.array == Int(1)
    assert let.value.array.at == "p.json: body[0].value.array"
