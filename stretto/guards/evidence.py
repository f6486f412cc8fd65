"""
What an audit found of a file's rules, kept in the file.

It is what lets a rule be enforced, and only that rule as it stood: each entry holds the
digest of what it was measured on.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from stretto.canonical import Json, compact
from stretto.files import Node


class Group(StrEnum):
    """What became of a write, and of its session where the write was accepted."""

    SUCCESSFUL = "accepted_successful"
    FAILED = "accepted_failed"
    UNGRADED = "accepted_ungraded"
    REFUSED = "refused"


MOST = 10**9


class Three(NamedTuple):
    """How many writes passed, failed, and were unknown."""

    passed: int = 0
    failed: int = 0
    unknown: int = 0


class Evidence(NamedTuple):
    """What an audit found of one rule."""

    rule: str
    """The digest of the rule and of all that it goes by."""
    sessions: str
    """The digest of the sessions."""
    read: int
    """How many sessions there were."""
    counts: Mapping[Group, Three]
    """By what became of the writes."""

    @property
    def decided(self) -> int:
        """The writes of which the rule knew what to say."""
        return sum(three.passed + three.failed for three in self.counts.values())


def digest(value: Json) -> str:
    """The SHA-256 of a value's canonical text."""
    return hashlib.sha256(compact(value).encode(errors="surrogatepass")).hexdigest()


def read_evidence(node: Node) -> Evidence:
    """A rule's evidence as a file holds it."""
    node.only("rule", "sessions", "read", *Group)
    return Evidence(
        node["rule"].text(),
        node["sessions"].text(),
        node["read"].integer(0, MOST),
        {group: _three(node[group]) for group in Group},
    )


def evidence_json(found: Evidence) -> dict[str, Json]:
    """The same, to be written."""
    counts: dict[str, Json] = {g: [*found.counts.get(g, Three())] for g in Group}
    about: dict[str, Json] = {"rule": found.rule, "sessions": found.sessions}
    return {**about, "read": found.read, **counts}


def _three(node: Node) -> Three:
    return Three(*(each.integer(0, MOST) for each in node.array(3)))
