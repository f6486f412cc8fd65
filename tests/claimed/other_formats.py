"""The formats page on programs, promotion, procedures, arbiter files and versions."""

from tests.claimed.claim import deferred, section, union
from tests.claimed.reasons import (
    NO_PROCEDURE,
)

_OTHER_FLOW = (
    "The flow walked through is not in ../shared/data; the retail flow of "
    "five sessions there is another draw."
)

RUN = union(
    section(
        "formats, program",
        {
            "program:format": (
                "A program is JSON with `fugue_program` 1, a body and what it returns."
            ),
            "program:standard": (
                "The standard run decides, looks up, and goes on from there until it "
                "hands back or has made `max_lookups`."
            ),
            "program:text": "`flow-show` prints the program as text.",
            "program:numbers": (
                "Tool 0 is handing back, then come `sites.reads`, then the manifest's "
                "other tools."
            ),
            "program:data": ("A run is given `call`, `call_failed` and `max_lookups`."),
            "program:decide": (
                "`Decide` is a flat Dirichlet's predictive over handing back and the "
                "site's lookups; other tools have 0."
            ),
            "program:outcome": (
                "`Outcome` is a flat Beta's predictive of the call's success."
            ),
            "program:families": (
                "These two families are all that a flow's program may use."
            ),
            "program:checked": (
                "A program that uses another name, or a wrong number of arguments, "
                "does not load."
            ),
            "program:default": "A flow without `program` runs the standard one.",
            "program:per-call": "`max_lookups` is the proxy's `--flow-per-call`.",
            "program:live": (
                "Each `decide#i` is decided by the served decider, and each "
                "`outcome#i` by how the call went."
            ),
            "program:review": "`flow-diff` marks a changed program for review.",
        },
    ),
    section(
        "formats, promoted",
        {
            "promoted:acts": (
                "A promoted flow acts only at promoted sites, and hands back elsewhere "
                "with that reason."
            ),
            "promoted:bar": (
                "`bar` holds the threshold, the least share used, its least lower "
                "bound and the fewest tasks."
            ),
            "promoted:wilson": (
                "The lower bound is Wilson's, 90% two-sided; a recorded session is its "
                "own task."
            ),
            "promoted:sites": (
                "Each scored site holds decisions, lookups, used, tasks, lower and "
                "promoted; one never scored is not promoted."
            ),
            "promoted:review": "`flow-diff` marks a newly promoted site for review.",
        },
    ),
    section(
        "formats, thresholds",
        {
            "thresholds:site": (
                "At a listed site its own threshold replaces the served one."
            ),
            "thresholds:off": (
                "Above 1 the site is off: the flow hands back before anything is "
                "asked, and says so."
            ),
            "thresholds:version": "A flow with thresholds is of version 2.",
            "thresholds:search": "A search writes them.",
        },
    ),
    section(
        "formats, a flow walked through",
        {
            "walked:provenance": deferred(
                "Its source is glm-5.3, 3 sessions made the habit and 15 decisions the "
                "arbiter.",
                _OTHER_FLOW,
            ),
            "walked:tools": (
                "Retail's manifest has 16 tools: 7 read, 7 write, 2 generic."
            ),
            "walked:map": "So few sessions support no code feature.",
            "walked:sites": deferred(
                "Five sites: get_user_details once, get_order_details 3 times, then 7 "
                "and get_product_details once.",
                _OTHER_FLOW,
            ),
            "walked:sources": deferred(
                "Order ids came from the user's orders 10 of 10 times, product ids "
                "from the order's items 4 of 4.",
                _OTHER_FLOW,
            ),
            "walked:once": (
                "A source found once is not used, so that lookup cannot be bound."
            ),
            "walked:never-finds": (
                "Email, name and zip were never found in an output, so the flow never "
                "finds the user itself."
            ),
            "walked:chances": (
                "10 of 10 agreed gives a chance of 11/12, 2 of 4 gives 3/6."
            ),
            "walked:rates": deferred(
                "Jev matched 9 of 15 decisions, 3 of 9 after get_order_details; the "
                "agent's step was always on offer.",
                _OTHER_FLOW,
            ),
        },
    ),
)

PROCEDURES = section(
    "formats, procedures",
    {
        "procedure:version": deferred(
            "A procedure has `stretto_procedure` 1, a domain, its provenance and the "
            "number of training tasks.",
            NO_PROCEDURE,
        ),
        "procedure:ids": deferred(
            "`symbolic` says whether identifiers are held as where they came from.",
            NO_PROCEDURE,
        ),
        "procedure:limits": deferred(
            "`max_calls` bounds a run, `stop` ends it, `handoff` gives it to a person.",
            NO_PROCEDURE,
        ),
        "procedure:repeats": deferred(
            "A read made since the last write, and a write already made, are skipped.",
            NO_PROCEDURE,
        ),
        "procedure:trees": deferred(
            "Each site has a tree of yes/no features, its leaves actions by count; an "
            "unseen site has `fallback`.",
            NO_PROCEDURE,
        ),
        "procedure:actions": deferred(
            "The first action that binds and is no repeat is taken.", NO_PROCEDURE
        ),
        "procedure:origin": deferred(
            "`@TOOL$.path[*]` is the first value there not passed yet, `?{…}` what "
            "sets its record apart, `@ticket` a pattern of the ticket.",
            NO_PROCEDURE,
        ),
        "procedure:features": deferred(
            "A state's features are the ticket's words, the calls and writes made, and "
            "each tool's last result.",
            NO_PROCEDURE,
        ),
        "procedure:ticket-record": deferred(
            "After a record that holds the ticket's value another of its kind does not "
            "replace it.",
            NO_PROCEDURE,
        ),
        "procedure:checks": deferred(
            "A check is a phrase, the read that tests it, and what its result contains "
            "and lacks.",
            NO_PROCEDURE,
        ),
    },
)

ARBITERS = section(
    "formats, arbiter file",
    {
        "arbiter-file:fields": (
            "An arbiter file has version 1, a domain, provenance, questions, one fit "
            "and a model."
        ),
        "arbiter-file:one-fit": (
            "It is exported only from a flow whose folds share one fit."
        ),
        "arbiter-file:adopted": (
            "A learned flow takes its questions, model, count and sources, and five "
            "copies of its fit."
        ),
        "arbiter-file:no-text": (
            "It holds counts, weights and questions, no answer or conversation."
        ),
        "arbiter-file:indented": "It is pretty-printed.",
    },
)

VERSIONS = section(
    "formats, versions",
    {
        "version:first": (
            "A reader looks at the version first, and refuses another with a message "
            "that names both."
        ),
        "version:two": (
            "A flow is written as version 2 only when it has thresholds or one of the "
            "six later kinds of binding; versions 1 and 2 are read."
        ),
        "version:old-with-new": (
            "A version-1 file that holds one of those fields is refused."
        ),
        "version:optional": (
            "A field an older build can ignore keeps the version, and is read with a "
            "default that keeps today's behaviour."
        ),
        "version:release-notes": (
            "The documentation says which version each release reads."
        ),
    },
)

OTHER_FORMATS = union(RUN, PROCEDURES, ARBITERS, VERSIONS)
