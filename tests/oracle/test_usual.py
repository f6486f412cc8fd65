"""Which oracle a flow is served with where nobody named one."""

from dataclasses import replace

import pytest

from stretto.errors import FormatError
from stretto.oracle.local.clues import clues
from stretto.oracle.local.file import Gain, write_local
from stretto.oracle.usual import Unproven, usual
from tests.oracle.local.models import model_of

KEY = {"TYPESAFE_API_KEY": "k" * 20}


def trained(folder, gain):
    """A folder with a model of one's own that gained that much on the habit."""
    model = model_of(clues({}, {"read": "Read."}))
    worth = replace(model.provenance, gain=gain)
    write_local(replace(model, provenance=worth), folder / "local.safetensors")
    return {"STRETTO_HOME": str(folder)}


def test_it_is_jev_where_nothing_speaks_for_another(tmp_path):
    assert usual("jev-latest", {"STRETTO_HOME": str(tmp_path)}) == "jev"
    assert usual("jev-latest", KEY) == "jev"


def test_a_model_of_ones_own_is_asked_where_the_arbiter_was_fitted_on_one():
    assert usual("local-0123456789ab", KEY) == "local"


def test_a_model_that_beats_the_habit_stands_in_where_there_is_no_key(tmp_path):
    home = trained(tmp_path, Gain(0.05, 0.2))

    assert usual("jev-latest", home) == "local"
    assert usual("jev-latest", home | KEY) == "jev"
    assert usual("jev-latest", home | {"TYPESAFE_API_KEY_FILE": "/k"}) == "jev"


@pytest.mark.parametrize("gain", [None, Gain(-0.01, 0.2), Gain(0.0, 0.2)])
def test_a_model_that_does_not_is_nobodys_default(gain, tmp_path):
    home = trained(tmp_path, gain)

    found = usual("jev-latest", home)

    assert found == Unproven(tmp_path / "local.safetensors")
    assert "does not beat the habit" in str(found)
    assert "`--oracle local` asks it all the same" in str(found)
    assert usual("jev-latest", home | KEY) == "jev"
    assert usual("local-0123456789ab", home) == "local"


def test_a_model_that_cannot_be_read_is_an_error_and_no_silence(tmp_path):
    (tmp_path / "local.safetensors").write_bytes(b"")

    with pytest.raises(FormatError, match="no safetensors header"):
        usual("jev-latest", {"STRETTO_HOME": str(tmp_path)})
