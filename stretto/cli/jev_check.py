"""`stretto jev-check`: does the model answer, and how fast?"""

import json
import time

import click

from stretto.canonical import Json
from stretto.cli.examples import example
from stretto.cli.options import as_json
from stretto.cli.oracle_choice import OracleChoice
from stretto.cli.oracles import names
from stretto.errors import OracleError
from stretto.markdown import printable
from stretto.oracle.answer import NoulAnswer
from stretto.oracle.ask import ask
from stretto.oracle.cached import Cached
from stretto.oracle.question import Criteria, Noul, Request

STATE: Json = {"note": "The parcel was handed over on Monday."}

QUESTION = Noul(
    "Does the note say on which day the parcel was handed over?",
    Criteria("It names the day.", "It names none."),
)


@click.command(
    epilog=example(
        "stretto jev-check --oracle jev",
        "stretto jev-check --oracle openai --oracle-model llama-3.1-8b --json",
    ),
)
@names()
@as_json
def jev_check(choice: OracleChoice, as_json: bool) -> None:
    """
    Ask a System-One model one question.

    It is really asked, whatever is kept, and the answer is not kept. Tells which
    version answered, how long that took and what it used. The key is never shown.
    """
    oracle = choice.oracle()
    oracle = oracle.inner if isinstance(oracle, Cached) else oracle
    began = time.perf_counter()
    response = ask(oracle, Request(oracle.model, STATE, {"says": QUESTION}))
    took_ms = (time.perf_counter() - began) * 1000
    answer = response.answers.get("says")
    if not isinstance(answer, NoulAnswer):
        raise OracleError(f"{oracle.name} left the question unanswered")
    found: dict[str, Json] = {
        "oracle": oracle.name,
        "model": oracle.model,
        "answered_by": response.model,
        "ms": round(took_ms, 1),
        "p_yes": answer.noul,
        "input_tokens": response.usage.input_tokens,
        "output_tokens": response.usage.output_tokens,
    }
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    click.echo(
        f"{oracle.name}: {printable(response.model)} answered in {took_ms:.0f} ms, "
        f"yes at {answer.noul:.2f}, for {response.usage.input_tokens} tokens"
    )
