"""
The rules for changing an airline's reservations, after τ²-bench's airline policy.

All of them are enforced but the one about the customer's word. The world of these
sessions stands at one moment, which is what the guards take for the time.
"""

from datetime import datetime
from types import MappingProxyType

from stretto.episodes.episode import ToolCall
from stretto.guards.agreed import agreed
from stretto.guards.facts import Facts
from stretto.guards.guard import Guards, rule
from stretto.guards.reading import argument, methods, named, objects
from stretto.guards.reservations import (
    flights,
    is_begun,
    is_covered,
    is_new,
    payments,
)
from stretto.guards.sources import Keyed, Sources
from stretto.guards.verdict import PASSED, Verdict, fail, unknown, unless

BOOK = "book_reservation"
CANCEL = "cancel_reservation"
FLIGHTS = "update_reservation_flights"
BAGGAGES = "update_reservation_baggages"
PASSENGERS = "update_reservation_passengers"
CERTIFICATE = "send_certificate"
CHANGES = (CANCEL, FLIGHTS, BAGGAGES, PASSENGERS)

NOW = datetime(2024, 5, 15, 15)

_NOT_READ = "the reservation was not looked up"
_NO_TIME = "nobody says what time it is"
_MOST_PASSENGERS = 5
_MOST_PAYMENTS = {"certificate": 1, "credit_card": 1, "gift_card": 3}


@rule(
    "airline.own_reservation", CHANGES, "Customers change only their own reservations."
)
def own_reservation(facts: Facts, call: ToolCall) -> Verdict:
    """The reservation's user is one whose profile was read."""
    reservation, users = named(facts, "reservation", call), facts.records("user")
    owner = None if reservation is None else reservation.get("user_id")
    if not isinstance(owner, str):
        return unknown("it was not seen whose reservation it is")
    if not users:
        return unknown("no customer's profile was looked up")
    return unless(owner in users, f"the reservation belongs to {owner}")


@rule(
    "airline.cancel_allowed",
    (CANCEL,),
    "A reservation not yet begun is cancelled within a day of booking, in business "
    "class, with insurance, or when the airline cancelled a flight.",
)
def cancel_allowed(facts: Facts, call: ToolCall) -> Verdict:
    """No flight lies in the past, and one of the grounds is there."""
    reservation = named(facts, "reservation", call)
    if reservation is None:
        return unknown(_NOT_READ)
    if facts.now is None:
        return unknown(_NO_TIME)
    if is_begun(reservation, facts.now):
        return fail("a flight of the reservation lies in the past")
    is_allowed = (
        is_new(reservation, facts.now)
        or is_covered(reservation)
        or any(
            facts.words("flight", *flight) == "cancelled"
            for flight in flights(reservation)
        )
    )
    return unless(
        is_allowed,
        "the reservation is older than a day, not in business class, not insured, and "
        "no flight of it is known to be cancelled",
    )


@rule(
    "airline.basic_economy_flights",
    (FLIGHTS,),
    "The flights of a basic economy reservation stay as they are.",
)
def basic_economy_flights(facts: Facts, call: ToolCall) -> Verdict:
    """The cabin is another one, or the flights are the same."""
    reservation = named(facts, "reservation", call)
    if reservation is None:
        return unknown(_NOT_READ)
    if reservation.get("cabin") != "basic_economy":
        return PASSED
    given = flights({"flights": argument(call, "flights")})
    is_same = given == flights(reservation)
    return unless(is_same, "basic economy flights cannot be changed")


@rule(
    "airline.not_flown",
    (FLIGHTS,),
    "The cabin stays as it is once a flight of the reservation was flown.",
)
def not_flown(facts: Facts, call: ToolCall) -> Verdict:
    """The cabin stays, or no flight lies in the past."""
    reservation = named(facts, "reservation", call)
    if reservation is None:
        return unknown(_NOT_READ)
    if argument(call, "cabin") == reservation.get("cabin"):
        return PASSED
    if facts.now is None:
        return unknown(_NO_TIME)
    was_flown = is_begun(reservation, facts.now)
    return unless(not was_flown, "a flight of the reservation was already flown")


@rule("airline.keep_bags", (BAGGAGES,), "Bags are added to a reservation, not removed.")
def keep_bags(facts: Facts, call: ToolCall) -> Verdict:
    """There are not fewer than before."""
    reservation = named(facts, "reservation", call)
    before = None if reservation is None else reservation.get("total_baggages")
    after = argument(call, "total_baggages")
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return unknown("it was not seen how many bags there are")
    return unless(after >= before, f"bags cannot go from {before} to {after}")


@rule(
    "airline.same_passenger_count",
    (PASSENGERS,),
    "Passengers are corrected or replaced; their number stays.",
)
def same_passenger_count(facts: Facts, call: ToolCall) -> Verdict:
    """There are as many as before."""
    reservation = named(facts, "reservation", call)
    before = None if reservation is None else reservation.get("passengers")
    after = argument(call, "passengers")
    if not isinstance(before, list) or not isinstance(after, list):
        return unknown("it was not seen how many passengers there are")
    is_same = len(before) == len(after)
    return unless(is_same, f"passengers cannot go from {len(before)} to {len(after)}")


@rule(
    "airline.booking_limits",
    (BOOK,),
    "A booking has at most five passengers, and is paid for with at most one "
    "certificate, one credit card and three gift cards.",
)
def booking_limits(_: Facts, call: ToolCall) -> Verdict:
    """None of the limits is passed."""
    n = len(objects(argument(call, "passengers")))
    if n > _MOST_PASSENGERS:
        return fail(f"{n} passengers are more than {_MOST_PASSENGERS}")
    named = payments(call)
    for kind, most in _MOST_PAYMENTS.items():
        n = sum(payment.startswith(kind) for payment in named)
        if n > most:
            name = kind.replace("_", " ")
            return fail(f"{n} payments by {name} are more than {most}")
    return PASSED


@rule(
    "airline.own_payment",
    (BOOK, BAGGAGES, FLIGHTS),
    "Payment is by a method of the customer's own profile.",
)
def own_payment(facts: Facts, call: ToolCall) -> Verdict:
    """Every method is one of a user whose profile was read."""
    users = facts.records("user")
    if not users:
        return unknown("no customer's profile was looked up")
    own = methods(users.values())
    others = [payment for payment in payments(call) if payment not in own]
    return unless(not others, f"{', '.join(others)}: not in the customer's profile")


@rule(
    "airline.compensation",
    (CERTIFICATE,),
    "A certificate is for silver and gold members, and for travellers with insurance "
    "or in business class.",
)
def compensation(facts: Facts, call: ToolCall) -> Verdict:
    """The user is such a member, or has such a reservation."""
    name = argument(call, "user_id")
    user = None if name is None else facts.record("user", name)
    if user is not None and user.get("membership") in ("silver", "gold"):
        return PASSED
    own = [
        reservation
        for reservation in facts.records("reservation").values()
        if reservation.get("user_id") == name
    ]
    if any(map(is_covered, own)):
        return PASSED
    if not own:
        return unknown("no reservation of the customer's was looked up")
    return fail(
        "the customer is no silver or gold member, and no reservation looked up is "
        "insured or in business class"
    )


@rule(
    "airline.confirmed",
    (BOOK, *CHANGES),
    "The customer says yes to a change before it is made.",
    enforced=False,
)
def confirmed(facts: Facts, _: ToolCall) -> Verdict:
    """The last message holds a word that agrees."""
    return agreed(facts)


SOURCES = Sources(
    by_argument=MappingProxyType(
        {
            "get_user_details": Keyed("user", ("user_id",)),
            "get_flight_status": Keyed("flight", ("flight_number", "date")),
        }
    ),
    by_field=MappingProxyType({"reservation_id": "reservation"}),
)

GUARDS = Guards(
    "airline",
    (
        own_reservation,
        cancel_allowed,
        basic_economy_flights,
        not_flown,
        keep_bags,
        same_passenger_count,
        booking_limits,
        own_payment,
        compensation,
        confirmed,
    ),
    SOURCES,
    now=NOW,
)
