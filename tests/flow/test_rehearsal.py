"""A program tried out before anybody serves it."""

import pytest

from stretto.errors import ProgramError
from stretto.flow.rehearsal import rehearse
from stretto.flow.run import numbers
from stretto.flow.wire import read_flow
from stretto.program.text import parse
from tests.conftest import ROOT, shared
from tests.toys import TOY, taught

TOY_FLOW = taught(TOY).flow
FLOWS = ["shop", "airline-f2", "airline-reach", "retail-5-sessions"]


@pytest.mark.parametrize("name", FLOWS)
def test_any_program_that_comes_with_stretto_runs_on_any_published_flow(name):
    flow = read_flow(shared(f"reference/flows/{name}.flow.json"))
    for path in sorted((ROOT / "programs").glob("*.fugue")):
        program = parse(path.read_text(encoding="utf-8"))
        tried = rehearse(flow, program)
        assert tried == 2 * 3 * 20 * len(numbers(flow).names)


def test_a_rehearsal_finds_what_no_check_can():
    soft = parse("let n = 1 / 0; for i in 0..1 { factor(true); } pure(n)", name="x")
    twice = parse(
        'for i in 0..max_lookups { let o <- sample(addr!("o"), Outcome(1)); } pure(0)'
    )

    with pytest.raises(ProgramError, match="x:1:32: a factor is a boolean") as raised:
        rehearse(TOY_FLOW, soft)
    assert raised.value.hint == "it happened after respond, with 0 lookups to make"
    with pytest.raises(ProgramError, match="second time"):
        rehearse(TOY_FLOW, twice)
