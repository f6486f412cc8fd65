"""Only logs that a proxy wrote are deleted, and only old ones."""

import json
import os
import time
from pathlib import Path

import pytest

from stretto.proxy.retain import prune

DAY_S = 86_400
SESSION = "20300102T030405.678Z-4321"


def _file(folder: Path, name: str, content: str, *, days: float) -> Path:
    path = folder / name
    path.write_text(content)
    then = time.time() - days * DAY_S
    os.utime(path, (then, then))
    return path


def _log(folder: Path, session: str = SESSION, *, days: float, name: str = "") -> Path:
    header = json.dumps({"stretto_mcp_log": 2, "session": session})
    return _file(folder, name or f"{session}.jsonl", f"{header}\n{{}}\n", days=days)


def test_old_logs_and_what_lies_beside_them_are_deleted(tmp_path: Path) -> None:
    _log(tmp_path, days=8)
    _log(tmp_path, f"{SESSION}-2", days=8)
    _log(tmp_path, days=8, name=f"{SESSION}.2.jsonl")
    _file(tmp_path, f"{SESSION}.flow.jsonl", "{}\n", days=8)
    _file(tmp_path, f"{SESSION}.confirm.jsonl", "{}\n", days=8)

    assert prune(str(tmp_path), 7) == (5, ())
    assert [*tmp_path.iterdir()] == []


def test_logs_that_are_not_older_are_kept(tmp_path: Path) -> None:
    path = _log(tmp_path, days=6.9)

    assert prune(str(tmp_path), 7) == (0, ())
    assert path.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("shop.flow.json", '{"stretto_flow":1}'),
        ("notes.jsonl", json.dumps({"stretto_mcp_log": 2, "session": "notes"})),
        (f"{SESSION}.json", "{}"),
        (f"{SESSION}.jsonl", '{"other":"format"}\n'),
        (f"{SESSION}.jsonl", "not json\n"),
        (f"{SESSION}.jsonl", "[]\n"),
        (f"{SESSION}.jsonl", ""),
        (f"{SESSION}.jsonl", json.dumps({"stretto_mcp_log": 2, "session": "other"})),
        (f"{SESSION}.jsonl.bak", json.dumps({"stretto_mcp_log": 2})),
        (f"{SESSION}.other.jsonl", "{}"),
    ],
)
def test_a_file_that_no_proxy_wrote_is_kept(
    tmp_path: Path, name: str, content: str
) -> None:
    path = _file(tmp_path, name, content, days=400)

    assert prune(str(tmp_path), 1) == (0, ())
    assert path.exists()


def test_a_log_that_somebody_renamed_is_kept(tmp_path: Path) -> None:
    path = _log(tmp_path, days=400, name="20300102T030405.678Z-99.jsonl")

    assert prune(str(tmp_path), 1).deleted == 0
    assert path.exists()


def test_folders_within_and_links_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    inside = _log(tmp_path / "kept", days=400)
    (tmp_path / inside.name).symlink_to(inside)
    (tmp_path / f"{SESSION}.flow.jsonl").mkdir()

    assert prune(str(tmp_path), 1) == (0, ())
    assert inside.exists()


def test_a_folder_that_cannot_be_read_is_a_problem_and_no_error(tmp_path: Path) -> None:
    deleted, problems = prune(str(tmp_path / "missing"), 1)

    assert deleted == 0
    assert "cannot be read" in problems[0]


def test_a_log_that_cannot_be_deleted_is_told_and_the_others_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = _log(tmp_path, days=8)
    _log(tmp_path, f"{SESSION}-2", days=8)
    unlink = os.unlink

    def refuse(file: os.DirEntry[str]) -> None:
        if file.name == held.name:
            raise PermissionError(13, "Permission denied")
        unlink(file)

    monkeypatch.setattr(os, "unlink", refuse)

    deleted, problems = prune(str(tmp_path), 7)
    assert deleted == 1
    assert problems == (f"{held} cannot be deleted: Permission denied",)


def test_a_log_that_another_proxy_deleted_first_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _log(tmp_path, days=8)

    def gone(_: os.DirEntry[str]) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "unlink", gone)

    assert prune(str(tmp_path), 7) == (0, ())
