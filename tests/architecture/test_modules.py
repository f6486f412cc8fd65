"""What every module of the package is held to, read from its source."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

from tests.conftest import ROOT

PACKAGE = ROOT / "stretto"
SOFT, HARD = 250, 400
LONG: dict[str, str] = {}
"""The modules past the soft limit, each with the reason it is one."""

SHAPELESS = {"utils", "util", "misc", "helpers", "common", "core", "base", "tools_"}

Documented: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def _modules() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_no_module_is_past_the_hard_limit() -> None:
    sizes = {name: len(text.splitlines()) for name, text in _modules().items()}

    assert {name: n for name, n in sizes.items() if n > HARD} == {}


def test_only_the_modules_with_a_reason_are_past_the_soft_limit() -> None:
    past = {name for name, text in _modules().items() if text.count("\n") > SOFT}

    assert past == LONG.keys()


def test_no_module_is_named_for_having_no_idea() -> None:
    assert {name for name in _modules() if Path(name).stem in SHAPELESS} == set()


def test_every_module_says_what_it_is_for() -> None:
    silent = [n for n, text in _modules().items() if not ast.get_docstring(_tree(text))]

    assert silent == []


def test_every_public_class_and_function_has_a_docstring() -> None:
    bare = [
        f"{name}: {node.name}"
        for name, text in _modules().items()
        for node in _public(_tree(text))
        if not ast.get_docstring(node)
    ]

    assert bare == []


def test_imports_stand_at_the_top_of_their_module() -> None:
    inside = [
        f"{name}: {function.name}"
        for name, text in _modules().items()
        for function in ast.walk(_tree(text))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]

    assert inside == []


def test_no_module_keeps_a_note_to_finish_it() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")

    assert [n for n, text in _modules().items() if any(m in text for m in marks)] == []


@cache
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _public(tree: ast.Module) -> Iterator[Documented]:
    """A module's classes and functions, and the methods that are the class's own."""
    for node in tree.body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef) and not _overrides(node):
                yield from (
                    member
                    for member in node.body
                    if isinstance(member, Documented)
                    and not member.name.startswith("_")
                )


def _overrides(node: ast.ClassDef) -> bool:
    """Whether a class fills in another library's, such as `click.Group`."""
    return any(isinstance(base, ast.Attribute) for base in node.bases)
