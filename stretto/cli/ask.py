"""`stretto ask`: a file of requests answered."""

import json
from pathlib import Path

import click

from stretto.canonical import Json, in_order
from stretto.cli.asking import ask_choice
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import asks, requests_file
from stretto.files import write_text
from stretto.oracle.batch import Asked
from stretto.oracle.dump import read_requests
from stretto.oracle.lines import json_lines
from stretto.oracle.question import Request
from stretto.oracle.wire import response_json


@click.command(
    epilog=example(
        "stretto ask --requests dump.jsonl --out answers.jsonl",
        "stretto ask --requests dump.jsonl --out answers.jsonl --oracle openai \\",
        "    --oracle-model llama-3.1-8b",
    ),
)
@requests_file
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the answers go, a line for each distinct request: its key, and the "
    "response or an error.",
)
@asks(dollars=1.0)
@as_json
def ask(file: Path, out: Path, choice: OracleChoice, as_json: bool) -> None:
    """
    Ask a System-One model a file of requests.

    Each distinct request is asked once, and not at all if its answer is kept. Answers
    are kept as they come: interrupted, the same command goes on from there.
    """
    requests = {request.key: request for request in read_requests(json_lines(file))}
    asked = ask_choice(choice, requests.values())
    write_text(out, "".join(f"{line}\n" for line in _lines(asked)))
    found = summary(requests, asked)
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        click.echo(
            f"{len(asked.responses):,} answered and {len(asked.errors):,} failed; "
            f"wrote {out}"
        )


def summary(requests: dict[str, Request], asked: Asked) -> dict[str, Json]:
    """What was asked, and what the answers took."""
    used = {
        key: response.usage
        for key, response in asked.responses.items()
        if response.usage.input_tokens
    }
    n_bytes = sum(len(requests[key].data) for key in used)
    n_tokens = sum(usage.input_tokens for usage in used.values())
    return {
        "requests": len(requests),
        "answered": len(asked.responses),
        "failed": len(asked.errors),
        "input_tokens": n_tokens,
        "output_tokens": sum(usage.output_tokens for usage in used.values()),
        "tokens_per_byte": n_tokens / n_bytes if n_bytes else None,
    }


def _lines(asked: Asked) -> list[str]:
    found: dict[str, Json] = {
        key: {"key": key, "response": response_json(response)}
        for key, response in asked.responses.items()
    }
    for key, error in asked.errors.items():
        found[key] = {"key": key, "error": str(error)}
    return [in_order(found[key]) for key in sorted(found)]
