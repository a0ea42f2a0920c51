"""Tables made by hand, from which reports conclude."""

from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_reports import made_report

TESTED = (*ESTIMATE_COLUMNS, "p", "p_adjusted", "first_value", "second_value", "left_out")


def row(columns, **said):
    return dict.fromkeys(columns) | {"n": 100, "method": "wilson"} | said


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
    return made_report("reliability", {"annotators": typed_table(rows)}, **further)


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
    return made_report("preferences", tables | ({"differences": typed_table(compared)} if compared else {}))
