"""The options that say which System-One model is asked, and what."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TypeAlias

import click

from stretto.cli.number import Number, Whole
from stretto.cli.oracle_choice import OracleChoice, temperatures
from stretto.oracle.omit import read_omission
from stretto.oracle.order import SEED, Orders
from stretto.oracle.question import MAX_OPTIONS
from stretto.oracle.settings import FOLDER, OracleSettings

Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]


def names(*, default: str = "jev") -> Decorator:
    """Has the command take which oracle and model it is about, as one `choice`."""
    return _taking((_kind(default), _MODEL))


def asks(*, dollars: float, default: str | None = "jev") -> Decorator:
    """
    Has the command take which oracle answers requests, as one `choice`.

    Args:
        dollars: The budget unless another is given.
        default: The oracle unless another is named.
    """
    return _taking((_kind(default), _MODEL, *_ANSWERING, _budget(dollars)))


def live() -> Decorator:
    """Has a command that asks as it serves take whom and how, as one `choice`."""
    return _taking((_LIVE, _MODEL, cache_option, _QUESTIONS, *_SHOWN))


def questions(*, dollars: float, default: str | None = None) -> Decorator:
    """As `asks`, with the options that say what is asked about a step."""
    return _taking((_kind(default), _MODEL, *_ANSWERING, _budget(dollars), *_ASKING))


def judges(*, dollars: float) -> Decorator:
    """As `asks`, with the options that say how one question is asked."""
    return _taking((_JUDGE, _MODEL, *_ANSWERING, _budget(dollars), *_WORDED))


def _taking(options: Sequence[Decorator]) -> Decorator:
    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def wrapped(
            oracle: str | None,
            oracle_model: str | None,
            oracle_cache: Path = FOLDER,
            oracle_limit: int | None = None,
            oracle_budget: float = 0.0,
            oracle_dump: Path | None = None,
            questions: Path | None = None,
            predicates: Path | None = None,
            temperature: str | None = None,
            orders: int | None = None,
            order_seed: int = SEED,
            omit: tuple[str, ...] = (),
            **others: object,
        ) -> None:
            choice = OracleChoice(
                oracle,
                OracleSettings(oracle_model, oracle_cache, os.environ),
                oracle_budget,
                oracle_limit,
                oracle_dump,
                questions,
                predicates,
                None if temperature is None else temperatures(temperature),
                None if orders is None else Orders(orders, order_seed),
                tuple(map(read_omission, omit)),
            )
            command(choice=choice, **others)

        decorated: Callable[..., None] = wrapped
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


_FILE = click.Path(path_type=Path, dir_okay=False)


def _kind(default: str | None) -> Decorator:
    return click.option(
        "--oracle",
        metavar="NAME",
        default=default,
        show_default=default is not None,
        help="Which System-One model answers: jev, openai, local (of `train-local`), "
        "replay (only what is kept), mock, or another that is installed.",
    )


_JUDGE = click.option(
    "--oracle",
    metavar="NAME",
    default="jev",
    show_default=True,
    help="Which System-One model answers: jev, openai, replay (only what is kept), "
    "mock, or another that is installed; none asks nobody, and tells what takes no "
    "model.",
)


def _budget(dollars: float) -> Decorator:
    return click.option(
        "--oracle-budget",
        type=Number(min=0),
        metavar="DOLLARS",
        default=dollars,
        show_default=True,
        help="Ask nothing if it would cost more; what is kept costs nothing.",
    )


cache_option = click.option(
    "--oracle-cache",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    default=FOLDER,
    show_default=True,
    help="Where answers are kept.",
)

_LIVE = click.option(
    "--oracle",
    metavar="NAME",
    help="Which System-One model answers: jev, openai, local, replay, mock, or another "
    "that is installed. If left out, jev, or local where no key is set and train-local "
    "has left a model in ~/.stretto that beats the habit.",
)

_MODEL = click.option(
    "--oracle-model",
    metavar="NAME",
    help="The model to ask, which is part of an answer's key; of local, its file.",
)

_ANSWERING: Sequence[Decorator] = (
    cache_option,
    click.option(
        "--oracle-limit",
        type=Whole(min=0),
        metavar="N",
        help="Ask only the first N requests, by key.",
    ),
)

_DUMP = click.option(
    "--oracle-dump",
    type=_FILE,
    metavar="FILE",
    help="Also write the requests, a line each; as sensitive as the sessions.",
)

_QUESTIONS = click.option(
    "--questions",
    type=_FILE,
    metavar="FILE",
    help="The words to ask in, instead of stretto's own.",
)

_TEMPERATURE = click.option(
    "--temperature",
    metavar="T|FILE",
    help="Divide the answers' log probabilities by T, or by a file's T for each "
    "type of question.",
)

_ORDERS: Sequence[Decorator] = (
    click.option(
        "--orders",
        type=click.IntRange(1, MAX_OPTIONS),
        metavar="N",
        help="Ask every choice with its options numbered, in N orders, and average; "
        "in no more than it has options. If left out, they stand by name.",
    ),
    click.option(
        "--order-seed",
        type=click.IntRange(0, 2**31 - 1),
        default=SEED,
        show_default=True,
        help="What the orders are drawn from.",
    ),
)

_WORDED: Sequence[Decorator] = (_DUMP, _QUESTIONS, _TEMPERATURE, *_ORDERS)

_SHOWN: Sequence[Decorator] = (
    _TEMPERATURE,
    *_ORDERS,
    click.option(
        "--omit",
        multiple=True,
        metavar="TOOL:PATH",
        help="Leave this field out of what the model is shown of a tool's arguments "
        "and results; * is any tool.",
    ),
)

_ASKING: Sequence[Decorator] = (
    click.option(
        "--oracle-dump",
        type=_FILE,
        metavar="FILE",
        help="Also write the requests, a line each; as sensitive as the sessions.",
    ),
    _QUESTIONS,
    click.option(
        "--predicates",
        type=_FILE,
        metavar="FILE",
        help="The yes/no questions asked beside, instead of stretto's own.",
    ),
    *_SHOWN,
)

requests_file: Decorator = click.option(
    "--requests",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Requests, one a line, alone or as --oracle-dump writes them; - is standard "
    "input.",
)
