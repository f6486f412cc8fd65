"""Readers as another package would install them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from stretto.episodes.episode import Episode, UserMessage
from stretto.traces.reader import Head, Ledger, ReadOptions


class Diary:
    """Text files that begin with `Dear diary`."""

    def sniff(self, head: Head) -> bool:
        return head.text.startswith("Dear diary")

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        ledger.count("diaries", len(paths))
        for path in paths:
            text = path.read_text()
            if "secret" in text:
                ledger.problem(path, "is nobody's business", line=2)
            else:
                yield Episode("diary", (UserMessage(text),), agent="me")


class Moody:
    """Fails on everything."""

    def sniff(self, head: Head) -> bool:
        raise KeyError(head.path.name)


DIARY = Diary()
MOODY = Moody()
