"""The command line of `stretto-proxy`: what may be said, and nothing that is done."""

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stretto.cli.proxy_arguments import (
    ANSWER_S,
    CONFIRM_THRESHOLD,
    CONFIRMATIONS,
    HOLD_S,
    IDLE_MIN,
    LOG_MIB,
    PATIENCE_S,
    PER_CALL,
    PER_SESSION,
    QUESTIONS,
    THRESHOLD,
    parser,
)


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
    oracle: str | None = None
    oracle_model: str | None = None
    oracle_cache: str | None = None
    questions: int = QUESTIONS
    answer_s: float = ANSWER_S
    hold_s: float = HOLD_S
    patience_s: float = PATIENCE_S
    structured: str = "auto"
    commit: bool = False
    context: str | None = None
    guards: str | None = None
    guards_shadow: bool = False
    guards_manifest: str | None = None
    guards_log: str | None = None
    confirm: str | None = None
    confirm_second: str | None = None
    confirm_second_shadow: bool = False
    confirm_threshold: float = CONFIRM_THRESHOLD
    confirm_questions: int = CONFIRMATIONS
    confirm_log: str | None = None

    def log_of(self, which: str) -> str | None:
        """The file named for the log of `flow`, `guards` or `confirm`."""
        named = {"flow": self.log, "guards": self.guards_log}
        return {**named, "confirm": self.confirm_log}[which]

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.flow or self.commit or self.context or self.guards)


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
    log_mib: int = LOG_MIB

    @property
    def log_bytes(self) -> int:
        """How long a log may get before it goes on in another file."""
        return self.log_mib * 2**20

    @property
    def server(self) -> tuple[str, ...]:
        """What names the server: its command, or its URL alone."""
        return self.command if self.http.upstream is None else (self.http.upstream,)


def parsed(arguments: Sequence[str]) -> Options:
    """
    A command line's options.

    Raises:
        SystemExit: it is wrong, or asks for help.
    """
    reads = parser()
    own, dashes, command = _split(arguments)
    given = reads.parse_args(own)
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
        oracle=given.oracle,
        oracle_model=given.oracle_model,
        oracle_cache=given.oracle_cache,
        questions=given.flow_questions,
        answer_s=given.flow_answer,
        hold_s=given.flow_hold,
        patience_s=given.flow_patience,
        structured=given.structured,
        commit=given.commit,
        context=given.context,
        guards=given.guards,
        guards_shadow=given.guards_shadow,
        guards_manifest=given.guards_manifest,
        guards_log=given.guards_log,
        confirm=given.confirm_judge,
        confirm_second=given.confirm_second,
        confirm_second_shadow=given.confirm_second_shadow,
        confirm_threshold=given.confirm_threshold,
        confirm_questions=given.confirm_questions,
        confirm_log=given.confirm_log,
    )
    http = Http(
        listen=given.listen,
        token_file=given.listen_token_file,
        idle_min=given.listen_idle,
        upstream=given.upstream,
        headers=dict(given.upstream_header),
    )
    if wrong := _wrong(given, command, http):
        reads.error(wrong)
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
        given.log_size,
    )


def _wrong(given: argparse.Namespace, command: Sequence[str], http: Http) -> str | None:
    """What does not go together."""
    if command and http.upstream is not None:
        return "a server is either a command or --upstream URL"
    if not command and http.upstream is None:
        return "no server: put its command behind `--`, or give --upstream URL"
    if http.upstream is None and http.headers:
        return "--upstream-header needs --upstream URL"
    if given.retain_days is not None and given.record is None:
        return "--retain-days needs --record DIR"
    if given.confirm_judge is not None and None in (given.guards, given.context):
        return "--confirm-judge needs --guards and --context FILE"
    if given.confirm_judge is None and given.confirm_second is not None:
        return "--confirm-second needs --confirm-judge"
    if given.confirm_second_shadow and given.confirm_second is None:
        return "--confirm-second-shadow needs --confirm-second"
    return None


def _split(arguments: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """What is before the first `--`, the dashes if there are some, and the rest."""
    if "--" not in arguments:
        return [*arguments], "", []
    at = arguments.index("--")
    return [*arguments[:at]], "--", [*arguments[at + 1 :]]
