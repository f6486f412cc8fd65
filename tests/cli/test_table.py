"""Tables."""

import io
import sys

import pytest

from stretto.cli.table import show_table
from stretto.markdown import printable


def test_a_table_that_goes_to_a_file_is_aligned_markdown(capsys):
    show_table(("tool", "calls"), [("get_order", 1200), ("a|b", 7)])
    assert capsys.readouterr().out.splitlines() == [
        "| tool      | calls |",
        "| --------- | ----: |",
        "| get_order | 1,200 |",
        "| a\\|b      |     7 |",
    ]


def test_a_table_without_rows_still_has_its_heads(capsys):
    show_table(("tool", "calls"), [])
    assert capsys.readouterr().out.startswith("| tool | calls |\n")


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "bell\a"])
def test_a_name_cannot_steer_the_terminal(name, capsys):
    show_table(("tool",), [(name,)])
    out = capsys.readouterr().out
    assert out.count("\n") == 3
    assert printable(name) in out
    assert not set(out) & set("\x1b\a")


def test_a_table_on_a_terminal_is_drawn_and_shows_names_as_they_are(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    show_table(("tool", "calls"), [("[bold]x", 12)])
    assert "[bold]x" in terminal.getvalue()
    assert "|" not in terminal.getvalue()
