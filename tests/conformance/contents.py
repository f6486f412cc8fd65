"""What the fixture's tools, prompts and resources hold."""

import base64
import json
import struct
import zlib
from typing import Any

from mcp import types


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def _png() -> bytes:
    """One red pixel."""
    size = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\0\0")
    body = _chunk(b"IHDR", size) + _chunk(b"IDAT", pixel) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _wav() -> bytes:
    """Eight samples of silence, 8 kHz, one channel, a byte each."""
    form = struct.pack("<HHIIHH", 1, 1, 8_000, 8_000, 1, 8)
    samples = b"\x80" * 8
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


PNG = base64.b64encode(_png()).decode()
WAV = base64.b64encode(_wav()).decode()

TEXT_URI, BINARY_URI = "test://static-text", "test://static-binary"
TEMPLATE_URI = "test://template/{id}/data"

RESOURCES = [
    types.Resource(
        uri=TEXT_URI, name="text", description="A text.", mime_type="text/plain"
    ),
    types.Resource(
        uri=BINARY_URI, name="picture", description="A pixel.", mime_type="image/png"
    ),
]
TEMPLATE = types.ResourceTemplate(
    uri_template=TEMPLATE_URI,
    name="record",
    description="A record by its number.",
    mime_type="application/json",
)


def text(said: str) -> types.TextContent:
    """A text block."""
    return types.TextContent(type="text", text=said)


def image() -> types.ImageContent:
    """A picture block."""
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def audio() -> types.AudioContent:
    """A sound block."""
    return types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")


def embedded(uri: str, said: str, mime_type: str) -> types.EmbeddedResource:
    """A block that holds a resource."""
    return types.EmbeddedResource(
        type="resource",
        resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=said),
    )


def resource(
    uri: str,
) -> types.TextResourceContents | types.BlobResourceContents | None:
    """What is at `uri`; None where nothing is."""
    if uri == TEXT_URI:
        said = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    if uri == BINARY_URI:
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    before, after = TEMPLATE_URI.split("{id}")
    if uri.startswith(before) and uri.endswith(after):
        number = uri.removeprefix(before).removesuffix(after)
        record = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
        return types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(record)
        )
    return None


def _argument(name: str, about: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=about, required=True)


PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": (
        _argument("arg1", "The first."),
        _argument("arg2", "The second."),
    ),
    "test_prompt_with_embedded_resource": (
        _argument("resourceUri", "Where the resource is."),
    ),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
"""The arguments of each prompt."""


def prompt(name: str, given: dict[str, Any]) -> list[types.PromptMessage]:
    """
    What a prompt says.

    Raises:
        KeyError: there is no such prompt, or an argument is missing.
    """
    match name:
        case "test_simple_prompt":
            said = [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            first, second = given["arg1"], given["arg2"]
            said = [text(f"Prompt with arguments: arg1='{first}', arg2='{second}'")]
        case "test_prompt_with_embedded_resource":
            body = "Embedded resource content for testing."
            return _said(
                embedded(given["resourceUri"], body, "text/plain"),
                text("Please process the embedded resource above."),
            )
        case "test_prompt_with_image":
            return _said(image(), text("Please analyze the image above."))
        case _:
            raise KeyError(name)
    return _said(*said)


def _said(*blocks: types.ContentBlock) -> list[types.PromptMessage]:
    return [types.PromptMessage(role="user", content=block) for block in blocks]
