"""A checkout of τ²-bench: tools from Python, splits, and which results are which."""

from pathlib import Path

import pytest

from stretto.episodes.manifest import Kind, Manifest, ToolDocs, read_manifest
from stretto.errors import FormatError, StrettoError
from stretto.traces.checkout import Checkout
from stretto.traces.reader import read
from stretto.traces.toolkit import toolkit
from tests.conftest import shared
from tests.toys import SHOP, walked
from tests.traces.benchmark import checkout, source

AGENTS = {"openai/gpt-4.1-2025-04-14": [walked("1", "fgR")], "o4": [walked("2", "fR")]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return checkout(tmp_path, SHOP, AGENTS, ["1"], ["2"])


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_tools_written_as_python_are_read_back_as_they_were(domain):
    published = read_manifest(shared(f"manifests/{domain}.json"))
    found = toolkit(source(published), "tools.py")

    assert {tool.name: tool.kind for tool in found} == published.tools
    assert {t.name: t.docs for t in found if t.docs is not None} == published.docs


def test_a_docstring_is_taken_apart_by_its_sections():
    found = toolkit(
        """
@is_tool(ToolType.READ)
async def find(
    name: str,
) -> str:  # a comment, and brackets over three lines
    \'\'\'
    Finds someone
    by name.

    Args:
        name: The name,
            in full.
        a word: not an argument

    Raises:
        name: ValueError
    \'\'\'

@is_tool(ToolType.THINK)
def think(): return 1

@is_tool()
def kindless(): ...
""".replace("\\'", "'"),
        "tools.py",
    )

    name = "The name, in full. a word: not an argument"
    assert found == [
        ("find", Kind.READ, ToolDocs("Finds someone by name.", {"name": name})),
        ("think", Kind.GENERIC, None),
    ]


def test_source_that_is_no_python_is_an_error_that_names_it():
    with pytest.raises(FormatError, match=r"tools.py: is not Python"):
        toolkit("def broken(:", "tools.py")
    with pytest.raises(FormatError, match=r"tools.py: is not Python"):
        toolkit("x = '\0'", "tools.py")


def test_a_checkout_knows_its_tools_split_and_results(folder):
    found = Checkout.at(folder)
    split = found.split("shop")

    assert found.manifest("shop") == Manifest("shop", SHOP.tools, {})
    assert (set(split.train), set(split.test)) == ({"1"}, {"2"})
    assert len(found.results("shop")) == 2
    assert {e.agent for e in read(found.results("shop"))} == set(AGENTS)


def test_other_settings_of_a_domain_are_not_its_baselines(folder):
    final = folder / "data/tau2/results/final"
    for name in ("a_shop-workflow_default_x.json", "a_shop_op_x.json", "README.md"):
        (final / name).write_text("{}")
    (final / "a_shop_base_x.json").write_text("{}")

    names = [path.name for path in Checkout.at(folder).results("shop")]

    assert "a_shop_base_x.json" in names
    assert len(names) == 3


def test_a_folder_that_is_no_checkout_says_what_it_lacks(tmp_path):
    with pytest.raises(StrettoError, match="no checkout of τ²-bench") as caught:
        Checkout.at(tmp_path)
    assert "git clone" in (caught.value.hint or "")


def test_a_domain_without_results_or_tools_is_an_error(folder):
    found = Checkout.at(folder)
    for ask in (found.results, found.split, found.manifest):
        with pytest.raises(StrettoError):
            ask("bookshop")
        with pytest.raises(StrettoError, match="no name of a τ²-bench domain"):
            ask("../../etc")
