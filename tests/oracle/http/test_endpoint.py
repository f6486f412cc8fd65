"""Tries, waits, the budget and the breaker, in a time of the tests' own."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.errors import OracleDown, OracleError
from stretto.oracle.http.attempt import NoReply, Reply
from stretto.oracle.http.endpoint import Endpoint
from stretto.oracle.http.patience import LIVE, OFFLINE, retry_after_s
from stretto.oracle.http.secret import KeyHolder
from tests.oracle.http.servers import Scripted, Time

KEY = "c4n4ry-0123456789"
GOOD = Reply(200, b"yes")
AWAY = NoReply("cannot be asked: nobody listens")


def endpoint(sender: Scripted, time: Time) -> Endpoint:
    return Endpoint(
        "jev", sender, KeyHolder("API_KEY", {"API_KEY": KEY}), clock=time.clock
    )


def post(asked: Endpoint, budget_s: float | None = None) -> bytes:
    return asked.guarded(budget_s, lambda until: asked.post(b"q", until))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
def test_a_status_that_may_pass_is_tried_four_more_times(status: int) -> None:
    time, sender = Time(), Scripted([Reply(status, b"busy")])

    with pytest.raises(OracleDown, match=rf"jev answered {status}: busy \(tried 5"):
        post(endpoint(sender, time))

    assert time.slept == [1, 2, 4, 8]
    assert [(body, limit) for body, _, limit in sender.sent] == [(b"q", 30.0)] * 5


def test_a_server_that_is_away_is_tried_again_until_it_is_back() -> None:
    time, sender = Time(), Scripted([AWAY, Reply(503, b""), GOOD])

    assert post(endpoint(sender, time)) == b"yes"
    assert time.slept == [1, 2]


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (301, OracleError, None),
        (400, OracleError, None),
        (401, OracleDown, "key"),
        (402, OracleDown, "credit"),
        (403, OracleDown, "key"),
        (413, OracleError, "too long"),
        (422, OracleError, "another form"),
    ],
)
def test_any_other_status_fails_at_once_and_says_what_came(
    status: int, kind: type[OracleError], hint: str | None
) -> None:
    time, sender = Time(), Scripted([Reply(status, b'{"error":\n "no"}')])

    with pytest.raises(
        kind, match=f'jev answered {status}: {{"error": "no"}}'
    ) as error:
        post(endpoint(sender, time))

    assert (type(error.value), time.slept, len(sender.sent)) == (kind, [], 1)
    assert (hint or "") in (error.value.hint or "")


def test_jitter_makes_a_wait_longer_by_at_most_a_quarter() -> None:
    time = Time(luck=1.0)

    with pytest.raises(OracleDown):
        post(endpoint(Scripted([AWAY]), time))

    assert time.slept == [1.25, 2.5, 5, 10]


def test_a_server_is_given_the_time_it_asks_for_but_not_any_time() -> None:
    time, busy = Time(), Reply(429, b"", "3")
    assert post(endpoint(Scripted([busy, busy, busy, GOOD]), time)) == b"yes"
    assert time.slept == [3, 3, 4]

    time = Time()
    with pytest.raises(OracleDown, match="tried once"):
        post(endpoint(Scripted([Reply(429, b"", "61")]), time))
    assert time.slept == []


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("Sun, 09 Sep 2001 01:46:45 GMT", 5.0),
        ("Sun, 09 Sep 2001 01:46:35 GMT", 0.0),
        ("soon", 0.0),
        ("-1", 0.0),
        ("9" * 400, 0.0),
        ("²", 0.0),
        (None, 0.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header, seconds) -> None:
    assert retry_after_s(header, 1e9) == seconds


def test_with_a_budget_every_try_and_wait_ends_with_it() -> None:
    time, sender = Time(), Scripted([Reply(503, b"")])

    with pytest.raises(OracleDown, match="tried 3 times"):
        post(endpoint(sender, time), 0.5)

    assert time.slept == [0.1, 0.2]
    assert [limit for *_, limit in sender.sent] == pytest.approx([0.5, 0.4, 0.2])


@given(
    st.lists(
        st.tuples(st.sampled_from([429, 503, None]), st.integers(0, 5)), max_size=8
    ),
    st.floats(0.01, 8),
    st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_whatever_a_server_does_no_wait_goes_past_the_budget(
    drawn, budget_s: float, luck: float
) -> None:
    replies = [AWAY if s is None else Reply(s, b"", str(after)) for s, after in drawn]
    time = Time(luck=luck)

    with pytest.raises(OracleDown):
        post(endpoint(Scripted([*replies, AWAY]), time), budget_s)

    assert sum(time.slept) < budget_s
    assert len(time.slept) <= len(LIVE.waits_s)


def test_a_wait_that_a_server_asks_for_past_the_budget_is_not_made() -> None:
    time = Time()

    with pytest.raises(OracleDown, match="tried once"):
        post(endpoint(Scripted([Reply(429, b"", "2")]), time), 1.5)

    assert time.slept == []


def test_a_server_that_is_stuck_for_good_is_given_up_on_with_the_budget() -> None:
    never = threading.Event()

    def stuck() -> Reply:
        never.wait()
        return GOOD

    try:
        with pytest.raises(OracleDown, match=r"jev gave no answer within 0\.02 s"):
            post(endpoint(Scripted([stuck]), Time()), 0.02)
    finally:
        never.set()


def test_after_five_failures_in_a_row_it_is_left_alone_for_thirty_seconds() -> None:
    time, sender = Time(), Scripted([*[Reply(401, b"")] * 5, GOOD])
    asked = endpoint(sender, time)

    for _ in range(5):
        with pytest.raises(OracleDown, match="401"):
            post(asked, 9)
    with pytest.raises(OracleDown, match="left alone for another 30 s"):
        post(asked, 9)
    time.at += 29
    with pytest.raises(OracleDown, match="left alone for another 1 s"):
        post(asked, 9)
    assert len(sender.sent) == 5

    time.at += 1
    assert post(asked, 9) == b"yes"
    assert post(asked, 9) == b"yes"


def test_one_request_at_a_time_is_let_through_to_a_server_that_had_failed() -> None:
    time = Time()
    asked = endpoint(Scripted([Reply(401, b"")]), time)
    for _ in range(5):
        with pytest.raises(OracleDown):
            post(asked, 9)

    time.at += 30
    asked.breaker.check()
    with pytest.raises(OracleDown, match="left alone"):
        asked.breaker.check()


def test_a_request_that_is_refused_for_itself_does_not_count_as_a_failure() -> None:
    replies = [*[Reply(401, b"")] * 4, Reply(422, b""), *[Reply(401, b"")] * 4, GOOD]
    asked = endpoint(Scripted(replies), Time())

    for _ in replies[:-1]:
        with pytest.raises(OracleError):
            post(asked, 9)

    assert post(asked, 9) == b"yes"


def test_offline_nothing_is_left_alone() -> None:
    sender = Scripted([*[Reply(401, b"")] * 9, GOOD])
    asked = endpoint(sender, Time())

    for _ in range(9):
        with pytest.raises(OracleDown, match="401"):
            post(asked)

    assert post(asked) == b"yes"


def test_what_a_terminal_would_obey_is_spelled_out_in_an_error() -> None:
    body = b"\x1b]0;owned\x07\xff" + b"x" * 10_000

    with pytest.raises(OracleError) as error:
        post(endpoint(Scripted([Reply(400, body)]), Time()))

    assert str(error.value).isprintable()
    assert len(str(error.value)) < 350


def test_the_published_patience_is_the_default() -> None:
    assert OFFLINE.timeout_s == 30.0
    assert OFFLINE.waits_s == (1, 2, 4, 8)
    assert sum(LIVE.waits_s) < 2
