"""What it takes to make an episode of a record: its fields, taken as they should be."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeGuard

from stretto.canonical import Json, compact
from stretto.episodes.episode import Episode
from stretto.traces.decode import Unreadable
from stretto.traces.ledger import Ledger
from stretto.traces.stream import Record, records


def converted(
    records: Iterable[Record],
    convert: Callable[[Record], Episode | None],
    path: Path,
    ledger: Ledger,
) -> Iterator[Episode]:
    """The records' episodes. A record that cannot be converted is reported."""
    for record in records:
        try:
            episode = convert(record)
        except Unreadable as cause:
            report(record, str(cause), path, ledger)
        except RecursionError:
            report(record, "is nested too deep", path, ledger)
        else:
            if episode is not None:
                yield episode


def one_each(
    paths: Sequence[Path],
    ledger: Ledger,
    convert: Callable[[Path, Ledger, Record], Episode | None],
) -> Iterator[Episode]:
    """The episodes of files that hold one in each record."""
    for path in paths:
        found = partial(convert, path, ledger)
        yield from converted(records(path, ledger), found, path, ledger)


def report(record: Record, cause: str, path: Path, ledger: Ledger) -> None:
    """Enters a problem with a record."""
    where = f"{record.place}: " if record.place else ""
    ledger.problem(path, f"{where}{cause}", line=record.line)


def session_id(record: Record, path: Path, *recorded: Json) -> str:
    """The first id recorded, or the file's name and the record's position in it."""
    if id := first_text(*recorded):
        return id
    position = record.top if record.position is None else record.position
    return f"{path.name.removesuffix('.gz')}#{position}"


def first_object(value: Json) -> dict[str, Json]:
    """An object, or the first item of an array if that is one; else an empty one."""
    return mapping(value[0] if isinstance(value, list) and value else value)


def mapping(value: Json) -> dict[str, Json]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects(value: Json, name: str) -> list[dict[str, Json]]:
    """
    An array of objects; an empty one for null.

    Raises:
        Unreadable: it is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable(f"`{name}` is not an array")
    found = [item for item in value if isinstance(item, dict)]
    if len(found) < len(value):
        raise Unreadable(f"`{name}` has an item that is not an object")
    return found


def required_name(value: Json, field: str) -> str:
    """
    A name that has to be there.

    Raises:
        Unreadable: it is missing, empty, or no string.
    """
    if not isinstance(value, str) or not value:
        raise Unreadable(f"has a {field} without a name")
    return value


def words(content: Json) -> str:
    """What a message says: text, or the text blocks of a list; JSON for the rest."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        blocks = [block.get("text") for block in content if isinstance(block, dict)]
        texts = [block for block in blocks if isinstance(block, str)]
        if texts or not content:
            return "\n".join(texts)
    return _json(content)


def label(value: Json) -> str:
    """An id as text; nothing for null."""
    if isinstance(value, str):
        return value
    return "" if value is None else _json(value)


def first_text(*values: Json) -> str:
    """The first that is text and not empty; nothing where none is."""
    return next((v for v in values if isinstance(v, str) and v), "")


def whole(value: Json) -> int:
    """A count; 0 for anything that is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else 0


def amount(value: Json) -> float:
    """A number; 0.0 for anything that is none."""
    return float(value) if _is_number(value) else 0.0


def grade(value: Json) -> float | None:
    """
    A reward: a number, or true and false as 1 and 0; None for null.

    Raises:
        Unreadable: it is something else.
    """
    if value is None:
        return None
    if not isinstance(value, bool) and not _is_number(value):
        raise Unreadable("has a reward that is no number")
    return float(value)


def _is_number(value: Json) -> TypeGuard[int | float]:
    """Whether it is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _json(value: Json) -> str:
    try:
        return compact(value)
    except ValueError as cause:
        raise Unreadable("holds a number beyond a float") from cause
