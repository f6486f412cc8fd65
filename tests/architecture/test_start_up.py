"""What the commands that people run most may import."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from stretto.cli.main import COMMANDS
from tests.conftest import shared

HEAVY = {"jax", "numpyro", "mcp", "scipy"}
SHOWING = {"rich", "jinja2", "matplotlib"}
SPEAKING = {"httpx2", "pydantic", "uvicorn"}

COUNTING = {
    "compile", "confirm", "costs", "curve", "drift", "fit-arbiter", "learn", "match",
    "order-check", "phase0", "promote", "replay", "search", "simulate", "train-local",
}  # fmt: skip
"""The commands that reckon with arrays; no other imports numpy before it runs."""

SCRIPT = """
import sys
from stretto.cli.main import main
try:
    main()
except SystemExit as end:
    if end.code:
        raise
print(*sorted(sys.modules), file=sys.stderr)
"""

SESSIONS = "sessions/tau2-retail-codesque16/retail__gpt-4.1__hard35.jsonl.gz"

FLOW = {
    "stretto_flow": 1,
    "provenance": {
        "stretto": "0.1.0",
        "sources": ["an-agent"],
        "habit_episodes": 1,
        "arbiter_cases": 0,
        "compiled_unix_ms": 0,
    },
    "vocab": ["Respond", {"Tool": "get"}],
    "manifest": {"domain": "shop", "tools": {"get": "read"}, "docs": {}},
    "map": {"fields": {}, "ids": []},
    "group": 1,
    "habit": {
        "base": {"order": 0, "alpha": 1.0, "vocab_size": 3, "levels": [[]]},
        "beta": 1.0,
        "top": [],
    },
    "sites": {"reads": ["get"], "next": [], "feeds": {}},
    "predicates": [],
    "weighed": [],
    "folds": [],
    "bindings": {"args": {}, "sources": [], "agreed": {}},
    "model": "",
}


HELPS = """
import sys
from stretto.cli.main import main
for name in sys.argv[1:]:
    sys.argv = ["stretto", name, "--help"]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    print(name, *sys.modules, file=sys.stderr)
"""


def _imported_for_help(names: Iterable[str], heavy: set[str]) -> list[tuple[str, str]]:
    """Each heavy module, beside the command of those named that imports it first."""
    result = subprocess.run(
        [sys.executable, "-c", HELPS, *names],
        capture_output=True,
        text=True,
        check=True,
    )
    first: dict[str, str] = {}
    for line in result.stderr.splitlines():
        name, *modules = line.split()
        for module in modules:
            first.setdefault(module, name)
    return [(module, name) for module, name in first.items() if module in heavy]


def test_no_commands_help_imports_what_only_its_run_may_need() -> None:
    heavy = HEAVY | SHOWING | SPEAKING

    assert _imported_for_help(COMMANDS, heavy) == []


def test_only_commands_that_reckon_import_numpy_to_help() -> None:
    others = [name for name in COMMANDS if name not in COUNTING]

    assert _imported_for_help(others, {"numpy"}) == []


def _imported(*args: str) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, *args],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout
    return set(result.stderr.split())


@pytest.mark.parametrize("args", [["--help"], ["--version"]])
def test_asking_for_help_imports_nothing_heavy(args: list[str]) -> None:
    assert _imported(*args) & (HEAVY | {"numpy", "rich"}) == set()


def test_showing_a_flow_imports_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "shop.flow.json"
    path.write_text(json.dumps(FLOW), encoding="utf-8")

    assert _imported("flow-show", str(path)) & (HEAVY | SHOWING | {"numpy"}) == set()


def test_answering_from_what_is_kept_imports_nothing_that_speaks_http(
    tmp_path: Path,
) -> None:
    (tmp_path / "requests").write_text("")
    files = ("--requests", str(tmp_path / "requests"), "--out", str(tmp_path / "out"))

    assert _imported("ask", *files, "--oracle", "replay") & {*HEAVY, "httpx2"} == set()


def test_learning_and_measuring_by_the_habit_imports_nothing_heavy(
    tmp_path: Path,
) -> None:
    sessions = str(shared(SESSIONS))
    manifest = str(shared("manifests/retail.json"))
    flow = str(tmp_path / "retail.flow.json")
    heavy = HEAVY | SHOWING | {"httpx2", "uvicorn"}

    learn = _imported("learn", sessions, "--manifest", manifest, "-o", flow)
    measured = _imported("phase0", sessions, "--manifest", manifest)
    replayed = _imported("replay", flow, sessions)
    audited = _imported("audit", flow, sessions)

    assert (learn | measured | replayed) & heavy == set()
    assert audited & (heavy | {"numpy"}) == set()
