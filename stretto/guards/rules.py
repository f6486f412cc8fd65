"""
Rule files: guards as data.

A rule asks to be enforced with `enforced`; it is once an audit of it, as it stands, is
in the file. Until then it is only logged.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.episode import ToolCall
from stretto.errors import StrettoError, VersionError
from stretto.files import Node, read_json, write_text
from stretto.guards.conditions import Condition, condition, verdict
from stretto.guards.evidence import Evidence, digest, evidence_json, read_evidence
from stretto.guards.facts import Facts
from stretto.guards.guard import Guard, Guards
from stretto.guards.reading import moment
from stretto.guards.shapes import names
from stretto.guards.sources import Keyed, Sources
from stretto.guards.terms import Moment
from stretto.guards.verdict import Verdict

FIELD, VERSION = "stretto_rules", 1
MOST_RULES = 200
LONGEST = 1_000
"""How many characters a sentence of a rule may have."""

_ID = re.compile(r"[A-Za-z0-9_:-]{1,40}(?:\.[A-Za-z0-9_:-]{1,40}){0,3}")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file, read."""

    path: str
    guards: Guards
    """Each rule enforced only where it asks for it and its evidence holds."""
    asked: Guards
    """Each rule enforced where it asks for it: what an audit is to judge."""
    digests: Mapping[str, str]
    """By rule, the digest of it and of all that it goes by."""
    evidence: Mapping[str, Evidence]
    """By rule, what an audit found of it; it may be of an earlier form."""
    only_logged: tuple[str, ...]
    """The rules that ask to be enforced and may not be."""
    document: dict[str, Json]

    @property
    def warnings(self) -> list[str]:
        """What a person should know of rules that are not enforced."""
        return [
            f"{rule} is only logged: {self.path} holds no audit of it as it stands"
            for rule in self.only_logged
        ]


def read_rules(path: str | Path) -> RuleFile:
    """
    A rule file.

    Raises:
        FormatError: it does not have that shape, or is of another version.
    """
    return parse_rules(read_json(path))


def parse_rules(node: Node) -> RuleFile:
    """As `read_rules`, of a file's node."""
    _check_version(node)
    node.only(FIELD, "domain", "now", "facts", "rules", "audited")
    read = _rules(node["rules"])
    digests = {
        each.rule: _digest(node, raw.value)
        for each, raw in zip(read, node["rules"].array(), strict=True)
    }
    evidence = _evidence(node, digests)
    allowed = {r for r, found in evidence.items() if found.rule == digests[r]}
    asked = _asked(node, read)
    refused = tuple(
        guard.rule
        for guard in asked.rules
        if guard.enforced and guard.rule not in allowed
    )
    guards = replace(asked, rules=tuple(_unless(refused, g) for g in asked.rules))
    return RuleFile(node.path, guards, asked, digests, evidence, refused, node.fields())


def allow(file: RuleFile, found: Mapping[str, Evidence]) -> None:
    """
    Write what an audit found of some rules into their file.

    Raises:
        CannotWrite: the file cannot be written.
        StrettoError: the audit says nothing of a rule, or the file has changed since.
    """
    if read_json(file.path).value != file.document:
        raise StrettoError(
            f"{file.path} has changed since it was read, and was left as it is",
            hint="audit it again",
        )
    for rule, evidence in found.items():
        if not evidence.decided:
            raise StrettoError(
                f"the audit says nothing of {rule}: it knew of no write whether it "
                "breaks the rule",
                hint="audit sessions with such writes, in which what it needs was read",
            )
    written = {**file.evidence, **found}
    audited: dict[str, Json] = {
        rule: evidence_json(written[rule]) for rule in sorted(written)
    }
    document = {**file.document, "audited": audited}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    write_text(file.path, f"{text}\n")


def _check_version(node: Node) -> None:
    found = node.fields().get(FIELD)
    if found != VERSION or found is True:
        error = VersionError(node.path, FIELD, found=found, reads=(VERSION,))
        error.hint = "docs/reference/formats.md says what a rule file holds"
        raise error


def _asked(node: Node, rules: list[Guard]) -> Guards:
    trusted = node["facts"].get("trusted")
    return Guards(
        node["domain"].text(),
        tuple(rules),
        _sources(node["facts"]),
        None if trusted is None else frozenset(names(trusted)),
        _now(node),
    )


def _unless(refused: tuple[str, ...], guard: Guard) -> Guard:
    return replace(guard, enforced=False) if guard.rule in refused else guard


def _sources(node: Node) -> Sources:
    node.only("identities", "by_argument", "by_field", "trusted")
    identities, keyed, fields = map(node.get, ("identities", "by_argument", "by_field"))
    return Sources(
        frozenset() if identities is None else frozenset(names(identities)),
        {} if keyed is None else {tool: _keyed(of) for tool, of in keyed.items()},
        {} if fields is None else {name: kind.text() for name, kind in fields.items()},
    )


def _keyed(node: Node) -> Keyed:
    node.only("kind", "arguments")
    return Keyed(node["kind"].text(), tuple(names(node["arguments"])))


def _rules(node: Node) -> list[Guard]:
    items = node.array()
    if not 1 <= len(items) <= MOST_RULES:
        node.wanted(f"a list of 1 to {MOST_RULES} rules")
    read: dict[str, Guard] = {}
    for item in items:
        guard = _rule(item)
        if guard.rule in read:
            item["id"].fail(f"is {guard.rule!r}, which another rule has too")
        read[guard.rule] = guard
    return [*read.values()]


def _rule(node: Node) -> Guard:
    node.only("id", "policy", "tools", "require", "reason", "enforced")
    if _ID.fullmatch(name := node["id"].text()) is None:
        node["id"].wanted("a name of letters, digits, _ : - and dots between")
    enforced, require = node.get("enforced"), condition(node["require"])
    return Guard(
        name,
        _sentence(node["policy"]),
        frozenset(names(node["tools"])),
        partial(_said, require, _sentence(node["reason"])),
        enforced is not None and enforced.boolean(),
    )


def _said(require: Condition, reason: str, facts: Facts, call: ToolCall) -> Verdict:
    return verdict(require, reason, Moment(facts, call))


def _sentence(node: Node) -> str:
    text = node.text().strip()
    if not 1 <= len(text) <= LONGEST or not text.isprintable():
        node.wanted(f"a sentence of 1 to {LONGEST} characters, on one line")
    return text


def _now(node: Node) -> datetime | None:
    given = node.get("now")
    if given is None:
        return None
    if (now := moment(given.text())) is None:
        given.wanted("a time, such as 2024-05-15T15:00:00")
    return now


def _digest(node: Node, rule: Json) -> str:
    """Of a rule and all that its verdicts rest on; not of whether it is enforced."""
    assert isinstance(rule, dict)
    said = {key: value for key, value in rule.items() if key != "enforced"}
    file = node.fields()
    return digest({"rule": said, "facts": file["facts"], "now": file.get("now")})


def _evidence(node: Node, rules: Mapping[str, str]) -> dict[str, Evidence]:
    """What the file holds of the rules that it still has."""
    audited = node.get("audited")
    items = () if audited is None else audited.items()
    read = {rule: read_evidence(found) for rule, found in items}
    return {rule: found for rule, found in read.items() if rule in rules}
