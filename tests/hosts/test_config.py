"""A host's file: one entry changed, everything else left as it was."""

import json
import os
import stat
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import CannotWrite, FormatError
from stretto.hosts.config import COPY, Config
from stretto.hosts.host import HOSTS
from stretto.hosts.jsonc import JSONC
from tests.hosts.texts import WORDS, jsonc, values

CURSOR, CODEX = HOSTS["cursor"], HOSTS["codex"]
ENTRY = {"command": "stretto-proxy", "args": ["--", "npx", "shop"]}

FILE = """\
{
  // what I use
  "mcpServers": {
    "shop": {
      "command": "npx", // from npm
      "args": ["shop"],
      "env": {"KEY": "s3cret"},
    },
    "other": {"command": "x"},
  },
}
"""

ENTRIES = st.dictionaries(
    st.sampled_from(["command", "args", "env", "url"]), values(), max_size=4
)


def test_what_changed_in_an_entry_is_all_that_changes():
    after = Config(CURSOR, Path("f"), FILE).having(
        "shop", {"command": "p", "args": ["shop"], "env": {"KEY": "s3cret"}}
    )

    assert after.text == FILE.replace('"npx"', '"p"')


@given(
    before=st.dictionaries(st.sampled_from(WORDS), ENTRIES, max_size=3),
    beside=st.dictionaries(st.sampled_from(WORDS), values(), max_size=2),
    entry=ENTRIES,
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_a_change_keeps_all_else_and_every_comment_or_is_refused(
    before, beside, entry, data
):
    name = data.draw(st.sampled_from(WORDS))
    whole = {**beside, "mcpServers": before}
    text = data.draw(jsonc(whole))

    try:
        after = Config(CURSOR, Path("f"), text).having(name, entry)
    except CannotWrite:
        assert JSONC.comments(text)
        return

    assert JSONC.parse(after.text) == {**whole, "mcpServers": {**before, name: entry}}
    assert not Counter(JSONC.comments(text)) - Counter(JSONC.comments(after.text))
    assert after.having(name, entry).text == after.text


def test_an_entry_is_not_replaced_where_a_comment_in_it_would_go():
    config = Config(CURSOR, Path("mcp.json"), FILE)

    with pytest.raises(
        CannotWrite, match="a comment in the entry would be lost"
    ) as told:
        config.having("shop", {"url": "http://localhost"})

    assert "by hand; it goes under `mcpServers`" in told.value.hint
    assert "s3cret" not in f"{told.value}{told.value.hint}"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { shop = { command = "npx" } }\n',
        'mcp_servers.shop.command = "npx"\n',
        '[mcp_servers]\nshop.command = "npx"\n',
        '[mcp_servers]\nshop = { command = "npx" }\n',
    ],
)
def test_a_table_that_is_not_understood_is_refused(text: str):
    with pytest.raises(CannotWrite, match="is not changed"):
        Config(CODEX, Path("config.toml"), text).having("shop", ENTRY)


def test_servers_that_are_no_object_are_refused():
    with pytest.raises(CannotWrite, match="`mcpServers` is no object"):
        Config(CURSOR, Path("f"), '{"mcpServers": 3}').having("shop", ENTRY)


def test_a_file_is_written_with_a_copy_of_the_old_one_that_is_as_private(
    tmp_path: Path,
):
    path = tmp_path / "mcp.json"
    path.write_text(FILE)
    path.chmod(0o600)

    copy = Config.read(CURSOR, path).having("new", ENTRY).write()

    assert copy == tmp_path / f"mcp.json{COPY}"
    assert copy.read_text() == FILE
    assert [stat.S_IMODE(p.stat().st_mode) for p in (path, copy)] == [0o600, 0o600]
    assert Config.read(CURSOR, path).entries()["new"] == ENTRY


def test_a_private_files_new_text_is_private_from_the_start(tmp_path, monkeypatch):
    path = tmp_path / "mcp.json"
    path.write_text(FILE)
    path.chmod(0o600)
    modes = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: modes.append(stat.S_IMODE(os.fstat(fd).st_mode))
    )

    Config.read(CURSOR, path).having("new", ENTRY).write()

    assert modes == [0o600]


def test_a_file_that_was_not_there_is_made_with_its_folder(tmp_path: Path):
    path = tmp_path / ".cursor" / "mcp.json"

    assert Config.read(CURSOR, path).having("new", ENTRY).write() is None
    assert json.loads(path.read_text()) == {"mcpServers": {"new": ENTRY}}


def test_a_linked_file_stays_a_link(tmp_path: Path):
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_text("{}")
    link.symlink_to(real)

    Config.read(CURSOR, link).having("new", ENTRY).write()

    assert link.is_symlink()
    assert "new" in Config.read(CURSOR, real).entries()


def test_a_broken_file_is_named_and_not_quoted(tmp_path: Path):
    path = tmp_path / "mcp.json"
    path.write_text('{"env": "s3cret" "x"}')

    with pytest.raises(FormatError, match=r"is not JSON: .* at line 1") as told:
        Config.read(CURSOR, path)

    assert str(path) in str(told.value)
    assert "s3cret" not in str(told.value)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(CannotWrite, match="cannot be written"):
        Config.empty(CURSOR, tmp_path / "file" / "mcp.json").write()


@pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)
def test_every_host_reads_what_it_is_shown(host, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    entry = host.starting(("/bin/stretto-proxy", "--", "x y"), {"A": "b"})
    config = Config.empty(host).having("shop", entry)

    assert config.entries() == {"shop": entry}
    assert os.fspath(config.path).startswith((str(tmp_path), "."))
