"""Many runs of one program, scored at once: its statements on arrays, a lane a run."""

from stretto.program.batch.choices import Batch
from stretto.program.batch.runs import Fault
from stretto.program.batch.score import Scores, score
from stretto.program.batch.table import Tabled

__all__ = ["Batch", "Fault", "Scores", "Tabled", "score"]
