"""Violations from any file, as one table of texts and one of spans.

Adjudge's own JSON lines, exports of annotation tools, and tables with a row per span. A file's content determines its
format, unless the user names one.

Pairs of violations that humans judge as the same or not, as JSON lines.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation has the usual parts: start and end, or context (its quote) and perhaps position; rule, category,
explanation, correction. An unjudged pair has null for same, or lacks it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name
from adjudge.readers.formats import format_named
from adjudge.readers.io.json_documents import check, collection_paused, kind, not_plain
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import cells_of, listed, swapped_files
from adjudge.readers.spans import span_records as records
from adjudge.readers.spans.span_records import FURTHER, KNOWN_COLUMNS, LINE, NUMBER, VIOLATIONS, Line, Raw, SpanReading
from adjudge.readers.tables import objects_in_rows
from adjudge.schemas.columns import CellRule
from adjudge.schemas.outcomes import OUTCOME, STATUSES, UNANSWERED
from adjudge.schemas.violations import ID, PLACE, SPANS, TEXT, MarkedTexts
from adjudge.version import NAME

__all__ = ["KNOWN_COLUMNS", "VIOLATIONS", "SpanReading"]

CHECKER = "checker"
_ANNOTATOR = "annotator"
_EXPECTED = "__expected__"


def read_truth(source: Source, options: SpanReading) -> MarkedTexts:
    """The texts of one annotator, and the violations marked in them.

    Includes texts without violations. Raises DataError with all problems, OptionError if the file names several
    annotators and options do not choose one.
    """
    for name in (ID, TEXT):
        if name in options.further:
            raise OptionError(f"expected another column than {name}, which every table of texts has", option="by")
    raw = read_raw(source, options)
    who = author_column(raw)
    wanted = names_asked(raw, who, options.annotators) or names_in(raw.lines, who)
    if len(wanted) > 1:
        message = f"{raw.name}: expected the violations of one annotator; got {len(wanted)}"
        agree = f"; for agreement among annotators: {NAME} violations agreement"
        fix = f"{flag_name('truth_annotator')} {wanted[0]}{agree}"
        # without violations, none is a candidate: the file may hold something else
        raise OptionError(message, voters=wanted * bool(raw.spans.height), found=listed(wanted), fix=fix)
    _, lines, texts = every_line(raw, wanted, list(options.further))
    spans, warnings = records.check_spans(raw, lines, texts, options)
    dropped = raw.settle(drop=options.drop)
    check_lines_left(raw, lines)
    table, twice = _distinct(spans)
    if textless := texts[TEXT].null_count():
        warnings.append(f"offsets are not checked where the text is not known: {textless:,} of {texts.height:,} ids")
    warnings = [*raw.warnings, *dropped, *warnings, *twice]
    voters = raw.voters or tuple(names_in(raw.lines, who) if options.annotators else ())
    return MarkedTexts(source.name, texts, table, raw.rows, tuple(warnings), voters=voters)


def read_predictions(
    source: Source, options: SpanReading, truth: MarkedTexts, checker: str | None
) -> list[MarkedTexts]:
    """The marks of each checker of a file in the texts of the truth, in order of first appearance.

    If the file names no checkers, its annotators are the checkers. If it names neither, it has one, named `checker`
    or else like the file; so has a table from Python without rows. The first checker has the warnings about the file,
    unless that is the truth's and they were given there.
    Raises DataError with all problems, including ids that are not in the truth; annotators' lines with such ids are
    excluded, with a warning.
    """
    options = replace(options, further={}, predictions=True)
    raw = read_raw(source, options)
    if not raw.rows and source.path is not None:
        fix = f"a {raw.unit} without offsets for each text in which a checker finds nothing"
        raise DataError(f"{source.name}: no {raw.unit}s found", fix=fix)
    if raw.rows and truth.texts.height and not truth.texts[TEXT].count() and not raw.lines[TEXT].null_count():
        raise swapped_files(source.name, truth.name)
    who, has_names = author_column(raw), bool(raw.lines[_ANNOTATOR].count())
    wanted = names_asked(raw, who, options.annotators)
    marked = _filled(raw, raw.lines, _ANNOTATOR) if has_names and not raw.lines[CHECKER].count() else raw.lines
    frame, known = agreeing(raw, marked, truth)
    frame = frame.filter(pl.col(who).is_in(wanted)) if wanted else frame
    frame = frame.with_columns(pl.coalesce(CHECKER, _ANNOTATOR).alias(CHECKER))
    if checker is not None and len(names := names_in(frame, CHECKER)) > 1:
        problem = f"{checker} cannot name the several checkers in {raw.name}"
        fix = f"left out, or choose one with {flag_name('predicted_annotator')}"
        raise OptionError(problem, option="checker", found=listed(names), fix=fix)
    named = pl.col(CHECKER).fill_null(raw.stem) if checker is None else pl.lit(checker).alias(CHECKER)
    frame = _filled(raw, frame.with_columns(named), ID)
    frame, left_out = _of_truth(raw, frame, truth, strict=not has_names)
    texts = truth.texts.select(ID).join(known, on=ID, how="left", maintain_order="left")
    lines = _placed(_once(raw, frame, [ID, CHECKER]), texts)
    spans, warnings = records.check_spans(raw, lines, texts, options)
    dropped = raw.settle(drop=options.drop)
    if raw.rows:
        check_lines_left(raw, lines, truth)
    given = truth.warnings if source.name == truth.name else ()
    of_file = [one for one in (*raw.warnings, *dropped, *left_out, *warnings) if one not in given]
    checked = list[MarkedTexts]()
    spans = spans.join(lines.select(LINE, CHECKER), on=LINE, how="left", maintain_order="left")
    each = lines.partition_by(CHECKER, maintain_order=True) or [lines]
    for own in each:
        name: str = own[CHECKER][0] if own.height else checker or raw.stem
        table, twice = _distinct(spans.filter(pl.col(CHECKER) == name))
        replies = _replies(raw, own, truth)
        notes = (*_notes(own, truth, replies), *twice)
        about = source.name if len(each) > 1 else name
        notes = (*(f"{about}: {one}" for one in of_file if not checked), *(f"{name}: {one}" for one in notes))
        checked.append(MarkedTexts(name, truth.texts, table, raw.rows, notes, replies))
    return checked


def read_annotators(source: Source, options: SpanReading) -> list[MarkedTexts]:
    """The marks of each annotator of a file, in a table of all its texts; `counted_texts` are those of each.

    If a file names only checkers, they are the annotators. The first annotator has the warnings. Raises DataError with
    all problems, and if the file names fewer than two.
    """
    raw = read_raw(source, options)
    who, (_, lines, texts) = author_column(raw), every_line(raw)
    reading = replace(options, predictions=not names_in(lines, "annotator"))
    spans, warnings = records.check_spans(raw, lines, texts, reading)
    warnings = [*raw.warnings, *raw.settle(drop=options.drop), *warnings]
    spans, marked = spans.join(lines.select(LINE, who), on=LINE, how="left", maintain_order="left"), list[MarkedTexts]()
    names = names_in(lines, who)
    if len(names) < 2:  # noqa: PLR2004 - one annotator has no other to compare
        problem = f"expected violations of two annotators or more; got those of {listed(names) or 'none'}"
        raise DataError(f"{source.name}: {problem}", fix=f"{flag_name('columns')} annotator=COLUMN")
    for name in names:
        table, twice = _distinct(spans.filter(pl.col(who) == name))
        counted_texts = texts[ID].is_in(lines.filter(pl.col(who) == name)[ID].implode())
        notes = (*(() if marked else warnings), *(f"{name}: {one}" for one in twice))
        marked.append(MarkedTexts(name, texts, table, raw.rows, notes, counted_texts=counted_texts))
    return marked


@collection_paused()
def read_raw(source: Source, options: SpanReading) -> Raw:
    """The content of a file in its named or detected format; else as Adjudge's own lines."""
    file = opened(source, options)
    read = (format_of("violations", file) or format_named("violations", VIOLATIONS)).read(file)
    return read if isinstance(read, Raw) else records.raw_of_texts(file, read)


def _distinct(spans: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """A table of spans, and a warning if there are none, or about identical ones, which count once."""
    ordered = spans.select(*SPANS).cast(SPANS).sort(*SPANS)  # type: ignore[arg-type]
    once = ordered.filter(pl.any_horizontal(pl.all().ne_missing(pl.all().shift())))
    if once.is_empty():
        return once, ["nothing is marked in any text"]
    more = spans.height - once.height
    return once, [f"repeated marks of the same violation, which counts once: {more:,}"] if more else []


def _replies(raw: Raw, lines: pl.DataFrame, truth: MarkedTexts) -> pl.Series | None:
    """The status of a checker's question on each text of the truth; None if its lines lack it."""
    if FURTHER + OUTCOME not in raw.lines.columns:
        return None
    statuses = raw.lines.select(LINE, pl.col(FURTHER + OUTCOME).alias(OUTCOME))
    known = lines.select(LINE, PLACE).join(statuses.filter(pl.col(OUTCOME).is_in(STATUSES)), on=LINE)
    places = truth.texts.select(ID).with_row_index(PLACE)
    return places.join(known, on=PLACE, how="left", maintain_order="left")[OUTCOME]


def _notes(own: pl.DataFrame, truth: MarkedTexts, replies: pl.Series | None) -> list[str]:
    """Warnings that count the texts without lines of a checker, and those without a model's answer."""
    notes, texts = list[str](), truth.texts.height
    absent = truth.texts.select(ID).join(own.select(ID), on=ID, how="anti", maintain_order="left")[ID]
    if len(absent):
        lacks = f"lacks {len(absent):,} of {texts:,} texts, such as {absent[0]:.60}"
        notes.append(f"{lacks}: they count as texts without predictions")
    if replies is not None and (unanswered := int(replies.is_in(UNANSWERED).sum())):
        notes.append(f"texts that were not answered count as texts without predictions: {unanswered:,}")
    return notes


# --- which lines count, and which text each is about ---


def author_column(raw: Raw) -> str:
    """The column of annotators or, if the file names none, of checkers."""
    names = raw.lines.select(_ANNOTATOR, CHECKER).count()
    return CHECKER if names[CHECKER][0] and not names[_ANNOTATOR][0] else _ANNOTATOR


def names_in(frame: pl.DataFrame, column: str) -> list[str]:
    """The distinct names in a column."""
    return frame[column].drop_nulls().unique(maintain_order=True).to_list()


def every_line(
    raw: Raw, wanted: Sequence[str] = (), further: Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The lines of all annotators, or of all checkers: as in the file, with places (LINE, PLACE), and texts.

    wanted: the only one whose lines count. further: columns of texts besides id and text, with one value per text.
    """
    who, keys, columns = author_column(raw), [ID], {FURTHER + name: name for name in further}
    has_names = bool(raw.lines[who].count())
    frame, known = agreeing(raw, _filled(raw, raw.lines, who) if has_names else raw.lines)
    if wanted:
        frame = frame.filter(pl.col(who).is_in(wanted))
    elif has_names:
        keys.append(who)
    frame = _once(raw, _filled(raw, frame, ID), keys)
    for column in columns:
        several = (pl.col(column).drop_nulls().n_unique() > 1).over(ID)
        frame = _valid(raw, frame, several, column, "one value for each text")
    gathered = frame.group_by(ID, maintain_order=True).agg(pl.col(list(columns)).drop_nulls().first())
    texts = gathered.join(known, on=ID, how="left", maintain_order="left").select(ID, TEXT, *columns).rename(columns)
    return frame, _placed(frame, texts), texts


def names_asked(raw: Raw, column: str, annotators: Sequence[str]) -> list[str]:
    """The requested annotators, each once. Raises OptionError for one that is not in the file."""
    names = names_in(raw.lines, column)
    if annotators and raw.lines.is_empty():
        raw.bad_lines.settle()  # no remaining line could name one
    for name in annotators:
        if name not in names:
            found = listed(names) or "no annotators"
            raise OptionError(f'{raw.name}: no annotator "{name}"', found=found, fix=closest(name, names))
    return list(dict.fromkeys(annotators))


def _placed(frame: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    rows = texts.select(ID).with_row_index(PLACE)
    return frame.select(LINE, ID, _ANNOTATOR, CHECKER).join(rows, on=ID, how="inner", maintain_order="left")


# --- excluded lines ---


def _valid(raw: Raw, frame: pl.DataFrame, bad: pl.Expr, column: str, expected: str, *ids: str) -> pl.DataFrame:
    """The lines that are not bad; the others are problems. column: what is wrong in them. ids: the known ones."""
    rule, names = CellRule(column, bad, expected, ids), {column: column.removeprefix(FURTHER)}
    return raw.bad_lines.keep(frame, [rule], cells_of(frame, raw.name, raw.unit, NUMBER, names))


def _filled(raw: Raw, frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """The lines in which a column is filled."""
    return _valid(raw, frame, pl.col(column).is_null(), column, f"one in every {raw.unit}")


def agreeing(raw: Raw, frame: pl.DataFrame, truth: MarkedTexts | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines whose texts agree, and the text of each id, from the truth or else the first one."""
    keys, name = ([ID], raw.name) if truth is None else ([ID, _ANNOTATOR, CHECKER], truth.name)
    given = [one.select(ID, TEXT).drop_nulls() for one in (*([truth.texts] if truth else []), frame)]
    known = pl.concat(given).unique(ID, keep="first", maintain_order=True)
    joined = frame.join(known.rename({TEXT: _EXPECTED}), on=ID, how="left", maintain_order="left")
    differs = (pl.col(TEXT) != pl.col(_EXPECTED)).fill_null(value=False).any().over(keys)
    return _valid(raw, joined, differs, TEXT, f"the text that the id has in {name}").drop(_EXPECTED), known


def _once(raw: Raw, frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The lines with unique keys; if several rows make a text, those of texts with one annotator."""
    if raw.tool.whole:
        return raw.bad_lines.once(frame, keys, NUMBER, f"{raw.name}, {raw.unit}s", "each id once")
    again = pl.struct(_ANNOTATOR, CHECKER).n_unique().over(keys) > 1
    return _valid(raw, frame, again, ID, "rows of one annotator for each text")


def _of_truth(raw: Raw, frame: pl.DataFrame, truth: MarkedTexts, *, strict: bool) -> tuple[pl.DataFrame, list[str]]:
    """The lines whose id is in the truth. Others are problems, or, unless `strict`, counted in a warning."""
    unknown = ~pl.col(ID).is_in(truth.texts[ID].implode())
    if strict:
        if not raw.bad_lines.total and frame.select(unknown.any()).item():
            alone = f"give {truth.name} a {raw.unit} with it alone if no violation is there"
            raw.bad_lines.fix = f"correct the id, or {alone}"
        return _valid(raw, frame, unknown, ID, f"an id of {truth.name}", *truth.texts[ID].head(1000)), []
    extra = frame.filter(unknown)[ID].unique(maintain_order=True)
    notes = [f"texts unknown to {truth.name} are excluded: {len(extra):,}, such as {one:.60}" for one in extra[:1]]
    return frame.filter(~unknown), notes


def check_lines_left(raw: Raw, lines: pl.DataFrame, truth: MarkedTexts | None = None) -> None:
    """Raises DataError if no line remains."""
    if lines.is_empty():
        of = "" if truth is None else f" of {truth.name}"
        why = "".join(f", such as {one}" for one in raw.bad_lines.messages[:1])
        raise DataError(f"{raw.name}: expected at least one text{of}; no {raw.unit} is left{why}")


# --- judged pairs ---

GROUP, PAIR = "group", "pair"
SIDES = ("predicted", "ground_truth")
JUDGE, SAME = "judge", "same"

_WHERE = "where"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Judgments of pairs, one per row.

    name: of the files. frame: GROUP and PAIR (numbers from 0 of the text, and of the pair of violations, which may have
    several judges), JUDGE (null if not given), SAME. predicted, truth: tables of spans (see adjudge.schemas.violations)
    with a row per judgment, whose places are groups. rows: read from each file. warnings: caveats.
    """

    name: str
    frame: pl.DataFrame
    predicted: pl.DataFrame
    truth: pl.DataFrame
    rows: tuple[int, ...]
    warnings: tuple[str, ...] = ()


def read_judged_pairs(*files: Source) -> JudgedPairs:
    """The judgments of files, or of tables from Python with a column of structs for each side.

    Pairs belong to one text if they have the same id. With several files, a file without judges has one judge, named
    after the file. Unjudged pairs are excluded and counted in a warning. Raises DataError with all problems: values
    that are no answer, places that are not in the text, several answers of one judge on a pair, an id of two texts.
    """
    frames, rows, warnings = zip(*(_of_file(source, named=len(files) > 1) for source in files), strict=True)
    name, frame = ", ".join(source.name for source in files), pl.concat(frames)
    judged = frame.drop_nulls(SAME)
    if judged.is_empty():
        raise DataError(f"{name}: nothing is judged yet: expected true or false for {SAME} in some pair")
    groups = pl.col(ID).rank("dense").alias(GROUP), pl.struct(ID, *SIDES).rank("dense").alias(PAIR)
    judged = judged.with_columns(one - 1 for one in groups)
    _check_one(frame.filter(pl.col(TEXT).drop_nulls().n_unique().over(ID) > 1), "text: expected one text for an id")
    repeated = judged.drop_nulls(JUDGE).filter(pl.struct(PAIR, JUDGE).is_duplicated())
    _check_one(repeated, f"{SAME}: expected one answer of a judge on a pair")
    place = judged[GROUP].cast(pl.UInt32).alias(PLACE)
    predicted, truth = (judged[side].struct.unnest().with_columns(place).select(*SPANS) for side in SIDES)
    count = frame.height - judged.height
    notes = [f"pairs that are not judged yet are excluded: {count:,}"] if count else []
    warnings = (*notes, *(warning for of_file in warnings for warning in of_file))
    return JudgedPairs(name, judged.select(GROUP, PAIR, JUDGE, SAME), predicted, truth, rows, warnings)


def _check_one(several: pl.DataFrame, what: str) -> None:
    """Raises DataError with the places of the first pairs, if there are any."""
    if several.height:
        places = several[_WHERE].unique(maintain_order=True).head(2)
        raise DataError(f"{where}, {what}; got several" for where in places)


def _of_file(source: Source, *, named: bool) -> tuple[pl.DataFrame, int, Sequence[str]]:
    """The pairs of a file (_WHERE, ID, TEXT, JUDGE, SAME, and a struct for each side), rows read, and warnings.

    named: whether the file's name is the judge of pairs without one.
    """
    options = SpanReading(further={JUDGE: JUDGE, SAME: SAME})
    raw = records.read_lines(opened(source, options), records.SpanTool(_line), objects_in_rows(source))
    texts = raw.lines.select(ID, pl.when(pl.col(TEXT) != "").then(TEXT))
    spans, warnings = records.check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts, options)
    raw.settle()
    structs = spans.select(name for name in SPANS if name != PLACE).to_struct()
    sides = [structs.gather_every(len(SIDES), at).alias(side) for at, side in enumerate(SIDES)]
    judge, where = raw.lines[FURTHER + JUDGE], pl.format(f"{source.name}, {raw.unit} {{}}", raw.lines[NUMBER])
    judges = pl.lit(source.name) if named and not judge.count() else judge
    same = raw.lines[FURTHER + SAME] == "true"
    return texts.with_columns(where.alias(_WHERE), judges.alias(JUDGE), same.alias(SAME), *sides), raw.rows, warnings


def _line(pair: dict[str, Any]) -> Iterator[Line]:
    """A pair and its two violations."""
    if not isinstance(pair.get(SAME), bool | None):
        raise DataError(f", {SAME}: expected true or false; got {kind(pair[SAME])}")
    if pair.get(ID) in (None, ""):
        raise DataError(", id: expected the text's id; got nothing")
    for side in SIDES:
        check(not_plain(pair.get(side)), f", {side}")
    yield Line({JUDGE: None, SAME: None, **pair}, [pair[side] for side in SIDES])


def check_new(path: Path) -> None:
    """Raises OptionError for an existing file, which may hold judgments."""
    if path.exists():
        raise OptionError(f"{path}: there is a file of that name, which may hold judgments", fix="a new file")
