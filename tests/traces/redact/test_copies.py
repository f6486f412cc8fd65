"""Copies of session logs: what is in them of the originals, and what is not."""

import gzip
import json
from pathlib import Path

import pytest

from stretto.canonical import Json
from stretto.errors import CannotWrite, StrettoError
from stretto.traces.appended import HEADER, parsed, taken_apart
from stretto.traces.ledger import Ledger
from stretto.traces.reader import read
from stretto.traces.redact.copies import NOTHING_STAYS, Copied, copy, logs
from stretto.traces.redact.pseudonym import Pseudonyms
from stretto.traces.redact.values import Choice
from tests.conftest import shared

SALT = b"a salt of sixteen"
NEW = Pseudonyms(SALT)
SESSION = "20300102T030405.678Z-4321"

HEAD: Json = {
    "stretto_mcp_log": 2,
    "session": SESSION,
    "started_unix_ms": 5,
    "server_command": ["/opt/canary-command", "--user", "canary-user"],
    "domain": "orders",
    "agent_model": "model-1",
    "host_session": "canary host",
    "later": "canary-later",
}
TOOLS: Json = [
    {
        "name": "get_order",
        "description": "An order.",
        "inputSchema": {
            "properties": {
                "order_id": {"type": "string"},
                "kind": {"enum": ["express", "standard"]},
            }
        },
        "annotations": {"readOnlyHint": True},
        "_meta": {"owner": "canary-owner"},
    }
]


def text(*texts: str) -> dict[str, Json]:
    """A result of texts."""
    return {"content": [{"type": "text", "text": each} for each in texts]}


def call(id: Json, **arguments: Json) -> dict[str, Json]:
    """A call."""
    params: Json = {"name": "get_order", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def written(folder: Path, *entries: tuple[str, Json], name: str = SESSION) -> Path:
    """A session's log."""
    lines = [HEAD, *({"t_ms": i, "from": s, "message": m} for i, (s, m) in
                     enumerate(entries))]  # fmt: skip
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def copied(
    source: Path, out: Path, choice: Choice = NOTHING_STAYS, salt: bytes = SALT
) -> tuple[Copied, Ledger]:
    """The copies of a folder."""
    ledger = Ledger()
    found = logs([source], ledger, recursive=True)
    return copy(found, out, salt, choice=choice, ledger=ledger), ledger


def messages(path: Path) -> list[Json]:
    """What a log holds below its header."""
    return [json.loads(line)["message"] for line in path.read_text().splitlines()[1:]]


def redacted(folder: Path, *entries: tuple[str, Json], **choice: object) -> list[Json]:
    """The copies of messages."""
    path = written(folder / "in", *entries)
    copied(path, folder / "out", Choice(**choice))
    return messages(folder / "out" / path.name)


APPENDED = (
    f"{HEADER}\n\nget_order {json.dumps({'order_id': 'canary-7'})}:\n"
    f"{json.dumps({'note': 'canary-8'})}\n\nget_order {{}} (error):\n"
    "canary-9 is down\n(cut here; 12 characters more)\n\n"
    "(3 more were read, and are too long to add)"
)
COMMITTED = (
    'get_order {"order_id":"canary-10"}:\ncanary-11\n\n'
    'get_order {"order_id":"canary-12"} was not made, as canary-13 forbids it'
)
EVERYWHERE: tuple[tuple[str, Json], ...] = (
    ("client", {"id": 1, "method": "tools/list", "params": {"cursor": "canary-c"}}),
    ("server", {"id": 1, "result": {"tools": TOOLS, "nextCursor": "canary-d"}}),
    ("context", {"role": "user", "content": "I am canary-0, canary-1.", "x": "canary"}),
    ("context", {"role": "canary-role", "content": ["canary-part"]}),
    ("client", call(3, order_id="canary-1", deep=[{"canary-key@x": "canary-2"}])),
    ("server", {"id": 3, "result": {**text('{"a": ["canary-3"]}', "one\ncanary-4"),
                "structuredContent": {"b": "canary-5", "c": 98765.5}, "isError": False,
                "_meta": {"progressToken": "canary-6"}}}),
    ("proxy", call("stretto-1a2b3c4d-1", order_id="canary-7")),
    ("proxy", {"id": 3, "result": text("canary-3", APPENDED)}),
    ("proxy", {"id": 4, "result": text(COMMITTED)}),
    ("client", [call(5, order_id="canary-14"), {"method": "canary/method"}, "canary"]),
    ("server", [{"id": 5, "result": text("canary-15")},
                {"id": 6, "error": {"code": -3, "message": "canary-16\ncanary-17",
                                    "data": {"why": "canary-18"}}}]),
    ("client", {"id": 7, "method": "resources/read", "params": {"uri": "canary://19"}}),
    ("server", {"id": 7, "result": {"contents": [{"uri": "canary://19",
                                                  "text": "canary-20"}]}}),
    ("client", {"id": 8, "method": "prompts/get",
                "params": {"name": "canary-21", "arguments": {"who": "canary-22"}}}),
    ("server", {"id": 8, "result": {"messages": [
        {"role": "user", "content": {"type": "text", "text": "canary-23"}}]}}),
    ("server", {"id": "canary-24", "method": "elicitation/create",
                "params": {"message": "canary-25"}}),
    ("client", {"id": "canary-24", "result": {"content": {"answer": "canary-26"}}}),
    ("server", {"method": "notifications/message", "params": {"data": "canary-27"}}),
    ("client", {"method": "notifications/cancelled",
                "params": {"requestId": "canary-24", "reason": "canary-28"}}),
    ("client", {"id": 9, "method": "tools/call",
                "params": {"name": "canary 29", "arguments": "canary-30"}}),
    ("server", {"id": 9, "result": ["canary-31"], "other": "canary-32"}),
    ("server", {"id": 9, "result": {"content": [
        {"type": "canary-33", "data": "canary-34"},
        {"type": "resource", "resource": {"text": "canary-35"}}, "canary-36"],
        "serverInfo": {"name": "canary-37"}, "tools": [{"name": "canary-38"}]}}),
    ("client", "canary-39"),
    ("client", {"id": 10, "method": "tools/call",
                "params": {"name": "get_order", "arguments": {"n": 19951224}}}),
    ("server", {"id": 10, "result": text('canary-40 {"a": "canary-41"}:\ncanary-42')}),
    ("server", {"id": 10, "result": text('"canary-43"', "canary {broken")}),
    ("server", {"id": 10, "result": text('{"canary-44":{"id":"canary-44"}}')}),
    ("server", {"id": 10, "result": text('{"Canary Li":{"name":"Canary Li"}}')}),
)  # fmt: skip


def test_no_byte_of_a_copy_is_of_what_was_said_anywhere_in_a_session(tmp_path):
    path = written(tmp_path / "in", *EVERYWHERE)
    with path.open("a") as file:
        file.write('{"t_ms":99,"from":"server","raw":"canary-raw\\ncanary {{"}\n')
    beside = path.with_name(f"{SESSION}.flow.jsonl")
    beside.write_text(json.dumps(DECISION) + "\n")
    path.with_name(f"{SESSION}.guards.jsonl").write_text(json.dumps(CHECKED) + "\n")
    path.with_name(f"{SESSION}.confirm.jsonl").write_text(json.dumps(JUDGED) + "\n")

    found, ledger = copied(path.parent, tmp_path / "out")

    assert (found.sessions, found.beside, ledger.problems) == (1, 3, [])
    out = b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())
    assert b"canary" not in out.lower()
    assert b"98765" not in out
    assert b"19951224" not in out
    assert len(out.splitlines()) == len(EVERYWHERE) + 2 + 3


DECISION: Json = {
    "action": "lookup",
    "address": "decide#0",
    "after": "canary-24",
    "arguments": {"order_id": "canary-7"},
    "binding": 0.92,
    "key": "canary-hash",
    "probs": {"get_order": 0.81, "respond": 0.19},
    "reason": "canary-1 was passed already",
    "site": "get_order (error)",
    "tool": "get_order",
    "later": {"who": "canary-later"},
    "policy": {
        "task_id": "canary-task",
        "propensity": 0.5,
        "options": [{"tool": "get_order", "p": 0.81, "arguments": {"a": "canary"}}],
    },
}
CHECKED: Json = {
    "call": 3,
    "tool": "get_order",
    "arguments": {"order_id": "canary-1"},
    "verdicts": {"orders.confirmed": "fail"},
    "reasons": {"orders.confirmed": "canary-1 was not named"},
    "refused": True,
    "proposal_check": [{"argument": "order_id", "value": "canary-1"}],
}
JUDGED: Json = {"tool": "get_order", "arguments": {"a": "canary-1"}, "p_yes": 0.25}


def test_the_logs_beside_a_session_keep_their_numbers_and_share_its_pseudonyms(
    tmp_path,
):
    path = written(tmp_path / "in", *EVERYWHERE)
    for kind, line in {"flow": DECISION, "guards": CHECKED}.items():
        path.with_name(f"{SESSION}.{kind}.jsonl").write_text(json.dumps(line))

    copied(path.parent, tmp_path / "out")

    read_back = (tmp_path / "out" / f"{SESSION}.flow.jsonl").read_text()
    decision = json.loads(read_back)
    assert decision["arguments"] == {"order_id": NEW.of("canary-7")}
    assert decision["probs"] == {"get_order": 0.81, "respond": 0.19}
    assert decision["policy"]["propensity"] == 0.5
    assert decision["policy"]["options"][0]["p"] == 0.81
    assert (decision["site"], decision["binding"]) == ("get_order (error)", 0.92)
    assert decision["after"] == NEW.of("canary-24")
    checked = json.loads((tmp_path / "out" / f"{SESSION}.guards.jsonl").read_text())
    assert checked["call"] == 3
    assert checked["verdicts"] == {"orders.confirmed": "fail"}
    flag = {"argument": "order_id", "value": NEW.of("canary-1")}
    assert checked["proposal_check"] == [flag]


def test_what_a_proxy_added_is_taken_apart_as_before(tmp_path):
    *_, answer = redacted(
        tmp_path, *EVERYWHERE[:2], ("proxy", {"id": 3, "result": text(APPENDED)})
    )

    added = answer["result"]["content"][0]["text"]
    [first] = parsed(added)
    assert first.tool == "get_order"
    assert first.arguments == {"order_id": NEW.of("canary-7")}
    assert json.loads(first.said.text) == {"note": NEW.of("canary-8")}
    assert taken_apart(f"own\n{added}").lookups == [first]


def test_tools_are_kept_as_they_were_listed_and_what_they_declare_stays(tmp_path):
    _, listed, asked = redacted(
        tmp_path, *EVERYWHERE[:2], ("client", call(3, kind="express", order_id="W7"))
    )

    tool = listed["result"]["tools"][0]
    assert {k: tool[k] for k in tool if k != "_meta"} == {
        k: v for k, v in TOOLS[0].items() if k != "_meta"
    }
    assert asked["params"]["arguments"] == {"kind": "express", "order_id": NEW.of("W7")}


def test_tools_that_nobody_asked_to_list_are_values(tmp_path):
    [told] = redacted(tmp_path, ("client", {"id": 1, "result": {"tools": TOOLS}}))

    assert told["result"]["tools"][0]["name"] == NEW.of("get_order")


def test_a_field_that_is_to_stay_stays_wherever_its_values_stand(tmp_path):
    *_, answer, said = redacted(
        tmp_path,
        ("client", call(3, order_id="W7")),
        ("server", {"id": 3, "result": text('{"status":"pending","was":"pending"}')}),
        ("context", {"role": "user", "content": "Is W7 pending?"}),
        keep=frozenset({"status"}),
    )

    told = json.loads(answer["result"]["content"][0]["text"])
    assert told == {"status": "pending", "was": "pending"}
    assert said["content"] == f"{NEW.of('W7')} pending"


def test_what_several_sessions_share_stays_if_asked_unless_its_field_is_hashed(
    tmp_path,
):
    for n, status in enumerate(("pending", "pending", "lost")):
        answer = {"id": 3, "result": text(f'{{"status":"{status}","name":"Mia"}}')}
        path = written(tmp_path / "in", ("server", answer), name=f"{n}")
        path.write_text(path.read_text().replace(SESSION, f"{n}"))
        beside = path.with_name(f"{n}.flow.jsonl")
        beside.write_text(json.dumps({"arguments": {"status": status}}) + "\n")
    choice = Choice(keep_shared=2, hashed=frozenset({"name"}))

    copied(tmp_path / "in", tmp_path / "out", choice)

    found = []
    for n in range(3):
        [told] = messages(tmp_path / "out" / f"{n}.jsonl")
        found.append(json.loads(told["result"]["content"][0]["text"]))
    kept = {"status": "pending", "name": NEW.of("Mia")}
    assert found == [kept, kept, {"status": NEW.of("lost"), "name": NEW.of("Mia")}]


@pytest.mark.parametrize(
    ("key", "is_data"),
    [
        ("status", False),
        ("address1", False),
        ("card_41", True),
        ("mia@example.com", True),
        ("1008292230", True),
        ("Mia Li", True),
        ("k" * 65, True),
        ("pending", False),
    ],
)
def test_a_key_is_replaced_where_it_is_data(tmp_path, key, is_data):
    held = json.dumps({key: {}, "values": ["card_41", "Mia Li", "pending"]})
    [told] = redacted(tmp_path, ("server", {"id": 3, "result": text(held)}))

    first, _ = json.loads(told["result"]["content"][0]["text"])
    assert first == (NEW.of(key) if is_data else key)


def test_every_key_that_no_tool_declares_is_replaced_if_asked(tmp_path):
    *_, told = redacted(
        tmp_path,
        *EVERYWHERE[:2],
        ("server", {"id": 3, "result": text('{"order_id":"W7","colour":"red"}')}),
        keys=True,
    )

    found = json.loads(told["result"]["content"][0]["text"])
    assert found == {"order_id": NEW.of("W7"), NEW.of("colour"): NEW.of("red")}


def test_copying_a_copy_with_its_salt_changes_nothing(tmp_path):
    path = written(tmp_path / "in", *EVERYWHERE)
    path.with_name(f"{SESSION}.flow.jsonl").write_text(json.dumps(DECISION) + "\n")

    copied(tmp_path / "in", tmp_path / "once")
    copied(tmp_path / "once", tmp_path / "twice")
    copied(tmp_path / "once", tmp_path / "other", salt=b"another salt of mine")

    once, twice, other = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()}
        for name in ("once", "twice", "other")
    )
    assert len(once) == 2
    assert twice == once
    assert all(other[name] != once[name] for name in once)


def test_a_forged_mark_keeps_nothing(tmp_path):
    path = written(tmp_path / "in", *EVERYWHERE)
    head, rest = path.read_text().split("\n", 1)
    forged = json.loads(head) | {"redacted": {"version": 1, "salt": "0" * 16}}
    path.write_text(json.dumps(forged) + "\n" + rest)

    copied(tmp_path / "in", tmp_path / "out")

    assert b"canary" not in (tmp_path / "out" / path.name).read_bytes().lower()


HOSTILE = [
    "[" * 100_000,
    '{"t_ms":1,"from":"server","message":' + "[" * 200 + "]" * 200 + "}",
    '{"t_ms":1,"from":"server","message":1e999}',
    '{"t_ms":1,"from":"server","message":NaN}',
    '{"t_ms":1,"from":"canary","message":{}}',
    '{"t_ms":-1,"from":"server","message":"canary"}',
    '{"t_ms":1,"from":"server"}',
    '{"t_ms":1,"from":"server","message":' + "9" * 5000 + "}",
    "canary",
    "\x00canary",
]


def test_lines_that_cannot_be_read_are_told_and_not_copied(tmp_path):
    path = written(tmp_path / "in")
    path.write_text(path.read_text() + "\n".join(HOSTILE) + "\n")
    path.with_name(f"{SESSION}.flow.jsonl").write_text('canary\n["canary"]\n{"a":')

    _, ledger = copied(tmp_path / "in", tmp_path / "out")

    told = [problem.line for problem in ledger.problems]
    assert told == [1, 2, *range(2, 2 + len(HOSTILE))]
    assert len((tmp_path / "out" / path.name).read_text().splitlines()) == 1
    assert (tmp_path / "out" / f"{SESSION}.flow.jsonl").read_text() == ""


def test_long_texts_take_no_longer_than_they_have_to(tmp_path):
    long = "a" * 400_000 + " " * 400_000 + "{" * 1000
    [told] = redacted(tmp_path, ("server", {"id": 3, "result": text(long)}))

    assert len(json.dumps(told)) < 10_000


def test_a_compressed_log_is_copied_plain(tmp_path):
    path = written(tmp_path / "in", ("client", call(3, order_id="W7")))
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()

    copied(tmp_path / "in", tmp_path / "out")

    [told] = messages(tmp_path / "out" / path.name)
    assert told["params"]["arguments"] == {"order_id": NEW.of("W7")}


def test_nothing_is_written_where_a_copy_is_there_already(tmp_path):
    written(tmp_path / "in", name="a")
    written(tmp_path / "in", name="b")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.jsonl").write_text("mine")

    with pytest.raises(CannotWrite, match=r"b\.jsonl is there already"):
        copied(tmp_path / "in", tmp_path / "out")

    assert [file.name for file in (tmp_path / "out").iterdir()] == ["b.jsonl"]
    assert (tmp_path / "out" / "b.jsonl").read_text() == "mine"


def test_two_logs_are_not_copied_to_one_file(tmp_path):
    written(tmp_path / "in")
    written(tmp_path / "in" / "more", name=SESSION)

    with pytest.raises(StrettoError, match="would be copied to one file"):
        copied(tmp_path / "in", tmp_path / "out")


def test_what_is_no_session_log_is_told_and_not_copied(tmp_path):
    written(tmp_path / "in")
    (tmp_path / "in" / "x.jsonl").write_text('{"canary":1}\n')
    (tmp_path / "in" / "salt").write_text("not for anybody")

    _, ledger = copied(tmp_path / "in", tmp_path / "out")

    assert [Path(p.path).name for p in ledger.problems] == ["x.jsonl"]
    assert [file.name for file in (tmp_path / "out").iterdir()] == [f"{SESSION}.jsonl"]


def test_a_short_salt_is_refused_before_anything_is_made(tmp_path):
    written(tmp_path / "in")

    with pytest.raises(StrettoError, match="shorter than 16 bytes"):
        copied(tmp_path / "in", tmp_path / "out", salt=b"pepper")

    assert not (tmp_path / "out").exists()


def strings(value: Json) -> set[str]:
    """Every string in JSON, that in texts that are JSON included, and every line."""
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    if not isinstance(value, str):
        return set()
    try:
        inside = json.loads(value)
    except ValueError:
        return {line.strip() for line in value.split("\n")}
    return strings(inside) if isinstance(inside, dict | list) else {value}


def test_no_value_of_the_published_logs_is_in_their_copies(tmp_path):
    source = shared("reference/logs")
    held: set[str] = set()
    for path in source.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            message = json.loads(line).get("message", {})
            held |= strings(message.get("params", {}).get("arguments"))
            held |= strings(message.get("result", {}).get("content"))
            held |= strings(message.get("content"))
    held = {value for value in held if len(value) >= 4} - {"text"}
    words = {word.strip(".,!?") for value in held for word in value.split()}
    ids = {word for word in words if any(c.isdigit() or c == "@" for c in word)}

    copied(source, tmp_path / "out")

    lines = [
        line.replace("cancel_pending_order", "")
        for path in (tmp_path / "out").iterdir()
        for line in path.read_text().splitlines()
        if '"tools":[' not in line
    ]
    assert len(lines) > 150
    assert len(held) > 80
    assert len(ids) > 30
    assert [value for value in held | ids if value in "".join(lines)] == []
    assert len(list(read([tmp_path / "out"]))) == 9
