"""Options of `adjudge.rag`, `adjudge.prepare_rag` and `adjudge.audit_rag`."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from adjudge.options import shared
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import INPUT, INPUTS, RATIOS, WORD, from_to, written_file
from adjudge.options.shared import File

_file = partial(option, default=None, metavar="FILE")


class RagOptions(shared.Scoring, shared.GoldAnswerOptions):
    """Measure how robust RAG systems are to irrelevant, missing and false documents.

    Answers need the columns id, ability and response. The column answer holds gold answers.

    adjudge rag answers.jsonl --scorer all --output report.html
    """

    answers: Any = option(
        "Answers of models: JSON lines or tables",
        metavar="ANSWERS",
        kind=INPUTS,
        kw_only=False,
        more="As RGB, RAGAS, RAGChecker, DeepEval, TruLens, LangSmith, CRAG, HotpotQA, SQuAD or an OpenAI batch writes "
        "them, or with id, ability (noise_robustness, negative_rejection, information_integration, "
        "counterfactual_robustness, question_answering), model, noise_ratio, response (null: no answer came back). "
        "Further columns are answer (a text, or a list of slots, each a text or a list of aliases), counterfactual "
        "(what the false documents say), draw, documents (an empty list: none were given).",
    )
    scorer: Literal["auto", "strict", "document", "benchmark", "all"] = option(
        "Scoring rule: strict checks assertions, document matches words, benchmark is RGB's; auto is strict",
        default="auto",
        more="strict reads what an answer asserts, and tells refusals from answers; document looks for substrings and "
        "shared words; benchmark does what the code of RGB does. auto takes strict, and says that a judge is needed if "
        "gold answers are sentences (more than 5 words in the median).",
    )
    exact: bool = option("Accept only answers equal to a gold one (scorer document)", default=False, group="Advanced")
    verdicts: File = _file(
        "File of a judge's verdicts on answers",
        more="A table: id, model, draw, and correct, rejected, error_detected, error_corrected (true, false or null). "
        "They become the scorer judge.",
    )
    human: File = _file(
        "File of human verdicts on a sample of answers",
        more="As verdicts, of a random sample of the answers: the table card compares every scorer with them.",
    )
    model: str | None = option("Model name, if the files have none", default=None, metavar="NAME", kind=WORD)


class QuestionOptions(Options):
    """A file of questions."""

    questions: Any = option(
        "Questions with documents, in the form of the RGB benchmark",
        metavar="QUESTIONS",
        kind=INPUT,
        kw_only=False,
        more='JSON lines, or a JSON array: {"id", "query", "answer", "positive", "negative"}, in `_fact` files also '
        '"positive_wrong" and "fakeanswer".',
    )
    passages: int = option("Documents per prompt; 0 for none", default=5, metavar="N")
    reading: shared.Reading = shared.Reading()


class PrepareOptions(QuestionOptions, shared.Randomness, shared.WithProgress):
    """Make prompts from questions: choose and order the documents of each.

    ceil(k x noise) of k passages lack the answer. If a question has too few documents of either kind, reached_noise is
    the share that its prompt has.

    adjudge rag prepare en.json --ability noise_robustness --noise 0,0.4,0.8 --output prompts.jsonl
    """

    ability: Literal[
        "noise_robustness", "negative_rejection", "information_integration", "counterfactual_robustness"
    ] = option(
        "Ability to test: noise_robustness, negative_rejection, information_integration or counterfactual_robustness",
        metavar="ABILITY",
        more="For negative_rejection all documents are negative; information_integration needs groups of positives, "
        "and takes at least one of each; counterfactual_robustness needs false documents.",
    )
    noise: Sequence[float] | None = option(
        "Shares of documents that lack the answer",
        default=None,
        metavar="RATIO,...",
        kind=RATIOS,
        more="Default: 0,0.2,0.4,0.6,0.8; 1 for negative_rejection.",
    )
    draws: int = option("Times to sample the documents", default=1, metavar="N", kind=from_to(1))
    output: File = _file("Prompts as .jsonl", kind=written_file(".jsonl"), required=True, group="Output", short="-o")


class AuditOptions(QuestionOptions):
    """Find errors in a file of questions.

    The audit finds negatives that hold the answer, positives that lack it, false documents that hold the truth, empty
    documents, duplicate ids, and questions with too few documents.

    adjudge rag audit en_fact.json --passages 5 --output odd.csv
    """

    output: File = _file("Findings as .csv", kind=written_file(".csv"), group="Output", short="-o")


OPTIONS = RagOptions
"""The options of the evaluation."""
