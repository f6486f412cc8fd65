from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.episodes.episode import ToolResult
from stretto.traces import growing
from stretto.traces.growing import Growing
from stretto.traces.reader import read
from tests.conftest import shared

TEXTS = st.text('ab-1 ",é\U0001f600\ud800', max_size=14)
ASKED = st.text('ab-1 ",é\U0001f600\ud800', min_size=1, max_size=11)


@given(st.lists(st.tuples(TEXTS, st.lists(ASKED, max_size=3)), max_size=12))
@settings(max_examples=300, deadline=None)
@pytest.mark.parametrize(("short", "window"), [(-1, 3), (-1, 4), (20, 5), (2**14, 64)])
def test_it_holds_what_its_pieces_hold_end_to_end(short, window, steps):
    found, text = Growing(), ""
    with patch.multiple(growing, _SHORT=short, _WINDOW=window):
        for piece, asked in steps:
            found.add(piece)
            text += piece
            for value in (*asked, text[1:5], text[-4:], text[2:]):
                assert (value in found) == (value in text)
        extended = Growing()
        extended.extend(found)
        for value in (text, text + "-", *(a for _, asked in steps for a in asked)):
            assert (value in extended) == (value in text)


@pytest.mark.parametrize("length", [62, 63, 64, 65, 127, 128, 129, 200])
@pytest.mark.parametrize("cut", [1, 63, 64, 100, 190])
def test_a_word_is_found_whatever_its_length_and_wherever_pieces_end(length, cut):
    word = "".join(f"{i:x}" for i in range(1000, 1200))[:260]
    found = Growing()
    found.add("x " * growing._SHORT)
    assert word[:length] not in found
    found.add(word[:cut])
    found.add(word[cut:])

    for start in range(len(word) - length + 1):
        assert word[start : start + length] in found
    assert word[1:length] + "-" not in found
    assert "-" + word[1:length] not in found


def test_real_results_hold_what_they_hold_as_one_text():
    path = shared("sessions/tau1-sierra/airline__gpt-4o__50x4.json.gz")
    results = [
        event.content
        for episode in read([path])
        for event in episode.events
        if isinstance(event, ToolResult)
    ][:150]
    found, text = Growing(), ""
    for n, content in enumerate(results):
        for start in range(0, len(content), 97):
            for value in (content[start : start + 9], content[start:][:30] + str(n)):
                assert (value in found) == (value in text)
        found.add(content)
        text += content
    assert len(text) > growing._SHORT
