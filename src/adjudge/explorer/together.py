"""What all judges say of an item, each question once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from polars import selectors

from adjudge.evaluations.examples import PEERS
from adjudge.explorer.results import Result
from adjudge.report import Report
from adjudge.schemas.outcomes import OUTCOMES

Row = dict[str, Any]
_SAID = ("judge", "label", "outcome")


def together(result: Result, rows: pl.DataFrame) -> Report:
    """A report whose examples are the questions about an item, with what the first judge says and what the others say.

    rows: its outcomes; the first judge is the one that stands first.
    """
    texts = result.texts(rows.to_dicts())
    rows = rows.drop("value", "cluster", *result.report.about.hidden_columns, selectors.boolean(), strict=False)
    keys = ["part", *(name for name in rows.columns if name not in OUTCOMES)]
    groups: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for row, said in zip(rows.to_dicts(), texts, strict=True):
        question = groups.setdefault(tuple(row[key] for key in keys), [])
        if all(other["judge"] != row["judge"] for other, _ in question):
            question.append((row, {name: text for name, text in said.items() if name not in row}))
    shown = [_question(many) for many in groups.values()]
    names = list(dict.fromkeys(name for one in shown for name in one))
    columns = {name: [one.get(name) for one in shown] for name in names}
    return replace(result.report, examples=pl.DataFrame(columns, infer_schema_length=None, strict=False))


def as_chosen(rows: pl.DataFrame, chosen: Mapping[str, Any], first: Sequence[str] = ()) -> pl.DataFrame:
    """Outcomes of an item with the chosen one before the others, so that its question, and whom it is about, are first.

    first: judges who stand before the others.
    """
    is_it = [pl.col(name).eq_missing(pl.lit(chosen[name])) for name in rows.columns if name in chosen]
    places = {judge: place for place, judge in reversed(list(enumerate(first)))}
    of_judge = pl.col("judge").replace_strict(places, default=len(first), return_dtype=pl.Int64)
    return rows.sort(~pl.all_horizontal(is_it), of_judge, maintain_order=True)


def holds_counts(details: pl.Series) -> bool:
    """Whether details are counts of labels, as JSON: what labels say themselves."""
    return bool(details.str.starts_with("{").any())


def _question(rows: list[tuple[Row, Row]]) -> Row:
    """A question as an example: texts that differ between judges are their own."""
    (first, texts), *rest = rows
    own = {name for _, said in rest for name in said.keys() | texts.keys() if said.get(name) != texts.get(name)}
    others = [
        {
            **{name: row[name] for name in _SAID},
            **{name: said[name] for name in sorted(own) if name in said},
        }
        for row, said in rest
    ]
    return {**first, **texts, PEERS: json.dumps(others, ensure_ascii=False) if others else None}
