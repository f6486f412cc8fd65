"""`stretto-proxy` with a flow, a conversation or commits: one session on stdio."""

import os
import secrets
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from stretto.cli.proxy_options import Acting as Asked
from stretto.cli.proxy_options import Options
from stretto.errors import CannotWrite
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.flow.wire import read_flow
from stretto.proxy.acting import Acting
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.garbage import leave_the_old
from stretto.proxy.notes import note
from stretto.proxy.pump import Outlet
from stretto.proxy.record import Recorder
from stretto.proxy.serve import Server, serve
from stretto.proxy.serving import Exploration, Serving, Structured
from stretto.proxy.session import Session


def run(
    options: Options,
    starts: Callable[[], Server],
    session: Session,
    recorder: Recorder | None,
) -> int:
    """
    The exit status of a session that a flow is served in.

    Raises:
        StrettoError: the flow cannot be read or served, or its log not written.
    """
    asked = options.acting
    flow = None if asked.flow is None else read_flow(asked.flow)
    weigher = None if flow is None else decider(flow, asked.decider)
    serving = _serving(options, session, flow)
    if flow is not None and weigher is not None:
        shadow = ", in shadow" if asked.shadow else ""
        name = flow.manifest.domain or "unnamed"
        note(f"serving {name} from {asked.flow}, decided by {weigher.name}{shadow}")
    engine = Engine(flow, weigher, serving)
    acting = Acting(
        engine,
        recorder=recorder,
        decided=None if flow is None else _decisions(options, session),
        context=None if asked.context is None else Context(_named(asked, session)),
    )
    leave_the_old()
    status = serve(
        starts,
        recorder=recorder,
        between=acting.between,
        grace_s=options.grace_s,
    )
    acting.finish()
    if flow is not None:
        note(_told(engine.counts))
    return status


def _told(counts: Counter[str]) -> str:
    """What the flow came to in the session; what hosts may hide is told apart."""
    added = counts["added to"]
    text = f"{counts['lookups']} lookups, added to {added} of the results"
    odd = [
        f"{counts[name]} {name}"
        for name in ("in text alone", "without room", "out of time", "failed")
        if counts[name]
    ]
    return f"{text} ({', '.join(odd)})" if odd else text


def _serving(options: Options, session: Session, flow: Flow | None) -> Serving:
    asked = options.acting
    explored = None
    if asked.explore is not None:
        task = asked.task or session.id()
        explored = Exploration(asked.explore, asked.explore_seed, task)
    named = options.about["server_name"] or options.about["domain"]
    spans_servers = flow is not None and any("::" in t for t in flow.manifest.tools)
    return Serving(
        token=secrets.token_hex(4),
        threshold=asked.threshold,
        per_call=asked.per_call,
        per_session=asked.per_session,
        hold_s=asked.hold_s,
        patience_s=asked.patience_s,
        shadow=asked.shadow,
        grants=frozenset(asked.tools) or None,
        server=named if spans_servers else None,
        structured=Structured(asked.structured),
        exploration=explored,
        commit=asked.commit,
    )


def _named(asked: Asked, session: Session) -> str:
    """The conversation's file; `{session}` in its name is the session's."""
    name = session.host_session or session.id()
    return str(asked.context).replace("{session}", name)


def _decisions(options: Options, session: Session) -> Outlet | None:
    """Where decisions are logged: where that is asked for, or beside the log."""
    path = options.acting.log
    if path is not None:
        path = path.replace("{session}", session.host_session or session.id())
    elif options.record is not None:
        folder = Path(options.record).expanduser()
        path = str(folder / f"{session.id()}.flow.jsonl")
    else:
        return None
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        fd = os.open(path, flags, 0o600)
    except OSError as cause:
        if options.acting.log is not None:
            raise CannotWrite(f"{path} cannot be written: {cause.strerror}") from cause
        note(f"{path} cannot be written: {cause.strerror}; decisions are not logged")
        return None
    return Outlet(fd, lambda: note(f"{path} takes no more; decisions are not logged"))
