"""What a server lists, asked as a host asks it."""

import os
import sys
from pathlib import Path

import pytest

from stretto.client import started
from stretto.doctor.ask import started_tools
from stretto.errors import CannotStart, StrettoError

SERVERS = Path(__file__).parent / "servers.py"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started, "_GRACE_S", 0.1)


def server(way: str, *more: str) -> list[str]:
    return [sys.executable, str(SERVERS), way, *more]


@pytest.mark.parametrize("way", ["plain", "pages", "modern"])
def test_every_tool_is_listed_however_the_server_speaks(way: str):
    assert [tool["name"] for tool in started_tools(server(way))] == ["find", "get"]


def test_a_server_of_the_sdk_is_understood():
    command = [sys.executable, "-m", "stretto.demo.server"]

    assert "get_order" in {tool["name"] for tool in started_tools(command)}


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("ends", "the server ended before it answered `initialize`"),
        ("refuses", "the server does not list its tools: not today"),
    ],
)
def test_a_server_that_does_not_list_its_tools_says_why(way: str, why: str):
    with pytest.raises(StrettoError, match=why):
        started_tools(server(way))


def test_a_server_that_says_nothing_is_not_waited_for_for_ever():
    with pytest.raises(StrettoError, match="did not answer `initialize`"):
        started_tools(server("silent"), patience_s=0.5)


def test_a_program_that_is_not_there_cannot_be_started():
    with pytest.raises(CannotStart, match="nowhere-server cannot be started"):
        started_tools(["nowhere-server"])


def test_a_server_that_ignores_its_end_is_ended(tmp_path: Path):
    pid = tmp_path / "pid"

    started_tools(server("stubborn", str(pid)))

    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
