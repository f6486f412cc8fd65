import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stretto.canonical import Json
from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, UserMessage
from stretto.episodes.manifest import Kind
from stretto.errors import TraceError
from stretto.traces.head import Head
from stretto.traces.reader import Ledger, ReadOptions, read
from stretto.traces.sessionlog import CUT, GAP
from stretto.traces.sessions import READER
from tests.claims import claim
from tests.conftest import shared
from tests.traces.logs import (
    call,
    entry,
    initialize,
    lines,
    listing,
    log,
    result,
    said,
    write,
)

HEADER = (
    '{"stretto_mcp_log":2,"session":"s","started_unix_ms":5,"server_command":["x"],'
    '"domain":"orders","agent_model":"m","later":true}\n'
)
PING = '{"t_ms":1,"from":"client","message":{"id":1,"method":"ping"}}\n'
CALL = (
    '{"t_ms":2,"from":"client","message":{"id":7,"method":"tools/call",'
    '"params":{"name":"get","arguments":{}}}}\n'
)


def take(*paths: Path, **options) -> tuple[list[Episode], Ledger]:
    ledger = Ledger()
    found = list(READER.read(paths, ReadOptions(**options), ledger))
    return found, ledger


def problems(text: str | bytes, folder: Path) -> list[str]:
    """What is wrong with a log's text, by line."""
    path = folder / "s.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    _, ledger = take(path)
    return [f"{problem.line}: {problem.cause}" for problem in ledger.problems]


@claim("provenance:agent-label")
def test_a_log_is_an_episode_that_nobody_graded(tmp_path):
    entries = [
        initialize(0, "desk"),
        said(1, "user", "Where is W1?"),
        call(2, 1, order="W1"),
        result(3, 1, "shipped"),
        said(4, "assistant", "On its way."),
    ]
    path = write(tmp_path, log(*entries, session="20300102T030405.678Z-1"))

    [episode], ledger = take(path)

    assert (episode.id, episode.task, episode.trial) == (path.stem, "", 0)
    assert (episode.domain, episode.agent, episode.reward) == ("mcp", "desk", None)
    assert [type(event) for event in episode.events] == [
        UserMessage,
        AssistantTurn,
        ToolResult,
        AssistantTurn,
    ]
    assert ledger.problems == []


@claim("provenance:agent-label")
def test_the_header_goes_before_what_the_client_says(tmp_path):
    path = write(tmp_path, log(initialize(0, "desk"), agent="m", domain="orders"))

    [episode], _ = take(path)

    assert (episode.domain, episode.agent) == ("orders", "m")


def test_a_log_with_nothing_in_it_is_an_empty_episode(tmp_path):
    [episode], _ = take(write(tmp_path, log(agent="")))

    assert episode.events == ()
    assert episode.agent == "unknown"


def test_lines_may_be_blank_and_the_header_may_follow_them(tmp_path):
    assert problems(f"\n \n{HEADER}\n\n{PING}\n", tmp_path) == []


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path):
    assert problems(b"\xef\xbb\xbf" + HEADER.encode(), tmp_path) == []


@pytest.mark.parametrize(
    ("version", "found"),
    [(3, "3"), (0, "0"), ("2", "'2'"), (2.0, "2.0"), (True, "True")],
)
def test_another_version_is_named_beside_those_that_are_read(version, found, tmp_path):
    header = json.dumps({"stretto_mcp_log": version, "session": "s"})

    assert problems(f"\n{header}\n", tmp_path) == [
        f"2: `stretto_mcp_log` is {found}, and this build reads versions 1 and 2"
    ]


def test_a_log_of_the_first_version_is_read(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(HEADER.replace('log":2', 'log":1') + CALL)

    [episode], ledger = take(path)

    assert len(episode.turns) == 1
    assert ledger.problems == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "None: is empty; a session log begins with its header"),
        (" \n\n", "None: is empty; a session log begins with its header"),
        ("{\n", "1: is not JSON: Expecting property name enclosed in double quotes"),
        ("3\n", "1: is 3, and should be an object"),
        (
            PING,
            "1: has no `stretto_mcp_log` field; this build reads versions 1 and 2",
        ),
        ('{"stretto_mcp_log":2}\n', "1: has no `session`"),
        (
            HEADER.replace(":5", ":-5"),
            "1: `started_unix_ms` is -5, and should be a whole number from 0",
        ),
        (
            HEADER.replace('["x"]', "[3]"),
            "1: `server_command[0]` is 3, and should be a string",
        ),
    ],
)
def test_a_log_without_a_header_is_reported_and_no_episode(text, expected, tmp_path):
    [found] = problems(text, tmp_path)

    assert found.startswith(expected)
    assert take(tmp_path / "s.jsonl")[0] == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "is not JSON: "),
        ("3", "is 3, and should be an object"),
        ('{"from":"client","message":1}', "has no `t_ms`"),
        ('{"t_ms":-1,"from":"client","message":1}', "`t_ms` is -1, and should be"),
        ('{"t_ms":1.5,"from":"client","message":1}', "`t_ms` is 1.5, and should be"),
        ('{"t_ms":1,"message":1}', "has no `from`"),
        (
            '{"t_ms":1,"from":"me","message":1}',
            '`from` is "me", and should be `client`, `server`, `proxy`, `context`',
        ),
        ('{"t_ms":1,"from":"client"}', "has neither `message` nor `raw`"),
        ('{"t_ms":1,"from":"client","raw":3}', "`raw` is 3, and should be a string"),
        (
            '{"t_ms":1,"from":"client","message":NaN}',
            "is not JSON: NaN is no JSON number",
        ),
        ('{"t_ms":1,"from":"client","message":1e999}', "is nested deeper than 128"),
        ("[" * 100_000, "is nested too deep"),
        (
            '{"t_ms":1,"from":"client","message":' + "[" * 200 + "]" * 200 + "}",
            "is nested deeper than 128 levels",
        ),
    ],
)
def test_an_entry_that_does_not_parse_is_reported_and_the_rest_read(
    line, expected, tmp_path
):
    [found] = problems(f"{HEADER}{PING}{line}\n{CALL}", tmp_path)

    assert found.startswith(f"3: {expected}")
    [episode], _ = take(tmp_path / "s.jsonl")
    assert len(episode.turns) == 1


@pytest.mark.parametrize("torn", ['{"t_ms":2,"from":"cl', "3", '{"t_ms":2}', "NaN"])
def test_a_last_line_that_a_crash_cut_short_is_dropped_without_a_word(torn, tmp_path):
    assert problems(HEADER + CALL + torn, tmp_path) == []
    [episode], _ = take(tmp_path / "s.jsonl")
    assert len(episode.turns) == 1


def test_a_last_line_cut_within_a_character_is_dropped_as_well(tmp_path):
    torn = '{"t_ms":2,"from":"context","message":"é'.encode()[:-1]

    assert problems((HEADER + CALL).encode() + torn, tmp_path) == []


def test_a_last_line_without_its_end_counts_if_it_parses(tmp_path):
    assert problems(HEADER + CALL.rstrip("\n"), tmp_path) == []
    [episode], _ = take(tmp_path / "s.jsonl")
    assert len(episode.turns) == 1


def test_the_last_line_is_reported_where_it_has_its_end(tmp_path):
    assert problems(f"{HEADER}{CALL}3\n", tmp_path) == [
        "3: is 3, and should be an object"
    ]


@pytest.mark.parametrize("raw", [r"1,\"raw\":\"x\"", "", r"\u0000"])
def test_a_line_that_was_no_message_is_passed_over(raw, tmp_path):
    passed = f'{{"t_ms":1,"from":"server","raw":"{raw}"}}\n'

    assert problems(HEADER + passed + CALL, tmp_path) == []


def test_a_batch_counts_part_by_part(tmp_path):
    first, second = call(0, 1), call(0, 2)
    path = write(tmp_path, log(entry(0, "client", *first.messages, *second.messages)))

    [episode], _ = take(path)

    assert [len(turn.calls) for turn in episode.turns] == [2]


def test_lone_surrogates_are_replaced_and_counted(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(HEADER + CALL.replace('"get"', '"g\\ud83dt"'))

    [episode], ledger = take(path)

    assert episode.turns[0].calls[0].tool == "g\ufffdt"
    assert ledger.counts["replaced surrogates"] == 1


def test_bytes_that_are_no_text_are_reported_with_their_line(tmp_path):
    text = HEADER.encode() + CALL.encode().replace(b'"get"', b'"g\xfft"')

    assert problems(text, tmp_path) == ["2: is not UTF-8 (byte 0xff)"]


def test_a_compressed_log_is_read_and_one_cut_short_as_far_as_it_goes(tmp_path):
    whole = gzip.compress("".join([HEADER, *[CALL] * 2000]).encode())
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(whole)
    [episode], ledger = take(path)
    assert ledger.problems == []
    assert len(episode.turns) == 2000

    path.write_bytes(whole[:-50])
    [episode], ledger = take(path)

    assert 0 < len(episode.turns) <= 2000
    [problem] = ledger.problems
    assert "cut short" in problem.cause


@pytest.mark.parametrize(
    "data", [b"\x00\xff\xfe\x01" * 50, b"\x1f\x8b\x08", b"\x1f\x8b"]
)
def test_what_is_no_text_at_all_is_reported(data, tmp_path):
    assert problems(data, tmp_path) != []
    assert take(tmp_path / "s.jsonl")[0] == []


def test_a_file_that_is_gone_is_reported(tmp_path):
    episodes, ledger = take(tmp_path / "gone.jsonl")

    assert episodes == []
    [problem] = ledger.problems
    assert "cannot be read" in problem.cause


def test_a_bad_log_never_loses_the_others(tmp_path):
    for name in "ac":
        write(tmp_path, log(call(0, 1), session=name))
    (tmp_path / "b.jsonl").write_text('{"stretto_mcp_log":9}\n')
    ledger = Ledger()

    episodes = list(read([tmp_path], ledger=ledger))

    assert [episode.id for episode in episodes] == ["a", "c"]
    [problem] = ledger.problems
    assert str(problem).startswith(f"{tmp_path / 'b.jsonl'}:1: `stretto_mcp_log` is 9")


def test_reading_strictly_a_bad_entry_is_an_error(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(f"{HEADER}3\n{CALL}")

    with pytest.raises(TraceError, match=r"s.jsonl:2: is 3, and should be an object"):
        list(read([path], options=ReadOptions(strict=True)))


def test_the_logs_of_a_folder_come_in_the_order_of_their_sessions(tmp_path):
    for file, session in [("a", "z-1"), ("b", "x-1-2"), ("c", "x-1")]:
        path = tmp_path / f"{file}.jsonl"
        path.write_text("\n".join(lines(log(session=session))) + "\n")

    assert [episode.id for episode in read([tmp_path])] == ["x-1", "x-1-2", "z-1"]


def test_what_lies_beside_a_log_is_no_log(tmp_path):
    write(tmp_path, log(session="s"))
    for name, text in [("flow", HEADER), ("confirm", "{}\n"), ("flow", "")]:
        (tmp_path / f"s{len(text)}.{name}.jsonl").write_text(text)
    for paths in ([tmp_path], sorted(tmp_path.iterdir())):
        ledger = Ledger()

        assert [episode.id for episode in read(paths, ledger=ledger)] == ["s"]
        assert ledger.counts["logs beside sessions"] == 3
        assert ledger.counts["not recognised"] == 0
        assert ledger.problems == []


def test_a_chat_that_is_named_like_a_flows_log_is_read(tmp_path):
    chat = {"messages": [{"role": "user", "content": "hello"}]}
    (tmp_path / "s.flow.jsonl").write_text(json.dumps(chat))

    assert len(list(read([tmp_path]))) == 1


def gap(t_ms: int, lines: Json = 3):
    params = {"from": "server", "lines": lines, "bytes": 9}
    return entry(t_ms, "proxy", {"method": GAP, "params": params})


def test_a_session_ends_where_its_log_lacks_lines(tmp_path):
    kept = [call(0, 1), result(1, 1, "a"), call(900, 2)]
    path = write(tmp_path, log(*kept, gap(901), call(2000, 3), result(2001, 3, "b")))

    [episode], ledger = take(path)

    assert [event for event in episode.events if isinstance(event, ToolResult)] == [
        ToolResult("1", "get", False, "a")
    ]
    assert [[c.id for c in turn.calls] for turn in episode.turns] == [["1"]]
    assert ledger.counts["incomplete sessions"] == 1
    [problem] = ledger.problems
    assert str(problem) == (
        f"{path}:5: 3 lines of the server are missing; the session ends here"
    )


def test_a_turn_that_was_answered_whole_before_the_gap_counts(tmp_path):
    turn = [call(0, 1), call(0, 2), result(1, 1, "a"), result(2, 2, "b")]
    path = write(tmp_path, log(*turn, gap(3, "?"), result(4, 2, "c")))

    [episode], _ = take(path)

    assert [[c.id for c in turn.calls] for turn in episode.turns] == [["1", "2"]]


def test_only_the_proxy_says_that_lines_are_missing(tmp_path):
    for sender in ("client", "server"):
        lies = entry(1, sender, {"method": GAP, "params": {"lines": 1}})
        [episode], ledger = take(write(tmp_path, log(lies, call(2, 1), result(3, 1))))

        assert len(episode.turns) == 1
        assert ledger.problems == []


def test_a_gap_in_one_servers_log_ends_the_hosts_session(tmp_path):
    about = {"host_session": "h", "domain": "d"}
    one = [call(0, 1), result(1, 1, "a"), gap(2), call(9, 2), result(10, 2, "b")]
    other = [call(5, 1), result(6, 1, "c")]
    write(tmp_path, log(*one, session="s-1", server_name="one", **about))
    write(tmp_path, log(*other, session="s-2", server_name="two", **about))

    [episode], ledger = take(tmp_path / "s-1.jsonl", tmp_path / "s-2.jsonl")

    assert [[c.id for c in turn.calls] for turn in episode.turns] == [["one::1"]]
    assert ledger.counts["incomplete sessions"] == 1


def test_tools_listed_behind_a_gap_are_known(tmp_path):
    path = write(tmp_path, log(gap(0), *listing(1, 1, {"name": "get"})))

    _, ledger = take(path)

    assert ledger.manifest.tools == {"get": Kind.GENERIC}


def parts(folder: Path, *wanted: int) -> list[Path]:
    """The files of one session, each with a call and its answer."""
    paths = []
    for n in wanted:
        told = [call(1000 * n, n), result(1000 * n + 1, n, str(n))]
        first, *rest = lines(log(*told, session="s"))
        header = json.dumps({**json.loads(first), **({} if n == 1 else {"part": n})})
        path = folder / ("s.jsonl" if n == 1 else f"s.{n}.jsonl")
        path.write_text("\n".join([header, *rest]) + "\n")
        paths.append(path)
    return paths


def calls(episode: Episode) -> list[str]:
    return [c.id for turn in episode.turns for c in turn.calls]


def test_the_files_of_a_long_session_are_one_episode(tmp_path):
    parts(tmp_path, *range(1, 12))

    [episode], ledger = take(*sorted(tmp_path.iterdir()))

    assert calls(episode) == [str(n) for n in range(1, 12)]
    assert ledger.problems == []


@given(cut=st.sets(st.integers(0, 5)))
@settings(max_examples=20, deadline=None)
def test_where_a_long_session_is_cut_into_files_is_no_matter(cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    told = [call(0, 1), call(1, 2), result(2, 2, "b"), result(3, 1, "W7")]
    told += [call(4, 3, order="W7"), said(5, "user", "thanks")]
    first, *rest = lines(log(*told, session="s"))
    [expected], _ = take(write(folder, log(*told, session="s")))
    bounds = [0, *sorted(cut), len(rest)]
    for part, (begin, end) in enumerate(pairwise(bounds), 1):
        header = {**json.loads(first), **({} if part == 1 else {"part": part})}
        text = "\n".join([json.dumps(header), *rest[begin:end]]) + "\n"
        (folder / f"s{'' if part == 1 else f'.{part}'}.jsonl").write_text(text)

    [episode], ledger = take(*sorted(folder.iterdir()))

    assert episode == expected
    assert ledger.problems == []


def test_a_session_ends_where_one_of_its_files_is_missing(tmp_path):
    paths = parts(tmp_path, 1, 2, 4, 5)

    [episode], ledger = take(*paths)

    assert calls(episode) == ["1", "2"]
    assert ledger.counts["incomplete sessions"] == 1
    assert [str(problem) for problem in ledger.problems] == [
        f"{path}: is part {n} of a session whose part 3 is not there"
        for n, path in zip((4, 5), paths[2:], strict=True)
    ]


def test_a_session_whose_first_file_is_missing_is_left_out(tmp_path):
    [path] = parts(tmp_path, 2)

    episodes, ledger = take(path)

    assert episodes == []
    [problem] = ledger.problems
    assert problem.cause == "is part 2 of a session whose part 1 is not there"


def test_a_line_that_was_cut_is_told(tmp_path):
    cut = {"from": "server", "bytes": 2**24 + 1}
    path = write(
        tmp_path, log(call(0, 1), entry(1, "proxy", {"method": CUT, "params": cut}))
    )

    [episode], ledger = take(path)

    assert len(episode.turns) == 1
    [problem] = ledger.problems
    assert problem.cause == "the next line, of 16777217 bytes, is not whole"


@pytest.mark.parametrize("first", [HEADER, "\n" + HEADER, "{\n" + PING, PING])
def test_a_log_is_known_by_its_header_or_by_its_entries(first, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(first)

    assert READER.sniff(Head.of(path))


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"session":"s"}', '{"type":"user"}', "\x00"]
)
def test_other_files_are_no_logs(text, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(text)

    assert not READER.sniff(Head.of(path))


def test_a_session_id_that_comes_twice_is_told_apart(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, log(call(0, 1), session="s"))

    assert [e.id for e in read([tmp_path / "a", tmp_path / "b"])] == ["s", "s#2"]


def test_rewards_are_given_by_session(tmp_path):
    write(tmp_path, log(session="s"))
    write(tmp_path, log(session="t"))

    graded = read([tmp_path], options=ReadOptions(rewards={"t": 1.0}))

    assert [episode.reward for episode in graded] == [None, 1.0]


def test_calls_that_nobody_answered_and_commits_are_counted(tmp_path):
    entries = [call(0, 1), call(0, 2, tool="stretto_commit"), result(1, 2, "done")]

    [episode], ledger = take(write(tmp_path, log(*entries)))

    assert [call.tool for call in episode.turns[0].calls] == ["get", "stretto_commit"]
    assert ledger.counts["stretto_commit calls"] == 1
    assert ledger.counts["unanswered calls"] == 1


def test_a_call_id_used_again_is_told_apart(tmp_path):
    entries = [call(0, 1), result(1, 1, "a"), call(900, 1), result(901, 1, "b")]

    [episode], ledger = take(write(tmp_path, log(*entries)))

    assert {id: r.content for id, r in episode.results().items()} == {
        "1": "a",
        "1#2": "b",
    }
    assert ledger.counts["renamed calls"] == 1


def test_later_logs_say_what_the_tools_are(tmp_path):
    tool = {
        "name": "get",
        "description": "Gets it.",
        "annotations": {"readOnlyHint": True},
    }
    changed = {"name": "get", "inputSchema": {"properties": {"id": {"type": "string"}}}}
    write(tmp_path, log(*listing(0, 1, tool), session="a", domain="orders"))
    write(tmp_path, log(*listing(0, 1, changed), session="b"))
    ledger = Ledger()

    episodes = read([tmp_path], ledger=ledger)
    next(episodes)
    assert ledger.manifest.tools == {"get": Kind.READ}
    assert list(ledger.manifest.docs) == ["get"]
    list(episodes)

    assert ledger.manifest.domain == "orders"
    assert ledger.manifest.tools == {"get": Kind.GENERIC}
    assert ledger.manifest.docs == {}
    assert ledger.contracts == {"get": "id:string"}


def two_servers(tmp_path: Path) -> list[Path]:
    """The logs of a host with two servers, and one of a host with one, by folder."""
    tool = {"name": "get", "annotations": {"readOnlyHint": True}}
    logs = {
        "orders": log(
            *listing(0, 1, tool),
            *(said(1, "user", "hi"), call(1, 2), result(2, 2)),
            start=1000,
            session="1-1",
            host_session="h",
            domain="orders",
        ),
        "stock": log(
            *(said(1, "user", "hi"), call(1, 2), result(2, 2)),
            start=1001,
            session="1-2",
            host_session="h",
            server_name="stock",
        ),
        "alone": log(call(0, 1), start=9000, session="9-1", domain="orders"),
        "unnamed": log(call(0, 1), start=9000, session="9-2"),
    }
    for name, each in logs.items():
        (tmp_path / name).mkdir()
        write(tmp_path / name, each)
    return [tmp_path / name for name in logs]


def test_the_logs_of_one_hosts_servers_are_one_episode_wherever_they_lie(tmp_path):
    ledger = Ledger()

    merged, alone, unnamed = read(two_servers(tmp_path), ledger=ledger)

    assert (merged.id, merged.domain) == ("h", "mcp")
    assert [[call.tool for call in turn.calls] for turn in merged.turns] == [
        ["orders::get", "stock::get"]
    ]
    assert alone.turns[0].calls[0].tool == "orders::get"
    assert unnamed.turns[0].calls[0].tool == "get"
    assert ledger.counts["merged logs"] == 2
    assert ledger.counts["merged sessions"] == 1
    assert ledger.apart == []
    assert ledger.manifest.tools == {"orders::get": Kind.READ}


def test_without_a_second_server_names_stay_bare(tmp_path):
    orders, _, alone, _ = two_servers(tmp_path)

    episodes = list(read([orders, alone]))

    assert [e.turns[0].calls[0].tool for e in episodes] == ["get", "get"]
    assert [e.id for e in episodes] == ["1-1", "9-1"]


def test_hosts_whose_logs_cannot_be_merged_are_named(tmp_path):
    for session, start in [("a", 0), ("b", 3)]:
        each = log(
            call(9, 1), session=session, start=start, host_session="h", domain="orders"
        )
        write(tmp_path, each)
    ledger = Ledger()

    assert [episode.id for episode in read([tmp_path], ledger=ledger)] == ["a", "b"]
    assert ledger.apart == ["h"]
    assert not ledger.counts["merged logs"]


def test_what_is_wrong_with_a_merged_log_is_told_once(tmp_path):
    folders = two_servers(tmp_path)
    path = folders[0] / "1-1.jsonl"
    path.write_text(path.read_text() + "3\n")
    ledger = Ledger()

    list(read(folders, ledger=ledger))

    assert len(ledger.problems) == 1


PARTS = st.sampled_from(
    [
        *(
            HEADER,
            PING,
            CALL,
            "\n",
            "{",
            "3\n",
            '"\\ud800"\n',
            "NaN\n",
            "\x00",
            "\ufeff",
        ),
        *('{"t_ms":1,"from":"server","message":', "[", "]", "}", '"', "1e999", "\n"),
        *('{"t_ms":3,"from":"server","message":{"id":7,"result":{"content":[3]}}}\n',),
    ]
)


@given(st.lists(PARTS, max_size=12), st.booleans())
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_file_whatever_makes_reading_fail(tmp_path, parts, has_header):
    path = tmp_path / "s.jsonl"
    path.write_text(HEADER * has_header + "".join(parts))

    episodes, _ = take(path)

    assert len(episodes) >= has_header


FACTS = {
    "shop/20260928T020400.548Z-14457": ("quickstart", 7, 5, "Order #W1a is cancelled."),
    "shop/20260928T020400.587Z-14486": ("quickstart", 5, 4, None),
    "served/20260928T020401.117Z-14662": ("quickstart", 7, 5, None),
    "shadow/20260928T020401.240Z-14750": ("fixtures", 7, 5, None),
    "retail/20260928T020401.312Z-14780": (
        "fixtures",
        7,
        5,
        "Order #W61a is cancelled.",
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_a_published_log_is_the_session_that_its_file_tells(name):
    agent, n_turns, n_calls, last = FACTS[name]
    folder, _, session = name.partition("/")

    [episode], ledger = take(shared(f"reference/logs/{name}.jsonl"))

    assert ledger.problems == []
    domain = "retail" if folder == "retail" else "shop"
    assert (episode.id, episode.domain, episode.agent) == (session, domain, agent)
    assert len(episode.turns) == n_turns
    assert sum(len(turn.calls) for turn in episode.turns) == n_calls
    assert len(episode.results()) == n_calls
    if last is not None:
        assert episode.turns[-1].text == last


@claim("served:kept")
def test_the_lookups_of_a_served_session_are_turns_of_their_own():
    name = "served/20260928T020401.117Z-14662"

    [episode], _ = take(shared(f"reference/logs/{name}.jsonl"))

    calls = [[call.id for call in turn.calls] for turn in episode.turns if turn.calls]
    assert calls == [["3"], ["stretto-1"], ["stretto-2"], ["stretto-3"], ["4"]]
    assert episode.results()["3"].content == "user_41"  # not what the proxy added


def test_a_failed_lookup_is_an_error_with_its_text():
    name = "retail/20260928T020401.312Z-14780"

    [episode], _ = take(shared(f"reference/logs/{name}.jsonl"))

    first = next(iter(episode.results().values()))
    assert (first.error, first.content) == (True, "Error: User not found")


def test_the_published_folders_hold_nine_sessions():
    ledger = Ledger()

    episodes = read(
        [shared("reference/logs")], options=ReadOptions(recursive=True), ledger=ledger
    )

    assert len(list(episodes)) == 9
    assert ledger.counts["logs beside sessions"] == 3
    assert ledger.counts["not recognised"] == 0
    assert ledger.manifest.reads == (
        "find_user_id_by_email",
        "get_order_details",
        "get_user_details",
    )
