"""
Every number and rule of the paper and of the formats page, and what checks it.

`CLAIMS` lists them; a test that checks one carries `@claim("its-id")`. test_claims.py
holds the two to each other, and `python -m tests.claims` writes the page
docs/reference/claims.md from both.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.claimed.changes import CHANGES
from tests.claimed.claim import Claim, Status, union
from tests.claimed.flow_file import FLOW_FILE
from tests.claimed.live import PEOPLE
from tests.claimed.method import METHOD
from tests.claimed.other_formats import OTHER_FORMATS
from tests.claimed.replays import REPLAYS
from tests.claimed.traces_alone import TRACES

CLAIMS: Mapping[str, Claim] = union(
    METHOD, TRACES, PEOPLE, REPLAYS, CHANGES, FLOW_FILE, OTHER_FORMATS
)

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reference" / "claims.md"


def claim(*ids: str) -> pytest.MarkDecorator:
    """Marks a test as what checks these claims; the ids have to be literal."""
    return pytest.mark.claim(*ids)


class Carrier(NamedTuple):
    """A test that carries claims."""

    file: str
    """Relative to the tests folder."""
    name: str


@cache
def carriers() -> dict[str, list[Carrier]]:
    """The tests that carry each claim, found in the source, so none has to run."""
    found: dict[str, list[Carrier]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        file = path.relative_to(TESTS).as_posix()
        for test in ast.walk(tree):
            if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef):
                for key in _carried(test):
                    found[key].append(Carrier(file, test.name))
    return dict(found)


def _carried(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="claim"), args=ids):
                for key in ids:
                    yield str(ast.literal_eval(key))


def page() -> str:
    """docs/reference/claims.md."""
    found = carriers()
    counts = {s: sum(c.status is s for c in CLAIMS.values()) for s in Status}
    lines = [
        "# Claims",
        "",
        "Which numbers and rules of the paper and of the formats page this repository "
        "checks, and which it cannot.",
        "Written by `python -m tests.claims` from the tests; a test fails when it is "
        "out of date.",
        "",
        f"{len(CLAIMS)} claims: "
        + ", ".join(f"{n} {status}" for status, n in counts.items())
        + ".",
        "",
        "- *Reproduced*: the tests named in the last column check it.",
        "- *Divergent*: it differs here, on purpose or since the agents at hand are "
        "not the paper's, and the last column says how.",
        "- *Deferred*: nothing here can check it yet, and the last column says why.",
    ]
    source = None
    for key, entry in sorted(CLAIMS.items(), key=_place):
        if entry.source != source:
            source = entry.source
            lines += ["", f"## {source[0].upper()}{source[1:]}", ""]
            lines += ["| claim | says | status | checked by, or why not |"]
            lines += ["|---|---|---|---|"]
        tests = [_link(test) for test in found.get(key, ())]
        last = " ".join(filter(None, [entry.note, ", ".join(tests)]))
        lines.append(f"| `{key}` | {entry.says} | {entry.status} | {last} |")
    return "\n".join(lines) + "\n"


def _place(item: tuple[str, Claim]) -> list[int]:
    """The paper's sections in order, then the formats page's, as they are listed."""
    number = re.search(r"§([\d.]+)", item[1].source)
    return [99] if number is None else [int(n) for n in number[1].split(".")]


def _link(test: Carrier) -> str:
    sentence = test.name.removeprefix("test_").replace("_", " ")
    return f"[{sentence}](../../tests/{test.file})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
