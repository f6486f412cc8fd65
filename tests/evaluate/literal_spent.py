"""
What a replay spares and spends of prompts, read straight off its definition.

Every turn that is still made looks through all that happened before it, and asks of
each thing whether the recorded prompt held it too.
"""

from stretto.episodes.episode import AssistantTurn, Usage
from tests.evaluate.literal import Replay
from tests.evaluate.literal_costs import written

NONE = Usage(0, 0, 0.0)


class Spending(Replay):
    """A literal replay that notes which messages were saved, and what used what."""

    def __init__(self, *replayed):
        super().__init__(*replayed)
        self.saved_at = []
        self.row()

    def turn(self, message, event):
        before = self.saved
        super().turn(message, event)
        if self.saved > before:
            self.saved_at.append(message)

    def hit(self, message, call):
        unused = [lookup for lookup in self.made if not lookup["used"]]
        found = super().hit(message, call)
        for lookup in unused:
            if lookup["used"]:
                lookup["used_at"] = message
        return found

    def spared(self):
        """Prompt and completion tokens, and dollars, of the turns saved."""
        usage = [self.episode.events[m].usage or NONE for m in self.saved_at]
        return (
            sum(u.prompt_tokens for u in usage),
            sum(u.completion_tokens for u in usage),
            sum(u.cost for u in usage),
        )

    def carried(self):
        """Characters more in prompts: where they are new, and where they are again."""
        events = self.episode.events
        still_made = [
            m for m, event in enumerate(events)
            if isinstance(event, AssistantTurn) and m not in self.saved_at
        ]  # fmt: skip
        changes = [(m, -len_of(events[m])) for m in self.saved_at]
        for lookup in self.made:
            changes.append((lookup["message"], len(lookup["content"])))
            if lookup["used"]:
                changes.append((lookup["used_at"], -len(lookup["content"])))
        once = again = 0
        for message, characters in changes:
            for nth, _ in enumerate(m for m in still_made if m > message):
                if nth == 0:
                    once += characters
                else:
                    again += characters
        return once, again


def len_of(turn):
    return written(turn.calls)
