"""Rule files: read with limits, enforced only as far as an audit of them says."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import AssistantTurn, ToolCall
from stretto.errors import FormatError, StrettoError, UnknownPlugin, VersionError
from stretto.files import Node
from stretto.guards.conditions import CONDITIONS
from stretto.guards.evidence import Evidence, Group, Three
from stretto.guards.guard import refusal
from stretto.guards.load import load
from stretto.guards.rules import allow, parse_rules, read_rules
from stretto.guards.terms import TERMS
from stretto.traces.reader import read
from tests.conftest import ROOT, shared

EXAMPLES = ROOT / "docs" / "examples"
PAID = {"at_most": [{"argument": "amount"}, 100]}
RULE = {
    "id": "shop.small",
    "policy": "Nobody pays more than 100.",
    "tools": ["pay"],
    "require": PAID,
    "reason": "that is more than 100",
    "enforced": True,
}
FILE = {"stretto_rules": 1, "domain": "shop", "facts": {}, "rules": [RULE]}
TOO_MUCH = ToolCall("c", "pay", {"amount": 101})


def parsed(document: object):
    return parse_rules(Node(document, "x.rules.json"))  # type: ignore[arg-type]


def found(file, *, decided: int = 3, rule: str = "shop.small") -> dict[str, Evidence]:
    counts = {Group.SUCCESSFUL: Three(decided, 0, 9)}
    return {rule: Evidence(file.digests[rule], "s" * 64, 7, counts)}


def written(folder: Path, document: object = FILE) -> Path:
    path = folder / "shop.rules.json"
    path.write_text(json.dumps(document))
    return path


def refused(file) -> str | None:
    return refusal(file.guards.check(file.guards.facts(), TOO_MUCH))


def test_a_rule_that_was_not_audited_refuses_nothing_and_that_is_said() -> None:
    file = parsed(FILE)

    assert refused(file) is None
    assert file.only_logged == ("shop.small",)
    assert "only logged" in file.warnings[0]


def test_a_rule_refuses_once_an_audit_of_it_is_in_its_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    file = read_rules(path)
    allow(file, found(file))
    allowed = read_rules(path)

    assert refused(allowed) == "that is more than 100 (policy check shop.small)"
    assert allowed.warnings == []
    assert allowed.evidence == {
        "shop.small": Evidence(
            file.digests["shop.small"],
            "s" * 64,
            7,
            {group: Three() for group in Group} | {Group.SUCCESSFUL: Three(3, 0, 9)},
        )
    }


@pytest.mark.parametrize(
    "change",
    [
        {"rules": [RULE | {"require": {"at_most": [{"argument": "amount"}, 99]}}]},
        {"rules": [RULE | {"tools": ["pay", "refund"]}]},
        {"facts": {"identities": ["log_in"]}},
        {"now": "2024-05-15T15:00:00"},
    ],
)
def test_a_rule_that_changed_after_its_audit_refuses_nothing(
    tmp_path: Path, change: dict
) -> None:
    path = written(tmp_path)
    file = read_rules(path)
    allow(file, found(file))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    assert refused(read_rules(path)) is None
    assert read_rules(path).only_logged == ("shop.small",)


def test_another_rule_may_come_and_go_without_a_new_audit(tmp_path: Path) -> None:
    path = written(tmp_path)
    file = read_rules(path)
    allow(file, found(file))
    document = json.loads(path.read_text())
    document["rules"].insert(0, RULE | {"id": "shop.other"})
    path.write_text(json.dumps(document))

    assert read_rules(path).only_logged == ("shop.other",)
    assert refused(read_rules(path)) is not None


def test_a_rule_that_does_not_ask_for_it_is_not_enforced(tmp_path: Path) -> None:
    path = written(tmp_path, FILE | {"rules": [RULE | {"enforced": False}]})
    file = read_rules(path)
    allow(file, found(file))

    assert refused(read_rules(path)) is None
    assert read_rules(path).warnings == []


def test_an_audit_that_knew_nothing_of_a_rule_allows_nothing(tmp_path: Path) -> None:
    file = read_rules(written(tmp_path))

    with pytest.raises(StrettoError, match="says nothing of"):
        allow(file, found(file, decided=0))
    assert refused(read_rules(file.path)) is None


def test_a_file_that_changed_during_its_audit_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    file = read_rules(path)
    path.write_text(json.dumps(FILE | {"domain": "bakery"}))
    before = path.read_bytes()

    with pytest.raises(StrettoError, match="has changed since it was read"):
        allow(file, found(file))
    assert path.read_bytes() == before


def deep(levels: int) -> dict:
    inside: dict = PAID
    for _ in range(levels):
        inside = {"not": inside}
    return {"rules": [RULE | {"require": inside}]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stretto_rules": 2}, "`stretto_rules` is 2"),
        ({"stretto_rules": True}, "`stretto_rules` is True"),
        ({"stretto_rules": None}, "no `stretto_rules`"),
        ({"domain": 7}, "a string"),
        ({"more": 1}, "unknown field `more`"),
        ({"now": "noon"}, "a time"),
        ({"facts": {"by_argument": {"get": {"kind": "user"}}}}, "no `arguments`"),
        ({"facts": {"identities": []}}, "a list of 1 to 1000 names"),
        ({"rules": []}, "a list of 1 to 200 rules"),
        ({"rules": [RULE, RULE]}, "which another rule has too"),
        ({"rules": [RULE | {"id": "a b"}]}, "a name of letters"),
        ({"rules": [RULE | {"policy": "a\nb"}]}, "on one line"),
        ({"rules": [RULE | {"reason": ""}]}, "a sentence"),
        ({"rules": [RULE | {"enforced": "yes"}]}, "true or false"),
        ({"rules": [RULE | {"require": {}}]}, "a condition"),
        ({"rules": [RULE | {"require": PAID | {"not": PAID}}]}, "a condition"),
        ({"rules": [RULE | {"require": {"equal": [1]}}]}, "an array of 2"),
        ({"rules": [RULE | {"require": {"all": []}}]}, "at least one condition"),
        ({"rules": [RULE | {"require": {"given": "a..b"}}]}, "a path"),
        ({"rules": [RULE | {"require": {"given": "a[-1]"}}]}, "a path"),
        ({"rules": [RULE | {"require": {"equal": [1e999, 1]}}]}, "a text, a number"),
        ({"rules": [RULE | {"require": {"identified": False}}]}, "should be true"),
        ({"rules": [RULE | {"require": {"in": ["a", ["b"] * 1001]}}]}, "at most 1000"),
        ({"rules": [RULE | {"require": {"agreed": True, "questions": "no"}}]},
         "`unknown`, or left out"),
        (deep(40), "levels deep"),
        ({"audited": {"shop.small": {"rule": "x"}}}, "no `sessions`"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_should_be_says_where(change: dict, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        parsed(FILE | change)


def test_a_rule_may_be_nested_as_deep_as_a_person_reads() -> None:
    assert parsed(FILE | deep(20)).guards.rules


def test_a_file_of_another_version_says_which_is_read() -> None:
    with pytest.raises(VersionError, match="reads version 1") as error:
        parsed({"stretto_flow": 1})
    assert "formats.md" in str(error.value.hint)


names = st.sampled_from([*CONDITIONS, *TERMS, "of", "at", "hours", "starts", "same"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=5)
    | st.sampled_from(["order_id", "items[*].id", "2024-05-15"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=2)
    ),
    max_leaves=12,
)  # fmt: skip


@given(anything, anything)
@settings(max_examples=300, deadline=None)
def test_whatever_a_condition_says_it_is_read_or_refused_and_never_breaks(
    said, arguments
) -> None:
    try:
        file = parsed(FILE | {"rules": [RULE | {"require": said}]})
    except FormatError:
        return
    call = ToolCall("c", "pay", arguments)
    assert not any(r.has_broken for r in file.guards.check(file.guards.facts(), call))


def test_guards_are_loaded_by_name_or_from_a_file() -> None:
    example = EXAMPLES / "retail.rules.json"

    assert load("retail").file is None
    assert load(str(example)).guards.domain == "retail"
    with pytest.raises(UnknownPlugin):
        load("bakery")
    with pytest.raises(FormatError, match="cannot be read"):
        load("bakery.rules.json")


CODE_NAMES = {
    "retail.pending_exactly": "retail.pending",
    "airline.own_payments": "airline.own_payment",
}
"""Rules that stand in code as one and in a file as two."""
FILES_ALONE = {"airline.not_begun", "airline.new_or_covered"}
"""Parts of a rule that needs code for the rest of it."""
SESSIONS = {
    "retail": (
        "tau1-sierra/retail__grok-3__115.json.gz",
        "tau1-retail-madhav",
        "tau2-retail-codesque16",
        "tau2-sierra-prs/retail__gpt-4.1__40.json.gz",
        "tau2-sierra-prs/retail__toolorchestra-gpt-5__114.json.gz",
    ),
    "airline": (
        "tau1-sierra/airline__gpt-4o__50x4.json.gz",
        "tau1-airline-yiphei",
        "tau2-airline-grok-blakeelias",
        "tau2-sierra-prs/airline__claude-opus-4-6-adaptive__50_simlist.json.gz",
        "tau2-sierra-prs/airline__claude-opus-4-6-button__50.json.gz",
        "tau2-sierra-prs/airline__claude-opus-4-6-cascata__50.json.gz",
        "tau2-sierra-prs/airline__gpt-4.1__20.json.gz",
        "tau2-sierra-prs/airline__gpt-4o-2024-11-20__50.json.gz",
        "tau2-sierra-prs/airline__gpt-oss-120b-langchain__50.json.gz",
        "tau2-sierra-prs/airline__ironforge_v2_gpt54.json.gz",
        "tau2-sierra-prs/airline__ironforge_v2_sonnet46.json.gz",
        "tau2-sierra-prs/airline__qwen2.5-7b__50.json.gz",
        "tau2-sierra-prs/airline__toolorchestra-gpt-5__50.json.gz",
    ),
}


@pytest.mark.parametrize(
    ("domain", "n_checked"), [("retail", 14000), ("airline", 3500)]
)
def test_rules_in_a_file_say_of_every_recorded_write_what_those_in_code_say(
    domain: str, n_checked: int
) -> None:
    paths = [shared(f"sessions/{path}") for path in SESSIONS[domain]]
    code = load(domain).guards
    data = load(str(EXAMPLES / f"{domain}.rules.json")).guards
    n = 0
    for episode in read(paths):
        facts, same = code.facts(), data.facts()
        for event in episode.events:
            for call in event.calls if isinstance(event, AssistantTurn) else ():
                said = {r.guard.rule: r.verdict for r in code.check(facts, call)}
                for ruling in data.check(same, call):
                    rule = ruling.guard.rule
                    if rule not in FILES_ALONE:
                        expected = said[CODE_NAMES.get(rule, rule)].outcome
                        assert ruling.verdict.outcome is expected, (rule, call)
                        n += 1
            facts.take(event)
            same.take(event)
    assert n >= n_checked
