"""
A host's file: its servers read, one of them changed, everything else left as it was.

A change is checked before it is written: read again, the file holds what it held but
for the one entry, and every comment. Errors quote nothing of a file, which may hold
secrets.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stretto.canonical import Json
from stretto.errors import CannotWrite, FormatError
from stretto.files import read_text, write_text
from stretto.hosts.host import Host
from stretto.hosts.server import Entry
from stretto.hosts.syntax import CannotEdit

COPY = ".before-stretto"
"""How the name of the copy ends that is kept of a file as it was."""


@dataclass(frozen=True, slots=True)
class Config:
    """The text of a host's file."""

    host: Host
    path: Path
    text: str
    """Empty where there is no file yet."""

    @classmethod
    def read(cls, host: Host, path: Path | None = None) -> "Config":
        """
        The host's file, or another of its kind; one that is not there holds nothing.

        Raises:
            FormatError: it cannot be read, or is broken.
        """
        config = cls.empty(host, path)
        if config.path.exists():
            config = replace(config, text=read_text(config.path))
        config._values(config.text)
        return config

    @classmethod
    def empty(cls, host: Host, path: Path | None = None) -> "Config":
        """A file of the host with nothing in it."""
        return cls(host, path or host.file(), "")

    def entries(self) -> Mapping[str, Entry]:
        """The servers' entries by name, those that are objects."""
        servers = self._values(self.text).get(self.host.section)
        found = servers.items() if isinstance(servers, dict) else ()
        return {name: entry for name, entry in found if isinstance(entry, dict)}

    def having(self, name: str, entry: Entry) -> "Config":
        """
        The file with that entry in it, in place of one of the same name.

        Raises:
            CannotWrite: it cannot be changed without changing something else.
        """
        put, path = self.host.syntax.put, (self.host.section, name)
        old = self.entries().get(name)
        text = self.text
        try:
            if old is None or old.keys() - entry.keys():
                text = put(text, path, {**entry})
            else:
                for key, value in entry.items():
                    if key not in old or old[key] != value:
                        text = put(text, (*path, key), value)
            self._check(text, name, entry)
        except CannotEdit as cause:
            raise CannotWrite(
                f"{self.path} is not changed: {cause}",
                hint=f"without --write the entry is printed, to be put there by hand; "
                f"it goes under `{self.host.section}`",
            ) from cause
        return replace(self, text=text)

    def write(self) -> Path | None:
        """
        Write the file, and a copy of the old one beside it: where that is, if any.

        A link is followed, and stays a link.

        Raises:
            CannotWrite: the folder is closed, or the disk is full.
        """
        path = self.path.resolve() if self.path.is_symlink() else self.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            copy = _copied(path) if path.exists() else None
        except OSError as cause:
            raise CannotWrite(
                f"{self.path} cannot be written: {cause.strerror or cause}"
            ) from cause
        write_text(path, self.text)
        return copy

    def _values(self, text: str) -> dict[str, Json]:
        try:
            return self.host.syntax.parse(text)
        except ValueError as cause:
            raise FormatError(str(self.path), str(cause)) from cause

    def _check(self, text: str, name: str, entry: Entry) -> None:
        syntax, section = self.host.syntax, self.host.section
        wanted = syntax.parse(self.text)
        servers = wanted.get(section, {})
        if not isinstance(servers, dict):
            raise CannotEdit(f"`{section}` is no object")
        wanted[section] = {**servers, name: {**entry}}
        try:
            is_as_wanted = syntax.parse(text) == wanted
        except ValueError:
            is_as_wanted = False
        if not is_as_wanted:
            raise CannotEdit("it is written in a way that is not understood")
        if Counter(syntax.comments(self.text)) - Counter(syntax.comments(text)):
            raise CannotEdit("a comment in the entry would be lost")


def _copied(path: Path) -> Path:
    """A copy of a file, which whoever may not read the file may not read either."""
    copy = path.with_name(path.name + COPY)
    copy.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(copy, flags, path.stat().st_mode & 0o777), "wb") as file:
        file.write(path.read_bytes())
    return copy
