"""Tables of labels as `adjudge judge` writes them: their columns say what options say of other tables."""

from dataclasses import replace
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.source import Source
from adjudge.readers.problems import count_words
from adjudge.readers.tables import read_texts, scan, schema_of

COLUMNS = (
    *("item", "annotator", "kind", "criterion", "label", "confidence", "score", "explanation", "run", "position"),
    *("probe", "cost"),
)
"""The columns of such a table."""
_REPEATS = {f"{name}_column": name for name in ("run", "position", "confidence", "probe", "cost")}
"""Options of the card, and the column that each names if it says anything."""
Settled = tuple[Any, dict[str, list[Source]], tuple[str, ...]]


def settle(evaluation: str, options: Any, inputs: dict[str, list[Source]]) -> Settled:  # noqa: ANN401
    """Options and inputs of an evaluation of labels for tables of judges, and warnings; others stay as they are.

    Models are the judges of a card. Several criteria are grouped, and their items are kept apart. What only a card uses
    (further runs, the other order, changed items) is excluded elsewhere, and counted.
    """
    sources = inputs.get("data", [])
    of_labels = evaluation in ("card", "correct", "reliability", "agreement")
    if not (of_labels and sources and all(map(_is_judge_table, sources))):
        return options, inputs, ()
    frames = [read_texts(source, {name: name for name in COLUMNS}, COLUMNS).select(COLUMNS) for source in sources]
    every, warnings = pl.concat(frames), tuple[str, ...]()
    names = {kind: tuple(every.filter(kind=kind)["annotator"].unique().sort()) for kind in ("human", "model")}
    changes: dict[str, Any] = {}
    if evaluation == "card":
        named = {option: column for option, column in _REPEATS.items() if every[column].n_unique() > 1}
        changes = {option: column for option, column in named.items() if getattr(options, option) is None}
    else:
        key = ["item", "annotator", "criterion"]
        plain = (frame.filter(pl.col("probe").is_null()) for frame in frames)
        frames = [frame.unique(key, keep="first", maintain_order=True) for frame in plain]
        if excluded := every.height - sum(frame.height for frame in frames):
            one, many = ("label of a further run, order or probe is", "labels of further runs, orders or probes are")
            warnings = (f"{count_words(excluded, one, many)} excluded",)
        if evaluation == "agreement" and len(names["human"]) > 1 and names["model"]:
            frames = [frame.filter(kind="human") for frame in frames]
            models = count_words(len(names["model"]), "model is", "models are")
            warnings += (f"{models} excluded: agreement is that of humans",)
        if evaluation == "reliability" and not options.reference and len(names["human"]) == 1:
            changes["reference"] = names["human"]
    if evaluation in ("card", "correct") and all(names.values()) and not (options.judges or options.reference):
        changes["judges"] = names["model"]
    if every["criterion"].n_unique() > 1:
        apart = pl.concat_str("item", "criterion", separator=", ")
        frames = [frame.with_columns(apart.alias("item"), pl.col("item").alias("cluster")) for frame in frames]
        changes |= {} if options.by else {"by": ("criterion",)}
    tables = [
        replace(source, table=frame, path=None, format="table", hashed=source.sha256())
        for source, frame in zip(sources, frames, strict=True)
    ]
    return replace(options, **changes), {**inputs, "data": tables}, warnings


def _is_judge_table(source: Source) -> bool:
    """Whether a table has all columns; the first bytes of text say so of most that have not."""
    is_text = source.table is None and source.format != "parquet"
    if source.damage or (is_text and not all(name.encode() in source.start().content for name in COLUMNS)):
        return False
    try:
        return set(COLUMNS) <= set(schema_of(source, scan(source)).names())
    except DataError:
        return False
