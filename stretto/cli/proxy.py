"""
`stretto-proxy`: what a host starts in place of a server's command.

A host waits for it whenever it starts a server, so it imports what a session needs and
no more. The way in which the other commands read options would take longer than that.
"""

import argparse
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from stretto import __version__
from stretto.errors import StrettoError
from stretto.proxy.folder import LogFolder
from stretto.proxy.journal import Journal
from stretto.proxy.notes import note
from stretto.proxy.record import Recorder
from stretto.proxy.serve import GRACE_S, serve
from stretto.proxy.session import Session, host_session

NAME = "stretto-proxy"
OWN_FAILURE = 125
"""The exit status that says the proxy failed, not the server."""
SESSION_VARIABLE = "STRETTO_SESSION"

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


class Options(NamedTuple):
    """A command line, read."""

    command: tuple[str, ...]
    record: str | None
    retain_days: int | None
    grace_s: float
    about: Mapping[str, str | None]
    """What it says about the session, by the header's fields."""


def main() -> NoReturn:
    """Run a session, and end the process with its exit status."""
    # Not `sys.exit`: a thread still waits for the host, and would be waited for.
    os._exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit status of a session as the command line asks for it."""
    try:
        options = parsed(arguments)
        _open_standard_streams()
        return serve(
            options.command, recorder=_recorder(options), grace_s=options.grace_s
        )
    except SystemExit as end:
        sys.stdout.flush()  # the help, if that was asked for
        return end.code if isinstance(end.code, int) else 0
    except StrettoError as error:
        note(f"{error} ({error.hint})" if error.hint else str(error))
    except Exception:  # a bug: the host must not take its status for the server's
        sys.excepthook(*sys.exc_info())
    return OWN_FAILURE


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
    if not command:
        parser.error("no server: put its command behind `--`")
    if given.retain_days is not None and given.record is None:
        parser.error("--retain-days needs --record DIR")
    about = {
        "domain": given.domain,
        "agent_model": given.agent_model,
        "server_name": given.server_name,
    }
    return Options(tuple(command), given.record, given.retain_days, given.grace, about)


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
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


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


def _recorder(options: Options) -> Recorder | None:
    if options.record is None:
        return None
    folder = LogFolder(options.record, options.retain_days)
    host = host_session(os.environ.get(SESSION_VARIABLE))
    session = Session.beginning(options.command, host_session=host, **options.about)
    return Recorder(Journal(lambda: folder.new_log(session)))


def _open_standard_streams() -> None:
    """
    Lead the standard streams that the host closed nowhere.

    The next file opened would take such a stream's place, and get what is meant for it.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
