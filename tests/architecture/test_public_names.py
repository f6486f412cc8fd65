"""`import stretto` gives every public name, and costs nothing until one is used."""

import ast
import importlib
import subprocess
import sys

import pytest

import stretto
from tests.conftest import ROOT

PACKAGE = ROOT / "stretto"


def _declared_for_tools() -> dict[str, str]:
    """The names under TYPE_CHECKING, with their homes."""
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    homes: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.If):
            for line in node.body:
                assert isinstance(line, ast.ImportFrom)
                for name in line.names:
                    homes[name.asname or name.name] = f"{line.module}:{name.name}"
    return homes


def test_tools_and_the_interpreter_are_told_the_same_names() -> None:
    assert _declared_for_tools() == stretto.HOMES


@pytest.mark.parametrize("name", stretto.HOMES)
def test_a_public_name_is_what_its_home_holds(name: str) -> None:
    module, attribute = stretto.HOMES[name].split(":")

    assert getattr(stretto, name) is getattr(importlib.import_module(module), attribute)


def test_public_names_are_sorted_and_listed() -> None:
    assert list(stretto.HOMES) == stretto.__all__ == sorted(stretto.HOMES)
    assert stretto.HOMES.keys() <= set(dir(stretto))


def test_no_public_name_is_a_folder_or_module_that_an_import_would_put_there() -> None:
    below = {path.stem for path in PACKAGE.iterdir()}

    assert stretto.HOMES.keys() & below == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(stretto, "learn_everything")


def test_importing_the_package_imports_nothing_else_of_it() -> None:
    script = "import sys, stretto; print(*(m for m in sys.modules if 'stretto' in m))"

    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert result.stdout.split() == ["stretto"]
