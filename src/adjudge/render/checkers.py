"""What violations concludes besides its scores: how much each checker finds, and how much of what it says is right."""

import polars as pl

from adjudge.render.wording import MOST_NAMED, Wording
from adjudge.report import Report


def checker_sentences(report: Report) -> list[str]:
    """Recall and precision of each checker, in the words of the page's question; nothing of many, or of groups."""
    words = Wording(report)
    found: dict[str, dict[str, str]] = {}
    rows = report["scores"].filter(pl.col("metric").is_in(["recall", "precision"]), average="micro")
    for row in rows.filter(variant=rows["variant"].first()).to_dicts() if rows.height else []:
        known = found.setdefault(words.judge_of(row), {})
        if row["metric"] in known:
            return []
        if row["value"] is not None:
            known[row["metric"]] = words.figure(row)
    told = [_clause(name, **known) for name, known in found.items() if "recall" in known]
    return [f"{'; '.join(told)}."] if told and len(found) <= MOST_NAMED else []


def _clause(name: str, recall: str, precision: str = "") -> str:
    """What is known of a checker: one that marks nothing has no precision."""
    right = f", and {precision} of what it marks is right" if precision else ""
    return f"{name} finds {recall} of the true violations{right}"
