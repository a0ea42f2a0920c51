"""Checkers: texts sorted by trouble, other weights and thresholds tried at once."""

from typing import Any

import polars as pl
import streamlit as st

from karat.app import downloads, items, words
from karat.app.chosen import said
from karat.app.lists import arrow, listed
from karat.app.results import Result, result_of
from karat.evaluations.violations.rules import PARTS, THRESHOLDS, VARIANTS
from karat.render.numbers import figure_text, metric_of

_DECIMALS = 4
"""Of weights; the largest takes what rounding leaves of 1."""
_FIGURES = ("match_score", "precision", "recall", "f1")


def _texts(result: Result) -> None:
    """Texts with most missed and invented violations first, and what each side marks in one."""
    counts = _trouble(result)
    if counts.is_empty():
        words.say("Neither side marks a violation in any text.")
        return
    variant = result.outcomes.select("variant").first().collect().item()
    by = said(result, "variant", variant)
    words.remark(
        f"Missed and invented violations of each text, by “{by}”; those with most of both together stand first. "
        "Choose a row to read the text."
    )
    titles = {name: words.own(name) for name in counts.columns}
    listed("troubled", counts, counts["text"], titles, judges=counts["checker"])
    downloads.of_frame("texts", counts)
    text = items.stepped(list(dict.fromkeys(counts["text"])), "texts")
    items.item(result, text, counts.filter(text=text)["checker"].to_list())


def _trouble(result: Result) -> pl.DataFrame:
    """A row for each text and checker, the one with most errors first; of equal ones the lowest match."""
    variant = result.outcomes.select("variant").first().collect().item()
    left = pl.col("variant") == variant
    places = st.columns(2)
    for place, name, key in zip(places, ("judge", "part"), ("checker-of", "category-of"), strict=True):
        known = result.outcomes.select(pl.col(name).drop_nulls().unique().sort()).collect()[name].to_list()
        chosen = place.multiselect(
            {"judge": "Checkers", "part": "Categories"}[name],
            known,
            key=key,
            bind="query-params",
            placeholder=words.ALL,
        )
        left &= pl.col(name).is_in(chosen) if chosen else pl.lit(value=True)
    outcome = pl.col("outcome")
    counts = (
        result.outcomes.filter(left)
        .group_by(text="item", checker="judge", maintain_order=True)
        .agg(
            missed=(outcome == "false_negative").sum(),
            invented=(outcome == "false_positive").sum(),
            matched=(outcome == "true_positive").sum(),
            lowest_match=pl.col("value").min(),
        )
    )
    return counts.sort(
        -(pl.col("missed") + pl.col("invented")).cast(pl.Int64), "lowest_match", nulls_last=True, maintain_order=True
    ).collect()


def _settings(result: Result) -> Result:
    """Other weights and thresholds, with the figures before and after."""
    variant = st.selectbox(
        "Variant whose settings are tried",
        list(VARIANTS),
        index=1,
        key="tried",
        bind="query-params",
        format_func=lambda one: said(result, "variant", one),
    )
    tried = {**_weights(result, variant), **_thresholds(result)}
    found = result_of(result.function, {**result.given, **tried})
    before, after = (_figures(one, variant) for one in (result, found))
    shown = before.join(after, on="checker", suffix=" (tried)", maintain_order="left")
    words.remark(
        "Figures over all texts together (micro) as they are, and with what you move (tried). The command line in "
        "the side panel has what you move, too."
    )
    titles = [name for title in before.columns[1:] for name in (title, f"{title} (tried)")]
    config = {title: st.column_config.Column(alignment="right") for title in titles}
    config["checker"] = st.column_config.Column(words.own("checker"), pinned=True)
    st.dataframe(arrow(shown.select("checker", *titles)), hide_index=True, width="content", column_config=config)
    downloads.of_frame("scores", found.report["scores"])
    return found


def _weights(result: Result, variant: str) -> dict[str, Any]:
    """Weights that sum to 1, where some are moved."""
    known = result.given.get(f"{variant}_weights") or VARIANTS[variant].weights
    parts = [part for part in PARTS if part in VARIANTS[variant].weights]
    start = {part: round(100 * known.get(part, 0)) for part in parts}
    words.remark("Weights: how much each part counts in the score of a match, as a share of their sum.")
    moved = {
        part: place.slider(
            words.label(words.own(part)),
            0,
            100,
            start[part],
            5,
            key=f"{variant}-{part}",
            bind="query-params",
        )
        for place, part in zip(st.columns(len(parts)), parts, strict=True)
    }
    if moved == start:
        return {}
    total = sum(moved.values())
    if not total:
        words.say("Something must weigh: these weights stay as they were.")
        return {}
    weights = {part: round(weight / total, _DECIMALS) for part, weight in moved.items()}
    largest = max(weights, key=lambda part: weights[part])
    weights[largest] = round(1 - sum(weights.values()) + weights[largest], _DECIMALS)
    return {f"{variant}_weights": weights}


def _thresholds(result: Result) -> dict[str, Any]:
    """Thresholds that are moved."""
    found = {}
    words.remark("Thresholds: what the score, the overlap and the similarity of rules must exceed in a match.")
    for place, (name, rule) in zip(st.columns(len(THRESHOLDS)), THRESHOLDS.items(), strict=True):
        known = result.given.get(name)
        start = getattr(VARIANTS["std"], rule) if not isinstance(known, float) else known
        moved = place.slider(
            words.label(words.own(name)), 0.0, 0.99, start, 0.01, key=f"tried-{name}", bind="query-params"
        )
        if moved != start:
            found[name] = moved
    return found


def _figures(result: Result, variant: str) -> pl.DataFrame:
    """Some figures of each checker as text."""
    report = result.report
    rows = report["scores"].filter(pl.col("variant") == variant, pl.col("average") == "micro")
    found: dict[str, dict[str, str]] = {}
    for row in rows.filter(pl.col("metric").is_in(_FIGURES)).to_dicts():
        metric = metric_of(report.about.metrics, row["metric"])
        found.setdefault(row["checker"], {"checker": row["checker"]})[metric.title] = figure_text(
            row["value"], metric.percent
        )
    return pl.DataFrame(list(found.values()))


OUTCOMES = {"false_negative": "Missed", "false_positive": "Invented", "true_positive": "Matched"}
VIEWS = {"Texts": _texts, "Settings": _settings}
