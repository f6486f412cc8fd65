"""The page on hosts names what the proxy can be told, and what it does of itself."""

import re

from stretto.proxy.schema import RESERVED
from stretto.proxy.serving import HOLD_S, LOOKUP_CHARS, RESULT_CHARS, Structured
from tests.docs.console import DOCS

TEXT = (DOCS / "reference" / "hosts.md").read_text(encoding="utf-8")


def test_every_way_to_treat_structured_content_has_a_row() -> None:
    told = re.findall(r"^\| `(\w+)`[^|]*\| [^|]+ \| [^|]+ \|$", TEXT, re.MULTILINE)

    assert told == [mode.value for mode in Structured]


def test_the_member_and_the_limits_are_those_of_the_proxy() -> None:
    assert f"`{RESERVED}`" in TEXT
    assert f"{HOLD_S:g} s at most" in TEXT
    assert f"{LOOKUP_CHARS:,} characters" in TEXT
    assert f"longer than {RESULT_CHARS:,}" in TEXT


def test_every_host_has_an_address() -> None:
    rows = TEXT.partition("## What hosts show")[2].partition("## ")[0].splitlines()
    hosts = [row for row in rows if row.startswith("| ")][1:]

    assert len(hosts) == 8
    assert all("](https://" in row.split("|")[3] for row in hosts)
