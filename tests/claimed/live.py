"""The paper's live runs and its judgements: §5.6, 5.7, 5.11, 5.14, 5.15, 5.19."""

from tests.claimed.claim import deferred, divergent, section, union
from tests.claimed.reasons import (
    ANSWERS,
    BASELINES,
    GUARDED,
    LABELS,
    LEADERBOARD,
    LIVE,
    here,
)

RUNS = section(
    "paper §5.6",
    {
        "replay:glm-5": deferred(
            "Replayed on GLM-5's 160 retail episodes and 1,384 turns, the arbiter's "
            "flow saves 294 turns (21.2%); its projection is 281 (20.3%).",
            LEADERBOARD,
            ANSWERS,
        ),
        "replay:own-lookups": deferred(
            "91% of those lookups are the agent's own; 27 episodes have a detour, "
            "against 45 projected.",
            LEADERBOARD,
            ANSWERS,
        ),
        "replay:binding-weight": deferred(
            "Weighing a lookup by its binding's chance cuts one trial's detours from "
            "42 to 18 and loses no saved turn.",
            LEADERBOARD,
            ANSWERS,
        ),
        "replay:same-bytes": (
            "Where a flow follows the agent's path it asks the same bytes as the "
            "offline run, so the cache answers."
        ),
        "pilot:retail": deferred(
            "In retail's pilot the flow saved 2.6 turns an episode (1.0 to 4.2), acted "
            "on 9 of 10 tasks with 26 lookups, 3 of them repeated; there turns fell "
            "by 26%.",
            LIVE,
        ),
        "pilot:airline": deferred(
            "In airline's it acted on every task with 24 lookups, none repeated, and "
            "saved 2.2 turns an episode (0.5 to 3.9).",
            LIVE,
        ),
        "pilot:failures": deferred(
            "None of the three failures came from the flow; task 31's was a net of "
            "$81 where a charge of $301 should have counted.",
            LIVE,
        ),
        "pilot:parallel": deferred(
            "GLM-5 makes parallel calls in 45% of its airline tool turns in τ²-bench's "
            "harness, GLM-5.3 in Claude Code in 3.8% (3.0% in retail).",
            LIVE,
            LEADERBOARD,
        ),
        "pilot:credits": deferred("The two pilots cost 571 credits.", LIVE),
        "paired:turns": deferred(
            "Over 80 pairs turns fell 25.5% (20.5% to 30.4%), 30.4% in retail and "
            "21.1% in airline, and input tokens 21.0%, for 1,897 credits.",
            LIVE,
        ),
        "paired:passes": deferred(
            "71 pairs passed without the flow and 70 with it: −1.25 points (−7.5 to "
            "6.25; McNemar's p is 1.0), retail −7.5 and airline +5.0.",
            LIVE,
        ),
        "paired:blame": deferred(
            "One of the nine pairs that disagree plausibly comes from the flow.", LIVE
        ),
        "paired:detours": deferred(
            "242 of 259 lookups were calls the agent also made without the flow; the "
            "rest carried under 3% of the saved tokens.",
            LIVE,
        ),
        "paired:one-point": deferred(
            "Bounding one point of pass rate would take about 4,300 pairs.", LIVE
        ),
    },
)

GUARDS = section(
    "paper §5.7",
    {
        "guards:false-alarm": (
            "A guard's failure of a write the tool accepted, in an episode that "
            "succeeded, counts as a false alarm."
        ),
        "guards:airline": divergent(
            "Airline's enforced rules refuse an accepted write in 141 of 369 failed "
            "episodes and 5 of 431 successful ones; eligibility alone in 116.",
            BASELINES,
            here("in 114 of 421 and 10 of 308, eligibility in 87", GUARDED),
        ),
        "guards:retail": divergent(
            "Retail's refuse one in 1 of 500 failed episodes and 28 of 1,324 "
            "successful ones.",
            BASELINES,
            here("in 12 of 317 and 41 of 998", GUARDED),
        ),
        "guards:correction": (
            "Upgrading a cabin and then changing its flights is allowed: task 32 "
            "expects it."
        ),
        "guards:live": deferred(
            "Live, GLM-5.3 gave the guards nothing to refuse: 9 writes passed, 7 of 8 "
            "episodes passed, for 223 credits; the baselines had 35 refusable failures "
            "of 50 on those tasks.",
            LIVE,
        ),
        "guards:word-list": divergent(
            "A word list for *yes* fails 3.2% of accepted writes in successful and "
            "3.9% in failed retail episodes, 6.9% and 6.5% in airline, so the "
            "confirmation rules are never enforced.",
            BASELINES,
            here("6.0% and 8.4%, 4.0% and 11.7%", GUARDED),
        ),
    },
)

CONFIRMATIONS = section(
    "paper §5.11",
    {
        "judge:question": (
            "The judge sees the agent's last message, the reply and the call, and "
            "fails a write whose chance of a yes is below 0.5."
        ),
        "judge:rates": deferred(
            "It fails 8.5% of accepted writes in failed retail episodes and 5.0% in "
            "successful ones; 3,863 questions cost $0.12.",
            ANSWERS,
        ),
        "judge:agreement": deferred(
            "The two judges agree on 94.9% of 3,484 accepted writes and differ on 178.",
            ANSWERS,
        ),
        "judge:right": deferred(
            "Jev is right on 78% of the disagreements; six of its ten errors are a yes "
            "to a change never described.",
            LABELS,
        ),
        "judge:refusals": deferred(
            "Enforced, it would refuse 5% to 11% of accepted writes in successful "
            "episodes.",
            ANSWERS,
        ),
        "judge:exact-change": deferred(
            "Asked whether the message described this exact change, it fails 18% of "
            "successful retail's writes; 3 of 30 new failures are lapses.",
            ANSWERS,
        ),
        "judge:proposed": deferred(
            "Asked whether the change was proposed, it fails 113 more writes, 6.6% in "
            "successful retail episodes and 13.4% in failed ones; the two wordings "
            "cost $0.25.",
            ANSWERS,
        ),
        "judge:proposed-right": deferred(
            "16 of 30 of those are lapses (36% to 70%), seven of them calls unlike "
            "what was agreed.",
            LABELS,
        ),
        "judge:live": deferred(
            "Enforced live it refused none of 40 writes; logged it would have refused "
            "4 of 38, two of them real lapses (Fisher's p is 0.05 by write and 0.11 by "
            "episode).",
            LIVE,
        ),
        "judge:live-passes": deferred(
            "Passes stayed at 8 and 8 of 10 in retail, 7 and 6 in airline.",
            LIVE,
        ),
        "judge:live-second": deferred(
            "The second question failed 8 of 38 writes, 7 of them false alarms; a "
            "judgement took 0.65 s at the median, 156 questions under a cent.",
            LIVE,
        ),
    },
)

CONTENT = union(
    section(
        "paper §5.14",
        {
            "matching:question": (
                "The matcher sees the customer's words and the candidate records, not "
                "the agent's pick."
            ),
            "matching:rates": deferred(
                "Over 3,978 choices Jev is right 81.6% of the time and the agents "
                "89.9%; the 3,708 questions cost $0.29.",
                ANSWERS,
            ),
            "matching:alarms": deferred(
                "Where they differ the agent is wrong 19% of the time; confident "
                "disagreement catches 25 of 402 wrong picks.",
                ANSWERS,
            ),
        },
    ),
    section(
        "paper §5.15",
        {
            "injection:steered": deferred(
                "At 300 retail decisions an injected note moved Jev's pick at 205, and "
                "the flow's at 86.",
                ANSWERS,
            ),
            "injection:stopped": deferred(
                "A note to stop cut the flow's lookups from 168 to 70.",
                ANSWERS,
            ),
            "injection:warned": deferred(
                "A sentence against instructions in results cut the steered lookups "
                "from 86 to 19; a threshold of 0.5 left 4, and kept 124 of 130 right "
                "ones.",
                ANSWERS,
            ),
            "injection:judge": deferred(
                "A claim of consent passed 9 of 140 refused writes, a quoted yes 12; "
                "2,300 questions cost $0.22.",
                ANSWERS,
            ),
        },
    ),
    section(
        "paper §5.19",
        {
            "claude:haiku": deferred(
                "With Claude Haiku 4.5 as the agent D0 cut turns from 97 to 79, 18.6% "
                "(10.1% to 27.4%), where GLM-5.3 saved 23.6% on the same tasks.",
                LIVE,
            ),
            "claude:haiku-calls": deferred(
                "Haiku makes 1.37 calls a tool turn, GLM-5.3 1.05; 28 of the flow's 30 "
                "lookups were Haiku's own, and it passed 7 of 10 with the flow, 6 "
                "without.",
                LIVE,
            ),
            "claude:sonnet": deferred(
                "Sonnet 5's turns fell from 29 to 22 on three tasks, every lookup its "
                "own.",
                LIVE,
            ),
            "claude:customer": deferred(
                "With Sonnet 5 as the customer D0 saved 23.1% (13.8% to 32.1%) on five "
                "tasks, against 25.8%, and every episode passed.",
                LIVE,
            ),
        },
    ),
)

PEOPLE = union(RUNS, GUARDS, CONFIRMATIONS, CONTENT)
