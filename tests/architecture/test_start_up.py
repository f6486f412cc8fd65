"""What the commands that people run most may import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"jax", "numpyro", "mcp", "scipy"}

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

    assert _imported("flow-show", str(path)) & HEAVY == set()


def test_answering_from_what_is_kept_imports_nothing_that_speaks_http(
    tmp_path: Path,
) -> None:
    (tmp_path / "requests").write_text("")
    files = ("--requests", str(tmp_path / "requests"), "--out", str(tmp_path / "out"))

    assert _imported("ask", *files, "--oracle", "replay") & {*HEAVY, "httpx2"} == set()
