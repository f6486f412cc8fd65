"""Each row of the airline's rules, with the answers its table gives."""

from datetime import datetime

import pytest

from stretto.guards.airline import CHANGES
from stretto.guards.airline import GUARDS as AIRLINE
from stretto.guards.guard import Guards
from stretto.guards.verdict import Outcome
from tests.claims import claim
from tests.guards.world import RESERVATION, read_reservation, said_of
from tests.toys import Script

PASS, FAIL, UNKNOWN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
CANCEL, FLIGHTS, BAGGAGES, PASSENGERS = CHANGES
SAME = [{"flight_number": "HAT1", "date": "2024-05-20"}]
OTHER = [{"flight_number": "HAT2", "date": "2024-05-20"}]
FLOWN = [{"flight_number": "HAT1", "date": "2024-05-14"}]
UNREAD = Script().user("Hi")


def outcome(
    rule: str, session: Script, tool: str, /, guards: Guards = AIRLINE, **given: object
) -> Outcome:
    arguments = {"reservation_id": "R1", **given}
    return said_of(guards, session, tool, **arguments)[rule].outcome


@claim("guards:rules")
def test_there_are_ten_rules_of_which_one_is_only_logged() -> None:
    assert len(AIRLINE.rules) == 10
    assert [g.rule for g in AIRLINE.rules if not g.enforced] == ["airline.confirmed"]


def test_a_reservation_is_the_customers_own_where_that_was_seen() -> None:
    unknown_user = Script().turn(("get_reservation_details", {}, RESERVATION))

    for tool in CHANGES:
        assert outcome("own_reservation", read_reservation(), tool) is PASS
        other = read_reservation(user_id="bob_2")
        assert outcome("own_reservation", other, tool) is FAIL
        assert outcome("own_reservation", unknown_user, tool) is UNKNOWN
        unowned = read_reservation(user_id=None)
        assert outcome("own_reservation", unowned, tool) is UNKNOWN
        assert outcome("own_reservation", UNREAD, tool) is UNKNOWN


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, FAIL),
        ({"cabin": "business"}, PASS),
        ({"insurance": "yes"}, PASS),
        ({"created_at": "2024-05-14T15:00:00"}, PASS),
        ({"created_at": "2024-05-14T14:59:59"}, FAIL),
        ({"created_at": "2024-05-14T15:00:00+00:00"}, FAIL),
        ({"created_at": "lately"}, FAIL),
        ({"cabin": "business", "flights": FLOWN}, FAIL),
    ],
)
def test_a_cancellation_has_one_of_four_grounds(changed, expected) -> None:
    assert outcome("cancel_allowed", read_reservation(**changed), CANCEL) is expected


def test_a_cancelled_flight_is_a_ground_once_its_status_was_seen() -> None:
    def status(text: str) -> Script:
        flight = {"flight_number": "HAT1", "date": "2024-05-20"}
        return read_reservation().turn(("get_flight_status", flight, text))

    assert outcome("cancel_allowed", status("cancelled"), CANCEL) is PASS
    assert outcome("cancel_allowed", status("available"), CANCEL) is FAIL
    assert outcome("cancel_allowed", UNREAD, CANCEL) is UNKNOWN


def test_basic_economy_flights_stay_and_their_cabin_may_change() -> None:
    basic = read_reservation(cabin="basic_economy")

    def change(session: Script, flights: object, cabin: str) -> Outcome:
        rule = "basic_economy_flights"
        return outcome(rule, session, FLIGHTS, flights=flights, cabin=cabin)

    assert change(basic, SAME, "economy") is PASS
    assert change(basic, [*SAME, *SAME], "economy") is PASS
    assert change(basic, OTHER, "basic_economy") is FAIL
    assert change(basic, OTHER, "economy") is FAIL
    assert change(read_reservation(), OTHER, "economy") is PASS
    assert change(UNREAD, OTHER, "economy") is UNKNOWN


@claim("guards:correction")
def test_after_a_separate_upgrade_the_flights_may_change() -> None:
    """τ²-bench's own task 32 expects exactly this path."""
    given = {"reservation_id": "R1", "flights": SAME, "cabin": "economy"}
    upgraded = read_reservation(cabin="basic_economy").turn(
        (FLIGHTS, given, RESERVATION | {"cabin": "economy"})
    )
    rule = "basic_economy_flights"

    assert outcome(rule, upgraded, FLIGHTS, flights=OTHER, cabin="economy") is PASS


def test_the_cabin_stays_once_a_flight_was_flown() -> None:
    flown = read_reservation(flights=FLOWN)

    def to(cabin: str, session: Script, guards: Guards = AIRLINE) -> Outcome:
        return outcome("not_flown", session, FLIGHTS, guards, cabin=cabin)

    assert to("economy", flown) is PASS
    assert to("business", flown) is FAIL
    assert to("business", read_reservation()) is PASS
    assert to("business", flown, AIRLINE.at(datetime(2024, 5, 14))) is PASS
    assert to("business", flown, AIRLINE.at(None)) is UNKNOWN
    assert outcome("cancel_allowed", flown, CANCEL, AIRLINE.at(None)) is UNKNOWN
    assert to("business", UNREAD) is UNKNOWN


def test_bags_are_added_and_passengers_stay_as_many() -> None:
    def bags(n: object, session: Script) -> Outcome:
        return outcome("keep_bags", session, BAGGAGES, total_baggages=n)

    def people(n: int, session: Script) -> Outcome:
        rule = "same_passenger_count"
        return outcome(rule, session, PASSENGERS, passengers=[{}] * n)

    at = read_reservation()
    assert [bags(n, at) for n in (1, 2, 3)] == [FAIL, PASS, PASS]
    assert [bags(2, UNREAD), bags(None, at)] == [UNKNOWN, UNKNOWN]
    assert [people(n, at) for n in (1, 2, 3)] == [FAIL, PASS, FAIL]
    assert people(2, UNREAD) is UNKNOWN


@pytest.mark.parametrize(
    ("n_passengers", "payments", "expected"),
    [
        (5, ["certificate_1", "credit_card_1", *["gift_card_1"] * 3], PASS),
        (6, [], FAIL),
        (1, ["certificate_1", "certificate_2"], FAIL),
        (1, ["credit_card_1", "credit_card_2"], FAIL),
        (1, ["gift_card_1"] * 4, FAIL),
    ],
)
def test_a_booking_has_its_limits(n_passengers, payments, expected) -> None:
    given = {
        "passengers": [{}] * n_passengers,
        "payment_methods": [{"payment_id": payment} for payment in payments],
    }
    found = said_of(AIRLINE, UNREAD, "book_reservation", **given)

    assert found["booking_limits"].outcome is expected


def test_payment_is_by_methods_of_a_profile_that_was_read() -> None:
    def by(session: Script, **given: object) -> Outcome:
        return outcome("own_payment", session, FLIGHTS, **given)

    at = read_reservation()
    assert by(at, payment_id="paypal_7") is PASS
    assert by(at, payment_id="paypal_9") is FAIL
    assert by(at, payment_methods=[{"payment_id": "paypal_9"}]) is FAIL
    assert by(UNREAD, payment_id="paypal_7") is UNKNOWN


@pytest.mark.parametrize(
    ("membership", "changed", "expected"),
    [
        ("silver", {}, PASS),
        ("gold", {}, PASS),
        ("regular", {}, FAIL),
        ("regular", {"insurance": "yes"}, PASS),
        ("regular", {"cabin": "business"}, PASS),
        ("regular", {"user_id": "bob_2", "cabin": "business"}, UNKNOWN),
    ],
)
def test_a_certificate_is_for_some(membership, changed, expected) -> None:
    session = read_reservation(membership=membership, **changed)
    found = said_of(AIRLINE, session, "send_certificate", user_id="ann_1")

    assert found["compensation"].outcome is expected
    of_nobody = said_of(AIRLINE, UNREAD, "send_certificate", user_id="ann_1")
    assert of_nobody["compensation"].outcome is UNKNOWN


def test_a_change_follows_the_customers_yes() -> None:
    assert outcome("confirmed", read_reservation().user("go ahead!"), CANCEL) is PASS
    assert outcome("confirmed", read_reservation(), CANCEL) is FAIL
