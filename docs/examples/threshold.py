"""What a saved turn and a detour are worth, and the threshold that follows."""

import sys
from collections.abc import Iterator
from statistics import mean

from stretto import read, read_flow
from stretto.canonical import compact
from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, UserMessage

CHARACTERS = 4
"""About how many make a token."""


def worth(episode: Episode, opening: float) -> Iterator[tuple[str, float]]:
    """What each lookup turn would save and each lookup's result costs, in tokens."""
    prompt, left = opening, len(episode.turns)
    for event in episode.events:
        match event:
            case AssistantTurn(text=text, calls=calls):
                left -= 1
                written = (text or "") + compact([call.arguments for call in calls])
                tokens = len(written) / CHARACTERS
                if calls and all(call.tool in reads for call in calls):
                    yield "saved turn", prompt + tokens * left
            case ToolResult(content=text):
                tokens = len(text) / CHARACTERS
                if event.tool in reads:
                    yield "detour", tokens * left
            case UserMessage(text=text):
                tokens = len(text) / CHARACTERS
        prompt += tokens


reads = read_flow(sys.argv[1]).manifest.reads
found = [w for e in read([sys.argv[2]]) for w in worth(e, float(sys.argv[3]))]
saved = mean(tokens for name, tokens in found if name == "saved turn")
wasted = mean(tokens for name, tokens in found if name == "detour")
print(f"a saved turn: {saved:,.0f} tokens")
print(f"a detour: {wasted:,.0f} tokens")
print(f"threshold: {wasted / (saved + wasted):.2f}")
