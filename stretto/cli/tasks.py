"""Which tasks a command learns from or is measured on."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import click

from stretto.files import read_json

Side: TypeAlias = Literal["train", "test"]

Tasks: TypeAlias = Callable[[str], bool]
"""Says of a task whether it is among the chosen."""

TENS = "tens"
"""The split of numbered tasks that come with none: 6 to 9 of every ten are held out."""


def tasks(side: Side) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Has the command take `--split` and `--tasks`, as one `tasks` (None: all)."""
    verb = "learned from" if side == "train" else "measured on"

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @click.option(
            "--split",
            metavar=f"FILE|{TENS}",
            help=f"JSON with task ids under `train` and `test`: only the {side} tasks "
            f"are {verb}. `{TENS}` splits numbered tasks by their last digit.",
        )
        @click.option(
            "--tasks",
            "named",
            metavar="A,B,…",
            help=f"Only these tasks are {verb}; with --split, of those only.",
        )
        @functools.wraps(command)
        def wrapped(split: str | None, named: str | None, **others: object) -> None:
            command(tasks=chosen(split, named, side), **others)

        return wrapped

    return decorate


def chosen(split: str | None, named: str | None, side: Side) -> Tasks | None:
    """
    The tasks asked for; None for every one.

    Raises:
        FormatError: the split file does not have its shape.
        UsageError: a named task is not on this side of the split.
    """
    within = None if split is None else _side(split, side)
    if named is None:
        return within
    wanted = {name.strip() for name in named.split(",")} - {""}
    if within is not None and (stray := sorted(t for t in wanted if not within(t))):
        names = ", ".join(stray)
        raise click.UsageError(f"not among the split's {side} tasks: {names}")
    return wanted.__contains__


def _side(split: str, side: Side) -> Tasks:
    if split == TENS:
        return functools.partial(_in_tens, side)
    node = read_json(Path(split))
    return frozenset(task.text() for task in node[side].array()).__contains__


def _in_tens(side: Side, task: str) -> bool:
    return task.isdecimal() and (int(task) % 10 < 6) == (side == "train")
