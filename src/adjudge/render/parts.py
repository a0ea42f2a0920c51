"""The tables of a report in the parts in which they are read: by kind, by figure, without columns that say nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from adjudge.display_names import annotator_names, distinct_names, short_name
from adjudge.evaluations.examples import JUDGES
from adjudge.metrics.run_changes import STEPS
from adjudge.render.numbers import DASH, UPTO, inside, metric_of, plain, worded
from adjudge.report import ESTIMATE_COLUMNS, NON_KEY_COLUMNS, Report, holds_estimates, number_columns
from adjudge.schemas.judgments import scale_position
from adjudge.spec import (
    COMPARISON_TABLE,
    GREATEST_DIFFERENCE,
    HARD_ITEMS,
    HISTORY_TABLE,
    SIDE_BY_SIDE,
    Evaluation,
    MetricSpec,
)

FIRST, SECOND = "first_value", "second_value"
"""Columns of the two values between which a difference lies."""
RUNS = ("first", "second")
"""Key columns that name the runs, or the judges, between which a difference lies."""
_ANNOTATOR = frozenset({"annotator", "name", "reference"})
"""Columns that say who votes; all other keys say of what."""
_KINDS = {
    "baselines": "systems and baselines",
    "noise": "shares of noise",
    "documents": "answers with and without documents",
}
_PLACE = "\x00place"
_MISSING = "missing"
"""The figure of what was not given, which says nothing where all was."""
_DIFFERENCE = "difference"
_RUN_JUDGES = ("judge", "second_judge")

_AGAINST_EACH_OTHER = "matrix"
"""The table of everyone against everyone, which holds each against itself too: what is certain is not shown."""
_LABELS = {"outcome", "first_outcome", "second_outcome", "first_label", "second_label", "said", "reason", "verdict"}
"""Columns of outcomes, of labels in whose place they stand, and of verdicts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table, or a part of one, as it is read.

    title, about: what it is called, and what it holds; empty where it goes on with the part before it.
    names: column -> what to call each of its values; others are called what they are. metrics: how figures are shown.
    by: key columns that the data named, and no evaluation. values: counted ones in their order. pooled: the metric
    that sums up the others. compared: whether it holds comparisons, those with the smallest p first. block: the
    heading of a part among others. columns: the metrics in their order, with what stands below their titles; others
    follow as they come. n: metric -> what its figures rest on, where it is said once. said: sentences in the place of
    rows. farthest: of figures that are coloured by their sign and size, how far from 0 they are at most; 0 of all
    others. links: row by row the place of a page to which its item leads, empty for none. shares: key columns that hold
    shares. headings: column -> what it is called, where that is not its name.
    """

    name: str
    title: str
    about: str
    frame: pl.DataFrame
    names: Mapping[str, Mapping[str, str]]
    metrics: Mapping[str, MetricSpec]
    by: Collection[str] = ()
    values: Sequence[str] = ()
    pooled: str = ""
    compared: bool = False
    block: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    n: Mapping[str, int] = field(default_factory=dict)
    said: str = ""
    farthest: float = 0.0
    links: Sequence[str] = ()
    shares: Collection[str] = ()
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> list[str]:
        """The metrics of its figures in the order in which they are shown."""
        places = {name: place for place, name in enumerate(self.columns)}
        return sorted(dict.fromkeys(self.frame["metric"]), key=lambda name: places.get(name, len(places)))

    @property
    def figures(self) -> bool:
        """Whether it holds figures (else it holds counts or the like)."""
        return holds_estimates(self.frame)


def keys_of(frame: pl.DataFrame) -> list[str]:
    """The key columns of a table of figures."""
    return [name for name in frame.columns if name not in {*NON_KEY_COLUMNS, UPTO}]


def under_one_title(found: Sequence[Part]) -> list[Part]:
    """Parts of one table: the first alone says what it is called, and what it holds."""
    return [found[0], *(replace(one, title="", about="") for one in found[1:])]


def without_empty_keys(frame: pl.DataFrame) -> pl.DataFrame:
    """The table without keys that no row has."""
    return frame.drop([key for key in keys_of(frame) if frame[key].null_count() == frame.height])


def printed_tables(report: Report) -> list[str]:
    """The tables that are shown unasked, in their order, if they hold anything."""
    return [name for name in report.about.printed or report.tables if name in report.tables and report[name].height]


def leading_tables(report: Report) -> list[str]:
    """The printed tables before the main one, such as a leaderboard, but for those that are shown otherwise."""
    about = report.about
    before = about.printed[: about.printed.index(about.main)] if about.main in about.printed else ()
    return [name for name in printed_tables(report) if name in before and name not in {about.headline, SIDE_BY_SIDE}]


def parts(report: Report, name: str) -> list[Part]:
    """A table of a report as it is read: comparisons by kind, no column that says nothing, the leading figure first."""
    about = report.about
    frame = _in_words(report[name], about.labels)
    if name == _AGAINST_EACH_OTHER:
        frame = frame.filter(pl.col("annotator") != pl.col("reference"))
    if {"lacks", *RUNS} <= set(frame.columns):
        frame = frame.with_columns(lacks=pl.when(lacks="second").then("second").otherwise("first"))
    if name == HARD_ITEMS:  # which counts judges, by what the evaluation calls them
        frame = frame.rename({JUDGES: f"{plain(about.judge)}s"}, strict=False)
    people = annotator_names(report.tables.values())
    titles = {metric: known.title for metric, known in about.metrics.items()}
    own = {"annotator": people, "reference": people, "lacks": people, "metric": titles, "ranked_metric": titles}
    names = {**about.names, **own}
    by = {*(report.options.get("by") or ())} - {*about.keys}
    title, holds = plain(name).capitalize(), about.tables.get(name, "")
    values = _values(frame, report.options.get("ordered")) or about.values
    frame = without_mean_of_one(frame, about)
    part = Part(name, title, holds, frame, names, about.metrics, by, values, columns={about.leading: ""})
    part = replace(part, shares=about.shares, headings=about.headings)
    if about.main == COMPARISON_TABLE:
        return _of_runs(part, about)
    if FIRST in frame.columns:
        part = replace(part, metrics={one: replace(metric, signed=True) for one, metric in part.metrics.items()})
    if "compared" in frame.columns:
        kinds = [_of_kind(part, report, kind) for kind in frame["compared"].unique(maintain_order=True)]
        return [one for kind in kinds for one in _parts_by_value(kind, about)]
    if GREATEST_DIFFERENCE in frame.columns:
        return [_side_by_side(part)]
    if about.leading and name == about.main != HISTORY_TABLE:
        part = replace(part, frame=_ranked(frame, about.leading))
    part = _without_constants(part, report)
    if about.across in frame.columns and part.figures and frame.height:
        return _blocks(_without_equal_bounds(part), about)
    found = _parts_by_value(_with_ranges(part, about.ranges) if part.figures else part, about)
    return [*map(_without_equal_bounds, found)]


def _in_words(frame: pl.DataFrame, labels: Mapping[str, str]) -> pl.DataFrame:
    """A table with Adjudge's own labels, and lists of them, as people read them."""
    if not labels:
        return frame
    own = [name for name in frame.columns if name in _LABELS]
    each = pl.element().replace(labels)
    return frame.with_columns(pl.col(name).str.split(", ").list.eval(each).list.join(", ") for name in own)


def without_mean_of_one(frame: pl.DataFrame, about: Evaluation) -> pl.DataFrame:
    """A table without figures that sum up a single one, which stands there too."""
    if about.across not in frame.columns or "metric" not in frame.columns or not about.pooled:
        return frame
    pooled = pl.col(about.across).eq_missing(pl.lit(about.pooled))
    single = frame.filter(~pooled, pl.col(about.across).is_not_null())
    if single[about.across].n_unique() != 1:
        return frame
    return frame.filter(~(pooled & pl.col("metric").is_in(single["metric"].unique().implode())))


def _values(frame: pl.DataFrame, ordered: Sequence[str] | None) -> list[str]:
    """The labels of a table of counts in an order that was asked for; none where there is no such order."""
    if not ordered or not {"label", "reference_label"} <= set(frame.columns):
        return []
    labels = frame.select(pl.col("label").append(pl.col("reference_label")).unique())
    return labels.sort(scale_position(pl.col("label"), ordered), "label")["label"].to_list()


def _of_kind(part: Part, report: Report, kind: str) -> Part:
    """The comparisons of one kind, or what they leave out, without the keys that this kind has not."""
    rows = part.frame.filter(compared=kind).drop("compared")
    test = [column for column in ("p_adjusted", "p") if column in rows.columns]
    about = "Each figure is the second minus the first; the smallest p stands first." if test else ""
    if test and "left_out" in rows.columns and rows["left_out"].sum():
        about += " A difference that leaves out rows stands with the two values on all others."
    if test:
        rows = rows.sort(test, nulls_last=True, maintain_order=True)
    title = f"{plain(part.name)} between {_KINDS.get(kind, plain(kind))}".capitalize()
    people = part.names["annotator"] if kind in {"annotators", "references"} else {}
    of_kind = replace(
        part,
        title=title,
        about=f"{part.about} {about}".strip(),
        frame=without_empty_keys(rows),
        names={**part.names, "first": people, "second": people},
        columns=dict.fromkeys(part.metrics, ""),
        compared=True,
    )
    return _without_constants(of_kind, report)


def _without_constants(part: Part, report: Report) -> Part:
    """The table without columns that hold the same in every row, and what they hold, if the main table does not."""
    about, frame = report.about, part.frame
    main = report.tables.get(about.main, pl.DataFrame())
    constant = list(about.common)
    if part.name in {HISTORY_TABLE, STEPS}:  # those that name neither runs nor judges
        constant += [key for key in keys_of(frame)[1:] if key not in {"second", "time", about.judge, "metric"}]
    constant = [column for column in constant if column in frame.columns and frame[column].n_unique() == 1]
    values = [
        f"{plain(column).capitalize()}: {short_name(part.names.get(column, {}).get(value, value))}."
        for column in constant
        if column != about.judge  # all together, as the table says
        and (value := frame[column][0]) is not None
        and (part.name in {about.main, about.headline} or column not in main.columns or main[column].n_unique() > 1)
    ]
    ids = ["name"] if {"annotator", "name"} <= set(frame.columns) else []
    if part.name == HISTORY_TABLE and {"run", "time"} <= set(frame.columns) and (frame["run"] == frame["time"]).all():
        ids.append("time")
    part = replace(part, frame=frame.drop(*constant, *ids), about=" ".join([part.about, *values]).strip())
    return _without_undefined(part, report) if part.figures else part


def _undefined(frame: pl.DataFrame) -> dict[str, str]:
    """The metrics that no row of a table knows, for one reason, and the reason; none where no metric is known."""
    of_metric = frame.group_by("metric", maintain_order=True)
    known = of_metric.agg(pl.col("value").count(), pl.col("reason").n_unique(), why=pl.col("reason").first())
    empty = known.filter(value=0, reason=1)
    return dict(empty.select("metric", "why").iter_rows()) if empty.height < known.height else {}


def _without_undefined(part: Part, report: Report) -> Part:
    """A table of figures without what does not apply: metrics that no row knows, for one reason, and nothing missing.

    What they are stands below the table, but for reasons that the main table gives and for what was not asked for.
    """
    main = report.tables.get(report.about.main) if part.name != report.about.main else None
    known = set() if main is None else {*_undefined(main).values()}
    empty, reasons = _undefined(part.frame), dict[str, list[str]]()
    for metric, why in empty.items():
        reasons.setdefault(why, []).append(metric_of(part.metrics, metric).title)
        counted = metric_of(report.about.metrics, metric).counts
        known |= {why} if counted and (counted not in report.tables or report[counted].is_empty()) else set()
    sentences = [
        f"{'; '.join(some)}: undefined throughout ({why})." for why, some in reasons.items() if why not in known
    ]
    missing = part.frame.filter(metric=_MISSING)
    if missing.height and (missing["value"] == 0).all() and not part.compared:
        empty[_MISSING] = ""
        sentences.append(f"{metric_of(part.metrics, _MISSING).title}: 0.0% throughout.")
    frame = part.frame.filter(~pl.col("metric").is_in([*empty]))
    return replace(part, frame=frame, said=" ".join([part.said, *sentences]).strip())


def _without_equal_bounds(part: Part) -> Part:
    """A table of figures without bounds of a figure that are that figure in every row, as where nothing is missing."""
    if not part.figures or part.compared:
        return part
    columns = [*keys_of(part.frame), "value", "low", "high", "n"]
    rows = {name: part.frame.filter(metric=name).select(columns) for name in part.shown}
    equal = [
        name
        for name, bound in rows.items()
        if (figure := rows.get(name.removesuffix("_lowest").removesuffix("_highest"))) is not None
        and figure is not bound
        and bound.join(figure, on=columns, how="anti", nulls_equal=True).is_empty()
    ]
    return replace(part, frame=part.frame.filter(~pl.col("metric").is_in(equal)))


def _ranked(frame: pl.DataFrame, leading: str) -> pl.DataFrame:
    """The rows of each group by their leading figure, the greatest first and the undefined last."""
    keys = keys_of(frame)
    groups = [key for key in keys if key not in _ANNOTATOR]
    figures = frame.filter(metric=leading).with_row_index(_PLACE)
    group = pl.col(_PLACE).min().over(groups) if groups else pl.lit(0)
    order = figures.sort(group, "value", _PLACE, descending=[False, True, False], nulls_last=True).select(keys)
    ranked = order.join(frame, on=keys, how="left", nulls_equal=True, maintain_order="left_right")
    others = frame.join(order, on=keys, how="anti", nulls_equal=True, maintain_order="left")
    return pl.concat([ranked.select(frame.columns), others])


def _side_by_side(part: Part) -> Part:
    """Numbers in columns that the data named as figures of these names, behind the greatest difference of each row."""
    groups = [name for name in number_columns(part.frame) if name != GREATEST_DIFFERENCE]
    keys = [name for name in part.frame.columns if name not in {GREATEST_DIFFERENCE, "name", *groups}]
    frame, columns = part.frame.with_columns(pl.col(keys).fill_null(DASH)), [GREATEST_DIFFERENCE, *groups]
    frame = frame.unpivot(columns, index=keys, variable_name="metric", value_name="value")
    titles = dict(zip(columns, (metric_of({}, GREATEST_DIFFERENCE).title, *distinct_names(groups)), strict=True))
    return replace(
        part,
        frame=frame.with_columns(pl.lit(None).alias(name) for name in ESTIMATE_COLUMNS if name not in frame.columns),
        metrics={name: MetricSpec(title, "", percent=False) for name, title in titles.items()},
        columns=dict.fromkeys(titles, ""),
        farthest=max((abs(value) for name in groups for value in part.frame[name].drop_nulls()), default=0.0),
    )


def _parts_by_value(part: Part, about: Evaluation) -> list[Part]:
    """A table of figures as one for each value of a column whose values stand apart, with what is said of all below."""
    columns = about.table_titles
    column = next((name for name in columns if name in part.frame.columns), "")
    if not (column and part.figures and part.frame.height):
        return [part]
    frames = part.frame.partition_by(column, as_dict=True, maintain_order=True, include_key=False)
    titles = {value: columns[column].get(value, short_name(value)) for (value,) in frames}
    found = [
        replace(part, frame=some, block=f"{titles[value]}{called}")
        for (value,), frame in frames.items()
        for some, called in _by_number(frame, part.metrics)
    ]
    found = [*(replace(one, said="") for one in found[:-1]), found[-1]]
    return under_one_title(found)


def _by_number(frame: pl.DataFrame, metrics: Mapping[str, MetricSpec]) -> list[tuple[pl.DataFrame, str]]:
    """Rows with a value of a key that is a number, then those about all of its values, without that key.

    The latter stand with the names of their figures, which tell them from the former.
    """
    frame = frame.drop([key for key in keys_of(frame) if frame[key].dtype.is_float() and not frame[key].count()])
    partly = next((key for key in keys_of(frame) if frame[key].dtype.is_float() and frame[key].null_count()), None)
    if partly is None:
        return [(frame, "")]
    empty = frame[partly].is_null()
    of_all = frame.filter(empty).drop(partly)
    titles = [inside(metric_of(metrics, name).title) for name in of_all["metric"].unique(maintain_order=True)]
    return [(frame.filter(~empty), ""), (of_all, f": {', '.join(titles)}")]


# --- one key across: a block per figure, the values of that key side by side ---


def _blocks(part: Part, about: Evaluation) -> list[Part]:
    """A table as a block per figure; the rows without a value of the key across come first, as a block of their own."""
    said = part.said
    part = replace(_with_ranges(part, about.ranges), pooled=about.pooled, said="")
    across = pl.col(about.across)
    values = part.frame[about.across].drop_nulls().unique(maintain_order=True)
    titles = {value: short_name(worded(value)) for value in values if value != about.pooled}
    if about.pooled in values:
        titles[about.pooled] = plain(about.pooled).capitalize()
    whole = part.frame.filter(across.is_null())
    found = [replace(part, frame=without_empty_keys(whole), block="All together")]
    spread = part.frame.filter(across.is_not_null())
    for name in spread["metric"].unique(maintain_order=True):
        frame = spread.filter(metric=name).with_columns(metric=across).drop(about.across)
        alone = set(frame["metric"]) == {about.pooled}
        heads = {about.pooled: f"{part.metrics[name].title} by the {plain(about.pooled)}"} if alone else titles
        found.append(_block(part, frame, part.metrics[name], heads))
    found[-1] = replace(found[-1], said=said)
    return under_one_title(found if whole.height else found[1:])


def _with_ranges(part: Part, ranges: Mapping[str, tuple[str, str]]) -> Part:
    """The table with two metrics as one where they are the ends of a range, and with what every metric is called."""
    frame = part.frame
    metrics = {name: metric_of(part.metrics, name) for name in frame["metric"].unique(maintain_order=True)}
    for title, (low, high) in ranges.items():
        if {low, high} <= metrics.keys():
            keys = keys_of(frame)
            ends = frame.filter(metric=high).select(*keys, pl.lit(low).alias("metric"), pl.col("value").alias(UPTO))
            frame = frame.filter(pl.col("metric") != high)
            frame = frame.join(ends, on=[*keys, "metric"], how="left", nulls_equal=True, maintain_order="left")
            frame = frame.with_columns(metric=pl.col("metric").replace(low, title))
            metrics[title] = replace(metrics[low], title=title)
    return replace(part, frame=frame, metrics=metrics)


def _block(part: Part, frame: pl.DataFrame, metric: MetricSpec, titles: Mapping[str, str]) -> Part:
    """The figures of one metric, with the values of the key across in the place of metrics."""
    interval = pl.col("method").is_not_null()  # rows without any interval have an n of their own
    with_n = frame.filter(interval.any().over(keys_of(frame)) & (interval | pl.col("caveat").is_not_null()))
    sizes = with_n.group_by("metric").agg(pl.col("n").unique()).iter_rows()
    n = {name: found[0] for name, found in sizes if len(found) == 1}
    once = len({*n.values()}) == 1 and len(n) == frame["metric"].n_unique()
    return replace(
        part,
        frame=frame,
        metrics={value: replace(metric, title=title) for value, title in titles.items()},
        columns={value: f"n={n[value]:,}" if value in n and not once else "" for value in titles},
        n=n,
        block=f"{metric.title}, n={next(iter(n.values())):,}" if once else metric.title,
    )


# --- reports on several runs ---


def _of_runs(part: Part, about: Evaluation) -> list[Part]:
    """A table of a report on several runs: figures in a block per metric, without columns that hold one value."""
    frame = part.frame
    once = {
        name: frame[name][0] for name in (*RUNS, *_RUN_JUDGES) if name in frame.columns and frame[name].n_unique() == 1
    }
    said = " ".join(f"{plain(name).capitalize()}: {short_name(value)}." for name, value in once.items())
    plain_part = replace(
        part,
        frame=frame.drop(*once),
        about=f"{part.about} {said}".strip() if part.name == COMPARISON_TABLE else part.about,
    )
    if frame.height and {FIRST, SECOND} <= set(frame.columns):
        known = [name for name in about.metrics if name in set(frame["metric"])]
        return under_one_title([_both_values(plain_part, name, once) for name in known])
    if part.name != "changes":
        return [plain_part]
    names = [name for run in RUNS if (name := once.get(run))]
    return [replace(plain_part, frame=_changes(plain_part.frame, once), by=[*part.by, *names])]


def _both_values(part: Part, name: str, once: Mapping[str, str | None]) -> Part:
    """The figures of one metric: both values, and the difference."""
    metric = metric_of(part.metrics, name)
    frame = without_empty_keys(part.frame.filter(metric=name))
    values = [frame.select(*keys_of(frame), metric=pl.lit(run), value=run) for run in (FIRST, SECOND)]
    difference = frame.drop("left_out", strict=False).with_columns(metric=pl.lit(_DIFFERENCE))
    titles = [short_name(once[run]) if run in once else run.capitalize() for run in RUNS]
    metrics = {run: replace(metric, title=title) for run, title in zip((FIRST, SECOND), titles, strict=True)}
    metrics[_DIFFERENCE] = replace(metric, title="Difference", signed=True)
    return replace(
        part,
        frame=pl.concat([*values, difference], how="diagonal_relaxed"),
        metrics=metrics,
        columns=dict.fromkeys(metrics, ""),
        block=metric.title,
    )


def _changes(frame: pl.DataFrame, once: Mapping[str, str | None]) -> pl.DataFrame:
    """Changed items with each run's label (its outcome, where there are none) under its name, and the trusted label."""
    labels = [name for name in frame.columns if name.endswith("_label")]
    said = "label" if any(frame[name].count() for name in labels) else "outcome"
    new = {f"{run}_{said}": once.get(run) or f"{run} {said}" for run in RUNS}
    if said == "label":
        several = "second_reference_label" in labels
        new["reference_label"] = f"right in {once.get('first') or 'first'}" if several else "right"
        new["second_reference_label"] = f"right in {once.get('second') or 'second'}"
    new = {name: title for name, title in new.items() if name in frame.columns}
    others = [name for name in frame.columns if name not in {*labels, *(f"{run}_outcome" for run in RUNS)}]
    if set(others) & set(new.values()) or len(set(new.values())) < len(new):
        return frame
    return frame.select(*others, *new).rename(new)
