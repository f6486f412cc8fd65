"""Requests as lines, `{"key", "request"}`: to look at, and to ask from elsewhere."""

from collections.abc import Iterable, Iterator, Mapping

from stretto.canonical import compact
from stretto.files import Node
from stretto.oracle.question import Request, request_json
from stretto.oracle.wire import read_request


def dump_lines(requests: Mapping[str, Request]) -> Iterator[str]:
    """
    A line for each request, all its keys sorted.

    So a line's own hash is not its key, which is that of the request read from it.
    """
    for key, request in requests.items():
        yield compact({"key": key, "request": request_json(request)})


def read_requests(lines: Iterable[Node]) -> Iterator[Request]:
    """
    The requests of lines that hold one each, alone or beside its key.

    Raises:
        FormatError: a line holds none, or its key is that of another request.
    """
    for line in lines:
        if line.get("request") is None:
            yield read_request(line)
            continue
        line.only("key", "request")
        request = read_request(line["request"])
        if (key := line.get("key")) is not None and key.text() != request.key:
            key.fail(f"is not the request's, which is {request.key}")
        yield request
