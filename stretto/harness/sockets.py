"""The sockets a flow is asked at: a port of this machine, or a file."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

from stretto.errors import CannotWrite, StrettoError


def tcp(host: str, port: int) -> socket.socket:
    """
    A socket bound to a port; 0 is any that is free.

    Raises:
        StrettoError: it is taken, or the machine has no such address.
    """
    try:
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(where[:2], family=family)
    except OSError as cause:
        raise StrettoError(
            f"{host}:{port} cannot be listened at: {cause.strerror or cause}",
            hint="port 0 takes any that is free",
        ) from cause


def unix(path: Path) -> socket.socket:
    """
    A socket bound to a file that its owner alone may use.

    A file that an ended server left behind is replaced.

    Raises:
        CannotWrite: the file is something else, or another server's.
    """
    bound = socket.socket(socket.AF_UNIX)
    try:
        _clear(path)
        bound.bind(str(path))
        path.chmod(0o600)
        bound.listen()  # nobody could connect before
    except OSError as cause:
        bound.close()
        raise CannotWrite(
            f"{path} cannot be made a socket: {cause.strerror or cause}"
        ) from cause
    except CannotWrite:
        bound.close()
        raise
    return bound


def _clear(path: Path) -> None:
    """Remove a socket that nobody listens at."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise CannotWrite(f"{path} is there already, and is no socket")
    with socket.socket(socket.AF_UNIX) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            with suppress(FileNotFoundError):
                path.unlink()
            return
    raise CannotWrite(f"another server listens at {path}")
