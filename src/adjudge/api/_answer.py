"""`adjudge.answer_rag` and `adjudge.judge_rag`."""

from pathlib import Path
from typing import Annotated, Any, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, INPUTS, File
from adjudge.api.options import Option
from adjudge.api.reports import done_to
from adjudge.llm.work import Asked, asked, work_of_rows
from adjudge.version import NAME

PromptsFile = Annotated[Any, Option(f"Prompts, as {NAME} rag prepare writes them.", "PROMPTS", INPUT)]
AnswersFiles = Annotated[Any, Option(f"Answers, as {NAME} rag score reads them.", "ANSWERS", INPUTS)]
Questions = Annotated[File, Option("Prompts or questions that say what was asked (id, query).", "FILE")]
_NEEDED = ("id", "query", "ability")


@documented
def answer_rag(
    prompts: PromptsFile,
    *,
    model: asking.Model,
    prompt: asking.Prompt = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Let a model answer questions from the documents that were chosen for them.

    Arguments
    ---------
    prompts: Lines of id, ability, query, documents, and what else is to be kept: noise_ratio, draw, answer,
        counterfactual.

    Returns
    -------
    Asked: how many calls became what. The file has an answer per prompt, as `rag` reads them; response is null where
    there is none.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model answer prompts that adjudge rag prepare wrote, into a file that adjudge rag score reads.

    adjudge rag answer prompts.jsonl --model ollama/llama3.1 --output answers.jsonl
    """
    values = bound(answer_rag, locals())
    from adjudge.llm.answering import Answering, prompt_rows
    from adjudge.llm.prompts import template
    from adjudge.readers.inputs import source_of

    source = source_of(prompts, values.reading, "rag")
    answering = Answering(template("rag_answer", values["prompt"]), prompt_rows(source, _NEEDED), values["model"])
    work = work_of_rows(answering.calls, answering.answers, Path(values["output"]))
    return asked(values, "rag_answer", work, {"rag_answer": answering.template}, source.warnings)


@documented
def judge_rag(
    answers: AnswersFiles,
    *,
    model: asking.Model,
    questions: Questions = None,
    gold: common.Gold = None,
    answer_lists: common.AnswerLists = None,
    answer_separator: common.AnswerSeparator = None,
    columns: common.Columns = None,
    prompt: asking.Prompt = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Let a model give verdicts on answers: right, rejecting, detecting errors in documents, correcting them.

    Arguments
    ---------
    questions: Without it, and without gold that holds the questions, the model does not see what was asked, only what
        is true.
    gold: As for `rag`.
    answer_lists: As for `rag`.

    Returns
    -------
    Asked: how many calls became what. The file has a row per answer that came back, as `rag` reads with `verdicts`.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model give verdicts on answers, for adjudge rag score --verdicts.

    adjudge rag judge answers.jsonl --questions prompts.jsonl --model openai/... --output verdicts.jsonl
    """
    values = bound(judge_rag, locals())
    from adjudge.llm.answering import AnswerJudge, questions_of
    from adjudge.llm.prompts import template
    from adjudge.readers.answers.answers import KNOWN_COLUMNS, Options, read_answers, together
    from adjudge.readers.answers.gold_answers import read_gold
    from adjudge.readers.inputs import source_beside, sources
    from adjudge.schemas.columns import mapped_columns

    gold_source = None if values["gold"] is None else source_beside(values["gold"], values)
    trusted = None if gold_source is None else read_gold(gold_source)
    columns = mapped_columns(values["columns"], KNOWN_COLUMNS)
    lists, separator = values["answer_lists"], values["answer_separator"]
    reading = Options(columns=columns, lists=lists, separator=separator, gold=trusted)
    opened = sources(answers, values.reading, "rag")
    files = [read_answers(source, reading) for source in opened]
    read = together(files)
    known, said = questions_of(values["questions"], values)
    queries = (trusted.asked(read["id"]) if trusted else {}) | known
    judge = AnswerJudge(template("rag_judge", values["prompt"]), read.to_dicts(), queries)
    work = work_of_rows(judge.calls, judge.verdicts, Path(values["output"]))
    told = (
        *done_to([*opened, *([gold_source] if gold_source else [])]),
        *said,
        *(warning for file in files for warning in file.warnings),
    )
    return asked(values, "rag_judge", work, {"rag_judge": judge.template}, told)
