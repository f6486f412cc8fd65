"""`stretto redact`."""

import json

import pytest
from click.testing import CliRunner

from stretto.cli.main import cli
from stretto.demo.record import record

SALT = "a salt of some length"


@pytest.fixture
def sessions(tmp_path):
    """Three sessions at the demo's shop."""
    record(tmp_path / "in", sessions=3, seed=7)
    return tmp_path / "in"


def run(*arguments, **environ):
    """The command's result."""
    return CliRunner().invoke(cli, ["redact", *map(str, arguments)], env=environ)


def test_it_says_what_it_wrote(sessions, tmp_path):
    (tmp_path / "salt").write_text(f"{SALT}\n")

    result = run(sessions, "-o", tmp_path / "out", "--salt-file", tmp_path / "salt")

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("wrote 3 session logs and 0 logs beside them, ")
    names = sorted(path.name for path in sessions.iterdir())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names


def test_json_has_the_counts(sessions, tmp_path):
    result = run(sessions, "-o", tmp_path / "out", "--json", STRETTO_REDACT_SALT=SALT)

    told = json.loads(result.stdout)
    assert (told["sessions"], told["beside"]) == (3, 0)
    out = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert told["lines"] == len(out.splitlines())
    assert told["replaced"] > 100


def test_a_file_and_a_variable_with_one_salt_give_the_same_copies(sessions, tmp_path):
    (tmp_path / "salt").write_text(f"{SALT}\n")
    run(sessions, "-o", tmp_path / "a", "--salt-file", tmp_path / "salt")
    run(sessions, "-o", tmp_path / "b", "--salt-env", "MINE", MINE=SALT)

    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in "ab"
    )
    assert one == other


def test_fields_are_named_one_by_one_or_with_commas(sessions, tmp_path):
    run(sessions, "-o", tmp_path / "all", STRETTO_REDACT_SALT=SALT)
    run(sessions, "-o", tmp_path / "kept", "--keep", "status,name", "--keep", "title",
        STRETTO_REDACT_SALT=SALT)  # fmt: skip

    kept = "".join(path.read_text() for path in (tmp_path / "kept").iterdir())
    everything = "".join(path.read_text() for path in (tmp_path / "all").iterdir())
    assert '\\"status\\":\\"h_' in everything
    assert '\\"status\\":\\"h_' not in kept


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "there is no salt: STRETTO_REDACT_SALT is not set"),
        ({"STRETTO_REDACT_SALT": "pepper"}, "holds no salt of 16 to 4,096 bytes"),
        ({"STRETTO_REDACT_SALT": "p" * 5000}, "holds no salt of 16 to 4,096 bytes"),
    ],
)
def test_without_a_sound_salt_nothing_is_written(sessions, tmp_path, environ, said):
    result = run(sessions, "-o", tmp_path / "out", **environ)

    assert result.exit_code == 1
    assert said in result.stderr
    assert "hint: " in result.stderr
    assert "ppp" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_folder_of_the_sessions_is_not_written_to(sessions):
    before = {path.name: path.read_bytes() for path in sessions.iterdir()}

    result = run(sessions, "-o", sessions, STRETTO_REDACT_SALT=SALT)

    assert result.exit_code == 1
    assert "nothing is overwritten" in result.stderr
    assert {path.name: path.read_bytes() for path in sessions.iterdir()} == before


def test_a_folder_without_logs_is_an_error(tmp_path):
    (tmp_path / "x.jsonl").write_text("{}\n")

    result = run(tmp_path, "-o", tmp_path / "out", STRETTO_REDACT_SALT=SALT)

    assert result.exit_code == 1
    assert "there is no session log to copy" in result.stderr
    assert not (tmp_path / "out").exists()
