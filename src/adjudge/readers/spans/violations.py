"""Violations from any file that holds them, as one table of texts and one of spans.

Adjudge's own JSON lines, exports of annotation tools, and tables with a row per span. What a file is shows
in its content; a format that is named wins.
"""

from dataclasses import replace

import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.formats import format_named
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import count_words, listed, quoted, swapped_files
from adjudge.readers.spans import span_lines
from adjudge.readers.spans.span_lines import CHECKER, names_in
from adjudge.readers.spans.span_offsets import check_spans
from adjudge.readers.spans.span_records import FURTHER, KNOWN_COLUMNS, LINE, VIOLATIONS, Raw, SpanReading
from adjudge.schemas.outcomes import OUTCOME, STATUSES, UNANSWERED
from adjudge.schemas.violations import ID, MISPLACED, PLACE, SPANS, TEXT, MarkedTexts, sorted_spans

__all__ = ["KNOWN_COLUMNS", "VIOLATIONS", "SpanReading"]


def read_truth(source: Source, options: SpanReading) -> MarkedTexts:
    """The texts that one annotator looked at, and the violations marked in them.

    Texts without violations are among them. Raises DataError with all that is wrong, OptionError where the file names
    several annotators and options do not choose one.
    """
    for name in (ID, TEXT):
        if name in options.further:
            raise OptionError(f"expected another column than {name}, which every table of texts has", option="by")
    raw = read_raw(source, options)
    who = span_lines.author_column(raw)
    wanted = span_lines.names_asked(raw, who, options.annotators) or names_in(raw.lines, who)
    if len(wanted) > 1:
        raise OptionError.no_reference(
            f"{raw.name}: expected the violations of one annotator; got {len(wanted)}",
            wanted,
            found=listed(wanted),
            fix=f"{flag_name('truth_annotator')} {wanted[0]}",
        )
    _, lines, texts = span_lines.every_line(raw, wanted, list(options.further))
    spans, warnings = check_spans(raw, lines, texts, options)
    dropped = raw.settle(drop=options.drop)
    span_lines.check_lines_left(raw, lines)
    table, twice = _distinct(spans)
    if textless := texts[TEXT].null_count():
        of = f"{textless:,} of {texts.height:,}"
        warnings.append(f"the text of {of} ids is not known: offsets are not checked against it")
    warnings = [*raw.warnings, *dropped, *warnings, *_nothing(table, texts.height), *twice]
    misplaced = int(spans.unique([*SPANS])[MISPLACED].sum())
    return MarkedTexts(source.name, texts, table, raw.rows, tuple(warnings), voters=raw.voters, misplaced=misplaced)


def read_references(source: Source, options: SpanReading) -> MarkedTexts:
    """What the first annotator of a file marked, and, in `others`, what each further one did.

    Raises OptionError where they did not all look at the same texts, or options choose one of them.
    """
    if options.annotators:
        raise OptionError(
            f"best-of takes all annotators; leave {flag_name('truth_annotator')} out", option="references"
        )
    names = names_in(read_raw(source, options).lines, "annotator")
    read = {name: read_truth(source, replace(options, annotators=[name])) for name in names}
    first = read.pop(names[0]) if names else read_truth(source, options)
    if odd := next((name for name, other in read.items() if not other.texts.equals(first.texts)), None):
        problem = f"expected annotators of {source.name} who all looked at the same texts, in one order"
        raise OptionError(f"{problem}; {names[0]:.60} and {odd:.60} did not", option="references")
    return replace(first, other_annotators=tuple(replace(other, name=name) for name, other in read.items()))


def read_predictions(
    source: Source, options: SpanReading, truth: MarkedTexts, checker: str | None
) -> list[MarkedTexts]:
    """What each checker of a file marks in the texts of the truth, in order of first appearance.

    Where the file names no checkers, its annotators are those; where it names neither, it has one, called `checker`
    or else as the file; so has a table from Python without rows. Warnings about the file stand with the first.
    Raises DataError with all that is wrong, also for ids that the truth does not hold; of annotators, these are left
    out, with a warning.
    """
    options = replace(options, further={}, predictions=True)
    raw = read_raw(source, options)
    if not raw.rows and source.path is not None:
        raise DataError(
            f"{source.name}: expected at least one {raw.unit}; got none",
            fix=f"a {raw.unit} without offsets for each text in which a checker finds nothing",
        )
    if raw.rows and truth.texts.height and not truth.texts[TEXT].count() and not raw.lines[TEXT].null_count():
        raise swapped_files(source.name, truth.name)
    lines, texts, left_out = span_lines.predicted_lines(raw, options.annotators, truth, checker)
    spans, warnings = check_spans(raw, lines, texts, options)
    dropped = raw.settle(drop=options.drop)
    if raw.rows:
        span_lines.check_lines_left(raw, lines, truth)
    of_file, marked = (*raw.warnings, *dropped, *left_out, *warnings), list[MarkedTexts]()
    spans = spans.join(lines.select(LINE, CHECKER), on=LINE, how="left", maintain_order="left")
    each = lines.partition_by(CHECKER, maintain_order=True) or [lines]
    for own in each:
        name: str = own[CHECKER][0] if own.height else raw.checker_name(checker)
        table, twice = _distinct(spans.filter(pl.col(CHECKER) == name))
        replies = _replies(raw, own, truth)
        counted_texts = truth.texts[ID].is_in(own[ID].implode()) if options.shared else None
        told = (*_notes(name, own, truth, replies, shared=options.shared), *_nothing(table, own.height), *twice)
        file = source.name if len(each) > 1 else ""
        told = told if file else (*of_file, *told)
        one = MarkedTexts(name, truth.texts, table, raw.rows, told, replies, counted_texts=counted_texts, file=file)
        marked.append(replace(one, file_warnings=() if marked else of_file))
    return marked


def read_annotators(source: Source, options: SpanReading) -> list[MarkedTexts]:
    """What each annotator of a file marked, in a table of all its texts; `seen` says at which of them each looked.

    A file that names checkers but no annotators has them for annotators. Warnings stand with the first. Raises
    DataError with all that is wrong, and where the file names fewer than two.
    """
    raw = read_raw(source, options)
    who, (_, lines, texts) = span_lines.author_column(raw), span_lines.every_line(raw)
    spans, warnings = check_spans(raw, lines, texts, replace(options, predictions=not names_in(lines, "annotator")))
    warnings = [*raw.warnings, *raw.settle(drop=options.drop), *warnings]
    spans, marked = spans.join(lines.select(LINE, who), on=LINE, how="left", maintain_order="left"), list[MarkedTexts]()
    names = names_in(lines, who)
    if len(names) < 2:  # noqa: PLR2004 - one has nobody to be compared with
        raise DataError(
            f"{source.name}: expected violations of two annotators or more; got those of "
            f"{quoted(names[0]) if names else 'nobody who is named'}",
            fix=f"{flag_name('columns')} annotator=COLUMN",
        )
    for name in names:
        table, twice = _distinct(spans.filter(pl.col(who) == name))
        places = lines.filter(pl.col(who) == name)[PLACE].cast(pl.Int64)
        counted_texts = pl.int_range(texts.height, eager=True).is_in(places.implode())
        told = (*(() if marked else warnings), *(f"{name}: {one}" for one in twice))
        marked.append(MarkedTexts(name, texts, table, raw.rows, told, counted_texts=counted_texts))
    return marked


def read_raw(source: Source, options: SpanReading) -> Raw:
    """What a file says, in the format that it is named to have, or seems to have; else as Adjudge's own lines."""
    found = opened(source, options)
    form = format_of("violations", found) or format_named("violations", VIOLATIONS)
    raw: Raw = form.read(found)
    return raw


def _distinct(spans: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """A table of spans and a warning about those that are alike in all their parts, which count once."""
    table = sorted_spans(spans)
    once = table.unique(maintain_order=True)
    more = table.height - once.height
    said = count_words(more, "repeated mark of the same violation is", "repeated marks of the same violation are")
    return once, [f"{said} left out: each violation counts once"] if more else []


def _replies(raw: Raw, lines: pl.DataFrame, truth: MarkedTexts) -> pl.Series | None:
    """What became of a checker's question on each text of the truth; None where its lines do not say it."""
    if FURTHER + OUTCOME not in raw.lines.columns:
        return None
    said = raw.lines.select(LINE, pl.col(FURTHER + OUTCOME).alias(OUTCOME))
    known = lines.select(LINE, PLACE).join(said.filter(pl.col(OUTCOME).is_in(STATUSES)), on=LINE)
    places = truth.texts.select(ID).with_row_index(PLACE)
    return places.join(known, on=PLACE, how="left", maintain_order="left")[OUTCOME]


def _notes(name: str, own: pl.DataFrame, truth: MarkedTexts, replies: pl.Series | None, *, shared: bool) -> list[str]:
    """Warnings that count the texts about which a checker says nothing, and on which a model gave no answer."""
    notes, texts = list[str](), truth.texts.height
    absent = truth.texts.select(ID).join(own.select(ID), on=ID, how="anti", maintain_order="left")[ID]
    if len(absent):
        count = "they are left out of its metrics" if shared else "they count as texts without predictions"
        notes.append(f"{name} says nothing of {len(absent):,} of {texts:,} texts, such as {absent[0]:.60}: {count}")
    if replies is not None and (unanswered := int(replies.is_in(UNANSWERED).sum())):
        count = count_words(unanswered, "text was not answered and counts", "texts were not answered and count")
        notes.append(f"{name}: {count} as texts without predictions; the table replies says what metrics could be")
    return notes


def _nothing(spans: pl.DataFrame, texts: int) -> list[str]:
    """A warning where no violation is marked in any text."""
    marked = count_words(texts, "text, and nothing is marked in it", "texts, and nothing is marked in any of them")
    return [f"there {'is' if texts == 1 else 'are'} {marked}"] if texts and spans.is_empty() else []
