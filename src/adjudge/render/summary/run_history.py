"""Summaries of a history: where judges stand in the last run, and what changed since the first."""

from adjudge.metrics.data_checks import CheckedData, cautions
from adjudge.metrics.ranking import is_significant, ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.run_changes import SAME_ITEMS, STEPS, UNKNOWN
from adjudge.metrics.settings_diff import SETTINGS_TABLE, value_settings
from adjudge.render.summary.compared_runs import headline_rows
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.judge_sentences import (
    caution_sentences,
    count_column,
    gate_sentences,
    p_cell,
    p_text,
    score,
    scores,
    steps,
)
from adjudge.spec import HISTORY_TABLE
from adjudge.text.counts import count_of, listed_names


def history(rows: ReportRows) -> Summary:
    """The headline metric of each judge over the runs."""
    report = rows.report
    by = next(iter(report.options.get("by") or ()), None) or next(iter(report[HISTORY_TABLE].columns), "run")
    judge = report.about.judge if report.about.judge in report[HISTORY_TABLE].columns else by
    every = rows.rows(HISTORY_TABLE)
    chosen = [row for row in headline_rows(rows, every) if row["value"] is not None] if every else []
    if not chosen:
        return Summary("Metrics over time", "", "No run has a defined metric.")
    name, metric = chosen[0]["metric"], rows.metric(chosen[0]["metric"])
    same = [row for row in chosen if row["metric"] == name]
    pooled = report.about.pooled
    same = [row for row in same if pooled in row.values()] or same if pooled else same
    runs = list(dict.fromkeys(row[by] for row in same))
    first, last = (str(one) for one in (runs[0], runs[-1]))
    of_judge = {
        one: [row for row in same if (row[judge] if judge != by else metric.title) == one]
        for one in dict.fromkeys(row[judge] if judge != by else metric.title for row in same)
    }
    start = {one: next((row for row in found if row[by] == runs[0]), None) for one, found in of_judge.items()}
    end = {one: next((row for row in reversed(found) if row[by] == runs[-1]), None) for one, found in of_judge.items()}
    ranks = ranking(
        {one: row for one, row in end.items() if row}, [], report.confidence, better=metric.better or "high"
    )
    whole = {
        row.get(judge, metric.title) if judge != by else metric.title: row
        for row in rows.rows(STEPS, metric=name)
        if (str(row["first"]), str(row["second"])) == (first, last)
        and row["value"] is not None
        and all(
            row.get(key) == same[0].get(key)
            for key in row
            if key in same[0]
            and key not in {judge, by, "time", "metric", "value", "low", "high", "n", "method", "reason", "caveat"}
        )
    }
    change = {one: score(row, metric, signed=True) for one, row in whole.items()}
    moved = {
        one: is_significant(row["p_adjusted"], report.confidence) and bool(row["value"]) for one, row in whole.items()
    }
    better = metric.better != "low"
    up = [one for one in whole if moved[one] and (whole[one]["value"] > 0) is better]
    down = [one for one in whole if moved[one] and one not in up]
    still = [one for one in whole if not moved[one]]
    order = [*ranks.rows]
    columns = [
        SummaryColumn(first, scores({one: row for one, row in start.items() if row}, metric), drop=2),
        SummaryColumn(last if last != first else f"{last} ", scores(ranks.rows, metric), "estimate"),
        count_column(scores(ranks.rows, metric)),
        SummaryColumn("change", change, "compact"),
        SummaryColumn(
            "adj. p", {one: p_cell(whole[one]["p_adjusted"]) if moved[one] else "n.s." for one in whole}, "text", 1
        ),
    ]
    columns = columns if len(runs) > 1 else columns[1:3]
    findings = [
        Sentence(
            f"{one}: {change[one].with_interval} since {first}, "
            + p_text(whole[one]["p_adjusted"], whole[one]["tests"] or 1),
            "better" if one in up else "worse",
        )
        for one in (*up, *down)
    ]
    if still:
        findings.append(
            Sentence(
                f"No significant change: {listed_names(f'{one} {change[one].with_interval}' for one in still)}", "none"
            )
        )
    unknown = len(rows.rows(STEPS, **{SAME_ITEMS: UNKNOWN}))
    settings = value_settings(row["setting"] for row in rows.rows(SETTINGS_TABLE))
    absent = [one for one, found in of_judge.items() if len({row[by] for row in found}) < len(runs)]
    doubts = [
        *([f"Not in every run: {listed_names(absent)}"] if absent else []),
        *([f"Settings differ between runs: {listed_names(settings)}"] if settings else []),
        *(["It is unknown if runs hold the same items: their steps are not paired"] if unknown else []),
    ]
    parts = (("improved significantly", up), ("declined significantly", down), ("did not change significantly", still))
    verdict = "; ".join(f"{listed_names(names)} {what}" for what, names in parts if names)
    return Summary(
        f"{metric.title} over {count_of(len(runs), 'run')}",
        f"{first} to {last}, {count_of(len(order), judge)}" if len(runs) > 1 else count_of(len(order), judge),
        f"{verdict} from {first} to {last}."
        if verdict
        else f"A single run of {metric.title.lower()}: no change to test."
        if len(runs) == 1
        else "No change from the first to the last run is defined.",
        "history",
        SummaryTable({one: "best" if one in up else "worse" if one in down else "" for one in order}, columns, judge),
        findings,
        caution_sentences(cautions(CheckedData(rows, ranks.rows, "item")), *doubts),
        steps(f"Find what changed for {down[0]}: adjudge compare the first and the last run" if down else None),
        gate_sentences(rows, name, []),
    )
