"""Secrets with a telling name are not in the log; everything else is."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.redact import REDACTED, redacted, redacted_url


@pytest.mark.parametrize(
    ("command", "logged"),
    [
        ("srv --api-key K --port 1", "srv --api-key <redacted> --port 1"),
        ("srv --token=K", "srv --token=<redacted>"),
        ("srv --auth --verbose", "srv --auth --verbose"),
        ("srv --API_KEY K", "srv --API_KEY <redacted>"),
        ("srv -password K", "srv -password <redacted>"),
        ("srv --token=a=b c", "srv --token=<redacted> c"),
        ("srv token K", "srv token K"),
        ("srv --port 1 K", "srv --port 1 K"),
        ("env GITHUB_TOKEN=K srv", "env GITHUB_TOKEN=<redacted> srv"),
        ("srv --passwd --key=K x", "srv --passwd --key=<redacted> x"),
        ("srv 'Authorization: Basic K'", "srv <redacted>"),
        ("srv -H 'authorization: K'", "srv -H <redacted>"),
        ("srv 'x: BEARER K'", "srv <redacted>"),
        ("srv -H 'X-Api-Key: K'", "srv -H 'X-Api-Key: <redacted>'"),
        ("srv -H 'Accept: K'", "srv -H 'Accept: K'"),
        ("srv https://h/mcp?token=K", "srv https://h/mcp?token=<redacted>"),
        ("srv https://h/?a=1&api_key=K#f", "srv 'https://h/?a=1&api_key=<redacted>#f'"),
        ("srv postgres://u:K@db/shop", "srv postgres://db/shop"),
        ("srv --url=https://u:K@h/", "srv --url=https://h/"),
        ("DB_URL=postgres://u:K@db srv", "DB_URL=postgres://db srv"),
    ],
)
def test_a_command_line_is_logged_without_its_secrets(
    command: str, logged: str
) -> None:
    assert list(redacted(shlex.split(command))) == shlex.split(logged)


@pytest.mark.parametrize(
    ("url", "logged"),
    [
        ("https://h:8080/mcp", "https://h:8080/mcp"),
        ("https://user@h/a@b", "https://h/a@b"),
        ("https://u:p@w@h/", "https://h/"),
        ("https://h/?Token=K&b=K", "https://h/?Token=<redacted>&b=K"),
        ("https://h/?b=K;secret=K#part", "https://h/?b=K;secret=<redacted>#part"),
        ("https://h/?token", "https://h/?token"),
        ("not a url", "not a url"),
    ],
)
def test_an_address_is_logged_without_its_user_and_secrets(
    url: str, logged: str
) -> None:
    assert redacted_url(url) == logged


WORDS = st.sampled_from(
    [
        "--token",
        "--token=",
        "key=",
        "http://u:p@h/",
        "?auth=1",
        "Bearer ",
        "x",
        "-",
        "=",
    ]
)
ARGUMENT = st.lists(WORDS, max_size=4).map("".join) | st.text(max_size=6)


@given(command=st.lists(ARGUMENT, max_size=6))
@settings(max_examples=150, deadline=None)
def test_redacting_twice_changes_nothing_more(command: list[str]) -> None:
    once = redacted(command)

    assert redacted(once) == once
    assert len(once) == len(command)


@given(secret=st.text("abc123", min_size=8), flag=st.sampled_from(["--key", "-token"]))
@settings(max_examples=50, deadline=None)
def test_a_secret_behind_its_flag_is_nowhere_in_the_log(secret: str, flag: str) -> None:
    logged = [*redacted(["srv", flag, secret]), *redacted(["srv", f"{flag}={secret}"])]

    assert secret not in " ".join(logged)
    assert " ".join(logged).count(REDACTED) == 2
