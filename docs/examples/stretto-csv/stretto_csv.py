"""Sessions from a spreadsheet: a row for each thing said, and for each call."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from stretto.episodes.episode import (
    AssistantTurn,
    Episode,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.traces.calls import arguments
from stretto.traces.decode import decode
from stretto.traces.reader import Head, Ledger, ReadOptions
from stretto.traces.source import pieces

COLUMNS = "session,row,tool,arguments,text"


class Csv:
    """A session's rows stand together; one it cannot use costs that session."""

    def sniff(self, head: Head) -> bool:
        return head.text.startswith(COLUMNS)

    def read(
        self, paths: Sequence[Path], _: ReadOptions, ledger: Ledger
    ) -> Iterator[Episode]:
        for path in paths:
            lines = "".join(pieces(path, ledger)).splitlines(keepends=True)
            rows = csv.DictReader(lines, restval="")
            for session, group in groupby(rows, itemgetter("session")):
                try:
                    yield Episode(session, tuple(_events(group, ledger)))
                except ValueError as cause:
                    ledger.problem(path, f"{session}: {cause}", line=rows.line_num)


READER = Csv()


def _events(rows: Iterable[dict[str, str]], ledger: Ledger) -> Iterator[Event]:
    for position, row in enumerate(rows):
        match row["row"]:
            case "user":
                yield UserMessage(row["text"])
            case "agent":
                yield AssistantTurn(row["text"])
            case "call" | "failed call":
                given = arguments(decode(row["arguments"], ledger))
                call = ToolCall(str(position), row["tool"], given)
                failed = row["row"] == "failed call"
                yield AssistantTurn(calls=(call,))
                yield ToolResult(call.id, call.tool, failed, row["text"])
            case other:
                raise ValueError(f"a row cannot be {other!r}")
