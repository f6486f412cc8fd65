"""The paper's §1 to §4: what a flow is made of."""

from tests.claimed.claim import deferred, divergent, section, union
from tests.claimed.reasons import (
    ANSWERS,
    BASELINES,
    NO_ORACLE,
    PAPER,
    here,
)

METHOD = union(
    section(
        "paper §1",
        {
            "oracle:speed": deferred(
                "Jev answers typed questions in 70 to 500 ms, at $0.042 per million "
                "input tokens, with probabilities and no generated text.",
                "A vendor's figure, which takes a key to measure. The price is what "
                "estimates are made with.",
            ),
            "safety:reads-only": (
                "A flow only reads: whatever decides, it never makes a call that its "
                "manifest does not mark as a read."
            ),
        },
    ),
    section(
        "paper §3.1",
        {
            "walk:steps": (
                "An episode is a walk over the tools and *respond*, each step with "
                "what became of it."
            ),
            "walk:outcomes": "A tool's result counts as ok or as an error.",
            "walk:alphabet": (
                "The alphabet of actions comes from the manifest; an unlisted tool "
                "shares one extra id."
            ),
            "walk:lookups": (
                "A tool whose server hints that it is read-only is a lookup."
            ),
        },
    ),
    section(
        "paper §3.2",
        {
            "habit:backoff": (
                "The habit smooths the counts at each history length toward the next "
                "shorter one, down to the unigram, with one concentration α."
            ),
            "alpha:prequential": (
                "α is judged by the prequential likelihood of the training episodes: "
                "each step is predicted from the steps before it alone."
            ),
            "alpha:median": "The flow's α is the posterior median.",
            "alpha:sampler": divergent(
                "α is drawn by Metropolis–Hastings in fugue.",
                "The default integrates the same posterior on a grid, which has no "
                "Monte-Carlo error; the paper's draws cannot be repeated bit for bit. "
                "NUTS and random-walk draws are an option and agree with the grid "
                "within their Monte-Carlo error.",
            ),
            "features:selection": (
                "A field of a tool's output extends the history only if it raises "
                "held-out likelihood in five folds grouped by task."
            ),
            "habit:successes": (
                "The habit learns from the training episodes that succeeded."
            ),
        },
    ),
    section(
        "paper §3.3",
        {
            "site:options": (
                "A site is the call that just returned; its options are the lookups "
                "made next there in training, and handing back."
            ),
            "questions:next-step": (
                "The next step is asked two ways: one choice among the options, and "
                "whether to go on followed by which lookup."
            ),
            "questions:predicates": (
                "Three yes/no questions about the state go with it: records unchecked, "
                "options missing, something only the customer can give."
            ),
            "questions:one-request": ("All of a site's questions go in one request."),
            "questions:cache": (
                "Answers are cached by the SHA-256 of their request, so a replay "
                "needs no key."
            ),
            "safety:closed-set": (
                "A flow makes only lookups that its site offers, whatever "
                "probabilities its decider gives."
            ),
            "safety:own-arguments": (
                "A flow fills a lookup's arguments itself, from values in the session."
            ),
        },
    ),
    section(
        "paper §3.4",
        {
            "arbiter:logit": (
                "An option's score is a weighted sum of the habit's log probability, "
                "the two questions' log probabilities, a constant for handing back, "
                "the predicates' log-odds and the log-odds of Jev's record."
            ),
            "habit:hand-back-mass": (
                "The habit's chance of every step a flow cannot take counts as handing "
                "back."
            ),
            "arbiter:reliability": (
                "Jev's record at a site is its agreement on other tasks, shrunk toward "
                "its overall agreement: a one-coin Dawid–Skene sensor."
            ),
            "arbiter:coverage": (
                "The arbiter's probabilities are scaled by how often the agent's step "
                "was among the site's options."
            ),
            "arbiter:fit": (
                "Its weights are fitted by ridge-penalised maximum likelihood on the "
                "agents' own next steps, cross-fitted over five folds of tasks."
            ),
            "arbiter:own-fold": (
                "A task is judged by the fit of the fold that held it out."
            ),
        },
    ),
    section(
        "paper §3.5",
        {
            "rule:lookup-first": (
                "The flow takes the likeliest lookup when its probability times its "
                "binding's chance reaches the threshold, 0.3 by default, and hands "
                "back otherwise."
            ),
            "projection:detour-cost": (
                "The projection charges each detour a typical lookup's tokens, about "
                "250, in every later turn."
            ),
        },
    ),
    section(
        "paper §3.6",
        {
            "binding:sources": (
                "For each argument of each lookup, training says from which tool's "
                "result, at which JSON path, the agent's values came."
            ),
            "binding:first-unused": (
                "A binding takes the first value at a source not passed yet, "
                "preferring one the customer mentioned."
            ),
            "binding:whole-call": (
                "A binding's chance is how often all the arguments it would have bound "
                "were the agent's, split by whether the customer had mentioned them."
            ),
            "binding:retail-chances": divergent(
                "In retail that is 92% for orders and 60% for products the customer "
                "did not mention, 95% and 76% where they did.",
                BASELINES,
                here("98% and 67%, 91% and 79%"),
            ),
        },
    ),
    section(
        "paper §3.7",
        {
            "live:appended": (
                "After each of the agent's calls the flow's lookups are appended to "
                "the same tool response, under a short header."
            ),
            "flow:goal-free": (
                "A flow is not told what the customer wants: every episode has one "
                "and the same condition."
            ),
        },
    ),
    section(
        "paper §3.8",
        {
            "guards:verdicts": (
                "A guard passes, fails with a reason, or does not know, from what the "
                "episode has shown."
            ),
            "guards:unknown": (
                "Only a failed, enforced rule refuses a write; the agent gets the "
                "reason and the rule's id."
            ),
            "guards:rules": (
                "τ²-bench's policies give 12 retail rules and 10 airline rules."
            ),
        },
    ),
    section(
        "paper §4",
        {
            "system:crates": divergent(
                "The system is five Rust crates and a command line, under the MIT "
                "licence.",
                "Here it is one Python package and a command line, under the MIT "
                "licence.",
            ),
        },
    ),
    section(
        "paper §5",
        {
            "data:baselines": deferred(
                "τ²-bench's four 2025 agents have 2,624 published episodes in retail "
                "and airline, four trials a task.",
                BASELINES,
            ),
            "data:leaderboard": deferred(
                "Nine leaderboard runs, 5,904 episodes, are transfer targets, never "
                "learned from.",
                "Those runs are not in ../shared/data.",
            ),
            "data:splits": (
                "Flows are learned on the training tasks of a split and measured on "
                "its test tasks."
            ),
            "measure:turn": (
                "The unit of cost is the LLM turn: one assistant message, whatever it "
                "contains."
            ),
            "measure:detour": "A detour is a lookup the agent did not make.",
            "measure:agreement": (
                "Agreement is how often a decider's pick is the agent's next step; an "
                "equally good other step counts as a miss."
            ),
            "data:agents-fail": deferred(
                "The baseline agents fail 21% to 50% of their tasks.", BASELINES
            ),
        },
    ),
    section(
        "paper §6",
        {
            "discussion:injection-share": deferred(
                "A note in a record redirected nearly a third of a flow's decisions, "
                "and a claim of consent moved the judge at 6% to 9% of its refusals.",
                NO_ORACLE,
                ANSWERS,
            ),
            "discussion:calling-style": divergent(
                "Savings follow how an agent calls tools: sequential callers gain "
                "most, heavy parallel callers little.",
                PAPER,
                here(
                    "in retail the habit saves 21.9% and 25.5% of the turns of the "
                    "two agents with 5.7% and 12.4% parallel turns, and 16.9% and "
                    "16.8% of those with 18.8% and 28.3%; in airline it saves 6.2% of "
                    "the turns of the one with 41.1%, but also little of two with "
                    "few, whose sessions have little to look up"
                ),
            ),
        },
    ),
)
