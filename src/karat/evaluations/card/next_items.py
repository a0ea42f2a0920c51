"""Which items people label next, so that most is learnt of the judge's errors; and what each then stands for."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.evaluations.card.labelled import Floats, Labelled
from karat.evaluations.card.reading import Read
from karat.statistics.samples import chances, drawn

_MOST_LABELS = 20
"""With more the judge's labels are numbers, and errors are told apart by their quarters."""
_QUARTERS = 4


def next_items(read: Read, data: Labelled, by: Sequence[str], count: int, seed: int) -> pl.DataFrame:
    """A row for each item that people are to label next, and behind them all labels that there are.

    Items are drawn with `chances` by how far the judge is off where it gives the same label (`expected_errors`). The
    weight of an item that is labelled by then is 1 / (p + (1 - p) c), where c is its chance and p the share of items
    that are labelled already: 1 over the probability that it is labelled at all. Columns: item, annotator, label,
    weight, and whatever else was read.
    Raises OptionError where people labelled no item, or fewer than so many are left.
    """
    left = data.items.height - data.n
    if not data.n or count > left:
        had = f"{left:,} are labelled by the judge alone" if data.n else "people labelled none of the judge's yet"
        raise OptionError(f"label_next: expected at most as many items as are left, beside labelled ones; {had}")
    share = data.n / data.items.height
    all_chances = chances(expected_errors(read, data), data.n, count)
    weights = pl.Series("weight", 1 / (share + (1 - share) * all_chances))
    about = data.items.select("item", *by, *(["cluster"] if read.clustered else []))
    chosen = data.n + np.sort(drawn(all_chances[data.n :], np.random.default_rng(seed)))
    asked = about.with_columns(weights)[chosen]
    known = pl.concat([about.with_columns(weights).head(data.n), asked]).select("item", "weight")
    said = (
        read.once.drop("place").rename({"who": "annotator"}).with_columns(pl.col("annotator", "label").cast(pl.String))
    )
    rows = pl.concat([asked, said.join(known, on="item", how="left", maintain_order="left")], how="diagonal_relaxed")
    first = ["item", "annotator", "label", "weight"]
    return rows.select(*first, pl.exclude(first))


def expected_errors(read: Read, data: Labelled) -> Floats:
    """How far the judge is expected to be off on each of its items: the root of a mean square.

    Off is the share of people who say something else; on a scale the distance to their mean. The mean is that over
    labelled items of which the judge says the same, and one more item that is as the mean of all.
    """
    if read.level in ("interval", "ratio"):
        squares = (data.people(pl.col("place")) - data.judge(pl.col("place"))[: data.n]) ** 2
    else:
        squares = (1 - data.agreement()) ** 2
    codes = _alike(data)
    size = int(codes.max()) + 1
    sums, counts = np.bincount(codes[: data.n], squares, size), np.bincount(codes[: data.n], minlength=size)
    found: Floats = np.sqrt((sums + squares.mean()) / (counts + 1))[codes]
    return found


def _alike(data: Labelled) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Numbers of the groups of items of which the judge says the same."""
    labels = data.items["label"]
    if labels.n_unique() <= _MOST_LABELS or data.items["place"].is_null().all():
        return (labels.rank("dense") - 1).to_numpy().astype(np.int64)
    ranks = (data.items["place"].rank("average").fill_null(0) * _QUARTERS / (len(labels) + 1)).floor()
    return ranks.to_numpy().astype(np.int64)
