"""Logs of Inspect: a row per sample, with its target and the answer that each scorer extracted.

    {"version": 2, "eval": {"task": "tone", "model": "openai/m"}, "samples": [{"id": 1, "epoch": 1, "input": "Good.",
     "target": "kind", "scores": {"match": {"value": "C", "answer": "kind"}}}]}

`inspect_archives` makes such JSON of `.eval` files.
"""

from collections.abc import Iterator
from typing import Any

from adjudge.readers.io.json_documents import as_objects, object_in, plain_text, text_in
from adjudge.readers.labels import annotation_export as export


def read_log(opened: export.LabelFile) -> export.Parts:
    """A row per sample, with the model as the annotator and the target as the reference.

    The first of several targets represents all. A sample in several epochs is several items in one cluster. The last
    run of a repeated sample counts.
    """
    records = export.listed_records(opened.source, opened.document, "samples").checked_values()
    model = text_in(opened.document.get("eval"), "model")
    samples = {(text_in(one, "id"), text_in(one, "epoch")): one for one in records}
    epochs = len({epoch for _, epoch in samples}) > 1
    names = {"item": "item", "annotator": "model", "reference": "target", **({"cluster": "id"} if epochs else {})}

    def rows(sample: dict[str, Any]) -> Iterator[export.ToolRow | export.Skipped]:
        target, scores = sample.get("target"), object_in(sample, "scores")
        targets = [plain_text(one) for one in (target if isinstance(target, list) else [target])] or [None]
        about = {one: text_in(sample, one) for one in ("id", "epoch", "input")}
        about |= {"item": f"{about['id']}#{about['epoch']}" if epochs else about["id"], "target": targets[0]}
        answers = dict[str, str | None]()
        for scorer in scores:
            score = object_in(scores, scorer)
            answer, value = map(export.answer_text, (score.get("answer"), score.get("value")))
            answers[f"{scorer}.answer"], about[f"{scorer}.value"] = targets[0] if answer in targets else answer, value
            if value in ("C", "1") and answer not in (None, *targets):
                yield export.lenient(f"scorer {scorer}")
        yield export.ToolRow(about, model, answers)

    tool = export.Tool(names, rows, unit="sample")
    return export.unfolded(opened, tool, as_objects(opened.source, [*samples.values()]))


def _looks_like(opened: export.LabelFile) -> bool:
    return any(isinstance(one.get("eval"), dict) and "samples" in one for one in opened.first[:1])


FORMAT = export.Format("inspect", "reliability", read_log, _looks_like, endings=(".eval", ".json"), nested=True)
