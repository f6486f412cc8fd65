"""A shop as an MCP server, good and bad: `python shop.py WAY [FILE]`."""

import json
import sys
import time
from pathlib import Path

USER = {"orders": ["A", "C"], "user_id": "u1"}
READS, WRITES = ("find", "get_user", "get_order"), ("cancel",)


class Shop:
    """One process's shop; what it cancels it keeps in a file, where it has one."""

    def __init__(self, way: str, file: Path | None) -> None:
        self.way, self.file, self.cancelled = way, file, 0

    def tools(self) -> list[dict]:
        names = [*READS, *WRITES]
        if self.way == "lacks":
            names.remove("get_order")
        return [
            {
                "name": name,
                "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": name in READS},
            }
            for name in names
        ]

    def call(self, tool: str, given: dict) -> object:
        if tool == "get_order" and self.way == "ends":
            sys.exit(3)
        if tool == "get_order" and self.way == "silent":
            time.sleep(600)
        if tool == "cancel":
            self._cancel()
            return "ok"
        if tool == "find":
            return "u1"
        if tool == "get_user":
            return {**USER, "orders": ["X"]} if self.way == "other" else USER
        status = "gone" if self._cancelled() else "sent"
        return {"order_id": given["order_id"], "status": status}

    def _cancelled(self) -> int:
        if self.file is None:
            return self.cancelled
        return int(self.file.read_text()) if self.file.exists() else 0

    def _cancel(self) -> None:
        self.cancelled += 1
        if self.file is not None:
            self.file.write_text(str(self._cancelled() + 1))


def answer(shop: Shop, request: dict) -> dict:
    match request["method"]:
        case "initialize":
            return {"protocolVersion": "2025-11-25"}
        case "tools/list":
            return {"tools": shop.tools()}
        case _:
            params = request["params"]
            text = json.dumps(shop.call(params["name"], params["arguments"]))
            return {"content": [{"type": "text", "text": text}]}


if __name__ == "__main__":
    way, *rest = sys.argv[1:]
    shop = Shop(way, Path(rest[0]) if rest else None)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            said = {"jsonrpc": "2.0", "id": message["id"]}
            print(json.dumps({**said, "result": answer(shop, message)}), flush=True)
