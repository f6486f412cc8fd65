"""Files found, recognised, and handed to their readers."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from stretto import plugins
from stretto.errors import BrokenPlugin, TraceError, UnknownPlugin
from stretto.traces import ledger as ledgers
from stretto.traces.reader import READERS, Head, Ledger, ReadOptions, read
from tests.traces.samples import (
    atif_trajectory,
    causes,
    chat_messages,
    lines,
    read_all,
    simulation,
    tau1_run,
    tau2_file,
    write,
)

OURS = ["atif", "openai-chat", "tau1", "tau2"]


@pytest.fixture
def install(monkeypatch):
    """Installs readers beside stretto's own, as `install(name, "module:attribute")`."""
    found = dict(plugins.installed(READERS.group))
    monkeypatch.setattr(plugins, "installed", lambda group: found)  # noqa: ARG005

    def install(name: str, value: str) -> None:
        found[name] = EntryPoint(name, value, READERS.group)

    return install


def folder_of_formats(tmp_path: Path) -> Path:
    write(tmp_path / "a.json", tau2_file(simulation("a")))
    write(tmp_path / "b.jsonl.gz", lines([chat_messages()]))
    write(tmp_path / "c.json", atif_trajectory())
    write(tmp_path / "d.json", [tau1_run()])
    write(tmp_path / "README.md", "# Sessions\n")
    (tmp_path / "more").mkdir()
    write(tmp_path / "more" / "e.json", [simulation("e")])
    return tmp_path


def test_a_folder_stands_for_its_own_files_sorted_by_name(tmp_path):
    episodes, ledger = read_all(folder_of_formats(tmp_path))

    assert [e.id for e in episodes] == ["a", "b.jsonl#0", "a1", "d.json#0"]
    assert ledger.counts["files"] == 4
    assert ledger.counts["not recognised"] == 1
    assert not ledger.problems


def test_a_folder_is_read_with_the_folders_inside_it_when_asked(tmp_path):
    episodes, _ = read_all(folder_of_formats(tmp_path), recursive=True)

    assert [e.id for e in episodes][-1] == "e"


@pytest.mark.parametrize("name", OURS)
def test_each_format_is_recognised_by_its_own_reader_alone(tmp_path, name):
    content = {
        "atif": atif_trajectory(),
        "openai-chat": [chat_messages()],
        "tau1": [tau1_run()],
        "tau2": tau2_file(simulation()),
    }[name]
    head = Head.of(write(tmp_path / "sessions", content))

    assert [r for r in READERS.names() if READERS.get(r).sniff(head)] == [name]


def test_a_file_that_nobody_recognises_is_a_problem_when_it_was_named(tmp_path):
    episodes, ledger = read_all(write(tmp_path / "notes.md", "# Notes\n"))

    assert episodes == []
    assert causes(ledger)[0].startswith("is not recognised by any reader (")


@pytest.mark.parametrize("content", [b"", b"  \n \n"])
def test_an_empty_file_is_reported(tmp_path, content):
    write(tmp_path / "empty.json", content)

    for path in (tmp_path, tmp_path / "empty.json"):
        assert causes(read_all(path)[1]) == ["is empty"]


def test_a_path_that_is_not_there_is_reported_and_the_next_is_read(tmp_path):
    there = write(tmp_path / "a.json", tau2_file(simulation()))

    episodes, ledger = read_all(tmp_path / "gone.json", there)

    assert len(episodes) == 1
    assert causes(ledger) == ["cannot be read: No such file or directory"]


def test_a_named_reader_takes_every_named_file(tmp_path):
    path = write(tmp_path / "odd.json", {"task_id": 1, "messages": []})

    assert read_all(path)[0] == []
    assert len(read_all(path, reader="tau2")[0]) == 1


def test_of_a_folder_a_named_reader_takes_what_it_recognises(tmp_path):
    episodes, ledger = read_all(folder_of_formats(tmp_path), reader="tau1")

    assert [e.id for e in episodes] == ["d.json#0"]
    assert ledger.counts["not recognised"] == 4


def test_a_reader_that_is_not_installed_is_an_error_before_anything_is_read():
    with pytest.raises(UnknownPlugin, match="tau3"):
        read([], reader="tau3")


def test_a_compressed_file_has_the_same_episodes_as_the_plain_one(tmp_path):
    runs = [tau1_run(i) for i in range(3)]
    plain = write(tmp_path / "runs.json", runs)
    packed = write(tmp_path / "runs.json.gz", runs)

    assert read_all(plain)[0] == read_all(packed)[0]


def test_a_strangers_reader_is_found_and_gets_all_its_files_at_once(tmp_path, install):
    install("diary", "tests.traces.strangers:DIARY")
    for name in ("a", "b"):
        write(tmp_path / name, f"Dear diary, {name}")

    episodes, ledger = read_all(tmp_path)

    assert [(e.id, e.agent) for e in episodes] == [("diary", "me"), ("diary#2", "me")]
    assert ledger.counts["diaries"] == 2
    assert len(read_all(tmp_path / "a", reader="diary")[0]) == 1


@pytest.mark.parametrize(
    "value", ["tests.traces.gone:READER", "tests.traces.strangers:X"]
)
def test_a_reader_that_does_not_load_is_reported_and_the_others_are_asked(
    tmp_path, install, value
):
    install("broken", value)
    path = write(tmp_path / "a.json", tau2_file(simulation()))

    episodes, ledger = read_all(path)

    assert len(episodes) == 1
    assert ledger.problems[0].path == "broken"
    assert "does not load" in causes(ledger)[0]
    with pytest.raises(BrokenPlugin):
        read([path], reader="broken")


def test_a_reader_that_fails_on_sight_is_reported_once(tmp_path, install):
    install("a-moody", "tests.traces.strangers:MOODY")

    episodes, ledger = read_all(folder_of_formats(tmp_path))

    assert len(episodes) == 4
    assert len(ledger.problems) == 1
    assert "'a-moody' fail: KeyError" in causes(ledger)[0]


def test_the_first_problem_ends_a_strict_reading_with_its_place(tmp_path):
    spoilt = lines([simulation("a"), {"messages": 3, "run_info": 1}, simulation("b")])
    path = write(tmp_path / "runs.jsonl", spoilt)
    found = read([path], options=ReadOptions(strict=True))

    assert next(found).id == "a"
    with pytest.raises(TraceError, match=r"runs.jsonl:2: `messages` is not an array"):
        next(found)


def test_a_strict_reading_of_sound_files_ends_as_any_other(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation()))

    assert read_all(path, strict=True)[0] == read_all(path)[0]


def test_a_strict_reading_minds_only_its_own_problems(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation()))
    ledger = Ledger()
    ledger.problem("before", "was read earlier")

    assert list(read([path], options=ReadOptions(strict=True), ledger=ledger))


def test_an_id_that_came_before_is_made_unique(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation("s"), simulation("s")))

    episodes, ledger = read_all(path, path)

    assert [e.id for e in episodes] == ["s", "s#2", "s#3", "s#4"]
    assert ledger.counts["renamed episodes"] == 3


def test_options_are_laid_over_what_the_files_say(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation("x"), simulation("y")))

    episodes, _ = read_all(path, domain="zoo", agent="me", rewards={"y": 0.25})

    assert [(e.domain, e.agent, e.reward) for e in episodes] == [
        ("zoo", "me", 1.0),
        ("zoo", "me", 0.25),
    ]


def test_empty_episodes_are_counted_and_handed_on(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation() | {"messages": []}))

    (episode,), ledger = read_all(path)

    assert episode.events == ()
    assert ledger.counts == {"files": 1, "episodes": 1, "empty": 1}


def test_a_ledger_keeps_the_first_problems_and_counts_them_all():
    ledger = Ledger()
    for n in range(ledgers.MAX_PROBLEMS + 5):
        ledger.problem("a.jsonl", "is odd", line=n)

    assert len(ledger.problems) == ledgers.MAX_PROBLEMS
    assert ledger.counts["problems"] == ledgers.MAX_PROBLEMS + 5
    assert str(ledger.problems[3]) == "a.jsonl:3: is odd"
