"""Why a claim cannot be checked yet: the reasons that several claims share."""

BASELINES = (
    "Measured on the runs of τ²-bench's four 2025 baseline agents, which are not in "
    "../shared/data."
)
OTHERS = (
    "The baselines' runs are not in ../shared/data; on other agents' (three in retail, "
    "two in airline)"
)
OTHER_TELECOM = (
    "The leaderboard's runs are not in ../shared/data; of gpt-4.1 and gpt-4o there"
)
LEADERBOARD = (
    "Measured on runs of τ²-bench's leaderboard, which are not in ../shared/data."
)
ANSWERS = "Rests on Jev's published answers, which are not in ../shared/data."
SOLO_RUNS = (
    "Measured on τ²-bench's published telecom solo runs; ../shared/data holds others."
)
LIVE = (
    "A live run, with a model as the agent and a model as the customer; its logs are "
    "not in ../shared/data."
)
ELSEWHERE = "docs/results/elsewhere.md"
LABELS = "Rests on labels made by hand that are not in ../shared/data."
SIMULATOR = "Measured in τ²-bench's own environment, which this package does not run."

NO_ORACLE = "It takes asking Jev, to which this project has no key."
NO_PROCEDURE = "Procedures are not built yet."


def here(found: str) -> str:
    """What `benchmarks.elsewhere` found of a claim, on other agents' sessions."""
    return f"On the shared sessions: {found} ({ELSEWHERE})."
