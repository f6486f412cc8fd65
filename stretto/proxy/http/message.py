"""What a JSON-RPC message is, as far as passing it on asks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from stretto.proxy.http.spelling import Path, members

META = "_meta"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

ID: Path = ("id",)
REQUEST_ID: Path = ("params", "requestId")
PROGRESS_TOKEN: Path = ("params", "progressToken")
ASKED_TOKEN: Path = ("params", META, "progressToken")
SUBSCRIPTION: Path = ("params", META, SUBSCRIPTION_KEY)
"""Where a message names a request, its own or another."""

_NULL = b"null"


@dataclass(frozen=True)
class Message:
    """A JSON object taken for a message."""

    raw: bytes
    spelled: Mapping[str, bytes]
    """The values of its members, as they are spelled."""

    @classmethod
    def of(cls, raw: bytes) -> "Message":
        """The message; without any members where that is no JSON object."""
        return cls(raw, members(raw))

    @property
    def id(self) -> bytes | None:
        """Its id as it is spelled; None where it has none, or null."""
        id = self.spelled.get("id")
        return None if id == _NULL else id

    @cached_property
    def method(self) -> str | None:
        """What it asks or tells; None for an answer."""
        return text(self.spelled.get("method"))

    @property
    def is_request(self) -> bool:
        """Whether it is to be answered."""
        return self.method is not None and self.id is not None

    @property
    def is_answer(self) -> bool:
        """Whether it answers a request."""
        has_outcome = "result" in self.spelled or "error" in self.spelled
        return self.method is None and self.id is not None and has_outcome

    @cached_property
    def params(self) -> dict[str, bytes]:
        """What it says more, as that is spelled."""
        return members(self.spelled.get("params", b""))

    @cached_property
    def meta(self) -> dict[str, bytes]:
        """What its parameters say about themselves, as that is spelled."""
        return members(self.params.get(META, b""))


def text(spelled: bytes | None) -> str | None:
    """The string that is spelled like that; None where that is no string."""
    if spelled is None or not spelled.startswith(b'"'):
        return None
    try:
        value = json.loads(spelled)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def one_line(message: bytes) -> bytes:
    """The same JSON without line ends; they mean nothing outside of strings."""
    return message.replace(b"\r", b" ").replace(b"\n", b" ").strip()
