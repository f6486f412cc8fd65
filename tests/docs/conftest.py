"""Where a reader of the pages is: among the examples, beside the demo's folder."""

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.console import EXAMPLES, Console


class Shop(NamedTuple):
    """The folder that `stretto demo` made, and what it printed."""

    folder: Path
    output: str


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The demo, run once."""
    folder = tmp_path_factory.mktemp("shop")
    with contextlib.chdir(folder):
        ran = Console().run("stretto demo")
    assert ran.code == 0, ran.output
    return Shop(folder / "demo", ran.output)


@pytest.fixture
def console(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """
    A console in a copy of docs/examples that has the demo's folder in it.

    Stretto's programs are on PATH there, and the home folder is nobody's.
    """
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STRETTO_HOME", raising=False)
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "demo").symlink_to(shop.folder)
    monkeypatch.chdir(tmp_path)
    return Console({"stretto demo": shop.output})
