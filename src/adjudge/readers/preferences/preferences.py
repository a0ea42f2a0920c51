"""Items with human preferences (gold) and systems' predictions for them: any table with a row per item.

Columns: id, instruction, output_a, output_b, and for each criterion `CRITERION_preference` (a label) and
`CRITERION_explanation`. Predictions need id, the labels and, if scored, the explanations. `CRITERION_outcome` may hold
the status of the question to a model. Rows join on id. A long table has a row per item and criterion, with id,
criterion, label and perhaps explanation.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.source import How, Source
from adjudge.readers.label_values import settle_known, side_word
from adjudge.readers.problems import Findings, cells_of, count_words, listed, quoted, swapped_files
from adjudge.readers.tables import ROW, collect, is_flat, read_texts, scan, schema_of, select_text
from adjudge.schemas.columns import CellRule, check_column_exists, requested_columns, require_one_of, require_value
from adjudge.schemas.preferences import LABEL, MISSING, TEXTS, WHY, JudgedItems, Task

_CLUSTER, _DISTINCT = "cluster", "distinct:"
LONG = ("criterion", "label", "explanation")
"""Columns of a long table besides those of the item."""


@dataclass(frozen=True, slots=True)
class PreferenceReading(How):
    """How to read preferences; the arguments of `adjudge.preferences` that concern the reading.

    by, cluster: columns of the gold. explanations: read those of predictions. drop: drop invalid rows, and count
    invalid labels as missing, instead of raising. exact_labels: whether labels that differ from those of the task only
    by spaces or case are invalid.
    """

    task: Task = field(default_factory=Task)
    explanations: bool = False

    @property
    def predicted(self) -> list[str]:
        """The columns that predictions need besides the id."""
        return [*self.task.label_columns, *(self.task.why_columns if self.explanations else [])]


def known_columns(task: Task) -> list[str]:
    """The columns that may be mapped."""
    return ["id", *TEXTS, *task.label_columns, *task.why_columns, *LONG]


def read_gold(source: Source, options: PreferenceReading) -> JudgedItems:
    """The items with human preferences. Raises DataError with all problems."""
    task = options.task
    further = {name: name for name in options.by} | ({_CLUSTER: options.cluster} if options.cluster else {})
    for name in options.by:
        if name in {options.column_of(one) for one in known_columns(task) if one not in LONG}:
            raise OptionError(f"expected another column of the gold than those of the task; got {name}", option="by")
    items = _items(source, options, [*TEXTS, *task.why_columns], further)
    counts = {name: int((items.frame[name + LABEL] == MISSING).sum()) for name in task.criteria}
    gaps = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    warnings = [f"items without a gold label are in no metric of that criterion: {gaps}"] if gaps else []
    return replace(items, warnings=(*items.warnings, *warnings))


def read_all(source: Source, options: PreferenceReading) -> JudgedItems:
    """All of a file's items, gold or predicted: texts, labels, explanations, and the `by` columns.

    Includes the status of questions to a model if a file of predictions has it. Raises DataError as `read_gold` does.
    """
    optional = [*TEXTS, *options.task.why_columns, *options.task.reply_columns]
    return _items(source, options, optional, {name: name for name in options.by})


def _items(source: Source, options: PreferenceReading, spare: Sequence[str], further: Mapping[str, str]) -> JudgedItems:
    """The items of a file with their labels. spare: columns that it may lack, which are then null."""
    task = options.task
    frame = _read(source, options, [*task.label_columns, *spare], further, spare)
    kept = _coded(source, frame, findings := Findings(), options)
    warnings = findings.settle(drop=options.drop)
    if kept.is_empty():
        raise DataError(f"{source.name}: no item is left after dropping")
    names = dict.fromkeys(["id", *TEXTS, *task.label_columns, *spare, *further])
    return JudgedItems(source.name, kept.select(*names), task, frame.height, tuple(warnings))


def criteria_in(source: Source, columns: Mapping[str, str]) -> list[str]:
    """The criteria of a file: from the names of its columns, or from the rows of a long table.

    columns: Adjudge's column -> the file's.
    """
    names = schema_of(source, scan(source)).names()
    if named := [name for name in [*columns, *names] if name.endswith(LABEL) and name not in columns.values()]:
        return [name.removesuffix(LABEL) for name in dict.fromkeys(named)]
    criterion = columns.get("criterion", "criterion")
    return read_texts(source, {"criterion": criterion})["criterion"].drop_nulls().unique(maintain_order=True).to_list()


def read_items(source: Source, options: PreferenceReading) -> JudgedItems:
    """Items without labels: ids and texts. Raises DataError for missing or repeated ids."""
    return read_gold(source, replace(options, task=replace(options.task, criteria=()), by=(), cluster=None))


def read_predictions(source: Source, options: PreferenceReading, gold: JudgedItems, system: str) -> JudgedItems:
    """A system's predictions, a row for each gold item in its order; absent items have missing labels.

    Raises DataError with all problems, including ids that are not in the gold.
    """
    frame, findings, _ = find_problems(source, options, gold)
    return predictions_of(frame, findings, options, gold, system)


def check_order(sources: Sequence[Source], options: PreferenceReading, gold: JudgedItems) -> None:
    """Raises DataError if a file of predictions has the texts of items, and the gold does not."""
    if any(gold.frame[one].null_count() < gold.frame.height for one in TEXTS):
        return
    for source in sources:
        names = schema_of(source, scan(source)).names()
        if all(options.column_of(one) in names for one in TEXTS):
            raise swapped_files(source.name, gold.name)


def predictions_of(
    frame: pl.DataFrame, findings: Findings, options: PreferenceReading, gold: JudgedItems, system: str
) -> JudgedItems:
    """The predictions of a file whose problems are known, aligned to the gold items. frame: rows that join these."""
    warnings = findings.settle(drop=options.drop)
    aligned = gold.frame.select("id").join(frame.drop(ROW), on="id", how="left", maintain_order="left")
    labelled = aligned.with_columns(pl.col(options.task.label_columns).fill_null(MISSING))
    return JudgedItems(system, labelled, options.task, frame.height, tuple(warnings))


def find_problems(source: Source, how: PreferenceReading, gold: JudgedItems) -> tuple[pl.DataFrame, Findings, Findings]:
    """The rows of a file of predictions that join the gold, the file's problems, and its gaps.

    Gaps are what scoring counts as missing: absent items, empty labels, empty explanations.
    """
    replies = how.task.reply_columns
    texts, findings = _read(source, how, [*how.predicted, *replies], {}, replies), Findings()
    frame = _rows_in_gold(source, _coded(source, texts, findings, how), gold, findings)
    return frame, findings, _gaps(source, how, gold, texts)


def _gaps(source: Source, options: PreferenceReading, gold: JudgedItems, texts: pl.DataFrame) -> Findings:
    """What scoring would count as missing. texts: all cells unchanged."""
    gaps, ids = Findings(), gold.frame["id"]
    if absent := ids.filter(~ids.is_in(texts["id"].drop_nulls().implode())).to_list():
        gaps.add(f"{source.name}: expected every id of {gold.name}; absent: {listed(absent, say=quoted)}")
    for column in options.predicted:
        rows = texts.filter(pl.col(column).fill_null("").str.strip_chars() == "")[ROW]
        if len(rows):
            what = "a label" if column in options.task.label_columns else "an explanation"
            place = f"{source.name}, column {options.column_of(column)}"
            gaps.add(f"{place}: expected {what} in every row; empty in row {listed(rows)}")
    return gaps


def _read(
    source: Source, options: PreferenceReading, names: Sequence[str], others: Mapping[str, str], optional: Sequence[str]
) -> pl.DataFrame:
    """Columns of a file as text, with ROW. optional: those that may be missing if they are not mapped."""
    mapped = {name: options.column_of(name) for name in ("id", *names)}
    named = {name: theirs for name, theirs in mapped.items() if name in options.columns}
    by, cluster = (options.by, options.cluster) if others else ((), None)
    names_in_file = schema_of(source, scan(source)).names()
    check_column_exists(source.name, requested_columns(by, cluster, named), names_in_file)
    lackable = [name for name in optional if name not in options.columns]
    wanted = {**mapped, **others}
    try:
        texts = read_texts(source, wanted, lackable)
    except DataError:
        own = {name: options.column_of(name) for name in ("id", *LONG)}
        if not {own["id"], own["criterion"], own["label"]} <= {*names_in_file}:
            raise
        texts = _long_texts(source, wanted, own, options.task.criteria, lackable)
    return texts.cast({ROW: pl.UInt32})


def _long_texts(
    source: Source, wanted: Mapping[str, str], own: Mapping[str, str], criteria: Sequence[str], lackable: Sequence[str]
) -> pl.DataFrame:
    """A long table as one with a row per item, under Adjudge's names, with the number of its first row in ROW.

    wanted: columns of the table with a row per item, by Adjudge's names -> those of the file. own: those of the long
    table. lackable: wanted columns that may be absent. Raises DataError for an unknown criterion, two labels of an item
    for one criterion, and an item with several values in a column.
    """
    kinds = {LABEL: "label", WHY: "explanation"}
    parts = {one + ending: (one, part) for one in criteria for ending, part in kinds.items()}
    whole = {name: theirs for name, theirs in wanted.items() if name not in {"id", *parts}}
    needed = {parts[name][1] if name in parts else name for name in wanted if name not in lackable}
    columns = {**own, **whole}
    rows = read_texts(source, columns, [name for name in columns if name not in needed])
    findings, say = Findings(), cells_of(rows, source.name, "row", ROW, own)
    if criteria:
        expected = f"one of {', '.join(criteria)} (or other criteria, named with --criteria)"
        findings.keep(rows, [require_one_of("criterion", criteria, expected)], say)
        findings.once(rows, ["id", "criterion"], ROW, f"{source.name}, rows", "one label of each id and criterion")
    asked = {name: part for name, part in parts.items() if name in wanted}
    of = pl.col("criterion")
    cells = [pl.col(part).filter(of == one).first().alias(name) for name, (one, part) in asked.items()]
    values = (pl.col(name).drop_nulls() for name in whole)
    same = [one for value in values for one in (value.first(), value.n_unique().name.prefix(_DISTINCT))]
    items = rows.group_by("id", maintain_order=True).agg(pl.col(ROW).first(), *same, *cells)
    once = [CellRule(name, pl.col(_DISTINCT + name) > 1, "one value in all rows of the id") for name in whole]
    findings.keep(items, once, cells_of(items, source.name, "row", ROW, whole))
    findings.settle()
    return items.select(ROW, *wanted)


def _coded(source: Source, frame: pl.DataFrame, findings: Findings, options: PreferenceReading) -> pl.DataFrame:
    """The rows with a unique id, and codes for labels. An unknown label is a problem, and missing."""
    task = options.task
    sides = {side: label for label in reversed(task.labels) if (side := side_word(label))}
    frame, notes = settle_known(frame, task.label_columns, task.labels, sides, exact=options.exact_labels)
    findings.told += notes
    say = cells_of(frame, source.name, "row", ROW, {name: options.column_of(name) for name in task.label_columns})
    labels = Findings()
    labels.keep(frame, [require_one_of(name, task.labels) for name in task.label_columns], say)
    findings.join(replace(labels, dropped=0, blanked=labels.total))
    words = pl.col(task.label_columns).cast(pl.Enum(task.labels), strict=False)
    codes = (words.to_physical().cast(pl.UInt8) + 1).fill_null(MISSING)
    named = findings.keep(frame.with_columns(codes), [require_value("id", "an id")], say)
    return findings.once(named, ["id"], ROW, f"{source.name}, rows", "each id once")


def _rows_in_gold(source: Source, frame: pl.DataFrame, gold: JudgedItems, findings: Findings) -> pl.DataFrame:
    """The rows whose id is in the gold; the others are problems."""
    ids, known = gold.frame["id"], pl.col("id").is_in(gold.frame["id"].implode())
    extra = frame.filter(~known)
    if extra.height == frame.height and extra.height:
        shown = f"{listed(extra['id'], 3, quoted)}; {gold.name} has {listed(ids, 3, quoted)}"
        fix = f"use predictions with the ids of {gold.name}"
        raise DataError(f"{source.name}: no id in common with {gold.name}", found=shown, fix=fix)
    expected = f"column id: expected an id of {gold.name}; got"
    findings.add_each(extra, lambda row: f"{source.name}, row {row[ROW]}, {expected} {quoted(row['id'])}")
    findings.dropped += extra.height
    return frame.filter(known)


# --- what can be repaired without a guess: spaces and case in names, ids and labels ---


def repaired(source: Source, options: PreferenceReading, gold: JudgedItems) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """A repaired file of predictions as text, and the repairs; keeps rows, their order and other columns.

    A name, an id or a label becomes a known one if it differs only by spaces, case or the `.0` of a number, and from
    exactly one. Does not restore leading zeros, since their number is unknown.
    """
    frame = scan(source)
    flat = {name: name for name, dtype in schema_of(source, frame).items() if is_flat(dtype)}
    table = collect(source, select_text(source, frame, flat))
    ids, *wanted = map(options.column_of, ("id", *options.predicted))
    renamed = repairs_of(table.columns, [ids, *wanted], once=True)
    table = table.rename(renamed)
    done = [*source.warnings, *(f'column "{old:.60}" is now called {new}' for old, new in renamed.items())]
    labels = wanted[: len(options.task.criteria)]
    texts: dict[str, Iterable[str]] = {ids: gold.frame["id"], **dict.fromkeys(labels, options.task.labels)}
    for column, known in texts.items():
        values = table[column].drop_nulls().unique(maintain_order=True) if column in table.columns else ()
        if changes := repairs_of(values, known, once=column == ids):
            count = int(table[column].is_in(list(changes)).sum())
            shown = listed((f'"{old:.60}" is now "{new:.60}"' for old, new in changes.items()), 3, str)
            done.append(f"column {column}: {count_words(count, 'cell was', 'cells were')} repaired: {shown}")
            table = table.with_columns(pl.col(column).replace(changes))
    return table, tuple(done)


def repairs_of(found: Collection[str], known: Iterable[str], *, once: bool = False) -> dict[str, str]:
    """Unknown text -> the only known text that differs by no more than spaces, case or the `.0` of a number.

    once: whether to skip repairs that would make duplicates.

    >>> repairs_of(["Both good", "a", "x"], ["A", "B", "both_good"])
    {'Both good': 'both_good', 'a': 'A'}
    """

    def fold_spelling(text: str) -> str:
        return re.sub(r"[\s_-]+", "_", re.sub(r"\.0+$", "", text.strip())).casefold()

    texts = defaultdict[str, list[str]](list)
    for text in (exact := dict.fromkeys(known)):
        texts[fold_spelling(text)].append(text)
    unknown = [text for text in found if text not in exact]
    changes = {text: alike[0] for text in unknown if len(alike := texts[fold_spelling(text)]) == 1}
    after = Counter(changes.get(text, text) for text in found)
    return {old: new for old, new in changes.items() if after[new] == 1 or not once}
