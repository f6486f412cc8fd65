"""The values an argument may be given, beside those found by looking at all of them."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.binding.candidates import Candidates, Ranked
from stretto.binding.outputs import Output
from stretto.binding.rows import Rows
from stretto.binding.said import Row, Said
from tests.binding.test_rows import PATH, RECORDS, WORDS, output

STEPS = st.lists(
    st.tuples(st.just("output"), st.integers(0, 1), RECORDS)
    | st.tuples(st.just("message"), st.just(0), st.sampled_from(WORDS))
    | st.tuples(st.just("passed"), st.just(0), st.sampled_from(WORDS))
    | st.tuples(st.just("asked"), st.just(0), st.sets(st.sampled_from(WORDS))),
    max_size=25,
)


class Session:
    """Two sources, what came from them and what was passed."""

    def __init__(self, in_order: bool) -> None:
        self.said, self.passed = Said(), set()
        self.outputs: tuple[list[Output], list[Output]] = ([], [])
        self.places: tuple[list[int], list[int]] = ([], [])
        self.rows = [Rows(PATH, self.said), Rows(PATH, self.said)]
        self.in_order = in_order
        self.candidates = Candidates(
            [
                Ranked(rows, None if in_order else places)
                for rows, places in zip(self.rows, self.places, strict=True)
            ]
        )

    def add(self, source: int, found: Output) -> None:
        self.places[source].append(sum(map(len, self.outputs)))
        self.outputs[source].append(found)
        self.rows[source].take(found)

    def in_turn(self) -> Iterator[Row]:
        """All rows, in the order of preference."""
        found = [
            (source, place, output)
            for source in (0, 1)
            for place, output in zip(
                self.places[source], self.outputs[source], strict=True
            )
        ]
        found.sort(key=lambda x: (x[0], -x[1]) if self.in_order else -x[1])
        return (self.said.row(output, PATH) for _, _, output in found)

    def expected(self, also: set[str]) -> tuple[str, bool, Row] | None:
        """The candidate, read off its definition."""
        first, tried = None, set()
        for row in self.in_turn():
            for value, is_named in row.first.items():
                if value in tried or value in self.passed or value in also:
                    continue
                if is_named:
                    return value, True, row
                first = first or (value, False, row)
                tried.add(value)
        return first


@given(steps=STEPS, in_order=st.booleans())
@settings(max_examples=300, deadline=None)
def test_the_candidate_is_the_first_one_found_by_looking_at_all(steps, in_order):
    session = Session(in_order)
    for what, source, value in [*steps, ("asked", 0, set())]:
        match what:
            case "output":
                session.add(source, output(value))
            case "message":
                newly = session.said.hear(value)
                for rows in session.rows:
                    rows.hear(newly)
            case "passed":
                session.passed.add(value)
            case "asked":
                found = session.candidates.first(session.passed, value)
                assert (found and tuple(found)) == session.expected(value)


def test_what_counts_as_passed_for_once_is_a_candidate_again():
    session = Session(in_order=True)
    session.add(0, output([("1x", "blue"), ("2x", "reds")]))

    with_both = session.candidates.first(set(), {"1x"})
    without = session.candidates.first(set())

    assert with_both is not None
    assert without is not None
    assert (with_both.value, without.value) == ("2x", "1x")
