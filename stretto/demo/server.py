"""
`stretto-mcp-demo`: the shop as an MCP server on standard input and output.

The one module that imports the MCP SDK.
"""

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TextIO

import anyio
import click
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from stretto import __version__
from stretto.demo.tools import TOOLS, Refused, Tool, call
from stretto.demo.world import World, build

NAME = "stretto-mcp-demo"
_HINTS = {"true": True, "false": False, "none": None}


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\nExample:\n  {NAME} --seed 1 --hide hand_over",
)
@click.option("--seed", default=0, show_default=True, help="Which world to serve.")
@click.option("--hide", multiple=True, metavar="TOOL", help="Leave a tool out.")
@click.option(
    "--hint",
    multiple=True,
    metavar="TOOL=HINT",
    help="Annotate a tool as read-only (true), as a write (false), or not at all "
    "(none).",
)
@click.version_option(__version__, prog_name=NAME)
def main(seed: int, hide: tuple[str, ...], hint: tuple[str, ...]) -> None:
    """Serve a small shop over MCP, on standard input and output."""
    tools = offered(hide, hint)
    if sys.stdin.isatty():
        click.echo(f"{NAME} speaks MCP, a JSON-RPC message a line", err=True)
    serve(build(seed), tools=tools)


def offered(hide: Iterable[str] = (), hints: Iterable[str] = ()) -> dict[str, Tool]:
    """
    The shop's tools without those of `hide`, annotated as `hints` say: `TOOL=HINT`.

    Raises:
        click.UsageError: there is no such tool, or no such hint.
    """
    tools = dict(TOOLS)
    for name, _, hint in (text.partition("=") for text in hints):
        if hint not in _HINTS:
            raise click.UsageError(f"--hint {name}={hint}: not true, false or none")
        tools[_known(name)] = replace(TOOLS[_known(name)], read_only=_HINTS[hint])
    for name in hide:
        tools.pop(_known(name), None)
    return tools


def serve(
    world: World,
    reads: TextIO | None = None,
    writes: TextIO | None = None,
    *,
    tools: Mapping[str, Tool] = TOOLS,
) -> None:
    """
    Serve one client until it closes its end; what it changes is its own.

    Args:
        world: What the shop holds at the start.
        reads: Where the client's lines come from; standard input if left out.
        writes: Where the answers go; standard output if left out.
        tools: The tools on offer, by name.
    """
    anyio.run(_serve, _Shop(world, tools), reads, writes)


@contextmanager
def served(
    world: World, *, tools: Mapping[str, Tool] = TOOLS
) -> Iterator[tuple[TextIO, TextIO]]:
    """
    A server in a thread, for the length of the block: what to read from, and write to.

    What passes is what would pass between two processes, without the second it takes
    to start one.
    """
    requests, answers = os.pipe(), os.pipe()
    with (
        open(answers[0], encoding="utf-8") as reads,
        open(requests[1], "w", encoding="utf-8") as writes,
    ):
        server = threading.Thread(
            target=_serve_pipes, args=(world, tools, requests[0], answers[1])
        )
        server.start()
        try:
            yield reads, writes
        finally:
            writes.close()
            server.join()


class _Shop:
    """The handlers of one client's session, and the world as it changed it."""

    def __init__(self, world: World, tools: Mapping[str, Tool]) -> None:
        self._world, self._tools = world, tools

    async def list_tools(
        self, _: ServerRequestContext, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(t) for t in self._tools.values()])

    async def call_tool(
        self, _: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name}")
        tool = self._tools[params.name]
        try:
            text, self._world = call(tool, self._world, params.arguments or {})
        except Refused as refusal:
            return _result(str(refusal), failed=True)
        return _result(text, failed=False)


async def _serve(shop: _Shop, reads: TextIO | None, writes: TextIO | None) -> None:
    server = Server(
        NAME,
        version=__version__,
        instructions="A small shop: look customers and orders up before changing any.",
        on_list_tools=shop.list_tools,
        on_call_tool=shop.call_tool,
    )
    async with stdio_server(_wrapped(reads), _wrapped(writes)) as (inward, outward):
        await server.run(inward, outward, server.create_initialization_options())


def _serve_pipes(
    world: World, tools: Mapping[str, Tool], requests: int, answers: int
) -> None:
    with (
        open(requests, encoding="utf-8") as reads,
        open(answers, "w", encoding="utf-8") as writes,
    ):
        serve(world, reads, writes, tools=tools)


def _wrapped(file: TextIO | None) -> anyio.AsyncFile[str] | None:
    return None if file is None else anyio.wrap_file(file)


def _listed(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.read_only)
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema={
            "type": "object",
            "properties": {
                name: {"type": "string", "description": text}
                for name, text in tool.args.items()
            },
            "required": list(tool.args),
        },
        annotations=None if tool.read_only is None else hints,
    )


def _result(text: str, *, failed: bool) -> types.CallToolResult:
    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], is_error=failed)


def _known(name: str) -> str:
    if name not in TOOLS:
        raise click.UsageError(f"no tool {name!r}; there are {', '.join(TOOLS)}")
    return name


if __name__ == "__main__":
    main()
