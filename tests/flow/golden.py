"""Golden files: what was reviewed once, and has to stay as it is."""

import os

from tests.conftest import ROOT

GOLDEN = ROOT / "tests" / "golden"


def is_golden(name: str, text: str) -> bool:
    """
    Whether `text` is what the golden file holds.

    With `STRETTO_GOLDEN=write` in the environment it is written there instead, for a
    reviewer to look at as a diff.
    """
    path = GOLDEN / name
    if os.environ.get("STRETTO_GOLDEN") == "write":
        path.write_text(text + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8") == text + "\n"
