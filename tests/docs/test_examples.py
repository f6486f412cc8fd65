"""The files of docs/examples are those the pages quote, and each of them is run."""

import json
import re
from pathlib import Path

import pytest

from stretto import StrettoError, parse_program
from stretto.episodes.manifest import read_manifest
from stretto.program.standard import admit
from tests.docs.console import DOCS, EXAMPLES, console_blocks, quoted

_CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", "demo"}

PAGES = sorted(DOCS.rglob("*.md"))
FILES = sorted(
    path.relative_to(EXAMPLES).as_posix()
    for path in EXAMPLES.rglob("*.*")
    if path.is_file() and not _CACHES & {*path.relative_to(EXAMPLES).parts}
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_quoted_file_is_the_file(page: Path) -> None:
    for name, text in quoted(page):
        assert (EXAMPLES / name).read_text(encoding="utf-8") == text, name


def test_every_example_is_quoted_or_named_by_a_page() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = {*re.findall(r"[\w./-]+", pages)}

    assert [name for name in FILES if not _is_named(name, named)] == []


def test_every_script_is_run_by_a_page() -> None:
    ran = {
        word
        for page in PAGES
        for shown in console_blocks(page)
        for word in shown.command.split()
    }

    scripts = [name for name in FILES if name.endswith(".py") and "/" not in name]
    assert [name for name in scripts if name not in ran] == []


def test_the_programs_may_run_in_a_flow_but_for_the_refused_one() -> None:
    for path in EXAMPLES.glob("*.fugue"):
        program = parse_program(path.read_text(encoding="utf-8"), name=path.name)
        if path.stem == "refused":
            with pytest.raises(StrettoError, match="inside a loop over data"):
                admit(program)
        else:
            admit(program)


def test_the_librarys_tasks_are_those_of_its_split_and_more() -> None:
    lines = (EXAMPLES / "library" / "chats.jsonl").read_text().splitlines()
    split = json.loads((EXAMPLES / "library" / "split.json").read_text())

    assert [json.loads(line)["task_id"] for line in lines] == [
        *split["train"],
        *split["test"],
    ]
    assert read_manifest(EXAMPLES / "library" / "kinds.json").reads == (
        "find_reader",
        "get_loan",
    )


def _is_named(name: str, named: set[str]) -> bool:
    """Whether pages name the file, or the folder it is data in."""
    path = Path(name)
    return bool({name, path.name, path.parent.name} & named)
