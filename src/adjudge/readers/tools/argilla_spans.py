"""Records of Argilla with a question that asks for spans."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from adjudge.readers.io.json_documents import object_in, read_each
from adjudge.readers.problems import Findings
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tools.argilla import COUNTED, answers_of, fields_of, is_argilla


def read_spans(opened: spans.Found) -> spans.Raw:
    """A line for each text and user; labels are rules.

    Responses that were not submitted are excluded and counted. Models' suggestions count if options name the models as
    annotators and, in predictions, if no user responded.
    """
    read = read_each(opened.objects, lambda record: list(answers_of(record)), Findings())
    every = [one for _, answers in read for one in answers if isinstance(one.value, list)]
    questions = {one.question for one in every for mark in one.value if isinstance(mark, dict) and "start" in mark}
    questions, text = questions or {one.question for one in every if not one.value}, opened.file_column(spans.TEXT)

    def lines(record: spans.Holder) -> Iterator[spans.Line | spans.Skipped]:
        marks, fields = defaultdict[tuple[str | None, bool], list[Any]](list), object_in(record, "fields")
        holder = {**record, **fields_of(record)}
        if text not in holder:  # one of several fields must be named as the text
            holder[text] = holder[spans.only_text(fields, ", fields")] if fields else None
        for one in answers_of(record):
            if one.question in questions and one.status in COUNTED:
                marks[one.author, one.suggested] += one.value if isinstance(one.value, list) else [one.value]
            elif one.question in questions:
                yield spans.Skipped("responses that were not submitted are excluded", one.status or "")
        if all(suggested for _, suggested in marks):
            yield spans.Skipped("records without a response that counts")
        for (author, suggested), author_marks in marks.items():
            yield spans.Line({**holder, opened.file_column("annotator"): author}, author_marks, suggested)

    return spans.read_lines(opened, spans.SpanTool(lines, spans.LABELLED), opened.objects)


FORMAT = spans.Format("argilla", "violations", read_spans, is_argilla, 2, (".json",), nested=True)
