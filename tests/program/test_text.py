"""The text form: what it may say, how it is printed, and where a mistake is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import ProgramError
from stretto.program.ast import (
    MAX_LEVELS,
    Address,
    Array,
    Binary,
    Call,
    Dist,
    Expr,
    Float,
    For,
    If,
    Index,
    Int,
    Len,
    Let,
    Operator,
    Program,
    Sample,
    Sign,
    Unary,
    Var,
)
from stretto.program.lexer import Source, quote, tokens, unquote
from stretto.program.standard import STANDARD
from stretto.program.text import parse, render
from tests.claims import claim
from tests.program.strategies import programs, runs

A, B, C = Var("a"), Var("b"), Var("c")


def expr(text: str) -> Expr:
    return parse(f"pure({text})").ret


def printed(ret: Expr) -> str:
    return render(Program((), ret))[len("pure(") : -1]


def mistake(text: str) -> str:
    with pytest.raises(ProgramError) as raised:
        parse(text, name="x.fugue")
    return str(raised.value)


@settings(max_examples=120, deadline=None)
@given(programs())
def test_reading_what_was_printed_gives_the_program_back(program):
    assert parse(render(program)) == program


@settings(max_examples=120, deadline=None)
@given(runs(wild=True))
def test_reading_a_printed_run_gives_it_back(program):
    text = render(program)

    assert parse(text) == program
    assert render(parse(text)) == text


@settings(max_examples=120, deadline=None)
@given(st.text())
def test_a_string_says_what_was_quoted(text):
    source = Source.of(quote(text), "x")

    (token, _) = tokens(source)
    assert unquote(source, token) == text
    assert "\n" not in token.text


@claim("program:text")
def test_the_standard_program_prints_as_people_read_it():
    assert render(STANDARD) == (
        "let prev = call;\n"
        "let failed = call_failed;\n"
        "for i in 0..max_lookups {\n"
        '    let d <- sample(addr!("decide", i), Decide(prev, failed));\n'
        "    if d == 0 {\n"
        "        break;\n"
        "    }\n"
        '    let ok <- sample(addr!("outcome", i), Outcome(d));\n'
        "    prev = d;\n"
        "    failed = !ok;\n"
        "}\n"
        "pure(prev)"
    )


def binary(op: Operator, lhs: Expr, rhs: Expr) -> Binary:
    return Binary(op, lhs, rhs)


@pytest.mark.parametrize(
    ("text", "ret"),
    [
        ("a || b && c", binary(Operator.OR, A, binary(Operator.AND, B, C))),
        ("(a || b) && c", binary(Operator.AND, binary(Operator.OR, A, B), C)),
        ("a && b == c", binary(Operator.AND, A, binary(Operator.EQ, B, C))),
        ("a < b + c", binary(Operator.LT, A, binary(Operator.ADD, B, C))),
        ("a + b * c", binary(Operator.ADD, A, binary(Operator.MUL, B, C))),
        ("(a + b) * c", binary(Operator.MUL, binary(Operator.ADD, A, B), C)),
        ("a - b - c", binary(Operator.SUB, binary(Operator.SUB, A, B), C)),
        ("a - (b - c)", binary(Operator.SUB, A, binary(Operator.SUB, B, C))),
        ("(a == b) == c", binary(Operator.EQ, binary(Operator.EQ, A, B), C)),
        ("a == (b == c)", binary(Operator.EQ, A, binary(Operator.EQ, B, C))),
        ("!a == b", binary(Operator.EQ, Unary(Sign.NOT, A), B)),
        ("!(a == b)", Unary(Sign.NOT, binary(Operator.EQ, A, B))),
        ("-a * b", binary(Operator.MUL, Unary(Sign.NEG, A), B)),
        ("-(a * b)", Unary(Sign.NEG, binary(Operator.MUL, A, B))),
        ("!-!a", Unary(Sign.NOT, Unary(Sign.NEG, Unary(Sign.NOT, A)))),
        ("-a[b].len()", Unary(Sign.NEG, Len(Index(A, B)))),
        ("(-a)[b]", Index(Unary(Sign.NEG, A), B)),
        ("-2", Int(-2)),
        ("-(2)", Unary(Sign.NEG, Int(2))),
        ("-(2.0)", Unary(Sign.NEG, Float(2.0))),
        ("-2[a]", Index(Int(-2), A)),
        ("-(2[a])", Unary(Sign.NEG, Index(Int(2), A))),
        ("a - -2", binary(Operator.SUB, A, Int(-2))),
        ("a < -b", binary(Operator.LT, A, Unary(Sign.NEG, B))),
        ("[a, [], f(b, 1.0)]", Array((A, Array(()), Call("f", (B, Float(1.0)))))),
        ("1.len()", Len(Int(1))),
        ("-9223372036854775808", Int(-(2**63))),
        ("1.0e300", Float(1e300)),
        ("1.0e-7", Float(1e-7)),
        ("0.1", Float(0.1)),
    ],
)
def test_an_expression_is_read_and_printed_with_the_fewest_parentheses(text, ret):
    assert expr(text) == ret
    assert printed(ret) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("let mut n = 1;", "let n = 1;"),
        ("let n<-sample(addr!(\"a\"),Decide::new(1,2).unwrap());",
         'let n <- sample(addr!("a"), Decide(1, 2));'),
        ("if a { } else { if b { } }", "if a {\n} else if b {\n}"),
        ("n=a<-1;// a comment", "n = a < -1;"),
        ("observe(addr!(\"a\", 1), D(), 1e3);", 'observe(addr!("a", 1), D(), 1000.0);'),
        ("factor((((1))));", "factor(1);"),
    ],
)  # fmt: skip
def test_what_may_be_written_otherwise_is_printed_one_way(text, same):
    assert render(parse(f"{text}\npure(0);")) == f"{same}\npure(0)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("let x = 1\npure(x)", "x.fugue:2:1: expected `;`, found `pure`"),
        ("\n  let = 1;", "x.fugue:2:7: expected a variable, found `=`"),
        ("let for = 1;", "x.fugue:1:5: expected a variable, found `for`"),
        ("let x < 1;", "x.fugue:1:7: expected `=` or `<-`, found `<`"),
        ("let x <- draw;", "x.fugue:1:10: expected `sample`, found `draw`"),
        ("let x <- sample(x", "x.fugue:1:17: expected `addr`, found `x`"),
        ("let x <- sample(addr!(x",
         "x.fugue:1:23: expected an address's name, a string, found `x`"),
        ("pure(1", "x.fugue:1:7: expected `)`, found the end of the program"),
        ("pure(1) 2", "x.fugue:1:9: expected the end of the program, found `2`"),
        ("pure(a < b < c)",
         "x.fugue:1:12: expected one comparison; `&&` joins several, found `<`"),
        ("pure(a.size())", "x.fugue:1:8: expected `len`, found `size`"),
        ("pure(*)", "x.fugue:1:6: expected an expression, found `*`"),
        ("3;", "x.fugue:1:1: expected a statement or `pure`, found `3`"),
        ("if a { 3 }", "x.fugue:1:8: expected a statement or `}`, found `3`"),
        ("é", "x.fugue:1:1: expected a program, found `é`"),
        ('let x = "a', "x.fugue:1:9: expected a program, found a string that never "
         "ends"),
        ('let x <- sample(addr!("\\q"), D());',
         "x.fugue:1:24: `\\q` is no escape of a string"),
        ("pure(9223372036854775808)",
         "x.fugue:1:6: `9223372036854775808` does not fit in 64 bits"),
        ("pure(-9223372036854775809)",
         "x.fugue:1:6: `-9223372036854775809` does not fit in 64 bits"),
        ("pure(1" + "0" * 5000 + ")",
         "x.fugue:1:6: `1" + "0" * 5000 + "` does not fit in 64 bits"),
        ("pure(-1e999)", "x.fugue:1:6: `1e999` is larger than any float"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_where_it_is(text, said):
    assert mistake(text) == said


@pytest.mark.parametrize(
    "text",
    [
        f"pure({'(' * 5000}1{')' * 5000})",
        f"pure({'!' * 5000}a)",
        f"pure({'[' * 5000}",
        f"{'if a { ' * 5000}",
        "if a { } else " * 5000,
        f"pure({' + '.join('a' * 5000)})",
        f"pure(a{'[0]' * 5000})",
    ],
)
def test_a_program_nested_too_deep_is_refused_and_not_a_crash(text):
    assert f"nests deeper than {MAX_LEVELS} levels" in mistake(text)


def test_the_longest_sum_that_fits_is_read():
    terms = MAX_LEVELS - 2 + 1  # the first stands deepest, below each `+`

    assert parse(f"pure({' + '.join('a' * terms)})")
    assert "nests deeper" in mistake(f"pure({' + '.join('a' * (terms + 1))})")


def test_a_node_knows_where_it_was_written():
    text = 'for i in 0..n {\n  let d <- sample(addr!("d", i), D(x + y));\n}\npure(d)'
    program = parse(text, name="x.fugue")

    (loop,) = program.body
    assert isinstance(loop, For)
    (draw,) = loop.body
    assert isinstance(draw, Sample)
    (arg,) = draw.dist.args
    places = [loop.at, loop.end.at, draw.at, draw.addr.at, draw.dist.at, arg.at]
    assert [place.removeprefix("x.fugue:") for place in places] == [
        "1:1", "1:13", "2:3", "2:19", "2:34", "2:36",
    ]  # fmt: skip
    assert program.ret.at == "x.fugue:4:6"


def test_where_a_node_was_written_is_not_part_of_what_it_says():
    assert parse("let a = 1; pure(a)") == parse("let a\n=\n1;\npure(a)")
    assert hash(Let("a", A)) == hash(Let("a", A, at="x.fugue:1:1"))


def test_an_else_of_one_branch_is_a_chain():
    chain = If(A, (), (If(B, (), (Let("x", C),)),))

    assert render(Program((chain,), A)) == (
        "if a {\n} else if b {\n} else {\n    let x = c;\n}\npure(a)"
    )


def test_an_address_may_be_called_anything():
    odd = Sample("x", Address('a"b\\c\n\t\0é\u202e😀'), Dist("D"))

    text = render(Program((odd,), Var("x")))

    assert text.splitlines()[0] == (
        'let x <- sample(addr!("a\\"b\\\\c\\n\\t\\0é\\u{202e}😀"), D());'
    )
    assert parse(text).body == (odd,)
