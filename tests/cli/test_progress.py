"""Progress on a terminal, and silence elsewhere."""

import io
import sys

import pytest
from rich.console import Console

from stretto.cli import display
from stretto.cli.display import PATIENCE_S, shown
from stretto.cli.progress import progress, track


class Clock:
    """A console's clock, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def console(clock):
    return Console(file=io.StringIO(), force_terminal=True, width=80, get_time=clock)


def test_nothing_is_shown_where_standard_error_is_no_terminal(capsys):
    with progress("counting", total=2) as done:
        done()
    assert list(track("ab", "counting")) == ["a", "b"]
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_work_is_shown_on_standard_error(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(display, "PATIENCE_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with progress("counting", total=1) as done:
        done()
    assert "counting" in terminal.getvalue()


@pytest.mark.parametrize("total", [None, 3])
def test_work_is_shown_once_it_has_taken_a_second(console, clock, total):
    with shown("counting", total, console) as done:
        done()
        clock.now = PATIENCE_S
        done()
    text = console.file.getvalue()
    assert "counting" in text
    assert ("2/3" in text) == (total == 3)


def test_work_that_is_over_sooner_is_not_shown(console, clock):
    with shown("counting", None, console) as done:
        clock.now = PATIENCE_S / 2
        done()
    assert "counting" not in console.file.getvalue()


def test_a_title_is_no_markup(console, clock):
    with shown("[bold]counting", None, console):
        clock.now = PATIENCE_S
    assert "[bold]counting" in console.file.getvalue()


def test_things_come_one_at_a_time():
    asked = []

    def things():
        for n in range(3):
            asked.append(n)
            yield n

    tracked = track(things(), "counting")
    assert next(tracked) == 0
    assert asked == [0]
