"""Results of crowdsourcing platforms: flat tables with a row per worker and task, and a column per question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from adjudge.readers.io.json_documents import json_value, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform's table.

    item, worker: columns. question, reference, field: prefixes of columns with answers, reference answers, and inputs,
    which are the item if there is no column for it. refused: a column, and its value for rejected work.
    """

    item: str
    worker: str
    question: str
    reference: str
    field: str
    refused: tuple[str, str]

    def read(self, opened: LabelFile) -> Parts:
        """The table as judgments. Rejected work counts, with a warning."""
        columns = [name for name in opened.names if name.startswith(self.question)]
        gold = {name: self.reference + name.removeprefix(self.question) for name in columns if self.reference}
        trusted = {name: theirs for name, theirs in gold.items() if theirs in opened.names}
        rows = partial(self._rows, columns)
        return unfolded(opened, Tool({"item": self.item, "annotator": self.worker}, rows, trusted), opened.objects)

    def _rows(self, columns: Sequence[str], record: dict[str, Any]) -> Iterator[Row | Skipped]:
        cells = {name: plain_text(value) for name, value in record.items()}
        if self.item not in cells:
            shown = [text for name, text in cells.items() if name.startswith(self.field) and text]
            cells[self.item] = " ".join(shown)
        column, value = self.refused
        if (cells.get(column) or "").lower() == value.lower():
            yield Skipped(f"rows with {column} {value} count like the others")
        answers = dict[str, Any]()
        for name in columns:
            cell = cells.get(name) or ""
            forms = json_value(cell) if cell.startswith("[{") else None
            if isinstance(forms, list):
                pairs = (pair for form in forms if isinstance(form, dict) for pair in form.items())
                answers |= {f"{name.rpartition('.')[0]}.{key}": _chosen(answer) for key, answer in pairs}
            elif cell:
                answers[name] = cell
        yield Row(cells, cells.get(self.worker), answers)


def _has_columns(needed: set[str], opened: LabelFile) -> bool:
    return needed <= set(opened.names)


def _chosen(answer: object) -> object:
    """The answer of a form to one question: the ticked boxes, the label of a classifier, or a text."""
    if isinstance(answer, dict) and {bool} == set(map(type, answer.values())):
        return [name for name, ticked in answer.items() if ticked]
    return answer["label"] if isinstance(answer, dict) and answer.keys() == {"label"} else answer


_MTURK = Platform("HITId", "WorkerId", "Answer.", "", "Input.", ("AssignmentStatus", "Rejected"))
_TOLOKA = Platform(
    "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "OUTPUT:", "GOLDEN:", "INPUT:", ("ASSIGNMENT:status", "REJECTED")
)
_BATCH = "The results of a batch of Amazon Mechanical Turk: HITId, WorkerId, Input.* and Answer.*."
_POOL = "The results of a Toloka pool, in columns called INPUT:, OUTPUT:, GOLDEN: and ASSIGNMENT: and a name."
FORMAT = tuple(
    Format(name, "reliability", platform.read, partial(_has_columns, needed), endings=(ending,), said=about)
    for name, platform, needed, ending, about in (
        ("mturk", _MTURK, {_MTURK.item, _MTURK.worker}, ".csv", _BATCH),
        ("toloka", _TOLOKA, {_TOLOKA.worker}, ".tsv", _POOL),
    )
)
