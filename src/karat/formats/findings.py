"""What is wrong with an input, collected while it is read, and the words that all messages share."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from karat.errors import SHOWN, DataError, nearest
from karat.schemas.rules import Rule

_LISTED = 5
_ROWS = 3
"""Rows that are named of problems of one kind."""


@dataclass(slots=True)
class Findings:
    """Problems found so far: the first messages, and how many there are.

    spoken: how many problems the messages speak of.
    unit: what is left out because of them, such as "row". dropped: how many were; reasons: how many for which reason,
    where readers tell reasons apart. blanked: how many values count as missing. told: what was done to read the input,
    which is no problem.
    """

    unit: str = "row"
    messages: list[str] = field(default_factory=list)
    total: int = 0
    spoken: int = 0
    dropped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    blanked: int = 0
    told: list[str] = field(default_factory=list)

    def add(self, message: str, count: int = 1, *, dropped: int = 0) -> None:
        """One message that stands for `count` problems."""
        if len(self.messages) < SHOWN:
            self.messages.append(message)
            self.spoken += 1
        self.total += count
        self.dropped += dropped

    def add_each(
        self, rows: pl.DataFrame, say: Callable[[dict[str, Any]], str], *, dropped: int = 0, reason: str = ""
    ) -> None:
        """A problem for each of some rows; of the first ones, what `say` makes of them."""
        for row in rows.head(SHOWN).iter_rows(named=True):
            self.add(say(row))
        self.total += max(rows.height - SHOWN, 0)
        self.dropped += dropped
        if reason:
            self.reasons[reason] += dropped

    def join(self, others: "Findings") -> None:
        """Take over what was found elsewhere."""
        room = max(SHOWN - len(self.messages), 0)
        self.messages += others.messages[:room]
        self.spoken += others.spoken if len(others.messages) <= room else room
        self.total += others.total
        self.dropped += others.dropped
        self.reasons += others.reasons
        self.blanked += others.blanked
        self.told += others.told

    def keep(self, frame: pl.DataFrame, rules: Sequence[Rule], say: "Say", *, reasons: bool = False) -> pl.DataFrame:
        """The rows that keep all rules. The others are dropped; each broken cell is a problem, told once per rule.

        reasons: whether to count by column how many rows were dropped.
        """
        masks = frame.select(rule.broken.fill_null(value=False).alias(str(nth)) for nth, rule in enumerate(rules))
        counts = masks.sum().row(0) if rules else ()
        if not any(counts):
            return frame
        broken = {nth: masks[str(nth)].arg_true().head(_ROWS) for nth, count in enumerate(counts) if count}
        for nth, rows in sorted(broken.items(), key=lambda one: (one[1][0], one[0])):
            told = list(say([(row, rules[nth]) for row in rows]))
            lines = of_one_kind(told, counts[nth])
            room = max(SHOWN - len(self.messages), 0)
            self.messages += lines[:room]
            self.spoken += counts[nth] if room and len(lines) == 1 else min(room, len(lines))
            self.total += counts[nth]
        bad = masks.select(pl.any_horizontal(pl.all())).to_series()
        self.dropped += int(bad.sum())
        if reasons:
            for rule, count in zip(rules, counts, strict=True):
                self.reasons[rule.column] += count
        return frame.filter(~bad)

    def once(self, frame: pl.DataFrame, keys: Sequence[str], number: str, where: str, expected: str) -> pl.DataFrame:
        """The rows whose keys stand once; others are dropped, and are a problem each.

        number: the column of rows' numbers. where: what stands before them in messages. expected: in words.
        """
        twice = frame.select(pl.struct(keys).is_duplicated()).to_series()
        if not twice.any():
            return frame
        repeated = frame.filter(twice).group_by(keys, maintain_order=True).agg(number)

        def say(row: Mapping[str, Any]) -> str:
            found = keys_said(row, keys) if len(keys) > 1 else cut(row[keys[0]])
            return f"{where} {listed(row[number], SHOWN)}: expected {expected}; {found} stands {len(row[number])} times"

        self.add_each(repeated, say, dropped=int(twice.sum()))
        return frame.filter(~twice)

    def settle(self, *, drop: bool = False) -> list[str]:
        """Raise DataError where anything is wrong; else what was told, and with `drop` a count of what was left out."""
        if self.total and not drop:
            raise DataError(self.messages, self.total, self.spoken)
        found = []
        if self.dropped:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in self.reasons.items() if count)
            said = counted(self.dropped, f"invalid {self.unit} was dropped", f"invalid {self.unit}s were dropped")
            found.append(said + (f" ({reasons})" if reasons else ""))
        if self.blanked:
            found.append(counted(self.blanked, "invalid value counts as missing", "invalid values count as missing"))
        return [*self.told, *([f"{', '.join(found)}, such as: {self.messages[0]}"] if found else [])]


Say = Callable[[Sequence[tuple[int, Rule]]], Iterable[str]]
"""Makes messages of cells: each the row of the frame, and the rule that it breaks."""


def cell(place: str, column: str, rule: Rule, value: object) -> str:
    """The message about a cell that breaks a rule. place: the file and the row in it."""
    hint = nearest(str(value).strip(), rule.known) if rule.known and value else ""
    return f"{place}, column {column:.60}: expected {rule.expected}; got {quoted(value)}{hint}"


def cells_of(frame: pl.DataFrame, name: str, unit: str, row: str, names: Mapping[str, str]) -> Say:
    """Messages from the frame's own texts. row: its column of row numbers. names: Karat's column -> the file's."""

    def say(cells: Sequence[tuple[int, Rule]]) -> Iterable[str]:
        for index, rule in cells:
            found = frame.row(index, named=True)
            place = f"{name}, {unit} {found[row]}"
            yield cell(place, names.get(rule.column, rule.column), rule, found[rule.column])

    return say


_MESSAGE = re.compile(
    r"(?P<where>.*?, (?:row|line|record|item)) (?P<row>\d+)(?P<what>, column .*?: expected .*); got (?P<got>.*)"
)


def of_one_kind(messages: Sequence[str], count: int) -> list[str]:
    """Messages that differ in the row and in what came, as one. count: how many problems they are the first of.

    >>> of_one_kind(['x.csv, row 3, column a: expected b; got "c"', 'x.csv, row 9, column a: expected b; got "d"'], 4)
    ['x.csv, rows 3, 9 and 2 more, column a: expected b; got "c", "d"']
    """
    found = [_MESSAGE.fullmatch(one) for one in messages]
    first = found[0] if found else None
    if len(messages) == 1 or first is None or any(one is None for one in found):
        return list(messages)
    parts = [one.groupdict() for one in found if one]
    if len({(one["where"], one["what"]) for one in parts}) > 1:
        return list(messages)
    rows, got = (", ".join(dict.fromkeys(one[name] for one in parts)) for name in ("row", "got"))
    more = f" and {count - len(parts):,} more" if count > len(parts) else ""
    return [f"{first['where']}s {rows}{more}{first['what']}; got {got}"]


def quoted(value: object) -> str:
    """What came instead of what was expected."""
    return "nothing" if value is None or value == "" else f'"{value!s:.60}"'


def counted(count: int, one: str, many: str) -> str:
    """A count with its words.

    >>> counted(1, "item has", "items have"), counted(1200, "item has", "items have")
    ('1 item has', '1,200 items have')
    """
    return f"{count:,} {one if count == 1 else many}"


def cut(value: object) -> str:
    """What is named in a message, if need be shortened."""
    return f"{value!s:.60}"


def keys_said(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """What a row is about, in words.

    >>> keys_said({"id": 7, "draw": None, "closed": True}, ["id", "draw", "closed"])
    'id 7, closed True'
    """
    return ", ".join(f"{key} {cut(row[key])}" for key in keys if row[key] is not None and row[key] is not False)


def listed(values: Iterable[object], most: int = _LISTED, say: Callable[[object], str] = cut) -> str:
    """The first of some values, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    known = list(values)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(map(say, known[:most])) + more


def left_out(keys: Iterable[str], known: Collection[str], what: str = "keys") -> list[str]:
    """A warning that counts the keys that are none of those known.

    >>> left_out(["id", "lable", "lable"], ["id", "label"])
    ['keys that mean nothing to Karat are left out: "lable" (did you mean "label"?) in 2']
    """
    counts = Counter(key for key in keys if key not in known)
    shown = {key: key[:60].encode(errors="replace").decode() for key in counts}
    told = [f'"{shown[key]}"{nearest(key, known)} in {count:,}' for key, count in counts.most_common()]
    return [f"{what} that mean nothing to Karat are left out: {listed(told, say=str)}"] if told else []


def said_twice(names: Iterable[str]) -> str:
    """What is wrong with an object that holds some names more than once."""
    return f"expected each name once; {', '.join(names):.60} stands twice"
