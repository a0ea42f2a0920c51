"""Summaries of two runs on the same items."""

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.metrics.data_checks import SKIPPED_SHARE
from adjudge.metrics.ranking import is_significant
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow, distinguishing_keys, rows_for_gates
from adjudge.metrics.settings_diff import SETTINGS_TABLE, value_settings
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable, Tone
from adjudge.render.summary.judge_sentences import (
    caution_sentences,
    gate_sentences,
    p_cell,
    p_text,
    score,
    steps,
)
from adjudge.spec import COMPARISON_TABLE
from adjudge.text.counts import count_of, listed_names

_TONES: Mapping[str, Tone] = {"best": "better", "worse": "worse", "faint": "none"}


def compare(rows: ReportRows) -> Summary:
    """The second run against the first, on the items of both."""
    report = rows.report
    every = rows.rows(COMPARISON_TABLE)
    chosen = headline_rows(rows, every)
    if not chosen:
        return Summary("Runs compared", "", "The runs have no metric in common.")
    first, second = chosen[0]["first"], chosen[0]["second"]
    judges = (chosen[0].get("judge") or "", chosen[0].get("second_judge") or chosen[0].get("judge") or "")
    before, after = (
        judges if judges[0] != judges[1] and len({row.get("judge") for row in chosen}) == 1 else (first, second)
    )
    several = len({row["metric"] for row in chosen}) > 1
    apart = list(distinguishing_keys(chosen, report.about))
    apart += ["judge"] if len({row.get("judge") for row in chosen}) > 1 else []
    pooled = report.about.pooled

    def title(row: TableRow) -> str:
        spec = rows.metric(row["metric"])
        parts = [_worded(row[key]) for key in apart if row[key] is not None and row[key] != pooled]
        named = [spec.title] if several or not parts else []
        mean = (
            " (mean)"
            if pooled in row.values() and any(one.get(key) != pooled for one in chosen for key in apart)
            else ""
        )
        return ", ".join([*parts, *named]) + mean

    defined = [row for row in chosen if row["value"] is not None]
    defined.sort(
        key=lambda row: (
            pooled not in row.values() if pooled else False,
            row["p_adjusted"] is None,
            row["p_adjusted"] or 0.0,
            -abs(row["value"]),
        )
    )
    known = {title(row): row for row in reversed(defined)}
    known = {title(row): known[title(row)] for row in defined}
    tone = {name: _tone(row, rows) for name, row in known.items()}
    change = {name: score(row, rows.metric(row["metric"]), signed=True) for name, row in known.items()}
    sides = [
        {
            name: score(
                {**row, "value": row[side], "low": None, "high": None, "caveat": None}, rows.metric(row["metric"])
            )
            for name, row in known.items()
        }
        for side in ("first_value", "second_value")
    ]
    columns = [
        SummaryColumn(before, sides[0], drop=2),
        SummaryColumn(after if after != before else f"{after} (2)", sides[1], drop=2),
        SummaryColumn("change", change, "compact"),
        SummaryColumn(
            "adj. p",
            {name: p_cell(row["p_adjusted"]) if tone[name] != "faint" else "n.s." for name, row in known.items()},
            "text",
            1,
        ),
        SummaryColumn("", {name: _TONES[tone[name]] if tone[name] != "faint" else "" for name in known}, "text"),
    ]
    shared, *only = (
        sum(row["count"] for row in rows.rows("items", outcome=one)) for one in ("both", "only_first", "only_second")
    )
    counts = report.counts
    worse = counts.get("judgments changed for the worse", 0)
    main = next(iter(known), None)
    return Summary(
        f"{before} \N{RIGHTWARDS ARROW} {after}",
        f"{count_of(shared, 'shared item')}, paired tests" if shared else "paired tests",
        _verdict(before, after, known, tone, change, main),
        "dumbbell",
        SummaryTable({name: "" if tone[name] == "faint" else tone[name] for name in known}, columns, "metric"),
        _findings(known, tone, change, main),
        caution_sentences([], *_cautions(rows, before, after, only, shared)),
        steps(
            f"Read the {count_of(worse, 'label')} that changed for the worse" if worse else None,
            _more_items(known, tone, main),
        ),
        gate_sentences(rows, "", []),
    )


def headline_rows(rows: ReportRows, every: Sequence[TableRow]) -> list[TableRow]:
    """The rows of the metrics that answer the evaluation's question; those of the first metric if there are none."""
    about = rows.report.about
    chosen: list[TableRow] = []
    for answer in about.answers:
        found = [row for row in rows_for_gates(every, answer.where, about) if row["metric"] == answer.metric]
        found = found or [row for row in every if row["metric"] == answer.metric]
        if answer.metric and about.pooled:  # the parts of a mean beside it
            found = [row for row in every if row["metric"] == answer.metric]
        for key, value in answer.where.items():
            found = [row for row in found if row.get(key) == value] or found
        for key in answer.first:
            values = [row[key] for row in found if row.get(key) is not None]
            first: Any = max(values) if values and isinstance(values[0], float) else next(iter(values), None)
            found = [row for row in found if row.get(key) == first]
        chosen += [row for row in found if row not in chosen]
    return chosen or [row for row in every if row["metric"] == every[0]["metric"]]


def _worded(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _tone(row: TableRow, rows: ReportRows) -> str:
    if not row["value"] or not is_significant(row["p_adjusted"], rows.report.confidence):
        return "faint"
    return "best" if (row["value"] > 0) is (rows.metric(row["metric"]).better != "low") else "worse"


def _verdict(before: str, after: str, known: dict, tone: dict, change: dict, main: str | None) -> str:  # type: ignore[type-arg]
    if main is None:
        return "No metric is defined in both runs."
    sides = {one: [name for name in known if tone[name] == one] for one in ("best", "worse")}
    if len(known) == 1 or main.endswith("(mean)"):
        word = {"best": "significantly better than", "worse": "significantly worse than"}
        size = f"{main.removesuffix(' (mean)').lower()} {change[main].with_interval}"
        if tone[main] in word:
            return f"{after} is {word[tone[main]]} {before}: {size}."
        return f"No significant difference between {before} and {after}: {size}."
    if not sides["best"] and not sides["worse"]:
        return f"No significant difference between {before} and {after} in {count_of(len(known), 'metric')}."
    parts = [f"{word} in {len(sides[one])}" for one, word in (("best", "better"), ("worse", "worse")) if sides[one]]
    return f"{after} is significantly {' and '.join(parts)} of {count_of(len(known), 'metric')}."


def _findings(known: dict, tone: dict, change: dict, main: str | None) -> list[Sentence]:  # type: ignore[type-arg]
    if main is None:
        return []
    whole = len(known) == 1 or main.endswith("(mean)")
    findings = []
    if whole:
        row = known[main]
        p = "" if row["p_adjusted"] is None else f", {p_text(row['p_adjusted'], row['tests'] or 1)}"
        findings.append(Sentence(f"{main}: {change[main].with_interval}{p}", _TONES[tone[main]]))
    parts = [name for name in known if not whole or name != main]
    for side, text in (
        ("best", "Significantly better"),
        ("worse", "Significantly worse"),
        ("faint", "No significant change"),
    ):
        if names := [name for name in parts if tone[name] == side]:
            each = names if side == "faint" else [f"{name} {change[name]}" for name in names]
            findings.append(Sentence(f"{text}: {listed_names(each)}", _TONES[side]))
    return findings


def _cautions(rows: ReportRows, before: str, after: str, only: list[int], shared: int) -> list[str]:
    """What was done with items and labels: items of one run only, missing labels, settings that differ."""
    texts = []
    if sum(only) >= max(SKIPPED_SHARE * shared, 1):
        texts.append(f"Items in one run only, excluded: {only[0]:,} of {before}, {only[1]:,} of {after}")
    for row in rows.rows(COMPARISON_TABLE, metric="missing"):
        pooled = rows.report.about.pooled
        if (not pooled or pooled in row.values()) and max(row["first_value"] or 0, row["second_value"] or 0) > 0:
            shares = f"{before} {row['first_value']:.1%}, {after} {row['second_value']:.1%}"
            what = ", counted as wrong" if rows.report.about.label_counts.counts == "as wrong" else ""
            texts.append(f"Missing labels: {shares}{what}")
            break
    settings = value_settings(row["setting"] for row in rows.rows(SETTINGS_TABLE))
    if settings:
        texts.append(f"The runs differ in settings, too: {listed_names(settings)}")
    return texts


def _more_items(known: dict, tone: dict, main: str | None) -> str | None:  # type: ignore[type-arg]
    """The sample size that would detect the change of the first metric."""
    if main is None or tone[main] != "faint" or not known[main].get("needed"):
        return None
    return f"About {known[main]['needed']:,} items would detect this difference (80% power)"
