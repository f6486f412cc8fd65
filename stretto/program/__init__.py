"""A flow's run after one call, as a small probabilistic program."""
