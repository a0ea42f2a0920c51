"""Options of the functions that ask models."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from adjudge.evaluations.preferences.options import ItemTables
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import INPUT, INPUTS, MODELS, SETTINGS, SHARE, from_to, written_file
from adjudge.options.shared import (
    ColumnOptions,
    File,
    GoldAnswerOptions,
    OnInvalid,
    Randomness,
    Reading,
    Tables,
    WithProgress,
    system_names,
)
from adjudge.version import TITLE

_count = partial(option, metavar="N", kind=from_to(1))
_count_or_none = partial(option, metavar="N", kind=from_to(0))
_file = partial(option, default=None, metavar="FILE")
_output = partial(option, metavar="FILE", group="Output", short="-o", required=True)


class Server(Options, group="Advanced"):
    """How a model is asked."""

    base_url: str | None = option("Address of an OpenAI-compatible server", default=None, metavar="URL", group="Task")
    temperature: float | None = option("Temperature of the model (default: the server's)", default=None)
    max_tokens: int | None = option("Maximum tokens per answer", default=None, metavar="N")
    model_option: Mapping[str, str] = option(
        "Setting of the model, such as top_p=0.9",
        default={},
        metavar="NAME=VALUE",
        kind=SETTINGS,
        more="Names are those of Inspect's GenerateConfig; extra_body takes JSON for anything else.",
    )
    header: Mapping[str, str] = option(
        "HTTP header of each request",
        default={},
        metavar="NAME=VALUE",
        kind=SETTINGS,
        more="Values of eight characters or more are kept out of logs.",
    )
    min_answered: float = option(
        "Share of calls that must be answered, else exit status 4", default=0.95, metavar="SHARE", kind=SHARE
    )
    max_cost: float | None = option("Cost at which to stop asking", default=None, metavar="NUMBER")
    concurrency: int = _count("Maximum concurrent calls", default=10)
    retries: int = option("Retries of a failed call", default=5, metavar="N")
    timeout: int = _count("Seconds until an attempt times out", default=120)
    max_wait: int = _count_or_none("Seconds to wait for a server that limits its rate", default=600)
    repair: int = _count_or_none("Times to ask again if a verdict is unreadable", default=1)
    logs: File = _file("Folder that keeps answers, to resume stopped work (default: OUTPUT.logs)", metavar="FOLDER")
    dry_run: bool = option("Only count calls and tokens; show one prompt", default=False, group="Output")
    prices: File = _file("Prices of models, as TOML (default: built in)")
    batch_file: File = _file("Only write the calls, as an OpenAI batch file", kind=written_file(".jsonl"))
    from_batch: File = _file("Only read the answers of an OpenAI batch")


class AskingOptions(Server, WithProgress):
    """Options of every function that asks a model."""

    model: str = option("Model: PROVIDER/NAME, such as openai/gpt-4o-mini", metavar="MODEL")

    @property
    def folder(self) -> Path:
        """The folder of the journal."""
        return Path(self.logs or "adjudge.logs")

    @property
    def settings(self) -> dict[str, Any]:
        """Further settings of the model, as Inspect's GenerateConfig names them."""
        return {name: parse_setting(value) for name, value in self.model_option.items()}

    @property
    def asker(self) -> str:
        """What of these an answer depends on; neither the server's address nor a key."""
        temperature = None if self.temperature is None else float(self.temperature)  # 0 asks what 0.0 asks
        more = f"|{json.dumps(self.settings, sort_keys=True)}" if self.settings else ""
        return f"{self.model}|temperature={temperature}|max_tokens={self.max_tokens}|seed=None{more}"


def parse_setting(text: str) -> Any:  # noqa: ANN401 - what JSON holds
    """The value of a model's setting: JSON, else the text itself.

    >>> parse_setting("0.9"), parse_setting("low"), parse_setting('{"a": [1]}')
    (0.9, 'low', {'a': [1]})
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


class OnePrompt(Options):
    """A prompt of the user's own."""

    prompt: File = _file(f"Your own prompt, to replace {TITLE}'s", group="Advanced")


class LinesOutput(Options, group="Output"):
    """Where answers go."""

    output: str | Path = _output("Results as .jsonl", kind=written_file(".jsonl"))


class JudgeOptions(Server, OnePrompt, WithProgress, ColumnOptions):
    """Ask models to label each item by a rubric. Score the labels with adjudge card, reliability or agreement.

    adjudge judge examples/judge/answers.csv --init --output rubric.toml

    adjudge judge examples/judge/answers.csv --rubric rubric.toml --model openai/... --output labels.parquet
    """

    data: Any = option("A table of items, or JSON", metavar="DATA", kind=INPUT, kw_only=False)
    rubric: File = _file("Rubric as TOML: criteria with question and scale")
    model: Sequence[str] = option(
        "Models: PROVIDER/NAME, such as openai/gpt-4o-mini", default=(), metavar="MODEL,...", kind=MODELS
    )
    init: bool = option("Only draft a rubric from the columns of DATA", default=False)
    human: Sequence[str] = option("Columns of human labels (default: detected)", default=(), metavar="COLUMN,...")
    runs: int = _count("Runs per question", default=1)
    swap: bool = option("Show each pair in both orders", default=True)
    confidence: bool = option("Ask models for confidence", default=True)
    probe: Sequence[str] = option(
        "Changes that should not matter: position, length, formatting, authority, identity",
        default=(),
        metavar="NAME,...",
        more="They are made on --probe-items items, and adjudge card shows how often the verdict changed.",
    )
    probe_items: int = _count("Items to probe", default=50)
    output: str | Path = _output(
        "Labels as .csv, .parquet or .jsonl, or the rubric with --init",
        kind=written_file(".csv", ".parquet", ".jsonl", ".toml"),
    )
    reading: Reading = Reading()


class LabelOptions(AskingOptions, OnePrompt, Tables, Randomness):
    """Ask a model which of two responses shows a trait more strongly, such as polite, concise or confident.

    The example needs no key: mockllm answers at random.

    adjudge annotations label pairs.json --model mockllm/model --output labelled.json
    """

    pairs: Any = option("A file of pairs of responses, in any format", metavar="INPUT", kind=INPUT, kw_only=False)
    traits: File = _file(f"Traits to ask for, as TOML (default: {TITLE}'s 40)")
    output: str | Path = _output("Labelled pairs, as .json or .parquet", kind=written_file(".json", ".parquet"))


class PredictOptions(Server, OnePrompt, ItemTables, OnInvalid, Randomness, WithProgress):
    """Predict which of two responses humans prefer: from labelled items, by a rule, or by a language model.

    adjudge preferences predict items.jsonl --model openai/... --output judge.tsv

    adjudge preferences predict items.jsonl --predictor majority --train gold.jsonl --output majority.tsv
    """

    items: Any = option("A table of id, instruction, output_a, output_b", metavar="ITEMS", kind=INPUT, kw_only=False)
    predictor: Literal["majority", "longer", "judge", "baseline"] = option(
        "Majority label, longer response, or ask a model: in both orders (judge) or once (baseline)",
        default="judge",
        more="majority predicts the most frequent label of train; longer the longer response, and both_good for "
        "equally long ones; judge asks a language model, in both orders; baseline asks it once, in one plain prompt "
        "(both need adjudge[models]).",
    )
    train: Any = option("File of labelled items to learn from", default=None, metavar="GOLD", kind=INPUT)
    model: str | None = option("Model: PROVIDER/NAME, such as openai/gpt-4o-mini", default=None, metavar="MODEL")
    shots: int = option("Examples from --train for a judge", default=4, metavar="N")
    swap: bool = option("Show a judge the responses in both orders", default=True)
    output: File = _output("Predictions as .tsv", default=None, kind=written_file(".tsv"))


class JudgePreferencesOptions(AskingOptions, OnePrompt, LinesOutput, ItemTables):
    """Ask a model whether systems' explanations give the reasons that human annotators gave.

    Pass the results to adjudge preferences --verdicts.

    adjudge preferences judge gold.jsonl ours.tsv --model openai/... --output verdicts.jsonl
    """

    gold: Any = option(
        "Items with human labels: a table, or hf://...",
        metavar="GOLD",
        kind=INPUT,
        kw_only=False,
        more="With {criterion}_explanation, and texts, if the model is to see them.",
    )
    predictions: Any = option("A file for each system", metavar="PREDICTIONS", kind=INPUTS, kw_only=False)
    system: Sequence[str] = system_names()


class AnswerOptions(AskingOptions, OnePrompt, LinesOutput):
    """Ask a model to answer the prompts of adjudge rag prepare. Score the answers with adjudge rag.

    adjudge rag answer prompts.jsonl --model ollama/llama3.1 --output answers.jsonl
    """

    prompts: Any = option("Prompts, as adjudge rag prepare writes them", metavar="PROMPTS", kind=INPUT, kw_only=False)
    reading: Reading = Reading()


class JudgeRagOptions(AskingOptions, OnePrompt, LinesOutput, GoldAnswerOptions, Tables):
    """Ask a model for verdicts on answers. Pass the results to adjudge rag --verdicts.

    adjudge rag judge answers.jsonl --questions prompts.jsonl --model openai/... --output verdicts.jsonl
    """

    answers: Any = option("Answers, as adjudge rag reads them", metavar="ANSWERS", kind=INPUTS, kw_only=False)
    questions: File = _file(
        "File of prompts or questions (id, query)",
        more="Without it, and without gold that holds the questions, the model sees only the gold answers.",
    )


class RuleOptions(AskingOptions, OnePrompt, LinesOutput, Tables):
    """Texts to be checked, and rules."""

    texts: Any = option(
        "Texts with ids, in any format of violations, or a table of id and text",
        metavar="TEXTS",
        kind=INPUT,
        kw_only=False,
    )
    rules: Any = option("Table with columns rule, description, category", metavar="RULES", kind=INPUT)


class CheckViolationsOptions(RuleOptions):
    """Ask a model to find passages that break rules. Score the results with adjudge violations.

    adjudge violations check texts.jsonl --rules rules.csv --model openai/... --output found.jsonl
    """


class PlantOptions(RuleOptions, Randomness):
    """Ask a model to plant violations in clean texts, so that the true violations are known.

    adjudge violations plant clean.jsonl --rules rules.csv --model openai/... --output planted.jsonl
    """

    violations_per_text: int = _count("Violations to plant per text", default=2)
