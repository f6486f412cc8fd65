"""Progress on a terminal, and silence elsewhere."""

import io

import pytest
from rich.console import Console

from stretto.cli.progress import PATIENCE_S, progress, track


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


@pytest.mark.parametrize("total", [None, 3])
def test_work_is_shown_once_it_has_taken_a_second(console, clock, total):
    with progress("counting", total=total, console=console) as done:
        done()
        clock.now = PATIENCE_S
        done()
    shown = console.file.getvalue()
    assert "counting" in shown
    assert ("2/3" in shown) == (total == 3)


def test_work_that_is_over_sooner_is_not_shown(console, clock):
    with progress("counting", console=console) as done:
        clock.now = PATIENCE_S / 2
        done()
    assert "counting" not in console.file.getvalue()


def test_a_title_is_no_markup(console, clock):
    with progress("[bold]counting", console=console):
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
