"""Judgments from any file that holds them: the win-tie-loss JSON, or a long table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from karat.errors import SHOWN, DataError, OptionError, nearest
from karat.formats.documents import read_document
from karat.formats.source import TABLES, Source
from karat.formats.tables import BESIDE, ROW, collect, records_frame, scan, schema_of, select_text
from karat.formats.win_tie_loss import is_win_tie_loss, read_win_tie_loss
from karat.report import Input, cut
from karat.schemas import judgments as schema

FORMAT = "win-tie-loss"
FORMATS = (FORMAT, *TABLES)

_INDEX = "__index__"
_ROWS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Options:
    """How to read judgments; the arguments of `karat.reliability` that concern the reading.

    columns: Karat's column -> the file's. reference: names of the trusted annotators, or empty.
    by: columns of the file that become keys. flag_values: "flagged" and "clean" -> values.
    labels: the only labels allowed, or None. drop: leave out what is wrong instead of raising.
    """

    columns: Mapping[str, str]
    reference: Sequence[str]
    by: Sequence[str]
    flag_values: Mapping[str, Sequence[str]]
    labels: Sequence[str] | None
    drop: bool


@dataclass(frozen=True, slots=True)
class Judgments:
    """Valid judgments, coded (see `karat.schemas.judgments`).

    frame: a row per item and annotator. references: a row per item and trusted judge; None where
    the frame's own reference columns say what is trusted. dropped: column -> rows left out.
    flags_known: whether any input says who flags what.
    """

    frame: pl.DataFrame
    references: pl.DataFrame | None
    inputs: tuple[Input, ...]
    warnings: tuple[str, ...]
    dropped: Mapping[str, int]
    parts: tuple["Part", ...]
    flags_known: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A long table of texts from one source, and the words by which messages find a row in it.

    unit: what ROW counts in this source, "row" or "item". texts: columns of schema.TEXT and the `by`
    columns. numbered: the same with ROW and the file's other texts (BESIDE). names: Karat's column ->
    the file's. trusted: whether these are the reference's judgments.
    """

    source: Source
    unit: str
    texts: pl.LazyFrame
    numbered: pl.LazyFrame
    names: Mapping[str, str]
    trusted: bool = False


@dataclass(slots=True)
class _Findings:
    """Problems of all inputs, and how many rows of each kind are left out because of them."""

    messages: list[str] = field(default_factory=list)
    total: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, messages: Sequence[str], dropped: Mapping[str, int], total: int | None = None) -> None:
        self.messages += messages[: SHOWN - len(self.messages)]
        self.total += len(messages) if total is None else total
        self.dropped += Counter(dropped)


def read_judgments(inputs: Sequence[Source], options: Options) -> Judgments:
    """All inputs together as one valid table. Raises DataError with all that is wrong in any of them."""
    findings = _Findings()
    several = len(inputs) > 1
    parts = [part for source in inputs for part in _parts(source, options, findings, several=several)]
    coded = [_coded(part, options, findings) for part in parts]
    frame, references = _split(_together(parts, coded, trusted=False), _together(parts, coded, trusted=True), options)
    frame = _coherent(frame, parts, findings)
    if references is not None:
        references = _coherent(references, parts, findings)
    if findings.messages and not options.drop:
        raise DataError(findings.messages, findings.total)
    if frame.is_empty():
        raise DataError(f"{inputs[0].name}: no judgment is left{' after dropping' if findings.total else ''}")
    rows = Counter({source.name: 0 for source in inputs})
    for part, table in zip(parts, coded, strict=True):
        rows[part.source.name] += 0 if part.trusted else table.height
    return Judgments(
        frame=frame,
        references=references,
        inputs=tuple(Input(source.name, source.sha256(), rows[source.name]) for source in inputs),
        warnings=tuple(_warnings(frame, references, findings.dropped)),
        flags_known=any({"flag", "reference_flag"} & set(part.texts.collect_schema()) for part in parts),
        dropped=findings.dropped,
        parts=tuple(part for part in parts if not part.trusted),
    )


def _parts(source: Source, options: Options, findings: _Findings, *, several: bool) -> list[Part]:
    """The judgments of a source and, of win-tie-loss, those of its reference."""
    if source.format in {"json", FORMAT}:
        document = read_document(source)
        if source.format == FORMAT or is_win_tie_loss(document):
            prefix = f"{source.name}#" if several else ""
            return _win_tie_loss(source, document, options, findings, prefix)
        frame = records_frame(document, source, _wanted(options)).lazy()
        return [_table(source, frame, frame.with_row_index(ROW, offset=1), options)]
    wanted = _wanted(options)
    return [_table(source, scan(source, wanted=wanted), scan(source, wanted=wanted, rows=True), options)]


def _names(options: Options) -> dict[str, str]:
    return {name: options.columns.get(name, name) for name in schema.TEXT} | {name: name for name in options.by}


def _wanted(options: Options) -> list[str]:
    return list(_names(options).values())


def _table(source: Source, frame: pl.LazyFrame, numbered: pl.LazyFrame, options: Options) -> Part:
    names = _names(options)
    found = schema_of(source, frame).names()
    for name in options.by:
        if name not in found:
            known = f"{nearest(name, found)}; it holds {', '.join(found):.300}"
            raise OptionError(f"{source.name}: no column {name} to group by{known}")
    given = [name for name in ("reference", "reference_flag", "reference_skipped") if name in options.columns]
    if options.reference and given:
        raise OptionError(
            f"columns name a {given[0]}, but the reference is {', '.join(options.reference)}; give one of them"
        )
    if options.reference:
        for name in ("reference", "reference_flag", "reference_skipped"):
            del names[name]
    elif names["reference"] not in found and "reference" not in options.columns:
        raise DataError(
            f"{source.name}: nothing says what is trusted. Name the trusted annotator with --reference NAME, "
            f"or the column that holds the trusted label with --columns reference=COLUMN "
            f"(the columns are {', '.join(found):.300})"
        )
    optional = [name for name in names if name not in {*schema.NEEDED, *options.columns, *options.by}]
    texts = select_text(source, frame, names, optional=optional)
    rows = select_text(source, numbered, names, optional=optional, beside=True)
    return Part(source, "row", texts, rows, names)


def _win_tie_loss(source: Source, document: object, options: Options, findings: _Findings, prefix: str) -> list[Part]:
    if options.columns.keys() - {"cluster"}:
        raise OptionError(f"{source.name}: the names in win-tie-loss JSON are fixed; columns can only say cluster=...")
    cluster = options.columns.get("cluster")
    further = list(dict.fromkeys([*options.by, *([cluster] if cluster else [])]))
    _check_names(source, document, further)
    read = read_win_tie_loss(
        document, source.name, further=further, prefix=prefix, reference_needed=not options.reference
    )
    findings.add(read.problems, {"structure": len(read.bad_items)})
    parts = []
    for side, trusted in ((read.judgments, False), (read.references, True)):
        texts = (side.with_columns(pl.col(cluster).alias("cluster")) if cluster else side).lazy()
        parts.append(
            Part(source, "item", texts, texts, {"item": "id", "flag": "item_flag", "label": "best"}, trusted=trusted)
        )
    return parts


def _check_names(source: Source, document: object, names: Sequence[str]) -> None:
    """Raises OptionError for a name that no item of a win-tie-loss document has."""
    items = [item for item in document if isinstance(item, dict)] if isinstance(document, list) else []
    known = dict.fromkeys(key for item in items for key in item)
    for name in names:
        if items and name not in known:
            raise OptionError(
                f"{source.name}: no item has a {name}{nearest(name, known)}; items have {', '.join(known):.300}"
            )


def _coded(part: Part, options: Options, findings: _Findings) -> pl.DataFrame:
    """A part as a coded table that keeps every rule; rows that break one are reported and left out."""
    frame = collect(part.source, schema.code(part.texts, options.by, options.flag_values))
    rules = schema.checks(frame.columns, options.flag_values, options.labels)
    broken = [rule.broken.fill_null(value=False) for rule in rules]
    counts = frame.select(mask.sum().alias(str(number)) for number, mask in enumerate(broken)).row(0)
    if not any(counts):
        return frame
    indices = {
        (index, number)
        for number, mask in enumerate(broken)
        for index in frame.select(mask.arg_true().head(SHOWN)).to_series().to_list()
    }
    shown = sorted(indices)[:SHOWN]
    rows = part.numbered.with_row_index(_INDEX).filter(pl.col(_INDEX).is_in([index for index, _ in shown]))
    texts = {row[_INDEX]: row for row in collect(part.source, rows).to_dicts()}
    messages = [_message(part, rules[number], texts[index]) for index, number in shown]
    findings.add(messages, Counter(dict(zip((rule.column for rule in rules), counts, strict=True))), sum(counts))
    return frame.filter(~pl.any_horizontal(broken))


def _message(part: Part, rule: schema.Check, texts: Mapping[str, object]) -> str:
    column = part.names.get(rule.column, rule.column)
    value = texts.get(rule.column)
    got = "nothing" if value is None else f'"{value!s:.60}"'
    who = f" (annotator {texts['annotator']!s:.60})" if part.unit == "item" else ""
    return f"{part.source.name}, {part.unit} {texts[ROW]}{who}, column {column}: {rule.expected}; got {got}"


def _together(parts: Sequence[Part], coded: Sequence[pl.DataFrame], *, trusted: bool) -> pl.DataFrame | None:
    chosen = [(part, frame) for part, frame in zip(parts, coded, strict=True) if part.trusted == trusted]
    for part, frame in chosen:
        odd = sorted(set(frame.columns) ^ set(chosen[0][1].columns))
        if odd:
            first = chosen[0][0].source.name
            raise DataError(
                f"{part.source.name}: expected the columns of {first}; only one of them has {', '.join(odd)}"
            )
    return pl.concat([frame for _, frame in chosen]) if chosen else None


def _split(
    frame: pl.DataFrame | None, references: pl.DataFrame | None, options: Options
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Judges and reference apart, where the reference is named among the annotators."""
    if frame is None:
        raise DataError("no input holds judgments")
    if not options.reference:
        return frame, references
    everyone = pl.concat([frame, references]) if references is not None else frame
    known = everyone["annotator"].unique().cast(pl.String).to_list()
    for name in options.reference:
        if name not in known:
            raise OptionError(f'no annotator "{name}" to be the reference{nearest(name, known)}')
    named = pl.col("annotator").cast(pl.String).is_in(list(options.reference))
    return frame.filter(~named), everyone.filter(named)


def _coherent(frame: pl.DataFrame, parts: Sequence[Part], findings: _Findings) -> pl.DataFrame:
    """The frame without rows that contradict others: repeats of (item, annotator), items with two references."""
    twice = schema.repeated(frame)
    if twice.height:
        messages = [
            f"{_places(parts, item, annotator)}: expected one judgment per item and annotator; "
            f"annotator {annotator:.60} judges item {item:.60} more than once"
            for item, annotator in twice.head(SHOWN).cast(pl.String).rows()
        ]
        repeats = frame.select("item", "annotator").is_duplicated()
        findings.add(messages, {"annotator": int(repeats.sum())}, twice.height)
        frame = frame.filter(~repeats)
    if "reference_label" in frame.columns:
        odd = schema.contradicted(frame)
        if odd.height:
            messages = [
                f"{_places(parts, item)}: expected one reference for item {item:.60}; got different ones"
                for (item,) in odd.head(SHOWN).cast(pl.String).rows()
            ]
            kept = frame.join(odd, on="item", how="anti", maintain_order="left")
            findings.add(messages, {"reference": frame.height - kept.height}, odd.height)
            frame = kept
    return frame


def _places(parts: Sequence[Part], item: str, annotator: str | None = None) -> str:
    """Where in the inputs an item, or an annotator's judgment of it, stands."""
    wanted = [pl.col("item") == item] + ([] if annotator is None else [pl.col("annotator") == annotator])
    places = []
    for part in parts:
        rows = collect(part.source, part.numbered.filter(wanted).select(ROW))[ROW].unique().sort().to_list()
        if rows:
            plural = "s" if len(rows) > 1 else ""
            places.append(f"{part.source.name}, {part.unit}{plural} {', '.join(map(str, rows[:_ROWS_NAMED]))}")
    return "; ".join(dict.fromkeys(places))


def _warnings(frame: pl.DataFrame, references: pl.DataFrame | None, dropped: Counter[str]) -> list[str]:
    sides = [frame] if references is None else [frame, references]
    ignored = sum(side.select((pl.col("flagged") & pl.col("label").is_not_null()).sum()).item() for side in sides)
    warnings = []
    if dropped.total():
        reasons = ", ".join(f"{column}: {count:,}" for column, count in dropped.items() if count)
        warnings.append(f"{dropped.total():,} invalid rows were dropped ({reasons})")
    if ignored:
        hold = "judgment holds" if ignored == 1 else "judgments hold"
        warnings.append(f"{ignored:,} flagged {hold} a choice too; the choice is ignored")
    if references is None:
        both = frame.filter(pl.col("reference_flagged") & pl.col("reference_label").is_not_null())["item"].n_unique()
        if both:
            warnings.append(f"{both:,} flags of the reference stand beside a choice; the choice is ignored")
    warnings += schema.name_warnings(frame)
    trusted = frame["reference_label"] if references is None else references["label"]
    warnings += schema.label_warnings(frame["label"], trusted)
    if references is not None:
        alone = references.join(frame, on="item", how="anti")["item"].n_unique()
        if alone:
            items = "item has" if alone == 1 else "items have"
            warnings.append(f"{alone:,} {items} a reference but no annotator's judgment, and are in no figure")
    return warnings


def item_texts(judgments: Judgments, items: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the inputs' other text columns say of some items, for reading: item -> column -> text, cut at 2,000."""
    found: dict[str, dict[str, str]] = {}
    for part in judgments.parts:
        texts = [name for name in schema_of(part.source, part.numbered).names() if name.startswith(BESIDE)]
        rows = part.numbered.filter(pl.col("item").is_in(list(items))).select("item", *texts)
        for row in collect(part.source, rows).unique("item", maintain_order=True).to_dicts() if texts else ():
            item = row.pop("item")
            found[item] = {name.removeprefix(BESIDE): cut(text) for name, text in row.items() if text}
    return found
