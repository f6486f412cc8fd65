"""Whatever a file holds, reading it ends, and every sound session in it is read."""

import json
import tracemalloc
from collections import deque
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.canonical import compact
from stretto.episodes.episode import AssistantTurn
from stretto.traces import source
from stretto.traces.reader import Ledger, read
from tests.traces.samples import (
    atif_trajectory,
    causes,
    chat_messages,
    lines,
    read_all,
    simulation,
    tau1_run,
    tau2_call,
    tau2_file,
    write,
)

FORMATS = {
    "tau2": tau2_file(simulation("s1"), simulation("s2")),
    "tau1": [tau1_run(1), tau1_run(2)],
    "openai-chat": [{"id": "x", "messages": chat_messages()}],
    "atif": [atif_trajectory()],
}
"""A sound document of each format."""

SPOILERS = st.one_of(
    st.none(),
    st.booleans(),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just(-1),
    st.just(10**400),
    st.just("x"),
    st.just({"a": [1, {"b": 2}]}),
)

fuzzing = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def as_line(messages: object = None, **beside: object) -> str:
    found = simulation("odd") | beside
    return json.dumps(found if messages is None else found | {"messages": messages})


def spoilt_value(value: object, draw: st.DataObject) -> object:
    """`value` with one of its parts, anywhere in it, replaced by another."""
    if isinstance(value, dict) and value and draw.draw(st.integers(0, 5)):
        key = draw.draw(st.sampled_from(sorted(value)))
        return value | {key: spoilt_value(value[key], draw)}
    if isinstance(value, list) and value and draw.draw(st.integers(0, 5)):
        index = draw.draw(st.integers(0, len(value) - 1))
        part = spoilt_value(value[index], draw)
        return [*value[:index], part, *value[index + 1 :]]
    return draw.draw(SPOILERS)


def is_writable(episodes: list) -> bool:
    """Whether all that was read can be written as UTF-8 JSON."""
    for episode in episodes:
        repr(episode).encode()
        for event in episode.events:
            if isinstance(event, AssistantTurn):
                for call in event.calls:
                    compact(call.arguments).encode()
    return True


@fuzzing
@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_no_value_in_a_wrong_place_makes_a_reader_fail(tmp_path, name, data):
    spoilt = spoilt_value(FORMATS[name], data)
    path = write(tmp_path / "spoilt.json", spoilt)

    episodes, _ = read_all(path, reader=name)

    assert is_writable(episodes)
    read_all(path)


@fuzzing
@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_no_byte_in_a_wrong_place_makes_a_reader_fail(tmp_path, name, data):
    text = bytearray(json.dumps(FORMATS[name]).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 9))
        text[at : at + length] = data.draw(st.binary(max_size=3))
    path = write(tmp_path / "spoilt.json", bytes(text) or b"x")

    episodes, _ = read_all(path, reader=name)

    assert is_writable(episodes)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        '"text"',
        "NaN",
        '{"id": "odd", "messages": [], "reward_info": {"reward": NaN}}',
        '{"id": "odd", "messages": [], "x": Infinity}',
        as_line()[:-40],
        '{"id": "odd", "messages": ' + deep(10_000) + "}",
        '{"id": "odd", "run_info": ' + '{"a": ' * 10_000,
        as_line([{"role": "assistant", "tool_calls": [tau2_call("c", {}, {})]}]),
        as_line([{"role": "user", "content": "x"}] * 3 + [None]),
        as_line(reward_info={"reward": [1]}),
        "\x00\x01\x02",
    ],
)
def test_a_spoilt_line_costs_only_itself(tmp_path, line):
    sound = [json.dumps(simulation("s1")), json.dumps(simulation("s3"))]
    path = write(tmp_path / "runs.jsonl", "\n".join([sound[0], line, sound[1]]))

    episodes, ledger = read_all(path)

    assert [e.id for e in episodes] == ["s1", "s3"]
    assert {p.line for p in ledger.problems} == ({2} if line else set())


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [(deep(900), "nested deeper than 128"), ('{"a": 1e999}', "beyond a float")],
)
def test_arguments_that_could_not_be_compared_later_are_reported_now(
    tmp_path, arguments, cause
):
    message = {"role": "assistant", "tool_calls": [tau2_call("c", "f", "HERE")]}
    odd = as_line([message]).replace('"HERE"', arguments)
    path = write(tmp_path / "runs.jsonl", f"{odd}\n{json.dumps(simulation('s2'))}\n")

    episodes, ledger = read_all(path, reader="tau2")

    assert [e.id for e in episodes] == ["s2"]
    assert cause in causes(ledger)[0]


def test_content_with_nan_is_text(tmp_path):
    path = write(
        tmp_path / "runs.jsonl", as_line([{"role": "user", "content": '{"a": NaN}'}])
    )

    (episode,), ledger = read_all(path)

    assert episode.events[0].text == '{"a": NaN}'
    assert not ledger.problems


def test_a_lone_surrogate_in_a_session_is_replaced_and_counted(tmp_path):
    line = as_line([{"role": "user", "content": "HERE"}]).replace("HERE", "\\ud83d")

    (episode,), ledger = read_all(write(tmp_path / "runs.jsonl", line))

    assert episode.events[0].text == "\ufffd"
    assert ledger.counts["replaced surrogates"] == 1


def test_a_bad_file_of_a_folder_costs_only_itself(tmp_path):
    write(tmp_path / "1.json", tau2_file(simulation("s1")))
    write(tmp_path / "2.json", json.dumps(tau2_file(simulation("lost")))[:400])
    (tmp_path / "3.json.gz").write_bytes(b"\x1f\x8b\x08" + b"nonsense" * 9)
    write(tmp_path / "4.json", bytes(range(256)) * 40)
    write(tmp_path / "5.json", "")
    write(tmp_path / "6.json", tau2_file(simulation("s6")))

    episodes, ledger = read_all(tmp_path)

    assert [e.id for e in episodes] == ["s1", "s6"]
    assert {Path(p.path).name for p in ledger.problems} >= {"2.json", "5.json"}


def test_a_cut_archive_keeps_the_sessions_before_the_cut(tmp_path):
    sessions = [simulation(f"s{i}") | {"note": f"{i**40:x}"} for i in range(400)]
    whole = write(tmp_path / "runs.jsonl.gz", lines(sessions)).read_bytes()
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])

    episodes, ledger = read_all(path)

    assert [e.id for e in episodes] == [f"s{i}" for i in range(len(episodes))]
    assert 100 < len(episodes) < 400
    assert any("cut short" in cause for cause in causes(ledger))


def document_of(n: int) -> object:
    return tau2_file(*(simulation(f"s{i}") for i in range(n)))


def lines_of(n: int) -> object:
    return lines(simulation(f"s{i}") for i in range(n))


def runs_of(n: int) -> object:
    return [tau1_run(i) for i in range(n)]


@pytest.mark.parametrize("make", [document_of, lines_of, runs_of])
def test_ten_times_the_sessions_take_no_more_memory(tmp_path, make):
    def peak(n: int) -> int:
        path = write(tmp_path / f"{n}.json", make(n))
        tracemalloc.start()
        try:
            deque(read([path], ledger=Ledger()), maxlen=0)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    with patch.object(source, "PIECE", 2**16):
        peak(100)  # imports, caches
        few, many = peak(200), peak(2000)

    assert many < few + 400_000  # the ids of 1,800 more sessions
