"""The page of failure classes lists every class, and names tests that are there."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.docs.console import DOCS

PAGE = DOCS / "reference" / "failure-classes.md"
CLASSES = [*map(str, range(1, 49)), "18b"]

_ROW = re.compile(r"^\| (\d+b?) \| (.+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"\[([^\]]+)\]\((\.\./\.\./tests/[^)]+)\)")


def rows() -> list[tuple[str, str]]:
    """Each class, and what is said to hold it."""
    found = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return [(number, held) for number, _, held in found]


@cache
def defined_in(path: Path) -> frozenset[str]:
    """The names of the tests that a file defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_every_class_has_one_row() -> None:
    numbers = [number for number, _ in rows()]

    assert sorted(numbers) == sorted(CLASSES)


def test_every_test_that_the_page_names_is_in_the_file_that_it_names() -> None:
    missing = [
        (number, path, sentence)
        for number, held in rows()
        for sentence, path in _TEST.findall(held)
        if f"test_{sentence.replace(' ', '_')}" not in defined_in(PAGE.parent / path)
    ]

    assert missing == []


def test_a_class_without_a_test_says_why() -> None:
    untested = [number for number, held in rows() if not _TEST.search(held)]

    assert untested == ["43"]


def test_every_test_written_for_a_class_is_named() -> None:
    written = DOCS.parent / "tests" / "proxy" / "test_failure_classes.py"
    named = {sentence for _, held in rows() for sentence, _ in _TEST.findall(held)}
    sentences = {
        name.removeprefix("test_").replace("_", " ")
        for name in defined_in(written)
        if name.startswith("test_")
    }

    assert sentences - named == set()
