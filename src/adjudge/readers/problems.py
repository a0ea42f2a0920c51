"""Problems of an input, collected while it is read, and wording shared by all messages."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import polars as pl

from adjudge.errors import SHOWN, DataError, flag_name, nearest
from adjudge.schemas.columns import CellRule
from adjudge.version import TITLE

SUCH_AS = ", such as: "
"""Text in a warning before the first of its rows, which may quote them."""
_LISTED = 5
_ROWS = 3
"""Number of rows that a message names per kind of problem."""


def swapped_files(predictions: str, trusted: str) -> DataError:
    """The error of predictions that have the texts of items, which the gold file lacks."""
    return DataError(
        f"{predictions}: expected predictions; got the texts of the items, which {trusted} lacks, so the two files "
        "seem to be swapped",
        fix=f"{predictions} before {trusted}",
    )


@dataclass(slots=True)
class _Kind:
    """Problems of one kind: the first messages, the number of problems, and the number without a message."""

    first: list[str] = field(default_factory=list)
    count: int = 0
    untold: int = 0


@dataclass(slots=True)
class Findings:
    """Problems so far: the first kinds of them, and their total.

    unit: what they exclude, such as "row". dropped: number of dropped units; reasons: numbers by reason, if readers
    distinguish them. blanked: number of values that count as missing. told: warnings about changes, which are no
    problems. fix: the remedy for the first problem, if known.
    """

    unit: str = "row"
    kinds: dict[str, _Kind] = field(default_factory=dict)
    total: int = 0
    dropped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    blanked: int = 0
    told: list[str] = field(default_factory=list)
    fix: str = ""

    @property
    def messages(self) -> list[str]:
        """A line for each kind of problem, in order of appearance."""
        return [of_one_kind(kind.first, kind.untold) for kind in self.kinds.values()]

    def add(self, message: str, count: int = 1, *, dropped: int = 0) -> None:
        """Add one message for `count` problems."""
        self._add([message], count, 0)
        self.dropped += dropped

    def _add(self, messages: Sequence[str], count: int, untold: int) -> None:
        """Add problems of one kind, with their first messages."""
        self.total += count
        key = _kind_of(messages[0])
        if key in self.kinds or len(self.kinds) < SHOWN:
            kind = self.kinds.setdefault(key, _Kind())
            room = max(_ROWS - len(kind.first), 0)
            kind.first += messages[:room]
            kind.count += count
            kind.untold += untold + len(messages[room:])

    def add_each(
        self, rows: pl.DataFrame, say: Callable[[dict[str, Any]], str], *, dropped: int = 0, reason: str = ""
    ) -> None:
        """Add a problem of one kind for each row; `say` makes the messages of the first ones."""
        if rows.height:
            messages = [say(row) for row in rows.head(_ROWS).iter_rows(named=True)]
            self._add(messages, rows.height, rows.height - len(messages))
        self.dropped += dropped
        if reason:
            self.reasons[reason] += dropped

    def join(self, others: "Findings") -> None:
        """Add other findings."""
        self.total += others.total - sum(kind.count for kind in others.kinds.values())
        for kind in others.kinds.values():
            self._add(kind.first, kind.count, kind.untold)
        self.dropped += others.dropped
        self.reasons += others.reasons
        self.blanked += others.blanked
        self.told += others.told

    def list_after(self, start: str) -> None:
        """Replace the warnings that begin with `start` by one that lists their ends."""
        if ends := [one.removeprefix(start) for one in self.told if one.startswith(start)]:
            self.told = [*(one for one in self.told if not one.startswith(start)), start + listed(ends)]

    def as_dict(self) -> dict[str, Any]:
        """The problems as data for JSON."""
        return {**asdict(self), "reasons": dict(self.reasons)}  # of a Counter, asdict counts its pairs

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Findings from the result of `as_dict`."""
        kinds = {key: _Kind(**kind) for key, kind in told["kinds"].items()}
        return cls(**{**told, "kinds": kinds, "reasons": Counter(told["reasons"])})

    def keep(
        self, frame: pl.DataFrame, rules: Sequence[CellRule], say: "Say", *, reasons: bool = False
    ) -> pl.DataFrame:
        """The rows that keep all rules. The others are dropped; each broken cell is a problem, once per rule.

        reasons: whether to count dropped rows by column.
        """
        masks = frame.select(rule.broken.fill_null(value=False).alias(str(nth)) for nth, rule in enumerate(rules))
        counts = masks.sum().row(0) if rules else ()
        if not any(counts):
            return frame
        broken = {nth: masks[str(nth)].arg_true().head(_ROWS) for nth, count in enumerate(counts) if count}
        for nth, rows in sorted(broken.items(), key=lambda one: (one[1][0], one[0])):
            messages = list(say([(row, rules[nth]) for row in rows]))
            self._add(messages, counts[nth], counts[nth] - len(messages))
        bad = masks.select(pl.any_horizontal(pl.all())).to_series()
        self.dropped += int(bad.sum())
        if reasons:
            for rule, count in zip(rules, counts, strict=True):
                self.reasons[rule.column] += count
        return frame.filter(~bad)

    def once(self, frame: pl.DataFrame, keys: Sequence[str], number: str, where: str, expected: str) -> pl.DataFrame:
        """The rows with unique keys; others are dropped, and are a problem each.

        number: the column of rows' numbers. where: text before them in messages. expected: description of a valid row.
        """
        twice = frame.select(pl.struct(keys).is_duplicated()).to_series()
        if not twice.any():
            return frame
        repeated = frame.filter(twice).group_by(keys, maintain_order=True).agg(number)

        def say(row: Mapping[str, Any]) -> str:
            shown = keys_said(row, keys) if len(keys) > 1 else cut(row[keys[0]])
            return (
                f"{where} {listed(row[number], SHOWN)}: expected {expected}; {shown} appears {len(row[number])} times"
            )

        self.add_each(repeated, say, dropped=int(twice.sum()))
        return frame.filter(~twice)

    def settle(self, *, drop: bool | None = None) -> list[str]:
        """Raise DataError if there are problems; else return warnings, with `drop` including a count of dropped units.

        drop: None if there is no option for it.
        """
        if self.total and not drop:
            fix = self.fix
            if not fix and drop is not None:
                fix = f"correct the file, or drop what is invalid with {flag_name('on_invalid')} drop"
            raise DataError(self.messages, self.total, sum(kind.count for kind in self.kinds.values()), fix=fix)
        counts = []
        if self.dropped:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in self.reasons.items() if count)
            dropped = count_words(
                self.dropped, f"invalid {self.unit} was dropped", f"invalid {self.unit}s were dropped"
            )
            counts.append(dropped + (f" ({reasons})" if reasons else ""))
        if self.blanked:
            one, many = "invalid value counts as missing", "invalid values count as missing"
            counts.append(count_words(self.blanked, one, many))
        return [*self.told, *([f"{', '.join(counts)}{SUCH_AS}{self.messages[0]}"] if counts else [])]


Say = Callable[[Sequence[tuple[int, CellRule]]], Iterable[str]]
"""Makes messages of cells: each the row of the frame, and the rule that it breaks."""


def cell(place: str, column: str, rule: CellRule, value: object) -> str:
    """The message about a cell that breaks a rule. place: the file and its row."""
    hint = nearest(str(value).strip(), rule.known) if rule.known and value else ""
    return f"{place}, column {column:.60}: expected {rule.expected}; got {quoted(value)}{hint}"


def cells_of(frame: pl.DataFrame, name: str, unit: str, row: str, names: Mapping[str, str]) -> Say:
    """Messages from the frame's own texts. row: its column of row numbers. names: Adjudge's column -> the file's."""

    def say(cells: Sequence[tuple[int, CellRule]]) -> Iterable[str]:
        for index, rule in cells:
            shown = frame.row(index, named=True)
            place = f"{name}, {unit} {shown[row]}"
            yield cell(place, names.get(rule.column, rule.column), rule, shown[rule.column])

    return say


_VARIES = re.compile(r'"[^"]*"|\d+')
_NUMBERED = re.compile(r"(.*, \w+) (\d+)((?:, [^:]*)?: expected.*?)(; got .*)?", re.DOTALL)
"""A message: the text before the last number of its place, that number, the expected value, and the actual one."""


def _kind_of(message: str) -> str:
    """A message without its place, numbers and names in quotes."""
    expected, _, _ = message.partition("; got ")
    return _VARIES.sub("", expected) if ": expected" in expected else message


def of_one_kind(messages: Sequence[str], more: int) -> str:
    """Messages about one kind of problem as one. more: number of further such problems.

    >>> of_one_kind(['x.csv, row 3, column a: expected b; got "c"', 'x.csv, row 9, column a: expected b; got "d"'], 2)
    'x.csv, rows 3, 9 and 2 more, column a: expected b; got "c", "d"'
    >>> of_one_kind(["x, line 3, span 1, end: expected 5 or more; got 4", "x, line 9, span 2, end: expected ..."], 7)
    'x, line 3, span 1, end: expected 5 or more; got 4; so also: x, line 9, span 2, end and 7 more'
    """
    first, *others = messages
    left = f" and {more:,} more" if more else ""
    parts = [match.groups("") for match in map(_NUMBERED.fullmatch, messages) if match]
    if len(parts) == len(messages) and len({(head, expected) for head, _, expected, _ in parts}) == 1:
        head, number, expected, _ = parts[0]
        numbers, got = ([*dict.fromkeys(part[place] for part in parts)] for place in (1, 3))
        plural = "s" if (numbers != [number] or more) and not head.endswith("s") else ""
        came = "; got " + ", ".join(one.removeprefix("; got ") for one in got) if any(got) else ""
        return f"{head}{plural} {', '.join(numbers)}{left}{expected}{came}"
    places = "; ".join(dict.fromkeys(one.partition(": expected")[0] for one in others))
    return first + (f"; so also: {places}{left}" if places else f";{left} of this kind" if more else "")


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
