"""`adjudge.rag`, `adjudge.prepare_rag` and `adjudge.audit_rag`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, INPUTS, RATIOS, SHARE, WORD, File, Text, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import run
from adjudge.errors import OptionError
from adjudge.report import Report

if TYPE_CHECKING:
    from adjudge.evaluations.rag.audit import QuestionsAudit
    from adjudge.schemas.answers import Questions


@documented
def rag(
    answers: Annotated[Any, Option("The models' answers: JSON lines or tables.", "ANSWERS", INPUTS)],
    *,
    scorer: Annotated[
        Literal["auto", "strict", "document", "benchmark", "all"], Option("The rules by which answers are judged.")
    ] = "auto",
    exact: Annotated[bool, Option("With the scorer document, accept only answers equal to a true one.")] = False,
    verdicts: Annotated[File, Option("A judge's verdicts on the answers.", "FILE")] = None,
    human: Annotated[
        File, Option("People's verdicts on some of the answers, for a card of all scorers.", "FILE")
    ] = None,
    published: Annotated[File, Option("Published results to show beside the figures.", "FILE")] = None,
    embedding_model: Annotated[
        Text, Option("Name or folder of a model for BERTScore, where true answers are sentences.", "MODEL")
    ] = None,
    gold: common.Gold = None,
    answer_lists: common.AnswerLists = None,
    answer_separator: common.AnswerSeparator = None,
    model: Annotated[Text, Option("The model's name, for files that do not give one.", "NAME", WORD)] = None,
    **further: Unpack[common.OnWorkers],
) -> Report:
    """How models answer from documents that are noisy, insufficient, scattered or false.

    accuracy = correct answers / answers, by the share of documents without the answer; rejection_rate = refusals /
    answers to questions whose documents do not hold the answer; error_detection_rate and error_correction_rate where
    documents are false.

    Arguments
    ---------
    answers: As RGB, RAGAS, RAGChecker, DeepEval, TruLens, LangSmith, CRAG, HotpotQA, SQuAD or a batch of OpenAI writes
        them, or with id, ability (noise_robustness, negative_rejection, information_integration,
        counterfactual_robustness or, where nothing is known of the documents, question_answering), model, noise_ratio,
        response (null: no answer came back), answer (a text, or a list of slots, each a text or a list of aliases),
        counterfactual (what the false documents say), draw, documents (an empty list: none were given).
    scorer: strict reads what an answer asserts, and tells refusals from answers; document looks for substrings and
        shared words; benchmark does what the code of RGB does. auto takes strict, and where true answers are sentences
        (more than 5 words in the median) says that a judge is needed, and adds the table overlap.
    embedding_model: Needs adjudge[embeddings].
    verdicts: A table: id, model, draw, and correct, rejected, error_detected, error_corrected (true, false or
        null); they become the scorer judge.
    human: A table as for verdicts, of a random sample of the answers: the table card holds every scorer and judge
        beside it.
    published: A table: model, ability, noise_ratio, metric, value.
    gold: A data set: HotpotQA, SQuAD, CRAG, RGB, or a table with id or question, and answer.
    answer_lists: By default slots, with a warning, unless the format says which; the list ["Paris", "City of Paris"]
        is aliases.
    answer_separator: "|" makes a list of "Paris | City of Paris".
    model: By default the file's name.

    Returns
    -------
    A Report with the tables scores, differences, outcomes and, of several scorers, agreement and disagreement; with
    human, card.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> rows = {"id": ["1", "2"], "ability": "noise_robustness", "response": ["It is Paris.", "Rome"]}
    >>> keys = {"model": "mine", "scorer": "strict"}
    >>> adjudge.rag(pl.DataFrame({**rows, "answer": "Paris"}), model="mine").estimate("scores", "accuracy", keys).value
    0.5

    Source: the abilities and the scorer "benchmark" are those of RGB, Chen et al. 2024, arXiv:2309.01431.

    Command
    -------
    Score saved answers: accuracy by noise, refusals, and errors in documents that are noticed and corrected.

    Answers need the columns id, ability and response, and answer where a true one exists. For example:

    adjudge rag score answers.jsonl --scorer all --output report.html
    """
    return run(rag, locals())


# --- prompts ---


QuestionsFile = Annotated[
    Any, Option("Questions with documents, in the form of the RGB benchmark.", "QUESTIONS", INPUT)
]


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """Questions with the documents to give to a model. prompts: as they are written.

    short: how many have fewer passages, or another noise ratio, than asked for. warnings: of the file, and of the
    prompts.
    """

    prompts: tuple[dict[str, object], ...]
    short: int
    warnings: tuple[str, ...] = ()


@documented
def prepare_rag(
    questions: QuestionsFile,
    *,
    ability: Annotated[
        Literal["noise_robustness", "negative_rejection", "information_integration", "counterfactual_robustness"],
        Option("The ability tested; it decides which documents are good.", required=True),
    ],
    noise: Annotated[
        Sequence[float] | None,
        Option(
            "Shares of documents without the answer; 0,0.2,0.4,0.6,0.8 by default, 1 for negative_rejection.",
            "RATIO,...",
            RATIOS,
        ),
    ] = None,
    passages: Annotated[int, Option("The number of documents per prompt; 0 for none.", kind=from_to(0))] = 5,
    correct_rate: Annotated[
        float, Option("The share of documents that are true beside those that lie.", "RATIO", SHARE)
    ] = 0.0,
    seed: common.Seed = 0,
    sampling: Annotated[
        Literal["balanced", "original"],
        Option("Draw documents at random with balanced positions, or as the benchmark's code does."),
    ] = "balanced",
    draws: Annotated[int, Option("How many times documents are drawn.", kind=from_to(1))] = 1,
    batch_file: Annotated[
        File, Option("Write the prompts as an OpenAI batch file too, for --model.", "FILE", written(".jsonl"))
    ] = None,
    model: Annotated[Text, Option("The model that the batch file asks, as PROVIDER/NAME.", "MODEL")] = None,
    prompt: asking.Prompt = None,
    output: Annotated[File, Option("The .jsonl file to write.", "FILE", written(".jsonl"), required=True)] = None,
    encoding: common.Encoding = None,
    progress: common.Progress = None,
) -> Prompts:
    """Choose the documents that a model gets with each question, and their order.

    Of k passages, ceil(k x noise) do not hold the answer. If one list is too short, the other fills the gap, so that
    there are k passages at another noise ratio; if both are, there are fewer passages.

    Arguments
    ---------
    questions: JSON lines, or a JSON array: {"id", "query", "answer", "positive", "negative"}, in `_fact` files also
        "positive_wrong" and "fakeanswer".
    ability: For negative_rejection all documents are negative; information_integration needs groups of positives,
        and takes at least one of each; counterfactual_robustness needs false documents.
    passages: Without any it is closed book, and noise cannot be given.
    correct_rate: Of counterfactual_robustness; noise leaves room for a lie at least. What true ones change is
        told by `compare`, of a run with them and one without.
    batch_file: `answer_rag` reads the batch's results with `from_batch`.
    sampling: balanced puts good documents in each position equally often, over all questions; original takes the
        first ones of each list.

    Returns
    -------
    Prompts: per noise ratio, draw and question {"id", "ability", "noise_ratio", "reached_noise", "draw" (from 1),
    "query", "answer" (slots, each a list of aliases), "counterfactual" (what its false documents say, or null),
    "documents"}; a document is {"text", "kind" (positive, negative or wrong), "place" (in its list, from 0), "group"
    (where positives are grouped)}; with a correct_rate, that and "reached_correct_rate". noise_ratio is what was asked
    for, reached_noise what the documents have; both are null where there are no documents.

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
    values = bound(prepare_rag, locals())
    if values["noise"] is not None and not values["passages"]:
        raise OptionError("noise: expected none where there are no passages; got some")
    if (values["batch_file"] is None) != (values["model"] is None):
        raise OptionError("batch_file: expected the file and, with --model, the model that it asks; got one of them")
    if values["model"] is not None:
        from adjudge.llm.work import check_model

        check_model(values["model"])
    from adjudge.evaluations.rag import prompts as preparing

    usual = [1.0] if values["ability"] == "negative_rejection" else [*preparing.NOISES]
    full = preparing.noises_without_room(usual, values["passages"], values["correct_rate"])
    ratios = [ratio for ratio in usual if ratio not in full] if values["noise"] is None else values["noise"]
    from adjudge.render.files import write_lines

    step = values.step
    with step("reading"):
        read = _read(questions, values)
    with step("drawing"):
        drawing = {name: values[name] for name in ("passages", "seed", "sampling", "draws")}
        found = preparing.prepare_prompts(read, values["ability"], ratios, correct=values["correct_rate"], **drawing)
        records = preparing.prompt_records(found)
    if values["output"] is not None:
        write_lines(records, values["output"])
    if values["batch_file"] is not None:
        _write_batch(records, values["batch_file"], values["model"], values["prompt"])
    short = sum(not prompt.as_requested for prompt in found)
    return Prompts(tuple(records), short, (*read.warnings, *preparing.warnings_of(found)))


def _read(questions: object, options: Mapping[str, Any]) -> "Questions":
    from adjudge.readers.answers.rgb_questions import read_questions
    from adjudge.readers.inputs import source_beside

    source = source_beside(questions, options)
    read = read_questions(source)
    return replace(read, warnings=(*source.warnings, *read.warnings))


# --- audit ---


def _write_batch(records: Sequence[dict[str, Any]], path: Path, model: str, prompt: str | Path | None) -> None:
    """Write prompts as a batch file."""
    from adjudge.llm.answering import Answering
    from adjudge.llm.asking import Settings
    from adjudge.llm.batches import BatchWriter
    from adjudge.llm.prompts import template
    from adjudge.render.files import replacing

    settings = Settings(model, path.parent)
    calls = Answering(template("rag_answer", prompt), records, model).calls()
    with replacing(path) as partial, partial.open("w", encoding="utf-8") as file:
        BatchWriter(file, settings).ask({call.key(settings.asker): call for call in calls}, lambda _key, _reply: None)


@documented
def audit_rag(
    questions: QuestionsFile,
    *,
    passages: Annotated[int, Option("Documents of a prompt.", kind=from_to(1))] = 5,
    encoding: common.Encoding = None,
) -> "QuestionsAudit":
    """What is odd in questions: documents that do not hold what they should, and noise that cannot be reached.

    Negatives that hold the answer (every slot of it, by any alias), positives that lack it, false documents that hold
    the truth or lack the false answer, false answers that equal the truth, empty documents, documents, questions and
    ids that stand twice, and too few documents. Findings show the words of the document that matter. An alias is
    looked for as whole words in any case, in Chinese as a part of the text, and as the scorer strict finds it: dates,
    numbers and names in other forms.

    Arguments
    ---------
    questions: JSON lines, or a JSON array: {"id", "query", "answer", "positive", "negative"}, in `_fact` files also
        "positive_wrong" and "fakeanswer".

    Returns
    -------
    QuestionsAudit, with tables; `print` shows the summary. Noise ratios are those between which prompts can be made:
    with lying documents as the good ones where there are any, and with one document of each group where there are
    groups; null where there are too few documents.

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
    values = bound(audit_rag, locals())
    from adjudge.evaluations.rag.audit import audit

    return audit(_read(questions, values), values["passages"])
