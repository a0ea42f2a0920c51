"""Pairs as the CSV of Feedback Forensics, which `karat.formats.pair_tables` reads back."""

from collections.abc import Iterator

import polars as pl

from karat.errors import OptionError
from karat.formats.pairs import RESERVED, RESPONSES
from karat.schemas.pairs import TEXTS, VOTES, Pairs

DEFAULT = "preferred_text"
_BATCH = 20_000


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
