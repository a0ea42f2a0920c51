"""Items with human preferences (gold), and what systems predict for them: any table, a row per item.

Columns: id, instruction, output_a, output_b, and for each criterion `CRITERION_preference` (a label) and
`CRITERION_explanation`. Predictions need id and the labels; with explanations, those too. Rows join on id.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from karat.errors import DataError, OptionError
from karat.formats.findings import Findings, cells_of, listed, quoted
from karat.formats.source import Source
from karat.formats.tables import ROW, check_known, read_texts, scan, schema_of
from karat.schemas.preferences import LABEL, MISSING, TEXTS, Judged, Task
from karat.schemas.rules import filled, one_of

_CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Options:
    """How to read preferences; the arguments of `karat.preferences` that concern the reading.

    columns: Karat's column -> the file's. by, cluster: columns of the gold. explanations: read those of
    predictions. drop: leave out rows that are wrong, and take wrong labels for missing, instead of raising.
    """

    task: Task = field(default_factory=Task)
    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    explanations: bool = False
    drop: bool = False


def known_columns(task: Task) -> list[str]:
    """The columns that may be mapped."""
    return ["id", *TEXTS, *(file_column(name) for name in (*task.label_columns, *task.why_columns))]


def file_column(column: str) -> str:
    """What a column of labels or explanations is called in a file.

    >>> file_column("label:safety"), file_column("why:safety")
    ('safety_preference', 'safety_explanation')
    """
    kind, _, criterion = column.partition(":")
    return f"{criterion}_preference" if f"{kind}:" == LABEL else f"{criterion}_explanation"


def read_gold(source: Source, options: Options) -> Judged:
    """The items and what people prefer. Raises DataError with all that is wrong."""
    task = options.task
    found = schema_of(source, scan(source)).names()
    check_known(source.name, (*options.by, *([options.cluster] if options.cluster else [])), found)
    for name in options.by:
        if name in {options.columns.get(one, one) for one in known_columns(task)}:
            raise OptionError(f"by: {name} is a column of the task; group by another column of the gold")
    further = {name: name for name in options.by} | ({_CLUSTER: options.cluster} if options.cluster else {})
    optional = [*TEXTS, *task.why_columns]
    frame = _read(source, options, [*task.label_columns, *optional], further, optional)
    findings = Findings()
    kept = _coded(source, frame, findings, options)
    warnings = findings.settle(drop=options.drop)
    if kept.is_empty():
        raise DataError(f"{source.name}: no item is left{' after dropping' if findings.dropped else ''}")
    ordered = ["id", *TEXTS, *task.label_columns, *task.why_columns, *further]
    return Judged(source.name, kept.select(ordered), task, frame.height, (*warnings, *_unjudged(kept, task)))


def read_items(source: Source, options: Options) -> Judged:
    """Items whose labels do not matter: ids and texts. Raises DataError for ids that are missing or stand twice."""
    task = replace(options.task, criteria=())
    return read_gold(source, replace(options, task=task, by=(), cluster=None))


def read_predictions(source: Source, options: Options, gold: Judged, system: str) -> Judged:
    """What a system predicts, a row for each item of the gold in its order; absent items have missing labels.

    Raises DataError with all that is wrong, also for ids that the gold does not hold.
    """
    frame, findings = find_problems(source, options, gold)
    warnings = findings.settle(drop=options.drop)
    return Judged(system, _aligned(frame, gold, options), options.task, frame.height, tuple(warnings))


def find_problems(source: Source, options: Options, gold: Judged) -> tuple[pl.DataFrame, Findings]:
    """The rows of a file of predictions that join the gold, and what is wrong with it."""
    task = options.task
    wanted = [*task.label_columns, *(task.why_columns if options.explanations else [])]
    frame = _read(source, options, wanted, {}, [])
    findings = Findings()
    return _known(source, _coded(source, frame, findings, options), gold, findings), findings


def find_gaps(source: Source, options: Options, gold: Judged, frame: pl.DataFrame, findings: Findings) -> None:
    """Add what scoring would count as missing: absent items, empty labels, empty explanations."""
    absent = gold.frame.select("id").join(frame, on="id", how="anti", maintain_order="left")["id"]
    if len(absent):
        findings.add(
            f"{source.name}: expected every id of {gold.name}; absent: {listed(absent, say=quoted)}", len(absent)
        )
    columns = [*options.task.label_columns, *(options.task.why_columns if options.explanations else [])]
    for column in columns:
        value = pl.col(column)
        empty = (value == MISSING) if column.startswith(LABEL) else value.fill_null("").str.strip_chars().eq("")
        rows = frame.filter(empty)
        if rows.height:
            what = "a label" if column.startswith(LABEL) else "an explanation"
            name = options.columns.get(file_column(column), file_column(column))
            findings.add(
                f"{source.name}, column {name}: expected {what} in every row; empty in row {listed(rows[ROW])}",
                rows.height,
            )


def _read(
    source: Source, options: Options, columns: Sequence[str], further: Mapping[str, str], optional: Sequence[str]
) -> pl.DataFrame:
    """Columns of a file as text, with ROW. optional: those it may lack, unless they are mapped."""
    names = {(file_column(name) if ":" in name else name): name for name in ("id", *columns)}
    mapped = {name: options.columns.get(name, name) for name in names}
    lackable = [name for name, own in names.items() if own in optional and name not in options.columns]
    texts = read_texts(source, {**mapped, **further}, lackable)
    return texts.rename(names).cast({ROW: pl.UInt32})


def _coded(source: Source, frame: pl.DataFrame, findings: Findings, options: Options) -> pl.DataFrame:
    """The rows with an id of their own, and codes for labels. A label that is none is a problem, and missing."""
    task = options.task
    names = {name: options.columns.get(file_column(name), file_column(name)) for name in task.label_columns}
    say = cells_of(frame, source.name, "row", ROW, names)
    labels = Findings()
    labels.keep(frame, [one_of(name, task.labels) for name in task.label_columns], say)
    findings.join(replace(labels, dropped=0, blanked=labels.total))
    words = pl.Enum(task.labels)
    codes = [
        (pl.col(column).cast(words, strict=False).to_physical().cast(pl.UInt8) + 1).fill_null(MISSING)
        for column in task.label_columns
    ]
    named = findings.keep(frame.with_columns(codes), [filled("id", "an id")], say)
    return findings.once(named, ["id"], ROW, f"{source.name}, rows", "each id once")


def _known(source: Source, frame: pl.DataFrame, gold: Judged, findings: Findings) -> pl.DataFrame:
    """The rows whose id the gold holds; the others are problems, told apart by what they look like."""
    extra = frame.join(gold.frame.select("id"), on="id", how="anti", maintain_order="left")
    if extra.is_empty():
        return frame
    absent = gold.frame.select("id").join(frame, on="id", how="anti", maintain_order="left")
    near = extra.with_columns(plain=_plain(pl.col("id"))).join(
        absent.select(other="id", plain=_plain(pl.col("id"))).unique("plain", keep="first"), on="plain", how="inner"
    )
    if near.is_empty() and extra.height == frame.height:
        held, expected = (listed(side["id"], 3, quoted) for side in (frame, gold.frame))
        raise DataError(
            f"{source.name}: no id in common with {gold.name}; is it a submission to another task? "
            f"It holds {held}, expected such as {expected}"
        )
    findings.add_each(
        near.sort(ROW),
        lambda row: (
            f"{source.name}, row {row[ROW]}, column id: expected {quoted(row['other'])}, as {gold.name} has it; "
            f"got {quoted(row['id'])}, which differs only by {_difference(row['id'], row['other'])}"
        ),
    )
    others = extra.join(near.select("id"), on="id", how="anti")
    findings.add_each(
        others,
        lambda row: f"{source.name}, row {row[ROW]}, column id: expected an id of {gold.name}; got {quoted(row['id'])}",
    )
    findings.dropped += extra.height
    return frame.join(gold.frame.select("id"), on="id", how="semi", maintain_order="left")


def _plain(name: pl.Expr) -> pl.Expr:
    """An id without what spreadsheets add and take: outer spaces, leading zeros, `.0` behind it, case."""
    return name.str.strip_chars().str.replace(r"\.0+$", "").str.replace(r"^0+(.)", "$1").str.to_lowercase()


def _difference(got: str, other: str) -> str:
    """In what two ids differ that `_plain` makes equal."""
    if got.strip() == other.strip():
        return "spaces around it"
    if got.strip().lower() == other.strip().lower():
        return "upper and lower case"
    if re.sub(r"\.0+$", "", got.strip()) == re.sub(r"\.0+$", "", other.strip()):
        return '".0": it was read or written as a number somewhere; write it as text'
    return "leading zeros: it was read or written as a number somewhere; write it as text"


def _aligned(frame: pl.DataFrame, gold: Judged, options: Options) -> pl.DataFrame:
    """The rows in the gold's order; those it alone has are missing."""
    task = options.task
    if frame.height == gold.frame.height and frame["id"].equals(gold.frame["id"]):
        return frame.drop(ROW)
    joined = gold.frame.select("id").join(frame.drop(ROW), on="id", how="left", maintain_order="left")
    return joined.with_columns(pl.col(task.label_columns).fill_null(MISSING))


def _unjudged(gold: pl.DataFrame, task: Task) -> list[str]:
    """A warning for each criterion on which some item has no gold label."""
    counts = {name: int((gold[LABEL + name] == MISSING).sum()) for name in task.criteria}
    gaps = [f"{name} {count:,}" for name, count in counts.items() if count]
    return [f"items without a gold label are in no figure of that criterion: {', '.join(gaps)}"] if gaps else []
