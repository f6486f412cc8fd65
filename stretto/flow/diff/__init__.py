"""What changed between two flows, and what of it a reviewer has to look at."""

from stretto.flow.diff.change import Change, Code
from stretto.flow.diff.compare import Difference, compare
from stretto.flow.diff.render import show_difference

__all__ = ["Change", "Code", "Difference", "compare", "show_difference"]
