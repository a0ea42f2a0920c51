"""Reports made by hand, for tests of what is done with reports."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.api import reports
from adjudge.api.calls import bound, documented_as
from adjudge.evaluations import evaluation as about
from adjudge.report import Input, Items, Report


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
        items=Items(pl.DataFrame(), 0),
    )


def signed(report: Report, *inputs: str, **options: Any) -> str:
    """The signature that a report of the same evaluation and files would have with these options."""
    function = documented_as(report.evaluation).function
    given = dict(zip(inspect.signature(function).parameters, inputs, strict=False))
    return reports._made_by(bound(function, given | options), report.evaluation, report.inputs, {})["signature"]
