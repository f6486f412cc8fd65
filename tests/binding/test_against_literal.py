"""The fast implementation beside one read straight off the definition."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.binding.bind import bind_by_name, pick
from stretto.binding.learn import learn_bindings
from stretto.binding.pick import Mention, Pick
from stretto.binding.seen import Seen
from stretto.binding.sources import Bindings
from stretto.episodes.episode import AssistantTurn, Episode
from stretto.episodes.manifest import ToolDocs
from tests.binding import literal
from tests.binding.sessions import READS, TOOLS, session, sessions
from tests.claims import claim

randoms = st.randoms(use_true_random=True)


def as_counted(bindings: Bindings) -> dict:
    """What the literal implementation would hold."""

    def found(counts):
        return {
            key: {"values": c.values, "found": dict(c.found)}
            for key, c in counts.items()
        }

    return {
        "args": {t: (c.calls, dict(c.args)) for t, c in bindings.args.items()},
        "sources": found(bindings.sources),
        "lists": found(bindings.lists),
        "bare": dict(bindings.bare),
        "constants": dict(bindings.constants),
        "site_sources": dict(bindings.site_sources),
        "agreed": {t: [list(x) for x in a] for t, a in bindings.agreed.items()},
        "named_other": {t: tuple(p) for t, p in bindings.named_other.items()},
        "described_read": {t: tuple(p) for t, p in bindings.described_read.items()},
    }


def literally(learned: literal.Learned) -> dict:
    return {name: getattr(learned, name) for name in as_counted(Bindings({}, {}, {}))}


def as_picked(found: Pick | str):
    return None if isinstance(found, str) else (found.arguments, found.mention.value)


def literally_picked(found):
    return None if isinstance(found, str) else found


def turns(episode: Episode):
    """Each place where a flow could decide: the events so far, and the calls beside."""
    for i, event in enumerate(episode.events):
        beside = event.calls[:1] if isinstance(event, AssistantTurn) else ()
        yield i, beside
    yield len(episode.events), ()


@claim("bindings:sources", "bindings:agreed")
@given(randoms, st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_is_learned_is_what_the_definition_says(random: Random, constants: bool):
    training = sessions(random, 5)

    found = learn_bindings(training, READS, constants=constants)

    assert as_counted(found) == literally(literal.learn(training, READS, constants))


@claim("bindings:first", "bindings:described")
@given(randoms)
@settings(max_examples=60, deadline=None)
def test_every_pick_of_an_unseen_session_is_what_the_definition_says(random: Random):
    training, unseen = sessions(random, 4), session(random, "unseen", n_turns=10)
    bindings = learn_bindings(training, READS, constants=True)
    learned = literal.learn(training, READS, constants=True)

    for i, also in turns(unseen):
        prefix = unseen.events[:i]
        for tool in TOOLS:
            found = pick(bindings, tool, Seen.of(prefix), also)
            expected = literal.pick(learned, tool, prefix, also)
            assert as_picked(found) == literally_picked(expected)


@given(randoms)
@settings(max_examples=60, deadline=None)
def test_every_binding_by_name_is_what_the_definition_says(random: Random):
    episode = session(random, "unseen", n_turns=10)
    names = {"list_all": (), "get_user": ("user_id",), "search": ("id", "order_id")}

    for i, also in turns(episode):
        prefix = episode.events[:i]
        for tool, arguments in names.items():
            docs = ToolDocs("", dict.fromkeys(arguments, ""))
            found = bind_by_name(docs, tool, Seen.of(prefix), also)
            expected = literal.by_name(arguments, tool, prefix, also)
            if expected is None:
                assert isinstance(found, str)
            else:
                assert isinstance(found, Pick)
                mentioned = found.mention is Mention.PICKED
                assert (found.arguments, mentioned) == expected


def test_the_random_sessions_reach_every_kind_of_pick_and_count():
    mentions, counted, sites = set(), set(), set()
    for seed in range(40):
        random = Random(seed)
        training, unseen = sessions(random, 5), session(random, "unseen", n_turns=10)
        bindings = learn_bindings(training, READS, constants=True)
        counted |= {name for name, n in as_counted(bindings).items() if n}
        recipes = (bindings.recipe(tool) for tool in bindings.args)
        sites |= {at for r in recipes if r for slot in r.slots for at in slot.by_site}
        for i, also in turns(unseen):
            for tool in TOOLS:
                found = pick(bindings, tool, Seen.of(unseen.events[:i]), also)
                mentions.add(found.mention if isinstance(found, Pick) else found)

    assert counted == set(as_counted(bindings))
    assert set(Mention) < mentions
    assert sites
