"""`karat.rag`."""

from typing import Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUTS, File, Text
from karat.api.options import Option, documented
from karat.api.reports import run
from karat.report import Report

Answers = Annotated[Any, Option("The models' answers: JSON lines or tables.", "ANSWERS...", INPUTS)]
Scorer = Annotated[Literal["strict", "document", "benchmark", "all"], Option("The rules by which answers are judged.")]
Exact = Annotated[bool, Option("With the scorer document, accept only answers equal to a true one.")]
Verdicts = Annotated[File, Option("A judge's verdicts on the answers.", "FILE")]
Published = Annotated[File, Option("Published results to show beside the figures.", "FILE")]
Model = Annotated[Text, Option("The model's name, for files that do not give one.", "NAME")]


@documented
def rag(
    answers: Answers,
    *,
    scorer: Scorer = "strict",
    exact: Exact = False,
    verdicts: Verdicts = None,
    published: Published = None,
    model: Model = None,
    columns: common.Columns = None,
    by: common.By = (),
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    input_format: common.InputFormat = None,
    examples: common.Examples = 5,
    items: common.Items = None,
    progress: common.Progress = None,
) -> Report:
    """How models answer from documents that are noisy, insufficient, scattered or false.

    accuracy = correct answers / answers, by the share of documents without the answer; rejection_rate = refusals /
    answers to questions whose documents do not hold the answer; error_detection_rate and error_correction_rate where
    documents are false.

    Arguments
    ---------
    answers: With id, ability (noise_robustness, negative_rejection, information_integration or
        counterfactual_robustness), model, noise_ratio, response (null: no answer came back), answer (a text, or a
        list of slots, each a text or a list of aliases), counterfactual (what the false documents say), draw,
        documents (an empty list: none were given).
    scorer: strict reads what an answer asserts, and tells refusals from answers; document looks for substrings and
        shared words; benchmark does what the code of RGB does.
    verdicts: A table: id, model, draw, and correct, rejected, error_detected, error_corrected (true, false or
        null); they become the scorer judge.
    published: A table: model, ability, noise_ratio, metric, value.
    model: By default the file's name.

    Returns
    -------
    A Report with the tables scores, differences, outcomes and, of several scorers, agreement and disagreement.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> rows = {"id": ["1", "2"], "ability": "noise_robustness", "response": ["It is Paris.", "Rome"]}
    >>> keys = {"model": "mine", "scorer": "strict"}
    >>> karat.rag(pl.DataFrame({**rows, "answer": "Paris"}), model="mine").estimate("scores", "accuracy", keys).value
    0.5

    Source: the abilities and the scorer "benchmark" are those of RGB, Chen et al. 2024, arXiv:2309.01431.

    Command
    -------
    Score saved answers: accuracy by noise, refusals, and errors in documents that are noticed and corrected.

    Answers need id, ability and response, and answer where a true one exists. For example:

    karat rag score answers.jsonl --scorer all --output report.html
    """
    return run(rag, locals())
