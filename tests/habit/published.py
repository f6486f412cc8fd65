"""The habits whose concentration is published: which sessions, and what it came to."""

import json
from collections.abc import Callable
from typing import NamedTuple

from stretto.episodes.episode import Episode
from stretto.episodes.manifest import read_manifest
from stretto.episodes.vocabulary import Vocabulary
from stretto.habit.encode import Encoded, encode
from stretto.habit.features import NO_FEATURES
from stretto.traces.reader import read
from tests.conftest import shared

_CODESQUE = "sessions/tau2-retail-codesque16/retail__"
_SIERRA = "sessions/tau2-sierra-prs/"
_RUN1 = f"{_CODESQUE}gpt-4.1-mini__run1__114.jsonl.gz"


class Habit(NamedTuple):
    """A published habit's sessions."""

    files: tuple[str, ...]
    manifest: str
    split: str
    """`train` of that domain's split, `tens` for τ-bench's, or `all`."""
    used: int
    training: int
    vocab_size: int
    alpha: tuple[float, float, float]
    """The median, and the ends of the 90% interval."""


HABITS = {
    "retail": Habit((_RUN1,), "retail", "retail", 50, 74, 18, (5.347, 4.276, 6.677)),
    "retail-pooled": Habit(
        (
            _RUN1,
            f"{_CODESQUE}gpt-5-mini__114.jsonl.gz",
            f"{_CODESQUE}gemini-3-flash__tasks-verified__114.jsonl.gz",
        ),
        "retail",
        "retail",
        153,
        222,
        18,
        (5.719, 4.864, 6.713),
    ),
    "airline": Habit(
        (
            f"{_SIERRA}airline__gpt-4o-2024-11-20__50.json.gz",
            f"{_SIERRA}airline__claude-opus-4-6-button__50.json.gz",
        ),
        "airline",
        "airline",
        37,
        60,
        16,
        (9.362, 7.144, 12.219),
    ),
    "tau-bench-airline": Habit(
        ("sessions/tau1-sierra/airline__gpt-4o__50x4.json.gz",),
        "airline-v1",
        "tens",
        48,
        120,
        16,
        (10.068, 7.623, 13.259),
    ),
    "telecom": Habit(
        (f"{_SIERRA}telecom__gpt-4.1__40.json.gz",),
        "telecom",
        "all",
        18,
        40,
        15,
        (2.647, 1.768, 3.898),
    ),
    "telecom-solo": Habit(
        (f"{_SIERRA}telecom-solo__gpt-4.1__40.json.gz",),
        "telecom-solo",
        "all",
        20,
        40,
        45,
        (4.062, 3.310, 4.988),
    ),
}


class Sessions(NamedTuple):
    """A published habit's episodes, read."""

    training: list[Episode]
    vocab: Vocabulary

    @property
    def used(self) -> list[Episode]:
        """The successful ones, which the habit counts."""
        return [episode for episode in self.training if episode.succeeded]

    @property
    def encoded(self) -> list[Encoded]:
        """The successful ones, without code features."""
        return [encode(episode, self.vocab, NO_FEATURES) for episode in self.used]


def sessions(habit: Habit) -> Sessions:
    """The habit's sessions, or a skip where the shared data are absent."""
    episodes = list(read([shared(file) for file in habit.files]))
    manifest = read_manifest(shared(f"manifests/{habit.manifest}.json"))
    called = {call.tool for e in episodes for turn in e.turns for call in turn.calls}
    learns = _split(habit.split)
    return Sessions(
        [episode for episode in episodes if learns(episode.task)],
        Vocabulary.of(called | manifest.tools.keys()),
    )


def _split(name: str) -> Callable[[str], bool]:
    match name:
        case "all":
            return lambda _: True
        case "tens":
            return lambda task: int(task) % 10 < 6
        case _:
            split = json.loads(shared(f"splits/{name}.json").read_text())
            train = {str(task) for task in split["train"]}
            return lambda task: task in train
