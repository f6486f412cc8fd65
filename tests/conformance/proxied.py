"""
The proxy in one of its HTTP modes, started for the suite.

`python -m tests.conformance.proxied listen PORT -- COMMAND…`, `relay PORT URL` or
`upstream URL`; with `--record DIR` before these, sessions are logged.
"""

import os
import sys
from functools import partial

from stretto.proxy.folder import LogFolder
from stretto.proxy.http import modes
from stretto.proxy.http.access import Address
from stretto.proxy.http.remote import Remote
from stretto.proxy.http.standing import Sessions, Stands, recorded
from stretto.proxy.serve import serve


def main(arguments: list[str]) -> int:
    """The exit status of the mode that is asked for."""
    folder = None
    if arguments[0] == "--record":
        folder = LogFolder(arguments[1])
        arguments = arguments[2:]
    match arguments:
        case ["relay", port, url]:
            return modes.relay(_at(port), url, stands=_stands(folder, url))
        case ["upstream", url]:
            return serve(partial(Remote, url))
        case ["listen", port, "--", *command]:
            return modes.host(_at(port), command, stands=_stands(folder, *command))
        case _:
            raise SystemExit(__doc__)


def _stands(folder: LogFolder | None, *command: str) -> Stands | None:
    return None if folder is None else recorded(Sessions(command, {}, folder))


def _at(port: str) -> modes.Listening:
    return modes.Listening(Address("127.0.0.1", int(port)))


if __name__ == "__main__":
    # Not `sys.exit`: a thread may still wait for the host.
    os._exit(main(sys.argv[1:]))
