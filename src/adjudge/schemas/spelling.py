"""Spellings of labels and ids.

Labels that differ only by spaces or case, equal numbers and equal sets count as one label. Ids that differ only by what
programs add to them or remove from them stay different, and a warning says so.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial, reduce
from unicodedata import normalize

import polars as pl

from adjudge.schemas.columns import with_decimal_point

_SHOWN = 3
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0+)?")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_BETWEEN = re.compile(r"[;,|]")
"""What stands between the parts of a set."""
_ZEROS = re.compile(r"\s*[+-]?0\d")
_SETS = "of the same parts"
"""In what labels differ that are one set."""
_DECIMAL = re.compile(r"\d+,\d+")
UNSEEN = "[\u00ad\u200b-\u200d\u2060\ufeff]"
"""A pattern of characters of no width, such as a byte-order mark, which stand in cells that were copied."""


def fold_label(label: str) -> str:
    """What labels that count as one have in common, but for numbers and sets.

    Accents may be letters of their own (e and U+0301) or not (U+00E9).

    >>> fold_label("  Both  Good ")
    'both good'
    """
    return " ".join(re.sub(UNSEEN, "", normalize("NFC", label)).split()).casefold()


def label_counts(labels: pl.Series) -> dict[str, int]:
    """How often each label stands in a column."""
    table = labels.drop_nulls().value_counts(name="count")
    return dict(zip(table.to_series(0).cast(pl.String), table["count"], strict=True))


def first_few(texts: Sequence[str]) -> str:
    """The first texts of several, and how many more there are."""
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more


def main_spellings(counts: Mapping[str, int], known: Collection[str] = (), *, numbers: bool = False) -> dict[str, str]:
    """The labels that are spelt otherwise -> the label that they are.

    Of several spellings the commonest is the label, of equally common ones the first by code point; of equal numbers
    the shortest. counts: how often each label stands. known: labels that are listed somewhere; where one of them is
    among the spellings, it is the label, and none of them is ever another. numbers: whether labels are places on a
    scale; else whole numbers alone are equal (1 and 1.0), since 3.1 and 3.10 may be versions.

    >>> main_spellings({"Tie": 2, "tie": 5, "tie ": 1, "a": 3})
    {'Tie': 'tie', 'tie ': 'tie'}
    >>> main_spellings({"1.0": 7, "1": 2}), main_spellings({"3,5": 2}, numbers=True)
    ({'1.0': '1'}, {'3,5': '3.5'})
    """
    sets, listed = _label_sets({*counts, *known}), set(known)
    groups: dict[object, list[str]] = {}
    for label in (*known, *sorted(counts, key=lambda one: (-counts[one], one))):
        value = _numeric_value(label, numbers=numbers)
        groups.setdefault(value if value is not None else sets.get(label) or fold_label(label), []).append(label)
    meaning = dict[str, str]()
    for group in groups.values():
        listed_here = listed.intersection(group)
        if len(listed_here) <= 1:
            are_numbers = _numeric_value(group[0], numbers=numbers) is not None and not listed_here
            meant = _shortest(group, numbers=numbers) if are_numbers else group[0]
            meaning |= {label: meant for label in group if label != meant}
    return meaning


def _numeric_value(label: str, *, numbers: bool) -> tuple[Decimal, bool] | None:
    """What a label is worth that is a number, and whether of a hundred; None for others, such as 007."""
    text = label.strip()
    bare = text.removesuffix("%").rstrip()
    plain = with_decimal_point(bare) if numbers else bare
    return (Decimal(plain), bare != text) if (_NUMBER if numbers else _WHOLE).fullmatch(plain) else None


def _shortest(group: Sequence[str], *, numbers: bool) -> str:
    """The shortest of equal numbers; on a scale with a decimal point."""
    return min((with_decimal_point(one.strip()) if numbers else one for one in group), key=lambda one: (len(one), one))


def _label_sets(labels: Collection[str]) -> dict[str, frozenset[str]]:
    """The labels that are sets of what others are -> their parts.

    Each part of a set is a label of its own or stands in another set too, and at least one is such a label; else
    several parts may be a ranking, or a name. Where all are two numbers with a comma, they may be decimals.
    """
    parts = {label: _parts(label) for label in labels}
    several = {label: frozenset(parts_of_label) for label, parts_of_label in parts.items() if len(parts_of_label) > 1}
    if all(_DECIMAL.fullmatch(label.strip()) for label in several):
        return {}
    alone = {parts_of_label[0] for parts_of_label in parts.values() if len(parts_of_label) == 1}
    among = Counter(part for parts_of_label in set(several.values()) for part in parts_of_label)
    return {
        label: frozenset(parts_of_label)
        for label, parts_of_label in parts.items()
        if not alone.isdisjoint(parts_of_label) and all(part in alone or among[part] > 1 for part in parts_of_label)
    }


def _parts(label: str) -> list[str]:
    """What stands between the separators of a label, or in a list of JSON, whose texts are in quotes."""
    text = label.strip()
    listed = text.startswith("[") and text.endswith("]")
    parts = _BETWEEN.split(text[1:-1] if listed else text)
    return [part for one in parts if (part := fold_label(one.strip().strip("\"'") if listed else one))]


def spelling_warnings(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[str]:
    """The warnings that labels were taken for others, with counts. labels: as `main_spellings` gives them."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for label, main in labels.items():
        if fold_label(label) == fold_label(main):
            kind = "that differ by spaces or case alone"
        else:
            kind = "that are equal numbers" if _numeric_value(label, numbers=True) is not None else _SETS
        kinds.setdefault(kind, {}).setdefault(main, []).append(f'"{label:.60}" ({counts[label]:,})')
    warnings = []
    for kind, groups in kinds.items():
        texts = [f'{", ".join(spellings)} as "{main:.60}"' for main, spellings in groups.items()]
        order = "If their order means something, as in rankings, add --exact-labels"
        apart = order if kind == _SETS else "Use --exact-labels to keep them apart"
        warnings.append(f"labels {kind} count as one: {first_few(texts)}. {apart}")
    return warnings


def number_warnings(counts: Mapping[str, int], known: Collection[str] = ()) -> list[str]:
    """A warning for labels that differ and are equal as numbers, which may be versions, codes or a slip.

    known: labels that are listed somewhere, and so meant as they are.
    """
    groups: dict[object, list[str]] = {}
    for label in sorted(set(counts).difference(known)):
        # Of leading zeros other warnings tell.
        if not _ZEROS.match(label) and (value := _numeric_value(label, numbers=True)) is not None:
            groups.setdefault(value, []).append(label)
    odd = [group for group in groups.values() if len(group) > 1]
    if not odd:
        return []
    texts = [", ".join(f'"{one:.60}" ({counts[one]:,})' for one in group) for group in odd]
    first, other = (one.replace(",", "\\,") for one in odd[0][:2])
    same = "labels that are equal as numbers count as different, as versions or codes do"
    return [f"{same}: {first_few(texts)}. If they are one: --map-values label:{first}={other}"]


def respell_as(
    known: Collection[str], frame: pl.DataFrame, columns: Sequence[str], *, exact: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Columns in which labels that differ from a known one by spaces or case alone are it, unless exact; a warning."""
    if exact:
        return frame, []
    counts = Counter[str]()
    for column in columns:
        counts.update(label_counts(frame[column]))
    main = {spelling: label for spelling, label in main_spellings(counts, known).items() if label in known}
    return frame.with_columns(pl.col(columns).replace(main)), spelling_warnings(counts, main)


# --- ids ---


_WRITTEN = "it was read or written as a number somewhere; write it as text"
_UNDONE: Mapping[str, Callable[[str], str]] = {
    "characters of no width": partial(re.compile(UNSEEN).sub, ""),
    "spaces around it": str.strip,
    f'".0": {_WRITTEN}': partial(re.compile(r"\.0+$").sub, ""),
    f"leading zeros: {_WRITTEN}": partial(re.compile(r"^0+(?=\d)").sub, ""),
}
"""What programs add to ids or take from them, besides case: in words, and what undoes it."""
_BLANK = "".join(sign for sign in map(chr, range(128)) if sign.isspace())
"""What Python takes for spaces in ASCII, four signs more than polars."""


def plain_id(name: str) -> str:
    """An id without what programs change.

    >>> plain_id(" 007.0"), plain_id("Q1"), plain_id("0")
    ('7', 'q1', '0')
    """
    return reduce(lambda text, undo: undo(text), _UNDONE.values(), name.casefold())


def difference(got: str, other: str) -> str:
    """How two ids differ that `plain_id` makes equal; of several ways the last.

    >>> difference("7", "007").partition(":")[0]
    'leading zeros'
    """
    kind, first, second = "upper and lower case", got.casefold(), other.casefold()
    for words, undo in _UNDONE.items():
        if first != second:
            kind, first, second = words, undo(first), undo(second)
    return kind


def near_miss(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """What to say of two sides of which no id is on the other: that one of them nearly is; empty where none is.

    >>> near_miss(["1", "2"], ["001"]).partition(":")[0]
    '. "1" and "001" differ only by leading zeros'
    """
    known = {plain_id(one): one for one in theirs}
    pairs = ((one, known.get(plain_id(one), one)) for one in ours)
    one, other = next(((one, other) for one, other in pairs if one != other), ("", ""))
    return f'. "{one:.60}" and "{other:.60}" differ only by {difference(one, other)}' if one else ""


def alike_warnings(what: str, names: pl.Series) -> list[str]:
    """A warning for the first few groups of distinct names that one would take for each other."""
    by_plain_id: dict[str, list[str]] = {}
    # `plain_id` by polars where a name is ASCII, as nearly all are.
    plain = names.str.to_lowercase().str.strip_chars(_BLANK)
    plain = plain.str.replace(r"\.0+$", "").str.replace(r"^0+(\d)", "${1}")
    further = (names.str.len_bytes() != names.str.len_chars()).arg_true()
    plain = plain.scatter(further, [plain_id(name) for name in names.gather(further)])
    for name in names.filter(plain.is_duplicated()).sort():
        by_plain_id.setdefault(plain_id(name), []).append(name)
    groups = [", ".join(f'"{name:.60}"' for name in alike) for alike in by_plain_id.values()]
    differ = "differ only in case, spaces, .0 or leading zeros, and count as different"
    return [f"the {what} {first_few(groups)} {differ}"] if groups else []
