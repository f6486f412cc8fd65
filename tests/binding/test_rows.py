"""The values at a source, kept output by output and message by message."""

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.binding.outputs import Output
from stretto.binding.rows import Rows
from stretto.binding.said import Said

PATH = "$[*].id"
WORDS = ("blue", "green", "reds", "1x", "2x", "9")
RECORDS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)))
HAPPENINGS = st.lists(RECORDS | st.sampled_from((*WORDS, "no", "bl", "ue")))


def output(records: list[tuple[str, str]]) -> Output:
    items = ", ".join(f'{{"id": "{a}", "of": "{b}"}}' for a, b in records)
    return Output(f"[{items}]")


@given(happenings=HAPPENINGS)
@settings(max_examples=200, deadline=None)
def test_rows_are_what_the_text_names_whichever_came_first(happenings):
    said, outputs = Said(), []
    rows = Rows(PATH, said)

    for happening in happenings:
        if isinstance(happening, list):
            outputs.append(output(happening))
            rows.take(outputs[-1])
        else:
            rows.hear(said.hear(happening))

    messages = [h for h in happenings if isinstance(h, str)]
    (whole := Said()).hear("\n".join(messages) if messages else "")
    expected = [whole.row(output, PATH) for output in outputs]
    assert [rows[n] for n in range(len(rows))] == expected
    assert rows.any_named == any(row.any_named for row in expected)


def test_a_message_changes_the_rows_that_it_names_and_no_other():
    said = Said()
    rows = Rows(PATH, said)
    rows.take(output([("1x", "blue")]))
    rows.take(output([("2x", "reds"), ("1x", "green")]))

    rows.hear(said.hear("the green one"))

    assert rows.changed == [1]
    assert rows.any_named
