"""What the airline's rules read of a reservation, and of a call that changes one."""

from datetime import datetime, timedelta

from stretto.canonical import text
from stretto.episodes.episode import ToolCall
from stretto.guards.facts import Record
from stretto.guards.reading import argument, day, moment, objects


def flights(reservation: Record) -> set[tuple[str, str]]:
    """The number and date of every flight."""
    return {
        (text(flight.get("flight_number")), text(flight.get("date")))
        for flight in objects(reservation.get("flights"))
    }


def is_begun(reservation: Record, now: datetime) -> bool:
    """Whether one of its flights is of an earlier day."""
    days = [day(date) for _, date in flights(reservation)]
    return any(date is not None and date < now.date() for date in days)


def is_new(reservation: Record, now: datetime) -> bool:
    """Whether it was made within the last day."""
    created = moment(reservation.get("created_at"))
    if created is None or (created.tzinfo is None) != (now.tzinfo is None):
        return False
    return now - created <= timedelta(hours=24)


def is_covered(reservation: Record) -> bool:
    """Whether it is insured or in business class."""
    is_insured = reservation.get("insurance") == "yes"
    return is_insured or reservation.get("cabin") == "business"


def payments(call: ToolCall) -> list[str]:
    """The ids of the payment methods that a call names."""
    several = objects(argument(call, "payment_methods"))
    named = [
        *(each.get("payment_id") for each in several),
        argument(call, "payment_id"),
    ]
    return [payment for payment in named if isinstance(payment, str)]
