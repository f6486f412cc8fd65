"""The standard program, in its three forms."""

import json

import pytest
from hypothesis import given, settings

from stretto.errors import FormatError, ProgramError
from stretto.files import Node
from stretto.program.check import check
from stretto.program.source import read_program_file
from stretto.program.standard import DATA, FAMILIES, STANDARD, admit
from stretto.program.text import parse, render
from stretto.program.wire import program_json, read_program
from tests.claims import claim
from tests.conftest import ROOT, shared
from tests.program.strategies import runs

PROGRAMS = sorted((ROOT / "programs").glob("*.fugue"))

WRITTEN = """
{"fugue_program":1,"body":[
 {"stmt":"let","var":"prev","value":{"op":"var","name":"call"}},
 {"stmt":"let","var":"failed","value":{"op":"var","name":"call_failed"}},
 {"stmt":"for","var":"i","start":{"op":"int","value":0},
  "end":{"op":"var","name":"max_lookups"},"body":[
  {"stmt":"sample","var":"d","addr":{"name":"decide","index":{"op":"var","name":"i"}},
   "dist":{"name":"Decide","args":[{"op":"var","name":"prev"},
                                   {"op":"var","name":"failed"}]}},
  {"stmt":"if","cond":{"op":"eq","lhs":{"op":"var","name":"d"},
                       "rhs":{"op":"int","value":0}},"then":[{"stmt":"break"}]},
  {"stmt":"sample","var":"ok","addr":{"name":"outcome","index":{"op":"var","name":"i"}},
   "dist":{"name":"Outcome","args":[{"op":"var","name":"d"}]}},
  {"stmt":"assign","var":"prev","value":{"op":"var","name":"d"}},
  {"stmt":"assign","var":"failed","value":{"op":"not",
                                           "arg":{"op":"var","name":"ok"}}}]}],
 "ret":{"op":"var","name":"prev"}}
"""


def without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.startswith("//"))


@claim("program:standard", "program:format")
def test_the_standard_program_is_the_published_json():
    written = json.loads(WRITTEN)

    assert program_json(STANDARD) == written
    assert read_program(Node(written, "p.json")) == STANDARD


@pytest.mark.parametrize("name", ["shop", "airline-f2", "airline-reach"])
def test_published_flows_hold_the_standard_program(name):
    flow = json.loads(shared(f"reference/flows/{name}.flow.json").read_text())

    assert read_program(Node(flow["program"], "p.json")) == STANDARD
    assert program_json(STANDARD) == flow["program"]


def test_the_standard_file_is_the_standard_program():
    assert read_program_file(ROOT / "programs" / "standard.fugue") == STANDARD


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_that_comes_with_stretto_is_written_as_it_prints(path):
    text = path.read_text(encoding="utf-8")

    assert render(parse(text)) + "\n" == without_comments(text)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_that_comes_with_stretto_says_why_and_may_run_in_a_flow(path):
    text = path.read_text(encoding="utf-8")

    assert text.startswith("// ")
    assert admit(parse(text)).draws.data == {"max_lookups": 2}
    assert f"[{path.name}]({path.name})" in (path.parent / "README.md").read_text()


def test_the_program_of_the_how_to_may_run_in_a_flow():
    page = (ROOT / "programs" / "README.md").read_text(encoding="utf-8")
    (example,) = [
        block for block in page.split("```")[1::2] if block.startswith("\nlet ")
    ]

    program = parse(example)

    assert admit(program)
    assert render(program) == example.strip()


@settings(max_examples=50, deadline=None)
@given(runs())
def test_before_anything_is_learned_a_flow_hands_back(program):
    check(program, FAMILIES, DATA)


def test_a_program_file_is_text_or_json(tmp_path):
    text, wire = tmp_path / "p.fugue", tmp_path / "p.json"
    text.write_text(f"// how so\n{render(STANDARD)}\n")
    wire.write_text(f"\n {json.dumps(program_json(STANDARD))}")

    assert read_program_file(text) == read_program_file(wire) == STANDARD


def test_a_program_file_that_is_none_is_refused_by_name(tmp_path):
    odd = tmp_path / "odd.fugue"
    odd.write_bytes(b"let x = 1;\xff")
    with pytest.raises(FormatError, match=r"odd\.fugue: is not UTF-8 \(byte 10\)"):
        read_program_file(odd)
    odd.write_text("let x = 1;")
    with pytest.raises(ProgramError, match=r"odd\.fugue:1:11: expected a statement"):
        read_program_file(odd)
    with pytest.raises(FormatError, match="cannot be read"):
        read_program_file(tmp_path / "none.fugue")
