"""The options of every function that asks a model."""

from typing import Annotated

from adjudge.api.kinds import File, Number, Text, from_to, kind_of, written
from adjudge.api.options import Option, Reading
from adjudge.version import TITLE

Model = Annotated[
    Text, Option("The model, as PROVIDER/NAME: openai/..., ollama/..., openai-api/SERVICE/...", "MODEL", required=True)
]
OPTIONAL = kind_of(Text)
Prompt = Annotated[File, Option(f"Your own prompt instead of {TITLE}'s.", "FILE")]
Lines = Annotated[File, Option("The .jsonl to write.", "FILE", written(".jsonl"), required=True)]
Draws = Annotated[int, Option("How many times each question is asked.", kind=from_to(1))]


class Asking(Reading, total=False):
    """How a model is asked: options that all functions have that ask one."""

    base_url: Annotated[Text, Option("The address of a server that speaks the OpenAI protocol.", "URL")]
    temperature: Annotated[Number, Option("The model's temperature; by default the server's.")]
    max_tokens: Annotated[int | None, Option("Cut answers after this many tokens.", "N")]
    concurrency: Annotated[int, Option("How many calls run at once.", kind=from_to(1), default=10)]
    retries: Annotated[int, Option("How often a call that failed is tried again.", kind=from_to(0), default=5)]
    timeout: Annotated[int, Option("Seconds after which an attempt is given up.", kind=from_to(1), default=120)]
    logs: Annotated[
        File,
        Option("The folder of answers and logs, from which stopped work goes on; by default OUTPUT.logs.", "FOLDER"),
    ]
    dry_run: Annotated[bool, Option("Ask nothing: count calls and tokens, and show three prompts.", default=False)]
    prices: Annotated[File, Option("Prices of models, as TOML, to say what it costs.", "FILE")]
    batch_file: Annotated[
        File, Option("Ask nothing: write the calls as an OpenAI batch file.", "FILE", written(".jsonl"))
    ]
    from_batch: Annotated[File, Option("Ask nothing: read the answers from the results of a batch.", "FILE")]
