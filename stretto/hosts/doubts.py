"""What a host may not find, which starts from another folder, with other variables."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from stretto.hosts.server import Address, Server


def doubts(server: Server, env: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each thing that a server's entry counts on."""
    if isinstance(server, Address):
        named = [header.partition("=")[2] for header in server.headers]
        for variable in (name for name in named if name not in env):
            yield f"the host has to have the variable {variable}, or get it by --env"
        return
    program, *arguments = server.words
    if shutil.which(program) is None:
        yield f"{program} is not on PATH, and is left as it is"
    for argument in arguments:
        path = Path(argument)
        if len(path.parts) > 1 and not path.is_absolute() and path.exists():
            yield f"{argument} is relative to this folder, which the host may not be in"
