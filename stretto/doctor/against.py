"""A flow's lookups against the tools that a server lists today."""

from collections.abc import Iterator, Mapping, Sequence

from stretto.doctor.finding import Finding, note, ok, problem
from stretto.episodes.manifest import Kind
from stretto.flow.flow import Flow
from stretto.traces.contracts import contract
from stretto.traces.listing import kind
from stretto.traces.merge import SEPARATOR
from stretto.traces.messages import Message


def against(flow: Flow, name: str, tools: Sequence[Message]) -> Iterator[Finding]:
    """
    For each tool the flow may look up: what keeps it from being looked up.

    Args:
        flow: The flow.
        name: What to call it.
        tools: The server's own account of its tools.
    """
    live = {str(tool.get("name")): tool for tool in tools}
    n_sound = 0
    for read in flow.sites.reads:
        found = _finding(read, flow, live)
        if found is None:
            n_sound += 1
        else:
            yield Finding(found.status, f"{name}: {found.text}")
    if n_sound:
        yield ok(
            f"{name}: {n_sound} of {len(flow.sites.reads)} lookups are listed as "
            "read-only, with the inputs they had"
        )
    elif not flow.sites.reads:
        yield note(f"{name} looks nothing up")


def _finding(read: str, flow: Flow, live: Mapping[str, Message]) -> Finding | None:
    server, mark, bare = read.rpartition(SEPARATOR)
    if bare not in live:
        if mark:
            return note(f"{bare} is not this server's; it was {server}'s")
        return problem(f"{read} is not listed by the server")
    tool = live[bare]
    match kind(tool):
        case Kind.WRITE:
            return problem(f"{read} is marked as a write by the server")
        case Kind.GENERIC:
            return note(f"{read} has no `readOnlyHint`; the proxy needs --flow-tools")
    learned, now = flow.contracts.get(read), contract(tool)
    if learned is not None and now is not None and learned != now:
        return problem(f"{read} took ({learned}), and takes ({now}) now")
    return None
