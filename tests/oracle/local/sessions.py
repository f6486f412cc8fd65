"""Sessions in which the customer's words, and nothing else, say what comes next."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from stretto.episodes.episode import Episode, UserMessage
from stretto.episodes.manifest import Kind, Manifest, ToolDocs
from stretto.learn.local import local_cases, local_flows
from stretto.oracle.local.case import Case
from stretto.oracle.wording import shipped_wording
from tests.toys import Script

DESK = Manifest(
    "desk",
    {
        "find_reader": Kind.READ,
        "get_loan": Kind.READ,
        "get_room": Kind.READ,
        "renew": Kind.WRITE,
    },
    {
        "get_loan": ToolDocs("Read a loan and its due date."),
        "get_room": ToolDocs("Read a room and its free hours."),
    },
)


def desk_sessions(n: int, *, repeats: int = 1) -> Iterator[Episode]:
    """
    `n` tasks: a reader is found, then each loan read or one room, as the words ask.

    The habit cannot tell these apart; their words and the unread loans do.
    """
    for task in range(n):
        for repeat in range(repeats):
            yield _session(task, repeat)


def desk_cases(n: int, *, repeats: int = 1) -> list[Case]:
    """The decisions of those sessions."""
    return cases_of([*desk_sessions(n, repeats=repeats)])


def cases_of(
    sessions: Sequence[Episode],
    manifest: Manifest = DESK,
    agents: Callable[[str], bool] = lambda _: True,
) -> list[Case]:
    """The decisions of some sessions."""
    flows = local_flows(sessions, manifest, agents=agents)
    return local_cases(sessions, flows, shipped_wording())


def _session(task: int, repeat: int) -> Episode:
    loans = [f"L-{task}{i}7" for i in range(1 + task // 3 % 3)]
    reader: dict[str, object] = {"reader": f"r_{task:02}", "loans": [*loans]}
    script = Script().turn(("find_reader", {"card": f"K{task:02}K"}, reader))
    asks = ("renew my books please", "book a room", "thanks, that is all")[task % 3]
    script.events.insert(0, UserMessage(f"Card K{task:02}K, {asks}"))
    for loan in loans if task % 3 == 0 else ():
        script.turn(("get_loan", {"loan": loan}, {"loan": loan, "due": "soon"}))
    if task % 3 == 1:
        script.turn(("get_room", {"room": f"M{task}"}, {"room": f"M{task}"}))
    script.reply("Done.")
    found = script.episode(f"{task}-{repeat}", reward=float(task % 5 != 0))
    return replace(found, task=f"task {task}", agent=f"agent {repeat}")
