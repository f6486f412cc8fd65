"""
What a model of one's own would be worth without one of its parts.

    python -m benchmarks.local_tried                  # all, one after the other
    python -m benchmarks.local_tried "no words"

Each variant is cross-fitted on one run of retail sessions, in a process of its own, and
its mean log loss on the steps of held-out tasks is printed, with its gain on the habit.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import click
import optax

from benchmarks.local_model import FILES, SEED, SHARED
from stretto.episodes.manifest import read_manifest
from stretto.evaluate.local import LOCAL, compare, judged
from stretto.learn.local import local_cases, local_flows
from stretto.models import local, local_folds
from stretto.oracle.local.case import Case
from stretto.oracle.local.clues import Clues
from stretto.oracle.wording import shipped_wording
from stretto.traces.reader import read

RUN = SHARED / "sessions" / FILES["retail"]["gpt-4.1-mini"][0]

Change = Callable[[Clues], Clues]

WITHOUT: dict[str, Change] = {
    "as it is": lambda seen: seen,
    "no words": lambda seen: seen._replace(words=()),
    "no marks of the state": lambda seen: seen._replace(marks=()),
    "nothing of an option alone": lambda seen: seen._replace(
        own=tuple(() for _ in seen.own)
    ),
}
"""What is left out of what is looked at."""

SETTINGS: dict[str, dict[str, object]] = {
    "nothing dropped": {"DROPPED": 0.0},
    "no decay": {"_OPTIMISER": optax.adam(local.RATE)},
    "dimension 4": {"DIM": 4},
    "dimension 32": {"DIM": 32},
}
"""Other constants of the training."""

SUCCESSES = "only sessions that succeeded"


@click.command()
@click.argument("variants", nargs=-1)
def main(variants: Sequence[str]) -> None:
    """Run the variants named, or all."""
    if len(variants) != 1:
        for name in variants or [*WITHOUT, *SETTINGS, SUCCESSES]:
            subprocess.run(
                [sys.executable, "-m", "benchmarks.local_tried", name], check=True
            )
        return
    [name] = variants
    for constant, value in SETTINGS.get(name, {}).items():
        setattr(local, constant, value)
    sessions = [session for session in read([RUN]) if session.events]
    flows = local_flows(sessions, read_manifest(SHARED / "manifests" / "retail.json"))
    change = WITHOUT.get(name, WITHOUT["as it is"])
    cases = _changed(local_cases(sessions, flows, shipped_wording()), change)
    taught = cases
    if name == SUCCESSES:
        succeeded = [session for session in sessions if session.succeeded]
        taught = local_cases(succeeded, flows, shipped_wording())
    networks = local_folds.cross_fit(taught, seed=SEED)
    found = compare(judged(networks.members, cases))
    gain, (low, high) = found.gains[LOCAL]
    loss = found.scores[LOCAL].log_loss
    print(f"| {name} | {loss:.3f} | {gain:.3f} [{low:.3f}, {high:.3f}] |", flush=True)


def _changed(cases: Sequence[Case], change: Change) -> list[Case]:
    return [replace(case, clues=change(case.clues)) for case in cases]


if __name__ == "__main__":
    main()
