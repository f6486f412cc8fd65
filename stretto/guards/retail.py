"""
The rules for changing a shop's orders, after τ²-bench's retail policy.

All of them are enforced but the one about the customer's word.
"""

from collections import Counter
from types import MappingProxyType

from stretto.counted import counted
from stretto.episodes.episode import ToolCall
from stretto.guards.agreed import agreed
from stretto.guards.facts import Facts
from stretto.guards.guard import Guards, rule
from stretto.guards.orders import exchanged, items_of, status_of
from stretto.guards.reading import argument, methods, named, objects, texts
from stretto.guards.sources import Keyed, Sources
from stretto.guards.verdict import Verdict, fail, unknown, unless, worst

CANCEL = "cancel_pending_order"
ADDRESS = "modify_pending_order_address"
ITEMS = "modify_pending_order_items"
PAYMENT = "modify_pending_order_payment"
RETURN = "return_delivered_order_items"
EXCHANGE = "exchange_delivered_order_items"
ORDER_WRITES = (CANCEL, ADDRESS, ITEMS, PAYMENT, RETURN, EXCHANGE)
WRITES = (*ORDER_WRITES, "modify_user_address")

_NOT_READ = "the order was not looked up"
_REASONS = ("no longer needed", "ordered by mistake")


@rule(
    "retail.authenticated",
    WRITES,
    "The customer is identified by email, or by name and zip code, before any change.",
)
def authenticated(facts: Facts, _: ToolCall) -> Verdict:
    """Somebody was."""
    return unless(bool(facts.identities), "no customer has been identified")


@rule("retail.own_order", ORDER_WRITES, "Customers change only their own orders.")
def own_order(facts: Facts, call: ToolCall) -> Verdict:
    """The order's user is one who was identified."""
    order = named(facts, "order", call)
    owner = None if order is None else order.get("user_id")
    if not isinstance(owner, str):
        return unknown("it was not seen whose order it is")
    if not facts.identities:
        return unknown("no customer has been identified")
    return unless(owner in facts.identities, f"the order belongs to {owner}")


@rule(
    "retail.status_checked",
    ORDER_WRITES,
    "An order's status is looked up before the order is changed.",
)
def status_checked(facts: Facts, call: ToolCall) -> Verdict:
    """The order was read."""
    name = argument(call, "order_id")
    if name is None:
        return unknown("the call names no order")
    return unless(facts.record("order", name) is not None, _NOT_READ)


@rule(
    "retail.pending",
    (CANCEL, ADDRESS, ITEMS, PAYMENT),
    "Only a pending order is cancelled or modified, and its items only once.",
)
def pending(facts: Facts, call: ToolCall) -> Verdict:
    """Its status is pending, or says so among other things where that may be."""
    state = status_of(facts, call)
    if state is None:
        return unknown(_NOT_READ)
    is_pending = state == "pending"
    if call.tool in (ADDRESS, PAYMENT):
        is_pending = "pending" in state
    return unless(is_pending, f"the order is {state}, not pending")


@rule(
    "retail.delivered",
    (RETURN, EXCHANGE),
    "Only what an order delivered is returned or exchanged.",
)
def delivered(facts: Facts, call: ToolCall) -> Verdict:
    """Its status is delivered."""
    state = status_of(facts, call)
    if state is None:
        return unknown(_NOT_READ)
    return unless(state == "delivered", f"the order is {state}, not delivered")


@rule(
    "retail.cancel_reason",
    (CANCEL,),
    "An order is cancelled because it is not needed any more or was made by mistake.",
)
def cancel_reason(_: Facts, call: ToolCall) -> Verdict:
    """The reason given is one of the two."""
    allowed = " or ".join(f"`{reason}`" for reason in _REASONS)
    is_allowed = argument(call, "reason") in _REASONS
    return unless(is_allowed, f"the reason of a cancellation is {allowed}")


@rule(
    "retail.items_in_order",
    (ITEMS, RETURN, EXCHANGE),
    "Only items of the order itself are changed, each as often as it was ordered.",
)
def items_in_order(facts: Facts, call: ToolCall) -> Verdict:
    """The items named are among the order's, repeats counted."""
    items, wanted = items_of(facts, call), texts(argument(call, "item_ids"))
    if items is None:
        return unknown(_NOT_READ)
    if wanted is None:
        return unknown("the call names no list of items")
    ordered = Counter(item for item, _ in items)
    missing = [*(Counter(wanted) - ordered)]
    return unless(not missing, f"the order does not hold {', '.join(missing)}")


@rule(
    "retail.same_product",
    (ITEMS, EXCHANGE),
    "An item gives way to an available, different variant of the same product.",
)
def same_product(facts: Facts, call: ToolCall) -> Verdict:
    """Every pair of items is such; one that is not decides, whatever is unknown."""
    old, new = (texts(argument(call, name)) for name in ("item_ids", "new_item_ids"))
    if old is None or new is None:
        return unknown("the call names no two lists of items")
    if len(old) != len(new):
        return fail(f"{counted(len(old), 'item')} cannot give way to {len(new)}")
    products = dict(items_of(facts, call) or ())
    found = [
        exchanged(facts, products.get(was), was, becomes)
        for was, becomes in zip(old, new, strict=True)
    ]
    return worst(found)


@rule(
    "retail.once",
    (ITEMS, EXCHANGE),
    "The items of an order are modified or exchanged in one call, once.",
)
def once(facts: Facts, call: ToolCall) -> Verdict:
    """No earlier call did that to the order."""
    order = argument(call, "order_id")
    is_done = any(
        made.tool in (ITEMS, EXCHANGE) and argument(made, "order_id") == order
        for made in facts.done
    )
    return unless(not is_done, "the order's items were already changed once")


@rule(
    "retail.own_payment",
    (ITEMS, PAYMENT, RETURN, EXCHANGE),
    "Money moves by a payment method of the customer's own profile.",
)
def own_payment(facts: Facts, call: ToolCall) -> Verdict:
    """The method is among those of an identified user whose profile was read."""
    method = argument(call, "payment_method_id")
    users = facts.records("user")
    read = [users[user] for user in facts.identities if user in users]
    if not read or not isinstance(method, str):
        return unknown("the customer's payment methods were not looked up")
    return unless(method in methods(read), f"{method} is not the customer's")


@rule(
    "retail.refund_method",
    (RETURN,),
    "A refund goes to the original payment method or to a gift card.",
)
def refund_method(facts: Facts, call: ToolCall) -> Verdict:
    """The method is one of these."""
    order, method = named(facts, "order", call), argument(call, "payment_method_id")
    if order is None or not isinstance(method, str):
        return unknown(_NOT_READ)
    paid = objects(order.get("payment_history"))
    first = paid[0].get("payment_method_id") if paid else None
    is_allowed = method == first or method.startswith("gift_card")
    return unless(is_allowed, f"{method} neither paid for the order nor is a gift card")


@rule(
    "retail.confirmed",
    WRITES,
    "The customer says yes to a change before it is made.",
    enforced=False,
)
def confirmed(facts: Facts, _: ToolCall) -> Verdict:
    """The last message holds a word that agrees."""
    return agreed(facts)


SOURCES = Sources(
    identities=frozenset({"find_user_id_by_email", "find_user_id_by_name_zip"}),
    by_argument=MappingProxyType(
        {
            "get_user_details": Keyed("user", ("user_id",)),
            "get_product_details": Keyed("product", ("product_id",)),
        }
    ),
    by_field=MappingProxyType({"order_id": "order"}),
)

GUARDS = Guards(
    "retail",
    (
        authenticated,
        own_order,
        status_checked,
        pending,
        delivered,
        cancel_reason,
        items_in_order,
        same_product,
        once,
        own_payment,
        refund_method,
        confirmed,
    ),
    SOURCES,
)
