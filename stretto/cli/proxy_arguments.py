"""The arguments of `stretto-proxy`, as its help tells them."""

import argparse
from typing import NoReturn

from stretto import __version__
from stretto.cli.proxy_values import (
    count,
    days,
    header,
    mebibytes,
    number,
    seconds,
    share,
)
from stretto.proxy.notes import note
from stretto.proxy.parted import MOST
from stretto.proxy.serve import GRACE_S

NAME = "stretto-proxy"
OWN_FAILURE = 125
"""The exit status that says the proxy failed, not the server."""
SESSION_VARIABLE = "STRETTO_SESSION"
THRESHOLD, PER_CALL, PER_SESSION, HOLD_S, PATIENCE_S = 0.3, 8, 40, 5.0, 3.0
QUESTIONS, ANSWER_S = 300, 1.5
CONFIRM_THRESHOLD, CONFIRMATIONS = 0.5, 100
"""A flow's defaults, said here so that asking for help does not load its machinery."""
IDLE_MIN = 240.0
LOG_MIB = MOST // 2**20

_ABOUT = """\
Stand between an MCP host and one server, and record what passes.

Put it before the server's command wherever the host keeps that. Every byte passes as
it came, in both directions; the server keeps its environment and its standard error.
"""
_MORE = f"""\
The exit status is the server's, 128 + n where signal n ended it, {OWN_FAILURE} where
the proxy failed, and 2 where its options are wrong. {SESSION_VARIABLE} in the
environment names the host's session in the log, so that the logs of several servers
can be put together.

Example:
  {NAME} --record ~/sessions --domain shop -- npx -y @acme/shop-server
  stretto learn ~/sessions -o shop.flow.json
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        note(f"{message}; `{NAME} --help` shows how it is used")
        self.exit(2)


def parser() -> argparse.ArgumentParser:
    """Reads what stands before the server's command."""
    made = _Parser(
        prog=NAME,
        usage=f"{NAME} [options] -- SERVER [ARGUMENT]...",
        description=_ABOUT,
        epilog=_MORE,
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=26, width=88
        ),
    )
    add = made.add_argument
    add("--version", action="version", version=f"{NAME} {__version__}")
    add("--record", metavar="DIR", help="keep a log of the session in this folder")
    add("--domain", metavar="NAME", help="what the server is about, for the log")
    add("--agent-model", metavar="NAME", help="which model the agent is, for the log")
    add("--server-name", metavar="NAME", help="what to call the server in the log")
    add(
        "--retain-days",
        metavar="N",
        type=days,
        help="delete logs in DIR that a proxy wrote more than N days ago",
    )
    add(
        "--log-size",
        metavar="MIB",
        type=mebibytes,
        default=LOG_MIB,
        help="how long a log may get before it goes on in another file; default "
        f"{LOG_MIB}",
    )
    add(
        "--grace",
        metavar="SECONDS",
        type=seconds,
        default=GRACE_S,
        help="how long the server may take to end, each time that it is told to; "
        f"default {GRACE_S:g}",
    )
    _add_flow(made)
    _add_guards(made)
    _add_http(made)
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return made


def _add_flow(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("serving a flow").add_argument
    add("--flow", metavar="FILE", help="the flow to run behind the agent's calls")
    add(
        "--flow-decider",
        metavar="NAME",
        help="habit, reach or arbiter; else the flow's own",
    )
    add(
        "--flow-threshold", metavar="P", type=number, default=THRESHOLD,
        help=f"how likely a lookup and its arguments have to be; default {THRESHOLD}",
    )  # fmt: skip
    add(
        "--flow-per-call", metavar="N", type=count, default=PER_CALL,
        help=f"lookups behind one call; default {PER_CALL}",
    )  # fmt: skip
    add(
        "--flow-per-session", metavar="N", type=count, default=PER_SESSION,
        help=f"lookups in the session; default {PER_SESSION}",
    )  # fmt: skip
    add(
        "--flow-tools", metavar="A,B", action="append", default=[],
        help="the only tools that the flow may call; may be said again",
    )  # fmt: skip
    add("--flow-shadow", action="store_true", help="decide and log, look nothing up")
    add("--flow-log", metavar="FILE", help="where decisions go; else beside the log")
    add(
        "--flow-explore", metavar="E", type=share,
        help="take another lookup at this rate; 0 logs how likely each was",
    )  # fmt: skip
    add("--flow-explore-seed", metavar="N", type=count, default=0, help="of the draws")
    add("--task-id", metavar="ID", help="what the session is about, for the draws")
    add(
        "--flow-hold", metavar="SECONDS", type=seconds, default=HOLD_S,
        help=f"how long a result may be held back in all; default {HOLD_S:g}",
    )  # fmt: skip
    add(
        "--flow-patience", metavar="SECONDS", type=seconds, default=PATIENCE_S,
        help=f"how long one lookup may take; default {PATIENCE_S:g}",
    )  # fmt: skip
    add(
        "--flow-questions", metavar="N", type=count, default=QUESTIONS,
        help=f"decisions in the session that may ask; default {QUESTIONS}",
    )  # fmt: skip
    add(
        "--flow-answer", metavar="SECONDS", type=seconds, default=ANSWER_S,
        help=f"how long one answer of the oracle may take; default {ANSWER_S:g}",
    )  # fmt: skip
    add(
        "--oracle", metavar="NAME",
        help="the System-One model that is asked: jev, openai, local, replay, "
        "mock or another that is installed; default jev, or local where no key is set "
        "and train-local has left a model in ~/.stretto that beats the habit",
    )  # fmt: skip
    add(
        "--oracle-model", metavar="NAME",
        help="which model of it, or the file of local's; default the flow's own",
    )  # fmt: skip
    add(
        "--oracle-cache", metavar="DIR",
        help="where its answers are kept; default ~/.stretto/oracle-cache",
    )  # fmt: skip
    add(
        "--structured", choices=("auto", "text", "strip"), default="auto",
        help="where lookups go in results with structured content: into it too where "
        "its schema can be opened, into the text alone, or it is taken out; "
        "default auto",
    )  # fmt: skip
    add("--commit", action="store_true", help="offer the agent stretto_commit")
    add("--context", metavar="FILE", help="the conversation, as the host writes it")


def _add_guards(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("guarding writes").add_argument
    add(
        "--guards", metavar="NAME|FILE",
        help="check calls against these rules before the server gets them: airline, "
        "retail, another installed set, or a rule file",
    )  # fmt: skip
    add("--guards-shadow", action="store_true", help="only log, refuse nothing")
    add(
        "--guards-manifest", metavar="FILE",
        help="take records only from tools that this file says read or write",
    )  # fmt: skip
    add("--guards-log", metavar="FILE", help="where checks go; else beside the log")
    add(
        "--confirm-judge", choices=("log", "enforce"),
        help="ask the oracle whether the user agreed to a write that the guards let "
        "pass, and log that, or refuse the write; needs --guards and --context",
    )  # fmt: skip
    add(
        "--confirm-second", choices=("described", "proposed"),
        help="another question to ask about each write, which decides too",
    )  # fmt: skip
    add(
        "--confirm-second-shadow", action="store_true",
        help="only log the answer to that one",
    )  # fmt: skip
    add(
        "--confirm-threshold", metavar="P", type=share, default=CONFIRM_THRESHOLD,
        help=f"below this a probability is a no; default {CONFIRM_THRESHOLD}",
    )  # fmt: skip
    add(
        "--confirm-questions", metavar="N", type=count, default=CONFIRMATIONS,
        help=f"questions in the session about writes; default {CONFIRMATIONS}",
    )  # fmt: skip
    add("--confirm-log", metavar="FILE", help="where answers go; else beside the log")


def _add_http(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("over HTTP").add_argument
    add("--listen", metavar="ADDRESS", help="serve hosts at HOST:PORT, not on stdio")
    add("--listen-token-file", metavar="FILE", help="the token that hosts have to know")
    add(
        "--listen-idle", metavar="MINUTES", type=seconds, default=IDLE_MIN,
        help=f"when a session without requests ends; default {IDLE_MIN:g}",
    )  # fmt: skip
    add("--upstream", metavar="URL", help="the server, in place of a command")
    add(
        "--upstream-header", metavar="NAME=VARIABLE", action="append", default=[],
        type=header, help="send the server a header that is in the environment",
    )  # fmt: skip
