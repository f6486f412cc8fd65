"""
JSON-RPC with its values replaced: every message of every batch, whoever sent it.

What is not known to be the protocol's own is a value.
"""

import re

from stretto.canonical import Json
from stretto.traces.messages import Message, request_key, response_key
from stretto.traces.redact.content import leaves, lines, name, text
from stretto.traces.redact.values import Under, Values
from stretto.traces.sessionlog import CUT, GAP, Sender

METHODS = frozenset(
    f"{of}/{what}" if of else what
    for of, whats in {
        "": "initialize ping",
        "completion": "complete",
        "elicitation": "create",
        "logging": "setLevel",
        "notifications": "cancelled elicitation/complete initialized message progress "
        "prompts/list_changed resources/list_changed resources/updated "
        "roots/list_changed tasks/status tools/list_changed",
        "prompts": "get list",
        "resources": "list read subscribe templates/list unsubscribe",
        "roots": "list",
        "sampling": "createMessage",
        "server": "discover",
        "tasks": "cancel get list result",
        "tools": "call list",
    }.items()
    for what in whats.split()
) | {GAP, CUT}  # fmt: skip

_TYPES = frozenset({"text", "image", "audio", "resource", "resource_link"})
_OF_A_TOOL = frozenset(
    {"title", "description", "inputSchema", "outputSchema", "annotations"}
)
_ABOUT = frozenset(
    {"io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/serverInfo"}
)
_FIELDS = _ABOUT | {
    "_meta", "arguments", "bytes", "clientInfo", "code", "content", "data", "error",
    "from", "id", "isError", "jsonrpc", "lines", "message", "method", "name", "params",
    "requestId", "result", "role", "serverInfo", "structuredContent", "text", "tools",
    "type", "version",
}  # fmt: skip
"""The keys that are the protocol's."""
_OWN_ID = re.compile(r"stretto-(?:[0-9a-f]{1,16}-)?[0-9]{1,12}")
_CALLED = re.compile(r"[A-Za-z0-9_.:/ ()+-]{1,64}")
_MOST = 2**53


class Wire:
    """One log's messages, in the order they were read."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._asked: dict[str, Json] = {}
        """By its id, what each request asks for that is answered with names."""

    def replaced(self, sender: Sender, message: Json) -> Json:
        """A message, or a batch of them."""
        match message:
            case list():
                return [self.replaced(sender, part) for part in message]
            case dict() if sender is Sender.CONTEXT:
                return {
                    self._key(k): self._conversation(k, v) for k, v in message.items()
                }
            case dict():
                self._hear(sender, message)
                return {
                    self._key(k): self._field(k, v, sender, message)
                    for k, v in message.items()
                }
            case _:
                return leaves(message, self._values)

    def _key(self, key: str) -> str:
        return key if key in _FIELDS else self._values.key(key)

    def _hear(self, sender: Sender, message: Message) -> None:
        method = message.get("method")
        key = request_key(message) if sender is not Sender.SERVER else None
        if key is not None and method in ("tools/list", "initialize"):
            self._asked[key] = method

    def _conversation(self, key: str, value: Json) -> Json:
        if key == "role" and value in ("user", "assistant"):
            return value
        if key == "content" and isinstance(value, str):
            return self._values.said(value)
        return leaves(value, self._values, (key,))

    def _field(self, key: str, value: Json, sender: Sender, message: Message) -> Json:
        match key:
            case "jsonrpc" if value == "2.0":
                return value
            case "id":
                return request_id(value, self._values)
            case "method" if isinstance(value, str) and value in METHODS:
                return value
            case "params" if isinstance(value, dict):
                return self._params(value, sender, message.get("method"))
            case "result" if isinstance(value, dict):
                asked = None
                if sender is not Sender.CLIENT:
                    asked = self._asked.get(response_key(message) or "")
                return self._result(value, asked)
            case "error" if isinstance(value, dict):
                return {self._key(k): self._error(k, v) for k, v in value.items()}
            case _:
                return leaves(value, self._values, (key,))

    def _params(self, params: Message, sender: Sender, method: Json) -> Json:
        told: Message = {}
        for key, value in params.items():
            match method, key:
                case "tools/call", "name":
                    new = name(value, self._values)
                case "tools/call", "arguments":
                    new = leaves(value, self._values)
                case "initialize", "clientInfo":
                    new = self._about(value)
                case "notifications/cancelled", "requestId":
                    new = request_id(value, self._values)
                case str(said), _ if said in (GAP, CUT) and sender is Sender.PROXY:
                    new = value if type(value) is int else name(value, self._values)
                case _:
                    new = self._other(key, value)
            told[self._key(key)] = new
        return told

    def _result(self, result: Message, asked: Json) -> Json:
        told: Message = {}
        for key, value in result.items():
            match key:
                case "tools" if asked == "tools/list" and isinstance(value, list):
                    new: Json = [self._tool(tool) for tool in value]
                case "serverInfo" if asked == "initialize":
                    new = self._about(value)
                case "content" if isinstance(value, list):
                    new = [self._item(item) for item in value]
                case "structuredContent":
                    new = leaves(value, self._values)
                case _:
                    new = self._other(key, value)
            told[self._key(key)] = new
        return told

    def _tool(self, tool: Json) -> Json:
        """A listed tool, whose names, descriptions and schemas are no session's."""
        if not isinstance(tool, dict):
            return leaves(tool, self._values)
        self._values.declare(tool)
        told: Message = {}
        for key, value in tool.items():
            if key == "name":
                told[key] = name(value, self._values)
            elif key in _OF_A_TOOL:
                told[key] = value
            else:
                told[self._key(key)] = leaves(value, self._values, (key,))
        return told

    def _item(self, item: Json) -> Json:
        """A content item: its type stays, and its text is looked into."""
        if not isinstance(item, dict):
            return leaves(item, self._values)
        told: Message = {}
        for key, value in item.items():
            if key == "type" and isinstance(value, str) and value in _TYPES:
                told[key] = value
            elif key == "text" and isinstance(value, str):
                told[key] = text(value, self._values)
            else:
                told[self._key(key)] = leaves(value, self._values, (key,))
        return told

    def _error(self, key: str, value: Json) -> Json:
        if key == "code" and type(value) is int and abs(value) < 10**5:
            return value
        if key == "message" and isinstance(value, str):
            return lines(value, self._values)
        return leaves(value, self._values, (key,))

    def _other(self, key: str, value: Json) -> Json:
        if key != "_meta" or not isinstance(value, dict):
            return leaves(value, self._values, (key,))
        return {
            self._key(k): self._about(v)
            if k in _ABOUT
            else leaves(v, self._values, (key, k))
            for k, v in value.items()
        }

    def _about(self, value: Json) -> Json:
        """What a host or a server calls itself."""
        if not isinstance(value, dict):
            return leaves(value, self._values)
        return {
            self._key(k): called(v, self._values)
            if k in ("name", "version")
            else leaves(v, self._values, (k,))
            for k, v in value.items()
        }


def request_id(value: Json, values: Values, under: Under = ()) -> Json:
    """A request's id: a host's count and the proxy's own ids stay."""
    is_count = type(value) is int and 0 <= value < _MOST
    is_own = isinstance(value, str) and _OWN_ID.fullmatch(value)
    return value if is_count or is_own else leaves(value, values, under)


def called(value: Json, values: Values) -> Json:
    """What a program is called, or null; anything else with its leaves replaced."""
    is_name = isinstance(value, str) and _CALLED.fullmatch(value)
    return value if is_name else leaves(value, values)
