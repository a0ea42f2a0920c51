"""Judgments from any file: a format of reliability, or a long table."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name
from adjudge.readers.io.json_documents import json_text
from adjudge.readers.io.source import OR, Format, How, Source
from adjudge.readers.label_values import LabelRules, label_counts, settle
from adjudge.readers.labels.turned_tables import JUDGE, LABEL, TurnedTable, of_columns, of_people, turned_table
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, cell, count_words, listed
from adjudge.readers.tables import BESIDE, ROW, as_text, collect, features_of, is_flat, not_text, schema_of, select_text
from adjudge.report import Input, truncate
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import CellRule, RequestedColumns, check_column_exists, requested_columns
from adjudge.schemas.spelling import total_row_warnings

REFERENCE = ("reference", "reference_flag", "reference_skipped")
"""Columns of the reference."""


@dataclass(frozen=True, slots=True)
class JudgmentReading(How):
    """How to read judgments; the arguments of `adjudge.reliability` that concern the reading.

    reference: names of the reference annotators, or empty. by: columns of the file that become keys. flag_values:
    "flagged" and "clean" -> values. labels: the only valid labels, or none for any. searched: labels that other options
    name. ordered: the labels in their order, see `adjudge.schemas.judgments.scale_position`. exact_labels: whether
    near-equal labels (see `adjudge.readers.label_values`) are different. numbers: whether labels are numbers on a
    scale. date_order: the first part of dates such as 03/04/2020. untrusted: whether a reference is
    optional. counts: whether a table may count the annotators who gave each label. apart: columns of `by` that
    distinguish several judgments of an annotator on an item. people: whether to exclude labels of models if humans
    label too. named: the columns of `by` that another option names, each with that option.
    """

    reference: Sequence[str] = ()
    flag_values: Mapping[str, Sequence[str]] = field(default_factory=schema.FLAGS.copy)
    labels: Sequence[str] = ()
    searched: Sequence[str] = ()
    ordered: Sequence[str] = ()
    numbers: bool = False
    date_order: str | None = None
    untrusted: bool = False
    counts: bool = False
    apart: Sequence[str] = ()
    people: bool = False
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def requested(self) -> RequestedColumns:
        """The columns that options name, with their options."""
        columns = requested_columns(self.by, columns=self.columns)
        return [(self.named.get(name, option), name) for option, name in columns]


LabelFile = Opened[JudgmentReading]


@dataclass(frozen=True, slots=True)
class Judgments:
    """Valid judgments, coded (see `adjudge.schemas.judgments`).

    frame: a row per item and annotator. references: a row per item and reference annotator; None if the
    frame has reference columns. dropped: the reason, as the report counts it -> rows dropped.
    flags_known: whether any input has flags. anonymous: whether annotators are counts without names.
    models: the annotators that are models by the inputs.
    """

    frame: pl.DataFrame
    references: pl.DataFrame | None
    inputs: tuple[Input, ...]
    warnings: tuple[str, ...]
    dropped: Mapping[str, int]
    parts: tuple["Part", ...]
    flags_known: bool
    anonymous: bool = False
    models: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Part:
    """A long table of texts from one source, with the names for its rows in messages.

    unit: what ROW counts in this source, "row" or "item". rows: columns of schema.TEXT and the `by` columns, ROW, and
    the file's other texts (BESIDE). names: Adjudge's column -> the file's. trusted: whether these are the reference's
    judgments. positions: whether ids are the items' positions. anonymous: whether annotators are counts without names.
    cells: number of possible labels, if empty cells are no rows. empty: number of empty cells. models: the annotators
    that are models.
    """

    source: Source
    rows: pl.LazyFrame
    names: Mapping[str, str]
    unit: str = "row"
    trusted: bool = False
    positions: bool = False
    anonymous: bool = False
    cells: int = 0
    empty: int = 0
    models: Sequence[str] = ()


Parts = tuple[Sequence[Part], Findings]
"""The judgments of a source and, if its format separates them, those of its reference; and problems."""


@dataclass(frozen=True, slots=True)
class OneRead:
    """The parts of a source, each with its coded judgments, and their problems."""

    source: Source
    coded: "Coded"
    findings: Findings


ReadEach = Callable[[Callable[[Source], OneRead], Sequence[Source]], Iterable[OneRead]]
"""Calls a function on sources, anywhere; the results may lack sources that may be excluded."""


def read_judgments(inputs: Sequence[Source], options: JudgmentReading, read_each: ReadEach = map) -> Judgments:
    """All inputs as one valid table. Raises DataError with all problems of any of them."""
    findings = Findings()
    alone = len(inputs) == 1
    may_be_gold = not (alone or options.reference) and ("reference" in options.columns or not options.untrusted)
    reference = options.columns.get("reference", "reference")
    if gold := [one for one in inputs if may_be_gold and _holds_reference(one, options)]:
        columns = {name: theirs for name, theirs in options.columns.items() if name != "reference"}
        options = replace(options, columns=columns, reference=[one.stem for one in gold])
    if not alone and (options.annotator_columns or options.by):
        files = [opened(one, options) for one in inputs if one.damage is None]
        flat = all(format_of("reliability", file) in (None, FORMAT) for file in files)
        asked = [("annotator_columns", name) for name in options.annotator_columns]
        asked += [one for one in options.requested if flat and one[1] in options.by]
        check_column_exists(inputs[0].name, asked, dict.fromkeys(name for file in files for name in file.names))
    made = [*read_each(partial(_read, options, alone=alone, gold=reference if gold else ""), inputs)]
    for one in made:
        findings.join(one.findings)
    if named := [one.source.stem for one in made if any("annotator" not in part.names for part, _ in one.coded)]:
        findings.told.append(f"no column names annotators, so each file counts as one annotator's: {listed(named)}")
    findings.told += [f"{one.name}: counts as the reference, since it has no column of labels" for one in gold]
    read, decisions = _settled([coded for one in made for coded in one.coded], options)
    parts = [part for part, _ in read]
    coded = [(part, _valid_rows(part, frame, options, findings)) for part, frame in read]
    coded = _with_groups(coded, options.by, findings)
    frame, references = _judges_and_reference(coded, options)
    models = frozenset(name for part in parts for name in part.models)
    if models and options.people:
        frame = of_people(frame, models, findings)
    frame, taken = schema.fill_references(frame)
    frame = _coherent(frame, parts, findings, options.apart)
    if references is not None:
        references = _coherent(references, parts, findings, options.apart)
    dropped = findings.settle(drop=options.drop)
    if frame.is_empty():
        raise DataError(f"{inputs[0].name}: no judgment is left without those that are dropped or the reference's")
    rows = Counter[str]()
    for part, table in coded:
        rows[part.source.name] += 0 if part.trusted else table.height
    sources = [one.source for one in made]
    return Judgments(
        frame=frame,
        references=references,
        inputs=tuple(Input(one.name, one.sha256(), rows[one.name], one.size) for one in sources),
        warnings=(*dropped, *decisions, *_warnings(frame, references, taken), *total_row_warnings(frame["item"])),
        flags_known=any({"flag", "reference_flag"} & set(part.rows.collect_schema()) for part in parts),
        dropped={f"dropped for {column}": count for column, count in (+findings.reasons).items()},
        parts=tuple(part for part in parts if not part.trusted),
        anonymous=any(part.anonymous for part in parts),
        models=models,
    )


def _holds_reference(source: Source, options: JudgmentReading) -> bool:
    """Whether a file has columns of items and of the reference, but none of labels."""
    item, reference, label = (options.columns.get(name, name) for name in ("item", "reference", "label"))
    with suppress(DataError):  # which its reader reports
        names = {*(opened(source, options).names if source.damage is None else ())}
        return {item, reference} <= names and names.isdisjoint(options.annotator_columns or [label])
    return False


def _read(options: JudgmentReading, source: Source, *, alone: bool, gold: str) -> OneRead:
    """The coded parts of a source. Raises DataError for a source without judgments, even among others.

    alone: whether it is the only source; otherwise a file without annotators is one annotator's, named after the file.
    The file of the reference may lack the column of annotators that the user names. gold: the column of its labels, if
    not that of the others.
    """
    file = opened(source, options)
    if not alone and source.stem in options.reference:
        own = {name: theirs for name, theirs in options.columns.items() if name != "annotator" or theirs in file.names}
        own = {"item": file.file_column("item"), "label": gold} if gold else own
        options = replace(options, columns=own, annotator_columns=() if gold else options.annotator_columns)
        file = opened(source, options)
    if not alone and (columns := [name for name in options.annotator_columns if name in file.names]):
        file = opened(source, replace(options, annotator_columns=columns))
    parts, findings = _parts_of(file, alone=alone)
    coded: Coded = []
    for part in parts:
        rows, names = part.rows, part.names
        if part.positions and not alone:  # distinguishes items without ids from those of other files
            rows = rows.with_columns(pl.concat_str(pl.lit(f"{source.name}#"), "item").alias("item"))
        if "annotator" not in rows.collect_schema():
            rows = rows.with_columns(annotator=pl.lit(None, pl.String))
        frame = collect(source, schema.encode(rows, options.by, options.flag_values))
        lacking = {*options.by} - {*frame.columns}
        frame = frame.with_columns(pl.lit(None, pl.Categorical()).alias(name) for name in lacking)
        says_who = alone or part.trusted or bool(frame["annotator"].count())
        if not says_who:
            name = pl.lit(source.stem).alias("annotator")
            rows, frame = rows.with_columns(name), frame.with_columns(name.cast(pl.Categorical()))
            names = {name: theirs for name, theirs in names.items() if name != "annotator"}
        empty = pl.col("label").is_null() & ~pl.col("flagged") & ~pl.col("skipped")
        count = int(frame.select(empty.sum()).item())
        if part.empty and not options.untrusted:
            findings.told.append(f"{source.name}: {part.empty:,} of {part.cells:,} labels missing (empty), excluded")
        if count and (options.untrusted or not says_who or "flag" not in rows.collect_schema()):
            skipped = count_words(count, f"{part.unit} without a label is", f"{part.unit}s without a label are")
            findings.told.append(f"{source.name}: {skipped} excluded")
            frame = frame.with_columns(pl.col("skipped") | empty)
        coded.append((replace(part, rows=rows, names=names, empty=count + part.empty), frame))
    if not (findings.total or any(frame.height for _, frame in coded)):
        raise DataError(f"{source.name}: no rows found", fix="export the file again")
    return OneRead(source, coded, findings)


def _parts_of(file: LabelFile, *, alone: bool) -> Parts:
    """The parts of a file. For missing columns, which other files may have, the fix names those of each file."""
    form, source = format_of("reliability", file), file.source
    if not alone and form in (None, FORMAT):  # another file may have the others
        file = opened(source, replace(file.options, by=[name for name in file.options.by if name in file.names]))
    try:
        return form.read(file) if form else read_table(file, alone=alone)
    except OptionError as error:
        if not alone and error.option == "columns" and not error.fix:
            lacking = [pair for pair in file.options.columns.items() if pair[1] not in file.names]
            names = ",".join(f"{ours}={theirs}{OR}COLUMN" for ours, theirs in lacking)
            error.fix = f"{names}, with the name in {source.name} for COLUMN"
        raise


def read_table(opened: LabelFile, *, alone: bool = True) -> Parts:
    """A flat table of any format: a row per label, or convertible to that.

    alone: whether it is the only source; otherwise the column of annotators is optional.
    """
    source, options, findings = opened.source, opened.options, Findings()
    # a renamed column is not read under its own name too
    taken = options.named_columns - {*schema.NEEDED} if options.columns else set()
    own = [name for name in schema.TEXT if name in options.columns or name not in taken]
    names = {name: options.column_of(name) for name in own} | {name: name for name in options.by}
    if not options.annotator_columns:
        frame = _rows(opened, [names["label"], names.get("reference", "")])
        turned = turned_table(source, frame, names, counts=options.counts)
    else:
        turned, names = _wide(opened, names)
    optional = [name for name in names if name not in {*schema.NEEDED, *options.columns, *options.by}]
    optional += ["annotator"] if not alone and "annotator" not in options.columns else []
    about = dict[str, Any](turned.about if turned else ())
    if turned:
        findings.told += [turned.told] if turned.told else []
        frame, names = turned.rows, {**names, "item": turned.item, "annotator": JUDGE, "label": LABEL}
    try:
        return [part_of(source, frame, names, options, optional=optional, **about)], findings
    except DataError as error:
        if "label" in error.columns:
            wide = f"; for a column per annotator, {flag_name('annotator_columns')} COLUMN,..."
            lists = [json_text(key) for one in opened.first[:1] for key, held in one.items() if str(held)[:2] == "[{"]
            program = f"'del(.{lists[0]}) + .{lists[0]}[]'" if lists else "PROGRAM"
            error.fix += f", {flag_name('jq')} {program}" if opened.is_json else wide
        raise


def _rows(opened: LabelFile, labels: Collection[str]) -> pl.LazyFrame:
    """A table. labels: columns, whose lists become JSON text, and whose numbers the classes that one of them names.

    Hugging Face names the classes of a column in Parquet; see `scan`.
    """
    source, frame = opened.source, opened.rows()
    features, types = features_of(source) if source.format == "parquet" else {}, schema_of(source, frame)
    named = {name: tuple(one["names"]) for name, one in features.items() if name in labels and "names" in one}
    known = [name for name in labels if name in types and name not in named]
    frame = frame.with_columns(as_text(pl.col(name), types[name]) for name in known if isinstance(types[name], pl.List))
    if len({*named.values()}) != 1:
        return frame
    meanings = {str(number): one for number, one in enumerate(next(iter(named.values())))}
    others = (as_text(pl.col(name), types[name]).replace(meanings) for name in known if is_flat(types[name]))
    return frame.with_columns(others)


def _wide(opened: LabelFile, names: Mapping[str, str]) -> tuple[TurnedTable, dict[str, str]]:
    """A table with a column per annotator as a long one, and the names of its columns.

    The annotators' columns may lack a reference annotator's column. Raises OptionError for missing columns and columns
    with two meanings.
    """
    source, options, known = opened.source, opened.options, {"item", "cluster", *REFERENCE}
    if labels := sorted(options.columns.keys() - known):
        raise OptionError(f"labels are in the annotators' columns; leave {labels[0]} out", option="columns")
    frame = _rows(opened, [*options.annotator_columns, *options.reference, names.get("reference", "")])
    types = schema_of(source, frame)
    columns = [name for name in types if name != ROW]
    judges = list(dict.fromkeys([*options.annotator_columns, *(name for name in options.reference if name in columns)]))
    check_column_exists(source.name, [("annotator_columns", name) for name in judges], columns)
    if odd := [name for name in judges if not is_flat(types[name])]:
        raise DataError(not_text(source.name, name, types[name]) for name in odd)
    if both := [theirs for _, theirs in options.requested if theirs in judges]:
        raise OptionError(f"another option names the annotator's column {both[0]}", option="annotator_columns")
    names = {name: theirs for name, theirs in names.items() if name in {*known, *options.by} and theirs not in judges}
    return of_columns(source, frame, judges, names.get("item", "item"), names.get("reference", "")), names


def part_of(
    source: Source,
    rows: pl.LazyFrame,
    names: Mapping[str, str],
    options: JudgmentReading,
    *,
    optional: Sequence[str] = (),
    **about: Any,  # noqa: ANN401 - fields of Part
) -> Part:
    """A long table, with ROW, as a part. names: Adjudge's column -> the table's. optional: columns that it may lack.

    Does not read columns of the reference if there are reference annotators. Raises OptionError for missing columns and
    for a reference column besides reference annotators, and DataError without any reference.
    """
    held = [name for name in schema_of(source, rows).names() if not name.startswith("__")]
    check_column_exists(source.name, options.requested, held)
    if options.reference:
        if given := [name for name in REFERENCE if name in options.columns or name in options.by]:
            message = f"an option names the file's own {given[0]}, beside {flag_name('reference')}"
            raise OptionError(message, fix="one of the two, or another name for a column to group by")
        names = {name: theirs for name, theirs in names.items() if name not in REFERENCE}
    texts = select_text(source, rows, names, optional=optional, beside=True)
    if not (options.untrusted or options.reference or names.get("reference") in held):
        judges = collect(source, texts.select(pl.col("annotator").unique(maintain_order=True)))
        voters = judges.to_series().drop_nulls().to_list()
        found = f"columns {', '.join(held):.200}; annotators {listed(voters)}"
        fix = f"{flag_name('reference')} ANNOTATOR, or {flag_name('columns')} reference=COLUMN"
        raise DataError(f"{source.name}: no reference labels", voters=voters, found=found, fix=fix)
    return Part(source, rows=texts, names=names, **about)


Coded = list[tuple[Part, pl.DataFrame]]


def _settled(read: Coded, options: JudgmentReading) -> tuple[Coded, list[str]]:
    """Coded tables with labels replaced by their meanings, and warnings about that."""
    columns, trusted, meant, undecided = defaultdict[str, Counter[str]](Counter), set[str](), set[str](), 0
    for part, frame in read:
        for name in schema.LABELS:
            if name in frame.columns:
                columns[name.removesuffix("_label")].update(label_counts(frame[name]))
        if part.trusted or options.reference:
            named = pl.col("annotator").is_in(list(options.reference)) | part.trusted
            trusted.update(frame.filter(named)["label"].unique().drop_nulls())
        if "reference_label" in frame.columns:
            trusted.update(frame["reference_label"].unique().drop_nulls())
        given = part.source.how.map_values.values()
        meant.update(*(meanings.values() for meanings in given))
        is_said = any("" in {*meanings, *meanings.values()} for meanings in given)
        undecided += 0 if is_said else part.empty
    listed = options.labels or [one for one in (*options.ordered, *options.searched) if one != schema.NUMBERS]
    rules = LabelRules(listed, meant, options.numbers, options.exact_labels, options.date_order, columns)
    labels, warnings = settle(sum(columns.values(), Counter[str]()), trusted, rules, undecided)
    return [(part, schema.replace_labels(frame, labels)) for part, frame in read] if labels else read, warnings


def _valid_rows(part: Part, frame: pl.DataFrame, options: JudgmentReading, findings: Findings) -> pl.DataFrame:
    """The rows of a coded part that keep every rule; the others are reported and dropped."""
    rules = schema.judgment_rules(frame.columns, options.flag_values, options.labels, options.ordered)
    names = {name: theirs for name, theirs in part.names.items() if not theirs.startswith("__")}
    says_who = part.unit == "row" and "annotator" in names

    def say(index: int, rule: CellRule) -> str:
        """Looks up the file's cell, which a coded table no longer has."""
        row = collect(part.source, part.rows.slice(index, 1)).row(0, named=True)
        who = "" if says_who else f" (annotator {row['annotator']!s:.60})"
        place = f"{part.source.name}, {part.unit} {row[ROW]}{who}"
        return cell(place, names.get(rule.column, rule.column), rule, row.get(rule.column))

    return findings.keep(frame, rules, say, reasons=True)


def _with_groups(coded: Coded, names: Sequence[str], findings: Findings) -> Coded:
    """Tables with the columns to group by, which a table may have of another: the item's only value there."""
    for name in names:
        named = [part.source.name for part, frame in coded if frame[name].count()]
        if 0 < len(named) < len(coded):
            values = pl.concat([frame.select("item", name) for _, frame in coded]).drop_nulls().unique()
            known = dict(values.filter(pl.col("item").is_unique()).cast(pl.String).iter_rows())
            given = pl.col("item").cast(pl.String).replace_strict(known, default=None, return_dtype=pl.String)
            filled = given.cast(pl.Categorical()).alias(name)
            coded = [(part, frame if frame[name].count() else frame.with_columns(filled)) for part, frame in coded]
            findings.told.append(f"{name} is in {listed(named)} only, and counts for the same items elsewhere")
    return coded


def _judges_and_reference(coded: Coded, options: JudgmentReading) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Judges and reference separately, even if the reference is among the annotators."""
    first, table = coded[0]
    for part, frame in coded[1:]:
        if differ := sorted(set(frame.columns) ^ set(table.columns)):
            names = f"{first.source.name}, {part.source.name}"
            raise DataError(f"{names}: expected the same columns; only one has {', '.join(differ)}")
    judges, trusted = ([frame for part, frame in coded if part.trusted is side] for side in (False, True))
    if not options.reference:
        return pl.concat(judges, how="diagonal"), pl.concat(trusted, how="diagonal") if trusted else None
    everyone = pl.concat([*judges, *trusted], how="diagonal")
    known = everyone["annotator"].unique().cast(pl.String).sort().to_list()
    if odd := [name for name in options.reference if name not in known]:
        fix = closest(odd[0], known)
        raise OptionError(f'no annotator "{odd[0]}"', option="reference", found=listed(known), fix=fix)
    named = pl.col("annotator").is_in(list(options.reference))
    return pl.concat(judges, how="diagonal").filter(~named), everyone.filter(named)


def _coherent(frame: pl.DataFrame, parts: Sequence[Part], findings: Findings, apart: Sequence[str]) -> pl.DataFrame:
    """The frame without contradictory rows: repeats of (item, annotator), items with two references."""

    def without(odd: pl.DataFrame, expected: str, reason: str, fix: str = "") -> pl.DataFrame:
        if odd.is_empty():
            return frame
        kept = frame.join(odd, on=odd.columns, how="anti", maintain_order="left")
        first = odd.cast(pl.String).row(0, named=True)
        message, dropped = f"{_places(parts, **first)}: {expected.format(**first)}", frame.height - kept.height
        findings.fix = findings.fix if findings.total else fix
        findings.add(message, odd.height, dropped=dropped)
        findings.reasons[reason] += dropped
        return kept

    runs = f"for repeated runs, {flag_name('columns')} annotator=NAME+RUN (card: {flag_name('run_column')} RUN)"
    runs += f"; otherwise {flag_name('on_invalid')} drop"
    expected = "annotator {annotator:.60} labels item {item:.60} more than once"
    repeated = schema.repeated_pairs(frame, apart)
    if repeated.height and schema.repeated_pairs(once := frame.unique(maintain_order=True), apart).is_empty():
        findings.told.append(f"rows that repeat an annotator's label of an item, excluded: {len(frame) - len(once):,}")
        frame, repeated = once, repeated.clear()
    frame = without(repeated, expected, "annotator", runs)
    return without(schema.contradictory_items(frame), "item {item:.60} has several references", "reference")


def _places(parts: Sequence[Part], item: str, annotator: str | None = None) -> str:
    """The place in the inputs of an item, or of an annotator's judgment of it."""
    wanted = [pl.col("item") == item] + ([] if annotator is None else [pl.col("annotator") == annotator])
    found = ((part, collect(part.source, part.rows.filter(wanted).select(ROW))[ROW].unique()) for part in parts)
    units = ((f"{part.source.name}, {part.unit}{'s' * (len(rows) > 1)}", rows.sort()) for part, rows in found)
    return "; ".join(dict.fromkeys(f"{unit} {listed(rows)}" for unit, rows in units if len(rows)))


def _warnings(frame: pl.DataFrame, references: pl.DataFrame | None, taken: int) -> list[str]:
    """Warnings about likely mistakes. taken: number of rows with the reference of another row."""
    sides = [side for side in (frame, references) if side is not None]
    ignored = sum(side.filter(pl.col("flagged") & pl.col("label").is_not_null()).height for side in sides)
    trusted, alone = frame["label"], 0
    if references is not None:
        trusted, alone = references["label"], references.join(frame, on="item", how="anti")["item"].n_unique()
    elif "reference_label" in frame.columns:
        trusted = frame["reference_label"]
    counts = {
        "flagged judgments that have a choice too, which is ignored": ignored,
        "judgments that have the reference of another row of the item": taken,
        "items with a reference but no annotator's judgment, which are in no metric": alone,
    }
    messages = [f"{what}: {count:,}" for what, count in counts.items() if count]
    return [*messages, *schema.label_warnings(frame, trusted, *sides[1:])]


def item_texts(judgments: Judgments, outcomes: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The inputs' other text columns of each outcome's item, for display: column -> text, cut at 2,000.

    Excludes texts that differ between the rows of an item, such as each judge's confidence, which belong to judgments.
    """
    items = list({row["item"]: None for row in outcomes})
    texts = defaultdict[str, dict[str, set[str]]](lambda: defaultdict(set))
    for part in judgments.parts:
        columns = [name for name in schema_of(part.source, part.rows).names() if name.startswith(BESIDE)]
        rows = part.rows.filter(pl.col("item").is_in(items)).select("item", *columns)
        held = rows.group_by("item").agg(pl.col(columns).drop_nulls().unique().head(2))
        for row in collect(part.source, held).to_dicts() if columns else ():
            for name in columns:
                texts[row["item"]][name.removeprefix(BESIDE)].update(row[name])
    return [
        {name: truncate(next(iter(several))) for name, several in texts[row["item"]].items() if len(several) == 1}
        for row in outcomes
    ]


_ABOUT = "A flat table with a row per item and a column per annotator, which `--annotator-columns` names."
FORMAT = Format("wide", "reliability", read_table, lambda found: bool(found.options.annotator_columns), 1, said=_ABOUT)
