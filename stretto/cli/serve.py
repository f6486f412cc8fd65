"""`stretto serve`: a flow's decisions, for harnesses that are no MCP host."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import click

from stretto.cli.deciding import Deciding
from stretto.cli.examples import example
from stretto.cli.number import PROBABILITY, Number, Whole
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import live
from stretto.errors import StrettoError
from stretto.flow.decide import THRESHOLD
from stretto.harness.lines import LineServer
from stretto.harness.query import ANSWER_S, MAX_QUESTIONS, Desk
from stretto.harness.sockets import tcp, unix
from stretto.proxy.http.access import Address, address, token_in


@click.command(
    epilog=example(
        "stretto serve shop.flow.json --listen 127.0.0.1:7070",
        "stretto serve shop.flow.json --socket flow.sock --decider habit",
    )
)
@click.argument("flow", type=click.Path(path_type=Path))
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:0",
    show_default=True,
    help="Where to listen; port 0 is any that is free.",
)
@click.option(
    "--socket",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Listen at this Unix socket instead, for yourself alone.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Answer only queries whose `token` is the one in this file.",
)
@click.option(
    "--decider",
    metavar="NAME",
    help="Who decides: arbiter, habit or reach; if left out, the arbiter where the "
    "flow has one, else reach where it counted it.",
)
@live()
@click.option(
    "--answer-time",
    type=Number(min=0),
    default=ANSWER_S,
    show_default=True,
    metavar="SECONDS",
    help="How long the oracle may take over a query; past it the flow hands back.",
)
@click.option(
    "--threshold",
    type=PROBABILITY,
    default=THRESHOLD,
    show_default=True,
    help="How likely a lookup and its arguments together have to be to be made.",
)
@click.option(
    "--max-questions",
    type=Whole(min=0),
    default=MAX_QUESTIONS,
    show_default=True,
    metavar="N",
    help="Hand back in sessions with more tool results than that.",
)
def serve(
    flow: Path,
    listen: str,
    file: Path | None,
    token_file: str | None,
    decider: str | None,
    choice: OracleChoice,
    answer_time: float,
    threshold: float,
    max_questions: int,
) -> None:
    """
    Answer other harnesses with a flow's decisions.

    A query is a line of JSON, {"task_id": …, "messages": […]}: a session so far, as
    τ²-bench writes messages, its last one a tool's result. The answer is a line: a
    lookup to make, with its tool and arguments, or hand_back with its reason; a query
    that cannot be read is answered with an error. Several may follow on a connection.

    Once it listens, standard error says where. It goes on until it is told to end.
    """
    token = None if token_file is None else token_in(token_file)
    deciding = Deciding.of(flow, decider, choice)
    desk = Desk(
        deciding.flow,
        deciding.decider,
        threshold,
        max_questions,
        deciding.choice.oracle() if deciding.asks else None,
        answer_time,
    )
    server = LineServer(
        lambda query: desk.answer(query).json(), token, waits=deciding.asks
    )
    listening = _tcp(address(listen), token) if file is None else unix(file)
    try:
        asyncio.run(_serve(server, listening, file))
    finally:
        if file is not None:
            with suppress(OSError):
                file.unlink()


async def _serve(
    server: LineServer, listening: socket.socket, file: Path | None
) -> None:
    where = file or Address(*listening.getsockname()[:2]).spelled
    click.echo(f"ready on {where}", err=True)
    await server.run_until_told(listening)


def _tcp(where: Address, token: str | None) -> socket.socket:
    if token is None and not where.is_loopback:
        raise StrettoError(
            f"{where.host} can be reached from other machines",
            hint="listen at 127.0.0.1 or at --socket FILE, or give --token-file FILE",
        )
    return tcp(where.host, where.port)
