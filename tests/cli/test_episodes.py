"""`stretto episodes`."""

import json
import tracemalloc

import pytest
from click.testing import CliRunner

from stretto.cli.episodes import SHOWN, Group, tally
from stretto.cli.main import cli
from stretto.demo.record import record
from stretto.episodes.episode import AssistantTurn, Episode, ToolCall, UserMessage
from stretto.traces.reader import read


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Six recorded sessions."""
    folder = tmp_path_factory.mktemp("shop")
    return folder, record(folder, sessions=6, seed=5)


def run(*args: object):
    return CliRunner().invoke(cli, ["episodes", *map(str, args)])


def rows(output: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in output.splitlines()
        if line.startswith("|")
    ]


def summary(*args: object) -> dict:
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_figures_are_those_of_the_episodes(recorded):
    folder, _ = recorded
    episodes = list(read([folder]))
    turns = [turn for episode in episodes for turn in episode.turns]
    heads, _, row = rows(run(folder).stdout)
    assert dict(zip(heads, row, strict=True)) == {
        "domain": "shop",
        "agent": "scripted",
        "episodes": "6",
        "succeeded": "0",
        "failed": "0",
        "ungraded": "6",
        "turns": str(len(turns)),
        "calls": str(sum(len(turn.calls) for turn in turns)),
        "empty": "0",
    }


def test_several_agents_have_a_row_each_and_a_sum(recorded):
    _, paths = recorded
    read_twice = [
        Episode("a", (UserMessage("hi"),), domain="shop", agent="one", reward=1.0),
        Episode("b", (), domain="shop", agent="two", reward=0.4),
    ]
    groups = tally(read_twice)
    assert groups[Group("shop", "one")]["succeeded"] == 1
    assert groups[Group("shop", "two")]["failed"] == 1
    assert groups[Group("shop", "two")]["empty"] == 1
    assert len(rows(run(paths[0]).stdout)) == 3


def test_rewards_from_a_file_say_which_succeeded(recorded, tmp_path):
    folder, paths = recorded
    rewards = tmp_path / "rewards.json"
    rewards.write_text(json.dumps({paths[0].stem: 1, paths[1].stem: 0.5}))
    [group] = summary(folder, "--rewards", rewards)["groups"]
    assert (group["succeeded"], group["failed"], group["ungraded"]) == (1, 1, 4)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ('{"a": 2}', "a: is 2, and should be a number from 0 to 1"),
        ('["a"]', "should be an object"),
    ],
)
def test_a_bad_rewards_file_is_an_error_that_names_the_place(
    recorded, tmp_path, content, said
):
    rewards = tmp_path / "rewards.json"
    rewards.write_text(content)
    result = run(recorded[0], "--rewards", rewards)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert said in result.stderr


def test_a_manifest_is_laid_over_what_the_sessions_say(recorded, tmp_path):
    manifest = tmp_path / "manifest.json"
    manifest.write_text('{"domain": "shop", "tools": {"hand_over": "write"}}')
    assert summary(recorded[0])["tools"]["hand_over"] == "generic"
    assert "tools: 6 read, 3 write, 1 generic" in run(recorded[0]).stdout
    tools = summary(recorded[0], "--manifest", manifest)["tools"]
    assert (tools["hand_over"], tools["get_order"]) == ("write", "read")


def test_what_cannot_be_read_is_listed_with_file_and_line(recorded, tmp_path):
    damaged = tmp_path / "damaged.jsonl"
    lines = recorded[1][0].read_text("utf-8").splitlines(keepends=True)
    damaged.write_text("".join([*lines[:4], "{oops\n", *lines[4:]]), "utf-8")
    result = run(damaged)
    assert result.exit_code == 0
    assert "problems: 1\n" in result.stdout
    assert f"  {damaged}:5: " in result.stdout
    [problem] = summary(damaged)["problems"]
    assert (problem["path"], problem["line"]) == (str(damaged), 5)


def test_strict_reading_stops_at_the_first_problem(recorded, tmp_path):
    damaged = tmp_path / "damaged.jsonl"
    text = recorded[1][0].read_text("utf-8")
    damaged.write_text(f"{text}{{oops\n", "utf-8")
    result = run(damaged, "--strict")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {damaged}:")


def test_a_long_list_of_problems_is_cut_and_counted(recorded, tmp_path):
    damaged = tmp_path / "damaged.jsonl"
    text = recorded[1][0].read_text("utf-8")
    damaged.write_text(text + "{oops\n" * (SHOWN + 5), "utf-8")
    out = run(damaged).stdout
    assert out.count(f"  {damaged}:") == SHOWN
    assert out.endswith("  … and 5 more\n")


def test_files_of_other_kinds_are_counted_not_hidden(tmp_path):
    (tmp_path / "notes.txt").write_text("not a session")
    assert "also: 1 not recognised" in run(tmp_path).stdout
    assert summary(tmp_path)["counts"]["not recognised"] == 1


def test_a_path_that_is_not_there_is_a_usage_error(tmp_path):
    result = run(tmp_path / "absent")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_an_unknown_reader_is_told_the_known_ones(recorded):
    result = run(recorded[0], "--reader", "stone-tablets")
    assert result.exit_code == 1
    assert "sessions" in result.stderr.partition("hint: ")[2]


def test_episodes_are_counted_without_being_kept():
    def many():
        for n in range(300):
            call = ToolCall("c", "t", {"text": "x" * 100_000 + str(n)})
            yield Episode(str(n), (AssistantTurn(calls=(call,)),))

    tracemalloc.start()
    groups = tally(many())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert groups[Group("", "unknown")]["calls"] == 300
    assert peak < 1_000_000
