"""Numbers as text, the same in the terminal, Markdown and HTML. Only here do shares become percentages."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.spec import MetricSpec

NO_BREAK = "\u00a0"
DASH = "–"
"""The text for a missing number, and between the ends of a range."""

MINUS = "\u2212"

_SPELT = {"dataset": "data set", "datasets": "data sets"}
"""Names that are two words."""

_PERCENT_DECIMALS = 1
_DECIMALS = ((10, 2), (1000, 1))
"""Decimals of a number that is no percentage, by upper bounds of its size; larger ones have none."""


def number_text(value: float | None, percent: bool) -> str:  # noqa: FBT001 - a field of every metric
    r"""A number for reading: a percentage, or a number with up to two decimals; a dash if it is undefined.

    A share between 0 and 1 is never shown as either: 0.9999 is "> 99.9%".

    >>> number_text(0.7, percent=True), number_text(0.7, percent=False), number_text(None, percent=True)
    ('70.0%', '0.70', '–')
    >>> number_text(0.0001, percent=True), number_text(0.9999, percent=True)
    ('<\xa00.1%', '>\xa099.9%')
    """
    if value is None:
        return DASH
    if not percent:
        return _fixed(value, decimals_of(value))
    shown = _fixed(100 * value, _PERCENT_DECIMALS)
    if value > 0 and shown == "0.0":
        return f"<{NO_BREAK}0.1%"
    if value < 1 and shown == "100.0":
        return f">{NO_BREAK}99.9%"
    return f"{shown}%"


def count_text(count: float | None) -> str:
    """A whole number with commas; a dash for None.

    >>> count_text(1234), count_text(40.0), count_text(None)
    ('1,234', '40', '–')
    """
    return DASH if count is None else f"{count:,.0f}"


def counted_name(name: str, count: int) -> str:
    """The name of a report's count, in the singular if it has one.

    >>> counted_name("data sets", 2), counted_name("data sets", 1), counted_name("items with one label", 1)
    ('data sets', 'data set', 'item with one label')
    """
    words = plain_words(name)
    if count != 1:
        return words
    counted, *rest = re.split(r"(?= (?:with|without|in|among|changed)\b)", words, maxsplit=1)
    return "".join([_SINGULAR.get(counted, counted.removesuffix("s")), *rest])


_SINGULAR = {"people": "person", "criteria": "criterion"}


def short_number(number: float) -> str:
    """A number with up to three decimals, without trailing zeros.

    >>> short_number(0.4), short_number(1.0), short_number(2 / 3), short_number(-0.00001)
    ('0.4', '1', '0.667', '0')
    """
    return f"{number:z.3f}".rstrip("0").rstrip(".")


def short_numbers(numbers: Sequence[float | None]) -> list[str]:
    """The numbers of a column, each with the same number of decimals.

    >>> short_numbers([1.0, 0.75, None, 2 / 3])
    ['1.000', '0.750', '–', '0.667']
    """
    most = max((len(short_number(one).partition(".")[2]) for one in numbers if one is not None), default=0)
    return [DASH if one is None else f"{one:z.{most}f}" for one in numbers]


def interval_text(low: float | None, high: float | None, metric: MetricSpec) -> str:
    r"""The limits of an interval in brackets, without the unit; empty without an interval.

    >>> interval_text(0.3968, 0.8922, MetricSpec("Reliability", ""))
    '[39.7,\xa089.2]'
    >>> interval_text(-0.24, -0.1, MetricSpec("Cohen's kappa", "", percent=False))
    '[−0.24,\xa0−0.10]'
    """
    if low is None or high is None:
        return ""
    if metric.percent or metric.decimals is None:
        scale, decimals = (100, _PERCENT_DECIMALS) if metric.percent else (1, decimals_of(max(abs(low), abs(high))))
        texts = [_fixed(scale * limit, decimals) for limit in (low, high)]
    else:
        texts = [metric_text(limit, metric) for limit in (low, high)]
    return f"[{texts[0]},{NO_BREAK}{texts[1]}]"


def decimals_of(size: float) -> int:
    """The number of decimals for a number of that size that is no percentage."""
    return next((decimals for limit, decimals in _DECIMALS if abs(size) < limit), 0)


def p_cell(p: float | None) -> str:
    """A p-value in a cell: two decimals, three below .010 and between .040 and .060; empty for None.

    >>> [p_cell(p) for p in (0.12, 0.0481, 0.002, 0.0001, 0.999, None)]
    ['.12', '.048', '.002', '< .001', '> .99', '']
    """
    if p is None:
        return ""
    if p < 0.001 or p >= 0.995:  # noqa: PLR2004 - more decimals than are shown
        return "< .001" if p < 0.001 else "> .99"  # noqa: PLR2004
    close = p < 0.01 or 0.04 <= p < 0.06  # noqa: PLR2004 - two decimals would hide the side of .05
    return f"{p:.{3 if close else 2}f}".removeprefix("0")


def p_text(p: float | None, tests: int | None = None) -> str:
    r"""A p-value in a sentence; empty for None. tests: the number of tests that it is adjusted over.

    Sorted as texts, as in a spreadsheet, p-values are in numeric order.

    >>> p_text(0.0312), p_text(0.00002), p_text(0.9971, tests=6)
    ('p\xa0=\xa0.03', 'p\xa0<\xa0.001', 'adj.\xa0p\xa0>\xa0.99')
    """
    sign = "" if p_cell(p)[:1] in "<>" else "= "
    return f"{'adj. ' if (tests or 1) > 1 else ''}p {sign}{p_cell(p)}".replace(" ", NO_BREAK) if p is not None else ""


def metric_text(value: float | None, metric: MetricSpec) -> str:
    r"""A value in its metric's format: with its decimals, as far as they are not 0.

    >>> metric_text(1234.0, MetricSpec("Items", "", percent=False, decimals=0))
    '1,234'
    >>> points = MetricSpec("Borda points", "", percent=False, decimals=1)
    >>> metric_text(13.5, points), metric_text(14.0, points), metric_text(0.5, MetricSpec("Gain", "", signed=True))
    ('13.5', '14', '+50.0\xa0pp')

    A difference of shares is in percentage points.
    """
    sign = "+" if metric.signed and value is not None and value > 0 else ""
    if metric.in_points and value is not None:
        return f"{sign}{_fixed(100 * value, _PERCENT_DECIMALS)}{NO_BREAK}pp"
    if value is None or metric.percent or metric.decimals is None:
        return sign + number_text(value, metric.percent)
    return sign + _fixed(value, metric.decimals if round(value, metric.decimals) % 1 else 0)


def shown_n(row: Mapping[str, Any] | None, metric: MetricSpec) -> int | None:
    """The n of a share, and of an estimate with an interval or with a caveat on a missing one; None for others."""
    has_n = row and (row["method"] or row["caveat"] or (metric.share and row["value"] is not None))
    return row["n"] if row and has_n else None


def metric_of(metrics: Mapping[str, MetricSpec], name: str) -> MetricSpec:
    """The metric of that name; an undeclared one is a plain number.

    >>> metric_of({}, "mean_length").title
    'Mean length'
    """
    return metrics.get(name) or MetricSpec(plain_words(name).capitalize(), "", better="high", percent=False)


OWN = frozenset(
    {
        *("reference_label", "reference_vote", "ranked_metric", "text_a", "text_b", "noise_ratio"),
        *("annotator_only", "reference_only", "not_applicable", "both_good", "both_bad", "overall_quality"),
        *("no_reference", "no_reference_choice"),
        *("reference_skipped", "reference_flags_differ", "reference_choices_differ"),
    }
)
"""Adjudge's own names of columns and outcomes, displayed as words; those of the data stay unchanged."""


def inside(title: str) -> str:
    """A title within a sentence; a person's name keeps the capital letter.

    >>> inside("Strength"), inside("Cohen's kappa"), inside("F1")
    ('strength', "Cohen's kappa", 'F1')
    """
    own = not title[1:2].islower() or title.partition(" ")[0].endswith(("'s", "s'"))
    return title if own else title[:1].lower() + title[1:]


def capital(sentence: str) -> str:
    """A sentence with an initial capital."""
    return sentence[:1].upper() + sentence[1:]


def plain_words(name: str) -> str:
    """A name from data or code as words.

    >>> plain_words("annotator_only"), plain_words("dataset")
    ('annotator only', 'data set')
    """
    return _SPELT.get(name, name.replace("_", " "))


def worded(name: str) -> str:
    """A name, or several with commas, as words if it is Adjudge's own; those of the data stay unchanged.

    >>> worded("overall_quality"), worded("my_criterion"), worded("both_bad, both_good")
    ('overall quality', 'my_criterion', 'both bad, both good')
    """
    return ", ".join(plain_words(one) if one in OWN else one for one in name.split(", "))


def _fixed(number: float, decimals: int) -> str:
    """A number with so many decimals; zero has no sign, and the minus is a minus sign."""
    return f"{number:z,.{decimals}f}".replace("-", MINUS)
