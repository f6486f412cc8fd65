"""What stands between the sides may hold lines back, change them and add its own."""

import json
import sys
from collections.abc import Callable

from stretto.proxy.lines import Lines
from stretto.proxy.serve import Ears, Sides
from tests.proxy.host import Host, request, server


def each_line(hears: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Hears a stream line by line, each with its line feed."""
    lines = Lines(2**30)

    def chunk(data: bytes) -> None:
        for line in lines.feed(data):
            hears(line.data + b"\n")

    return chunk


def meddling(sides: Sides) -> Ears:
    """
    Answers `mine` itself; has each answer to `call` wait for a lookup of its own.

    What the lookup returned is put into the answer that waited.
    """
    held: list[bytes] = []

    def host(line: bytes) -> None:
        if json.loads(line)["method"] == "mine":
            sides.host.write(answer(json.loads(line)["id"], "not the server's"))
        else:
            sides.server.write(line)

    def hear_server(line: bytes) -> None:
        message = json.loads(line)
        if message["id"] == "stretto-1":
            waited = json.loads(held.pop())
            waited["result"]["also"] = message["result"]["content"][0]["text"]
            sides.host.write(json.dumps(waited).encode() + b"\n")
        else:
            held.append(line)
            lookup = {"name": "echo", "arguments": {"text": "looked up"}}
            sides.server.write(request("stretto-1", **lookup))

    return Ears(host=each_line(host), server=each_line(hear_server))


def answer(id: int, text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    message = {"jsonrpc": "2.0", "id": id, "result": {"content": content}}
    return json.dumps(message).encode() + b"\n"


def test_a_line_can_be_answered_held_back_and_added_to() -> None:
    script = (
        "import sys, os\n"
        "from functools import partial\n"
        "from stretto.proxy.child import Child\n"
        "from stretto.proxy.serve import serve\n"
        "from tests.proxy.test_between import meddling\n"
        "os._exit(serve(partial(Child, sys.argv[1:]), between=meddling))"
    )
    with Host([sys.executable, "-c", script, *server("echo")]) as host:
        mine = host.ask(1, "mine")
        call = host.ask(2, name="echo", arguments={"text": "asked for"})
        assert host.end() == 0

    assert mine["result"]["content"][0]["text"] == "not the server's"
    assert call["id"] == 2
    assert call["result"]["content"][0]["text"] == "asked for"
    assert call["result"]["also"] == "looked up"
