"""
A server with the tools, prompts and resources that the conformance suite asks for.

`python -m tests.conformance.fixture` serves it on standard input and output, and with
`--port N` over HTTP.
"""

import argparse
import warnings
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from tests.conformance import rounds
from tests.conformance.contents import (
    PROMPTS,
    RESOURCES,
    TEMPLATE,
    prompt,
    resource,
    text,
)
from tests.conformance.replay import KeptEvents
from tests.conformance.tools import ACTS, BUS, NOTHING, SCHEMAS, Context, Failure

NAME = "conformance-fixture"
_RETRY_MS = 500


async def list_tools(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    tools = [
        types.Tool(
            name=name,
            description=f"What the suite calls {name}.",
            input_schema=SCHEMAS.get(name, NOTHING),
        )
        for name in (*ACTS, *rounds.TOOLS)
    ]
    return types.ListToolsResult(tools=tools)


async def call_tool(
    context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    if params.name in rounds.TOOLS:
        outcome = rounds.TOOLS[params.name](_round(context, params))
        if isinstance(outcome, types.InputRequiredResult):
            return outcome
        return types.CallToolResult(content=[text(outcome)])
    if params.name not in ACTS:
        raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name}")
    try:
        content = await ACTS[params.name](context, params.arguments or {})
    except Failure as failure:
        return types.CallToolResult(content=[text(str(failure))], is_error=True)
    return types.CallToolResult(content=content)


async def list_resources(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=RESOURCES)


async def list_templates(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])


async def read_resource(
    _: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    if (found := resource(str(params.uri))) is None:
        uri = str(params.uri)
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    return types.ReadResourceResult(contents=[found])


async def accept(_: Context, __: object) -> types.EmptyResult:
    return types.EmptyResult()


async def list_prompts(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    prompts = [
        types.Prompt(
            name=name, description=f"What the suite calls {name}.", arguments=[*given]
        )
        for name, given in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=prompts)


async def get_prompt(
    context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    if params.name == "test_input_required_result_prompt":
        return rounds.prompt(_round(context, params))
    try:
        messages = prompt(params.name, params.arguments or {})
    except KeyError as missing:
        raise MCPError(types.INVALID_PARAMS, f"there is no {missing}") from missing
    return types.GetPromptResult(messages=messages)


async def complete(
    _: Context, params: types.CompleteRequestParams
) -> types.CompleteResult:
    begun = params.argument.value
    values = [word for word in ("paris", "park", "party") if word.startswith(begun)]
    return types.CompleteResult(
        completion=types.Completion(values=values, total=len(values), has_more=False)
    )


def server() -> Server[dict[str, Any]]:
    """The server, all of its handlers in place."""
    with warnings.catch_warnings(action="ignore", category=MCPDeprecationWarning):
        made = Server(
            NAME,
            version="1",
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_list_resources=list_resources,
            on_list_resource_templates=list_templates,
            on_read_resource=read_resource,
            on_subscribe_resource=accept,
            on_unsubscribe_resource=accept,
            on_subscriptions_listen=ListenHandler(BUS),
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
            on_completion=complete,
            on_set_logging_level=accept,
        )
    security = RequestStateSecurity.ephemeral()
    made.middleware.append(RequestStateBoundary(security, default_audience=NAME))
    return made


def main() -> None:
    """Serve, the way the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, help="serve HTTP here, at /mcp")
    port = parser.parse_args().port
    if port is None:
        anyio.run(_serve_stdio)
    else:
        app = server().streamable_http_app(
            event_store=KeptEvents(), retry_interval=_RETRY_MS
        )
        # As the SDK comes by itself; the proxy's dependencies would change it.
        uvicorn.run(app, host="127.0.0.1", port=port, http="h11", log_level="warning")


async def _serve_stdio() -> None:
    made = server()
    async with stdio_server() as (reads, writes):
        await made.run(reads, writes, made.create_initialization_options())


def _round(
    context: Context,
    params: types.CallToolRequestParams | types.GetPromptRequestParams,
) -> rounds.Round:
    capabilities = context.session.client_capabilities or types.ClientCapabilities()
    return rounds.Round(
        params.input_responses or {}, params.request_state, capabilities
    )


if __name__ == "__main__":
    main()
