"""Logs are made anew in a folder that is checked when the proxy starts."""

import json
from pathlib import Path

import pytest

from stretto.errors import CannotWrite
from stretto.proxy.folder import LogFolder
from stretto.proxy.session import Session

SESSION = Session(("srv",), 1_893_553_445_678, 4_321)


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    LogFolder(str(tmp_path / "a" / "b"))

    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize(("path", "made"), [("~", "."), ("~/logs", "logs")])
def test_a_tilde_is_the_home_folder(
    path: str, made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    folder = LogFolder(path)

    assert Path(folder.path) == tmp_path / "home" / made
    assert Path(folder.path).is_dir()


def test_a_tilde_within_a_name_is_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert LogFolder("~ada").path == "~ada"


def test_a_folder_that_is_a_file_cannot_be_recorded_to(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()

    with pytest.raises(CannotWrite, match="logs cannot be made"):
        LogFolder(str(tmp_path / "logs"))


def test_a_log_begins_with_its_header_and_its_path_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    LogFolder(str(tmp_path)).new_log(SESSION).close()

    path = tmp_path / "20300102T030405.678Z-4321.jsonl"
    assert json.loads(path.read_text()) == {
        "stretto_mcp_log": 2,
        **SESSION.about(path.stem),
    }
    assert capfd.readouterr().err == f"stretto-proxy: recording to {path}\n"


def test_a_name_that_is_taken_is_not_used_again(tmp_path: Path) -> None:
    folder = LogFolder(str(tmp_path))
    folder.new_log(SESSION).close()
    folder.new_log(SESSION).close()

    second = tmp_path / "20300102T030405.678Z-4321-2.jsonl"
    assert json.loads(second.read_text())["session"] == second.stem


def test_a_new_log_deletes_old_ones_but_not_itself(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = LogFolder(str(tmp_path), retain_days=1)
    folder.new_log(SESSION).close()

    assert len([*tmp_path.iterdir()]) == 1
    assert "deleted 0 logs older than 1 days" in capfd.readouterr().err
