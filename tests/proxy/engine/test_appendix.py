"""What is added to a result: every lookup under its call, within the room there is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.proxy.appendix import appendix, said
from stretto.traces.appended import HEADER, Made, Said, parsed


def made(text: str, *, tool: str = "get", failed: bool = False, **arguments) -> Made:
    return Made(tool, arguments, Said(failed, text))


def added(*lookups: Made, each: int = 8_000, room: int = 50_000) -> str | None:
    found = appendix(lookups, each=each, room=room)
    return None if found is None else found.text


def test_lookups_stand_under_their_calls_and_failed_ones_say_so():
    found = added(
        made("one", b=2, a=1), made("no such order", failed=True, id="é"), made("")
    )

    assert found == (
        f'{HEADER}\n\nget {{"a":1,"b":2}}:\none'
        '\n\nget {"id":"é"} (error):\nno such order\n\nget {}:\n'
    )


def test_the_header_is_one_line_between_dashes():
    assert HEADER.startswith("--- ")
    assert HEADER.endswith(" ---")
    assert "\n" not in HEADER


def test_a_long_result_is_cut_and_says_by_how_much():
    found = added(made("x" * 900), made("short"), each=500)

    assert found is not None
    assert f"{'x' * 500}\n(cut here; 400 characters more)\n\nget" in found
    assert found.endswith("\nshort")


def test_lookups_beyond_the_room_are_left_out_and_counted():
    found = added(*[made("x" * 400, id=n) for n in range(5)], room=1_100)

    assert found is not None
    assert len(found) <= 1_100
    assert found.endswith("(3 more were read, and are too long to add)")


def test_where_not_one_lookup_fits_nothing_is_added():
    assert added(made("x" * 400), room=150) is None


@given(
    st.lists(st.integers(0, 700), min_size=1, max_size=6),
    st.integers(1, 800),
    st.integers(0, 3_000),
)
@settings(max_examples=200, deadline=None)
def test_what_is_added_never_goes_beyond_its_room(sizes, each, room):
    texts = ["x" * size for size in sizes]
    lookups = [made(text, id=n) for n, text in enumerate(texts)]

    found = appendix(lookups, each=each, room=room)

    if found is not None:
        assert len(found.text) <= room
        assert found.text.startswith(HEADER)
        assert 0 <= found.n_whole <= len(lookups)
    whole = sum(len(t) for t in texts) + 30 * len(texts) + len(HEADER)
    if whole <= room and max(map(len, texts)) <= each:
        assert found is not None
        assert found.n_whole == len(lookups)


names = st.from_regex(r"[A-Za-z0-9_./-]{1,20}", fullmatch=True)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
answers = st.builds(Said, st.booleans(), st.text(max_size=60))
lookups = st.builds(
    Made, names, st.dictionaries(st.text(max_size=6), values, max_size=3), answers
)


@given(st.lists(lookups, min_size=1, max_size=5))
@settings(max_examples=80, deadline=None)
def test_an_appendix_reads_back_as_the_lookups_it_was_written_from(made):
    assert parsed(added(*made) or "") == made


@given(
    st.lists(st.integers(0, 700), min_size=1, max_size=6),
    st.integers(1, 800),
    st.integers(0, 3_000),
)
@settings(max_examples=200, deadline=None)
def test_what_was_cut_or_left_out_does_not_read_back(sizes, each, room):
    lookups = [made("x" * size, id=n) for n, size in enumerate(sizes)]
    found = appendix(lookups, each=each, room=room)
    if found is not None:
        whole = parsed(found.text)
        assert len(whole) == found.n_whole
        assert [lookup for lookup in lookups if lookup in whole] == whole


def test_text_that_is_no_appendix_holds_no_lookup():
    assert parsed("") == parsed('get {"id":1}:\none') == []
    assert parsed(HEADER) == []


def test_a_line_that_only_looks_like_a_call_stays_in_its_result():
    inside = made("see\n\nget {id: 1}:\nand so on", id=2)
    at_the_end = made("see\n\nget {id: 1}:", id=3)
    assert parsed(added(inside, at_the_end, inside) or "") == [
        inside,
        at_the_end,
        inside,
    ]


def result(**fields) -> dict:
    return {"jsonrpc": "2.0", "id": 1, "result": fields}


def test_a_lookup_says_its_texts_one_a_line():
    items = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert said(result(content=items)) == Said(False, "a\nb")
    assert said(result(content=items, isError=True)) == Said(True, "a\nb")


def test_a_lookup_without_text_says_its_structured_content():
    content = [{"type": "image", "data": "…"}]

    found = said(result(content=content, structuredContent={"b": 1, "a": [2]}))

    assert found == Said(False, '{"a":[2],"b":1}')


def test_a_lookup_says_what_of_it_is_no_text():
    items = [{"type": "text", "text": "a"}, {"type": "image"}, 7]

    assert said(result(content=items)).text == (
        "a\n(2 items that are no text are not here)"
    )


def test_a_refused_lookup_says_the_message_or_that_it_is_an_error():
    assert said({"error": {"code": 1, "message": "no"}}) == Said(True, "no")
    assert said({"error": "no"}) == Said(True, "error")


def test_a_lookup_with_nothing_to_say_says_nothing():
    assert said(result()) == said(result(content="odd")) == Said(False, "")
