"""What to call a server that nobody named."""

import re
from pathlib import PurePath
from urllib.parse import urlsplit

from stretto.hosts.server import Command, Server

_LAUNCHERS = re.compile(r"npx|bunx|pnpm|uvx?|pipx|node|bun|deno|python[\d.]*|tsx")
"""Programs that run a server, and say nothing of it by their own names."""
_VERBS = {"run", "exec", "dlx", "tool", "x"}
_SUFFIXES = {".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".exe"}


def derived(server: Server) -> str:
    """A name for a server; empty where its command suggests none."""
    if not isinstance(server, Command):
        return urlsplit(server.url).hostname or ""
    program, *arguments = server.words
    name = _stem(program)
    if name in ("docker", "podman"):  # options with values hide the image
        return ""
    if not _LAUNCHERS.fullmatch(name):
        return name
    told = (a for a in arguments if not a.startswith("-") and a not in _VERBS)
    return next(map(_stem, told), "")


def _stem(word: str) -> str:
    """The last part of a path or a package's name, without a version or a suffix."""
    last = PurePath(word).name
    name = re.split(r"(?<=.)(?:@|==)", last)[0]
    path = PurePath(name)
    return path.stem if path.suffix in _SUFFIXES else name
