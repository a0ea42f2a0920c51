"""Which lines count, and which text each is about: ids, annotators, checkers, and texts that must agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, OptionError, nearest
from karat.formats.findings import counted, listed, quoted
from karat.formats.marked import FURTHER, LINE, NUMBER, Raw
from karat.schemas.violations import ID, PLACE, TEXT, Marked

CHECKER = "checker"
_ANNOTATOR = "annotator"
_EXPECTED, _BAD, _BY, _SAID = "__expected__", "__bad__", "__by__", "__said__"
_NAMED = "one in every {}, as others have one"
_IDENTIFIED = "an id in every {}"
_AROUND = 20
_LIKE = 60


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that count: LINE, NUMBER, ID, CHECKER, PLACE and, of truth, further columns. warnings: about them.

    named: whether the file names annotators.
    """

    frame: pl.DataFrame
    named: bool
    warnings: tuple[str, ...] = ()


def truth_lines(raw: Raw, annotators: Sequence[str], further: Sequence[str]) -> tuple[Lines, pl.DataFrame]:
    """The lines of the one annotator who is the truth, and the table of texts: id, text and `further`.

    A file that names checkers but no annotators has them for annotators. Raises OptionError where it is not clear
    whose lines they are.
    """
    frame = raw.lines.with_row_index(LINE)
    named = not _unnamed(frame, _ANNOTATOR)
    if not named:
        frame = frame.with_columns(pl.col(CHECKER).alias(_ANNOTATOR))
    names = _names(frame, _ANNOTATOR)
    wanted = _asked(raw, names, annotators) or names
    if len(wanted) > 1:
        raise OptionError(
            f"{raw.name}: expected the violations of one annotator; got {', '.join(wanted):.300}: "
            "choose one with truth_annotator (--truth-annotator)"
        )
    frame = _with(raw, frame, _ANNOTATOR, _NAMED) if names else frame
    frame, known = _agreeing(raw, frame, None)
    frame = frame.filter(pl.col(_ANNOTATOR).is_in(wanted)) if wanted else frame
    frame = _once(raw, _with(raw, frame, ID, _IDENTIFIED), [ID])
    columns = [FURTHER + name for name in further]
    frame = _one_per_text(raw, frame, columns)
    gathered = frame.group_by(ID, maintain_order=True).agg(pl.col(columns).drop_nulls().first())
    texts = gathered.join(known, on=ID, how="left", maintain_order="left").select(ID, TEXT, *columns)
    texts = texts.rename({FURTHER + name: name for name in further})
    return Lines(_placed(frame, texts), named), texts


def predicted_lines(
    raw: Raw, annotators: Sequence[str], truth: Marked, checker: str | None
) -> tuple[Lines, pl.DataFrame]:
    """The lines about texts of the truth, with the checker of each, and the texts, some of which the file may add.

    Raises OptionError where `checker` names one checker and the file several.
    """
    frame = raw.lines.with_row_index(LINE)
    names = _names(frame, _ANNOTATOR)
    wanted = _asked(raw, names, annotators)
    if names and _unnamed(frame, CHECKER):
        frame = _with(raw, frame, _ANNOTATOR, _NAMED)
    frame, known = _agreeing(raw, frame, truth)
    frame = frame.filter(pl.col(_ANNOTATOR).is_in(wanted)) if wanted else frame
    frame = _with(raw, _with_checker(raw, frame, checker), ID, _IDENTIFIED)
    frame, warnings = _of_truth(raw, frame, truth, strict=not names)
    frame = _once(raw, frame, [ID, CHECKER])
    texts = truth.texts.select(ID).join(known, on=ID, how="left", maintain_order="left")
    return Lines(_placed(frame, texts), bool(names), tuple(warnings)), texts


def _unnamed(frame: pl.DataFrame, column: str) -> bool:
    return frame[column].null_count() == frame.height


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    return frame[column].drop_nulls().unique(maintain_order=True).to_list()


def _asked(raw: Raw, names: Sequence[str], annotators: Sequence[str]) -> list[str]:
    """The annotators asked for, each once; none where none is asked for."""
    for name in annotators:
        if name not in names:
            listed = f"; it names {', '.join(names):.300}" if names else "; it names none"
            raise OptionError(f"{raw.name}: no annotator {name}{nearest(name, names)}{listed}")
    return list(dict.fromkeys(annotators))


def _left_out(frame: pl.DataFrame, bad: pl.Series | pl.Expr) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of a table that are not bad, and those that are."""
    marked = frame.with_columns(bad.alias(_BAD))
    return marked.filter(~pl.col(_BAD)).drop(_BAD), marked.filter(_BAD).drop(_BAD)


def _with(raw: Raw, frame: pl.DataFrame, column: str, expected: str) -> pl.DataFrame:
    """The lines in which a column is filled."""
    kept, bad = _left_out(frame, pl.col(column).is_null())
    if bad.height:
        numbers = bad[NUMBER].unique(maintain_order=True)
        said = f"{raw.name}, {column}: expected {expected.format(raw.unit)}; empty in {raw.unit} {listed(numbers)}"
        raw.bad_lines.add(said, len(numbers), dropped=bad.height)
    return kept


def _with_checker(raw: Raw, frame: pl.DataFrame, checker: str | None) -> pl.DataFrame:
    """With the name of each line's checker: its own, else its annotator's, else the one given, else the file's."""
    named = frame.with_columns(pl.coalesce(CHECKER, _ANNOTATOR).alias(CHECKER))
    names = _names(named, CHECKER)
    if checker is not None and len(names) > 1:
        people = _unnamed(frame, CHECKER)
        choose = "choose one with predicted_annotator (--predicted-annotator)" if people else "split the file"
        raise OptionError(
            f"{raw.name}: the file holds several checkers, {', '.join(names):.300}; leave out the name {checker} "
            f"(--checker), or {choose}"
        )
    if checker is not None:
        return named.with_columns(pl.lit(checker).alias(CHECKER))
    return named.with_columns(pl.col(CHECKER).fill_null(checker_name(raw)))


def checker_name(raw: Raw, checker: str | None = None) -> str:
    """What a checker is called that the file does not name: as given, else as the file."""
    return checker if checker is not None else Path(raw.name).stem or raw.name


def _agreeing(raw: Raw, frame: pl.DataFrame, truth: Marked | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines whose texts agree, and the text of each id, as the truth has it, or else the first that is given."""
    given = frame.filter(pl.col(TEXT).is_not_null() & pl.col(ID).is_not_null())
    first = given.group_by(ID, maintain_order=True).agg(
        pl.col(TEXT).first(), pl.col(NUMBER).first().cast(pl.String).alias(_BY)
    )
    if truth is None:
        known = first
    else:
        known = truth.texts.select(ID, TEXT).join(first, on=ID, how="left", maintain_order="left", suffix=_EXPECTED)
        by = pl.when(pl.col(TEXT).is_null()).then(_BY).alias(_BY)
        known = known.select(ID, pl.coalesce(TEXT, TEXT + _EXPECTED).alias(TEXT), by)
    joined = given.select(LINE, NUMBER, ID, TEXT).join(
        known.rename({TEXT: _EXPECTED}), on=ID, how="inner", maintain_order="left"
    )
    wrong = joined.filter(pl.col(TEXT) != pl.col(_EXPECTED))
    told = wrong.unique([NUMBER, ID, TEXT], keep="first", maintain_order=True)
    known = known.select(ID, TEXT)
    if wrong.is_empty():
        return frame, known
    keys = [ID] if truth is None else [ID, _ANNOTATOR, CHECKER]
    kept, bad = _left_out(frame, pl.col(LINE).is_in(wrong[LINE].implode()).any().over(keys))
    name = None if truth is None else truth.name
    raw.bad_lines.add_each(told, lambda row: _differing(raw, row, name), dropped=bad.height)
    return kept, known


def _differing(raw: Raw, row: Mapping[str, object], truth: str | None) -> str:
    """The message about a text that differs from the one known for its id."""
    got, expected = str(row[TEXT]), str(row[_EXPECTED])
    shared = min(len(got), len(expected))
    at = next((at for at in range(shared) if got[at] != expected[at]), shared)
    source = f"{raw.unit} {row[_BY]}" if row[_BY] is not None else str(truth)
    shown = [_around(text, at) for text in (expected, got)]
    return (
        f"{raw.name}, {raw.unit} {row[NUMBER]}, text: expected the text of {row[ID]:.60} in {source}, from which it "
        f"differs at character {at}: expected {shown[0]}; got {shown[1]}"
    )


def _around(text: str, at: int) -> str:
    """A text from a little before an offset, in quotation marks."""
    if at >= len(text):
        return "the end of the text"
    start = max(0, at - _AROUND)
    cut = text[start : at + _AROUND]
    return f'"{"..." if start else ""}{cut}{"..." if at + _AROUND < len(text) else ""}"'


def _once(raw: Raw, frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The lines whose keys stand once; where several rows make a text, those that one annotator marks alone."""
    if raw.whole:
        again = frame.select(keys).is_duplicated()
    else:
        sides = frame.select(pl.struct(_ANNOTATOR, CHECKER).n_unique().over(keys).alias(_BAD) > 1)
        again = sides.to_series()
    if not again.any():
        return frame
    kept, bad = _left_out(frame, again)
    twice = bad.group_by(keys, maintain_order=True).agg(NUMBER, pl.len().alias(_BY))
    if CHECKER in keys:  # one message for all checkers of the same rows
        rows = pl.col(NUMBER).cast(pl.List(pl.String)).list.join(",").alias(_BAD)
        twice = twice.group_by(ID, rows, maintain_order=True).agg(pl.col(NUMBER, _BY).first(), CHECKER)

    def say(row: Mapping[str, Any]) -> str:
        of = f" for {listed(row[CHECKER])}" if CHECKER in keys else ""
        what = f"{row[ID]:.60} stands {row[_BY]} times" if raw.whole else f"{row[ID]:.60} has rows of several"
        expected = "each id once" if raw.whole else "one annotator of each text"
        return f"{raw.name}, {raw.unit}s {listed(row[NUMBER])}: expected {expected}{of}; {what}"

    raw.bad_lines.add_each(twice, say, dropped=bad.height)
    return kept


def _one_per_text(raw: Raw, frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The lines of texts for which further columns say one thing."""
    for column in columns:
        several = frame.filter((pl.col(column).drop_nulls().n_unique() > 1).over(ID))
        if several.is_empty():
            continue
        said = several.group_by(ID, maintain_order=True).agg(NUMBER, pl.col(column).drop_nulls().unique().alias(_SAID))
        what = column.removeprefix(FURTHER)

        def say(row: Mapping[str, Any], what: str = what) -> str:
            place = f"{raw.name}, {raw.unit}s {listed(row[NUMBER])}, {what}"
            return f"{place}: expected one value for the text {row[ID]:.60}; got {listed(sorted(row[_SAID]))}"

        raw.bad_lines.add_each(said, say, dropped=several.height)
        frame = frame.join(said.select(ID), on=ID, how="anti", maintain_order="left")
    return frame


def _of_truth(raw: Raw, frame: pl.DataFrame, truth: Marked, *, strict: bool) -> tuple[pl.DataFrame, list[str]]:
    """The lines whose id the truth holds. Others are problems, or, unless `strict`, counted in a warning."""
    ids = truth.texts.select(ID)
    extra = frame.join(ids, on=ID, how="anti", maintain_order="left")
    if extra.is_empty():
        return frame, []
    kept = frame.join(ids, on=ID, how="semi", maintain_order="left")
    if not strict:
        count = extra[ID].n_unique()
        are, them = counted(count, "text is", "texts are"), "it" if count == 1 else "them"
        return kept, [f"{are} left out, since {truth.name} does not hold {them}, such as {extra[ID][0]:.60}"]
    from rapidfuzz import process

    known = ids[ID].to_list()

    def say(row: Mapping[str, Any]) -> str:
        found = process.extractOne(row[ID], known, score_cutoff=_LIKE)
        hint = f' (did you mean "{found[0]:.60}"?)' if found else ""
        place = f"{raw.name}, {raw.unit} {row[NUMBER]}, id"
        return f"{place}: expected an id of {truth.name}; got {quoted(row[ID])}{hint}"

    raw.bad_lines.add_each(extra.select(NUMBER, ID).unique(maintain_order=True), say, dropped=extra.height)
    return kept, []


def _placed(frame: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    rows = texts.select(ID).with_row_index(PLACE)
    return frame.select(LINE, NUMBER, ID, CHECKER).join(rows, on=ID, how="inner", maintain_order="left")


def lines_left(raw: Raw, lines: Lines, truth: Marked | None = None) -> None:
    """Raises DataError where no line is left to count."""
    if lines.frame.height:
        return
    known = None if truth is None else truth.texts[ID]
    reasons = raw.bad_lines.messages
    if reasons and (known is None or not raw.lines.height or raw.lines[ID].is_in(known.implode()).any()):
        count = "all" if raw.bad_lines.dropped >= raw.rows else f"{raw.bad_lines.dropped:,}"
        raise DataError(f"{raw.name}: no {raw.unit} is left, since {count} were invalid, such as: {reasons[0]}")
    if truth is None or known is None or not raw.lines.height:
        raise DataError(f"{raw.name}: expected at least one text; none is left")
    held, expected = (listed(side.drop_nulls().unique(maintain_order=True).head(3)) for side in (raw.lines[ID], known))
    raise DataError(f"{raw.name}: no id in common with {truth.name}: it holds {held}, expected such as {expected}")
