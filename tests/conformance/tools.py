"""The fixture's tools that answer at once, or while the client is talked to."""

import json
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import anyio
from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from tests.conformance.contents import audio, embedded, image, text

Context: TypeAlias = ServerRequestContext[dict[str, Any], Any]
Content: TypeAlias = list[types.ContentBlock]
Act: TypeAlias = Callable[[Context, Mapping[str, Any]], Awaitable[Content]]

BUS = InMemorySubscriptionBus()
"""Tells the subscribers what changed."""

_PAUSE_S = 0.05
_CLOSED_S = 0.2

ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}
DIALECT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
        "properties": {"contactMethod": {"const": "phone"}},
        "required": ["contactMethod"],
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""An input schema that uses what JSON Schema 2020-12 has."""


class Failure(Exception):
    """What a tool says when it fails."""


async def simple(_: Context, __: Mapping[str, Any]) -> Content:
    return [text("This is a simple text response for testing.")]


async def picture(_: Context, __: Mapping[str, Any]) -> Content:
    return [image()]


async def sound(_: Context, __: Mapping[str, Any]) -> Content:
    return [audio()]


async def resource(_: Context, __: Mapping[str, Any]) -> Content:
    said = "This is an embedded resource content."
    return [embedded("test://embedded-resource", said, "text/plain")]


async def mixed(_: Context, __: Mapping[str, Any]) -> Content:
    said = json.dumps({"test": "data", "value": 123})
    return [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", said, "application/json"),
    ]


async def failing(_: Context, __: Mapping[str, Any]) -> Content:
    raise Failure("This tool intentionally returns an error for testing")


async def given(_: Context, arguments: Mapping[str, Any]) -> Content:
    return [text(json.dumps(arguments, sort_keys=True))]


async def logging(context: Context, _: Mapping[str, Any]) -> Content:
    for said in ("started", "processing data", "completed"):
        await _log(context, f"Tool {said}" if " " in said else f"Tool execution {said}")
        await anyio.sleep(_PAUSE_S)
    return [text("Logged three times.")]


async def progressing(context: Context, _: Mapping[str, Any]) -> Content:
    for progress in (0, 50, 100):
        await context.session.report_progress(progress, 100)
        await anyio.sleep(_PAUSE_S)
    return [text("Reported three times.")]


async def sampling(context: Context, arguments: Mapping[str, Any]) -> Content:
    said = types.SamplingMessage(role="user", content=text(arguments["prompt"]))
    with _deprecated():
        result = await context.session.create_message(
            [said], max_tokens=100, related_request_id=context.request_id
        )
    content = result.content
    assert isinstance(content, types.TextContent)
    return [text(f"LLM response: {content.text}")]


async def eliciting(context: Context, arguments: Mapping[str, Any]) -> Content:
    form = {
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    }
    return await _elicited(context, arguments["message"], form, "User response: ")


async def eliciting_defaults(context: Context, _: Mapping[str, Any]) -> Content:
    statuses = ["active", "inactive", "pending"]
    form = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": statuses, "default": "active"},
            "verified": {"type": "boolean", "default": True},
        },
        "required": [],
    }
    return await _elicited(context, "Defaults?", form, "Elicitation completed: ")


async def eliciting_enums(context: Context, _: Mapping[str, Any]) -> Content:
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
    legacy = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]}
    many = {"type": "string", "enum": options}
    form = {
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", **legacy},
            "untitledMulti": {"type": "array", "items": many},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        },
        "required": [],
    }
    return await _elicited(context, "Which?", form, "Elicitation completed: ")


async def reconnecting(context: Context, _: Mapping[str, Any]) -> Content:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
        await anyio.sleep(_CLOSED_S)
    return [text("Answered on another stream than it was asked on.")]


async def needing_sampling(context: Context, _: Mapping[str, Any]) -> Content:
    wanted = types.ClientCapabilities(sampling=types.SamplingCapability())
    if not context.session.check_client_capability(wanted):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "the client cannot sample",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return [text("The client can sample.")]


async def changing_prompts(_: Context, __: Mapping[str, Any]) -> Content:
    await BUS.publish(PromptsListChanged())
    return [text("The prompts changed.")]


async def changing_tools(_: Context, __: Mapping[str, Any]) -> Content:
    await BUS.publish(ToolsListChanged())
    return [text("The tools changed.")]


ACTS: Mapping[str, Act] = {
    "test_simple_text": simple,
    "test_image_content": picture,
    "test_audio_content": sound,
    "test_embedded_resource": resource,
    "test_multiple_content_types": mixed,
    "test_error_handling": failing,
    "test_tool_with_logging": logging,
    "test_logging_tool": logging,
    "test_tool_with_progress": progressing,
    "test_sampling": sampling,
    "test_elicitation": eliciting,
    "test_elicitation_sep1034_defaults": eliciting_defaults,
    "test_elicitation_sep1330_enums": eliciting_enums,
    "test_reconnection": reconnecting,
    "test_missing_capability": needing_sampling,
    "test_trigger_prompt_change": changing_prompts,
    "test_trigger_tool_change": changing_tools,
    "test_custom_headers": given,
    "json_schema_2020_12_tool": given,
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


def _strings(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": [*names]}


SCHEMAS: Mapping[str, dict[str, Any]] = {
    "test_sampling": _strings("prompt"),
    "test_elicitation": _strings("message"),
    "test_custom_headers": {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limit": {"type": "integer"},
        },
    },
    "json_schema_2020_12_tool": DIALECT,
}
"""The input schemas of the tools that take something."""


async def _log(context: Context, said: str) -> None:
    with _deprecated():
        await context.session.send_log_message(
            "info", said, related_request_id=context.request_id
        )


async def _elicited(
    context: Context, message: str, form: dict[str, Any], before: str
) -> Content:
    answer = await context.session.elicit_form(message, form, context.request_id)
    held = json.dumps(answer.content)
    return [text(f"{before}action={answer.action}, content={held}")]


def _deprecated() -> warnings.catch_warnings:
    quiet = warnings.catch_warnings(action="ignore", category=MCPDeprecationWarning)
    return quiet
