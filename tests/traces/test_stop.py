"""The simulator's stop tokens, taken out when asked."""

from stretto.episodes.episode import AssistantTurn, UserMessage
from stretto.episodes.step import Outcome, steps
from stretto.traces.stop import without_stop
from tests.traces.samples import read_all, simulation, tau2_file, write


def test_a_message_of_tokens_alone_goes_and_other_words_stay():
    said = [
        UserMessage("###STOP###"),
        UserMessage(" Thanks. ###TRANSFER### "),
        UserMessage("See ### below"),
        AssistantTurn("###STOP###"),
    ]

    assert without_stop(said) == (
        UserMessage("Thanks."),
        UserMessage("See ### below"),
        AssistantTurn("###STOP###"),
    )


def test_the_last_reply_counts_as_answered_unless_the_token_is_stripped(tmp_path):
    path = write(tmp_path / "a.json", tau2_file(simulation()))

    (kept,), _ = read_all(path)
    (stripped,), _ = read_all(path, strip_stop=True)

    assert steps(kept.events)[-1].outcome is Outcome.REPLY
    assert steps(stripped.events)[-1].outcome is Outcome.END
