"""Judgments from any file that holds them: a format of reliability, or a long table."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import polars as pl

from adjudge.errors import DataError, OptionError, closest, named
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import LabelRules, label_counts, settle
from adjudge.readers.labels.turned_tables import turned_table
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, cell, counted, listed
from adjudge.readers.tables import BESIDE, ROW, collect, missing_columns, schema_of, select_text
from adjudge.report import Input, truncate
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import CellRule, RequestedColumns, check_column_exists, requested_columns
from adjudge.schemas.spelling import UNSEEN, total_row_warnings

_INDEX = "__index__"
REFERENCE = ("reference", "reference_flag", "reference_skipped")
"""Columns that hold what is trusted."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to read judgments; the arguments of `adjudge.reliability` that concern the reading.

    columns: Adjudge's column -> the file's. reference: names of the trusted annotators, or empty.
    by: columns of the file that become keys. flag_values: "flagged" and "clean" -> values.
    labels: the only labels allowed, or none for any. searched: labels that other options name. drop: leave out what is
    wrong instead of raising. annotator_columns: of a wide table. vote_separator: what stands between several votes in
    its cells, "json" for JSON lists; empty for a vote a cell. ordered: the labels in their order, see
    `adjudge.schemas.judgments.scale_position`.
    exact_labels: whether labels that `adjudge.readers.label_values` takes for one are different ones. numbers: whether
    labels are numbers on a scale. date_order: what comes first in dates such as 03/04/2020. untrusted: whether nothing
    need say what is trusted. named_as_files: whether a file that does not say who judged is one annotator's, called as
    the file. counts: whether a table may count the annotators who gave each label. apart: those of `by` that tell
    several judgments of an annotator on an item apart. gaps: whether a row without a label is one of an item that the
    annotator skipped. named: of `by`, the columns that another option names, each with that option.
    """

    columns: Mapping[str, str]
    reference: Sequence[str]
    by: Sequence[str]
    flag_values: Mapping[str, Sequence[str]]
    labels: Sequence[str]
    drop: bool
    searched: Sequence[str] = ()
    annotator_columns: Sequence[str] = ()
    vote_separator: str = ""
    ordered: Sequence[str] = ()
    exact_labels: bool = False
    numbers: bool = False
    date_order: str | None = None
    untrusted: bool = False
    named_as_files: bool = False
    counts: bool = False
    apart: Sequence[str] = ()
    gaps: bool = False
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> RequestedColumns:
        """The columns that options name, with their options."""
        requested = requested_columns(self.by, columns=self.columns)
        return [(self.named.get(name, option), name) for option, name in requested]


@dataclass(frozen=True, slots=True)
class Judgments:
    """Valid judgments, coded (see `adjudge.schemas.judgments`).

    frame: a row per item and annotator. references: a row per item and trusted judge; None where
    the frame's own reference columns say what is trusted. dropped: column -> rows left out.
    flags_known: whether any input says who flags what. anonymous: whether annotators are counted rather than known.
    """

    frame: pl.DataFrame
    references: pl.DataFrame | None
    inputs: tuple[Input, ...]
    warnings: tuple[str, ...]
    dropped: Mapping[str, int]
    parts: tuple["Part", ...]
    flags_known: bool
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A long table of texts from one source, and the words by which messages find a row in it.

    unit: what ROW counts in this source, "row" or "item". rows: columns of schema.TEXT and the `by` columns, ROW, and
    the file's other texts (BESIDE). names: Adjudge's column -> the file's. trusted: whether these are the reference's
    judgments. positions: whether ids are the items' positions. anonymous: whether annotators are counted rather than
    known. cells: how many labels there could be, where empty cells are no rows. empty: how many are empty. items: those
    that it holds, where the source would have to be read again for its rows; else None.
    """

    source: Source
    unit: str
    rows: pl.LazyFrame
    names: Mapping[str, str]
    trusted: bool = False
    positions: bool = False
    anonymous: bool = False
    cells: int = 0
    empty: int = 0
    items: pl.Series | None = None

    def may_hold(self, items: Sequence[str]) -> bool:
        """Whether the rows of some items are worth looking for."""
        return self.items is None or bool(self.items.is_in(items).any())


Parts = tuple[Sequence[Part], Findings]
"""The judgments of a source and, where a format has them apart, those of its reference; and what is wrong."""


@dataclass(frozen=True, slots=True)
class OneRead:
    """One source, read: its parts, each with its coded judgments, and what is wrong with them."""

    source: Source
    coded: "Coded"
    findings: Findings


ReadEach = Callable[[Callable[[Source], OneRead], Sequence[Source]], Sequence[OneRead]]
"""Calls a function on sources, wherever it does so; those that may be left out may be missing in what it returns."""


def in_turn(read: Callable[[Source], OneRead], inputs: Sequence[Source]) -> list[OneRead]:
    """Read one source after the other."""
    return [read(source) for source in inputs]


def read_judgments(inputs: Sequence[Source], options: Options, read_each: ReadEach = in_turn) -> Judgments:
    """All inputs together as one valid table. Raises DataError with all that is wrong in any of them."""
    findings = Findings()
    alone = len(inputs) == 1
    each = options.named_as_files or (not alone and any(source.stem in options.reference for source in inputs))
    stems = Counter(source.stem for source in inputs)
    if options.annotator_columns and not alone:
        held = list(dict.fromkeys(name for source in inputs for name in opened(source, options).names))
        check_column_exists(inputs[0].name, [("annotator_columns", name) for name in options.annotator_columns], held)
    made = read_each(partial(_read, options, alone=alone, each=stems if each else {}), inputs)
    for one in made:
        findings.join(one.findings)
    every = [coded for one in made for coded in one.coded]
    parts = [part for part, _ in every]
    read, decisions = _settled(every, options)
    coded = [(part, _kept(part, frame, options, findings)) for part, frame in read]
    frame, references = _sides(coded, options)
    frame, taken = schema.fill_references(frame)
    frame = _coherent(frame, parts, findings, options.apart)
    if references is not None:
        references = _coherent(references, parts, findings, options.apart)
    dropped = findings.settle(drop=options.drop)
    if frame.is_empty():
        left = "after dropping" if findings.total else "beside those of the reference"
        raise DataError(f"{inputs[0].name}: no judgment is left {left}")
    rows = Counter[str]()
    for part, table in coded:
        rows[part.source.name] += 0 if part.trusted else table.height
    return Judgments(
        frame=frame,
        references=references,
        inputs=tuple(
            Input(one.source.name, one.source.sha256(), rows[one.source.name], one.source.size) for one in made
        ),
        warnings=(
            *dropped,
            *decisions,
            *_warnings(frame, references, taken),
            *total_row_warnings(frame["item"]),
        ),
        flags_known=any({"flag", "reference_flag"} & set(part.rows.collect_schema()) for part in parts),
        dropped=+findings.reasons,
        parts=tuple(part for part in parts if not part.trusted),
        anonymous=any(part.anonymous for part in parts),
    )


def _read(options: Options, source: Source, *, alone: bool, each: Mapping[str, int]) -> OneRead:
    """The coded parts of a source. Raises DataError for one that holds no judgment, beside whatever others.

    each: how many files have each name, where one that does not say who judged is one annotator's, called as the file.
    """
    found, judges = opened(source, options), options.annotator_columns
    if judges and not alone and (held := [name for name in judges if name in found.names]):
        found = opened(source, replace(options, annotator_columns=held))
    form = format_of("reliability", found)
    read: Parts = form.read(found) if form else _table(found, each=bool(each))
    parts, findings = read
    if lacking := [name for name in judges if name not in found.options.annotator_columns]:
        findings.told.append(f"{source.name}: no column {listed(lacking)}; its annotators are {listed(held)}")
    own = [_apart(part) if part.positions and not alone else part for part in parts]
    own = [_named_as_file(part, findings, each) if each and not part.trusted else part for part in own]
    coded = [(part, collect(source, schema.encode(part.rows, options.by, options.flag_values))) for part in own]
    if not (findings.total or any(frame.height for _, frame in coded)):
        raise DataError(f"{source.name}: expected at least one judgment; got none")
    coded = [_with_plain_names(part, frame, options, findings) for part, frame in coded]
    if options.gaps:
        coded = [_given(part, frame, options, findings) for part, frame in coded]
    coded = [_with_gaps(part, frame, findings, skipped=options.gaps) for part, frame in coded]
    return OneRead(source, coded, findings)


def _named_as_file(part: Part, findings: Findings, stems: Mapping[str, int]) -> Part:
    """A part that does not say who judged, as the judgments of one annotator, called as the file (and its folder)."""
    stem = part.source.stem
    stem = stem if stems[stem] == 1 else f"{Path(part.source.name).parent.name}/{stem}"
    if "annotator" in part.rows.collect_schema() and collect(part.source, part.rows.select("annotator").count()).item():
        return part
    findings.told.append(f"{part.source.name}: no column says who judged; all of its labels are those of {stem}")
    return replace(part, rows=part.rows.with_columns(annotator=pl.lit(stem)))


def _with_plain_names(
    part: Part, frame: pl.DataFrame, options: Options, findings: Findings
) -> tuple[Part, pl.DataFrame]:
    """A part whose items and annotators have names without characters of no width, with a warning that counts these."""
    columns = ("item", "annotator")
    if not any(frame[name].unique().cast(pl.String).str.contains(UNSEEN).any() for name in columns):
        return part, frame
    held = {name: int(frame[name].cast(pl.String).str.contains(UNSEEN).sum()) for name in columns}
    names = [pl.col(name).str.replace_all(UNSEEN, "") for name in held]
    own = None if part.items is None else part.items.str.replace_all(UNSEEN, "")
    part = replace(part, rows=part.rows.with_columns(names), items=own)
    rows = ", ".join(f"{name} in {counted(count, part.unit, f'{part.unit}s')}" for name, count in held.items() if count)
    findings.told.append(f"{part.source.name}: characters of no width are removed from names: {rows}")
    return part, collect(part.source, schema.encode(part.rows, options.by, options.flag_values))


def _given(part: Part, frame: pl.DataFrame, options: Options, findings: Findings) -> tuple[Part, pl.DataFrame]:
    """A part without rows that are still to be filled in: they have neither annotator nor label. Counts them."""
    if not frame["annotator"].null_count():
        return part, frame
    held = part.rows.collect_schema().names()
    said = [name for name in ("annotator", "label", "flag", "skipped", "reference") if name in held]
    rows = part.rows.filter(pl.any_horizontal(pl.col(said).is_not_null()))
    kept = collect(part.source, schema.encode(rows, options.by, options.flag_values))
    if count := frame.height - kept.height:
        have = counted(count, f"{part.unit} has", f"{part.unit}s have")
        findings.told.append(f"{part.source.name}: {have} neither annotator nor label, left out as not filled in yet")
    return replace(part, rows=rows), kept


def _with_gaps(part: Part, frame: pl.DataFrame, findings: Findings, *, skipped: bool) -> tuple[Part, pl.DataFrame]:
    """A part that counts its rows without a label; skipped: the frame in which these are, with a warning."""
    gaps = pl.col("label").is_null() & ~pl.col("flagged") & ~pl.col("skipped")
    count = int(frame.select(gaps.sum()).item())
    part = replace(part, empty=count + max(part.cells - frame.height, 0))
    if not (count and skipped):
        return part, frame
    rows = counted(count, f"{part.unit} has", f"{part.unit}s have")
    findings.told.append(f"{part.source.name}: {rows} no label, and {'is' if count == 1 else 'are'} left out")
    return part, frame.with_columns(pl.col("skipped") | gaps)


def _apart(part: Part) -> Part:
    """A part whose items have no ids, told apart from those of other files."""
    named = pl.lit(f"{part.source.name}#") + pl.col("item")
    return replace(part, rows=part.rows.with_columns(named.alias("item")))


def _table(opened: Opened[Options], *, each: bool) -> Parts:
    """A long table in any flat format."""
    source, options = opened.source, opened.options
    names = {name: options.columns.get(name, name) for name in schema.TEXT} | {name: name for name in options.by}
    frame = opened.rows(list(names.values()))
    found = [name for name in schema_of(source, frame).names() if name != ROW]
    findings = Findings()
    turned = turned_table(source, frame, names, counts=options.counts)
    if turned:
        frame, found = turned.rows, turned.rows.collect_schema().names()
        names |= {name: name for name in schema.NEEDED}
        findings.told.append(turned.told)
    check_column_exists(source.name, options.asked, found)
    optional = [name for name in names if name not in {*schema.NEEDED, *options.columns, *options.by}]
    optional += ["annotator"] if each and "annotator" not in options.columns else []
    names = without_reference(names, options)
    _check_long(source.name, names, found, optional)
    rows = select_text(source, frame, names, optional=optional, beside=True)
    if lacks_trust(names, found, options):
        judges = collect(source, rows.select(pl.col("annotator").unique(maintain_order=True)))
        raise untrusted(source.name, found, judges.to_series().drop_nulls().to_list())
    return [Part(source, "row", rows, names, anonymous=bool(turned and turned.anonymous))], findings


def _check_long(place: str, names: Mapping[str, str], found: Sequence[str], optional: Sequence[str]) -> None:
    """Raises DataError for a table that names neither annotators nor labels, as where each annotator has a column."""
    lacking = {name: names[name] for name in schema.NEEDED if names[name] not in found and name not in optional}
    if {"annotator", "label"} <= lacking.keys():
        error = missing_columns(place, lacking, found)
        error.fix += f", or {named('annotator_columns')} COLUMN,... if each annotator has a column"
        raise error


def without_reference(names: Mapping[str, str], options: Options) -> dict[str, str]:
    """Adjudge's column -> the file's, without those of the reference where annotators are trusted.

    Raises OptionError where both are asked for, or groups by one of them.
    """
    if not options.reference:
        return dict(names)
    trusted = ", ".join(options.reference)
    if given := [name for name in REFERENCE if name in options.columns]:
        raise OptionError(
            f"{named('columns')} names a {given[0]}, but {named('reference')} is {trusted}",
            fix="one of the two options",
        )
    if grouped := [name for name in REFERENCE if name in options.by]:
        raise OptionError(
            f"{grouped[0]} is read as the file's own reference, but the reference is {trusted}; rename the column to "
            "group by it",
            option="by",
        )
    return {name: theirs for name, theirs in names.items() if name not in REFERENCE}


def lacks_trust(names: Mapping[str, str], found: Sequence[str], options: Options) -> bool:
    """Whether neither the options nor the columns found say what is trusted."""
    return not (options.untrusted or options.reference) and names.get("reference") not in found


def untrusted(place: str, found: Sequence[str], judges: Sequence[str]) -> DataError:
    """The error that nothing says what is trusted. judges: whom one might trust."""
    return DataError.no_reference(
        f"{place}: no reference labels",
        judges,
        found=f"columns {', '.join(found):.200}" + (f"; annotators {listed(judges)}" if judges else ""),
        fix=f"{named('reference')} ANNOTATOR, or {named('columns')} reference=COLUMN",
    )


Coded = list[tuple[Part, pl.DataFrame]]


def _settled(read: Coded, options: Options) -> tuple[Coded, list[str]]:
    """Coded tables in which labels are what they mean, and warnings that say so."""
    counts, trusted, meant, undecided = Counter[str](), set[str](), set[str](), 0
    for part, frame in read:
        counts.update(label_counts(frame["label"]))
        if part.trusted:
            trusted.update(frame["label"].unique().drop_nulls())
        elif options.reference:
            named = pl.col("annotator").cast(pl.String).is_in(list(options.reference))
            trusted.update(frame.filter(named)["label"].unique().drop_nulls())
        if "reference_label" in frame.columns:
            counts.update(theirs := label_counts(frame["reference_label"]))
            trusted.update(theirs)
        given = part.source.how.map_values.values()
        meant.update(*(meanings.values() for meanings in given))
        undecided += 0 if any("" in {*meanings, *meanings.values()} for meanings in given) else part.empty
    listed = options.labels or [one for one in (*options.ordered, *options.searched) if one != schema.NUMBERS]
    rules = LabelRules(listed, meant, options.numbers, options.exact_labels, options.date_order)
    labels, told = settle(counts, trusted, rules, undecided)
    return [(part, schema.replace_labels(frame, labels)) for part, frame in read] if labels else read, told


def _kept(part: Part, frame: pl.DataFrame, options: Options, findings: Findings) -> pl.DataFrame:
    """The rows of a coded part that keep every rule; the others are reported and left out."""
    rules = schema.judgment_rules(frame.columns, options.flag_values, options.labels, options.ordered)

    def say(cells: Sequence[tuple[int, CellRule]]) -> Iterator[str]:
        """Looks up what stands in the file, which a coded table no longer says."""
        rows = part.rows.with_row_index(_INDEX).filter(pl.col(_INDEX).is_in([index for index, _ in cells]))
        texts = {row[_INDEX]: row for row in collect(part.source, rows).to_dicts()}
        for index, rule in cells:
            row = texts[index]
            who = "" if "annotator" in part.names else f" (annotator {row['annotator']!s:.60})"
            place = f"{part.source.name}, {part.unit} {row[ROW]}{who}"
            yield cell(place, part.names.get(rule.column, rule.column), rule, row.get(rule.column))

    return findings.keep(frame, rules, say, reasons=True)


def _sides(coded: Coded, options: Options) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Judges and reference apart, also where the reference is named among the annotators."""
    first, table = coded[0]
    for part, frame in coded[1:]:
        if odd := sorted(set(frame.columns) ^ set(table.columns)):
            expected = f"expected the columns of {first.source.name}; only one of them has {', '.join(odd)}"
            raise DataError(f"{part.source.name}: {expected}")
    judges, trusted = ([frame for part, frame in coded if part.trusted is side] for side in (False, True))
    if not options.reference:
        return pl.concat(judges), pl.concat(trusted) if trusted else None
    everyone = pl.concat([*judges, *trusted])
    known = everyone["annotator"].unique().cast(pl.String).to_list()
    for name in options.reference:
        if name not in known:
            raise OptionError(
                f'no annotator "{name}"', option="reference", found=listed(sorted(known)), fix=closest(name, known)
            )
    named = pl.col("annotator").cast(pl.String).is_in(list(options.reference))
    return pl.concat(judges).filter(~named), everyone.filter(named)


def _coherent(frame: pl.DataFrame, parts: Sequence[Part], findings: Findings, apart: Sequence[str]) -> pl.DataFrame:
    """The frame without rows that contradict others: repeats of (item, annotator), items with two references."""

    def without(odd: pl.DataFrame, expected: str, reason: str) -> pl.DataFrame:
        kept = frame.join(odd, on=odd.columns, how="anti", maintain_order="left") if odd.height else frame
        findings.add_each(
            odd.cast(pl.String),
            lambda row: f"{_places(parts, **row)}: expected {expected.format(**row)}",
            dropped=frame.height - kept.height,
            reason=reason,
        )
        return kept

    frame = without(
        schema.repeated_pairs(frame, apart),
        "one judgment per item and annotator; annotator {annotator:.60} judges item {item:.60} more than once",
        "annotator",
    )
    odd = schema.contradictory_items(frame)
    return without(odd, "one reference for item {item:.60}; got different ones", "reference")


def _places(parts: Sequence[Part], item: str, annotator: str | None = None) -> str:
    """Where in the inputs an item, or an annotator's judgment of it, stands."""
    wanted = [pl.col("item") == item] + ([] if annotator is None else [pl.col("annotator") == annotator])
    places = []
    for part in (one for one in parts if one.may_hold([item])):
        rows = collect(part.source, part.rows.filter(wanted).select(ROW))[ROW].unique().sort().to_list()
        if rows:
            plural = "s" if len(rows) > 1 else ""
            places.append(f"{part.source.name}, {part.unit}{plural} {listed(rows)}")
    return "; ".join(dict.fromkeys(places))


def _warnings(frame: pl.DataFrame, references: pl.DataFrame | None, taken: int) -> list[str]:
    """What looks wrong without being an error. taken: how many rows have the reference of another row."""
    sides = [side for side in (frame, references) if side is not None]
    beside = pl.col("flagged") & pl.col("label").is_not_null()
    ignored = sum(side.filter(beside).height for side in sides)
    hold = counted(ignored, "flagged judgment holds", "flagged judgments hold")
    have = counted(taken, "judgment has", "judgments have")
    told = [(ignored, f"{hold} a choice too; the choice is ignored")]
    told.append((taken, f"{have} the reference that stands in another row of the item"))
    if references is None and schema.LABELS[1] not in frame.columns:
        trusted = frame["label"]
    elif references is None:
        trusted = frame["reference_label"]
        both = frame.filter(pl.col("reference_flagged") & pl.col("reference_label").is_not_null())["item"].n_unique()
        told.append((both, f"{both:,} flags of the reference stand beside a choice; the choice is ignored"))
    else:
        trusted = references["label"]
        alone = references.join(frame, on="item", how="anti")["item"].n_unique()
        items = counted(alone, "item has", "items have")
        told.append((alone, f"{items} a reference but no annotator's judgment, and are in no figure"))
    alike = [*schema.name_warnings(*sides), *schema.label_warnings(frame["label"], trusted)]
    return [said for count, said in told if count] + alike


def item_texts(judgments: Judgments, items: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the inputs' other text columns say of some items, for reading: item -> column -> text, cut at 2,000.

    What differs between the rows of an item, such as how sure each judge is, is said of a judgment, and left out.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for part in (one for one in judgments.parts if one.may_hold(items)):
        texts = [name for name in schema_of(part.source, part.rows).names() if name.startswith(BESIDE)]
        rows = part.rows.filter(pl.col("item").is_in(list(items))).select("item", *texts)
        held = rows.group_by("item").agg(pl.col(texts).replace("", None).drop_nulls().unique().head(2))
        for row in collect(part.source, held).to_dicts() if texts else ():
            own = found.setdefault(row.pop("item"), {})
            for name, said in row.items():
                own.setdefault(name.removeprefix(BESIDE), set()).update(filter(None, said))
    same = {item: {name: said for name, said in own.items() if len(said) == 1} for item, own in found.items()}
    return {item: {name: truncate(text) for name, (text,) in own.items()} for item, own in same.items()}
