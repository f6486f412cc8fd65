from stretto.program.batch.choices import (
    ABSENT,
    BOOLEAN,
    INTEGER,
    OTHER,
    Batch,
    numbered,
)


def test_a_column_has_what_each_run_chose_there() -> None:
    batch = Batch.of([{"a": 3}, {"a": True}, {}, {"a": 0.5}, {"a": 2**63}])

    column = batch.columns["a"]
    by_run = dict(zip(batch.order.tolist(), column.has.tolist(), strict=True))

    assert by_run == {0: INTEGER, 1: BOOLEAN, 2: ABSENT, 3: OTHER, 4: OTHER}
    assert column.value[batch.order == 0].tolist() == [3]


def test_shorter_runs_come_first_and_equals_in_their_order() -> None:
    batch = Batch.of([{"a": 1, "b": 1}, {"a": 1}, {"b": 1}, {}])

    assert batch.order.tolist() == [3, 1, 2, 0]
    assert len(batch) == 4


def test_only_a_number_as_programs_print_it_numbers_an_address() -> None:
    names = ["a#0", "a#-1", "a#12", "a#-0", "a#01", "a#+1", "a#1_0", "a#٣", "a#", "a"]
    large = ["a#9223372036854775807", "a#9223372036854775808", "ab#1", "a\\#1"]

    assert numbered("a", names + large) == {
        0: "a#0",
        -1: "a#-1",
        12: "a#12",
        2**63 - 1: "a#9223372036854775807",
    }
