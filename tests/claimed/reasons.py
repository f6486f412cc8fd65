"""Why a claim cannot be checked yet: the reasons that several claims share."""

BASELINES = (
    "Measured on the runs of τ²-bench's four 2025 baseline agents, which are not in "
    "../shared/data."
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
LABELS = "Rests on labels made by hand that are not in ../shared/data."
SIMULATOR = "Measured in τ²-bench's own environment, which this package does not run."

NO_ORACLE = "No System-One model is asked yet."
NO_ARBITER = (
    "An arbiter's fits are read, kept and shown; none is fitted or weighed yet."
)
NO_EXPORT = "Arbiter files are read and written; no command exports or adopts one yet."
NO_GUARDS = "Guards are not built yet."
NO_JUDGE = "The confirmation judge is not built yet."
NO_MATCHING = "Matching a description to a record is not built yet."
NO_PROCEDURE = "Procedures are not built yet."
NO_REFINE = "Proposing and testing predicates is not built yet."
NO_PROJECTION = "The projection of turns saved from agreement is not built yet."
NO_PREDICTION = "The tables of held-out prediction are not built yet."
NO_PROVENANCE = "Classifying where write arguments come from is not built yet."
NO_COMPILE = (
    "Compiling from benchmark results with held-out decisions is not built yet."
)
