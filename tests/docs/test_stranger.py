"""A reader from another package is found, and asked, like those of stretto's own."""

import gzip
import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stretto.errors import UnknownPlugin
from stretto.plugins import installed
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import READERS, ReadOptions, read
from tests.docs.conftest import Shop
from tests.docs.console import DOCS, EXAMPLES, Console

PACKAGE = EXAMPLES / "stretto-csv"
SHEET = PACKAGE / "sessions.csv"


@pytest.fixture
def stranger(tmp_path_factory, monkeypatch) -> Iterator[None]:
    """The example's package as pip would leave it: on the path, beside its metadata."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    site = tmp_path_factory.mktemp("site")
    about = site / f"stretto_csv-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\n"
        f"Name: {project['name']}\nVersion: {project['version']}\n"
    )
    (about / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n{name} = {value}"
            for group, members in project["entry-points"].items()
            for name, value in members.items()
        )
    )
    for folder in (PACKAGE, site):
        monkeypatch.syspath_prepend(folder)
    installed.cache_clear()
    yield
    installed.cache_clear()
    sys.modules.pop("stretto_csv", None)


@pytest.mark.usefixtures("stranger")
def test_an_installed_reader_is_asked_beside_the_others() -> None:
    episodes = list(read([SHEET]))

    assert READERS.names()[:3] == ["atif", "claude-code", "csv"]
    assert [episode.id for episode in episodes] == ["mon-1", "mon-2", "tue-1", "tue-3"]
    assert [len(episode.turns) for episode in episodes] == [3, 3, 2, 4]


def test_without_the_package_the_file_is_nobodys() -> None:
    ledger = Ledger()

    assert list(read([SHEET], ledger=ledger)) == []
    assert "is not recognised by any reader" in ledger.problems[0].cause
    with pytest.raises(UnknownPlugin):
        list(read([SHEET], reader="csv"))


@pytest.mark.usefixtures("stranger")
def test_an_installed_reader_gets_gzip_and_options_for_nothing(tmp_path: Path) -> None:
    packed = tmp_path / "sessions.csv.gz"
    packed.write_bytes(gzip.compress(SHEET.read_bytes()))
    options = ReadOptions(domain="orders", rewards={"mon-2": 1.0})

    episodes = list(read([packed], options=options))

    assert {episode.domain for episode in episodes} == {"orders"}
    assert [e.id for e in episodes if e.succeeded] == ["mon-2"]


@pytest.mark.usefixtures("stranger")
def test_no_reader_claims_what_another_knows(shop: Shop) -> None:
    known = [SHEET, *(EXAMPLES / "library").glob("*.jsonl")]
    known += sorted((shop.folder / "sessions").iterdir())[:1]

    for path in known:
        head = Head.of(path)
        claims = [name for name in READERS.names() if READERS.get(name).sniff(head)]
        assert len(claims) == 1, f"{path.name}: {claims}"


@pytest.mark.usefixtures("stranger")
def test_the_examples_own_tests_pass(monkeypatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    tests = importlib.import_module("test_stretto_csv")

    ran = [test() for name, test in vars(tests).items() if name.startswith("test_")]
    assert len(ran) == 3


@pytest.mark.usefixtures("stranger")
def test_the_page_on_readers_shows_what_its_commands_print(console: Console) -> None:
    console.follow(DOCS / "how-to" / "write-a-reader.md")
