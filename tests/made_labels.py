"""A small export of each labelling tool that reliability reads, in the tool's own shape; and how to see what is read."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from karat.formats.judgments import Judgments, Options, read_judgments
from karat.formats.source import sources
from karat.schemas.judgments import FLAGS

MTURK = """\
"HITId","HITTypeId","WorkerId","AssignmentStatus","WorkTimeInSeconds","Input.text","Input.gold","Answer.quality"
"3H1","3T","A1","Approved","12","Hello","4","4"
"3H1","3T","A2","Rejected","9","Hello","4","5"
"3H2","3T","A1","Approved","11","Go","5","5"
"""

TOLOKA = """\
INPUT:text\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:task_id\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:status
Hello\tgood\tgood\t\tt1\ta1\tw1\tAPPROVED
Hello\tbad\tgood\t\tt1\ta2\tw2\tAPPROVED
Go\tbad\t\t\tt2\ta1\tw1\tAPPROVED
"""

APPEN = """\
_unit_id,_created_at,_golden,_id,_missed,_tainted,_trust,_worker_id,sentiment,orig__golden,sentiment_gold,sentiment_gold_reason,text
1,1/1/2020,true,11,,false,0.9,501,positive,true,positive,,Good
1,1/1/2020,true,12,,true,0.4,502,negative,true,positive,,Good
2,1/1/2020,false,13,,false,0.9,501,negative,,,,Bad
"""

APPEN_AGGREGATED = """\
_unit_id,_golden,_unit_state,_trusted_judgments,_last_judgment_at,sentiment,sentiment:confidence,sentiment_gold,text
1,true,golden,12,1/1/2020,positive,0.9,positive,Good
2,true,golden,9,1/1/2020,negative,0.8,positive,Bad
"""

SAMPLES: dict[str, tuple[str, object]] = {
    "mturk": ("batch_results.csv", MTURK),
    "toloka": ("assignments.tsv", TOLOKA),
    "appen": ("f123.csv", APPEN),
    "appen-aggregated": ("a123.csv", APPEN_AGGREGATED),
}
"""Format -> a usual name of such a file, and what it holds: text, or what JSON says."""


def judgments(
    *paths: Path,
    reference: Sequence[str] | str = (),
    by: Sequence[str] = (),
    drop: bool = False,
    input_format: str | None = None,
    **columns: str,
) -> Judgments:
    """What is read of some files.

    reference: a column, or a list of trusted annotators. columns: Karat's column -> the files'.
    """
    if isinstance(reference, str):
        columns, reference = {**columns, "reference": reference}, ()
    options = Options(columns, reference, by, FLAGS, None, drop)
    return read_judgments(sources(list(paths), input_format, "reliability"), options)


def said(read: Judgments) -> list[tuple[str | None, ...]]:
    """Who says what of which item and, where rows have one, their reference. Items that were skipped have no label."""
    names = ["item", "annotator", "label", *(["reference_label"] if "reference_label" in read.frame.columns else [])]
    return sorted(read.frame.select(names).cast(pl.String).iter_rows(), key=str)


def trusted(read: Judgments) -> list[tuple[str | None, ...]]:
    """Whom the reference stands for, where it stands apart, and what they say of which item."""
    assert read.references is not None
    return sorted(read.references.select("item", "annotator", "label").cast(pl.String).iter_rows(), key=str)
