"""`stretto serve`: a flow's decisions, for harnesses that are no MCP host."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stretto.cli.main import cli
from stretto.flow.wire import write_flow
from tests.harness.messages import messages
from tests.harness.test_query import FLOW, customer

QUERY = {"task_id": "7", "messages": list(messages(customer().events))}
ANSWER = {"action": "lookup", "tool": "get", "arguments": {"id": "W1"}}


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    write_flow(FLOW, path := tmp_path / "shop.flow.json")
    return path


@contextmanager
def served(*args: object, ended_by: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Where a server listens, for the length of the block; then it ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "stretto", "serve", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            ready = process.stderr.readline()
            assert ready.startswith("ready on "), ready + process.stderr.read()
            yield ready.removeprefix("ready on ").strip()
            process.send_signal(ended_by)
            assert process.communicate(timeout=60) == ("", "")
            assert process.returncode == 0
        finally:
            process.kill()


def ask(connection: socket.socket, *queries: object) -> list[dict]:
    """The answers, on one connection."""
    with connection, connection.makefile("rwb") as lines:
        answers = []
        for query in queries:
            lines.write(json.dumps(query).encode() + b"\n")
            lines.flush()
            answers.append(json.loads(lines.readline()))
        return answers


def at(where: str) -> socket.socket:
    host, _, port = where.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def refused(*args: object) -> Result:
    return CliRunner().invoke(cli, ["serve", *map(str, args)])


def test_a_query_is_answered_at_any_free_port_of_this_machine(flow: Path):
    with served(flow) as where:
        assert where.startswith("127.0.0.1:")
        assert ask(at(where), QUERY, {}, QUERY) == [
            ANSWER,
            {"error": "the query cannot be used: has no `messages`"},
            ANSWER,
        ]


def test_a_socket_file_is_used_in_place_of_a_port_and_removed_at_the_end(
    flow: Path, tmp_path: Path
):
    path = tmp_path / "flow.sock"

    with served(flow, "--socket", path, ended_by=signal.SIGINT) as where:
        assert where == str(path)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
        assert ask(connection, QUERY) == [ANSWER]

    assert not path.exists()


def test_the_options_say_who_decides_when_how_often_and_for_whom(
    flow: Path, tmp_path: Path
):
    token = tmp_path / "token"
    token.write_text("abc\n")
    options = ("--decider", "habit", "--threshold", "1", "--max-questions", "1")

    with served(flow, *options, "--token-file", token) as where:
        query = {**QUERY, "token": "abc"}
        [careful] = ask(at(where), query)
        longer = customer().turn(("get", {"id": "W1"}, {"id": "W1"}))
        often = {"messages": list(messages(longer.events)), "token": "abc"}
        [tired] = ask(at(where), often)
        [unknown] = ask(at(where), QUERY)

    assert careful["code"] == "below"
    assert careful["reason"].endswith(", below 1")
    assert tired["code"] == "too_many_questions"
    assert unknown == {"error": "`token` is missing or wrong"}


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--listen", "0.0.0.0:0"), "can be reached from other machines"),
        (("--listen", "nonsense"), "is no address to listen at"),
        (("--decider", "oracle"), "no installed package provides 'oracle'"),
        (("--token-file", "none"), "none"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_listens(
    args: tuple[str, ...], why: str, flow: Path
):
    result = refused(flow, *args)

    assert result.exit_code == 1
    assert why in result.stderr
    assert "ready" not in result.output


@pytest.mark.parametrize("threshold", ["nan", "-1", "2"])
def test_a_threshold_that_is_no_probability_is_wrong_usage(threshold: str, flow: Path):
    assert refused(flow, "--threshold", threshold).exit_code == 2


def test_a_file_that_is_no_flow_is_told_in_two_lines(tmp_path: Path):
    (path := tmp_path / "no.flow.json").write_text("[]")

    result = refused(path)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {path}")


def test_it_loads_nothing_heavy():
    script = "import sys, stretto.cli.serve; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert not {"jax", "numpy", "mcp", "pydantic"} & {*done.stdout.split()}
