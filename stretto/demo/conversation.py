"""A conversation at the shop's desk, from its greeting to its last words."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from stretto import __version__
from stretto.canonical import Json
from stretto.demo.acts import Act, Call, Reply, Result, Say
from stretto.demo.agent import Agent
from stretto.demo.customer import Heard, Need
from stretto.demo.wire import SPEAKING_MS, THINKING_MS
from stretto.traces.appended import parsed

PROTOCOL = "2025-11-25"


class Client(Protocol):
    """The agent's end of a connection to the server."""

    def wait(self, span: tuple[int, int]) -> None:
        """Let between `span[0]` and `span[1]` milliseconds pass."""

    def said(self, role: str, text: str) -> None:
        """Take down a line of the conversation."""

    def notify(self, method: str) -> None:
        """Send a notification."""

    def ask(self, method: str, *params: Mapping[str, Json]) -> list[dict[str, Json]]:
        """The responses to requests sent side by side, in the requests' order."""


class Customer(Protocol):
    """Who is on the line."""

    def answer(self, need: Need, /) -> Heard | None:
        """What is said to an agent that waits for `need`; None for hanging up."""


class Turn(NamedTuple):
    """What the agent did, and what came of it."""

    act: Act
    reply: Reply


def greet(client: Client) -> None:
    """Open the connection, and ask what tools there are."""
    about: dict[str, Json] = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "stretto-demo", "version": __version__},
    }
    client.ask("initialize", about)
    client.notify("notifications/initialized")
    client.ask("tools/list", {})


def converse(
    client: Client, agent: Agent, customer: Customer, opening: Heard
) -> Iterator[Turn]:
    """The agent's turns after the customer's opening, each put on the wire."""
    client.said("user", opening.text)
    turns = agent.serve(opening)
    act = next(turns)
    while True:
        client.wait(THINKING_MS)
        reply = _reply(client, act, customer)
        yield Turn(act, reply)
        try:
            act = turns.send(reply)
        except StopIteration:
            return


def _reply(client: Client, act: Act, customer: Customer) -> Reply:
    """What becomes of a turn: the server's results, or the customer's words."""
    if not isinstance(act, Say):
        return tuple(map(_result, client.ask("tools/call", *map(_params, act))))
    client.said("assistant", act.text)
    heard = customer.answer(act.need) if act.need else None
    if heard is not None:
        client.wait(SPEAKING_MS)
        client.said("user", heard.text)
    return heard


def _params(call: Call) -> dict[str, Json]:
    return {"name": call.tool, "arguments": {**call.arguments}}


def _result(response: dict[str, Json]) -> Result:
    """A response's result: the shop's one text, and what a flow may have added."""
    match response:
        case {"result": {"isError": bool(failed), "content": [own, *added]}}:
            lookups = [made for item in added for made in parsed(_text(item))]
            return Result(failed, _text(own), tuple(lookups))
        case _:
            raise ConnectionError(f"no tool's answer: {response}")


def _text(item: Json) -> str:
    match item:
        case {"type": "text", "text": str(text)}:
            return text
        case _:
            raise ConnectionError(f"no text: {item}")
