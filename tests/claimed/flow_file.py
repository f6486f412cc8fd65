"""The formats page on a flow file: its fields, section by section."""

from tests.claimed.claim import divergent, section, union

HEAD = union(
    section(
        "formats, opening",
        {
            "file:kinds": (
                "Flows and arbiters are the two kinds of file meant to be kept; both "
                "are JSON."
            ),
            "file:page": (
                "A test fails when a field that is written is missing from the formats "
                "page."
            ),
            "file:one-line": "A flow is written on one line.",
            "file:pairs": (
                "A map whose keys are not strings is a list of pairs sorted by key."
            ),
            "file:same-data": (
                "Two flows learned from the same data differ only in "
                "`compiled_unix_ms`."
            ),
        },
    ),
    section(
        "formats, reviewing a flow",
        {
            "review:show": "`flow-show` renders a flow's fields for a reviewer.",
            "review:diff": "`flow-diff` lists what changed between two flows.",
            "review:reads-only": "A flow calls only tools its manifest marks as reads.",
            "review:basis": (
                "A site's lookups are shown with how often the agent made each."
            ),
            "review:no-source": (
                "A lookup with a required argument that has no source is never made."
            ),
            "review:provenance": (
                "A flow says which sources it learned from, how many episodes made its "
                "habit, and how many decisions its arbiter."
            ),
            "review:values": (
                "Training values stand in `map.ids`, and otherwise only in constants."
            ),
        },
    ),
    section(
        "formats, flow fields",
        {
            "fields:all": "A flow file has the fields the page lists, and keeps them.",
            "fields:contracts": (
                "`contracts` gives each tool's arguments as `name:type`, with `!` when "
                "required."
            ),
            "fields:contract-kept": (
                "The proxy makes no lookup of a tool whose server lists another "
                "contract."
            ),
        },
    ),
    section(
        "formats, provenance",
        {
            "provenance:version": "`stretto` is the version that wrote the flow.",
            "provenance:sources": (
                "`sources` are the labels of the agents learned from."
            ),
            "provenance:agent-label": (
                "A session log's label is the `--agent-model` it was recorded with, or "
                "else the name the host gave."
            ),
            "provenance:arbiter-source": (
                "With an arbiter from elsewhere its sources are listed too, as "
                "`arbiter (domain): source` from a file and `arbiter: source` from a "
                "flow."
            ),
            "provenance:habit-episodes": (
                "`habit_episodes` counts the successful episodes the habit learned "
                "from."
            ),
            "provenance:arbiter-cases": (
                "`arbiter_cases` is 0 in a flow without an arbiter."
            ),
            "provenance:compiled": (
                "`compiled_unix_ms` is when the flow was written, in milliseconds "
                "since the epoch."
            ),
        },
    ),
    section(
        "formats, vocab",
        {
            "vocab:order": (
                '`vocab` is `"Respond"` and then `{"Tool": name}` for each tool, '
                "sorted; an id is a position."
            ),
            "vocab:other": (
                "One more id, the list's length, is any action not in the list."
            ),
        },
    ),
    section(
        "formats, manifest",
        {
            "manifest:kinds": "A tool is `read`, `write` or `generic`.",
            "manifest:hints": (
                "Learning takes kinds from the servers' `readOnlyHint`, or from a "
                "manifest file; a tool without a hint is generic."
            ),
            "manifest:benchmark": "Compiling takes kinds from τ²-bench's tool types.",
            "manifest:docs": (
                "`docs` holds a summary and each argument's description."
            ),
            "manifest:docs-asked": ("The questions show that documentation."),
        },
    ),
    section(
        "formats, map",
        {
            "map:scalar": (
                '`{"Scalar": path}` is the scalar at a path of the output, such as '
                "`address.state`."
            ),
            "map:len": (
                '`{"Len": path}` is whether an array is empty, has one element, or '
                'more: "0", "1", "2+"; "" is the whole output.'
            ),
            "map:ids": (
                "Each combination of values seen in training has an id from 1 to 63, "
                "per tool."
            ),
            "map:unseen": "Combinations unseen, or past 63, share id 0.",
        },
    ),
    section(
        "formats, group",
        {"group:one": "Every training episode has group 1, and so has every live one."},
    ),
)

COUNTS = union(
    section(
        "formats, habit",
        {
            "habit:formula": (
                "P_j(a) = (n(c_j, a) + α·P_{j−1}(a)) / (n(c_j) + α), from a uniform "
                "start."
            ),
            "habit:unseen": (
                "A history never seen falls back to a shorter one's probabilities."
            ),
            "habit:order": "`base.order` is 2 steps of history.",
            "habit:alpha": (
                "`base.alpha` is shared by every level, and is the posterior median or "
                "the `--alpha` given."
            ),
            "habit:alpha-draws": divergent(
                "The median is of `--alpha-samples` Metropolis–Hastings draws.",
                "It is the grid's by default; `--sampler` chooses draws instead, and "
                "a fixed `--alpha` gives exact parity downstream.",
            ),
            "habit:vocab-size": (
                "`base.vocab_size` is the vocabulary's length plus one."
            ),
            "habit:levels": (
                "`base.levels` has one list per history length from 0 to the order, of "
                "`[history, {by_action, total}]`."
            ),
            "habit:symbol": (
                "A symbol is (action × 4 + outcome) × 4096 + feature; 8192 is an "
                "answered message."
            ),
            "habit:outcomes": (
                "Outcome 0 is a call that succeeded, 1 one that failed, 2 a message "
                "answered, 3 one that ended the episode."
            ),
            "habit:beta": "`beta` is the group layer's concentration, equal to α.",
            "habit:top": (
                "`top` repeats the longest level's counts, keyed by group and history."
            ),
        },
    ),
    section(
        "formats, reach",
        {
            "reach:counts": (
                "`reach` counts, after each history, the steps from which an action "
                "came before the next write, and in `total` all steps."
            ),
            "reach:formula": (
                "R_j(a) = (m(c_j, a) + α·R_{j−1}(a)) / (n(c_j) + α), a Beta–Bernoulli "
                "per action."
            ),
            "reach:sum": "The chances of reach need not sum to one.",
            "reach:decider": (
                "The reach decider takes reach in place of the habit's probability."
            ),
            "reach:version": "`reach` leaves the format version as it is.",
        },
    ),
    section(
        "formats, sites",
        {
            "sites:reads": "`sites.reads` are the manifest's read-only tools.",
            "sites:next": (
                "`sites.next` counts the lookups the agent made next after each call, "
                "apart for failed ones."
            ),
            "sites:options": (
                "A site's options are those lookups and handing back; without lookups "
                "the flow hands back unasked."
            ),
            "sites:feeds": (
                "`feeds` counts the episodes in which a lookup's results supplied a "
                "write's argument, and questions name the two most frequent."
            ),
            "sites:every-read": (
                "`every_read` is written only when true, and offers every read at "
                "every site."
            ),
        },
    ),
    section(
        "formats, predicates and weighed",
        {
            "predicates:fields": (
                "A predicate has an id, what it favours, a question, and what yes and "
                "no mean."
            ),
            "predicates:favors": (
                "It favours `same_lookup`, `any_lookup`, `hand_back` or one named "
                "lookup."
            ),
            "predicates:asked": (
                "They are asked as `pred_<id>` with each next-step question."
            ),
            "predicates:unweighed": (
                "With `--no-predicate-features` they are asked and not weighed."
            ),
            "predicates:none": "A flow without an arbiter has neither.",
        },
    ),
    section(
        "formats, folds",
        {
            "folds:choice": (
                "P(option) ∝ exp(Σ weight·feature), times the site's coverage."
            ),
            "folds:rule": (
                "The likeliest lookup is made when its probability times its binding's "
                "chance reaches the threshold."
            ),
            "folds:five": (
                "A compiled flow has five fits, one per fold; a pooled, learned or "
                "shipped one has five copies."
            ),
            "folds:none": divergent(
                "A flow learned by habit alone has no folds, and decides with the "
                "habit.",
                "A flow that also holds reach counts is served by those where nobody "
                "names a decider; `--decider habit` asks for the habit.",
            ),
            "folds:weights": (
                "The weights, in order: the habit's, the one question's, the split "
                "questions', handing back's, each predicate's, the record's."
            ),
            "folds:eight": (
                "With the three predicates weighed there are eight weights."
            ),
            "folds:rates": (
                "`rates.sites` holds, per named site, decisions, agreements and how "
                "many offered the agent's step."
            ),
            "folds:shrinkage": (
                "A site's reliability is (agreed + 10·agree)/(decisions + 10), its "
                "coverage likewise; an unseen site has the overall shares."
            ),
        },
    ),
)

ARGUMENTS = union(
    section(
        "formats, bindings",
        {
            "bindings:args": (
                "`args` counts a lookup's calls and how many passed each argument."
            ),
            "bindings:required": (
                "An argument passed in at least 90% of the calls is required; only "
                "required ones are passed."
            ),
            "bindings:sources": (
                "`sources` counts, of an argument's string values, how many stood in "
                "an earlier successful output at a tool's path."
            ),
            "bindings:paths": "`$` is the whole output and `[*]` any element.",
            "bindings:text": (
                "An output that is no JSON is one string, or the list of its lines."
            ),
            "bindings:first": (
                "A required argument takes the first value not passed already, the "
                "most recent output first."
            ),
            "bindings:mentioned": (
                "A value the customer mentioned is preferred, or one whose record they "
                "mentioned by another field."
            ),
            "bindings:share": (
                "A source counts when found at least twice and for at least 10% of the "
                "values."
            ),
            "bindings:bare-once": (
                "A lookup with no required argument is made once per session."
            ),
            "bindings:agreed": (
                "`agreed` tallies unmentioned and mentioned picks; the chance is "
                "(agreed + 1)/(calls + 2)."
            ),
            "bindings:named-other": (
                "`named_other` gives such picks the chance (used + 2c)/(picks + 2), c "
                "being the unmentioned chance; without it, c."
            ),
            "bindings:described": (
                "`described_read` counts picks after the record the customer described "
                "was read; its chance is the same form, after `named_other`."
            ),
            "bindings:keyish": (
                "A value the customer gave has at least four characters and a digit."
            ),
            "bindings:lists": (
                "`lists` counts lists whose every value stood at one path of one "
                "output; the whole list is passed, unless it was."
            ),
            "bindings:bare": (
                "`bare` counts calls without arguments, and gives such a lookup the "
                "chance (bare + 1)/(calls + 2); any other without arguments has 1."
            ),
            "bindings:constants": (
                "`constants` are arguments of one value in at least five calls and "
                "half the lookup's, never found in an output."
            ),
            "bindings:constants-words": (
                "A string with a digit or an @ that a user wrote is no constant."
            ),
            "bindings:constants-source": (
                "A required argument with a constant needs no source."
            ),
            "bindings:site-sources": (
                "`site_sources` is written for arguments with more than one source, "
                "one entry per tool, argument, site and source."
            ),
            "bindings:site-order": (
                "Where a site has five such values or more, they order the sources."
            ),
        },
    ),
    section(
        "formats, model",
        {
            "model:default": (
                "`model` is the System-One model asked, `jev-latest` by default, and "
                "part of each cache key."
            ),
            "model:empty": "It is empty in a flow without an arbiter.",
        },
    ),
)

FLOW_FILE = union(HEAD, COUNTS, ARGUMENTS)
