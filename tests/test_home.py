"""The folder that stretto keeps things in."""

from pathlib import Path

import pytest

from stretto.home import Home, from_home


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def test_it_is_in_the_users_home_unless_a_variable_names_another(tmp_path: Path):
    assert Home.of({}).root == tmp_path / ".stretto"
    assert Home.of({"STRETTO_HOME": ""}).root == tmp_path / ".stretto"
    assert Home.of({"STRETTO_HOME": "/srv/stretto"}).root == Path("/srv/stretto")
    assert Home.of({"STRETTO_HOME": "~/kept"}).root == tmp_path / "kept"


def test_what_a_flow_watched_is_not_among_what_it_is_learned_from():
    home = Home(Path("/srv"))

    assert home.logs("shop") == Path("/srv/logs/shop")
    assert home.shadow("shop") == Path("/srv/shadow/shop")


def test_a_path_below_the_users_home_is_spelled_from_there(tmp_path: Path):
    assert from_home(tmp_path / ".stretto" / "logs") == "~/.stretto/logs"
    assert from_home(Path("/srv/logs")) == "/srv/logs"
