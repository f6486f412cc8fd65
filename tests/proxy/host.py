"""The host's end of a proxy, or of a server: a process, and pipes that never hang."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stretto.canonical import Json

SERVERS = Path(__file__).parent / "servers"
PROXY = [sys.executable, "-c", "from stretto.cli.proxy import main; main()"]
PATIENCE_S = 60.0
"""How long a test waits for something before it fails."""


def server(name: str, *args: str) -> list[str]:
    """The command of one of the tests' servers."""
    return [sys.executable, str(SERVERS / f"{name}.py"), *args]


def request(id: Json, method: str = "tools/call", **params: Json) -> bytes:
    """A request's line."""
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


INITIALIZE = request(0, "initialize", clientInfo={"name": "test", "version": "1"})


class Host:
    """
    A host that started `command`.

    Args:
        fds: What the process gets as input and output in place of new pipes.
    """

    def __init__(self, command: Sequence[str], **popen: Any) -> None:
        pipes = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        self.process = subprocess.Popen(command, bufsize=0, **{**pipes, **popen})
        self._said = b""
        self._noted = b""

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no process and no pipe behind, however the test went."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    @classmethod
    def behind_proxy(cls, server: Sequence[str], *options: str, **popen: Any) -> "Host":
        """A host whose server is behind a proxy with these options."""
        return cls([*PROXY, *options, "--", *server], **popen)

    def send(self, data: bytes) -> None:
        """Write all of `data`."""
        rest = memoryview(data)
        while rest:
            _, ready, _ = select.select([], [self.process.stdin], [], PATIENCE_S)
            assert ready, "nobody reads what the host writes"
            rest = rest[os.write(self.process.stdin.fileno(), rest[: 2**15]) :]

    def line(self) -> bytes:
        """The next line, with its line feed; what is left where there is none."""
        while b"\n" not in self._said and (more := self._read(self.process.stdout)):
            self._said += more
        line, feed, self._said = self._said.partition(b"\n")
        return line + feed

    def exactly(self, size: int) -> bytes:
        """The next `size` bytes, or fewer at the end."""
        pieces, n = [self._said], len(self._said)
        while n < size and (more := self._read(self.process.stdout)):
            pieces.append(more)
            n += len(more)
        said = b"".join(pieces)
        self._said = said[size:]
        return said[:size]

    def rest(self) -> bytes:
        """Everything up to the end."""
        return self.exactly(2**60)

    def ask(self, *args: Json, **params: Json) -> Any:
        """What a request is answered with."""
        self.send(request(*args, **params))
        return json.loads(self.line())

    def hang_up(self) -> None:
        """Close the process's input."""
        self.process.stdin.close()

    def wait(self) -> int:
        """The process's exit status."""
        return self.process.wait(PATIENCE_S)

    def end(self) -> int:
        """The exit status after closing the input and reading to the end."""
        self.hang_up()
        self._said += self.rest()
        return self.wait()

    def noted(self) -> list[str]:
        """The lines on standard error, up to its end."""
        while more := self._read(self.process.stderr):
            self._noted += more
        return self._noted.decode().splitlines()

    def note(self) -> str:
        """The next line on standard error."""
        while b"\n" not in self._noted and (more := self._read(self.process.stderr)):
            self._noted += more
        line, _, self._noted = self._noted.partition(b"\n")
        return line.decode()

    def _read(self, pipe: Any) -> bytes:
        ready, _, _ = select.select([pipe], [], [], PATIENCE_S)
        assert ready, "the other side said nothing"
        return os.read(pipe.fileno(), 2**16)


class Watched:
    """A process that is not a child of the test's, to be waited for or killed."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._fd = os.pidfd_open(pid)

    def has_ended(self, within_s: float = PATIENCE_S) -> bool:
        """Whether it ends, waiting for it as long."""
        ready, _, _ = select.select([self._fd], [], [], within_s)
        return bool(ready)

    def close(self) -> None:
        """Kill what is left of it."""
        if not self.has_ended(0):
            os.kill(self.pid, 9)
        os.close(self._fd)


def peak_memory(pid: int) -> int:
    """How much memory a running process has had at most, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def log_in(folder: Path) -> Path:
    """The one log in a folder."""
    (path,) = folder.glob("*.jsonl")
    return path


def entries(path: Path) -> list[dict[str, Any]]:
    """A log's entries, without its header."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[1:-1]]
