"""Names, numbers and differences as the sentences of a conclusion say them."""

from collections.abc import Sequence
from dataclasses import replace

from adjudge.display_names import annotator_names, short_name
from adjudge.estimate import Estimate
from adjudge.metrics.row_selection import GroupKeys, TableRow
from adjudge.render.numbers import bracketed_limits, counted_name, inside, metric_of, metric_text, plain, short_number
from adjudge.report import Report
from adjudge.spec import MetricSpec

MOST_NAMED = 4
"""More judges than this are not all named."""


class Wording:
    """What a report calls its judges and figures."""

    def __init__(self, report: Report) -> None:
        self.about, self.options, self.counts = report.about, report.options, report.counts
        self._people = annotator_names(report.tables.values())
        main, across = report.tables.get(self.about.main), self.about.across
        self._single = main is not None and across in main.columns and main[across].n_unique() <= 2  # noqa: PLR2004 - and the mean

    @property
    def judges(self) -> str:
        """What the judges are."""
        return f"{plain(self.about.judge)}s"

    def judge(self, name: str | None) -> str:
        """A judge by its name for readers."""
        return short_name(self._people.get(name, name) if name is not None else None)

    def judge_of(self, row: TableRow) -> str:
        """The judge whose figure stands in a row."""
        return self.judge(row[self.about.judge])

    def quoted(self, row: TableRow) -> str:
        """The name of a judge, in quotes if it has several words, as a trait has."""
        name = self.judge_of(row)
        return f'"{name}"' if " " in name else name

    def listed(self, names: Sequence[str]) -> str:
        """Several judges, of many the first."""
        return joined_first([*map(self.judge, names)], "{} other")

    def reference(self) -> str:
        """Whose labels are trusted, where one was named."""
        named = self.options.get("reference") or []
        one = named if isinstance(named, str) else named[0] if len(named) == 1 else "the reference"
        return self.judge(one)

    def averaged(self, row: TableRow) -> bool:
        """Whether a figure is the mean over several criteria, or the like."""
        return bool(self.about.pooled) and self.about.pooled in row.values() and not self._single

    def metric(self, name: str) -> MetricSpec:
        """A figure as the report shows it."""
        return metric_of(self.about.metrics, name)

    def figure(self, row: TableRow) -> str:
        """A figure that is known, with its interval."""
        metric = self.metric(row["metric"])
        return metric_text(row["value"], metric) + bracketed_limits(row["low"], row["high"], metric)

    def inside(self, name: str) -> str:
        """The title of a figure within a sentence; who it is called after keeps the capital letter."""
        return inside(self.metric(name).title)

    def items(self, count: int) -> str:
        """A number of items, by what the evaluation calls them."""
        return f"{count:,} {counted_name(self.about.items, count)}"

    def where(self, group: GroupKeys) -> str:
        """The group that a sentence is about, with which it begins."""
        said = self.within(group)
        return f"{capital(said)}: " if said else ""

    def within(self, group: GroupKeys) -> str:
        """A group by its keys and their values; it may be that of items without a value."""
        by = self.options.get("by") or ()
        told = {key: value for key, value in group.items() if value is not None or key in by}
        return ", ".join(_keyed(plain(key), in_words(value)) for key, value in told.items())


def in_words(value: object) -> str:
    """A value of a key column."""
    return short_number(value) if isinstance(value, float) else short_name(None if value is None else plain(str(value)))


def _keyed(key: str, value: str) -> str:
    """A value under its key, which is not said again where the value begins with it: `week 2`."""
    return value if value.casefold().startswith(f"{key.casefold()} ") else f"{key} {value}"


def joined(names: Sequence[str]) -> str:
    """Names, or clauses, with commas between them and an "and" before the last."""
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def joined_first(names: Sequence[str], rest: str = "{} more") -> str:
    """The first names, or clauses, and how many more there are.

    >>> joined_first(["a", "b", "c", "d", "e", "f"], "{} other"), joined_first(["a", "b", "c", "d", "e"])
    ('a, b, c, d and 2 others', 'a, b, c, d and 1 more')
    """
    more = len(names) - MOST_NAMED
    last = rest.format(f"{more:,}") + ("s" if more > 1 and rest.endswith("other") else "")
    return joined([*names[:MOST_NAMED], *([last] if more > 0 else [])])


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def difference_text(difference: Estimate, metric: MetricSpec, *, absolute: bool = False) -> str:
    r"""A difference with its interval; that of shares in percentage points. absolute: its size, whatever its sign.

    >>> difference_text(Estimate(-0.095, -0.396, 0.057, n=9), MetricSpec("Accuracy", ""))
    '−9.5\xa0pp (−39.6 to 5.7)'
    """
    value, low, high = difference.value, difference.low, difference.high
    if value is None:
        return f"undefined ({difference.reason})"
    if absolute and value < 0:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    shown = metric_text(value, replace(metric, signed=True)).removeprefix("+")
    return shown + bracketed_limits(low, high, metric)
