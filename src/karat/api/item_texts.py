"""What the inputs of a saved run say of its items, for reading."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.api import readings
from karat.report import cut

if TYPE_CHECKING:
    from karat.formats.saved_runs import Run
    from karat.formats.source import Source

Texts = dict[str, str]
Keys = Mapping[str, Any]
"""item, judge and the keys of a row of outcomes."""


def item_texts(run: "Run", rows: Sequence[Keys]) -> list[Texts] | str:
    """The texts of some rows of a run, each name -> text, cut to what one reads; or why they are not at hand.

    A run's inputs are at hand where they are still where they were, and as they were.
    """
    for one in run.inputs:
        if not Path(one.path).is_file():
            return f"{one.path} is not there"
    try:
        return _texts(run, rows)
    except (KeyError, TypeError, ValueError):
        return "it does not say how they were read as this version of Karat does"


def _texts(run: "Run", rows: Sequence[Keys]) -> list[Texts] | str:
    from karat.formats.source import sources

    read = sources([one.path for one in run.inputs], run.options.get("input_format"), _formats(run.evaluation))
    for one, source in zip(run.inputs, read, strict=True):
        if source.sha256() != one.sha256:
            return f"{one.path} was changed since"
    return _READERS[run.evaluation](read, run.options, rows)


def _formats(evaluation: str) -> Sequence[str]:
    from karat.formats import answers, judgments, pairs, preferences, violations

    readers: dict[str, Any] = {
        "annotations": pairs,
        "preferences": preferences,
        "rag": answers,
        "reliability": judgments,
        "violations": violations,
    }
    formats: Sequence[str] = readers[evaluation].FORMATS
    return formats


def _by_item(found: Mapping[str, Texts], rows: Sequence[Keys]) -> list[Texts]:
    return [{name: cut(text) for name, text in found.get(row["item"], {}).items() if text} for row in rows]


def _items(rows: Sequence[Keys]) -> list[str]:
    return list({row["item"]: None for row in rows})


def _reliability(sources: Sequence["Source"], options: Mapping[str, Any], rows: Sequence[Keys]) -> list[Texts]:
    from karat.formats import judgments as reader

    judged = reader.read_judgments(sources, readings.of_reliability(options))
    return _by_item(reader.item_texts(judged, _items(rows)), rows)


def _annotations(sources: Sequence["Source"], options: Mapping[str, Any], rows: Sequence[Keys]) -> list[Texts]:
    from karat.formats import pairs as reader

    found: dict[str, Texts] = {}
    for source in sources:
        frame = reader.read_pairs(source, readings.of_annotations(options)).frame
        found |= _texts_by(frame, "pair", ("prompt", "text_a", "text_b"), rows)
    return _by_item(found, rows)


def _preferences(sources: Sequence["Source"], options: Mapping[str, Any], rows: Sequence[Keys]) -> list[Texts]:
    from karat.formats import preferences as reader
    from karat.schemas.preferences import TEXTS

    gold = reader.read_gold(sources[0], readings.of_preferences(options))
    return _by_item(_texts_by(gold.frame.lazy(), "id", TEXTS, rows), rows)


def _violations(sources: Sequence["Source"], options: Mapping[str, Any], rows: Sequence[Keys]) -> list[Texts]:
    from karat.formats import violations as reader
    from karat.schemas.violations import ID, TEXT

    truth = reader.read_truth(sources[0], readings.of_violations(options))
    return _by_item(_texts_by(truth.texts.lazy(), ID, (TEXT,), rows), rows)


def _rag(sources: Sequence["Source"], options: Mapping[str, Any], rows: Sequence[Keys]) -> list[Texts]:
    from karat.formats import answers as reader

    further = [name for name in ("verdicts", "published") if options[name]]
    reading = readings.of_rag(options)
    files = [reader.read_answers(source, reading) for source in sources[: len(sources) - len(further)]]
    known: dict[tuple[Any, ...], list[str]] = {}
    for row in reader.together(files).iter_rows(named=True):
        part = "closed_book" if row["closed"] else row["ability"]
        if row["response"]:
            known.setdefault((row["id"], row["model"], part, row["noise_ratio"]), []).append(cut(row["response"]))
    keys = [(row["item"], row["judge"], row["ability"], row["noise_ratio"]) for row in rows]
    return [_numbered("response", known.get(key, [])) for key in keys]


def _numbered(name: str, texts: Sequence[str]) -> Texts:
    """Texts under a name, with a number where there are several."""
    if len(texts) == 1:
        return {name: texts[0]}
    return {f"{name} {number}": text for number, text in enumerate(texts, 1)}


def _texts_by(frame: Any, key: str, names: Sequence[str], rows: Sequence[Keys]) -> dict[str, Texts]:  # noqa: ANN401
    """Texts of a lazy frame: item -> name -> text."""
    import polars as pl

    chosen = frame.filter(pl.col(key).is_in(_items(rows))).select(key, *names).collect()
    return {row.pop(key): row for row in chosen.to_dicts()}


_READERS: dict[str, Callable[[Sequence["Source"], Mapping[str, Any], Sequence[Keys]], list[Texts]]] = {
    "annotations": _annotations,
    "preferences": _preferences,
    "rag": _rag,
    "reliability": _reliability,
    "violations": _violations,
}
