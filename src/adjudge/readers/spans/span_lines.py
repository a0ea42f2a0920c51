"""Which lines count, and which text each is about: ids, annotators, checkers, and texts that must agree."""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name, nearest
from adjudge.readers.problems import count_words, listed, quoted
from adjudge.readers.spans.span_records import FURTHER, LINE, NUMBER, Raw
from adjudge.schemas.spelling import near_miss
from adjudge.schemas.violations import ID, PLACE, TEXT, MarkedTexts

CHECKER = "checker"
_ANNOTATOR = "annotator"
_EXPECTED, _BY = "__expected__", "__by__"
_AROUND = 20
_LOOKED_AT = 1000
"""Ids among which the nearest to an unknown one is looked for."""


def author_column(raw: Raw) -> str:
    """The column of those who marked: annotators or, where the file names none, checkers."""
    names = raw.lines.select(_ANNOTATOR, CHECKER).count()
    return CHECKER if names[CHECKER][0] and not names[_ANNOTATOR][0] else _ANNOTATOR


def names_in(frame: pl.DataFrame, column: str) -> list[str]:
    """Those whom a column names, each once."""
    return frame[column].drop_nulls().unique(maintain_order=True).to_list()


def every_line(
    raw: Raw, wanted: Sequence[str] = (), further: Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The lines of all annotators, or of all checkers: as the file has them, placed (LINE, PLACE), and texts.

    wanted: the one of them whose lines count. further: columns of texts beside id and text, which a text has once.
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
        frame = _one_per_text(raw, frame, column)
    gathered = frame.group_by(ID, maintain_order=True).agg(pl.col(list(columns)).drop_nulls().first())
    texts = gathered.join(known, on=ID, how="left", maintain_order="left").select(ID, TEXT, *columns).rename(columns)
    return frame, _placed(frame, texts), texts


def predicted_lines(
    raw: Raw, annotators: Sequence[str], truth: MarkedTexts, checker: str | None
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """The lines about texts of the truth, with the checker of each, the texts, some of which the file adds, warnings.

    Raises OptionError where `checker` names one checker and the file several.
    """
    wanted, has_names = names_asked(raw, _ANNOTATOR, annotators), bool(raw.lines[_ANNOTATOR].count())
    marked = _filled(raw, raw.lines, _ANNOTATOR) if has_names and not raw.lines[CHECKER].count() else raw.lines
    frame, known = agreeing(raw, marked, truth)
    frame = frame.filter(pl.col(_ANNOTATOR).is_in(wanted)) if wanted else frame
    frame = _filled(raw, _with_checker(raw, frame, checker), ID)
    frame, warnings = _of_truth(raw, frame, truth, strict=not has_names)
    texts = truth.texts.select(ID).join(known, on=ID, how="left", maintain_order="left")
    return _placed(_once(raw, frame, [ID, CHECKER]), texts), texts, warnings


def names_asked(raw: Raw, column: str, annotators: Sequence[str]) -> list[str]:
    """The annotators asked for, each once. Raises OptionError for one whom the file does not name."""
    names = names_in(raw.lines, column)
    if annotators and raw.lines.is_empty():
        raw.bad_lines.settle()  # no line is left that could name one
    for name in annotators:
        if name not in names:
            raise OptionError(
                f"{raw.name}: no annotator {name}", found=listed(names) or "no annotators", fix=closest(name, names)
            )
    return list(dict.fromkeys(annotators))


def _placed(frame: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    rows = texts.select(ID).with_row_index(PLACE)
    return frame.select(LINE, ID, _ANNOTATOR, CHECKER).join(rows, on=ID, how="inner", maintain_order="left")


def _with_checker(raw: Raw, frame: pl.DataFrame, checker: str | None) -> pl.DataFrame:
    """With the name of each line's checker: its own, else its annotator's, else the one given, else the file's."""
    judged = frame.with_columns(pl.coalesce(CHECKER, _ANNOTATOR).alias(CHECKER))
    names = names_in(judged, CHECKER)
    if checker is not None and len(names) > 1:
        choose = "" if frame[CHECKER].count() else f", or choose one with {flag_name('predicted_annotator')}"
        raise OptionError(
            f"{checker} cannot name the several checkers in {raw.name}",
            option="checker",
            found=listed(names),
            fix=f"left out{choose}",
        )
    given = pl.col(CHECKER).fill_null(raw.checker_name()) if checker is None else pl.lit(checker).alias(CHECKER)
    return judged.with_columns(given)


# --- lines that are left out ---


def _without(
    raw: Raw, frame: pl.DataFrame, bad: pl.Expr, told: pl.DataFrame, say: Callable[[dict[str, Any]], str]
) -> pl.DataFrame:
    """The lines that are not bad. told: rows of which `say` makes a message each."""
    kept = frame.filter(~bad)
    raw.bad_lines.add_each(told, lambda row: f"{raw.name}, {say(row)}", dropped=frame.height - kept.height)
    return kept


def _filled(raw: Raw, frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """The lines in which a column is filled."""
    bad = frame.filter(pl.col(column).is_null())
    if bad.height:
        numbers = bad[NUMBER].unique(maintain_order=True)
        needed = f"an id in every {raw.unit}" if column == ID else f"one in every {raw.unit}, as others have one"
        said = f"{raw.name}, {column}: expected {needed}; empty in {raw.unit} {listed(numbers)}"
        raw.bad_lines.add(said, len(numbers), dropped=bad.height)
    return frame.drop_nulls(column)


def agreeing(raw: Raw, frame: pl.DataFrame, truth: MarkedTexts | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines whose texts agree, and the text of each id, as the truth has it, or else the first that is given."""
    given = frame.drop_nulls([TEXT, ID])
    known = given.select(ID, TEXT, pl.format("{} {}", pl.lit(raw.unit), NUMBER).alias(_BY))
    if truth is not None:
        theirs = truth.texts.select(ID, TEXT, pl.lit(truth.name).alias(_BY))
        known = pl.concat([theirs.drop_nulls(TEXT), known.join(theirs, on=ID, how="semi", maintain_order="left")])
    known = known.unique(ID, keep="first", maintain_order=True)
    joined = given.join(known.rename({TEXT: _EXPECTED}), on=ID, how="inner", maintain_order="left")
    wrong = joined.filter(pl.col(TEXT) != pl.col(_EXPECTED))
    if wrong.height:
        told = wrong.unique([NUMBER, ID, TEXT], keep="first", maintain_order=True)
        keys = [ID] if truth is None else [ID, _ANNOTATOR, CHECKER]
        bad = pl.col(LINE).is_in(wrong[LINE].implode()).any().over(keys)
        frame = _without(raw, frame, bad, told, lambda row: _differing(raw, row))
    return frame, known.select(ID, TEXT)


def _differing(raw: Raw, row: Mapping[str, Any]) -> str:
    """The message about a text that differs from the one known for its id."""
    pairs = enumerate(zip_longest(row[TEXT], row[_EXPECTED]))
    at = next(at for at, (got, expected) in pairs if got != expected)
    expected, got = (quoted(row[text][max(0, at - _AROUND) : at + _AROUND]) for text in (_EXPECTED, TEXT))
    return (
        f"{raw.unit} {row[NUMBER]}, text: expected the text of {row[ID]:.60} in {row[_BY]}, from which it differs at "
        f"character {at}: expected {expected}; got {got}"
    )


def _once(raw: Raw, frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The lines whose keys stand once; where several rows make a text, those that one annotator marks alone."""
    if raw.tool.whole:
        return raw.bad_lines.once(frame, keys, NUMBER, f"{raw.name}, {raw.unit}s", "each id once")
    again = pl.struct(_ANNOTATOR, CHECKER).n_unique().over(keys) > 1
    twice = frame.filter(again).group_by(keys, maintain_order=True).agg(NUMBER)
    several = "expected one annotator of each text; {:.60} has rows of several"
    return _without(
        raw, frame, again, twice, lambda row: f"{raw.unit}s {listed(row[NUMBER])}: {several.format(row[ID])}"
    )


def _one_per_text(raw: Raw, frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """The lines of texts for which a further column says one thing."""
    values = pl.col(column).drop_nulls()
    several = (values.n_unique() > 1).over(ID)
    told = frame.filter(several).group_by(ID, maintain_order=True).agg(NUMBER, values.unique())

    def say(row: Mapping[str, Any]) -> str:
        place = f"{raw.unit}s {listed(row[NUMBER])}, {column.removeprefix(FURTHER)}"
        return f"{place}: expected one value for the text {row[ID]:.60}; got {listed(sorted(row[column]))}"

    return _without(raw, frame, several, told, say)


def _of_truth(raw: Raw, frame: pl.DataFrame, truth: MarkedTexts, *, strict: bool) -> tuple[pl.DataFrame, list[str]]:
    """The lines whose id the truth holds. Others are problems, or, unless `strict`, counted in a warning."""
    ids = truth.texts[ID]
    unknown = ~pl.col(ID).is_in(ids.implode())
    extra = frame.filter(unknown).select(NUMBER, ID).unique(maintain_order=True)
    if not strict and extra.height:
        are = count_words(extra[ID].n_unique(), "text is", "texts are")
        return frame.filter(~unknown), [f"{are} left out, unknown to {truth.name}, such as {extra[ID][0]:.60}"]

    def say(row: Mapping[str, Any]) -> str:
        hint = nearest(row[ID], ids.head(_LOOKED_AT))
        return f"{raw.unit} {row[NUMBER]}, id: expected an id of {truth.name}; got {quoted(row[ID])}{hint}"

    return _without(raw, frame, unknown, extra, say), []


def check_lines_left(raw: Raw, lines: pl.DataFrame, truth: MarkedTexts | None = None) -> None:
    """Raises DataError where no line is left to count."""
    if lines.height:
        return
    held, known = raw.lines[ID].drop_nulls(), None if truth is None else truth.texts[ID]
    in_common = known is None or held.is_empty() or held.is_in(known.implode()).any()
    if in_common and (reasons := raw.bad_lines.messages):
        count = "all" if raw.bad_lines.dropped >= raw.rows else f"{raw.bad_lines.dropped:,}"
        raise DataError(f"{raw.name}: no {raw.unit} is left, since {count} were invalid, such as: {reasons[0]}")
    if truth is None or known is None or raw.lines.is_empty():
        raise DataError(f"{raw.name}: expected at least one text; none is left")
    theirs, ours = (listed(side.unique(maintain_order=True).head(3)) for side in (held, known))
    holds = f"it holds {theirs}, expected such as {ours}"
    raise DataError(f"{raw.name}: no id in common with {truth.name}: {holds}{near_miss(held, known)}")
