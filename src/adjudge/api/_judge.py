"""`adjudge.judge_preferences`: a model's verdicts on explanations."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUTS, Texts
from adjudge.api.options import Option
from adjudge.api.reports import done_to

if TYPE_CHECKING:
    import polars as pl

    from adjudge.schemas.preferences import JudgedItems


@documented
def judge_preferences(
    gold: common.LabelledItems,
    predictions: Annotated[Any, Option("A file for each system.", "PREDICTIONS", INPUTS)],
    *,
    model: asking.Model,
    system: Annotated[Texts, Option("A system's name, in the order of the files. Repeatable.", "NAME")] = (),
    criteria: common.Criteria = (),
    columns: common.Columns = None,
    prompt: asking.Prompt = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> asking.Asked:
    """Let a model say whether systems' explanations give the reasons that people gave.

    Arguments
    ---------
    gold: With {criterion}_explanation, and texts, where the model is to see them.

    Returns
    -------
    Asked: how many calls became what. The file has a row per explanation, as `preferences` reads with `verdicts`: id,
    system, criterion, verdict (yes, no, or null where the model gave none), and the reason.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model say whether systems' explanations give the reasons that people gave.

    The file written is for adjudge preferences score --verdicts. For example:

    adjudge preferences judge gold.jsonl ours.tsv --model openai/... --output verdicts.jsonl
    """
    values = bound(judge_preferences, locals())
    from adjudge.evaluations.preferences.scoring import system_names
    from adjudge.llm.explaining import ExplanationJudge
    from adjudge.llm.prompts import template
    from adjudge.readers.inputs import sources
    from adjudge.readers.io.source import how_of
    from adjudge.readers.preferences import preferences as reader
    from adjudge.schemas.columns import mapped_columns
    from adjudge.schemas.preferences import make_task

    task = make_task(values["criteria"], ())
    mapped = mapped_columns(values["columns"], reader.known_columns(task))
    reading = reader.Options(task=task, columns=mapped, explanations=True)
    ours, theirs = (sources(one, how_of(values), "preferences") for one in (gold, predictions))
    known = reader.read_gold(ours[0], reading)
    names = system_names(theirs, values["system"])
    read = (reader.read_predictions(one, reading, known, name) for one, name in zip(theirs, names, strict=True))
    judge = ExplanationJudge(
        template("preferences_explanation", values["prompt"]),
        in_words(known),
        [(one.name, in_words(one)) for one in read],
        task.criteria,
    )
    work = asking.Rows(judge.calls, judge.verdicts, Path(values["output"]))
    told = (*done_to([*ours, *theirs]), *known.warnings)
    return asking.asked(values, "preferences_judge", work, {"preferences_explanation": judge.template}, told)


def read_gold(gold: Any, criteria: Sequence[str]) -> "JudgedItems":
    """Labelled items of a file in any format."""
    from adjudge.readers.inputs import source_of
    from adjudge.readers.preferences import preferences as reader
    from adjudge.schemas.preferences import make_task

    source = source_of(gold, evaluation="preferences")
    return reader.read_gold(source, reader.Options(task=make_task(criteria, ())))


def in_words(judged: "JudgedItems") -> "pl.DataFrame":
    """Items with their labels and explanations in words, in columns as files call them."""
    import polars as pl

    from adjudge.readers.preferences.preferences import file_column
    from adjudge.schemas.preferences import LABEL

    words = dict(enumerate((None, *judged.task.labels)))
    return judged.frame.select(
        pl.col(name).replace_strict(words, return_dtype=pl.String).alias(file_column(name))
        if name.startswith(LABEL)
        else pl.col(name).alias(file_column(name) if ":" in name else name)
        for name in judged.frame.columns
    )
