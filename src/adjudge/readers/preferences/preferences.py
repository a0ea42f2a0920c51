"""Items with human preferences (gold), and what systems predict for them: any table, a row per item.

Columns: id, instruction, output_a, output_b, and for each criterion `CRITERION_preference` (a label) and
`CRITERION_explanation`. Predictions need id and the labels; with explanations, those too; `CRITERION_outcome` may say
what became of the question to a model. Rows join on id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import settle_known
from adjudge.readers.preferences.long_table import COLUMNS as LONG
from adjudge.readers.preferences.long_table import long_texts
from adjudge.readers.problems import Findings, cells_of, listed, quoted, swapped_files
from adjudge.readers.tables import ROW, missing_columns, read_texts, scan, schema_of
from adjudge.schemas.columns import check_column_exists, requested_columns, require_one_of, require_value
from adjudge.schemas.outcomes import OUTCOME
from adjudge.schemas.preferences import LABEL, MISSING, REPLY, TEXTS, WHY, JudgedItems, Task
from adjudge.schemas.spelling import ALIKE, plain_id

_CLUSTER = "cluster"
_ENDINGS = {LABEL: "_preference", WHY: "_explanation", REPLY: f"_{OUTCOME}"}


@dataclass(frozen=True, slots=True)
class Options:
    """How to read preferences; the arguments of `adjudge.preferences` that concern the reading.

    columns: Adjudge's column -> the file's. by, cluster: columns of the gold. explanations: read those of
    predictions. drop: leave out rows that are wrong, and take wrong labels for missing, instead of raising.
    exact_labels: whether labels that differ from those of the task by spaces or case alone are wrong.
    """

    task: Task = field(default_factory=Task)
    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    explanations: bool = False
    drop: bool = False
    exact_labels: bool = False

    def theirs(self, column: str) -> str:
        """The file's name of a column of labels or explanations."""
        return self.columns.get(file_column(column), file_column(column))

    @property
    def predicted(self) -> list[str]:
        """The columns that predictions need besides the id."""
        return [*self.task.label_columns, *(self.task.why_columns if self.explanations else [])]


def known_columns(task: Task) -> list[str]:
    """The columns that may be mapped."""
    return ["id", *TEXTS, *(file_column(name) for name in (*task.label_columns, *task.why_columns)), *LONG]


def file_column(column: str) -> str:
    """What a column of labels or explanations is called in a file.

    >>> file_column("label:safety"), file_column("why:safety")
    ('safety_preference', 'safety_explanation')
    """
    kind, _, criterion = column.partition(":")
    return criterion + _ENDINGS[f"{kind}:"] if criterion else column


def read_gold(source: Source, options: Options) -> JudgedItems:
    """The items and what people prefer. Raises DataError with all that is wrong."""
    task = options.task
    further = {name: name for name in options.by} | ({_CLUSTER: options.cluster} if options.cluster else {})
    for name in options.by:
        if name in {options.columns.get(one, one) for one in known_columns(task) if one not in LONG}:
            raise OptionError(f"expected another column of the gold than those of the task; got {name}", option="by")
    found = _items(source, options, [*TEXTS, *task.why_columns], further)
    return replace(found, warnings=(*found.warnings, *_unjudged(found.frame, task)))


def read_all(source: Source, options: Options) -> JudgedItems:
    """All that a file says of items, whoever judged them: texts, labels, explanations, and the `by` columns.

    Also what became of questions to a model, where a file of predictions says it. Raises DataError as `read_gold` does.
    """
    optional = [*TEXTS, *options.task.why_columns, *options.task.reply_columns]
    return _items(source, options, optional, {name: name for name in options.by})


def _items(source: Source, options: Options, optional: Sequence[str], further: Mapping[str, str]) -> JudgedItems:
    """The items of a file with their labels. optional: columns that it may lack, which are then null."""
    task = options.task
    frame = _read(source, options, [*task.label_columns, *optional], further, optional)
    findings = Findings()
    kept = _coded(source, frame, findings, options)
    warnings = findings.settle(drop=options.drop)
    if kept.is_empty():
        raise DataError(f"{source.name}: no item is left after dropping")
    texts, others = [name for name in optional if name in TEXTS], [name for name in optional if name not in TEXTS]
    ordered = ["id", *texts, *task.label_columns, *others, *further]
    return JudgedItems(source.name, kept.select(ordered), task, frame.height, tuple(warnings))


def criteria_in(source: Source, columns: Mapping[str, str]) -> list[str]:
    """The criteria that a file speaks of: in the names of its columns, or those that rows of a long table name.

    columns: Adjudge's column -> the file's.
    """
    ending, names = _ENDINGS[LABEL], schema_of(source, scan(source)).names()
    named = [name for name in [*columns, *names] if name.endswith(ending) and name not in columns.values()]
    if named:
        return [name.removesuffix(ending) for name in dict.fromkeys(named)]
    criterion = columns.get("criterion", "criterion")
    return read_texts(source, {"criterion": criterion})["criterion"].drop_nulls().unique(maintain_order=True).to_list()


def read_items(source: Source, options: Options) -> JudgedItems:
    """Items whose labels do not matter: ids and texts. Raises DataError for ids that are missing or stand twice."""
    task = replace(options.task, criteria=())
    return read_gold(source, replace(options, task=task, by=(), cluster=None))


def read_predictions(source: Source, options: Options, gold: JudgedItems, system: str) -> JudgedItems:
    """What a system predicts, a row for each item of the gold in its order; absent items have missing labels.

    Raises DataError with all that is wrong, also for ids that the gold does not hold.
    """
    return predictions_of(find_problems(source, options, gold), options, gold, system)


def check_order(sources: Sequence[Source], options: Options, gold: JudgedItems) -> None:
    """Raises DataError where a file of predictions holds the texts of items, and the gold does not."""
    if any(gold.frame[one].null_count() < gold.frame.height for one in TEXTS):
        return
    for source in sources:
        names = schema_of(source, scan(source)).names()
        if all(options.theirs(one) in names for one in TEXTS):
            raise swapped_files(source.name, gold.name)


def predictions_of(found: "Found", options: Options, gold: JudgedItems, system: str) -> JudgedItems:
    """The predictions of a file whose problems are known, aligned to the gold items."""
    warnings = found.findings.settle(drop=options.drop)
    aligned = gold.frame.select("id").join(found.frame.drop(ROW), on="id", how="left", maintain_order="left")
    labelled = aligned.with_columns(pl.col(options.task.label_columns).fill_null(MISSING))
    return JudgedItems(system, labelled, options.task, found.frame.height, tuple(warnings))


@dataclass(frozen=True, slots=True)
class Found:
    """What a file of predictions holds.

    frame: the rows that join the gold. findings: what is wrong. texts: all cells, as they stand. lacking: the columns
    of predictions that it does not have.
    """

    frame: pl.DataFrame
    findings: Findings
    texts: pl.DataFrame
    lacking: Sequence[str] = ()


def find_problems(source: Source, options: Options, gold: JudgedItems, *, lacking: Sequence[str] = ()) -> Found:
    """The rows of a file of predictions that join the gold, and what is wrong with it.

    lacking: the columns of predictions that it does not have, of which nothing more is said.
    """
    told = options.task.reply_columns
    texts, findings = _read(source, options, [*options.predicted, *told], {}, [*told, *lacking]), Findings()
    return Found(_known(source, _coded(source, texts, findings, options), gold, findings), findings, texts, lacking)


def find_all(source: Source, options: Options, gold: JudgedItems) -> Found:
    """Predictions with the columns that the file lacks, and what scoring counts as missing.

    Raises DataError for a file of which no row can be told.
    """
    names = schema_of(source, scan(source)).names()
    lacking = [column for column in options.predicted if options.theirs(column) not in names]
    if "id" not in names or len(lacking) == len(options.predicted):
        lacking = []  # a long table, or a file that reading refuses with all that it lacks
    found = find_problems(source, options, gold, lacking=lacking)
    if lacking:
        absent = {file_column(column): options.theirs(column) for column in lacking}
        found.findings.add(missing_columns(source.name, absent, names).messages[0])
    find_gaps(source, options, gold, found)
    return found


def find_gaps(source: Source, options: Options, gold: JudgedItems, found: Found) -> None:
    """Add what scoring would count as missing: absent items, empty labels, empty explanations.

    Nothing is told twice: an id is absent, and a cell empty, only where nothing else is said to be wrong with it.
    """
    ids, given = gold.frame["id"], found.texts["id"].drop_nulls().unique()
    meant = {plain_id(one) for one in given.filter(~given.is_in(ids.implode()))}
    absent = [one for one in ids.filter(~ids.is_in(given.implode())) if plain_id(one) not in meant]
    if absent:
        said = f"{source.name}: expected every id of {gold.name}; absent: {listed(absent, say=quoted)}"
        found.findings.add(said, len(absent))
    for column in (one for one in options.predicted if one not in found.lacking):
        rows = found.texts.filter(pl.col(column).fill_null("").str.strip_chars() == "")[ROW]
        if len(rows):
            what = "a label" if column.startswith(LABEL) else "an explanation"
            place = f"{source.name}, column {options.theirs(column)}"
            found.findings.add(f"{place}: expected {what} in every row; empty in row {listed(rows)}", len(rows))


def _read(
    source: Source, options: Options, columns: Sequence[str], further: Mapping[str, str], optional: Sequence[str]
) -> pl.DataFrame:
    """Columns of a file as text, with ROW. optional: those it may lack, unless they are mapped."""
    names = {file_column(name): name for name in ("id", *columns)}
    mapped = {name: options.columns.get(name, name) for name in names}
    named = {name: theirs for name, theirs in mapped.items() if name in options.columns}
    asked = requested_columns(options.by, options.cluster) if further else ()
    if asked := [*requested_columns((), columns=named), *asked]:
        found = schema_of(source, scan(source, wanted=[name for _, name in asked])).names()
        check_column_exists(source.name, asked, found)
    lackable = [name for name, own in names.items() if own in optional and name not in options.columns]
    wanted = {**mapped, **further}
    try:
        texts = read_texts(source, wanted, lackable)
    except DataError:
        long = long_texts(source, wanted, options.columns, options.task.criteria, lackable)
        if long is None:
            raise
        texts = long
    return texts.rename(names).cast({ROW: pl.UInt32})


def _coded(source: Source, frame: pl.DataFrame, findings: Findings, options: Options) -> pl.DataFrame:
    """The rows with an id of their own, and codes for labels. A label that is none is a problem, and missing."""
    task = options.task
    frame, told = settle_known(task.labels, frame, task.label_columns, exact=options.exact_labels)
    findings.told += told
    say = cells_of(frame, source.name, "row", ROW, {name: options.theirs(name) for name in task.label_columns})
    labels = Findings()
    labels.keep(frame, [require_one_of(name, task.labels) for name in task.label_columns], say)
    findings.join(replace(labels, dropped=0, blanked=labels.total))
    words = pl.col(task.label_columns).cast(pl.Enum(task.labels), strict=False)
    codes = (words.to_physical().cast(pl.UInt8) + 1).fill_null(MISSING)
    named = findings.keep(frame.with_columns(codes), [require_value("id", "an id")], say)
    return findings.once(named, ["id"], ROW, f"{source.name}, rows", "each id once")


def _known(source: Source, frame: pl.DataFrame, gold: JudgedItems, findings: Findings) -> pl.DataFrame:
    """The rows whose id the gold holds; the others are problems, told apart by what they look like."""
    extra = frame.join(gold.frame.select("id"), on="id", how="anti", maintain_order="left")
    if extra.is_empty():
        return frame
    absent = gold.frame.select("id").join(frame, on="id", how="anti", maintain_order="left")["id"]
    alike = {plain_id(one): one for one in reversed(absent.to_list())}
    near = pl.Series("near", [alike.get(plain_id(one)) for one in extra["id"]], pl.String)
    if near.null_count() == frame.height:
        held, expected = (listed(side["id"], 3, quoted) for side in (frame, gold.frame))
        raise DataError(
            f"{source.name}: no id in common with {gold.name}", found=f"{held}, where {gold.name} has {expected}"
        )

    def say(row: Mapping[str, Any]) -> str:
        place, got = f"{source.name}, row {row[ROW]}, column id", quoted(row["id"])
        if row["near"] is None:
            return f"{place}: expected an id of {gold.name}; got {got}"
        expected = f"{quoted(row['near'])}, as {gold.name} has it"
        return f"{place}: expected {expected}; got {got}, which differs only in {ALIKE}"

    told = extra.with_columns(near)
    for rows in (told.drop_nulls("near"), told.filter(near.is_null())):
        findings.add_each(rows, say, dropped=rows.height)
    return frame.join(gold.frame.select("id"), on="id", how="semi", maintain_order="left")


def _unjudged(gold: pl.DataFrame, task: Task) -> list[str]:
    """A warning for each criterion on which some item has no gold label."""
    counts = {name: int((gold[LABEL + name] == MISSING).sum()) for name in task.criteria}
    gaps = [f"{name} {count:,}" for name, count in counts.items() if count]
    return [f"items without a gold label are in no figure of that criterion: {', '.join(gaps)}"] if gaps else []
