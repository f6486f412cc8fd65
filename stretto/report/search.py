"""A search: its front beside the settings by hand, where it searched and elsewhere."""

from collections.abc import Sequence

from stretto.evaluate.intervals import Interval
from stretto.learn.search import Scored
from stretto.learn.searching import Found, HeldOut
from stretto.learn.space import LEVELS, Choice, Space
from stretto.report.document import (
    Document,
    Figure,
    Heading,
    Key,
    Part,
    Prose,
    table,
)
from stretto.report.drawing import Drawing
from stretto.report.replay import COUNTING

USUAL = LEVELS.index(0.3)

FLATTERED = (
    "The front was chosen on the sessions searched, and is flattered there. What a "
    "setting does is what it does on other sessions; and that is fair only to a "
    "setting that was chosen before anyone looked at them."
)


def search_document(
    name: str,
    space: Space,
    found: Found,
    held_out: HeldOut | None = None,
    draw: Drawing | None = None,
) -> Document:
    """The search for the flow of that name."""
    first, chosen = found.seeds[0], found.chosen
    parts: list[Part] = [
        Key(
            (
                (f"{chosen.turns_saved:,}", f"turns saved; {_name(first)}: "
                 f"{first.turns_saved:,}"),
                (f"{chosen.detours:,}", f"detours; {_name(first)}: {first.detours:,}"),
                (f"{found.settings:,}", "settings scored"),
                (f"{found.episodes:,}", "sessions searched on"),
            )
        ),
        Prose(_reading(space, found, held_out)),
        Heading("Settings"),
    ]  # fmt: skip
    if draw is not None:
        points = [(s.detours, s.turns_saved) for s in found.front]
        by_hand = [(_name(s), s.detours, s.turns_saved) for s in found.seeds]
        picture = draw.front(points, by_hand)
        parts.append(Figure(picture, "On the sessions searched: up is saved."))
    parts += [_table(space, found, held_out), Prose(FLATTERED)]
    if found.shares:
        parts += [Heading("How far each search came"), *_shares(found)]
    return Document(f"Search for {name}", (*parts, Prose(COUNTING)))


def _reading(space: Space, found: Found, held_out: HeldOut | None) -> str:
    first, chosen = _name(found.seeds[0]), found.chosen.choice
    text = (
        f"Chosen, for the fewest detours at no fewer turns saved than {first}: "
        f"{chosen.decider}, with {_changes(space, chosen)}."
    )
    if held_out is None:
        return text
    saved = held_out.chosen.turns_saved - held_out.seeds[0].turns_saved
    detours = held_out.chosen.detours - held_out.seeds[0].detours
    return text + (
        f" On {held_out.episodes:,} other sessions it saves "
        f"{held_out.chosen.turns_saved:,} turns with {held_out.chosen.detours:,} "
        f"detours: {saved:+} turns{_within(held_out.saved_interval)} and {detours:+} "
        f"detours{_within(held_out.detours_interval)} beside {first}."
    )


def _within(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f" (95% interval {low:+.0f} to {high:+.0f} over tasks)"


def _table(space: Space, found: Found, held_out: HeldOut | None) -> Part:
    lines = [*found.seeds, *found.front]
    others = [] if held_out is None else [*held_out.seeds, *held_out.front]
    names = [_name(seed) for seed in found.seeds]
    names += [_numbered(s, place, found) for place, s in enumerate(found.front)]
    headers = ["setting", "decider", "thresholds", "turns saved", "detours"]
    rows: list[Sequence[object]] = [
        (name, s.choice.decider, _changes(space, s.choice), s.turns_saved, s.detours)
        for name, s in zip(names, lines, strict=True)
    ]
    if others:
        headers += ["held out: saved", "detours"]
        rows = [
            (*row, s.turns_saved, s.detours)
            for row, s in zip(rows, others, strict=True)
        ]
    return table(headers, rows, text=3)


def _name(seed: Scored) -> str:
    theta = LEVELS[seed.choice.levels[0]] if seed.choice.levels else 0.3
    return f"{seed.choice.decider} at {theta:g}"


def _numbered(scored: Scored, place: int, found: Found) -> str:
    is_chosen = scored[1:3] == found.chosen[1:3]
    return f"{place + 1}, chosen" if is_chosen else f"{place + 1}"


def _changes(space: Space, choice: Choice) -> str:
    """The sites by threshold, where it is not the usual one."""
    if len(set(choice.levels)) == 1:
        return f"{_spelled(LEVELS[choice.levels[0]])} everywhere"
    changed = [
        f"{site} {_spelled(LEVELS[level])}"
        for site, level in zip(space.sites, choice.levels, strict=True)
        if level != USUAL
    ]
    return f"0.3, but {', '.join(changed)}"


def _spelled(threshold: float) -> str:
    return "off" if threshold > 1 else f"{threshold:g}"


def _shares(found: Found) -> list[Part]:
    rows = [(*share[:3], f"{share.area:.2%}") for share in found.shares]
    headers = ("search", "settings", "points of the front", "share of its area")
    text = (
        "The front is that of all searches together. One site at a time tries every "
        "level of every site at each step, for several prices of a detour, and stops "
        "where no such change is a gain."
    )
    return [Prose(text), table(headers, rows)]
