"""Files as text, piece by piece, whether compressed or not."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

from stretto.traces.ledger import Ledger

PIECE = 2**18
"""How many bytes are read at a time."""

_GZIP = b"\x1f\x8b"


def beginning(path: Path, size: int) -> bytes:
    """
    The first `size` bytes, decompressed; fewer where the file ends or is damaged.

    Raises:
        OSError: the file cannot be opened.
    """
    found = bytearray()
    with _opened(path) as file:
        try:
            while len(found) < size and (data := file.read1(size - len(found))):
                found += data
        except (EOFError, zlib.error, gzip.BadGzipFile):
            pass  # reported by whoever reads the file to its end
    return bytes(found)


def pieces(path: Path, ledger: Ledger) -> Iterator[str]:
    """
    The file's text in pieces of `PIECE` bytes, without a byte order mark.

    What cuts the file short is reported after all that came before it. Bytes that are
    not UTF-8 become U+FFFD, and the first of each piece is reported with its line.
    """
    line, rest, first = 1, b"", True
    for block, last in _marked(_blocks(path, ledger)):
        data = rest + block
        try:
            text, used = codecs.utf_8_decode(data, "strict", last)
        except UnicodeDecodeError as cause:
            bad = line + data.count(b"\n", 0, cause.start)
            ledger.problem(
                path, f"is not UTF-8 (byte {data[cause.start]:#x})", line=bad
            )
            text, used = codecs.utf_8_decode(data, "replace", last)
        rest = data[used:]
        line += data.count(b"\n", 0, used)
        yield text.removeprefix("\ufeff") if first else text
        first = False


def _marked(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each block, and whether it is the last."""
    held = next(blocks, None)
    while held is not None:
        following = next(blocks, None)
        yield held, following is None
        held = following


def _blocks(path: Path, ledger: Ledger) -> Iterator[bytes]:
    block, problem = bytearray(), ""
    try:
        with _opened(path) as file:
            while data := file.read1(PIECE):
                block += data
                if len(block) >= PIECE:
                    yield bytes(block)
                    block.clear()
    except EOFError:
        problem = "is cut short: the compressed data end before their end mark"
    except (OSError, zlib.error) as cause:
        problem = f"cannot be read further: {cause}"
    if block:
        yield bytes(block)
    if problem:
        ledger.problem(path, problem)


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    with open(path, "rb") as raw:
        if raw.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=raw) as file:
                yield file
        else:
            yield raw
