"""`adjudge.check_violations` and `adjudge.plant_violations`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, File, from_to
from adjudge.api.options import Option
from adjudge.errors import DataError, OptionError
from adjudge.version import TITLE

if TYPE_CHECKING:
    import polars as pl

    from adjudge.llm.asking import Ask
    from adjudge.llm.checking import Found, Rule
    from adjudge.llm.planting import Planting, Written
    from adjudge.llm.prompts import Template
    from adjudge.readers.io.source import How, Source

TextsFile = Annotated[
    Any, Option("Texts with ids, in any format of violations, or a table of id and text.", "TEXTS", INPUT)
]
RulesTable = Annotated[
    Any, Option("A table of rule, description, category.", "RULES", INPUT, flag="--rules", required=True)
]
SomeRules = Annotated[Any, Option("A table of rule, description, category.", "RULES", INPUT, flag="--rules")]
CheckerName = Annotated[
    Literal["prompt-baseline", "zeroshot-index", "brute-context-classifier", "self-consistent-explainer"],
    Option("How the model is asked."),
]
PromptFolder = Annotated[
    File, Option(f"A folder with your own prompts instead of {TITLE}'s, by their names.", "FOLDER")
]
Each = Annotated[int, Option("How many violations a text gets.", kind=from_to(1))]
Phrases = Annotated[
    Any,
    Option(
        "A table of right, wrong, rule, category, explanation, to plant without a model.",
        "TABLE",
        INPUT,
        flag="--phrases",
    ),
]
ModelToPlant = Annotated[Any, Option("The model, as PROVIDER/NAME.", "MODEL", asking.OPTIONAL)]
PLANTED = ("violations_plant", "violations_verify")
_ASKING = ("rules", "prompts", *asking.Asking.__annotations__)
"""Options that a table of phrases has no use for."""


@documented
def check_violations(
    texts: TextsFile,
    rules: RulesTable,
    *,
    model: asking.Model,
    checker: CheckerName = "prompt-baseline",
    draws: asking.Draws = 5,
    columns: common.Columns = None,
    prompts: PromptFolder = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> asking.Asked:
    """Let a model find the passages of texts that break rules.

    Arguments
    ---------
    checker: prompt-baseline is one plain prompt; zeroshot-index numbers the sentences and takes numbers;
        brute-context-classifier asks for every sentence and every rule, in context; self-consistent-explainer finds,
        verifies, explains and corrects, and keeps what most draws say.
    draws: Of self-consistent-explainer alone.

    Returns
    -------
    Asked: how many calls became what. The file holds a line per text: id, text, checker (name@version|model),
    violations. What is quoted but not in the text stands as `invented`, without a place: a false positive.
    Where the model gave no answer, violations is null, and outcome and reason say why.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model find the passages of texts that break rules, into a file that adjudge violations score reads.

    adjudge violations check texts.jsonl --rules rules.csv --model openai/... --output found.jsonl
    """
    values = bound(check_violations, locals())
    from adjudge.llm.checking import CHECKERS, Checking

    kind = CHECKERS[values["checker"]]
    known, told = texts_of(texts, values["columns"], values.reading)
    listed, said = rules_of(rules, values)
    given = Checking(known, listed, templates_of(kind.templates, values["prompts"]), values["draws"])
    name = f"{kind.name}@{given.version(kind.templates)}|{values['model']}"
    asker, write = kind(given), partial(_write_checked, given.texts, name, Path(values["output"]))
    notes = (*told, *said, *(_first_step(values) if len(kind.templates) > 1 else ()))
    work = asking.Work(asker.first, asker.found, write)
    return asking.asked(values, "violations_check", work, given.templates, notes)


def _write_checked(texts: Mapping[str, str], name: str, output: Path, found: "Found") -> list[str]:
    from adjudge.llm.checking import checked_lines
    from adjudge.readers.problems import counted
    from adjudge.render.files import write_lines

    lines = checked_lines(found, texts, name)
    write_lines(lines, output)
    nowhere = sum("invented" in one for line in lines for one in line["violations"] or ())
    left = sum(line["violations"] is None for line in lines)
    invented = counted(nowhere, "quote is", "quotes are")
    silent = counted(left, "text was not answered: its line says", "texts were not answered: their lines say")
    return [
        *([f"{invented} not in the text and counted as invented, without a place"] if nowhere else []),
        *([f"{silent} why"] if left else []),
    ]


@documented
def plant_violations(
    texts: TextsFile,
    rules: SomeRules = None,
    *,
    model: ModelToPlant = None,
    phrases: Phrases = None,
    violations_per_text: Each = 2,
    columns: common.Columns = None,
    seed: common.Seed = 0,
    prompts: PromptFolder = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> asking.Asked:
    """Write violations into clean texts, so that place, rule, explanation and correction are known.

    A model rewrites sentences so that they break a rule, and reviews what it wrote; or a table says which phrases are
    replaced by which.

    Arguments
    ---------
    rules: Needed with a model.

    Returns
    -------
    Asked: how many calls became what. The file holds a line per text, as `violations` reads the truth.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Write violations into clean texts, so that the truth is known: by a model, or by a table of phrases.

    adjudge violations plant clean.jsonl --phrases phrases.csv --output planted.jsonl
    """
    values = bound(plant_violations, locals())
    if (model is None) == (phrases is None):
        raise OptionError("model: expected a model, or a table of phrases (--phrases); give one of them")
    from adjudge.llm.planting import Planting, from_phrases

    clean, told = texts_of(texts, values["columns"], values.reading)
    if phrases is not None:
        from adjudge.render.files import write_lines

        if unused := values.set_among(_ASKING):
            raise OptionError(f"{unused[0]}: has no use with a table of phrases (--phrases), since no model is asked")
        pairs, said = _phrases(phrases, values)
        made = from_phrases(clean, pairs, values["violations_per_text"], values["seed"])
        write_lines(made, Path(values["output"]))
        return asking.Asked(notes=(*told, *said, _in_texts(sum(len(one["violations"]) for one in made), len(made))))
    if rules is None:
        raise OptionError("rules: expected a table of the rules to break (--rules)")
    listed, said = rules_of(rules, values)
    planting = Planting(
        clean, listed, templates_of(PLANTED, values["prompts"]), values["violations_per_text"], values["seed"]
    )

    def gathered(ask: "Ask") -> "tuple[list[Written], list[Written]]":
        written = planting.written(ask)
        return written, planting.confirmed(written, ask)

    work = asking.Work(planting.first, gathered, partial(_write_planted, planting, Path(values["output"])))
    notes = (*told, *said, *_first_step(values))
    return asking.asked(values, "violations_plant", work, planting.templates, notes)


def _write_planted(planting: "Planting", output: Path, found: "tuple[list[Written], list[Written]]") -> list[str]:
    from adjudge.render.files import write_lines

    written, confirmed = found
    write_lines(planting.lines(confirmed), output)
    removed = len(written) - len(confirmed)
    return [f"{_in_texts(len(confirmed), len(planting.texts))}, {removed:,} removed by review"]


def _in_texts(violations: int, texts: int) -> str:
    from adjudge.readers.problems import counted

    return f"{counted(violations, 'violation', 'violations')} in {counted(texts, 'text', 'texts')}"


def _first_step(values: Mapping[str, Any]) -> list[str]:
    """What a dry run leaves out of work in several steps."""
    told = "only the first step is counted; how much the later ones ask depends on its answers"
    return [told] if values["dry_run"] else []


def texts_of(
    texts: Any,
    columns: Mapping[str, str] | None = None,
    how: "How | None" = None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Texts by id, and what was done to read them.

    Raises DataError where one has no text, and for an id that stands twice.
    """
    from adjudge.readers.inputs import source_of
    from adjudge.readers.spans.violations import KNOWN_COLUMNS, Options, read_truth
    from adjudge.schemas.columns import mapped_columns

    source = source_of(texts, how, "violations")
    mapped = mapped_columns(columns or {}, KNOWN_COLUMNS)
    found, told = _texts_alone(source, mapped), source.warnings
    if found is None:
        read = read_truth(source, Options(columns=mapped))
        found, told = read.texts, (*told, *read.warnings)
    empty = found.filter(found["text"].is_null())["id"]
    if len(empty):
        raise DataError(f"{source.name}: expected a text of each id; {empty[0] or 'a row without id':.60} has none")
    twice = found.filter(found["id"].is_duplicated() | found["id"].is_null())["id"]
    if len(twice):
        got = f"{twice[0]:.60} twice" if twice[0] else "a text without id"
        raise DataError(f"{source.name}: expected an id of each text, each once; got {got}")
    return dict(found.select("id", "text").iter_rows()), told


def _texts_alone(source: "Source", mapped: Mapping[str, str]) -> "pl.DataFrame | None":
    """A table of id and text that says nothing of violations; None for anything else."""
    from adjudge.readers.tables import read_texts, scan, schema_of

    theirs = {name: mapped.get(name, name) for name in ("id", "text")}
    marks = {mapped.get(name, name) for name in ("violations", "start", "end", "context", "spans")}
    try:
        names = set(schema_of(source, scan(source, wanted=[*theirs.values(), *marks])).names())
    except DataError:
        return None
    return read_texts(source, theirs) if names >= set(theirs.values()) and not names & marks else None


def rules_of(table: Any, options: Mapping[str, Any]) -> "tuple[list[Rule], tuple[str, ...]]":
    """The rules in a table, and what was done to read it. options: of the call, for how text is read."""
    from adjudge.llm.checking import read_rules
    from adjudge.readers.inputs import source_beside

    source = source_beside(table, options)
    return read_rules(source), source.warnings


def _phrases(table: Any, options: Mapping[str, Any]) -> tuple[list[dict[str, str | None]], tuple[str, ...]]:
    """Right and wrong phrases, and what was done to read them. options: of the call, for how text is read."""
    from adjudge.llm.checking import check_needed
    from adjudge.readers.inputs import source_beside
    from adjudge.readers.tables import read_texts

    source = source_beside(table, options)
    names = ("right", "wrong", "rule", "category", "explanation")
    check_needed(source, names[:3])
    rows = read_texts(source, {name: name for name in names}, names[3:]).to_dicts()
    for number, row in enumerate(rows, 1):
        lacking = [name for name in names[:3] if not row[name]]
        if lacking or row["right"] == row["wrong"]:
            got = f"no {', '.join(lacking)}" if lacking else f'"{row["right"]:.60}" for both'
            raise DataError(
                f"{source.name}, row {number}: expected a right phrase, a wrong one and the rule it breaks; got {got}"
            )
    return rows, source.warnings


def templates_of(names: tuple[str, ...], folder: str | Path | None) -> "dict[str, Template]":
    """Prompts by name: those of the folder that it holds, else Adjudge's."""
    from adjudge.llm.prompts import template

    own = {name: Path(folder) / f"{name}.toml" for name in names} if folder is not None else {}
    if own and not any(path.is_file() for path in own.values()):
        raise OptionError(
            f"prompts: expected a folder with {', '.join(f'{name}.toml' for name in names)}; got {folder}"
        )
    return {name: template(name, own.get(name) if name in own and own[name].is_file() else None) for name in names}


def truth_of(texts: Any, name: str) -> "pl.DataFrame":
    """A text with its true violations, as a table."""
    import polars as pl

    from adjudge.readers.inputs import source_of
    from adjudge.readers.spans.violations import Options, read_truth
    from adjudge.schemas.violations import PLACE

    source = source_of(texts, evaluation="violations")
    found = read_truth(source, Options())
    row = found.texts.with_row_index(PLACE).filter(pl.col("id") == name)
    spans = found.spans.join(row.select(pl.col(PLACE).cast(pl.UInt32)), on=PLACE, how="semi").drop(PLACE)
    return row.select("id", "text").with_columns(violations=pl.lit(pl.Series([spans.to_dicts()])))
