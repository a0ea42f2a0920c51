"""Tables of answers that tools write: they differ in the names of columns alone, and are declared here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from karat.errors import DataError
from karat.formats.answer_layouts import Layout, plain_batches
from karat.formats.documents import Objects, as_objects, parse
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.schemas.answers import QUESTION_ANSWERING, AnswerLists

Record = dict[str, Any]
Reshape = Callable[[Mapping[str, Any]], Record]

_PLAIN = {"ability": QUESTION_ANSWERING}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's table of answers.

    said: what it is. needed: names of which there must be one each. columns: see `Layout`. under: the name under which
    a JSON document holds the records. absent: names that such a table does not have. lists: what several true
    answers are. questions: see `Layout`. reshape: makes of a record one with flat fields.
    """

    name: str
    said: str
    needed: Sequence[Sequence[str]]
    columns: Mapping[str, Sequence[str]]
    under: str = ""
    absent: Sequence[str] = ()
    lists: AnswerLists = "aliases"
    questions: Sequence[str] = ()
    reshape: Reshape | None = None
    endings: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """The format that it is."""
        return Format(self.name, "rag", self.read, self.recognises, 0, self.endings, self.said)

    def recognises(self, found: Opened[Any]) -> bool:
        """Whether a file is such a table."""
        names = self._names(found)
        there = all(any(_holds(names, one) for one in many) for many in self.needed)
        return there and not any(one in names for one in self.absent)

    def _names(self, found: Opened[Any]) -> set[str]:
        """The names in a file's records; none where they do not stand under the name that they should."""
        if not self.under:
            return set(found.names)
        document = found.document if found.source.format == "json" else None
        records = document.get(self.under) if isinstance(document, dict) else None
        return (
            {name for one in records if isinstance(one, dict) for name in one} if isinstance(records, list) else set()
        )

    def read(self, found: Opened[Any]) -> Layout:
        """How to read such a table."""
        layout = Layout(self.columns, _PLAIN, self.lists, self.questions)
        return replace(layout, batches=lambda: self._batches(found)) if self.under or self.reshape else layout

    def _batches(self, found: Opened[Any]) -> Iterator[Objects]:
        batches = iter([_under(found, self.under)]) if self.under else plain_batches(found.source)
        constants = found.source.how.set if self.under else {}  # they stand beside the list of records
        for objects in batches:
            records = [{**one, **constants} for one in objects.plain()] if constants else objects.plain()
            yield replace(objects, values=list(map(self.reshape, records)) if self.reshape else records)


def _holds(names: set[str], wanted: str) -> bool:
    """Whether a name is there, or one that begins with what stands before a *."""
    return wanted in names or (wanted.endswith("*") and any(one.startswith(wanted[:-1]) for one in names))


def _under(found: Opened[Any], name: str) -> Objects:
    """The records that a JSON document holds under a name."""
    document = found.document if found.source.format == "json" else None
    records = document.get(name) if isinstance(document, dict) else None
    if not isinstance(records, list):
        raise DataError(f"{found.source.name}: expected a JSON object with a list {name}; got none")
    return as_objects(found.source, records)


# --- records that are not flat ---

_ANSWERED = ("answer", "output", "response", "result", "text")
"""Names that people give to what a run returns, the likeliest first."""
_ASKED = tuple(f"{side}.{name}" for side in ("inputs", "input") for name in ("question", "query", "input", "*"))
_NESTED = ("inputs", "outputs", "reference_outputs", "reference")


def _langsmith(record: Mapping[str, Any]) -> Record:
    """A run, with each field of its inputs and outputs, which an export may keep as JSON text, on its own."""
    flat: Record = {}
    for name, value in record.items():
        fields = _fields(value) if name in _NESTED else None
        flat |= {name: value} if fields is None else {f"{name}.{key}": one for key, one in fields.items()}
    return flat


def _fields(value: object) -> Mapping[str, Any] | None:
    """An object, or one that a cell holds as JSON text."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = parse(value, "")
        except DataError:
            return None
    return value if isinstance(value, dict) else None


def _trulens(record: Mapping[str, Any]) -> Record:
    """A record, with its app's name and version as one, and its texts without the quotes of older exports."""
    app = " ".join(str(record[name]) for name in ("app_name", "app_version") if record.get(name))
    flat = {**record, "app": app or record.get("app_id")}
    return flat | {name: _unquoted(flat.get(name)) for name in ("input", "output")}


def _unquoted(value: object) -> object:
    """A text that was written as JSON."""
    if isinstance(value, str) and len(value) > 1 and value.startswith('"') and value.endswith('"'):
        try:
            return parse(value, "")
        except DataError:
            return value
    return value


def _crag(record: Mapping[str, Any]) -> Record:
    """A prediction, with its true answer and the others that count as one list."""
    true = next((record[name] for name in ("ground_truth", "answer") if record.get(name) is not None), None)
    others = record.get("alt_ans")
    known = [true, *others] if isinstance(others, list) and true is not None else true
    return {**record, "ground_truth": known}


# --- the tools ---

_TOOLS = (
    Tool(
        "ragas",
        "Samples of RAGAS from 0.2 on: user_input, retrieved_contexts, response, reference.",
        [["user_input"], ["response"]],
        {"id": ["user_input"], "answer": ["reference"], "documents": ["retrieved_contexts"]},
        questions=["user_input"],
    ),
    Tool(
        "ragas-0.1",
        "Samples of RAGAS before 0.2: question, contexts, answer, ground_truth or ground_truths.",
        [["question"], ["answer"], ["contexts", "ground_truth", "ground_truths"]],
        {
            "id": ["question"],
            "response": ["answer"],
            "answer": ["ground_truth", "ground_truths"],
            "documents": ["contexts"],
        },
        absent=["response"],
        questions=["question"],
    ),
    Tool(
        "ragchecker",
        "Inputs and results of RAGChecker: results with query_id, query, gt_answer, response, retrieved_context.",
        [["query_id"], ["gt_answer"], ["response"]],
        {"id": ["query_id"], "answer": ["gt_answer"], "documents": ["retrieved_context"]},
        under="results",
        endings=(".json",),
    ),
    Tool(
        "deepeval",
        "Test cases of DeepEval: input, actual_output, expected_output, retrieval_context.",
        [["input"], ["actual_output"]],
        {
            "id": ["input"],
            "response": ["actual_output"],
            "answer": ["expected_output"],
            "documents": ["retrieval_context"],
        },
        questions=["input"],
    ),
    Tool(
        "deepeval-run",
        "Test runs of DeepEval: testCases with input, actualOutput, expectedOutput, retrievalContext.",
        [["input"], ["actualOutput"]],
        {
            "id": ["input"],
            "response": ["actualOutput"],
            "answer": ["expectedOutput"],
            "documents": ["retrievalContext"],
        },
        under="testCases",
        questions=["input"],
        endings=(".json",),
    ),
    Tool(
        "trulens",
        "Records of TruLens: record_id, app_name and app_version or app_id, input, output.",
        [["record_id"], ["input"], ["output"], ["app_id", "app_name"]],
        {
            "id": ["input"],
            "model": ["app"],
            "response": ["output"],
            "answer": ["expected_response", "ground_truth"],
        },
        questions=["input"],
        reshape=_trulens,
    ),
    Tool(
        "langsmith",
        "Experiments of LangSmith: inputs.NAME, outputs.NAME, reference.NAME or reference_outputs.NAME, example_id.",
        [["inputs*", "input.*"], ["outputs*"], ["example_id", "reference_example_id", "reference*", "run_type"]],
        {
            "id": ["example_id", "reference_example_id", *_ASKED],
            "response": [f"outputs.{name}" for name in (*_ANSWERED, "*")],
            "answer": [f"{side}.{name}" for side in ("reference_outputs", "reference") for name in (*_ANSWERED, "*")],
            "documents": ["outputs.contexts", "outputs.documents"],
        },
        questions=["example_id", "reference_example_id", *_ASKED],
        reshape=_langsmith,
    ),
    Tool(
        "crag",
        "Predictions on CRAG: query, prediction, ground_truth, perhaps alt_ans and interaction_id.",
        [["query"], ["prediction"], ["ground_truth", "interaction_id"]],
        {"id": ["interaction_id", "query"], "response": ["prediction"], "answer": ["ground_truth"]},
        reshape=_crag,
    ),
)

FORMAT = tuple(tool.format for tool in _TOOLS)
