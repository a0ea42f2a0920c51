"""What of a report a picture shows: its rows, its groups with their titles, its judges with their labels."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import polars as pl

from adjudge.display_names import annotator_names, distinct_names, percentage, short_name
from adjudge.estimate import Caveat
from adjudge.render.numbers import inside, metric_of, plain, worded
from adjudge.render.parts import without_mean_of_one
from adjudge.report import NON_KEY_COLUMNS, Report
from adjudge.spec import BASELINE_PREFIX, Chart, Evaluation, MetricSpec

Value = str | float | None
Key = tuple[Value, ...]
Row = dict[str, Any]

_WHICH = {
    "first": "the first",
    "largest": "those with the most items",
    "strongest": "those farthest from 0",
    "most": "those with the most figures",
    "best": "the best",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """What all plots of a picture share.

    rows: of its table. keys: the columns of groups. groups, labels: those that are drawn, with what they are called.
    said: sentences on what is not drawn, and on what is chosen.
    """

    about: Evaluation
    confidence: float
    rows: list[Row]
    keys: tuple[str, ...]
    groups: dict[Key, str]
    labels: dict[Value, str]
    said: str

    def metric(self, name: str) -> MetricSpec:
        """The metric of that name."""
        return metric_of(self.about.metrics, name)

    def outcome(self, name: str) -> str:
        """What an outcome is called."""
        return self.about.labels.get(name, name)

    def value_title(self, key: str, value: Value) -> str:
        """What a value of a key column is called."""
        return value_title(self.about, key, value)

    def is_baseline(self, value: Value) -> bool:
        """Whether a judge was computed, and not judged."""
        return is_baseline(value)

    def group(self, row: Row) -> Key:
        """The group of a row."""
        return tuple(row[key] for key in self.keys)

    def told_from_0(self, row: Row) -> bool:
        """Whether a test tells a figure from 0, after adjustment."""
        p = row.get("p_adjusted")
        return p is not None and p < 1 - self.confidence

    def worded(self, text: str, metric: str = "") -> str:
        """A title or caption with what stands for its placeholders."""
        title = self.metric(metric).title
        text = text.replace(" {metric}", f" {inside(title)}").replace("{metric}", title)
        return text.replace("{confidence}", percentage(self.confidence))


def scope_of(
    report: Report, picture: Chart, label: str, needed: Iterable[str], metrics: Collection[str] = ()
) -> Scope | None:
    """What a picture shows of its table; None where that is not there, lacks a column, or has no such row.

    label: the column whose values get labels; none where it is empty. metrics: the only ones that are drawn; by default
    all.
    """
    frame = report.tables.get(picture.table)
    columns = {*needed, *picture.where, *picture.first, *([label] if label else [])}
    if frame is None or frame.is_empty() or label in NON_KEY_COLUMNS or not columns <= set(frame.columns):
        return None
    about = report.about
    by = [] if picture.ignore_groups else list(report.options.get("by") or [])
    keys = tuple(key for key in (*picture.groups, *by) if key in frame.columns and key != label)
    once = {name: frame[name][0] for name in picture.first}
    wanted = {**picture.where, **once}.items()
    shown = without_mean_of_one(frame, about).iter_rows(named=True)
    rows = [row for row in shown if all(row[key] == one for key, one in wanted)]
    rows = [row for row in rows if not metrics or row["metric"] in metrics]
    if not rows:
        return None
    chosen = "".join(f" {plain(name).capitalize()}: {value_title(about, name, value)}." for name, value in once.items())
    groups, said = _groups(report, picture, rows, keys)
    labels, left_out = _labels(report, picture, label, rows) if label else ({}, "")
    return Scope(about, report.confidence, rows, keys, groups, labels, chosen + left_out + said)


def across_of(report: Report, picture: Chart, drawn: Collection[str]) -> str:
    """The key column whose values stand side by side, where the table has it and the picture does not draw it."""
    key, frame = report.about.across, report.tables.get(picture.table)
    return key if frame is not None and key in frame.columns and key not in drawn else ""


def value_title(about: Evaluation, key: str, value: Value) -> str:
    """What a value of a key column is called."""
    if isinstance(value, float):
        return f"{value:g}"
    title = about.names.get(key, {}).get(value) if value else None
    if key == "ranked_metric" and value:
        title = metric_of(about.metrics, value).title
    if title is None and value and value == about.pooled:
        title = f"{value.capitalize()} of all {plural(key)}"
    return title or short_name(worded(value) if value else value)


def _groups(report: Report, picture: Chart, rows: Sequence[Row], keys: Sequence[str]) -> tuple[dict[Key, str], str]:
    """The groups that are drawn, each called by what tells it from others; and a sentence on the rest.

    Of judges the best are drawn, and no baselines; else the largest groups, in the table's order.
    """
    about, most = report.about, picture.most_groups
    sizes = _sizes((tuple(row[name] for name in keys), row) for row in rows)
    sizes = {key: size for key, size in sizes.items() if not any(is_baseline(one) for one in key)}
    if picture.best and about.judge in picture.groups:
        means, place = means_of(report, picture.best, about.judge), keys.index(about.judge)
        kept = sorted(sizes, key=lambda key: -means.get(key[place], 0.0))[:most]
        what, which = plural(about.judge), "best"
    else:
        largest = sorted(sizes, key=lambda key: -sizes[key])[:most]
        kept, what, which = [key for key in sizes if key in largest], "groups", "largest"
    apart = [place for place in range(len(keys)) if len({key[place] for key in sizes}) > 1]
    titles = {key: "\n".join(_title(report, keys[place], key[place]) for place in apart) for key in kept}
    return titles, left_out(what, len(sizes), len(titles), which)


def _title(report: Report, key: str, value: Value) -> str:
    """A value in the title of a plot after what it is, where it does not say so itself."""
    (text,) = labels_of(report, key, [value])
    word = key if key in (report.options.get("by") or []) else plain(key)
    own = key == "ranked_metric" or key in report.about.table_titles
    return text if own or text.startswith(word) else f"{short_name(word)}: {text}"


def _sizes(named: Iterable[tuple[Any, Row]]) -> dict[Any, float]:
    """The greatest n, or count, of the rows of each name."""
    sizes: dict[Any, float] = {}
    for name, row in named:
        sizes[name] = max(sizes.get(name, 0), row.get("n") or row.get("count") or 0)
    return sizes


def _labels(report: Report, picture: Chart, label: str, rows: Sequence[Row]) -> tuple[dict[Value, str], str]:
    """The values of a column that are drawn, in their order, with labels that differ; and a sentence on the rest."""
    sizes = _sizes((row[label], row) for row in rows)
    judges = [one for one in sizes if not is_baseline(one)]
    means = means_of(report, picture.best, label) if picture.best else {}
    ranked = sorted(judges, key=lambda one: -means.get(one, -inf))
    kept = ranked
    if len(ranked) > picture.most and picture.selection != "first":
        weights = sizes if picture.selection == "largest" else {one: abs(mean) for one, mean in means.items()}
        kept = sorted(ranked, key=lambda one: -weights.get(one, 0.0))
    kept = kept[: picture.most]
    shown = [*(one for one in ranked if one in kept), *(one for one in sizes if is_baseline(one))]
    said = left_out(plural(label), len(judges), len(kept), picture.selection)
    return dict(zip(shown, labels_of(report, label, shown), strict=True)), said


def labels_of(report: Report, key: str, values: Sequence[Value]) -> list[str]:
    """What values of a key column are called, all of them differently; annotators by their names."""
    names = annotator_names(report.tables.values()) if key in {"annotator", "reference"} else {}
    known = (names.get(one, one) if isinstance(one, str) else one for one in values)
    return distinct_names(value_title(report.about, key, one) for one in known)


def hollow(codes: Sequence[str | None]) -> str:
    """What captions say of points that are hollow for their notes; nothing where there is none.

    codes: the note of each point that is drawn, None of one that is not hollow.

    >>> hollow(["few_items", None, "skewed"])
    ' A hollow point carries a note: skewed; few items.'
    >>> hollow(["few_items", "skewed"])
    ' All points are hollow, as they carry a note: skewed; few items.'
    """
    held = set(codes)
    notes = [note for note in Caveat if note in held]
    if not notes:
        return ""
    which = "A hollow point carries" if None in held or len(codes) == 1 else "All points are hollow, as they carry"
    if len(notes) == 1:
        return f" {which} the note \u201c{notes[0].title}\u201d: {inside(notes[0].consequence)}"
    return f" {which} a note: {'; '.join(note.title for note in notes)}."


def left_out(what: str, known: int, shown: int, which: str = "first") -> str:
    """A sentence on how many are drawn, where not all are."""
    return f" Shown: {shown:,} of {known:,} {what}, {_WHICH[which]}." if known > shown else ""


def plural(key: str) -> str:
    """What several values of a key column are called.

    >>> plural("annotator"), plural("category"), plural("criterion")
    ('annotators', 'categories', 'criteria')
    """
    word = plain(key)
    endings = {"y": "ies", "ion": "ia"}
    ending = next((one for one in endings if word.endswith(one)), "")
    return word.removesuffix(ending) + endings[ending] if ending else f"{word}s"


def is_baseline(value: Value) -> bool:
    """Whether a judge was computed, and not judged."""
    return isinstance(value, str) and value.startswith(BASELINE_PREFIX)


def means_of(report: Report, best: Sequence[str], label: str) -> dict[Value, float]:
    """What judges are sorted by: the mean over groups of the first metric that has a value, pooled where there is that.

    best: the table, and the metrics.
    """
    frame = report.tables.get(best[0])
    if frame is None or not {label, "metric", "value"} <= set(frame.columns):
        return {}
    across, pooled = report.about.across, report.about.pooled
    if across in frame.columns and pooled in frame[across]:
        frame = frame.filter(pl.col(across) == pooled)
    metric = first_defined(frame.iter_rows(named=True), best[1:])
    figures = frame.filter(pl.col("value").is_not_null(), metric=metric)
    return dict(figures.group_by(label, maintain_order=True).agg(pl.col("value").mean()).iter_rows())


def first_defined(rows: Iterable[Mapping[str, Any]], metrics: Sequence[str]) -> str:
    """The first metric that has a value in any row; else the first that any row is of; else the first."""
    rows = list(rows)
    valued: Collection[str] = {row["metric"] for row in rows if row["value"] is not None}
    held = {row["metric"] for row in rows}
    return next((name for some in (valued, held) for name in metrics if name in some), metrics[0])
