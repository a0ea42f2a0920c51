"""True answers in a separate file: data sets of questions, joined to answers by id, else by the question's text.

HotpotQA, SQuAD (1.1 and 2.0, nested or as rows), CRAG, RGB, prompts of `adjudge rag prepare`, goldens of DeepEval and
TruLens, or any table with an id or a question, and an answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, as_objects, is_scalar, objects_in, plain_text, read_each
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import opened
from adjudge.readers.problems import Findings
from adjudge.readers.tables import plain_batches
from adjudge.schemas.answers import QUESTION_ANSWERING

Record = dict[str, Any]

_IDS = ("id", "_id", "interaction_id", "query_id", "question_id", "qid", "example_id", "custom_id")
_QUESTIONS = ("question", "query", "input", "user_input")
_TRUE = (
    *("answer", "answers", "reference", "ground_truth", "ground_truths", "expected_response", "expected_output"),
    *("expectedOutput", "gt_answer", "gold"),
)
_OTHERS = ("alt_ans", "is_impossible", "fakeanswer", "positive", "negative", "documents", "response")
"""Fields that are not kept as columns."""


@dataclass(frozen=True, slots=True)
class Gold:
    """True answers.

    places: id, or text of a unique question -> index in `rows`, whose fields have Adjudge's names. refusals: whether
    some questions have no answer, so that an empty prediction is a refusal.
    """

    name: str
    rows: list[Record]
    places: Mapping[str, int]
    refusals: bool

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of the questions of some answers, by id, where they are known."""
        questions = {one: _first(self.rows[self.places[one]], _QUESTIONS) for one in ids if one in self.places}
        return {one: str(text) for one, text in questions.items() if text is not None}


def read_gold(source: Source) -> Gold:
    """The true answers in a file. Raises DataError if there are none, and for a repeated id."""
    rows, by_id, by_question, twice = list[Record](), dict[str, int](), dict[str, int](), set[str]()
    for place, record in _records(source):
        row, question = _row(record), _first(record, _QUESTIONS)
        if row["id"] is None and question is None:
            expected = f"an id ({', '.join(_IDS)}) or a question ({', '.join(_QUESTIONS)})"
            raise DataError(f"{place}: expected {expected}; got {', '.join(record) or 'nothing':.300}")
        if row["id"] in by_id:
            raise DataError(f"{place}: expected each question once; id {row['id']:.60} appears twice")
        if row["id"] is not None:
            by_id[row["id"]] = len(rows)
        if question is not None:
            twice |= {id_text(question)} & by_question.keys()
            by_question[id_text(question)] = len(rows)
        rows.append(row)
    if not rows:
        raise DataError(f"{source.name}: expected at least one question; got none")
    if not any("answer" in row for row in rows):
        raise DataError(f"{source.name}: expected true answers ({', '.join(_TRUE)}); got {', '.join(rows[0]):.300}")
    once = {question: place for question, place in by_question.items() if question not in twice}
    refusals = any(row.get("ability") == "negative_rejection" for row in rows)
    return Gold(source.name, rows, {**once, **by_id}, refusals)


def id_text(value: object) -> str:
    """An id, or a question, as text, independent of the file's form of numbers."""
    return plain_text(value) or str(value)


def _records(source: Source) -> Iterator[tuple[str, Record]]:
    """The questions of a file, each with its place."""
    batches: Iterable[Objects] = plain_batches(source)
    if source.format == "json":
        document = opened(source, source.how).document
        data = document.get("data") if isinstance(document, dict) else None
        if isinstance(data, list) and any(isinstance(one, dict) and "paragraphs" in one for one in data):
            findings = Findings()
            articles = read_each(Objects(source.name, "article", range(1, len(data) + 1), data), _squad, findings)
            findings.settle()
            data = [question for _, questions in articles for question in questions]
        batches = [as_objects(source, document if data is None else data)]
    for objects in batches:
        yield from zip((place for place, _ in objects.places()), objects.checked_values(), strict=True)


def _squad(article: Mapping[str, Any]) -> list[Record]:
    """The questions of an article in SQuAD's nested form; several true answers are aliases."""
    paragraphs = objects_in(article, "paragraphs", needed=True)
    questions = [question for paragraph in paragraphs for question in objects_in(paragraph, "qas", needed=True)]
    answers = [[one.get("text") for one in objects_in(question, "answers", needed=True)] for question in questions]
    both = zip(questions, answers, strict=True)
    return [{**question, "answers": {"text": texts}, "title": article.get("title")} for question, texts in both]


def _row(record: Mapping[str, Any]) -> Record:
    """A question's fields; those known to Adjudge have its names."""
    row = {name: value for name, value in record.items() if name not in {*_IDS, *_TRUE, *_OTHERS}}
    identity, answers = _first(record, _IDS), record.get("answers")
    row["id"] = None if identity is None else id_text(identity)
    if any(name in record for name in _TRUE):
        row["answer"] = _true_answer(record)
    if "fakeanswer" in record:
        row["counterfactual"] = record["fakeanswer"]
    if record.get("is_impossible") is True or (isinstance(answers, Mapping) and answers.get("text") == []):
        row |= {"answer": None, "ability": "negative_rejection"}  # as in SQuAD 2.0
    elif "is_impossible" in record:
        row["ability"] = QUESTION_ANSWERING
    return row


def _true_answer(record: Mapping[str, Any]) -> object:
    """A true answer, with slots and aliases separated if the data set's form defines them."""
    value, others = _first(record, _TRUE), record.get("alt_ans")
    if isinstance(value, list) and {"positive", "negative"} <= record.keys():  # of RGB
        return [one if isinstance(one, list) else [one] for one in value]
    if isinstance(value, Mapping) and "text" in value:  # of SQuAD
        value = value["text"]
    elif isinstance(others, list) and is_scalar(value):  # of CRAG
        value = [value, *others]
    else:
        return value
    # reading the answer rejects anything but texts
    return [list(dict.fromkeys(value))] if isinstance(value, list) and all(map(is_scalar, value)) else value


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON holds anything
    return next((record[name] for name in names if record.get(name) is not None), None)
