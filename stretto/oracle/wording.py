"""
The words that questions are asked in.

They are a file's: `{"stretto_questions": 1, "name", "texts": {slot: text}}`. Every byte
of a text is part of a request's key, so a changed text is another question. Where a
slot's text may name a tool, an argument or a record, it holds `{tool}`, `{arg}`,
`{doc}`, `{id}` or `{describe}`; other braces stand for themselves.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from stretto import assets
from stretto.errors import VersionError
from stretto.files import Node, read_json

FIELD = "stretto_questions"

VERSION = 1

MAX_TEXT = 4000
"""The longest text, in characters."""

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "last_ok": frozenset({"tool"}),
    "last_error": frozenset({"tool"}),
    "hint": frozenset({"arg", "tool"}),
    "tool_fallback": frozenset({"tool"}),
    "value": frozenset({"arg", "tool"}),
    "value_doc": frozenset({"arg", "doc"}),
    "value_option": frozenset({"arg", "tool"}),
    "match_item": frozenset({"describe", "id"}),
}
"""What may stand in a slot's text; in that of any other slot, nothing."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """One file's texts by slot. An empty `data_note` leaves the note out."""

    name: str

    context: str
    """Sets the scene; every question about a step opens with it."""
    data_note: str
    """That instructions inside a tool's result are to be ignored."""
    last_ok: str
    last_error: str

    next: str
    respond: str
    """What handing back is, as an option."""
    go_on: str
    go_on_true: str
    go_on_false: str
    tool: str
    hint: str
    """Which write's argument a lookup's results feed."""
    no_result: str
    """Stands for a result that was never recorded."""
    tool_fallback: str
    """Describes a tool that has no documentation."""

    value: str
    value_doc: str
    value_option: str
    v1_next: str
    v1_respond: str

    confirmed: str
    confirmed_true: str
    confirmed_false: str
    described: str
    described_true: str
    described_false: str
    proposed: str
    proposed_true: str
    proposed_false: str

    match_item: str
    match_item_true: str
    match_item_false: str
    match_variant: str
    match_payment: str
    match_reservation: str


SLOTS = tuple(field.name for field in fields(Wording) if field.name != "name")
"""Every slot of a file."""


def fill(text: str, **values: str) -> str:
    """`text` with its placeholders' values; a value's own braces are left alone."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


@cache
def shipped_wording() -> Wording:
    """The texts that come with stretto: of no domain."""
    return read_wording(assets.data() / "questions.json")


def read_wording(path: str | Path) -> Wording:
    """
    The texts of a file.

    Raises:
        VersionError: it is of another version, or holds no questions.
        FormatError: a slot is missing or unknown, or a text holds a placeholder that
            its slot does not take.
    """
    node = read_json(path)
    found = node.fields().get(FIELD)
    if type(found) is not int or found != VERSION:
        raise VersionError(node.path, FIELD, found=found, reads=(VERSION,))
    node.only(FIELD, "name", "texts")
    texts = node["texts"]
    texts.only(*SLOTS)
    return Wording(node["name"].text(), **{slot: _text(texts, slot) for slot in SLOTS})


def _text(texts: Node, slot: str) -> str:
    node = texts[slot]
    text = node.text()
    if len(text) > MAX_TEXT:
        node.fail(f"has {len(text)} characters, more than {MAX_TEXT}")
    if not text and slot != "data_note":
        node.fail("is empty")
    known = PLACEHOLDERS.get(slot, frozenset())
    for name in _PLACEHOLDER.findall(text):
        if name not in known:
            takes = ", ".join(f"{{{one}}}" for one in sorted(known)) or "none"
            node.fail(f"holds the placeholder {{{name}}}, and takes {takes}")
    return text
