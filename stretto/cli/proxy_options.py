"""The command line of `stretto-proxy`: what may be said, and nothing that is done."""

import argparse
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from stretto import __version__
from stretto.proxy.notes import note
from stretto.proxy.serve import GRACE_S

NAME = "stretto-proxy"
OWN_FAILURE = 125
"""The exit status that says the proxy failed, not the server."""
SESSION_VARIABLE = "STRETTO_SESSION"
THRESHOLD, PER_CALL, PER_SESSION, HOLD_S, PATIENCE_S = 0.3, 8, 40, 5.0, 3.0
"""A flow's defaults, said here so that asking for help does not load its machinery."""
IDLE_MIN = 240.0

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


class Acting(NamedTuple):
    """What the proxy is to do beside passing everything on."""

    flow: str | None = None
    decider: str | None = None
    threshold: float = THRESHOLD
    per_call: int = PER_CALL
    per_session: int = PER_SESSION
    tools: tuple[str, ...] = ()
    shadow: bool = False
    explore: float | None = None
    explore_seed: int = 0
    task: str | None = None
    log: str | None = None
    hold_s: float = HOLD_S
    patience_s: float = PATIENCE_S
    structured: str = "auto"
    commit: bool = False
    context: str | None = None

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.flow or self.commit or self.context)


class Http(NamedTuple):
    """Which sides speak HTTP."""

    listen: str | None = None
    token_file: str | None = None
    idle_min: float = IDLE_MIN
    upstream: str | None = None
    headers: Mapping[str, str] = {}
    """By name, the environment variables that hold what to send the server."""


class Options(NamedTuple):
    """A command line, read."""

    command: tuple[str, ...]
    record: str | None
    retain_days: int | None
    grace_s: float
    about: Mapping[str, str | None]
    """What it says about the session, by the header's fields."""
    acting: Acting = Acting()
    http: Http = Http()


def parsed(arguments: Sequence[str]) -> Options:
    """
    A command line's options.

    Raises:
        SystemExit: it is wrong, or asks for help.
    """
    parser = _parser()
    own, dashes, command = _split(arguments)
    given = parser.parse_args(own)
    if given.command and dashes:  # the dashes are the server's own
        command = [*given.command, dashes, *command]
    command = command or given.command
    acting = Acting(
        flow=given.flow,
        decider=given.flow_decider,
        threshold=given.flow_threshold,
        per_call=given.flow_per_call,
        per_session=given.flow_per_session,
        tools=tuple(t for tools in given.flow_tools for t in tools.split(",") if t),
        shadow=given.flow_shadow,
        explore=given.flow_explore,
        explore_seed=given.flow_explore_seed,
        task=given.task_id,
        log=given.flow_log,
        hold_s=given.flow_hold,
        patience_s=given.flow_patience,
        structured=given.structured,
        commit=given.commit,
        context=given.context,
    )
    http = Http(
        listen=given.listen,
        token_file=given.listen_token_file,
        idle_min=given.listen_idle,
        upstream=given.upstream,
        headers=dict(given.upstream_header),
    )
    if wrong := _wrong(given, command, acting, http):
        parser.error(wrong)
    about = {
        "domain": given.domain,
        "agent_model": given.agent_model,
        "server_name": given.server_name,
    }
    return Options(
        tuple(command),
        given.record,
        given.retain_days,
        given.grace,
        about,
        acting,
        http,
    )


def _wrong(
    given: argparse.Namespace, command: Sequence[str], acting: Acting, http: Http
) -> str | None:
    """What does not go together."""
    if command and http.upstream is not None:
        return "a server is either a command or --upstream URL"
    if not command and http.upstream is None:
        return "no server: put its command behind `--`"
    if http.upstream is not None and http.listen is None:
        return (
            "--upstream needs --listen ADDRESS: this build has no host on stdio for it"
        )
    if http.listen is not None and acting.is_needed:
        return "a flow, a context and commits need a host on stdio: leave out --listen"
    if http.upstream is None and http.headers:
        return "--upstream-header needs --upstream URL"
    if given.retain_days is not None and given.record is None:
        return "--retain-days needs --record DIR"
    return None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        note(f"{message}; `{NAME} --help` shows how it is used")
        self.exit(2)


def _parser() -> _Parser:
    parser = _Parser(
        prog=NAME,
        usage=f"{NAME} [options] -- SERVER [ARGUMENT]...",
        description=_ABOUT,
        epilog=_MORE,
        allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=26, width=88
        ),
    )
    add = parser.add_argument
    add("--version", action="version", version=f"{NAME} {__version__}")
    add("--record", metavar="DIR", help="keep a log of the session in this folder")
    add("--domain", metavar="NAME", help="what the server is about, for the log")
    add("--agent-model", metavar="NAME", help="which model the agent is, for the log")
    add("--server-name", metavar="NAME", help="what to call the server in the log")
    add(
        "--retain-days",
        metavar="N",
        type=_days,
        help="delete logs in DIR that a proxy wrote more than N days ago",
    )
    add(
        "--grace",
        metavar="SECONDS",
        type=_seconds,
        default=GRACE_S,
        help="how long the server may take to end, each time that it is told to; "
        f"default {GRACE_S:g}",
    )
    _add_flow(parser)
    _add_http(parser)
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _add_flow(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("serving a flow").add_argument
    add("--flow", metavar="FILE", help="the flow to run behind the agent's calls")
    add("--flow-decider", metavar="NAME", help="habit or reach; else the flow's own")
    add(
        "--flow-threshold", metavar="P", type=_number, default=THRESHOLD,
        help=f"how likely a lookup and its arguments have to be; default {THRESHOLD}",
    )  # fmt: skip
    add(
        "--flow-per-call", metavar="N", type=_count, default=PER_CALL,
        help=f"lookups behind one call; default {PER_CALL}",
    )  # fmt: skip
    add(
        "--flow-per-session", metavar="N", type=_count, default=PER_SESSION,
        help=f"lookups in the session; default {PER_SESSION}",
    )  # fmt: skip
    add(
        "--flow-tools", metavar="A,B", action="append", default=[],
        help="the only tools that the flow may call; may be said again",
    )  # fmt: skip
    add("--flow-shadow", action="store_true", help="decide and log, look nothing up")
    add("--flow-log", metavar="FILE", help="where decisions go; else beside the log")
    add(
        "--flow-explore", metavar="E", type=_share,
        help="take another lookup at this rate; 0 logs how likely each was",
    )  # fmt: skip
    add("--flow-explore-seed", metavar="N", type=_count, default=0, help="of the draws")
    add("--task-id", metavar="ID", help="what the session is about, for the draws")
    add(
        "--flow-hold", metavar="SECONDS", type=_seconds, default=HOLD_S,
        help=f"how long a result may be held back in all; default {HOLD_S:g}",
    )  # fmt: skip
    add(
        "--flow-patience", metavar="SECONDS", type=_seconds, default=PATIENCE_S,
        help=f"how long one lookup may take; default {PATIENCE_S:g}",
    )  # fmt: skip
    add(
        "--structured", choices=("auto", "text", "strip"), default="auto",
        help="where lookups go in results with structured content: into it too where "
        "its schema can be opened, into the text alone, or it is taken out; "
        "default auto",
    )  # fmt: skip
    add("--commit", action="store_true", help="offer the agent stretto_commit")
    add("--context", metavar="FILE", help="the conversation, as the host writes it")


def _add_http(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("over HTTP").add_argument
    add("--listen", metavar="ADDRESS", help="serve hosts at HOST:PORT, not on stdio")
    add("--listen-token-file", metavar="FILE", help="the token that hosts have to know")
    add(
        "--listen-idle", metavar="MINUTES", type=_seconds, default=IDLE_MIN,
        help=f"when a session without requests ends; default {IDLE_MIN:g}",
    )  # fmt: skip
    add("--upstream", metavar="URL", help="the server, in place of a command")
    add(
        "--upstream-header", metavar="NAME=VARIABLE", action="append", default=[],
        type=_header, help="send the server a header that is in the environment",
    )  # fmt: skip


def _split(arguments: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """What is before the first `--`, the dashes if there are some, and the rest."""
    if "--" not in arguments:
        return [*arguments], "", []
    at = arguments.index("--")
    return [*arguments[:at]], "--", [*arguments[at + 1 :]]


def _days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0")
    return seconds


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0")
    return number


def _share(text: str) -> float:
    if (share := _number(text)) > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return share


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def _header(text: str) -> tuple[str, str]:
    name, equals, variable = text.partition("=")
    if not (name and equals and variable):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VARIABLE")
    return name, variable
