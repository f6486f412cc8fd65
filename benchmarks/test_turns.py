"""
How long it takes to tell the turns of a log of rapid calls, beside searching for every
value in all that was returned.
"""

import json

import pytest

from benchmarks.beside import beside
from stretto.traces.sessionlog import Sender
from stretto.traces.turns import Conversation

PADDING = "the quick brown fox jumps over the lazy dog " * 12


def rapid(n_calls):
    """One turn's calls, each of its own id, and what they return."""
    calls = [
        {
            "id": n,
            "method": "tools/call",
            "params": {"name": "get", "arguments": {"id": f"item-{n}"}},
        }
        for n in range(n_calls)
    ]
    texts = [json.dumps({"id": f"item-{n}", "about": PADDING}) for n in range(n_calls)]
    answers = [
        {"id": n, "result": {"content": [{"type": "text", "text": text}]}}
        for n, text in enumerate(texts)
    ]
    return calls, answers, texts


@pytest.mark.parametrize("n_calls", [1000, 4000])
def test_telling_the_turns_of_rapid_calls_beside_searching_all(benchmark, n_calls):
    calls, answers, texts = rapid(n_calls)

    def tell():
        conversation = Conversation()
        for t_ms, (call, answer) in enumerate(zip(calls, answers, strict=True)):
            conversation.add(t_ms, Sender.CLIENT, call)
            conversation.add(t_ms, Sender.SERVER, answer)
        assert len(conversation.events()) == n_calls + 1

    def search():
        returned = ""
        for n, text in enumerate(texts):
            assert f"item-{n}" not in returned
            returned += text

    beside(
        benchmark,
        tell,
        baseline=search,
        named="one search of all that was returned, for each call",
    )
    benchmark.extra_info["n"] = n_calls
