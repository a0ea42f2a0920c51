"""Tables with a row per pair and a column per annotator.

A row holds both responses, and what is known of them: pair (the id; the row's number where there is none),
prompt, text_a, text_b, model_a, model_b. Which column is which is said by `columns`; which columns are
annotators by `annotator_columns`; what their values mean by `vote_values`. All other columns without lists or
objects are the data set's metadata.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from karat.errors import SHOWN, DataError, OptionError, nearest
from karat.formats.findings import Findings
from karat.formats.messages import turns_text
from karat.formats.records import Records
from karat.schemas.pairs import CODE, LENGTHS, TEXTS, VOTE, VOTES, Annotator, Pairs, with_lengths

VALUES: Mapping[str, int] = {**CODE, "a": CODE["text_a"], "b": CODE["text_b"]}
"""What a vote may look like where nobody says otherwise."""

RESERVED = "metadata."
"""What stands before the name of a metadata column that would be taken for one of Karat's own."""

RESPONSES = ("text_a", "text_b")
_ROW = "__row__"


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands where in a table.

    columns: Karat's name -> the table's, for those of TEXTS that it has. votes: annotator -> the table's
    column. values: value -> code of the vote. empty: the code of a cell that holds nothing.
    without: columns that are neither votes nor texts nor metadata.
    """

    columns: Mapping[str, str]
    votes: Mapping[Annotator, str]
    values: Mapping[str, int]
    default: str | None = None
    empty: int = CODE["missing"]
    without: tuple[str, ...] = ()


def vote_codes(values: Mapping[str, Sequence[str]] | None) -> Mapping[str, int]:
    """Value -> code, from vote -> values as a user gives them; VALUES where none are given.

    Raises OptionError for an unknown vote, and for a value that stands for two.
    """
    if not values:
        return VALUES
    found: dict[str, int] = {}
    for vote, texts in values.items():
        if vote not in CODE:
            known = ", ".join(VOTES)
            raise OptionError(f'vote_values: expected one of {known}; got "{vote}"{nearest(vote, VOTES)}')
        for text in texts:
            if found.setdefault(text, CODE[vote]) != CODE[vote]:
                raise OptionError(f'vote_values: "{text}" stands for {VOTES[found[text]]} and for {vote}')
    return found


def chosen_columns(
    records: Records, columns: Mapping[str, str], usual: Mapping[str, str], needed: Sequence[str]
) -> dict[str, str]:
    """Karat's name -> the table's: those given, else the usual ones where the table has them.

    Raises OptionError for a name that Karat has not, DataError for a column that the table has not.
    """
    for name in columns:
        if name not in {*usual, *needed}:
            known = [*usual, *(one for one in needed if one not in usual)]
            raise OptionError(f"columns: expected one of {', '.join(known)}; got {name}{nearest(name, known)}")
    found = {**usual, **columns}
    missing = [name for name in (*columns, *needed) if found.get(name, name) not in records.columns]
    if missing:
        raise DataError([_missing(records, name, found.get(name, name)) for name in dict.fromkeys(missing)])
    return {name: theirs for name, theirs in found.items() if theirs in records.columns}


def _missing(records: Records, name: str, theirs: str) -> str:
    return (
        f"{records.name}: expected a column {theirs}{nearest(theirs, records.columns)}; "
        f"got {', '.join(records.columns):.300}. Say which column holds it with --columns {name}=..."
    )


def wide_layout(
    records: Records,
    columns: Mapping[str, str],
    annotator_columns: Sequence[str],
    vote_values: Mapping[str, Sequence[str]] | None,
) -> Layout:
    """The layout of a table whose annotator columns the user names."""
    found = chosen_columns(records, columns, {name: name for name in TEXTS}, RESPONSES)
    if not annotator_columns:
        raise OptionError(
            f"{records.name}: nothing says who votes. Name the annotators' columns with --annotator-columns "
            f"(the columns are {', '.join(records.columns):.300})"
        )
    for name in annotator_columns:
        if name not in records.columns:
            known = f"{nearest(name, records.columns)}; got {', '.join(records.columns):.300}"
            raise OptionError(f"{records.name}: expected a column {name}{known}")
        if list(annotator_columns).count(name) > 1 or name in found.values():
            raise OptionError(f"annotator_columns: expected each column once; {name} stands twice")
    votes = {Annotator(name): name for name in annotator_columns}
    return Layout(found, votes, vote_codes(vote_values))


def read_wide(records: Records, layout: Layout, name: str, *, drop: bool) -> Pairs:
    """The pairs in a table. Raises DataError with all that is wrong, or with `drop` leaves out those rows."""
    findings = Findings()
    texts, others = _texts(records, layout)
    votes = (
        pl.DataFrame([_codes(records, layout, one, column) for one, column in layout.votes.items()])
        if layout.votes
        else pl.DataFrame()
    )
    metadata = _metadata(records, layout)
    frame = pl.concat([texts, metadata, votes], how="horizontal").with_columns(records.rows.alias(_ROW))
    frame = _checked(frame, records, layout, findings)
    warnings = findings.settle(drop=drop)
    if frame.is_empty():
        raise DataError(f"{records.name}: no pair is left after dropping")
    pairs = frame.drop(_ROW).lazy()
    ordered = [*TEXTS, *LENGTHS, *metadata.columns, *(one.column for one in layout.votes)]
    return Pairs(
        name=name,
        frame=with_lengths(pairs).select(ordered),
        annotators=tuple(layout.votes),
        default=layout.default,
        metadata=tuple(metadata.columns),
        warnings=(*others, *warnings),
    )


def _texts(records: Records, layout: Layout) -> tuple[pl.DataFrame, list[str]]:
    """The columns of TEXTS, and a warning where responses are not text."""
    columns, others = [], 0
    for name in TEXTS:
        if name not in layout.columns:
            text = (
                records.rows.cast(pl.String)
                if name == "pair"
                else pl.Series([None] * len(records.rows), dtype=pl.String)
            )
        else:
            text, count = records.text(layout.columns[name], turns_text)
            others += count if name in RESPONSES else 0
            text = text if name in RESPONSES else _or_null(text)
        columns.append(text.alias(name))
    return pl.DataFrame(columns), other_warnings(others)


def other_warnings(count: int) -> list[str]:
    """The warning that responses were not text, where any were not."""
    if not count:
        return []
    responses = "response is no text and was" if count == 1 else "responses are no text and were"
    return [f"{count:,} {responses} read as JSON writes them (numbers, true, false, lists)"]


def _or_null(text: pl.Series) -> pl.Series:
    return text.to_frame().select(pl.when(pl.first() != "").then(pl.first())).to_series()


def _codes(records: Records, layout: Layout, annotator: Annotator, column: str) -> pl.Series:
    """An annotator's votes as codes; null where the value is none of those that mean a vote."""
    text = _or_null(records.text(column)[0]).alias("value").to_frame()
    given = text.select(
        pl.when(pl.col("value").is_null())
        .then(pl.lit(layout.empty, pl.UInt8))
        .otherwise(
            pl.coalesce(
                pl.col("value").replace_strict(layout.values, default=None, return_dtype=pl.UInt8),
                pl.col("value")
                .str.strip_suffix(".0")
                .replace_strict(layout.values, default=None, return_dtype=pl.UInt8),
            )
        )
    )
    return given.to_series().alias(annotator.column)


def metadata_name(name: str) -> str:
    """The name under which a metadata column stands in the frame.

    >>> metadata_name("topic"), metadata_name("length_a")
    ('topic', 'metadata.length_a')
    """
    taken = name in {*TEXTS, *LENGTHS} or name.startswith((VOTE, RESERVED, "response_a.", "response_b.", "__"))
    return RESERVED + name if taken else name


def _metadata(records: Records, layout: Layout) -> pl.DataFrame:
    used = {*layout.columns.values(), *layout.votes.values(), *layout.without}
    further = [name for name in records.columns if name not in used and records.is_flat(name)]
    return pl.DataFrame([_or_null(records.text(name)[0]).alias(metadata_name(name)) for name in further])


def _checked(frame: pl.DataFrame, records: Records, layout: Layout, findings: Findings) -> pl.DataFrame:
    """The frame without the rows that break a rule; what they break is added to the findings."""
    rules = [("pair", "expected the pair's id", pl.col("pair").is_null())]
    rules += [(name, "expected a response", pl.col(name).is_null()) for name in RESPONSES]
    expected = f"expected one of {', '.join(layout.values)}"
    rules += [(one.column, expected, pl.col(one.column).is_null()) for one in layout.votes]
    rules.append(("pair", "expected each pair once", pl.col("pair").is_duplicated() & pl.col("pair").is_not_null()))
    masks = frame.select(mask.alias(str(number)) for number, (_, _, mask) in enumerate(rules))
    bad = masks.select(pl.any_horizontal(pl.all())).to_series()
    if not bad.any():
        return frame
    _report(frame, masks, [(column, expected) for column, expected, _ in rules], records, layout, findings)
    findings.rows += int(bad.sum())
    return frame.filter(~bad)


def _report(
    frame: pl.DataFrame,
    masks: pl.DataFrame,
    rules: Sequence[tuple[str, str]],
    records: Records,
    layout: Layout,
    findings: Findings,
) -> None:
    """A message for each of the first broken cells, in the order of rows; the rest is counted."""
    cells = [(row, n) for n in range(len(rules)) for row in masks[str(n)].arg_true().head(SHOWN).to_list()]
    theirs = {**layout.columns, **{one.column: column for one, column in layout.votes.items()}}
    for row, number in sorted(cells)[:SHOWN]:
        name, expected = rules[number]
        column = theirs[name]
        place = f"{records.name}, {records.unit} {frame[_ROW][row]}, column {column:.60}"
        findings.add(f"{place}: {expected}; got {_got(records, column, row, layout)}")
    total = sum(int(masks[name].sum()) for name in masks.columns)
    findings.total += total - min(len(cells), SHOWN)


def _got(records: Records, column: str, row: int, layout: Layout) -> str:
    """What stands in a cell, with the nearest of the values where it should be a vote."""
    value = replace(records, holder=records.holder[row : row + 1]).text(column)[0][0]
    if not value:
        return "nothing"
    hint = nearest(value, layout.values) if column in layout.votes.values() else ""
    return f'"{value:.60}"{hint}'
