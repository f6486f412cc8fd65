"""`stretto ask`, `jev-check`, `export-answers` and `import-answers`."""

import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.oracle.batch import AT_ONCE, distinct
from stretto.oracle.cache import Cache
from stretto.oracle.dump import dump_lines
from stretto.oracle.mock import Mock
from stretto.oracle.question import Noul, Request
from stretto.oracle.wire import response_json
from tests.oracle.http.servers import Heard, listening, reply

KEY = "c4n4ry-0123456789"
TODO = distinct(Request("m-1", n, {"n": Noul("Done?")}) for n in range(6))


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(f"{line}\n" for line in [*dump_lines(TODO)] * 2))
    return path


def run(*args: object, env: dict[str, str] | None = None, stdin: str = "") -> Result:
    known = {"TYPESAFE_API_KEY": None, "TYPESAFE_BASE_URL": None, **(env or {})}
    return CliRunner().invoke(cli, [*map(str, args)], env=known, input=stdin)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def jev(heard: Heard, handler: BaseHTTPRequestHandler) -> None:
    """Answers yes to even states, and refuses the others."""
    state = json.loads(heard.body)["state"]
    if isinstance(state, int) and state % 2:
        reply(handler, 422, b"odd")
        return
    [id] = json.loads(heard.body)["questions"]
    answers = {id: {"type": "noul", "noul": 0.875}}
    usage = {"input_tokens": 30, "output_tokens": 1}
    body = {"model": "jev-9", "answers": answers, "usage": usage}
    reply(handler, 200, json.dumps(body).encode())


def test_every_distinct_request_has_a_line_sorted_by_key(dump, tmp_path) -> None:
    out = tmp_path / "out.jsonl"
    result = run("ask", "--requests", dump, "--out", out, "--oracle", "mock")

    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"6 answered and 0 failed; wrote {out}\n"
    assert lines(out) == [
        {"key": key, "response": response_json(Mock().ask(request))}
        for key, request in TODO.items()
    ]


def test_answers_are_kept_failures_told_and_nothing_is_asked_twice(
    dump, tmp_path
) -> None:
    out, cache = tmp_path / "out.jsonl", tmp_path / "cache"
    args = ("ask", "--requests", dump, "--out", out, "--oracle-cache", cache, "--json")
    with listening(jev) as server:
        env = {"TYPESAFE_BASE_URL": server.url, "TYPESAFE_API_KEY": KEY}
        first = run(*args, env=env)
        assert len(server.heard) == 6
        run(*args, env=env)
        assert len(server.heard) == 9

    assert first.exit_code == 0
    found = json.loads(first.stdout)
    n_bytes = len(next(iter(TODO.values())).data)
    assert found == {
        "requests": 6,
        "answered": 3,
        "failed": 3,
        "input_tokens": 90,
        "output_tokens": 3,
        "tokens_per_byte": pytest.approx(30 / n_bytes),
    }
    assert first.stderr.count("jev answered 422: odd") == 3
    assert sum("error" in line for line in lines(out)) == 3
    assert len([*Cache(cache).listed()]) == 3
    everything = first.output + "".join(
        path.read_text() for path in tmp_path.rglob("*") if path.is_file()
    )
    assert KEY not in everything


def test_a_batch_that_would_cost_too_much_asks_nothing(dump, tmp_path) -> None:
    with listening(jev) as server:
        env = {"TYPESAFE_BASE_URL": server.url, "TYPESAFE_API_KEY": KEY}
        result = run(
            "ask", "--requests", dump, "--out", tmp_path / "out", "--oracle-budget",
            "0.0000001", "--oracle-cache", tmp_path / "cache", env=env,
        )  # fmt: skip

        assert server.heard == []
    assert result.exit_code == 1
    assert "error: asking would cost about" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_limit_takes_the_first_by_key_and_a_replay_asks_nobody(
    dump, tmp_path
) -> None:
    out = tmp_path / "out"
    result = run(
        "ask", "--requests", "-", "--out", out, "--oracle", "replay",
        "--oracle-limit", 2, "--oracle-cache", tmp_path, stdin=dump.read_text(),
    )  # fmt: skip

    assert result.exit_code == 0
    assert [line["key"] for line in lines(out)] == [*TODO][:2]
    assert all("holds no answer" in line["error"] for line in lines(out))


def test_a_file_of_something_else_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "requests"
    path.write_text('\n{"model": "m"}\n')
    result = run(
        "ask", "--requests", path, "--out", tmp_path / "out", "--oracle", "mock"
    )

    assert result.exit_code == 1
    assert f"error: {path}:2: has no `questions`" in result.stderr


def test_interrupted_it_keeps_what_came_and_goes_on_from_there(tmp_path: Path) -> None:
    todo = distinct(Request("m-1", 2 * n, {"n": Noul("Done?")}) for n in range(40))
    dump, out, cache = (tmp_path / name for name in ("dump", "out", "cache"))
    dump.write_text("".join(f"{line}\n" for line in dump_lines(todo)))
    arrived, go_on = threading.Event(), threading.Event()

    def slow(heard: Heard, handler: BaseHTTPRequestHandler) -> None:
        if len(server.heard) > 20:
            arrived.set()
            go_on.wait()
        jev(heard, handler)

    with listening(slow) as server:
        env = {"TYPESAFE_BASE_URL": server.url, "TYPESAFE_API_KEY": KEY}
        args = ["ask", "--requests", dump, "--out", out, "--oracle-cache", cache]
        command = [sys.executable, "-m", "stretto", *map(str, args)]
        with subprocess.Popen(
            command, env={**os.environ, **env}, stderr=subprocess.PIPE, text=True
        ) as process:
            assert arrived.wait(timeout=60)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        go_on.set()
        kept = [*Cache(cache).listed()]

        assert process.returncode == 130
        assert "interrupted" in told
        assert not out.exists()
        assert len(kept) >= 20 - AT_ONCE

        asked_before = len(server.heard)
        assert run(*args, env=env).exit_code == 0
        assert len(server.heard) == asked_before + len(todo) - len(kept)
    assert [line["key"] for line in lines(out)] == [*todo]


def test_a_check_asks_once_keeps_nothing_and_never_shows_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with listening(jev) as server:
        env = {"TYPESAFE_BASE_URL": server.url, "TYPESAFE_API_KEY": KEY}
        text, as_json = run("jev-check", env=env), run("jev-check", "--json", env=env)
        assert len(server.heard) == 2
        assert [*tmp_path.iterdir()] == []

    assert text.exit_code == 0, text.stderr
    assert text.stdout.startswith("jev: jev-9 answered in ")
    assert text.stdout.endswith(" ms, yes at 0.88, for 30 tokens\n")
    found = json.loads(as_json.stdout)
    assert found.pop("ms") >= 0
    assert found == {
        "oracle": "jev",
        "model": "jev-latest",
        "answered_by": "jev-9",
        "p_yes": 0.875,
        "input_tokens": 30,
        "output_tokens": 1,
    }
    assert KEY not in text.output + as_json.output


def test_a_check_without_a_key_names_the_variable() -> None:
    result = run("jev-check")

    assert result.exit_code == 1
    assert "error: there is no key: TYPESAFE_API_KEY is not set" in result.stderr


def test_a_bundle_goes_from_one_folder_to_another(dump, tmp_path) -> None:
    here, there, bundle = tmp_path / "here", tmp_path / "there", tmp_path / "b.jsonl"
    for key, request in TODO.items():
        Cache(here).put(key, Mock().ask(request))

    printed = run("export-answers", "--oracle-cache", here)
    written = run("export-answers", "--oracle-cache", here, "-o", bundle)
    first = run("import-answers", bundle, "--oracle-cache", there)
    again = run("import-answers", "-", "--oracle-cache", there, "--json",
                stdin=printed.stdout)  # fmt: skip

    assert written.stdout == ""
    assert bundle.read_text() == printed.stdout
    assert [json.loads(line)["key"] for line in printed.stdout.splitlines()] == [*TODO]
    assert first.stdout == "6 new, 0 there already\n"
    assert json.loads(again.stdout) == {"new": 0, "known": 6, "differ": []}
    out = tmp_path / "out"
    replayed = run("ask", "--requests", dump, "--out", out, "--oracle", "replay",
                   "--oracle-cache", there)  # fmt: skip
    assert replayed.stdout.startswith("6 answered and 0 failed")


def test_a_folder_that_is_not_there_is_not_an_empty_bundle(tmp_path: Path) -> None:
    result = run("export-answers", "--oracle-cache", tmp_path / "typo")

    assert result.exit_code == 1
    assert "typo holds no answers" in result.stderr


def test_what_differs_and_what_is_damaged_is_told(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    [key, other, *_] = TODO
    cache.put(key, Mock().ask(TODO[key]))
    cache.put(other, Mock().ask(TODO[other]))
    cache.path(other).write_text("{")
    changed = {"key": key, "response": {"model": "x", "answers": {}}}

    told = run("import-answers", "-", "--oracle-cache", tmp_path,
               stdin=json.dumps(changed))  # fmt: skip
    printed = run("export-answers", "--oracle-cache", tmp_path)

    assert f"warning: 1 differ from what is kept, which stays: {key}" in told.stderr
    assert f"{other}.json" in printed.stderr
    assert [json.loads(line)["key"] for line in printed.stdout.splitlines()] == [key]
