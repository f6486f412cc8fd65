"""Which oracle a flow is served with where nobody named one."""

from stretto.oracle.usual import usual

KEY = {"TYPESAFE_API_KEY": "k" * 20}


def test_it_is_jev_where_nothing_speaks_for_another(tmp_path):
    assert usual("jev-latest", {"STRETTO_HOME": str(tmp_path)}) == "jev"
    assert usual("jev-latest", KEY) == "jev"


def test_a_model_of_ones_own_is_asked_where_the_arbiter_was_fitted_on_one():
    assert usual("local-0123456789ab", KEY) == "local"


def test_a_model_in_strettos_folder_stands_in_where_there_is_no_key(tmp_path):
    (tmp_path / "local.safetensors").write_bytes(b"")
    home = {"STRETTO_HOME": str(tmp_path)}

    assert usual("jev-latest", home) == "local"
    assert usual("jev-latest", home | KEY) == "jev"
    assert usual("jev-latest", home | {"TYPESAFE_API_KEY_FILE": "/k"}) == "jev"
