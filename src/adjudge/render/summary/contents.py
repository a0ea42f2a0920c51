"""The parts of a summary. Every output of a report prints this object: nothing else words a result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from adjudge.render.numbers import MINUS, NO_BREAK

Tone = Literal["", "better", "worse", "none"]


@dataclass(frozen=True, slots=True)
class Score:
    """An estimate with its confidence interval, in the form of a summary.

    unit: "%", "pp" or "+" (both with a sign), or "" for a plain number. caveat: the code of its interval's caveat,
    or of the reason why it is undefined; empty if there is none.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    unit: str = "%"
    caveat: str = ""
    decimals: int = 1

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        suffix = {"%": "%", "pp": f"{NO_BREAK}pp"}.get(self.unit, "")
        return self._number_text(self.value, signed=self.unit in ("pp", "+")) + suffix

    @property
    def interval(self) -> str:
        """The limits in brackets, without the unit; if there are none, empty, or for a difference "(no CI)"."""
        if self.low is None or self.high is None:
            return "(no CI)" * (self.value is not None and self.unit == "pp")
        return f"[{self._number_text(self.low)},{NO_BREAK}{self._number_text(self.high)}]"

    @property
    def with_interval(self) -> str:
        """The value and its interval."""
        return f"{self}{NO_BREAK}{self.interval}".strip(f" {NO_BREAK}")

    @property
    def coarse(self) -> Self:
        """The same without decimals, as in a narrow column."""
        return replace(self, decimals=0) if self.unit in ("%", "pp") else self

    def _number_text(self, number: float, *, signed: bool = False) -> str:
        number, decimals = (100 * number, self.decimals) if self.unit in ("%", "pp") else (number, 2)
        text = f"{number:z,.{decimals}f}".replace("-", MINUS)
        return f"+{text}" if signed and number > 0 and text.strip("0.") else text


@dataclass(frozen=True, slots=True)
class Sentence:
    """A finding, a caution or a next step.

    tone: the result of its test. label: its own label, such as "Bias". decision: whether it states the treatment
    of labels, so that every output has it.
    """

    text: str
    tone: Tone = ""
    label: str = ""
    decision: bool = False


MILD = {"approximate", "under_100_clusters", "skewed", "conservative"}
"""Minor caveats: an estimate with one of them is not marked."""
Cell = Score | int | str | None
ColumnKind = Literal["estimate", "compact", "value", "heat", "count", "text"]


@dataclass(frozen=True, slots=True)
class SummaryColumn:
    """A column. cells: row -> its content.

    kind: "estimate" for a value and its interval in two columns, "compact" for both in one, "heat" for values of many
    similar columns. drop: narrow screens drop the columns with the highest number first, and never those with 0.
    """

    title: str
    cells: Mapping[str, Cell]
    kind: ColumnKind = "value"
    drop: int = 0

    @property
    def estimates(self) -> dict[str, Score]:
        """The rows whose estimate is defined; none in columns without intervals."""
        known = {row: one for row, one in self.cells.items() if isinstance(one, Score) and one.value is not None}
        return known if self.kind in ("estimate", "compact") else {}

    @property
    def marked(self) -> set[str]:
        """The rows whose estimate has a caveat that is not minor; none if all have, as a caution then says."""
        some = {row for row, one in self.estimates.items() if one.caveat and one.caveat not in MILD}
        return some if len(some) < len(self.estimates) else set()


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """The table, sorted by importance. rows: row -> its tone: best, worse, faint, pooled, baseline, heading or "".

    noun: a row's noun in the singular. interval: the heading of intervals, such as "95% CI". labels: titles of rows
    that differ from their keys.
    """

    rows: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[SummaryColumn] = ()
    noun: str = "row"
    interval: str = "95% CI"
    labels: Mapping[str, str] = field(default_factory=dict)


def stacked_tables(tables: Mapping[str, SummaryTable]) -> SummaryTable:
    """Tables below one another, each below its name as a heading; a single one as it is."""
    first, *others = tables.values()
    rows, labels, columns = dict[str, str](), dict[str, str](), dict[str, SummaryColumn]()
    for name, table in tables.items() if others else ():
        keys = {row: f"{name}, {row}" for row in table.rows}
        labels |= {keys[row]: table.labels.get(row, row) for row in keys}
        rows |= {name: "heading"} | {keys[row]: tone for row, tone in table.rows.items()}
        for column in table.columns:
            cells = {keys[row]: cell for row, cell in column.cells.items() if row in keys}
            before = columns[column.title].cells if column.title in columns else {}
            columns[column.title] = replace(column, cells={**before, **cells})
    return replace(first, rows=rows, columns=list(columns.values()), labels=labels) if others else first


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The content of every output of a report.

    title, context: the heading, by default that of the evaluation, and its counts. verdict: one sentence that answers
    the question. chart: the name of the chart that answers it. findings, cautions, next: at most three, three and two,
    except for cautions on the treatment of labels; further ones are counted. gates: the result of each gate, or
    the gate that would pass today. more: where to find the rest.
    """

    title: str = ""
    context: str = ""
    verdict: str
    chart: str = ""
    table: SummaryTable = SummaryTable()
    findings: Sequence[Sentence] = ()
    cautions: Sequence[Sentence] = ()
    next: Sequence[Sentence] = ()
    gates: Sequence[Sentence] = ()
    more: str = ""

    def __str__(self) -> str:
        """The screen that a terminal shows, without colours."""
        from adjudge.render.terminal import summary_screen

        return summary_screen(self, 80).plain.replace(NO_BREAK, " ")
