"""True answers in a file of their own: data sets of questions, joined to answers by id, else by the question's text.

HotpotQA, SQuAD (1.1 and 2.0, nested or as rows), CRAG, TriviaQA, KILT, RGB, prompts of `adjudge rag prepare`, goldens
of DeepEval and TruLens, or any table with an id or a question, and an answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.errors import DataError, nearest
from adjudge.readers.io.json_documents import Objects, as_objects, cell_text, is_scalar, kind, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import plain_batches
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.schemas.spelling import near_miss

Record = dict[str, Any]

IDS = ("id", "_id", "interaction_id", "query_id", "question_id", "qid", "example_id", "custom_id", "QuestionId")
QUESTIONS = ("question", "query", "input", "user_input", "Question")
_TRUE = (
    *("answer", "answers", "reference", "ground_truth", "ground_truths", "expected_response", "expected_output"),
    *("expectedOutput", "gt_answer", "gold", "Answer", "output"),
)
_MOST_NEAR = 10_000
"""Ids among which the nearest to an unknown one is looked for."""


@dataclass(frozen=True, slots=True)
class Gold:
    """True answers. by_id, by_question: where each stands among `rows`, whose fields have Adjudge's names.

    refusals: whether some questions have no answer, so that an empty prediction is one that says so.
    """

    name: str
    rows: list[Record]
    by_id: Mapping[str, int]
    by_question: Mapping[str, int]

    @property
    def refusals(self) -> bool:
        """Whether questions without an answer are among them."""
        return any(row.get("ability") == "negative_rejection" for row in self.rows)

    @property
    def columns(self) -> Mapping[str, None]:
        """The names of its fields, as `rows` has them."""
        return dict.fromkeys(name for row in self.rows for name in row)

    def place(self, asked: object) -> int | None:
        """Where the question of an id, or of a text, stands; None where there is none."""
        text = cell_text(asked) or ""
        return self.by_id.get(text, self.by_question.get(text))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of the questions of some answers, by id, where they are known."""
        found = {one: _first(self.rows[place], QUESTIONS) for one in ids if (place := self.place(one)) is not None}
        return {one: str(text) for one, text in found.items() if text is not None}

    def unknown(self, asked: object) -> str:
        """What is wrong with an id that is none, in words."""
        known = [*self.by_id, *self.by_question][:_MOST_NEAR]
        hint = near_miss([str(asked)], self.by_id) or nearest(str(asked), known)
        return f'expected the id or the text of a question of {self.name}; got "{asked!s:.60}"{hint}'


def read_gold(source: Source) -> Gold:
    """The true answers in a file. Raises DataError where there are none, and for an id that stands twice."""
    rows: list[Record] = []
    by_id: dict[str, int] = {}
    by_question: dict[str, int] = {}
    twice: set[str] = set()
    for place, record in _records(source):
        row = _row(record)
        asked = _first(record, QUESTIONS)
        if row["id"] is None and asked is None:
            expected = f"an id ({', '.join(IDS)}) or a question ({', '.join(QUESTIONS)})"
            raise DataError(f"{place}: expected {expected}; got {', '.join(record) or 'nothing':.300}")
        if row["id"] is not None and row["id"] in by_id:
            raise DataError(f"{place}: expected each question once; id {row['id']:.60} stands twice")
        by_id |= {} if row["id"] is None else {row["id"]: len(rows)}
        if asked is not None:
            question = cell_text(asked) or ""
            twice |= {question} & by_question.keys()
            by_question[question] = len(rows)
        rows.append(row)
    if not rows:
        raise DataError(f"{source.name}: expected at least one question; got none")
    if not any("answer" in row for row in rows):
        raise DataError(f"{source.name}: expected true answers ({', '.join(_TRUE)}); got {', '.join(rows[0]):.300}")
    return Gold(source.name, rows, by_id, {asked: place for asked, place in by_question.items() if asked not in twice})


def _records(source: Source) -> Iterator[tuple[str, Record]]:
    """The questions of a file, each with its place."""
    if source.format != "json":
        batches: Iterable[Objects] = plain_batches(source)
    else:
        document = read_objects(source).document
        data = document.get("data", document.get("Data")) if isinstance(document, dict) else None
        nested = isinstance(data, list) and any(isinstance(one, dict) and "paragraphs" in one for one in data)
        batches = [as_objects(source, list(_squad(source.name, data or [])) if nested else data or document)]
    for objects in batches:
        yield from zip((place for place, _ in objects.places()), objects.plain(), strict=True)


def _row(record: Mapping[str, Any]) -> Record:
    """A question's fields, those that Adjudge knows by its own names."""
    known = {*IDS, *_TRUE, "alt_ans", "is_impossible", "fakeanswer", "positive", "negative", "documents", "response"}
    row = {name: value for name, value in record.items() if name not in known}
    found = _first(record, IDS)
    row["id"] = cell_text(found)
    if any(name in record for name in _TRUE):
        row["answer"] = _true(record)
    if "fakeanswer" in record:
        row["counterfactual"] = record["fakeanswer"]
    if _is_impossible(record):
        row |= {"answer": None, "ability": "negative_rejection"}
    elif "is_impossible" in record:
        row["ability"] = QUESTION_ANSWERING
    return row


def _true(record: Mapping[str, Any]) -> object:
    """A true answer, with its slots and aliases told apart where the data set's form says which they are."""
    value = _first(record, _TRUE)
    if isinstance(value, Mapping) and "Value" in value:  # of TriviaQA
        aliases = value.get("Aliases") or []
        return [_once([value["Value"], *(aliases if isinstance(aliases, list) else [aliases])])]
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):  # of KILT
        return [_once([one["answer"] for one in value if one.get("answer") is not None])]
    if isinstance(value, Mapping):
        value = value.get("text")
        return [_once(value)] if isinstance(value, list) and value else value or None
    if isinstance(record.get("alt_ans"), list) and is_scalar(value):
        return [_once([value, *record["alt_ans"]])]
    if isinstance(value, list) and {"positive", "negative"} <= record.keys():
        return [one if isinstance(one, list) else [one] for one in value]
    return value


def _once(values: list[Any]) -> list[Any]:
    """Texts without those that stand twice; anything else is left to be refused with the answer."""
    return list(dict.fromkeys(values)) if all(map(is_scalar, values)) else values


def _is_impossible(record: Mapping[str, Any]) -> bool:
    """Whether a question of SQuAD 2.0 has no answer."""
    answers = record.get("answers")
    return record.get("is_impossible") is True or (isinstance(answers, Mapping) and answers.get("text") == [])


def _squad(name: str, articles: list[Any]) -> Iterator[Record]:
    """The questions of SQuAD's nested form; each of several true answers is a spelling."""
    for number, article in enumerate(articles, 1):
        place = f"{name}, article {number}"
        for paragraph in _objects(place, article, "paragraphs"):
            for asked in _objects(place, paragraph, "qas"):
                told = [one.get("text") for one in _objects(place, asked, "answers")]
                yield {**asked, "answers": {"text": told}, "title": article.get("title")}


def _objects(place: str, holder: object, name: str) -> list[Record]:
    """A list of objects in another. Raises DataError for anything else."""
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise DataError(f"{place}, {name}: expected a list of objects; got {kind(value)}")
    return value


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON holds anything
    return next((record[name] for name in names if record.get(name) is not None), None)
