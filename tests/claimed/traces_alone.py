"""The paper's §5.1 to §5.5: what the traces show, and what flows could save."""

from tests.claimed.claim import deferred, divergent, section, union
from tests.claimed.reasons import (
    AGENTS,
    ANSWERS,
    BASELINES,
    LEADERBOARD,
    NO_ORACLE,
    here,
)

TRACES = union(
    section(
        "paper §5.1",
        {
            "headroom:measure": (
                "Headroom is the share of LLM turns that would go if every run of "
                "consecutive tool calls were one call."
            ),
            "headroom:retail": divergent(
                "It is 23.8% in retail and 25.1% in airline, over the baselines.",
                BASELINES,
                here("23.0% in retail and 17.6% in airline", AGENTS),
            ),
            "headroom:batching": (
                "Models that call tools in parallel leave less headroom."
            ),
            "provenance:retail": divergent(
                "Of retail's 12,730 write-argument values 91.2% stand in an earlier "
                "tool output, 3.0% only in the customer's words, 1.6% in neither.",
                BASELINES,
                here("89.4%, 5.1% and 1.0% of 2,376 values", AGENTS),
            ),
            "provenance:airline": divergent(
                "Of airline's 6,792 values it is 84.5%, 1.5% and 3.2%.",
                BASELINES,
                here("84.2%, 0.9% and 2.6% of 761 values", AGENTS),
            ),
        },
    ),
    section(
        "paper §5.2",
        {
            "coverage:actions": divergent(
                "At 0.8 confidence with five observations or more, the habit takes "
                "8.3% of the decisions after a tool in retail and 5.8% in airline.",
                BASELINES,
                here("8.2% and 11.8%", AGENTS),
            ),
            "coverage:features": divergent(
                "Code features lift retail's share to 13.8% and the named intent to "
                "19.5%; in airline they add less than two points.",
                BASELINES,
                here(
                    "they lift retail's to 20.0% and 21.9%; in airline no field is "
                    "worth reading, and the intent adds nothing",
                    AGENTS,
                ),
            ),
            "coverage:agreement": divergent(
                "Where it acts the habit agrees with the agent 82% to 99% of the time.",
                BASELINES,
                here("it agrees 85.4% to 100.0% of the time", AGENTS),
            ),
            "coverage:validated": divergent(
                "Held to 99% cross-validated agreement over ten tasks, one context per "
                "domain survives, and both hand back.",
                BASELINES,
                here(
                    "none survives in retail and one in airline, the start of a "
                    "session, which hands back",
                    AGENTS,
                ),
            ),
            "transfer:models": divergent(
                "One model's habit predicts another's steps within 3 to 7 points of "
                "that model's own.",
                BASELINES,
                here(
                    "within 1 to 15 points in retail, and in airline within 20 points "
                    "below and 2 above",
                    AGENTS,
                ),
            ),
            "transfer:glm-5": deferred(
                "The baselines' habit predicts GLM-5 within 4 points of its own in "
                "retail, and matches it in airline.",
                LEADERBOARD,
            ),
        },
    ),
    section(
        "paper §5.3",
        {
            "zero-shot:cost": deferred(
                "The zero-shot round asked 8,946 questions, 28 million tokens, for "
                "$1.19.",
                NO_ORACLE,
            ),
            "zero-shot:agreement": deferred(
                "Jev agrees with the agent 72% of the time, 92% to 93% where it is at "
                "least 0.9 sure; its calibration error is 0.06.",
                NO_ORACLE,
                ANSWERS,
            ),
            "zero-shot:writes": deferred(
                "Trusted at 0.9 with writes, flows would save 3.9% and 4.7% of turns "
                "and make a wrong call in 6% and 13% of episodes.",
                ANSWERS,
            ),
        },
    ),
    section(
        "paper §5.4",
        {
            "ceiling:read-only": divergent(
                "With a perfect oracle read-only flows would save 21.0% and 17.7% of "
                "turns, flows that also write 22.3% and 20.6%.",
                BASELINES,
                here("21.2% and 13.0%, and 23.0% and 14.2%", AGENTS),
            ),
            "weighing:narrow": deferred(
                "Narrower questions leave Jev's agreement at 73% to 78%.",
                NO_ORACLE,
                ANSWERS,
            ),
            "weighing:sure": deferred(
                "Weighed and at least 0.99 sure, it agrees 99.2% of the time on 10.6% "
                "of retail's decisions, 97.0% on 25.2% of airline's.",
                ANSWERS,
            ),
            "weighing:unchecked": (
                "Of the predicates, the one about unchecked records weighs the most."
            ),
            "lookup-first:savings": deferred(
                "Taking the likeliest lookup at 0.3 saves 17.4% of turns in retail and "
                "12.8% in airline, with a detour in 57% to 67% of episodes.",
                ANSWERS,
            ),
            "lookup-first:tokens": divergent(
                "A typical lookup returns 200 to 250 tokens.",
                BASELINES,
                here(
                    "a quarter of a result's bytes is 246 in retail and 189 in "
                    "airline; by how much prompts grew it is 363 and 295 tokens",
                    AGENTS,
                ),
            ),
            "lookup-first:dollars": deferred(
                "Dollars fall faster than turns, detours charged.",
                ANSWERS,
            ),
            "leaderboard:qwen": deferred(
                "Qwen3.5, which calls one tool at a time, saves 34.1% in retail and "
                "27.8% in airline.",
                LEADERBOARD,
                ANSWERS,
            ),
            "leaderboard:parallel": deferred(
                "In airline Claude Opus 4.5, GLM-5 and GPT-5.2 stay under 5%, against "
                "read-only ceilings of 12% to 17%.",
                LEADERBOARD,
                ANSWERS,
            ),
        },
    ),
    section(
        "paper §5.5",
        {
            "goal:cost": deferred(
                "Asking again without the goal took 8,092 questions and $0.93.",
                NO_ORACLE,
            ),
            "goal:agreement": deferred(
                "Without the goal agreement is 80.5% in retail and 78.4% in airline, "
                "with it 80.5% and 78.9%.",
                ANSWERS,
            ),
            "goal:savings": deferred(
                "Without the goal flows save 17.3% and 12.6%, with it 17.4% and 12.8%; "
                "GLM-5 saves 20.3% in retail.",
                ANSWERS,
            ),
        },
    ),
)
