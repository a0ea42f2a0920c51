"""The CSV of Feedback Forensics: text_a, text_b, preferred_text, and optionally prompt, model_a, model_b.

`preferred_text` is the default annotator. A further column is an annotator if text_a or text_b stands in it
anywhere; else it is metadata. Votes are text_a, text_b, both, neither, invalid, not_applicable; an empty cell
(or "missing") is missing. A column `pair` holds the pairs' ids; without it a row's number counts.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from karat.errors import OptionError
from karat.formats.opened import Opened, Records, with_columns
from karat.formats.pairs import RESERVED, RESPONSES, Options, chosen_columns, read_wide, vote_codes
from karat.formats.source import Format
from karat.schemas.pairs import CODE, TEXTS, VOTES, Annotator, Pairs

DEFAULT = "preferred_text"
_USUAL = {name: name for name in (*TEXTS, DEFAULT)}
_BATCH = 20_000


def read_feedback_csv(found: Opened[Options]) -> Pairs:
    """The pairs, and the votes of preferred_text and of every other column that holds votes."""
    records, options = found.records, found.options
    columns = chosen_columns(records, options.columns, _USUAL, (*RESPONSES, DEFAULT))
    default = columns.pop(DEFAULT)
    values = vote_codes(options.vote_values)
    others = [name for name in records.columns if name not in {*columns.values(), default}]
    votes = [default, *(name for name in others if _holds_votes(records, name, values))]
    return read_wide(found, records, columns, {Annotator(name): name for name in votes}, values, default=default)


def _holds_votes(records: Records, column: str, values: Mapping[str, int]) -> bool:
    sides = [value for value, code in values.items() if code in {CODE["text_a"], CODE["text_b"]} and len(value) > 1]
    return records.is_flat(column) and bool(records.text(column)[0].is_in(sides).any())


def feedback_csv(pairs: Pairs) -> Iterator[str]:
    """A data set as the lines of such a CSV, in blocks. Annotators are named by id; lengths are left out.

    Texts are written as they are, so that they read back the same: the file is data, not a sheet to open.
    Raises OptionError where two columns would have the same name.
    """
    default = pairs.default or (pairs.annotators[0].id if pairs.annotators else None)
    votes = {one.column: DEFAULT if one.id == default else one.id for one in pairs.annotators}
    responses, texts = ({name: name for name in some} for some in (RESPONSES, TEXTS))
    names = responses | votes | texts | {name: name.removeprefix(RESERVED) for name in pairs.metadata}
    twice = sorted({name for name in names.values() if list(names.values()).count(name) > 1})
    if twice:
        raise OptionError(f'{pairs.name}: a CSV would hold two columns "{twice[0]:.60}". Choose another format')
    words = dict(enumerate(VOTES[1:], 1))
    spelt = pl.col(list(votes)).replace_strict(words, default=None, return_dtype=pl.String)
    frame = pairs.frame.with_columns(spelt).select(pl.col(column).alias(name) for column, name in names.items())
    for place, batch in enumerate(frame.collect_batches(chunk_size=_BATCH, maintain_order=True)):
        yield batch.write_csv(include_header=place == 0)


FORMAT = Format(
    "feedback-csv", "annotations", read_feedback_csv, with_columns("text_a", "text_b", DEFAULT), endings=(".csv",)
)
