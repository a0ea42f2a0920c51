"""Tables made by hand, from which reports conclude."""

from itertools import combinations

from adjudge.estimate import Estimate
from adjudge.metrics.tables import DIFFERENCE as TESTED
from adjudge.metrics.tables import estimate_row
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.statistics.comparison import holm, independent_difference
from adjudge.statistics.planning import items_needed
from made_reports import made_report


def row(columns, **said):
    return dict.fromkeys(columns) | {"n": 100, "method": "wilson"} | said


def with_tests(rows):
    """Rows of a table of differences, with the number of tests and the number of items that would detect each."""
    tests = sum(row["p"] is not None for row in rows)
    needed = [items_needed(Estimate.from_row(row), max(tests, 1)) for row in rows]
    more = [None if (row["p"] or 0) < 0.05 else count for row, count in zip(rows, needed, strict=True)]
    return [row | {"tests": tests, "needed": count} for row, count in zip(rows, more, strict=True)]


def annotators(*figures, **further):
    """A report on annotators: name, reliability, limits and n of each."""
    rows = [
        row(
            ["annotator", *ESTIMATE_COLUMNS],
            annotator=name,
            metric="reliability",
            value=value,
            low=low,
            high=high,
            n=n,
            caveat=caveat,
        )
        for name, value, low, high, n, caveat in figures
    ]
    defined = [row for row in rows if row["low"] is not None]
    results = [
        (first, second, independent_difference(Estimate.from_row(second), Estimate.from_row(first)))
        for first, second in combinations(defined, 2)
    ]
    adjusted = holm([result.p for *_, result in results])
    differences = [
        row(
            ["first", "second", *TESTED], first=first["annotator"], second=second["annotator"], p=result.p, p_adjusted=p
        )
        | estimate_row({}, "reliability", result.estimate)
        for (first, second, result), p in zip(results, adjusted, strict=True)
    ]
    tables = {"annotators": typed_table(rows)}
    return made_report(
        "reliability",
        tables | ({"differences": typed_table(with_tests(differences))} if differences else {}),
        **further,
    )


def systems(*figures, differences=(), bounds=()):
    """A report on systems: name and accuracy; and differences of two, first to second, with limits and p."""
    keys = ["system", "criterion"]
    scores = [
        row(
            [*keys, *ESTIMATE_COLUMNS],
            system=name,
            criterion="safety",
            metric="accuracy",
            value=value,
            low=value - 0.1,
            high=value + 0.1,
        )
        for name, value in figures
    ]
    scores += [
        row(
            [*keys, *ESTIMATE_COLUMNS],
            system=name,
            criterion="safety",
            metric=f"accuracy_{end}",
            value=value,
            method=None,
        )
        for name, ends in bounds
        for end, value in zip(("lowest", "highest"), ends, strict=True)
    ]
    compared = [
        row(
            ["compared", "criterion", "first", "second", *TESTED],
            compared="baselines" if first.startswith("baseline:") else "systems",
            criterion="safety",
            first=first,
            second=second,
            metric="accuracy",
            value=value,
            low=low,
            high=high,
            p=p,
            p_adjusted=p,
            first_value=first_value,
        )
        for first, second, value, low, high, p, first_value in differences
    ]
    tables = {"scores": typed_table(scores)}
    return made_report("preferences", tables | ({"differences": typed_table(with_tests(compared))} if compared else {}))
