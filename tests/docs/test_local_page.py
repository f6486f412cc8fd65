"""The page on models of one's own names every field of their files."""

import json
import re

from stretto.files import MAX_BYTES
from stretto.models.local_folds import CrossFitted, training
from stretto.oracle.local.calibration import HIGHEST, LOWEST
from stretto.oracle.local.clues import clues
from stretto.oracle.local.file import FIELD, MAX_WIDTH, VERSION, local_bytes
from stretto.oracle.local.tensors import (
    MAX_AXES,
    MAX_HEADER,
    MAX_TENSORS,
    parse_tensors,
)
from tests.docs.console import DOCS
from tests.oracle.local.models import model_of
from tests.oracle.local.test_clues import OPTIONS, desk

PAGE = (DOCS / "reference" / "local-models.md").read_text(encoding="utf-8")

FILE = parse_tensors(local_bytes(model_of(clues(desk(), OPTIONS))), "f")

ABOUT = json.loads(FILE.texts["about"])


def listed(head: str) -> set[str]:
    """What the first column of the table under this head names."""
    table = PAGE.partition(f"| {head} | holds |")[2].partition("\n\n")[0]
    return {*re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)}


def test_the_page_names_the_arrays_and_fields_that_are_written_and_no_other() -> None:
    assert listed("array") == {re.sub(r"^\w+", "PLACE", name) for name in FILE.arrays}
    assert listed("field") == ABOUT.keys()
    assert listed("field of `provenance`") == ABOUT["provenance"].keys()
    for calibration in ABOUT["calibrations"].values():
        assert listed("field of `calibrations`") == calibration.keys()
    assert FILE.texts.keys() == {FIELD, "about"}


def test_the_page_names_what_of_a_training_is_kept() -> None:
    line = next(n for n in PAGE.splitlines() if n.startswith("| `settings` |"))

    for setting in training(7, CrossFitted({}, {})):
        assert f"`{setting}`" in line


def test_the_pages_limits_are_those_in_force() -> None:
    assert f"`{FIELD}`, the format's version, `{VERSION}`" in PAGE
    assert f"{LOWEST} to {HIGHEST:g}" in PAGE
    assert f"more than {MAX_BYTES // 2**20} MiB" in PAGE
    assert f"a header of more than {MAX_HEADER // 2**20} MiB" in PAGE
    assert f"more than {MAX_TENSORS} arrays" in PAGE
    assert f"rows wider than {MAX_WIDTH}" in PAGE
    assert MAX_AXES == 2
    assert "more than two axes" in PAGE
