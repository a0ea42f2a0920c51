"""What violations concludes besides its scores: how much each checker finds, and how much of what it says is right."""

import polars as pl

from karat.render.numbers import metric_text
from karat.render.wording import MOST_NAMED, Wording
from karat.report import Report


def checker_sentences(report: Report) -> list[str]:
    """Recall and precision of each checker, in the words of the page's question; nothing of many, or of groups."""
    words = Wording(report)
    found: dict[str, dict[str, str]] = {}
    rows = report["scores"].filter(pl.col("metric").is_in(["recall", "precision"]), average="micro")
    for row in rows.filter(variant=rows["variant"].first()).to_dicts() if rows.height else []:
        known = found.setdefault(words.judge_of(row), {})
        if row["metric"] in known or row["value"] is None:
            return []
        known[row["metric"]] = metric_text(row["value"], words.metric(row["metric"]))
    if len(found) > MOST_NAMED or any(len(known) < 2 for known in found.values()):  # noqa: PLR2004 - recall and precision
        return []
    told = [
        f"{name} finds {known['recall']} of the true violations, and {known['precision']} of what it marks is right"
        for name, known in found.items()
    ]
    return [f"{'; '.join(told)}."] if told else []
