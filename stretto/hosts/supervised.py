"""
A proxy that listens, as whatever keeps programs running on this machine is told of it.

On Linux that is systemd's manager of the user's services, on macOS launchd. Both start
programs without a shell, so the words stand apart, and the search path is written out.
"""

import os
import plistlib
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from stretto.errors import CannotWrite
from stretto.files import write_text

_PLAIN = re.compile(r"[A-Za-z0-9@+=:,./_-]+")
_NOT_AGAIN = "2 125"
"""The proxy's statuses for options that are wrong and for its own failure."""


class Service(NamedTuple):
    """A file that says how to keep a program running, and how to have it heeded."""

    path: Path
    text: str
    commands: tuple[str, ...]
    """For a shell, in order, once the file is there."""

    def write(self) -> bool:
        """
        Whether the file had to be written; nobody else may read it.

        Raises:
            CannotWrite: it cannot be.
        """
        try:
            if self.path.exists() and self.path.read_text("utf-8") == self.text:
                return False
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
        except (OSError, ValueError) as cause:
            raise CannotWrite(f"{self.path} cannot be written: {cause}") from cause
        write_text(self.path, self.text)
        return True


def service(
    name: str, words: Sequence[str], env: Mapping[str, str], platform: str
) -> Service | None:
    """
    The service that runs a command; None where the platform has no such keeper.

    Args:
        name: The server's, as files and labels can have it.
        words: The command, its program's path in full.
        env: The variables to run it with.
        platform: As `sys.platform` spells it.
    """
    if platform == "linux":
        return _systemd(name, words, env)
    if platform == "darwin":
        return _launchd(name, words, env)
    return None


def here(name: str, words: Sequence[str], env: Mapping[str, str]) -> Service | None:
    """As `service`, on this machine, with the search path of this shell."""
    path = {"PATH": os.environ["PATH"]} if "PATH" in os.environ else {}
    return service(name, words, {**path, **env}, sys.platform)


def _systemd(name: str, words: Sequence[str], env: Mapping[str, str]) -> Service:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    unit = f"stretto-{name}"
    variables = "".join(
        f"Environment={_word(f'{key}={value}')}\n" for key, value in env.items()
    )
    program, *arguments = words
    line = " ".join([_word(program), *(_word(word, "$") for word in arguments)])
    text = (
        f"[Unit]\nDescription=stretto-proxy before {name}\n\n"
        f"[Service]\nExecStart={line}\n{variables}"
        # The proxy ends its servers itself, and says nothing new about wrong options.
        f"KillMode=mixed\nRestart=on-failure\nRestartPreventExitStatus={_NOT_AGAIN}\n\n"
        "[Install]\nWantedBy=default.target\n"
    )
    return Service(
        Path(home, "systemd", "user", f"{unit}.service"),
        text,
        (
            "systemctl --user daemon-reload",
            f"systemctl --user enable --now {unit}",
        ),
    )


def _launchd(name: str, words: Sequence[str], env: Mapping[str, str]) -> Service:
    label = f"stretto.{name}"
    library = Path.home() / "Library"
    path = library / "LaunchAgents" / f"{label}.plist"
    said = {
        "Label": label,
        "ProgramArguments": [*words],
        "EnvironmentVariables": {**env},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "StandardErrorPath": str(library / "Logs" / f"{label}.log"),
    }
    command = f"launchctl bootstrap gui/$(id -u) {shlex.quote(str(path))}"
    return Service(path, plistlib.dumps(said, sort_keys=False).decode(), (command,))


def _word(word: str, doubled: str = "") -> str:
    """
    A word as a unit file spells it.

    Args:
        doubled: What else means something there, beside the percent sign.
    """
    spelled = word.replace("\\", "\\\\").replace('"', '\\"')
    spelled = spelled.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    for sign in f"%{doubled}":
        spelled = spelled.replace(sign, sign * 2)
    return word if _PLAIN.fullmatch(word) else f'"{spelled}"'
