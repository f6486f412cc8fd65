"""What a session is called, and what its log says about it first."""

import os

import pytest

from stretto.proxy.session import Session, host_session

SESSION = Session(("orders-server", "--stdio"), 1_893_553_445_678, 4_321)


def test_a_session_is_called_by_its_start_and_process() -> None:
    assert SESSION.id() == "20300102T030405.678Z-4321"
    assert SESSION.id(2) == "20300102T030405.678Z-4321-2"


def test_what_is_not_known_is_null_or_left_out() -> None:
    assert SESSION.about("s") == {
        "session": "s",
        "started_unix_ms": 1_893_553_445_678,
        "server_command": ["orders-server", "--stdio"],
        "domain": None,
        "agent_model": None,
    }


def test_what_is_known_is_told() -> None:
    known = {
        "domain": "orders",
        "agent_model": "m",
        "host_session": "h",
        "server_name": "orders",
    }

    assert SESSION._replace(**known).about("s").items() >= known.items()


def test_arguments_that_are_no_text_and_secrets_are_told_as_far_as_they_may() -> None:
    odd = os.fsdecode(b"caf\xe9")

    about = SESSION._replace(command=("srv", odd, "--key", "K")).about("s")

    assert about["server_command"] == ["srv", "caf\ufffd", "--key", "<redacted>"]


@pytest.mark.parametrize("stated", ["a", "chat-1:main_2.0", "x" * 128])
def test_a_host_may_state_its_session(stated: str) -> None:
    assert host_session(stated) == stated


@pytest.mark.parametrize("stated", [None, "", "a b", "x" * 129, "ä", "a\n"])
def test_without_a_fit_statement_it_is_the_hosts_process(stated: str | None) -> None:
    assert host_session(stated) == f"host-{os.getppid()}"
