"""Problems of an input, collected while it is read, and wording shared by all messages."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from adjudge.errors import SHOWN, DataError, flag_name, nearest
from adjudge.schemas.columns import CellRule
from adjudge.version import TITLE

Say = Callable[[int, CellRule], str]
"""Makes the message of a cell: the row of the frame, and the rule that it breaks."""
SUCH_AS = ", such as: "
"""Text in a warning before the first of its rows, which may quote them."""
_LISTED = 5


def swapped_files(predictions: str, trusted: str) -> DataError:
    """The error of predictions that have the texts of items, which the gold file lacks."""
    problem = f"{predictions}: expected predictions; got item texts (files swapped?)"
    return DataError(problem, fix=f"put {predictions} before {trusted}")


@dataclass(slots=True)
class Findings:
    """Problems so far.

    kinds: of problems -> the first message, and the number of problems. unit: what they exclude, such as "row".
    dropped: number of dropped units; reasons: numbers by reason, if readers distinguish them. blanked: number of values
    that count as missing. told: warnings about changes, which are no problems. fix: the remedy for the first problem,
    if known.
    """

    unit: str = "row"
    kinds: dict[str, tuple[str, int]] = field(default_factory=dict)
    dropped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    blanked: int = 0
    told: list[str] = field(default_factory=list)
    fix: str = ""

    @property
    def total(self) -> int:
        """The number of problems."""
        return sum(count for _, count in self.kinds.values())

    @property
    def messages(self) -> list[str]:
        """A line for each kind of problem, in order of appearance."""
        return [f"{first} (and {n - 1:,} more of this kind)" if n > 1 else first for first, n in self.kinds.values()]

    def add(self, message: str, count: int = 1, *, dropped: int = 0) -> None:
        """Add one message for `count` problems."""
        self.dropped += dropped
        expected, _, _ = message.partition("; got ")
        # a message of one kind differs from another by its place, numbers and names in quotes
        key = _VARIES.sub("", expected) if ": expected" in expected else message
        first, before = self.kinds.get(key, (message, 0))
        self.kinds[key] = (first, before + count)

    def add_each(self, rows: pl.DataFrame, say: Callable[[dict[str, Any]], str], *, dropped: int = 0) -> None:
        """Add a problem of one kind for each row; `say` makes the message of the first one."""
        if rows.height:
            self.add(say(rows.row(0, named=True)), rows.height)
        self.dropped += dropped

    def join(self, others: "Findings") -> None:
        """Add other findings."""
        for message, count in others.kinds.values():
            self.add(message, count)
        self.dropped += others.dropped
        self.reasons += others.reasons
        self.blanked += others.blanked
        self.told += others.told

    def keep(self, frame: pl.DataFrame, rules: Sequence[CellRule], say: Say, *, reasons: bool = False) -> pl.DataFrame:
        """The rows that keep all rules. The others are dropped; each broken cell is a problem, once per rule.

        reasons: whether to count dropped rows by column.
        """
        broken, bad = list[tuple[int, CellRule, int]](), pl.repeat(value=False, n=frame.height, eager=True)
        for rule in rules:
            mask = frame.select(broken=rule.broken.fill_null(value=False)).to_series()
            if rows := mask.arg_true().to_list():
                broken.append((rows[0], rule, len(rows)))
                bad |= mask
        for row, rule, count in sorted(broken, key=lambda one: one[0]):
            self.add(say(row, rule), count)
            if reasons:
                self.reasons[rule.column] += count
        self.dropped += int(bad.sum())
        return frame.filter(~bad) if broken else frame

    def once(self, frame: pl.DataFrame, keys: Sequence[str], number: str, where: str, expected: str) -> pl.DataFrame:
        """The rows with unique keys; others are dropped, and are a problem each.

        number: the column of rows' numbers. where: text before them in messages. expected: description of a valid row.
        """
        twice = frame.select(pl.struct(keys).is_duplicated()).to_series()
        if not twice.any():
            return frame
        repeated = frame.filter(twice).group_by(keys, maintain_order=True).agg(number)

        def say(row: Mapping[str, Any]) -> str:
            times = f"{keys_said(row, keys)} appears {len(row[number])} times"
            return f"{where} {listed(row[number], SHOWN)}: expected {expected}; {times}"

        self.add_each(repeated, say, dropped=int(twice.sum()))
        return frame.filter(~twice)

    def settle(self, *, drop: bool | None = None) -> list[str]:
        """Raise DataError if there are problems; else return warnings, with `drop` including a count of dropped units.

        drop: None if there is no option for it.
        """
        if self.total and not drop:
            usual = f"correct the file, or drop invalid rows with {flag_name('on_invalid')} drop"
            fix = self.fix or ("" if drop is None else usual)
            covered = sum(count for _, count in [*self.kinds.values()][:SHOWN])
            raise DataError(self.messages[:SHOWN], more=self.total - covered, fix=fix)
        counts = []
        if self.dropped:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in self.reasons.items() if count)
            dropped = count_words(self.dropped, f"invalid {self.unit} was", f"invalid {self.unit}s were") + " dropped"
            counts.append(dropped + (f" ({reasons})" if reasons else ""))
        if self.blanked:
            counts.append(count_words(self.blanked, "invalid value counts", "invalid values count") + " as missing")
        return [*self.told, *([f"{', '.join(counts)}{SUCH_AS}{self.messages[0]}"] if counts else [])]


def cell(place: str, column: str, rule: CellRule, value: object) -> str:
    """The message about a cell that breaks a rule. place: the file and its row."""
    hint = nearest(str(value).strip(), rule.known) if rule.known and value else ""
    return f"{place}, column {column:.60}: expected {rule.expected}; got {quoted(value)}{hint}"


def cells_of(frame: pl.DataFrame, name: str, unit: str, row: str, names: Mapping[str, str]) -> Say:
    """Messages from the frame's own texts. row: its column of row numbers. names: Adjudge's column -> the file's."""

    def say(index: int, rule: CellRule) -> str:
        shown = frame.row(index, named=True)
        place = f"{name}, {unit} {shown[row]}"
        return cell(place, names.get(rule.column, rule.column), rule, shown[rule.column])

    return say


_VARIES = re.compile(r'"[^"]*"|\d+')


def quoted(value: object) -> str:
    """The actual value, quoted, for a message."""
    return "nothing" if value is None or value == "" else f'"{value!s:.60}"'


def count_words(count: int, one: str, many: str) -> str:
    """A count with its noun.

    >>> count_words(1, "item has", "items have"), count_words(1200, "item has", "items have")
    ('1 item has', '1,200 items have')
    """
    return f"{count:,} {one if count == 1 else many}"


def cut(value: object) -> str:
    """A name for a message, shortened if necessary."""
    return f"{value!s:.60}"


def keys_said(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The keys of a row for a message.

    >>> keys_said({"id": 7, "draw": None, "closed": True}, ["id", "draw", "closed"])
    'id 7, closed True'
    """
    return ", ".join(f"{key} {cut(row[key])}" for key in keys if row[key] is not None and row[key] is not False)


def listed(values: Iterable[object], most: int = _LISTED, say: Callable[[object], str] = cut) -> str:
    """The first of some values, and the number of others.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    known = list(values)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(map(say, known[:most])) + more


def left_out(keys: Iterable[str], known: Collection[str], what: str = "keys") -> list[str]:
    """A warning that counts unknown keys.

    >>> left_out(["id", "lable", "lable"], ["id", "label"])
    ['keys that mean nothing to Adjudge are ignored: "lable" (did you mean "label"?) in 2']
    """
    counts = Counter(key for key in keys if key not in known)
    shown = {key: key[:60].encode(errors="replace").decode() for key in counts}
    unknown = [f'"{shown[key]}"{nearest(key, known)} in {count:,}' for key, count in counts.most_common()]
    return [f"{what} that mean nothing to {TITLE} are ignored: {listed(unknown, say=str)}"] if unknown else []
