"""
Arrays in one file, and nothing that runs: the safetensors layout.

Eight bytes give the header's length, little-endian. The header is JSON: each array's
type, shape and place in what follows, and a map of texts under `__metadata__`. Then
come the arrays, one after the other. Any safetensors library reads what is written
here; what is read is held to the types and limits below.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stretto.canonical import Json, compact
from stretto.errors import FormatError
from stretto.files import Node, parse_json

Tensor = NDArray[Any]

MAX_HEADER = 4 * 2**20
"""The longest header that is read, in bytes."""

MAX_TENSORS = 64
"""The most arrays of a file."""

MAX_AXES, MAX_SIZE = 2, 2**31 - 1
"""The most axes of an array, and the longest axis."""

TYPES: Mapping[str, str] = {"F32": "<f4", "U32": "<u4"}
"""The types that are read, and how NumPy spells them."""

_METADATA = "__metadata__"


class Tensors(NamedTuple):
    """A file's arrays by name, and its texts."""

    arrays: Mapping[str, Tensor]
    texts: Mapping[str, str]


def tensors_bytes(tensors: Tensors) -> bytes:
    """The file's bytes; the same arrays and texts give the same ones."""
    header: dict[str, Json] = {_METADATA: {**tensors.texts}}
    parts, end = [], 0
    for name, array in sorted(tensors.arrays.items()):
        part, kind = _part(array)
        shape: list[Json] = [*array.shape]
        begin, end = end, end + len(part)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
        parts.append(part)
    text = compact(header).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def parse_tensors(data: bytes, path: str) -> Tensors:
    """
    The arrays and texts of a file's bytes.

    Raises:
        FormatError: it is cut short, holds more or other than its header says, or an
            array is of another type.
    """
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= length <= min(MAX_HEADER, len(data) - 8):
        raise FormatError(path, "has no safetensors header")
    node = parse_json(data[8 : 8 + length], path)
    fields = dict(node.items())
    texts = fields.pop(_METADATA, None)
    if len(fields) > MAX_TENSORS:
        node.fail(f"holds {len(fields)} arrays, more than {MAX_TENSORS}")
    body = memoryview(data)[8 + length :]
    arrays, end = {}, 0
    for name, field in sorted(fields.items(), key=lambda item: _begin(item[1])):
        arrays[name], end = _array(field, body, end)
    if end != len(body):
        raise FormatError(path, f"holds {len(body)} bytes of arrays, not {end}")
    return Tensors(
        arrays,
        {} if texts is None else {key: text.text() for key, text in texts.items()},
    )


def _part(array: Tensor) -> tuple[bytes, str]:
    for kind, spelled in TYPES.items():
        if array.dtype == np.dtype(spelled).newbyteorder("="):
            return array.astype(spelled).tobytes(), kind
    raise TypeError(f"an array of {array.dtype} has no place in the file")


def _begin(field: Node) -> int:
    return field["data_offsets"].array(2)[0].integer()


def _array(field: Node, body: memoryview, expected: int) -> tuple[Tensor, int]:
    """An array and where it ends; it begins where the one before ended."""
    field.only("dtype", "shape", "data_offsets")
    spelled = field["dtype"].one_of(_spelled, _KNOWN)
    shape = [size.integer(0, MAX_SIZE) for size in field["shape"].array()]
    if len(shape) > MAX_AXES:
        field.fail(f"has {len(shape)} axes, more than {MAX_AXES}")
    begin, end = (place.integer() for place in field["data_offsets"].array(2))
    size = math.prod(shape) * np.dtype(spelled).itemsize
    if begin != expected or end != begin + size or end > len(body):
        field.fail(f"stands at {begin} to {end}, which is not where it should")
    array = np.frombuffer(body[begin:end], spelled).reshape(shape)
    if not np.isfinite(array).all():
        field.fail("holds what is no number")
    return array, end


def _spelled(kind: str) -> str:
    if kind not in TYPES:
        raise ValueError(kind)
    return TYPES[kind]


_KNOWN = " or ".join(f"`{kind}`" for kind in TYPES)
