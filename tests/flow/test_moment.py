"""A transcript sees, event by event, what the walk over the whole prefix sees."""

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import (
    AssistantTurn,
    Event,
    ToolCall,
    ToolResult,
    UserMessage,
)
from stretto.episodes.site import Site
from stretto.episodes.step import Outcome, steps
from stretto.flow.moment import Transcript
from stretto.habit.encode import symbol_of
from tests.toys import TOY, taught

FLOW = taught(TOY).flow


@st.composite
def happenings(draw: st.DrawFn) -> list[Event]:
    """Events in any order: parallel calls, late, missing and unknown results."""
    events: list[Event] = []
    sent: list[ToolCall] = []
    for index in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from("utcr"))
        if kind == "u":
            events.append(UserMessage("hm"))
        elif kind == "t":
            events.append(AssistantTurn("well"))
        elif kind == "c":
            names = draw(st.lists(st.sampled_from(["find", "get", "new"]), min_size=1,
                                  max_size=3))  # fmt: skip
            calls = [ToolCall(f"{index}.{i}", n, {}) for i, n in enumerate(names)]
            sent += calls
            events.append(AssistantTurn(calls=tuple(calls)))
        elif sent:
            call = sent.pop(draw(st.integers(0, len(sent) - 1)))
            failed = draw(st.booleans())
            events.append(ToolResult(call.id, call.tool, failed, "{}"))
    return events


@settings(max_examples=200, deadline=None)
@given(happenings())
def test_at_every_prefix_the_history_is_the_walks(events):
    transcript = Transcript(FLOW)

    for end, event in enumerate(events, start=1):
        transcript.add(event)
        walk = steps(events[:end])

        expected = [symbol_of(step, FLOW.vocab, FLOW.map) for step in walk]
        assert list(transcript.moment().history) == expected
        last = walk[-1] if walk else None
        failed = last is not None and last.outcome is Outcome.ERROR
        site = Site(last.tool, failed) if last is not None and last.tool else None
        assert transcript.moment().site == site
