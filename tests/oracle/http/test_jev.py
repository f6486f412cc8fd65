"""Jev against a server of the tests' own: what is sent, and what may come back."""

import gzip
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from stretto.errors import OracleDown, OracleError
from stretto.oracle.answer import NoulAnswer, Response, Usage
from stretto.oracle.ask import ask
from stretto.oracle.cached import Cached
from stretto.oracle.http.attempt import MAX_REPLY
from stretto.oracle.jev import Jev
from stretto.oracle.jev import oracle as jev
from stretto.oracle.question import Noul, Request
from stretto.oracle.settings import OracleSettings
from tests.claims import claim
from tests.oracle.http.servers import Answering, Heard, Server, Time, listening, reply

KEY = "c4n4ry-0123456789abcdef"
REQUEST = Request("m-1", {"said": "Zoë"}, {"n": Noul("Done?")})
ANSWER = {"model": "m-1.3", "answers": {"n": {"type": "noul", "noul": 0.75}}}


def answers(status: int, body: bytes, **headers: str) -> Answering:
    return lambda _, handler: reply(handler, status, body, **headers)


@contextmanager
def asking(
    folder: Path, answering: Answering, **environ: str
) -> Iterator[tuple[Cached, Server, Time]]:
    """Jev, before a server, in a time that passes when told."""
    with listening(answering) as server:
        known = {"TYPESAFE_BASE_URL": f"{server.url}/", "TYPESAFE_API_KEY": KEY}
        found = jev(OracleSettings("m-1", folder, {**known, **environ}))
        assert isinstance(found.inner, Jev)
        time = Time()
        endpoint = replace(found.inner.endpoint, clock=time.clock)
        inner = replace(found.inner, endpoint=endpoint)
        yield replace(found, inner=inner), server, time


def test_the_request_is_sent_as_it_is_hashed_with_the_key_as_bearer(tmp_path) -> None:
    body = json.dumps({**ANSWER, "usage": {"input_tokens": 9}}).encode()
    with asking(tmp_path, answers(200, body)) as (oracle, server, _):
        assert ask(oracle, REQUEST) == Response(
            "m-1.3", {"n": NoulAnswer(0.75)}, Usage(9, 0)
        )
        assert ask(oracle, REQUEST).usage == Usage(9, 0)

    [heard] = server.heard
    assert heard.path == "/v1/systemone"
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"
    assert heard.body == REQUEST.data


def test_a_compressed_answer_is_read(tmp_path: Path) -> None:
    body = gzip.compress(json.dumps(ANSWER).encode())
    with asking(tmp_path, answers(200, body, content_encoding="gzip")) as (oracle, *_):
        assert ask(oracle, REQUEST).model == "m-1.3"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"[" * 200_000,
        b"null",
        b'{"answers":{}}',
        b'{"model":"m","answers":{"n":{"type":"noul","noul":1e999}}}',
        json.dumps(ANSWER).encode()[:-9],
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_and_is_not_kept(
    tmp_path: Path, body: bytes
) -> None:
    with asking(tmp_path, answers(200, body)) as (oracle, server, _):
        with pytest.raises(OracleError, match="the answer"):
            ask(oracle, REQUEST)
        assert len(server.heard) == 1

    assert [*tmp_path.rglob("*.json")] == []


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"n": {"type": "noul", "noul": 1.2}}, "no probability"),
        ({"x": {"type": "noul", "noul": 0.2}}, "no question"),
        (
            {"n": {"type": "choice", "choice": "a", "probabilities": {"a": 1}}},
            "not of the question's type",
        ),
    ],
)
def test_an_answer_to_something_else_is_an_error_and_is_not_kept(
    tmp_path: Path, answer: dict, fault: str
) -> None:
    body = json.dumps({"model": "m", "answers": answer}).encode()
    with (
        asking(tmp_path, answers(200, body)) as (oracle, *_),
        pytest.raises(OracleError, match=fault),
    ):
        ask(oracle, REQUEST)

    assert [*tmp_path.rglob("*.json")] == []


def test_a_busy_server_is_asked_again_when_it_says(tmp_path: Path) -> None:
    replies = iter([(429, b"", "3"), (500, b"", None), (200, None, None)])

    def busy(_: Heard, handler: BaseHTTPRequestHandler) -> None:
        status, body, after = next(replies)
        headers = {"retry_after": after} if after else {}
        reply(handler, status, body or json.dumps(ANSWER).encode(), **headers)

    with asking(tmp_path, busy) as (oracle, server, time):
        assert ask(oracle, REQUEST).model == "m-1.3"
    assert time.slept == [3, 2]
    assert len(server.heard) == 3


def test_a_server_that_says_nothing_is_given_up_on_with_the_budget(tmp_path) -> None:
    over = threading.Event()

    def silent(_: Heard, handler: BaseHTTPRequestHandler) -> None:
        over.wait()
        handler.close_connection = True

    with asking(tmp_path, silent) as (oracle, *_):
        with pytest.raises(OracleDown, match="no answer within"):
            ask(oracle, REQUEST, budget_s=0.05)
        over.set()


def test_a_server_that_hangs_up_midway_has_not_answered(tmp_path: Path) -> None:
    def cut(_: Heard, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"model":')
        handler.close_connection = True

    with (
        asking(tmp_path, cut) as (oracle, _, time),
        pytest.raises(OracleDown, match="cannot be asked"),
    ):
        ask(oracle, REQUEST)
    assert time.slept == [1, 2, 4, 8]


def test_an_answer_without_end_is_cut_off(tmp_path: Path) -> None:
    def endless(_: Heard, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        try:
            for _ in range(2 * MAX_REPLY // 2**16):
                handler.wfile.write(b" " * 2**16)
        except OSError:
            pass

    with (
        asking(tmp_path, endless) as (oracle, *_),
        pytest.raises(OracleDown, match="more than 4 MiB"),
    ):
        ask(oracle, REQUEST)


def test_nobody_listening_is_an_error_after_five_tries(tmp_path: Path) -> None:
    with asking(tmp_path, answers(200, b"")) as (oracle, server, time):
        pass
    with pytest.raises(OracleDown, match=r"jev cannot be asked: .*tried 5 times"):
        ask(oracle, REQUEST)
    assert len(server.heard) == 0
    assert len(time.slept) == 4


def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(tmp_path) -> None:
    with (
        listening(answers(200, json.dumps(ANSWER).encode())) as elsewhere,
        asking(tmp_path, answers(307, b"", location=elsewhere.url)) as (oracle, *_),
        pytest.raises(OracleError, match="jev answered 307"),
    ):
        ask(oracle, REQUEST)
    assert elsewhere.heard == []


@claim("questions:cache")
def test_without_a_key_what_is_kept_is_still_answered(tmp_path: Path) -> None:
    with asking(tmp_path, answers(200, json.dumps(ANSWER).encode())) as (oracle, *_):
        ask(oracle, REQUEST)
    with asking(tmp_path, answers(200, b""), TYPESAFE_API_KEY="") as (oracle, *_):
        assert ask(oracle, REQUEST).model == "m-1.3"
        with pytest.raises(OracleError, match="TYPESAFE_API_KEY is not set"):
            ask(oracle, replace(REQUEST, state=2))


@pytest.mark.parametrize("status", [200, 400, 401, 500, 503])
@pytest.mark.parametrize("budget_s", [None, 5.0])
def test_a_server_that_echoes_the_key_does_not_get_it_shown_or_kept(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    status: int,
    budget_s: float | None,
) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(heard: Heard, handler: BaseHTTPRequestHandler) -> None:
        said = heard.headers["authorization"]
        body = json.dumps({**ANSWER, "model": said, "padding": "x" * 200 + said})
        reply(handler, status, body.encode())

    with asking(tmp_path, echo) as (oracle, server, _):
        try:
            seen = repr(ask(oracle, REQUEST, budget_s=budget_s))
        except OracleError as error:
            seen = f"{error} {error!r} {error.hint} {error.__cause__!r}"
        assert KEY in server.heard[0].headers["authorization"]

    kept = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    shown = f"{seen} {kept} {oracle!r} {caplog.text}"
    assert KEY not in shown
    assert ("[key]" in kept) == (status == 200)


@pytest.mark.parametrize(
    "base", ["ftp://host", "api.typesafe.ai", "http://", "http://[", ""]
)
def test_a_base_that_is_no_url_is_an_error_at_start(tmp_path: Path, base: str) -> None:
    settings = OracleSettings(None, tmp_path, {"TYPESAFE_BASE_URL": base})

    if not base:
        assert jev(settings).model == "jev-latest"
        return
    with pytest.raises(OracleError, match="is no URL"):
        jev(settings)


@pytest.mark.parametrize("content", [None, "not PEM"])
def test_roots_that_cannot_be_read_are_an_error_at_start(tmp_path, content) -> None:
    path = tmp_path / "roots.pem"
    if content is not None:
        path.write_text(content)

    with pytest.raises(OracleError, match=r"roots\.pem cannot be read"):
        jev(OracleSettings(None, tmp_path, {"SSL_CERT_FILE": str(path)}))


def test_the_price_is_a_quarter_token_a_byte_and_nothing_for_what_is_kept(
    tmp_path: Path,
) -> None:
    with asking(tmp_path, answers(200, json.dumps(ANSWER).encode())) as (oracle, *_):
        tokens = len(REQUEST.data) // 4
        assert oracle.price(REQUEST) == pytest.approx(tokens * 0.042 / 1e6)
        ask(oracle, REQUEST)
        assert oracle.price(REQUEST) == 0.0
