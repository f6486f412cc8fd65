"""Compressed bodies, read on the way while they pass as they are."""

import zlib
from collections.abc import Callable
from typing import TypeAlias

from stretto.proxy.http.sse import LONGEST

Decode: TypeAlias = Callable[[bytes], bytes]
"""Gives what the next bytes of a body are, decompressed."""

PLAIN = ("", "identity")
READ = ("gzip", "x-gzip", "deflate")
"""The encodings that can be read."""

_EITHER_FORMAT = 32 + zlib.MAX_WBITS


def inflating() -> Decode:
    """Reads one body; from where that is broken, there is nothing to read."""
    decompressor = zlib.decompressobj(_EITHER_FORMAT)

    def inflated(chunk: bytes) -> bytes:
        try:
            return decompressor.decompress(chunk, LONGEST)
        except zlib.error:
            return b""

    return inflated
