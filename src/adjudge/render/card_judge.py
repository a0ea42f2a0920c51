"""What a card knows of one judge, as its sentences read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.estimate import Estimate
from adjudge.metrics.ranking import is_significant
from adjudge.metrics.row_selection import TableRow
from adjudge.render.wording import Wording, difference_text
from adjudge.report import Report
from adjudge.spec import MetricSpec


@dataclass(frozen=True)
class OfJudge:
    """What is known of a judge in a group.

    rows: of the main table, by figure. group: the values of the `by` columns.
    """

    report: Report
    words: Wording
    group: Mapping[str, Any]
    rows: Mapping[str, TableRow]

    @property
    def name(self) -> str:
        """The judge, for readers."""
        return self.words.judge_of(next(iter(self.rows.values())))

    @property
    def keys(self) -> dict[str, Any]:
        """What tells its rows in every table of the card from those of others."""
        return {**self.group, "judge": next(iter(self.rows.values()))["judge"]}

    def metric(self, name: str) -> MetricSpec:
        """A figure as the report shows it."""
        return self.words.metric(name)

    def figures(self, table: str) -> list[TableRow]:
        """The rows of a table that are about the judge in its group; none where the report lacks it."""
        if table not in self.report.tables:
            return []
        keys = self.keys.items()
        return [row for row in self.report[table].to_dicts() if all(row[key] == value for key, value in keys)]

    def shown(self, row: TableRow) -> bool:
        """Whether the test of a row tells its figure from 0."""
        return is_significant(row["p_adjusted"], self.report.confidence)

    def apart(self, row: TableRow, *, absolute: bool = True) -> str:
        """A difference with its interval."""
        return difference_text(Estimate.from_row(row), self.metric(row["metric"]), absolute=absolute)
