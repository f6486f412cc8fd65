"""Why a claim cannot be checked yet: the reasons that several claims share."""

BASELINES = (
    "Measured on the runs of τ²-bench's four 2025 baseline agents, which are not in "
    "../shared/data."
)
PAPER = "Measured on the paper's ten agents, whose runs are not in ../shared/data."
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
GUARDED = "docs/results/guards.md"
PHASE0 = "docs/results/phase0/README.md"
LABELS = "Rests on labels made by hand that are not in ../shared/data."
SIMULATOR = "Measured in τ²-bench's own environment, which this package does not run."

NO_ORACLE = "It takes asking Jev, to which this project has no key."
NO_PROCEDURE = "Procedures are not built yet."
AGENTS = "three agents in retail, two in airline"
TELECOM_AGENTS = "gpt-4.1 and gpt-4o; gpt-4.1 in solo mode, two files"


def here(found: str, by: str = ELSEWHERE) -> str:
    """
    What was found of a claim on the shared sessions, which are of other agents.

    Args:
        by: The page that says so, or, where the claim's own test does, of whom.
    """
    return f"On the shared sessions: {found} ({by})."
