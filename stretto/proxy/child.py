"""The server's process: started, told to end, swept up after."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from stretto.errors import CannotStart
from stretto.proxy.orphans import Watcher, dies_with_this_thread

_POLL_S = 0.01


class Child:
    """
    A server in a session of its own, so that its whole group can be told to end.

    It has the proxy's environment, folder, standard error and inherited descriptors;
    only its input and output are the proxy's. To be made by the main thread: it dies
    with the thread that made it.

    Raises:
        CannotStart: there is no such program, or it may not be run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                close_fds=False,
                start_new_session=True,
                preexec_fn=dies_with_this_thread(),
            )
        except (OSError, ValueError) as cause:
            raise CannotStart(command[0], cause) from cause
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.input = self._process.stdin.fileno()
        self.output = self._process.stdout.fileno()
        self._watcher = Watcher(self._process.pid)

    def wait(self) -> None:
        """Return when it has ended."""
        self._process.wait()

    def signal(self, number: int) -> None:
        """Send a signal to it and to everything it started that stayed in its group."""
        with suppress(OSError):
            os.killpg(self._process.pid, number)

    def sweep(self, patience: float) -> None:
        """
        End what it left running in its group, once it has ended itself.

        Asked first, and killed after `patience` seconds.
        """
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + patience
        while self._has_left_something() and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        self.signal(signal.SIGKILL)
        self._watcher.dismiss()

    def close(self) -> None:
        """Let go of its input and output, for a proxy that outlives it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    @property
    def status(self) -> int:
        """Its exit status, `128 + n` where signal n ended it."""
        code = self._process.returncode
        if code is None:  # killed, and still not gone: the kernel is busy with it
            return 128 + signal.SIGKILL
        return code if code >= 0 else 128 - code

    def _has_left_something(self) -> bool:
        group = self._process.pid
        try:
            with suppress(ChildProcessError):
                os.waitpid(-group, os.WNOHANG)  # ours, where the proxy is process 1
            os.killpg(group, 0)
        except OSError:
            return False
        return True
