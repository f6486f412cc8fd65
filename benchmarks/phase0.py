"""
Phase 0 of every agent in the shared sessions.

    python benchmarks/phase0.py --out docs/results/phase0

Runs `stretto phase0` once for each group of agents that can be compared, writes each
report, and an index with each command and what the agents come to. The index ends with
how long all of it took, and what single reports cost, each in a process of its own.
Linux only, since memory is read from `/proc`.
"""

import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from stretto.cli.phase0 import phase0
from stretto.cli.train_local import train_local
from stretto.files import write_text
from stretto.learn.corpus import BUDGET
from stretto.report.naming import short_names

ROOT = Path(__file__).parent.parent
DATA = Path("..", "shared", "data")
SESSIONS = DATA / "sessions"
CODESQUE = "tau2-retail-codesque16/retail__"
PRS = "tau2-sierra-prs/"
MADHAV = "tau1-retail-madhav/retail__"
GROK = "tau2-airline-grok-blakeelias/"
CUSTOM = "tau2-custom-domains-oscaralvaro/"

COSTED = ("tau2-retail", "tau1-retail", "tau1-airline")
TIMES = (1, 4, 16)
ROUNDS = 2

RANDOM = "Three tasks of ten are held out, drawn by their names."


@dataclass(frozen=True, slots=True)
class Report:
    """One run of the command."""

    name: str
    about: str
    sessions: tuple[str, ...]
    """Below the sessions' folder, with `NAME=` before it where the file has none."""
    targets: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    model: str = ""
    """The file of a local model that is trained on the training tasks and asked."""

    @property
    def arguments(self) -> list[str]:
        """What the command is given, seen from the repository's root."""
        targets = [word for t in self.targets for word in ("--target", _path(t))]
        asks = ["--oracle", "local", "--oracle-model", self.model] if self.model else []
        return [*map(_path, self.sessions), *targets, *self.options, *asks]

    @property
    def training(self) -> list[str]:
        """What `train-local` is given, less the file it writes."""
        paths = [_path(source).rpartition("=")[2] for source in self.sessions]
        return [*paths, *self.options]

    @property
    def commands(self) -> list[str]:
        """What makes the report, in order."""
        asked = shlex.join(["stretto", "phase0", *self.arguments])
        if not self.model:
            return [asked]
        trained = ["stretto", "train-local", *self.training, "-o", self.model]
        return [shlex.join(trained), asked]


class Cost(NamedTuple):
    """What a report cost."""

    sessions: int
    seconds: float
    peak_mib: float


def known(domain: str, *, split: bool = True, manifest: str = "") -> tuple[str, ...]:
    """The options of a domain whose tools and split are published."""
    tools = DATA / "manifests" / f"{manifest or domain}.json"
    options = ("--domain", domain, "--manifest", str(tools))
    return (*options, "--split", str(DATA / "splits" / f"{domain}.json")) * split or (
        options
    )


def below(folder: str, contains: str) -> tuple[str, ...]:
    """The session files of a folder whose names hold a word."""
    found = sorted((ROOT / SESSIONS / folder).glob(f"*{contains}*.json*"))
    return tuple(f"{folder}{path.name}" for path in found)


REPORTS = (
    Report(
        "tau2-retail",
        "τ²-bench, retail, the published split. Of gpt-4.1 there are 35 hard tasks and "
        "40 test tasks; the first run of gemini-3-flash has 21 empty sessions.",
        (
            f"gpt-4.1-mini={CODESQUE}gpt-4.1-mini__run1__114.jsonl.gz",
            f"gpt-4.1-mini={CODESQUE}gpt-4.1-mini__run2__114.jsonl.gz",
            f"gpt-5-mini={CODESQUE}gpt-5-mini__114.jsonl.gz",
            f"gemini-3-flash={CODESQUE}gemini-3-flash__tasks-verified__114.jsonl.gz",
            f"gpt-4.1-hard={CODESQUE}gpt-4.1__hard35.jsonl.gz",
        ),
        (
            f"{PRS}retail__gpt-4.1__40.json.gz",
            f"gemini-3-flash-preview={CODESQUE}"
            "gemini-3-flash-preview__first-run__114.jsonl.gz",
            f"gpt-4.1-mini-extra-tools={CODESQUE}"
            "gpt-4.1-mini__policy-v2-extra-tools__114.jsonl.gz",
        ),
        known("retail"),
    ),
    Report(
        "tau2-retail-local",
        "τ²-bench, retail, the published split, with a System-One model of one's own "
        "asked: a small network that `stretto train-local` trained on the sessions of "
        "the training tasks.",
        (
            f"gpt-4.1-mini={CODESQUE}gpt-4.1-mini__run1__114.jsonl.gz",
            f"gpt-5-mini={CODESQUE}gpt-5-mini__114.jsonl.gz",
            f"gemini-3-flash={CODESQUE}gemini-3-flash__tasks-verified__114.jsonl.gz",
        ),
        (f"{PRS}retail__gpt-4.1__40.json.gz",),
        known("retail"),
        "retail.safetensors",
    ),
    Report(
        "tau2-airline-local",
        "τ²-bench, airline, the published split, with a System-One model of one's own "
        "asked: a small network that `stretto train-local` trained on the sessions of "
        "the training tasks.",
        (
            f"claude-opus-4-6-button={PRS}airline__claude-opus-4-6-button__50.json.gz",
            f"{PRS}airline__gpt-4o-2024-11-20__50.json.gz",
        ),
        (f"{PRS}airline__gpt-4.1__20.json.gz",),
        known("airline"),
        "airline.safetensors",
    ),
    Report(
        "tau2-airline",
        "τ²-bench, airline, the published split. The rewards of two harnesses of "
        "claude-opus-4-6 are wrong for ten sessions each, so nothing is learned from "
        "them; gpt-oss-120b often transfers in loops.",
        (
            f"claude-opus-4-6-button={PRS}airline__claude-opus-4-6-button__50.json.gz",
            f"{PRS}airline__gpt-4o-2024-11-20__50.json.gz",
            f"{PRS}airline__gpt-oss-120b-langchain__50.json.gz",
            f"{PRS}airline__qwen2.5-7b__50.json.gz",
            f"{PRS}airline__ironforge_v2_gpt54.json.gz",
            f"{PRS}airline__ironforge_v2_sonnet46.json.gz",
        ),
        (
            f"{PRS}airline__gpt-4.1__20.json.gz",
            f"claude-opus-4-6-cascata={PRS}"
            "airline__claude-opus-4-6-cascata__50.json.gz",
            f"claude-opus-4-6-adaptive={PRS}"
            "airline__claude-opus-4-6-adaptive__50_simlist.json.gz",
        ),
        known("airline"),
    ),
    Report(
        "tau2-airline-grok",
        "τ²-bench, airline, the published split. Some files repeat one task ten to "
        "twenty times.",
        below(GROK, "_airline_"),
        options=known("airline"),
    ),
    Report(
        "tau2-toolorchestra-airline",
        "τ²-bench, airline, ToolOrchestra. The task ids are shuffled against the "
        f"conversations, each once. {RANDOM}",
        (f"toolorchestra={PRS}airline__toolorchestra-gpt-5__50.json.gz",),
        options=known("airline", split=False),
    ),
    Report(
        "tau2-toolorchestra-retail",
        "τ²-bench, retail, ToolOrchestra. The task ids are shuffled against the "
        f"conversations, each once. {RANDOM}",
        (f"toolorchestra={PRS}retail__toolorchestra-gpt-5__114.json.gz",),
        options=known("retail", split=False),
    ),
    Report(
        "tau2-telecom",
        f"τ²-bench, telecom, where the customer runs tools too. {RANDOM}",
        (
            f"{PRS}telecom__gpt-4.1__40.json.gz",
            f"{PRS}telecom__gpt-4o__20.json.gz",
            *below(GROK, "_telecom_"),
        ),
        options=known("telecom", split=False),
    ),
    Report(
        "tau2-telecom-solo",
        f"τ²-bench, telecom, the agent alone with the customer's tools. {RANDOM}",
        (
            f"gpt-4.1={PRS}telecom-solo__gpt-4.1__40.json.gz",
            f"gpt-4.1={PRS}telecom-solo__gpt-4.1__5x4.json.gz",
        ),
        options=known("telecom", split=False, manifest="telecom-solo"),
    ),
    Report(
        "tau1-airline",
        "τ-bench, airline. Of every ten tasks the last four are held out.",
        (
            "gpt-4o=tau1-sierra/airline__gpt-4o__50x4.json.gz",
            "claude-3.7-sonnet=tau1-airline-yiphei/"
            "airline__claude-3.7-sonnet_neo-test-airline__27x4.json.gz",
        ),
        options=(*known("airline", split=False, manifest="airline-v1"),
                 "--split", "tens"),
    ),
    Report(
        "tau1-retail",
        "τ-bench, retail. Of every ten tasks the last four are held out. grok-3 has "
        "graded rewards, of which only 1 is success.",
        (
            "grok-3=tau1-sierra/retail__grok-3__115.json.gz",
            f"gpt-4o={MADHAV}l0-4o__115.json.gz",
            f"gpt-4.1={MADHAV}l0-4.1__115.json.gz",
            f"gpt-4o-baseline={MADHAV}baseline-06232025__100.json.gz",
            f"gpt-4o-composed={MADHAV}l1-4o__115.json.gz",
            f"gpt-4.1-composed={MADHAV}l1-4.1__115.json.gz",
        ),
        options=(*known("retail", split=False, manifest="retail-v1"),
                 "--split", "tens"),
    ),
    *(
        Report(
            f"tau2-custom-{domain}",
            f"τ²-bench's harness with a domain of somebody's own. {RANDOM} What its "
            "tools do is not published, so none counts as a read or a write.",
            tuple(f"{CUSTOM}{file}" for file in files),
        )
        for domain, files in {
            "academico": ("academico_jefersoncorrea_simulacion.json",),
            "ecommerce": (
                "ecommerce_calle_resultados_final_.json", "resultados_final.json",
            ),
            "hotel": ("hotel_calle_full_10_tasks.json.gz",),
            "restaurante": (
                "resultados_restaurante_joaquin_cachay_full_throttled.json.gz",
            ),
            "salud": ("salud_mendoza_lista_throttled_full.json",),
        }.items()
    ),
    Report(
        "livemcpbench",
        "Tools of 125 MCP servers behind a router. Nobody graded the sessions in "
        f"these files. {RANDOM} The kinds of the tools are not known.",
        ("claude-sonnet-4=mcp-livemcpbench/agent_claude-sonnet-4__95.json.gz",),
        options=("--domain", "daily tasks"),
    ),
    Report(
        "medagentbench",
        "MedAgentBench: requests to a FHIR server, of which those that get are reads. "
        f"One file does not name its model. {RANDOM}",
        (
            "unnamed=medagentbench-whissle/brain-parity_mab_100.jsonl.gz",
            "medagentbench-whissle/brain-parity_sweep25_g35f.jsonl.gz",
        ),
    ),
    Report(
        "openai-chat",
        "Chats in OpenAI's format to train a model on, of retail, airline and telecom "
        f"together. Nobody graded them, and all are said to have succeeded. {RANDOM} "
        "The file names neither domain nor agent, nor what its tools do.",
        (f"unnamed={PRS}openai-chat__sft-v1-small_train.jsonl.gz",),
        options=("--domain", "three domains"),
    ),
    Report(
        "otel",
        "Span dumps of one model given one toy request in four frameworks, a session "
        f"each: too few to learn from. {RANDOM}",
        tuple(
            f"{name}=otel-genai-any-agent/{name.upper()}_trace.json"
            for name in ("agno", "langchain", "openai", "smolagents")
        ),
    ),
)  # fmt: skip


def made(
    reports: Sequence[Report], folder: Path
) -> Iterator[tuple[Report, str, dict[str, Any]]]:
    """Each report's Markdown, and what it says as JSON."""
    for report in reports:
        out = folder / f"{report.name}.md"
        given = [*report.arguments, "--out", str(out)]
        if report.model:
            model = str(folder / report.model)
            train_local.main([*report.training, "-o", model], standalone_mode=False)
            given[given.index(report.model)] = model
            given += ["--oracle-cache", str(folder / "answers")]
        phase0.main(given, standalone_mode=False)
        [found] = json.loads(out.with_suffix(".json").read_text("utf-8"))["domains"]
        yield report, out.read_text("utf-8"), found


def page(report: Report, text: str) -> str:
    """A report with what it is about, and the command that makes it."""
    title, _, rest = text.partition("\n")
    commands = "\n".join(f"    {command}" for command in report.commands)
    return f"{title}\n\n{report.about}\n\n{commands}\n{rest}"


def rows(report: Report, found: dict[str, Any]) -> Iterator[str]:
    """The index's lines, one an agent."""
    whole = [agent["agent"] for agent in found["agents"]]
    names = short_names(whole)
    ceilings = {
        row["agent"]: row["turns"]
        for row in found["savings"]
        if row["design"] == "read only"
        and row["gate"] == "validated"
        and row["scenario"] == "habit, then a perfect oracle"
    }
    transfer = (found["foresight"] or {}).get("transfer", {})
    turns = {row["agent"]: row for row in found["anatomy"]}
    for agent in found["agents"]:
        if agent["agent"] == "all":
            continue
        cells = [
            f"[{report.name}]({report.name}.md)",
            names[agent["agent"]] + (" (target)" if agent["target"] else ""),
            str(agent["episodes"]),
            _percent(agent["parallel"], 0),
            _percent(turns[agent["agent"]]["language"], 0),
            _percent(
                turns[agent["agent"]]["reads after a tool"]
                if found["tools"].get("read")
                else None,
                0,
            ),
            _percent(agent["headroom"]),
            _percent(
                ceilings.get(agent["agent"]) if found["tools"].get("read") else None
            ),
            _percent(_own_top1(transfer, agent["agent"])),
        ]
        yield f"| {' | '.join(cells)} |"


def cost(name: str, times: int) -> Cost:
    """A report of which every file is given so often, in a process of its own."""
    arguments = [sys.executable, __file__, "--measure", name, str(times)]
    runs = [
        json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
        for _ in range(ROUNDS)
    ]
    return min((Cost(*run) for run in runs), key=lambda cost: cost.seconds)


def measure(name: str, times: int) -> None:
    """Print what one report costs in this process."""
    [report] = [report for report in REPORTS if report.name == name]
    sessions, targets = report.sessions * times, report.targets * times
    many = replace(report, sessions=sessions, targets=targets)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        [(_, _, found)] = made([many], Path(folder))
    taken = time.process_time() - started
    click.echo(json.dumps([found["episodes"], taken, _peak_mib()]))


def _peak_mib() -> float:
    """The most that this process has held, and not the one that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _costs() -> Iterator[str]:
    yield "| report | each file given | sessions | seconds | sessions a second | MiB |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name in COSTED:
        for times in TIMES:
            found = cost(name, times)
            cells = (
                name,
                f"{times} ×",
                f"{found.sessions:,}",
                f"{found.seconds:.1f}",
                f"{found.sessions / found.seconds:,.0f}",
                f"{found.peak_mib:.0f}",
            )
            yield f"| {' | '.join(cells)} |"


def index(lines: list[str], seconds: float) -> str:
    """The page that leads to the others."""
    peak = _peak_mib()
    n = sum(int(line.split("|")[3]) for line in lines)
    return "\n".join(
        [
            "# Phase 0 of every agent in the shared sessions",
            "",
            "Here you can see what each agent leaves for a flow to do, and how far it "
            "can be foretold.",
            "",
            "`python benchmarks/phase0.py --out docs/results/phase0` makes these pages "
            "from the shared sessions; each begins with its own command.",
            "A target is an agent that nothing is learned from.",
            "",
            "- *Parallel* is the share of turns with calls that have two or more.",
            "- *Headroom* is the share of LLM turns that one call for each run would "
            "leave out.",
            "- *At best* is what a flow that only reads would save of the held-out "
            "sessions if an oracle were always right; a dash stands where it is not "
            "known which tools read.",
            "- *Foretold* is the share of held-out steps whose likeliest action was "
            "done, by the agent's own habit; for a target without training tasks, by "
            "the habit of all agents learned from.",
            "- *Language* is the share of LLM turns that are replies or calls that "
            "answer the user, and *skeleton* that of later turns of a run that only "
            "read; what is left writes, or its tools are of no known kind.",
            "- In brackets stands the 95% interval over tasks.",
            "",
            "| report | agent | sessions | parallel | language | skeleton | headroom "
            "| at best | foretold |",
            "|---|---|--:|--:|--:|--:|--:|--:|--:|",
            *lines,
            "",
            "What an oracle adds is measured with a System-One model of one's own, "
            "trained on the training tasks, in [retail](tau2-retail-local.md) and in "
            "[airline](tau2-airline-local.md).",
            "",
            f"All {n:,} sessions took {seconds:.0f} s of one core, and at most "
            f"{peak:.0f} MiB of memory.",
            "",
            "## What a report costs",
            "",
            f"Each in a process of its own, the best of {ROUNDS}; seconds are of the "
            "processor, since other jobs ran.",
            "Every file is read once.",
            f"Up to {BUDGET // 10**6} million characters of text are kept for the "
            "later passes, and past that the files are read again, so that what grows "
            "on is a sketch of each session, without text.",
            "",
            *_costs(),
            "",
        ]
    )


def _path(source: str) -> str:
    name, equals, path = source.rpartition("=")
    return f"{name}{equals}{SESSIONS / path}"


def _percent(share: dict[str, Any] | None, digits: int = 1) -> str:
    if share is None or share["share"] is None:
        return "–"
    text = f"{share['share']:.{digits}%}"
    if share["interval"] is None:
        return text
    low, high = (f"{100 * end:.{digits}f}" for end in share["interval"])
    return f"{text} [{low}, {high}]"


def _own_top1(transfer: dict[str, Any], agent: str) -> dict[str, Any] | None:
    """By the agent's own habit, else by that of all agents learned from."""
    if agent not in transfer.get("agents", ()):
        return None
    column = transfer["agents"].index(agent)
    for habit in (agent, "its own", "all", *transfer["habits"]):
        if habit in transfer["habits"]:
            cell: dict[str, Any] | None = transfer["top1"][
                transfer["habits"].index(habit)
            ][column]
            if cell is not None:
                return cell
    return None


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--measure", "what", nargs=2, hidden=True)
def main(out: Path | None, what: Sequence[str] | None) -> None:
    """Write every report, and the index, into the folder OUT."""
    if what:
        measure(what[0], int(what[1]))
        return
    if out is None:
        raise click.UsageError("say where to write the reports: --out FOLDER")
    if not (ROOT / SESSIONS).is_dir():
        raise click.ClickException("the shared data are not beside the checkout")
    out.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        plain = [report for report in REPORTS if not report.model]
        started = time.process_time()
        for report, text, found in made(plain, Path(folder)):
            write_text(out / f"{report.name}.md", page(report, text))
            lines += rows(report, found)
        seconds = time.process_time() - started
        write_text(out / "README.md", index(lines, seconds))
        asking = [report for report in REPORTS if report.model]
        for report, text, _ in made(asking, Path(folder)):
            write_text(out / f"{report.name}.md", page(report, text))


if __name__ == "__main__":
    sys.exit(main())
