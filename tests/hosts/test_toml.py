"""TOML, edited in place."""

import tomllib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.hosts.syntax import CannotEdit
from stretto.hosts.toml import TOML
from tests.hosts.texts import WORDS

FILE = '''\
# my settings
model = "o"  # not "p"

[mcp_servers.a]  # the first
command = "npx" # runs it
args = [
  "-y",
  "[not.a.header]",
]
note = """
[nor.this]
"""
# behind the first

[mcp_servers.a.env]
KEY = "secret"

[other]
when = 2026-11-30
'''
ENTRIES = st.fixed_dictionaries(
    {"command": st.sampled_from(WORDS), "args": st.lists(st.sampled_from(WORDS))},
    optional={
        "env": st.dictionaries(st.sampled_from(WORDS), st.sampled_from(WORDS)),
        "timeout": st.one_of(st.integers(0, 60), st.just(0.5), st.booleans()),
    },
)


def with_server(text: str, name: str, entry: dict) -> dict:
    """What the file has to hold."""
    whole = tomllib.loads(text)
    whole.setdefault("mcp_servers", {})[name] = entry
    return whole


@given(name=st.sampled_from([w for w in WORDS if w != "a"]), entry=ENTRIES)
@settings(max_examples=60, deadline=None)
def test_a_new_table_leaves_the_rest_as_it_was(name: str, entry: dict):
    after = TOML.put(FILE, ("mcp_servers", name), entry)

    assert after.startswith(FILE)
    assert TOML.parse(after) == with_server(FILE, name, entry)


@given(entry=ENTRIES)
@settings(max_examples=30, deadline=None)
def test_a_replaced_table_leaves_the_others_and_the_comments_between(entry: dict):
    after = TOML.put(FILE, ("mcp_servers", "a"), entry)

    assert TOML.parse(after) == with_server(FILE, "a", entry)
    assert "# behind the first\n" in after
    assert after.endswith("\n[other]\nwhen = 2026-11-30\n")


@pytest.mark.parametrize(
    ("key", "value"),
    [("command", "uvx"), ("args", ["x"]), ("note", "n"), ("startup_timeout_sec", 20)],
)
def test_one_value_of_a_table_is_replaced_or_added_and_no_comment_lost(key, value):
    after = TOML.put(FILE, ("mcp_servers", "a", key), value)

    wanted = tomllib.loads(FILE)
    wanted["mcp_servers"]["a"][key] = value
    assert TOML.parse(after) == wanted
    assert Counter(TOML.comments(after)) == Counter(TOML.comments(FILE))


def test_a_table_within_a_table_is_replaced_where_it_stands():
    after = TOML.put(FILE, ("mcp_servers", "a", "env"), {"KEY": "other"})

    assert after == FILE.replace('"secret"', '"other"')


def test_an_inline_table_stays_one():
    text = "[mcp_servers.a]\nenv = { K = 'v' } # kept\nx = 1\n"

    after = TOML.put(text, ("mcp_servers", "a", "env"), {"K": "w"})

    assert after == '[mcp_servers.a]\nenv = { K = "w" }  # kept\nx = 1\n'


def test_comments_are_told_from_text_that_looks_like_them():
    assert TOML.comments(FILE) == [
        "# my settings",
        '# not "p"',
        "# the first",
        "# runs it",
        "# behind the first",
    ]


@pytest.mark.parametrize("text", ["", "model = 'o'", "model = 'o'\r\n"])
def test_a_table_begins_on_a_line_of_its_own(text: str):
    after = TOML.put(text, ("mcp_servers", "b"), {"command": "x"})

    assert TOML.parse(after) == with_server(text, "b", {"command": "x"})
    assert ("\r\n" in text) == ("\r\n[" in after)


def test_tables_written_with_dots_are_left_to_their_owner():
    with pytest.raises(CannotEdit, match="header of its own"):
        TOML.put("mcp_servers.a.command = 'x'\n", ("mcp_servers", "a"), {})


def test_what_is_broken_is_told_by_its_place_and_not_quoted():
    with pytest.raises(ValueError, match="is not TOML: at line 2, column") as told:
        TOML.parse('a = 1\ntoken = s3cret"\n')

    assert "s3cret" not in str(told.value)
