"""`adjudge.prepare_rag` and `adjudge.audit_rag`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.api.functions import step_of, takes
from adjudge.errors import OptionError
from adjudge.evaluations.rag.options import AuditOptions, PrepareOptions, QuestionOptions

if TYPE_CHECKING:
    from adjudge.evaluations.rag.audit import QuestionsAudit
    from adjudge.schemas.answers import Questions


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """Questions with the documents to give to a model; their number is printed. prompts: in the form of the file.

    short: how many have fewer passages, or another noise ratio, than requested. warnings: on the file and the
    prompts. output: the written file.
    """

    prompts: tuple[dict[str, object], ...]
    short: int
    warnings: tuple[str, ...] = ()
    output: str | Path | None = None

    def __str__(self) -> str:
        from adjudge.readers.problems import count_words

        return f"{f'{self.output}: ' if self.output else ''}{count_words(len(self.prompts), 'prompt', 'prompts')}"


@takes(PrepareOptions)
def prepare_rag(options: PrepareOptions) -> Prompts:
    """Choose the documents that a model gets with each question, and their order.

    Among k passages, ceil(k x noise) do not hold the answer. If one list is too short, the other fills the gap, so that
    there are k passages at another noise ratio; if both are, there are fewer passages.

    Returns
    -------
    Prompts: per noise ratio, draw and question {"id", "ability", "noise_ratio", "reached_noise", "draw" (from 1),
    "query", "answer" (slots, each a list of aliases), "counterfactual" (false answer, or null),
    "documents"}; a document is {"text", "kind" (positive, negative or wrong), "place" (in its list, from 0), "group"
    (if positives are grouped)}. noise_ratio is the requested one, reached_noise that of the documents; both are null
    without documents.

    Raises
    ------
    DataError for invalid input, and for duplicate ids; OptionError for invalid arguments, and for questions that cannot
    test the ability.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> row = {"id": "1", "query": "Where?", "answer": "Tampa", "positive": ["In Tampa."], "negative": ["No.", "Hm."]}
    >>> found = adjudge.prepare_rag(pl.DataFrame([row]), ability="noise_robustness", noise=[0.5], passages=2)
    >>> sorted(document["kind"] for document in found.prompts[0]["documents"])
    ['negative', 'positive']

    Source: Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
    """
    if options.noise is not None and not options.passages:
        raise OptionError("expected none without passages; got some", option="noise")
    from adjudge.evaluations.rag import prompts as preparing

    usual = [1.0] if options.ability == "negative_rejection" else [*preparing.NOISES]
    from adjudge.render.files import write_lines

    step = step_of(options)
    with step("reading"):
        read = _read(options)
    with step("drawing"):
        found = preparing.prepare_prompts(
            read,
            options.ability,
            usual if options.noise is None else options.noise,
            passages=options.passages,
            seed=options.seed,
            draws=options.draws,
        )
        records = preparing.prompt_records(found)
    if options.output is not None:
        write_lines(records, Path(options.output))
    short = sum(not prompt.as_requested for prompt in found)
    return Prompts(tuple(records), short, (*read.warnings, *preparing.warnings_of(found)), options.output)


def _read(options: QuestionOptions) -> "Questions":
    from adjudge.readers.answers.answer_rows import read_questions
    from adjudge.readers.inputs import source_beside

    source = source_beside(options.questions, options.reading)
    read = read_questions(source)
    return replace(read, warnings=(*source.warnings, *read.warnings))


@takes(AuditOptions)
def audit_rag(options: AuditOptions) -> "QuestionsAudit":
    """Find faults in questions: documents with wrong content, duplicates, and too few documents.

    Findings are negatives that hold the answer (every slot of it, by any alias), positives that lack it, and false
    documents that hold the truth or lack the false answer. Others are empty documents, repeated documents, questions
    and ids, and too few documents. An alias is looked for as whole words in any case, in Chinese as a part of the text,
    and as the scorer strict finds it: dates, numbers and names in other forms.

    Returns
    -------
    QuestionsAudit, with the table findings; `print` shows a summary.

    Raises
    ------
    DataError for invalid input; OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> row = {"id": "1", "query": "Where?", "answer": "Tampa", "positive": ["Here."], "negative": ["In Tampa."]}
    >>> adjudge.audit_rag(pl.DataFrame([row]), passages=2).findings["finding"].to_list()
    ['positive lacks the answer', 'negative holds the answer']
    """
    from adjudge.evaluations.rag.audit import audit
    from adjudge.render.files import table_csv, write_text

    found = audit(_read(options), options.passages)
    if options.output is not None:
        write_text(table_csv(found.findings), Path(options.output))
    return found
