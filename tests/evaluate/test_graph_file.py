"""Graphs kept in a file: grown on as if they had never left, or refused."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from stretto.errors import FormatError
from stretto.evaluate.flat import ARRAYS
from stretto.evaluate.graph_file import Kept, graphs_key, read_graphs, write_graphs
from stretto.evaluate.growing import Grower
from stretto.evaluate.setting import Setting
from stretto.evaluate.sweep import Sweep
from tests.evaluate.lessons import Lesson, steadily
from tests.evaluate.test_graph import drawn

KEY = "0" * 64


def kept(sweep: Sweep) -> Kept:
    """What a sweep leaves in a file."""
    return Kept(sweep.flat(), sweep.grower.floors.known)


def example() -> tuple[Sweep, list[Setting]]:
    """A sweep that has grown for a few settings."""
    lesson = Lesson(6, steady=True)
    sweep = Sweep(Grower(lesson.flow, "reach"), [steadily(), *lesson.measured(2)])
    chosen = drawn(lesson.flow, Random(6), 6)
    sweep.counted(chosen)
    return sweep, chosen


@pytest.mark.parametrize("seed", range(8))
def test_graphs_from_a_file_grow_on_from_where_they_had_stopped(seed, tmp_path):
    lesson, random = Lesson(seed, steady=seed % 2 == 0), Random(seed)
    measured = lesson.measured(3, n_orders=4)
    first, more = (drawn(lesson.flow, random, 3) for _ in range(2))
    whole = Sweep(Grower(lesson.flow, "reach"), measured)
    counted = whole.counted(first)
    path = tmp_path / "kept.npz"
    write_graphs(path, KEY, kept(whole))

    found = read_graphs(path, KEY)
    assert found is not None
    again = Sweep(Grower(lesson.flow, "reach"), measured)
    again.hold(found.flat, dict(found.floors))

    np.testing.assert_array_equal(again.counted(first), counted)
    assert again.n_nodes == whole.n_nodes
    np.testing.assert_array_equal(again.counted(more), whole.counted(more))
    for one, other in zip(again.spent(more), whole.spent(more), strict=True):
        assert [*one] == [*other]


def test_the_key_tells_apart_all_that_changes_a_graph_and_nothing_else():
    lesson = Lesson(6, steady=True)
    flow, measured = lesson.flow, lesson.measured(2)
    key = graphs_key(flow, "reach", measured)

    others = replace(flow, thresholds={"get": 0.9}, promoted=None)
    assert graphs_key(others, "reach", measured) == key
    assert graphs_key(flow, "habit", measured) != key
    assert graphs_key(flow, "reach", measured[:1]) != key
    assert graphs_key(flow, "reach", measured[::-1]) != key
    assert graphs_key(replace(flow, surprise=None, model="x"), "reach", measured) != key


def test_a_file_of_other_graphs_is_left_alone(tmp_path: Path):
    sweep, _ = example()
    write_graphs(tmp_path / "kept.npz", KEY, kept(sweep))

    assert read_graphs(tmp_path / "kept.npz", "1" * 64) is None


def broken(content: bytes, name: str, change) -> bytes:
    """The file with one of its arrays changed."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {key: file[key] for key in file.files}
    arrays[name] = change(arrays[name])
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def past(array: np.ndarray) -> np.ndarray:
    """The array, its first number far too large."""
    array = array.copy()
    array.flat[0] = 10**6
    return array


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("to", past), ("site", past), ("first", past), ("start", past), ("came", past),
        ("order", past), ("order", lambda a: a[:-1]), ("to", lambda a: a[:1]),
        ("score", lambda a: a.astype(np.float32)), ("start", lambda a: a[1:]),
        ("came", lambda a: np.zeros_like(a)), ("first_adds", lambda a: a[:-1]),
        ("site", lambda _: np.array([None], object)), ("head", lambda a: a[:-1]),
        ("floors", lambda a: a[:-1]), ("to", lambda a: np.zeros_like(a)),
        ("spent", past), ("spent", lambda a: a[:1]), ("first_spent", past),
        ("whole", lambda a: a[:, 1:]), ("dollars", lambda a: a[:-1]),
    ],
)  # fmt: skip
def test_a_file_whose_numbers_lead_nowhere_is_refused(tmp_path: Path, name, change):
    sweep, _ = example()
    path = tmp_path / "kept.npz"
    write_graphs(path, KEY, kept(sweep))
    path.write_bytes(broken(path.read_bytes(), name, change))

    with pytest.raises(FormatError, match="is no file of graphs"):
        read_graphs(path, KEY)


@pytest.mark.parametrize("content", [b"", b"PK", b"{}", b"\x80\x04N."])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "kept.npz").write_bytes(content)

    with pytest.raises(FormatError):
        read_graphs(tmp_path / "kept.npz", KEY)


def test_an_archive_that_unpacks_to_too_much_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr("stretto.evaluate.graph_file.MAX_BYTES", 1000)
    path = tmp_path / "kept.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.npy", b"\0" * 10_000)

    with pytest.raises(FormatError, match="unpacks to more than"):
        read_graphs(path, KEY)


def test_a_file_with_any_byte_changed_is_refused_or_says_the_same(tmp_path: Path):
    sweep, _ = example()
    path, random = tmp_path / "kept.npz", Random(1)
    write_graphs(path, KEY, kept(sweep))
    whole, found = path.read_bytes(), read_graphs(path, KEY)
    assert found is not None
    refused = 0

    for _ in range(300):
        place = random.randrange(len(whole))
        changed = bytes([random.randrange(256)])
        path.write_bytes(whole[:place] + changed + whole[place + 1 :])
        try:
            again = read_graphs(path, KEY)
        except FormatError:
            refused += 1
        else:
            assert again is not None
            assert again.floors == found.floors
            for name in ARRAYS:
                one, other = getattr(again.flat, name), getattr(found.flat, name)
                np.testing.assert_array_equal(one, other)
    assert refused > 100
