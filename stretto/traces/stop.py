"""The user simulator's stop tokens, which no customer says."""

from collections.abc import Iterable

from stretto.episodes.episode import Event, UserMessage

TOKENS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")


def without_stop(events: Iterable[Event]) -> tuple[Event, ...]:
    """
    The events without the tokens. A message that holds nothing else is left out, so
    that the reply before it ended the episode unanswered.
    """
    kept: list[Event] = []
    for event in events:
        if isinstance(event, UserMessage) and "###" in event.text:
            text = event.text
            for token in TOKENS:
                text = text.replace(token, "")
            if text != event.text:
                if text := text.strip():
                    kept.append(UserMessage(text))
                continue
        kept.append(event)
    return tuple(kept)
