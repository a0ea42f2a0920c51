"""Reports made by hand, for tests of what is done with reports."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.api import reports
from adjudge.evaluations import declaration_of as about
from adjudge.evaluations import options_of
from adjudge.options.declaration import arguments
from adjudge.options.shared import Reading
from adjudge.report import Input, Items, Report

UNSIGNED = {"examples", "save_items", "progress", "texts"}
"""Arguments of every score that no figure depends on."""


def made_report(
    evaluation: str, tables: Mapping[str, pl.DataFrame], *, inputs: Sequence[Input] = (), **further: Any
) -> Report:
    """A report with these tables and no items."""
    return Report(
        about=about(evaluation, tables),
        tables=tables,
        signature="adjudge=0|seed=0",
        inputs=tuple(inputs),
        **{"counts": {"items": 10}, "options": {}, "adjudge": "0", **further},
        examples=pl.DataFrame(),
        outcomes=Items(pl.DataFrame(), 0),
    )


def signed(report: Report, *inputs: str, reading: Reading = Reading(), **options: Any) -> str:  # noqa: B008
    """The signature that a report of the same evaluation and files would have with these options."""
    declared = options_of(report.evaluation)
    given = dict(zip(arguments(declared), inputs, strict=False))
    return reports._made_by(declared.of(given | options | reading.values()), report.evaluation, report.inputs, {})[
        "signature"
    ]
