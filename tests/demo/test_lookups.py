"""What the agent remembers of what it, or a flow, has read."""

import json
from dataclasses import asdict

from stretto.demo.acts import Call, Result
from stretto.demo.lookups import Lookups
from stretto.demo.world import build
from stretto.traces.appended import Made, Said

ORDER, OTHER, *_ = build(0).orders.values()


def read(order, *, failed: bool = False) -> Made:
    """An order that a flow has read."""
    said = Said(failed, json.dumps(asdict(order)))
    return Made("get_order", {"order_id": order.order_id}, said)


def told(*added: Made, look: Lookups | None = None, changes=None) -> Lookups:
    """What an agent remembers after a call that a flow added to."""
    look = look or Lookups()
    call = look.make(Call("hand_over", {"summary": ""}), changes=changes)
    next(call)
    ended((Result(False, "{}", added),), call)
    return look


def ended(reply, play):
    """What a play that ends with this reply comes to."""
    try:
        play.send(reply)
    except StopIteration as end:
        return end.value
    raise AssertionError("the play goes on")


def asked(look: Lookups, *orders) -> list[str]:
    """The orders that are read anew when these are needed."""
    try:
        calls = next(look.orders(*(order.order_id for order in orders)))
    except StopIteration:
        return []
    return [call.arguments["order_id"] for call in calls]


def test_what_a_flow_has_read_is_a_record_like_any_other():
    assert ended(None, told(read(ORDER)).orders(ORDER.order_id)) == [ORDER]


def test_only_the_same_tool_with_the_same_arguments_needs_no_call():
    look = told(read(ORDER))
    assert asked(look, ORDER, OTHER) == [OTHER.order_id]
    other_tool = read(OTHER)._replace(tool="get_product")
    other_arguments = read(OTHER)._replace(
        arguments={"order_id": OTHER.order_id, "full": True}
    )
    told(other_tool, other_arguments, look=look)
    assert asked(look, OTHER) == [OTHER.order_id]


def test_a_lookup_that_failed_is_made_by_the_agent_itself():
    assert asked(told(read(ORDER, failed=True)), ORDER) == [ORDER.order_id]


def test_a_changed_order_is_read_anew_unless_it_was_read_behind_the_change():
    look = told(read(ORDER))
    assert asked(told(look=look, changes=ORDER), ORDER) == [ORDER.order_id]
    assert asked(told(read(ORDER), look=look, changes=ORDER), ORDER) == []
