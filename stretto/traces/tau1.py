"""τ-bench: a list of runs, each with its chat and the benchmark's own grade."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from stretto.canonical import Json
from stretto.episodes.episode import Episode
from stretto.traces.calls import answered
from stretto.traces.completions import chat_events
from stretto.traces.decode import Unreadable
from stretto.traces.expected import expected_calls
from stretto.traces.head import Head
from stretto.traces.ledger import Ledger
from stretto.traces.reader import ReadOptions
from stretto.traces.record import (
    first_object,
    grade,
    label,
    mapping,
    objects,
    one_each,
    session_id,
    whole,
    words,
)
from stretto.traces.stream import Record

_CALL_IN_TEXT = re.compile(r'Action:\s*\{\s*"name"')


class Tau1:
    """Runs of τ-bench. Neither domain nor agent is in its files."""

    def sniff(self, head: Head) -> bool:
        """Whether it begins with a run."""
        run = first_object(head.value)
        is_cut = "task_id" in run and "user_id" in mapping(_task(run))
        return "traj" in run or is_cut

    def read(
        self,
        paths: Sequence[Path],
        options: ReadOptions,  # noqa: ARG002
        ledger: Ledger,
    ) -> Iterator[Episode]:
        """One episode per run; runs that crashed are counted."""
        return one_each(paths, ledger, _episode)


READER = Tau1()


def _task(run: dict[str, Json]) -> Json:
    return mapping(run.get("info")).get("task")


def _episode(path: Path, ledger: Ledger, record: Record) -> Episode | None:
    run = record.value
    if not isinstance(run, dict):
        raise Unreadable("is not an object")
    if "traj" not in run:
        raise Unreadable("has no `traj`")
    messages = objects(run["traj"], "traj")
    if not messages:
        ledger.count("crashed")
        return None
    if _has_calls_in_text(messages):
        raise Unreadable("holds its calls inside the text, as `act` and `react` do")
    return Episode(
        session_id(record, path, run.get("id")),
        answered(chat_events(messages, ledger), ledger),
        task=label(run.get("task_id")),
        trial=whole(run.get("trial")),
        reward=grade(run.get("reward")) or 0.0,
        expected=expected_calls(mapping(_task(run)).get("actions"), given="kwargs"),
    )


def _has_calls_in_text(messages: list[dict[str, Json]]) -> bool:
    said = [m for m in messages if m.get("role") == "assistant"]
    return not any(m.get("tool_calls") for m in said) and any(
        _CALL_IN_TEXT.search(words(m.get("content"))) for m in said
    )
