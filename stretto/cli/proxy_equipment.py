"""What the sessions of a proxy that acts are served with, as its options ask for it."""

import os
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from stretto.cli import proxy_guards
from stretto.cli.proxy_options import Options
from stretto.cli.unnamed import unnamed
from stretto.errors import CannotWrite
from stretto.flow.deciders.decider import decider
from stretto.flow.flow import Flow
from stretto.flow.run import Runner
from stretto.flow.wire import read_flow
from stretto.home import Home
from stretto.oracle.held_out import held_out
from stretto.oracle.installed import oracle
from stretto.oracle.oracle import Oracle
from stretto.oracle.settings import OracleSettings
from stretto.oracle.usual import JEV
from stretto.proxy.actions import Beside
from stretto.proxy.context import Context
from stretto.proxy.engine import Engine
from stretto.proxy.linelog import LineLog
from stretto.proxy.notes import note
from stretto.proxy.serving import Exploration, Serving, Structured
from stretto.proxy.session import Session
from stretto.proxy.tooltable import ToolTable


class Equipment:
    """
    A flow, guards, a conversation and commits, as far as the options ask for them.

    Raises:
        StrettoError: the flow cannot be read or served (`ProgramError` where its
            program names something that flows do not have), there are no such guards,
            or the oracle that the flow's decider asks lacks something.
    """

    def __init__(self, options: Options) -> None:
        asked = options.acting
        self._options, self._asked = options, asked
        self._flow = None if asked.flow is None else read_flow(asked.flow)
        self._weigher = (
            None if self._flow is None else decider(self._flow, asked.decider)
        )
        self._guards = proxy_guards.guards(asked)
        self.oracle = self._oracle()
        self._ask_by_name()
        self._confirming = proxy_guards.confirming(asked, self.oracle)
        self._runner = None if self._flow is None else Runner.of(self._flow)
        self._counts: Counter[str] = Counter()
        self._was_told = False
        if self._flow is not None and self._weigher is not None:
            shadow = ", in shadow" if asked.shadow else ""
            name = self._flow.manifest.domain or "unnamed"
            by = self._weigher.name
            asked_by = self.oracle if self._weigher.state() is not None else None
            asking = "" if asked_by is None else f", which asks {asked_by.name}"
            note(f"serving {name} from {asked.flow}, decided by {by}{asking}{shadow}")

    def engine(
        self, session: Session, *, nth: int = 0, tools: ToolTable | None = None
    ) -> Engine:
        """
        An engine for a session, or for one call in it.

        Args:
            nth: Which of the calls that say of no session that they are in it; from 1.
            tools: What the server has listed to them.
        """
        asked = self._asked
        about = self._options.about
        if nth and self._guards is not None and not self._was_told:
            self._was_told = True  # what came before such a call, no guard could know
            note("guards do not check calls that name no session")
        task = (asked.task or session.id()) + (f"#{nth}" if nth else "")
        explored = None
        if asked.explore is not None:
            explored = Exploration(asked.explore, asked.explore_seed, task)
        serving = Serving(
            token=secrets.token_hex(4),
            task=task,
            threshold=asked.threshold,
            per_call=asked.per_call,
            per_session=asked.per_session,
            hold_s=asked.hold_s,
            patience_s=asked.patience_s,
            answer_s=asked.answer_s,
            questions=asked.questions,
            shadow=asked.shadow,
            grants=frozenset(asked.tools) or None,
            server=_server(self._flow, about["server_name"] or about["domain"]),
            structured=Structured(asked.structured),
            relists=tools is None,
            exploration=explored,
            commit=asked.commit,
            guards=None if nth else self._guards,
            guards_shadow=asked.guards_shadow,
            refuses_unnamed=self._options.http.listen is None,
            confirming=None if nth else self._confirming,
        )
        return Engine(self._flow, self._weigher, serving, tools, self._runner)

    def log(self, session: Session, which: Beside) -> LineLog | None:
        """
        A log beside a session's own; None where there is to be none.

        Raises:
            CannotWrite: one was asked for that cannot be opened.
        """
        if not self._is_needed(which):
            return None
        if (named := self._asked.log_of(which.value)) is not None:
            return LineLog(_named(named, session))
        if self._options.record is None:
            return None
        folder = Path(self._options.record).expanduser()
        try:
            return LineLog(str(folder / f"{session.id()}.{which.value}.jsonl"))
        except CannotWrite as cause:
            note(f"{cause}; what would be in it is not logged")
            return None

    def logs(self, session: Session) -> Mapping[Beside, LineLog]:
        """Every log beside a session's own. Raises as `log` does."""
        opened = {which: self.log(session, which) for which in Beside}
        return {which: log for which, log in opened.items() if log is not None}

    def context(self, session: Session) -> Context | None:
        """The conversation beside a session; None where the host writes none."""
        path = self._asked.context
        return None if path is None else Context(_named(path, session))

    def count(self, counts: Counter[str]) -> None:
        """Add what came of the flow in an engine that is not used any more."""
        self._counts += counts

    def tell(self) -> None:
        """Say what the flow and the guards came to in all sessions."""
        if self._flow is not None:
            note(_told(self._counts))
        if self._guards is not None:
            note(proxy_guards.told(self._counts))

    def _is_needed(self, which: Beside) -> bool:
        needs = {
            Beside.FLOW: self._flow,
            Beside.GUARDS: self._guards,
            Beside.CONFIRM: self._confirming,
        }
        return needs[which] is not None

    def _ask_by_name(self) -> None:
        """Have requests name the model that is asked, if it is another than fitted."""
        named = self._asked.oracle_model
        if self._flow is None or self.oracle is None or named is None:
            return
        fitted, model = self._flow.model, self.oracle.model
        if model != fitted:
            note(f"the arbiter was fitted on answers of {fitted}, not {model}")
            self._flow = replace(self._flow, model=model)
            self._weigher = decider(self._flow, self._asked.decider)

    def _usual(self) -> str | None:
        """Whom the decider asks where nobody was named; None if it asks nobody."""
        if self._flow is None or self._weigher is None:
            return None
        is_named = self._asked.decider is not None
        self._weigher, name, warning = unnamed(
            self._flow, self._weigher, os.environ, is_named=is_named
        )
        if warning:
            note(warning)
        return name

    def _oracle(self) -> Oracle | None:
        """Whom the decider or the judge asks, if they ask anybody."""
        name = self._asked.oracle or self._usual()
        asks = self._weigher is not None and self._weigher.state() is not None
        if not asks and self._asked.confirm is None:
            return None
        name = name or JEV  # a judge asks where the decider does not
        cache, model = self._asked.oracle_cache, self._asked.oracle_model
        folder = Home.of(os.environ).oracle_cache if cache is None else Path(cache)
        settings = OracleSettings(model, folder.expanduser(), os.environ)
        return held_out(oracle(name, settings), self._asked.task or "")


_ODD = ("in text alone", "without room", "overtaken", "out of time", "failed")


def _told(counts: Counter[str]) -> str:
    """What the flow came to; what hosts may hide is told apart."""
    added = counts["added to"]
    text = f"{counts['lookups']} lookups, added to {added} of the results"
    odd = [f"{counts[name]} {name}" for name in _ODD if counts[name]]
    return f"{text} ({', '.join(odd)})" if odd else text


def _server(flow: Flow | None, named: str | None) -> str | None:
    """What a flow learned across servers calls this one."""
    spans = flow is not None and any("::" in tool for tool in flow.manifest.tools)
    return named if spans else None


def _named(path: str, session: Session) -> str:
    """A file's name; `{session}` in it is the session's."""
    return path.replace("{session}", session.host_session or session.id())
