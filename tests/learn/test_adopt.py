from dataclasses import replace

import pytest

from stretto.errors import CannotDecide, FormatError
from stretto.flow.arbiter_file import read_arbiter, write_arbiter
from stretto.flow.wire import write_flow
from stretto.learn.adopt import MARK, Given, adopt, exported, read_given
from tests.claims import claim
from tests.conftest import shared
from tests.flow.test_arbiter_decider import ARBITER, UP
from tests.flow.test_decide import FLOW

TAUGHT = replace(
    ARBITER,
    folds=(UP,) * 5,
    provenance=replace(ARBITER.provenance, sources=("b", "a"), arbiter_cases=41),
)


@claim("arbiter-file:one-fit")
def test_an_arbiter_is_exported_only_where_the_folds_share_one_fit():
    arbiter = exported(TAUGHT)

    assert (arbiter.domain, arbiter.model) == ("shop", "jev-latest")
    assert arbiter.fitted == UP
    assert arbiter.predicates == TAUGHT.predicates
    with pytest.raises(CannotDecide, match="folds differ"):
        exported(ARBITER)
    with pytest.raises(CannotDecide, match="no arbiter"):
        exported(FLOW)


@claim("arbiter-file:adopted", "provenance:arbiter-source")
def test_an_adopted_arbiter_says_where_it_is_from(tmp_path):
    write_arbiter(exported(TAUGHT), tmp_path / "a.json")
    write_flow(TAUGHT, tmp_path / "f.json")

    from_file = adopt(FLOW, read_given(tmp_path / "a.json"))
    from_flow = adopt(FLOW, read_given(tmp_path / "f.json"))

    assert from_file.provenance.sources == (
        "arbiter (shop): a",
        "arbiter (shop): b",
        *FLOW.provenance.sources,
    )
    assert from_flow.provenance.sources == (
        "arbiter: a",
        "arbiter: b",
        *FLOW.provenance.sources,
    )
    for flow in (from_file, from_flow):
        assert flow.provenance.arbiter_cases == 41
        assert flow.folds == (UP,) * 5
        assert flow.predicates == TAUGHT.predicates
        assert flow.model == "jev-latest"
        assert flow.habit == FLOW.habit


def test_an_arbiter_adopted_twice_keeps_the_label_of_its_origin():
    given = read_given_of(adopt(FLOW, read_given_of(TAUGHT)))

    assert adopt(FLOW, given).provenance.sources[:2] == ("arbiter: a", "arbiter: b")


def read_given_of(flow):
    return Given(exported(flow), MARK)


@claim("arbiter-file:no-text")
@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_published_arbiters_are_adopted_and_written_back_as_they_were(
    domain, tmp_path
):
    path = shared(f"reference/arbiters/{domain}.json")

    flow = adopt(FLOW, read_given(path))
    write_arbiter(read_arbiter(path), tmp_path / "again.json")

    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert flow.folds == (read_arbiter(path).fitted,) * 5
    assert all(
        s.startswith(f"arbiter ({domain}): ") or s == "unknown"
        for s in flow.provenance.sources
    )


def test_a_published_flow_of_five_fits_lends_none_of_them():
    with pytest.raises(CannotDecide, match="folds differ"):
        read_given(shared("reference/flows/airline-f2.flow.json"))


def test_a_file_that_is_neither_is_refused_with_what_it_should_be(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")

    with pytest.raises(FormatError) as error:
        read_given(path)
    assert "arbiter file" in error.value.hint
