"""The page's host runs as the page shows it."""

import shutil
from pathlib import Path

import pytest

from tests.docs.console import DOCS, EXAMPLES, Console

PAGE = DOCS / "how-to" / "record-a-server.md"


def test_the_example_records_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "record_a_session.py", tmp_path)
    monkeypatch.chdir(tmp_path)

    Console().follow(PAGE)
