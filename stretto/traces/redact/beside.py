"""The logs beside a session's: what a flow decided and what guards said, replaced."""

import re

from stretto.canonical import Json
from stretto.traces.redact.content import leaves
from stretto.traces.redact.values import Values
from stretto.traces.redact.wire import request_id

_IDS = frozenset({"after", "call"})
_OWN = frozenset({
    "action", "address", "argument", "binding", "decider", "enforced", "epsilon",
    "events", "explored", "failed", "fails", "greedy", "habit", "max_lookups", "ms",
    "p", "p_second", "p_yes", "prob", "propensity", "refused", "second_shadow",
    "shadow", "site", "surprise", "threshold", "tool", "unknown", "word_list",
})  # fmt: skip
"""The fields of the proxy's own: numbers, names of tools and of options."""
_TABLES = frozenset({"oracle", "predicates", "probs", "sites", "verdicts"})
"""Those that hold numbers and names by names."""
_INSIDE = frozenset({"options", "policy", "proposal_check", "run"})
"""Those whose fields are looked at like the line's own."""
_FIELDS = _IDS | _OWN | _TABLES | _INSIDE | {"arguments", "key", "reason", "value"}
_NAME = re.compile(r"[A-Za-z0-9_.:/#-]{1,128}(?: \(error\))?")


def replaced(line: dict[str, Json], values: Values) -> dict[str, Json]:
    """A line with the values replaced that the proxy took from elsewhere."""
    return {
        key if key in _FIELDS else values.key(key): _field(key, item, values)
        for key, item in line.items()
    }


def _field(key: str, value: Json, values: Values) -> Json:
    if key in _IDS and not isinstance(value, dict | list):
        return request_id(value, values)
    if key in _INSIDE and isinstance(value, dict):
        new = replaced(value, values)
        if key == "run" and "call" in value:
            new["call"] = _name(value["call"], values)  # a tool, and no id
        return new
    if key in _INSIDE and isinstance(value, list):
        return [_field(key, item, values) for item in value]
    if key in _OWN or key in _TABLES:
        return _names(value, values)
    return leaves(value, values, (key,))


def _names(value: Json, values: Values) -> Json:
    match value:
        case dict():
            return {values.key(k): _names(v, values) for k, v in value.items()}
        case list():
            return [_names(item, values) for item in value]
        case _:
            return _name(value, values)


def _name(value: Json, values: Values) -> Json:
    if isinstance(value, str) and not _NAME.fullmatch(value):
        return leaves(value, values)
    return value
