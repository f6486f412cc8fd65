"""An engine driven in memory: two sides, a clock, and all that was kept."""

import json
from collections.abc import Callable
from pathlib import Path

from stretto.errors import OracleError
from stretto.oracle.answer import Response
from stretto.oracle.question import Request
from stretto.proxy.actions import (
    Action,
    Beside,
    Consult,
    Forward,
    Log,
    Note,
    Record,
    Send,
    Side,
    WakeAt,
)
from stretto.proxy.engine import Engine
from stretto.proxy.entry import as_message, as_text, header, verbatim
from stretto.proxy.lines import Line


class Desk:
    """
    Both sides of an engine.

    Args:
        serves: What the server says to a request of the proxy's, at once; None for
            nothing yet.
        answers: What the oracle answers, at once; None for nothing yet.
    """

    def __init__(
        self,
        engine: Engine,
        serves: Callable[[dict], object] = lambda _: None,
        answers: Callable[[Request], Response | OracleError | None] = lambda _: None,
    ) -> None:
        self.engine, self.serves, self.answers = engine, serves, answers
        self.questions: list[Consult] = []
        self.now = 100.0
        self.host: list[bytes] = []
        self.server: list[bytes] = []
        self.entries: list[bytes] = []
        self.decisions: list[dict] = []
        self.checks: list[dict] = []
        self.judgements: list[dict] = []
        self.notes: list[str] = []
        self.due: float | None = None

    def host_says(self, said: object, stream: str = "") -> None:
        self.do(self.engine.host_line(line(said), self.now, stream))

    def server_says(self, said: object, stream: str = "") -> None:
        self.do(self.engine.server_line(line(said), self.now, stream))

    def context_says(self, role: str, content: str) -> None:
        said = line({"role": role, "content": content})
        self.do(self.engine.context_line(said, self.now))

    def oracle_says(self, id: str, answer: Response | OracleError) -> None:
        self.do(self.engine.consulted(id, answer, self.now))

    def wait(self, seconds: float) -> None:
        """Let time pass, waking the engine when it asked for it."""
        end = self.now + seconds
        while self.due is not None and self.due <= end:
            self.now, self.due = max(self.now, self.due), None
            self.do(self.engine.tick(self.now))
            assert self.due is None or self.due > self.now
        self.now = end

    def do(self, actions: list[Action]) -> None:
        """Do what the engine wants done, in order."""
        answers: list[object] = []
        told: list[tuple[str, Response | OracleError]] = []
        for action in actions:
            match action:
                case Forward(Side.HOST, said) | Send(Side.HOST, said):
                    self.host.append(said)
                case Forward(Side.SERVER, said):
                    self.server.append(said)
                case Send(Side.SERVER, said):
                    self.server.append(said)
                    answers.append(self.serves(json.loads(said)))
                case Record(sender, said):
                    self.entries.append(self._entry(sender, said))
                case Log(said, Beside.FLOW):
                    self.decisions.append(json.loads(said))
                case Log(said, Beside.GUARDS):
                    self.checks.append(json.loads(said))
                case Log(said, Beside.CONFIRM):
                    self.judgements.append(json.loads(said))
                case Consult(id, request):
                    self.questions.append(action)
                    if (answer := self.answers(request)) is not None:
                        told.append((id, answer))
                case Note(text):
                    self.notes.append(text)
                case WakeAt(time):
                    self.due = time if self.due is None else min(time, self.due)
        for answer in answers:
            if answer is not None:
                self.server_says(answer)
        for id, answer in told:
            self.oracle_says(id, answer)

    def log(self, folder: Path) -> Path:
        """The session log, as the recorder would have it."""
        path = folder / "session.jsonl"
        first = {"session": "s", "started_unix_ms": 0, "server_command": []}
        path.write_bytes(header(first) + b"".join(self.entries))
        return path

    def _entry(self, sender, said: bytes) -> bytes:
        t_ms, whole = int(self.now * 1000), said.rstrip(b"\n")
        value = verbatim(whole)
        if value is None:
            return as_text(t_ms, sender, Line(whole, len(whole)))
        return as_message(t_ms, sender, value)


def line(said: object) -> bytes:
    """A message as a line; bytes as they are."""
    return said if isinstance(said, bytes) else json.dumps(said).encode() + b"\n"
