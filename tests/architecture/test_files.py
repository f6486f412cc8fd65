"""What the files of the repository must not hold."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

FOLDERS = ("stretto", "tests", "docs", "data", "programs", "benchmarks", ".ci")
SUFFIXES = {".py", ".md", ".json", ".jsonl", ".toml", ".txt", ".fugue", ".j2", ""}

_ABSOLUTE = re.compile(
    r"(?<![\w.:/~])/(?:work|tmp|home(?!/ada/)|root|Users|private)/[\w.]"
)
"""A path below somebody's home or work folder; made-up transcripts are Ada's."""


def _texts() -> Iterator[tuple[str, str]]:
    paths = [p for p in ROOT.iterdir() if p.is_file() and p.name != ".git"]
    for folder in FOLDERS:
        paths += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    for path in paths:
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT).as_posix(), _text(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def test_no_file_holds_a_path_of_one_machine() -> None:
    found = [
        f"{name}: {match[0]}"
        for name, text in _texts()
        for match in _ABSOLUTE.finditer(text)
    ]

    assert found == []
