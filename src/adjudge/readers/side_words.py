"""What people and tools call the sides of a pair, and ties: "Response A", "left", "B wins", "both good", "neither"."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import polars as pl

from adjudge.schemas.spelling import first_few, fold_label

_WHAT = "(?:text|response|answer|output|option|assistant|candidate|model|system|side|version|completion)"
_WON = "(?:wins?|won|(?:is )?(?:much |slightly |significantly )?better|(?:is )?(?:best|preferred))"
_SIDE = re.compile(
    rf"(?:the )?(?:{_WHAT} ?(?:([a1])|([b2]))|(?:(a|left|first)|(b|right|second))(?: {_WHAT})?)(?: {_WON})?"
)
_TIES = {
    **dict.fromkeys(("tie", "tied", "draw", "equal", "equally", "same", "no difference", "no preference"), "tie"),
    **dict.fromkeys(("both", "both good", "both are good", "equally good", "tie good"), "good"),
    **dict.fromkeys(("neither", "both bad", "both are bad", "equally bad", "tie bothbad", "bothbad", "tie bad"), "bad"),
}


def side_word(label: str) -> str | None:
    """What a label says of two sides: a, b, tie, good (both are) or bad (both are); None for any other.

    A bare number is none, since data sets count sides from 0 or from 1.

    >>> side_word("Response A"), side_word("b wins"), side_word("Both good"), side_word("1"), side_word("apple")
    ('a', 'b', 'good', None, None)
    """
    text = " ".join(re.sub(r"[\W_]+", " ", fold_label(label)).split())
    side = _SIDE.fullmatch(text)
    return _TIES.get(text) if side is None else "a" if side[1] or side[3] else "b"


def settle_sides(
    frame: pl.DataFrame, columns: Sequence[str], labels: Mapping[str, str], known: Collection[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Columns in which sides that are called otherwise have their label, and a warning with counts where any are.

    labels: what a label says, as `side_word` gives it -> the label. known: all labels, which mean what they say.
    """
    counts = Counter[str]()
    for column in columns:
        counts.update(dict(frame[column].drop_nulls().value_counts().iter_rows()))
    said = {label: side_word(label) or "" for label in sorted(counts.keys() - {*known})}
    meant = {label: labels[side] for label, side in said.items() if side in labels}
    if not meant:
        return frame, []
    told = [f'"{label:.60}" ({counts[label]:,}) as "{main}"' for label, main in meant.items()]
    undo = "Use --exact-labels to refuse them, or say what they mean with --vote-values or --map-values"
    warning = f"labels that say in other words which side is better count as that: {first_few(told)}. {undo}"
    return frame.with_columns(pl.col(columns).replace(meant)), [warning]
