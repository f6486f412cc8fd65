"""What several tests share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"


def shared(path: str) -> Path:
    """A file of the shared data, or a skip where the data are absent."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(
            f"the shared data are not beside the checkout (../shared/data/{path})"
        )
    return found
