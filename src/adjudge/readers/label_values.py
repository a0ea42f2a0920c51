"""The meanings of labels, decided once before scoring: missing labels, and spellings of one label.

Decisions use distinct labels and their frequencies. Each one is a warning with counts and the option that undoes it.
"""

import ast
import re
import shlex
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.column_names import LABELS
from adjudge.readers.io.json_documents import json_text, json_value, plain_text
from adjudge.readers.problems import count_words
from adjudge.schemas.columns import with_decimal_point
from adjudge.schemas.spelling import first_few, fold_label

MISSING = frozenset(LABELS["missing"])
"""Folded labels of programs and annotators for a missing label: R writes NA, Python None."""
_DECLINED = re.compile("|".join(LABELS["declined"]))
"""Folded answers, or failed calls, that are missing labels only if there is a reference, which never uses them."""
_NONE = "none"
"""The word that is an ordinary label."""
_FAMILIES = {**dict.fromkeys(("yes", "y", "true", "1"), "yes"), **dict.fromkeys(("no", "n", "false", "0"), "no")}
_WORD, _SIGNS, _TAG = re.compile(r"[^\W\d_]{2}"), re.compile(r"[-+±/ ]*\+[-+±/ ]*"), re.compile(r"O|[BIESLU]-\S+")
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0+)?")
_NUMBER, _CODE = re.compile(r"[+-]?\d+(\.\d+)?"), re.compile(r"-?([89])\1*(\.0+)?")
_REPLY = re.compile(r"""[*_`"'(]*(\w[^*_`"'.!,:;)]*)[*_`"'.!,:;)]*( \S+ .*)?""", re.DOTALL)
"""A label, and what a model writes around it: **Yes**, or Yes, so it is."""
BETWEEN = re.compile(r"[;,|\n]")
"""Separators between the parts of a set."""
_DECIMAL = re.compile(r"\d+,\d+")
_DATE = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)(?:[ T]00:00(?::00(?:\.0+)?)?)?|(\d\d?)([-/.])(\d\d?)\6(\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_NAMED = re.compile(
    rf"(?:(\d\d?)(?:st|nd|rd|th)?[ -]?{_MONTH},?[ -]?|{_MONTH} ?(\d\d?)(?:st|nd|rd|th)?,? )(\d{{4}})", re.IGNORECASE
)
"""Days with the name of the month: 6 December 2023, Dec. 6th, 2023, 06-Dec-2023."""


@dataclass(frozen=True, slots=True)
class LabelRules:
    """Rules for the meanings of labels.

    listed: valid or ordered labels, whose spelling and meaning are fixed. meant: meanings by `map_values`, which are
    never missing labels. numbers: whether labels are positions on a scale; otherwise only whole numbers are equal (1
    and 1.0), since 3.1 and 3.10 may be versions. exact: whether different spellings are different labels. date_order:
    the first part of dates such as 03/04/2020, "day" or "month". columns: column of labels -> its labels.
    """

    listed: Sequence[str] = ()
    meant: Collection[str] = ()
    numbers: bool = False
    exact: bool = False
    date_order: str | None = None
    columns: Mapping[str, Collection[str]] = field(default_factory=dict)

    def holding(self, *labels: str) -> list[str]:
        """The columns with all of some labels; label if there is none."""
        return [name for name, held in self.columns.items() if {*labels} <= {*held}] or ["label"]


LabelChanges = tuple[Mapping[str, str | None], list[str]]
"""Changed label -> its new label, None for a missing one; and warnings."""


def settle(counts: Mapping[str, int], trusted: Collection[str], rules: LabelRules, empty: int = 0) -> LabelChanges:
    """The meanings of labels of judges and of the reference.

    counts: frequency of each label. trusted: the labels of the reference. empty: number of cells without a label.
    Raises DataError for ambiguous labels, with the options that decide.

    >>> settle({"yes": 5, "Yes": 1, "no": 4, "N/A": 1}, ["yes", "no"], LabelRules())[0]
    {'N/A': None, 'Yes': 'yes'}
    """
    meaning: dict[str, str | None] = {label: label for label in sorted(counts)}
    warnings = list[str]()
    for step in (_abstentions,) if rules.exact else (_lists, _abstentions, _dates, _spellings):
        current = Counter[str]()
        for label, meant in meaning.items():
            if meant is not None:
                current[meant] += counts[label]
        changed, messages = step(current, {text for label in trusted if (text := meaning[label]) is not None}, rules)
        warnings += messages
        if changed:
            meaning = {label: None if meant is None else changed.get(meant, meant) for label, meant in meaning.items()}
    left = dict.fromkeys(label for label in meaning.values() if label is not None)
    several = (label for label, parts in label_sets(left).items() if len(parts) > 1) if empty else ()
    if not rules.exact and (other := next(iter(several), None)):
        raise _two_readings("", empty, other)
    if any(label.startswith("B-") for label in left) and all(map(_TAG.fullmatch, left)):
        tags = first_few(sorted(left))
        warnings.append(f"labels are tags of spans, compared one by one: {tags}. adjudge violations compares spans")
    warnings += [] if rules.exact else _replies(left, {*trusted, *rules.listed, *rules.meant})
    return {label: meant for label, meant in meaning.items() if meant != label}, warnings


def label_counts(*columns: pl.Series) -> Counter[str]:
    """The frequency of each label in columns."""
    counts = Counter[str]()
    for labels in columns:
        table = labels.drop_nulls().value_counts(name="count")
        counts.update(dict(zip(table.to_series(0).cast(pl.String), table["count"], strict=True)))
    return counts


def settle_known(
    frame: pl.DataFrame, columns: Sequence[str], known: Collection[str], sides: Mapping[str, str], *, exact: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Columns of known labels, unless exact, and warnings.

    Labels that differ from a known one only by spaces or case become it, and other words for a side its label; words
    for a missing label become null. sides: meaning from `side_word` -> the label.
    """
    if exact:
        return frame, []
    counts = label_counts(*frame.select(columns))
    gone = [label for label in sorted(counts) if fold_label(label) in MISSING - set(map(fold_label, known))]
    gone = [label for label in gone if label.strip() != _NONE]
    main = {spelling: label for spelling, label in main_spellings(counts, known).items() if label in known}
    words = {label: side_word(label) or "" for label in sorted(counts.keys() - {*known, *gone, *main})}
    meant = {label: sides[side] for label, side in words.items() if side in sides}
    warnings = [f"labels counted as missing: {listed_counts(gone, counts)}"] if gone else []
    warnings += _spelling_warnings(counts, main)
    if meant:
        shown = first_few([f'"{label:.60}" ({counts[label]:,}) as "{side}"' for label, side in meant.items()])
        undo = "Use --exact-labels to reject them, or define them with --vote-values or --map-values"
        warnings.append(f"other words for the sides count as their labels: {shown}. {undo}")
    return frame.with_columns(pl.col(columns).replace({**main, **meant, **dict.fromkeys(gone)})), warnings


# --- missing labels ---


def is_abstention(label: str) -> bool:
    """Whether a label stands for a missing one."""
    text = fold_label(label)
    return text in MISSING or bool(_DECLINED.fullmatch(text))


def _abstentions(counts: Mapping[str, int], trusted: Collection[str], rules: LabelRules) -> LabelChanges:
    """Words for a missing label, unless options define them as labels."""
    folded = {label: fold_label(label) for label in counts}
    listed = {fold_label(one) for one in (*rules.listed, *rules.meant)} - {""}
    words = sorted(label for label in counts if is_abstention(label) and label.strip() != _NONE)
    candidates = [label for label in words if folded[label] not in listed]
    others = {text for label, text in folded.items() if label not in candidates and text != _NONE}
    labels = {fold_label(one) for one in trusted}
    if _NONE in counts or (all(map(_WORD.search, others)) and others - _FAMILIES.keys()):
        labels.add(_NONE)
    labels |= {"-", "--"} if any(map(_SIGNS.fullmatch, others)) else set()
    asked = [one for one in candidates if folded[one] in labels or not (trusted or folded[one] in MISSING)]
    asked += [one for one in _codes(counts.keys() - {*candidates}) if folded[one] not in labels | listed]
    gone = [one for one in candidates if one not in asked]
    warnings = []
    if gone:
        keep = map_values_text({gone[0]: gone[0]}, rules.holding(gone[0]))
        some = f"labels counted as missing: {listed_counts(gone, counts)}"
        warnings.append(f"{some}. To keep one: --map-values {keep}")
    if asked:
        some = f"labels that may mean a missing label, but count as labels: {listed_counts(asked, counts)}"
        excluded = map_values_text(dict.fromkeys(asked, ""), rules.holding(*asked))
        warnings.append(f"{some}. If so: --map-values {excluded}")
    return dict.fromkeys(gone), warnings


def _codes(labels: Collection[str]) -> list[str]:
    """Labels such as -99 and 9, where all are numbers and these lie outside the range of the others by more than it."""
    values = {label: float(label) for label in sorted(labels) if _NUMBER.fullmatch(label.strip())}
    usual = [value for label, value in values.items() if not _CODE.fullmatch(label.strip())]
    low, high = min(usual, default=0), max(usual, default=0)
    outside = [label for label, value in values.items() if max(low - value, value - high) > high - low > 0]
    return outside if len(values) == len(labels) else []


def _replies(labels: Collection[str], known: Collection[str]) -> list[str]:
    """The warning about labels that are another one with marks around it, with a sentence behind it, or in short."""
    folded, kept, meant = {fold_label(label): label for label in labels}, {*map(fold_label, known)}, dict[str, str]()
    several = {label for label, parts in label_sets(labels).items() if len(parts) > 1}
    for label in sorted({*labels} - several):
        match, alike = _REPLY.fullmatch(label), family(label)
        main = folded.get(alike or fold_label(match[1]), label) if match else label
        if match and main != label and fold_label(label) not in kept:
            meant[label[: match.start(2)] + "*" if match[2] else label] = main
    fix = f"To merge them: --map-values {map_values_text(meant)}"
    return [f"labels that may mean another one count separately. {fix}"] if meant else []


def listed_counts(labels: Iterable[str], counts: Mapping[str, int]) -> str:
    """Labels with their counts, for a message."""
    return ", ".join(f'"{label:.60}" ({counts[label]:,})' for label in labels)


def map_values_text(meanings: Mapping[str, str], columns: Sequence[str] = ("label",)) -> str:
    """Labels with their meanings, as `map_values` takes them."""
    values = [re.sub("([,:=])", r"\\\1", value) + f"={meant}" for value, meant in meanings.items()]
    text = ",".join(f"{column}:{','.join(values)}" for column in columns)
    return f'"{text}"' if "'" in text else shlex.quote(text)


# --- lists ---


def list_in_cell(cell: str) -> list[object] | None:
    """The list in a cell, in the form of JSON, Python, numpy or Label Studio's choices; None if there is none.

    >>> list_in_cell("['a', 'b']"), list_in_cell('{"choices":["a"]}'), list_in_cell("[sic] a")
    (['a', 'b'], ['a'], None)
    """
    text = cell.strip()
    if text.startswith('{"choices":') and text.endswith("}"):
        text = text.removeprefix('{"choices":')[:-1].strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    if isinstance(value := json_value(text), list):
        return value
    if not re.search(r"['\"]\s*,", text):
        text = re.sub(r"(?<=['\"])\s+(?=['\"])", ", ", text)
    with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError), warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return list(json_value(json_text(ast.literal_eval(text))))
    return None


def label_of_list(values: Iterable[object]) -> str | None:
    """Several labels as one: sorted, joined by commas, a path as its steps; None for none.

    >>> label_of_list(["b", "a"]), label_of_list([["animal", "bird"]]), label_of_list([])
    ('a, b', 'animal / bird', None)
    """
    if isinstance(values, list) and len(values) == 1 and isinstance(values[0], str):
        return values[0] or None
    texts = [" / ".join(map(_value_text, one)) if isinstance(one, list) else _value_text(one) for one in values]
    return ", ".join(sorted(texts)) or None


def _value_text(value: object) -> str:
    return json_text(value) if isinstance(value, list | dict) else plain_text(value) or ""


def _lists(counts: Mapping[str, int], _: Collection[str], rules: LabelRules) -> LabelChanges:
    """Lists in text as sets of labels."""
    lists = {label: values for label in counts if (values := list_in_cell(label)) is not None}
    sets = {label: text for label, values in lists.items() if (text := label_of_list(values)) is not None}
    if sets and (empty := next((label for label in lists if label not in sets), None)):
        raise _two_readings(empty, counts[empty], next(iter(sets)), rules.holding(empty))
    if not sets:
        return {}, []
    first, total = min(sets), sum(counts[label] for label in sets)
    same = f'lists count as sets of labels: "{first:.60}" as "{sets[first]:.60}", {total:,} in all'
    return sets, [f"{same}. Use --exact-labels to keep them as they are"]


def _two_readings(cell: str, count: int, other: str, columns: Sequence[str] = ("label",)) -> DataError:
    """The error of a cell without labels among others with several."""
    what = f'"{cell}"' if cell else "empty"
    none, missing = (map_values_text({cell: meant}, columns) for meant in ("none", ""))
    cells = f'{count_words(count, "cell is", "cells are")} {what} among others with several labels ("{other:.60}")'
    fix = f"{flag_name('map_values')} {none} if no label fits these items, or {missing} if they are not labelled"
    return DataError(f"label: {cells}", fix=fix)


# --- dates ---


def _dates(counts: Mapping[str, int], trusted: Collection[str], rules: LabelRules) -> LabelChanges:
    """Dates in several styles as days, if most labels are dates. Raises OptionError if day or month may come first."""
    styles, matches, most = set[str](), dict[str, re.Match[str]](), trusted or counts
    for label in counts:
        text = label.strip()
        if named := _NAMED.fullmatch(text):
            text = f"{named[5]}-{_MONTHS.index((named[2] or named[3]).lower()) + 1}-{named[1] or named[4]}"
        if match := _DATE.fullmatch(text):
            matches[label] = match
            styles.add("named" if named else re.sub(r"\d", "", re.sub(r"\d{4}", "y", text)))
    if 2 * len(matches.keys() & most) <= len(most):
        return {}, []
    orders = (rules.date_order,) if rules.date_order else ("day", "month")
    read = [{label: day for label, match in matches.items() if (day := _day(match, order))} for order in orders]
    fits = [one for one in read if len(one) == max(map(len, read))]
    days, other = fits[0], fits[-1]
    if odd := [label for label in days if len(styles) > 1 and days[label] != other.get(label, days[label])]:
        problem = f'labels are dates in several styles, and "{odd[0]}" may be {days[odd[0]]} or {other[odd[0]]}'
        raise OptionError(problem, option="date_order", fix="day, or month: what comes first")
    days, warnings = {**other, **days}, list[str]()
    several = len(styles) > 1 or len({*days.values()}) < len(days)
    if changed := {label: day for label, day in days.items() if several and day != label}:
        first, total = min(changed), sum(counts[label] for label in changed)
        how = f'dates in several styles count as days: "{first}" as "{changed[first]}", {total:,} in all'
        warnings.append(f"{how}. Use --exact-labels to keep them separate")
    if left := [label for label in counts if label not in days]:
        some = f"labels besides dates are not read as dates: {listed_counts(left[:3], counts)}, {len(left):,} in all"
        fix = map_values_text({left[0]: next(iter(days.values()), "2000-12-31")})
        warnings.append(f"{some}. To name the day of one: --map-values {fix}")
    return changed, warnings


def _day(match: re.Match[str], order: str) -> str | None:
    """The day of a date in ISO 8601; None if there is no such day."""
    parts = match.group(1, 3, 4) if match[1] else match.group(8, *((7, 5) if order == "day" else (5, 7)))
    with suppress(ValueError):
        return date(*map(int, parts)).isoformat()
    return None


# --- spellings ---


def _spellings(counts: Mapping[str, int], _: Collection[str], rules: LabelRules) -> LabelChanges:
    """Labels with several spellings."""
    labels = main_spellings(counts, rules.listed, numbers=rules.numbers)
    return labels, _spelling_warnings(counts, labels) if labels else []


def main_spellings(counts: Mapping[str, int], known: Collection[str] = (), *, numbers: bool = False) -> dict[str, str]:
    """Variant spelling -> its label.

    The commonest spelling is the label, on ties the first by code point; for equal numbers the shortest. If all labels
    are of the families yes, y, true, 1 and no, n, false, 0, those of one family are equal; so are those for a side, if
    all are for sides and ties.
    counts: frequency of each label. known: listed labels; one among the spellings is the label, and no known label
    changes to another. numbers: whether labels are positions on a scale.

    >>> main_spellings({"Tie": 2, "tie": 5, "tie ": 1, "a": 3})
    {'Tie': 'tie', 'tie ': 'tie'}
    >>> main_spellings({"1.0": 7, "1": 2}), main_spellings({"3,5": 2}, numbers=True), main_spellings({"y": 2, "Yes": 3})
    ({'1.0': '1'}, {'3,5': '3.5'}, {'y': 'Yes'})
    """
    ordered = [*known, *sorted(counts, key=lambda label: (-counts[label], label))]
    families = [] if numbers else [said for said in (family, side_word) if all(map(said, ordered))]
    sets, listed = label_sets({*ordered}), {*known}
    groups = defaultdict[object, list[str]](list)
    for label in ordered:
        value = families[0](label) if families else _numeric_value(label, numbers=numbers)
        groups[value or sets.get(label) or fold_label(label)].append(label)
    meaning = dict[str, str]()
    for group in groups.values():
        listed_here = listed.intersection(group)
        if len(listed_here) <= 1:
            words = [label for label in group if listed_here or not _numeric_value(label, numbers=numbers)]
            texts = [with_decimal_point(label.strip()) for label in group] if numbers else group
            meant = words[0] if words else min(texts, key=lambda text: (len(text), text))
            meaning |= {label: meant for label in group if label != meant}
    return meaning


def family(label: str) -> str | None:
    """A label's meaning in the families of yes and of no."""
    text = fold_label(label)
    return _FAMILIES.get(text.partition(".")[0] if _WHOLE.fullmatch(text) else text)


def _numeric_value(label: str, *, numbers: bool) -> tuple[Decimal, bool] | None:
    """A numeric label's value, and whether it is a percentage; None for others, such as 007."""
    text = label.strip()
    bare = text.removesuffix("%").rstrip()
    plain = with_decimal_point(bare) if numbers else bare
    return (Decimal(plain), bare != text) if (_NUMBER if numbers else _WHOLE).fullmatch(plain) else None


def label_sets(labels: Collection[str]) -> dict[str, frozenset[str]]:
    """Label that is a set of other labels -> its parts.

    Each part of a set is also a separate label or part of another set, and at least one is such a label; otherwise
    several parts may be a ranking, or a name. If all are two numbers with a comma, they may be decimals.
    """
    several = [label for label in labels if len(list(filter(str.strip, BETWEEN.split(label)))) > 1]
    if all(_DECIMAL.fullmatch(label.strip()) for label in several):
        return {}
    parts = {label: frozenset(filter(None, map(fold_label, BETWEEN.split(label)))) for label in labels}
    alone = frozenset[str]().union(*(parts[label] for label in {*labels} - {*several}))
    among = Counter(part for parts_of_label in {parts[label] for label in several} for part in parts_of_label)
    fits = (own & alone and all(part in alone or among[part] > 1 for part in own) for own in parts.values())
    return {label: own for (label, own), fit in zip(parts.items(), fits, strict=True) if fit}


def _spelling_warnings(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[str]:
    """The warning about merged labels, with counts. labels: from `main_spellings`."""
    groups = defaultdict[str, list[str]](list)
    for label, main in labels.items():
        groups[main].append(f'"{label:.60}" ({counts[label]:,})')
    texts = first_few([f'{", ".join(spellings)} as "{main:.60}"' for main, spellings in groups.items()])
    return [f"spellings of one label count as one (--exact-labels keeps them separate): {texts}"] if groups else []


# --- sides of pairs ---

_WHAT = "(?:text|response|answer|output|option|assistant|candidate|model|system|side|version|completion)"
_WON = "(?:wins?|won|(?:is )?(?:much |slightly |significantly )?better|(?:is )?(?:best|preferred))"
_SIDE = re.compile(
    rf"(?:the )?(?:{_WHAT} ?(?:([a1])|([b2]))|(?:(a|left|first)|(b|right|second))(?: {_WHAT})?)(?: {_WON})?"
)
_TIES = {word: side for side in ("tie", "good", "bad") for word in LABELS[side]}


def side_word(label: str) -> str | None:
    """A label's meaning for two sides: a, b, tie, good (both are) or bad (both are); None for any other.

    A bare number is none, since data sets count sides from 0 or from 1.

    >>> side_word("Response A"), side_word("b wins"), side_word("tie (inconsistent)"), side_word("1")
    ('a', 'b', 'tie', None)
    """
    text = " ".join(re.sub(r"[\W_]+", " ", fold_label(label)).split())
    side = _SIDE.fullmatch(text)
    return _TIES.get(text) if side is None else "a" if side[1] or side[3] else "b"
