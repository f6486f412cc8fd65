"""The pages that show commands show what these print."""

from pathlib import Path

import pytest

from tests.docs.console import DOCS, Console, console_blocks, matches

ELSEWHERE = {"write-a-reader", "embed-the-decider"}
"""Followed in test_stranger.py, its package installed, and in a test of its own."""

PAGES = sorted(
    page
    for folder in ("tutorials", "how-to")
    for page in (DOCS / folder).glob("*.md")
    if page.stem not in ELSEWHERE and any(console_blocks(page))
)

TAKES_LONG = "python pooled_concentration.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path, console: Console) -> None:
    console.follow(page, leave_out=TAKES_LONG)


@pytest.mark.slow
def test_the_page_on_concentrations_shows_what_its_chain_gives(
    console: Console,
) -> None:
    console.follow(DOCS / "how-to" / "reuse-a-concentration.md")


def test_a_page_that_shows_another_line_is_found_out(
    console: Console, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ stretto episodes library\nall is well\n```\n")

    with pytest.raises(AssertionError, match="stretto episodes library"):
        console.follow(page)


def test_shown_output_stands_for_all_of_what_is_printed_but_where_it_is_cut() -> None:
    printed = ["a", "b", "", "c"]

    assert matches(["a", "b", "", "c"], printed)
    assert matches(["…", "b", "…"], printed)
    assert matches(["…", "a", "…", "c"], printed)
    assert not matches(["a", "b"], printed)
    assert not matches(["…", "c", "b", "…"], printed)
    assert not matches(["a", "…", "b"], printed)


def test_every_tutorial_is_followed() -> None:
    assert {page.stem for page in PAGES} >= {
        page.stem for page in (DOCS / "tutorials").glob("*.md")
    }
