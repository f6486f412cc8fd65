"""
Bindings read straight off their definition: every prefix walked again, nothing kept.

It is slow and shares no code with `stretto.binding`, which is held equal to it.
"""

import json
from collections import defaultdict

from stretto.episodes.episode import AssistantTurn, ToolResult, UserMessage


def _refuse(constant):
    raise ValueError(constant)


def parse(content):
    try:
        return json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError):
        lines = [line.strip() for line in content.split("\n") if line.strip()]
        return lines if len(lines) > 1 else content


def text(value):
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def find(value, wanted, path="$"):
    if isinstance(value, dict):
        return [
            p
            for key in sorted(value)
            for p in find(value[key], wanted, f"{path}.{key}")
        ]
    if isinstance(value, list):
        return [p for item in value for p in find(item, wanted, f"{path}[*]")]
    return [path] if isinstance(value, str) and value == wanted else []


def at(value, path):
    """Pairs of a string and its siblings."""
    assert path[0] == "$"
    return _at(value, path[1:], None)


def _at(value, rest, owner):
    if rest == "":
        if not isinstance(value, str):
            return []
        fields = [] if owner is None else owner.values()
        return [(value, [v for v in fields if isinstance(v, str) and v != value])]
    if rest.startswith("[*]"):
        items = value if isinstance(value, list) else []
        return [leaf for item in items for leaf in _at(item, rest[3:], None)]
    if rest.startswith("."):
        ends = [i for i in range(1, len(rest)) if rest[i] in ".["]
        end = ends[0] if ends else len(rest)
        key = rest[1:end]
        if isinstance(value, dict) and key in value:
            return _at(value[key], rest[end:], value)
    return []


def mentions(customer, value):
    value = value.strip().lower()
    without = value[1:] if value.startswith("#") else value
    return any(v != "" and v in customer for v in (value, without))


def keyish(value):
    return len(value) >= 4 and any(c in "0123456789" for c in value)


def scalars(value):
    if isinstance(value, dict):
        return {s for item in value.values() for s in scalars(item)}
    if isinstance(value, list):
        return {s for item in value for s in scalars(item)}
    if isinstance(value, str):
        return {value.strip().lower()}
    if value is None or isinstance(value, bool):
        return set()
    return {text(value)}


class Learned:
    def __init__(self):
        self.args = {}
        self.sources = {}
        self.lists = {}
        self.by_site = defaultdict(int)
        self.bare = defaultdict(int)
        self.constants = {}
        self.agreed = {}
        self.named_other = {}
        self.described_read = {}

    @property
    def site_sources(self):
        return {
            (tool, arg, site, source): n
            for (tool, arg, site, source), n in self.by_site.items()
            if len(self.sources[tool, arg]["found"]) > 1
        }

    def required(self, tool):
        calls, args = self.args[tool]
        return sorted(a for a, n in args.items() if 10 * n >= 9 * calls)

    def rules(self, tool, arg, kind):
        counted = kind[tool, arg]
        return sorted(
            source
            for source, n in counted["found"].items()
            if n >= 2 and 10 * n >= counted["values"]
        )


def outputs_of(events):
    return [
        (e.tool, parse(e.content))
        for e in events
        if isinstance(e, ToolResult) and not e.error
    ]


def customer_of(events):
    return "".join(e.text.lower() + "\n" for e in events if isinstance(e, UserMessage))


def calls_of(events):
    return [c for e in events if isinstance(e, AssistantTurn) for c in e.calls]


def learn(episodes, reads, constants=False):
    learned = Learned()
    _count(learned, episodes, reads, constants)
    _agree(learned, episodes, reads)
    _probe(learned, episodes)
    return learned


def _count(learned, episodes, reads, constants):
    passed = defaultdict(list)
    for episode in episodes:
        for i, event in enumerate(episode.events):
            if not isinstance(event, AssistantTurn):
                continue
            outputs = outputs_of(episode.events[:i])
            read_calls = [c for c in event.calls if c.tool in reads]
            last = outputs[-1][0] if outputs else None
            befores = [last, *(c.tool for c in read_calls)]
            for call, site in zip(read_calls, befores, strict=False):
                _count_call(learned, call, site, outputs, passed)
    for tool, (calls, args) in learned.args.items():
        required = any(10 * n >= 9 * calls for n in args.values())
        if learned.bare[tool] >= calls or required:
            del learned.bare[tool]
    if not constants:
        return
    wrote = "".join(customer_of(e.events) for e in episodes)
    for (tool, arg), values in passed.items():
        string, array = learned.sources.get((tool, arg)), learned.lists.get((tool, arg))
        found = (string and string["found"]) or (array and array["found"])
        value = values[0]
        private = (
            isinstance(value, str)
            and any(c in "0123456789@" for c in value)
            and mentions(wrote, value)
        )
        if (
            len(values) >= 5
            and 2 * len(values) >= learned.args[tool][0]
            and len({json.dumps(v, sort_keys=True) for v in values}) == 1
            and not found
            and not private
        ):
            learned.constants[tool, arg] = value


def _count_call(learned, call, site, outputs, passed):
    if not isinstance(call.arguments, dict):
        return
    tool = call.tool
    calls, args = learned.args.get(tool, (0, {}))
    learned.args[tool] = (calls + 1, args)
    learned.bare[tool] += call.arguments == {}
    for arg, value in call.arguments.items():
        args[arg] = args.get(arg, 0) + 1
        passed[tool, arg].append(value)
        is_list = isinstance(value, list) and value != []
        if is_list and all(isinstance(item, str) for item in value):
            counted = learned.lists.setdefault((tool, arg), {"values": 0, "found": {}})
            counted["values"] += 1
            source = _list_source(value, outputs)
            if source is not None:
                counted["found"][source] = counted["found"].get(source, 0) + 1
        elif isinstance(value, str):
            counted = learned.sources.setdefault(
                (tool, arg), {"values": 0, "found": {}}
            )
            counted["values"] += 1
            source = _string_source(value, outputs)
            if source is not None:
                counted["found"][source] = counted["found"].get(source, 0) + 1
                if site is not None:
                    learned.by_site[tool, arg, site, source] += 1


def _string_source(value, outputs):
    for tool, output in reversed(outputs):
        paths = find(output, value)
        if paths:
            return (tool, paths[0])
    return None


def _list_source(items, outputs):
    for tool, output in reversed(outputs):
        for path in find(output, items[0]):
            values = [value for value, _ in at(output, path)]
            if all(item in values for item in items):
                return (tool, path)
    return None


def _same(arguments, call):
    return isinstance(call.arguments, dict) and all(
        a in call.arguments and text(call.arguments[a]) == text(v)
        for a, v in arguments.items()
    )


def _agree(learned, episodes, reads):
    for episode in episodes:
        for i, event in enumerate(episode.events):
            if not isinstance(event, AssistantTurn):
                continue
            for j, call in enumerate(event.calls):
                if call.tool not in reads:
                    continue
                found = pick(learned, call.tool, episode.events[:i], event.calls[:j])
                if isinstance(found, str) or found[0] == {}:
                    continue
                arguments, mention = found
                columns = learned.agreed.setdefault(call.tool, [[0, 0], [0, 0]])
                column = columns[1 if mention == "picked" else 0]
                column[0] += _same(arguments, call)
                column[1] += 1


def _probe(learned, episodes):
    for episode in episodes:
        known = []
        for i, event in enumerate(episode.events):
            if not isinstance(event, ToolResult) or event.error:
                continue
            for tool in sorted(learned.args):
                found = pick(learned, tool, episode.events[: i + 1], ())
                if isinstance(found, str) or found[1] not in ("other", "described"):
                    continue
                arguments, mention = found
                if (tool, arguments) in known:
                    continue
                known.append((tool, arguments))
                into = {
                    "other": learned.named_other,
                    "described": learned.described_read,
                }[mention]
                used, picks = into.get(tool, (0, 0))
                later = calls_of(episode.events[i + 1 :])
                made = any(c.tool == tool and _same(arguments, c) for c in later)
                into[tool] = (used + made, picks + 1)


def _given(events):
    given = set()
    for i, event in enumerate(events):
        if isinstance(event, AssistantTurn):
            seen = set()
            for e in events[:i]:
                if isinstance(e, ToolResult):
                    seen |= scalars(parse(e.content))
            for call in event.calls:
                given |= {k for k in scalars(call.arguments) if keyish(k)} - seen
    return given


def pick(learned, tool, events, also):
    """The arguments and the mention, or a reason."""
    if tool not in learned.args:
        return "never called"
    required = learned.required(tool)
    constants = {a: v for (t, a), v in learned.constants.items() if t == tool}
    made = [*calls_of(events), *also]
    if not required:
        if any(c.tool == tool for c in made):
            return "already looked up"
        return constants, "picked"
    used = {
        (arg, text(value))
        for c in made
        if c.tool == tool and isinstance(c.arguments, dict)
        for arg, value in c.arguments.items()
    }
    state = {"all_mentioned": True, "other": False, "described": False}
    arguments = {}
    for arg in required:
        if arg in constants:
            arguments[arg] = constants[arg]
        elif (tool, arg) in learned.lists:
            value = _pick_list(learned, tool, arg, events, used, state)
            if value is None:
                return f"{arg} has no list"
            arguments[arg] = value
        elif (tool, arg) in learned.sources:
            value = _pick_string(learned, tool, arg, events, used, state)
            if value is None:
                return f"{arg} has no value"
            arguments[arg] = value
        else:
            return f"{arg} never took a string"
    for arg, value in constants.items():
        arguments.setdefault(arg, value)
    if state["all_mentioned"]:
        return arguments, "picked"
    if state["other"]:
        return arguments, "other"
    return arguments, "described" if state["described"] else "none"


def _mentioned(customer, value, siblings):
    return mentions(customer, value) or any(
        len(s) >= 4 and mentions(customer, s) for s in siblings
    )


def _pick_list(learned, tool, arg, events, used, state):
    customer = customer_of(events)
    for source_tool, output in reversed(outputs_of(events)):
        for rule_tool, path in learned.rules(tool, arg, learned.lists):
            if rule_tool != source_tool:
                continue
            leaves = at(output, path)
            values = [value for value, _ in leaves]
            if values and (arg, text(values)) not in used:
                if not all(_mentioned(customer, v, s) for v, s in leaves):
                    state["all_mentioned"] = False
                return values
    return None


def _walk(learned, tool, arg, outputs):
    rules = learned.rules(tool, arg, learned.sources)
    site = outputs[-1][0] if outputs else None
    counts = [learned.site_sources.get((tool, arg, site, rule), 0) for rule in rules]
    if sum(counts) >= 5:
        order = sorted(range(len(rules)), key=lambda i: -counts[i])
        return [
            (output, rules[i][1])
            for i in order
            for output_tool, output in reversed(outputs)
            if output_tool == rules[i][0]
        ]
    return [
        (output, path)
        for output_tool, output in reversed(outputs)
        for rule_tool, path in rules
        if rule_tool == output_tool
    ]


def _pick_string(learned, tool, arg, events, used, state):
    customer = customer_of(events)
    every = [
        (value, _mentioned(customer, value, siblings), (output, path))
        for output, path in _walk(learned, tool, arg, outputs_of(events))
        for value, siblings in at(output, path)
    ]
    any_mentioned = any(mentioned for _, mentioned, _ in every)
    candidates = []
    for value, mentioned, place in every:
        if (arg, value) in used or value in [c[0] for c in candidates]:
            continue
        candidates.append((value, mentioned, place))
    if not candidates:
        return None
    chosen = next((c for c in candidates if c[1]), candidates[0])
    value, mentioned, place = chosen
    if not mentioned:
        state["all_mentioned"] = False
        state["other"] |= any_mentioned
        state["described"] |= _described(tool, arg, value, place, events, customer)
    return value


def _described(tool, arg, value, place, events, customer):
    results = {e.call_id: e for e in events if isinstance(e, ToolResult)}
    others = {v for v, _ in at(*place)} - {value}
    returned = {}
    for call in calls_of(events):
        result = results.get(call.id)
        if call.tool != tool or result is None or result.error:
            continue
        if isinstance(call.arguments, dict) and arg in call.arguments:
            passed = text(call.arguments[arg])
            if passed in others:
                returned[passed] = scalars(parse(result.content))
    given = _given(events)
    return any(
        keyish(k) and (k in given or mentions(customer, k)) and k not in another
        for one, another in _ordered_pairs(list(returned.values()))
        for k in one
    )


def _ordered_pairs(sets):
    pairs = [(a, b) for i, a in enumerate(sets) for b in sets[i + 1 :]]
    return pairs + [(b, a) for a, b in pairs]


def by_name(names, tool, events, also):
    """The arguments and whether all were mentioned; None where one has no value."""
    customer = customer_of(events)
    made = [c for c in [*calls_of(events), *also] if c.tool == tool]
    if not names:
        return None if made else ({}, True)
    arguments, all_mentioned = {}, True
    for name in names:
        leaves = [
            leaf
            for _, output in reversed(outputs_of(events))
            for leaf in _under(output, name)
            if not any(
                isinstance(c.arguments, dict)
                and name in c.arguments
                and text(c.arguments[name]) == leaf[0]
                for c in made
            )
        ]
        if not leaves:
            return None
        named = [leaf for leaf in leaves if _mentioned(customer, *leaf)]
        arguments[name] = (named or leaves)[0][0]
        all_mentioned = all_mentioned and named != []
    return arguments, all_mentioned


def _under(value, name):
    if isinstance(value, list):
        return [leaf for item in value for leaf in _under(item, name)]
    if not isinstance(value, dict):
        return []
    leaves = []
    for key in sorted(value):
        item = value[key]
        if key == name and isinstance(item, str):
            siblings = [v for v in value.values() if isinstance(v, str) and v != item]
            leaves.append((item, siblings))
        leaves += _under(item, name)
    return leaves
