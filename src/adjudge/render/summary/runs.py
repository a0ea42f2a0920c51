"""Summaries of several runs: two runs on the same items, and a history."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.data_checks import SKIPPED_SHARE
from adjudge.metrics.row_selection import TableRow, distinguishing_keys, key_columns
from adjudge.metrics.run_changes import SAME_ITEMS, STEPS, UNKNOWN
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable, Tone
from adjudge.render.summary.sentences import SummaryRows, estimate_columns, p_column, p_text, steps
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE

_WORDS: Mapping[str, Tone] = {"best": "better", "worse": "worse", "": "none"}
_MEAN = " (mean)"


def compare(rows: SummaryRows) -> Summary:
    """The second run against the first, on the items of both."""
    chosen = [row for row in headline_rows(rows, rows.rows(COMPARISON_TABLE)) if row["value"] is not None]
    if not chosen:
        return Summary("Runs compared", "", "No metric is defined in both runs.")
    judges = {(row.get("judge"), row.get("second_judge") or row.get("judge")) for row in chosen}
    one, other = next(iter(judges)) if len(judges) == 1 else (None, None)
    before, after = (str(one), str(other)) if one != other else (chosen[0]["first"], chosen[0]["second"])
    pooled, known = rows.report.about.pooled, dict[str, TableRow]()
    apart = [*distinguishing_keys(chosen, rows.report.about), *["judge"] * (len(judges) > 1)]
    chosen.sort(key=lambda row: (pooled not in row.values(), row["p_adjusted"] is None, row["p_adjusted"] or 0.0))
    for row in chosen:
        keys = [_worded(row[key]) for key in apart if row[key] is not None and row[key] != pooled]
        keys = keys if sum(one["metric"] == row["metric"] for one in chosen) > 1 else []
        title = [rows.metric(row["metric"]).title] * (len({one["metric"] for one in chosen}) > 1 or not keys)
        mean = _MEAN if pooled and pooled in row.values() and len(chosen) > 1 else ""
        known.setdefault(", ".join([*title, *keys]) + mean, row)
    tone = {name: _tone(row, rows) for name, row in known.items()}
    change = rows.scores(known, signed=True)
    bare = dict.fromkeys(("low", "high", "caveat"))
    sides = [
        rows.scores({name: {**row, **bare, "value": row[side]} for name, row in known.items()})
        for side in ("first_value", "second_value")
    ]
    columns = [
        SummaryColumn(before, sides[0], drop=2),
        SummaryColumn(f"{after}{' ' * (after == before)}", sides[1], drop=2),
        SummaryColumn("change", change, "compact"),
        p_column(known, {name: bool(one) for name, one in tone.items()}, 1),
        SummaryColumn("", {name: _WORDS[one] if one else "" for name, one in tone.items()}, "text"),
    ]
    main, *parts = known
    whole = not parts or main.endswith(_MEAN)
    items = {row["outcome"]: row["count"] for row in rows.rows("items")}
    shared, *only = (items.get(one, 0) for one in ("both", "only_first", "only_second"))
    worse, improved = (rows.report.counts.get(f"judgments changed for the {one}", 0) for one in ("worse", "better"))
    needed = known[main].get("needed")
    return Summary(
        f"{before} -> {after}",
        f"{count_of(shared, 'shared item')}, paired tests",
        _compared(before, after, tone, main if whole else None, change),
        "dumbbell",
        SummaryTable(tone, columns, "metric"),
        [*_main_finding(main, known, change, tone)] * whole + [*_changes(parts if whole else [*known], tone, change)],
        rows.cautions({}, "item", *_excluded(rows, (before, after), only, shared)),
        steps(
            f"Use {after if tone[main] == 'best' else before}" if whole and tone[main] and before != after else None,
            f"About {needed:,} items in all would detect this difference (80% power)" if whole and needed else None,
            f"Read the {count_of(worse, 'outcome')} that became worse ({improved:,} became better)" if worse else None,
        ),
        sentences.gate_sentences(rows, "", []),
    )


def headline_rows(rows: SummaryRows, every: Sequence[TableRow]) -> list[TableRow]:
    """The rows of the metrics that answer the evaluation's question, with the parts of means."""
    about, chosen = rows.report.about, list[TableRow]()
    for answer in about.answers:
        found = [row for row in every if row["metric"] == answer.metric]
        for key, value in {**({} if about.pooled else about.gated_values), **answer.where}.items():
            found = [row for row in found if row.get(key) == value] or found
        for key in answer.first:
            values = [row[key] for row in found if row.get(key) is not None]
            first: Any = max(values) if values and isinstance(values[0], float) else next(iter(values), None)
            found = [row for row in found if row.get(key) == first]
        chosen += [row for row in found if row not in chosen]
    return chosen or [row for row in every if row["metric"] == every[0]["metric"]]


def _worded(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else short_name(str(value).replace("_", " "))


def _tone(row: TableRow, rows: SummaryRows) -> str:
    return "" if not rows.significant(row) else "best" if rows.better(row) else "worse"


def _compared(before: str, after: str, tone: Mapping[str, str], main: str | None, change: Mapping[str, Score]) -> str:
    """Whether the second run is better, in one sentence. main: the metric that decides; None for several."""
    if main:
        size = f"{main.removesuffix(_MEAN).lower()} {change[main].with_interval}"
        if tone[main]:
            return f"{after} is significantly {_WORDS[tone[main]]} than {before}: {size}."
        return f"No significant difference between {before} and {after}: {size}."
    counts = {_WORDS[side]: sum(one == side for one in tone.values()) for side in ("best", "worse")}
    of = count_of(len(tone), "metric")
    if not any(counts.values()):
        return f"No significant difference between {before} and {after} in {of}."
    parts = [f"{word} in {count}" for word, count in counts.items() if count]
    return f"{after} is significantly {' and '.join(parts)} of {of}."


def _main_finding(
    main: str, known: Mapping[str, TableRow], change: Mapping[str, Score], tone: Mapping[str, str]
) -> Iterator[Sentence]:
    row = known[main]
    p = "" if row["p_adjusted"] is None else f", {p_text(row['p_adjusted'], row['tests'] or 1)}"
    yield Sentence(f"{main}: {change[main].with_interval}{p}", _WORDS[tone[main]])


def _changes(names: Sequence[str], tone: Mapping[str, str], change: Mapping[str, Score]) -> Iterator[Sentence]:
    """What is significantly better, worse, and neither."""
    texts = {"best": "Significantly better", "worse": "Significantly worse", "": "No significant change"}
    for side, text in texts.items():
        if some := [f"{name} {change[name]}" if side else name for name in names if tone[name] == side]:
            yield Sentence(f"{text}: {listed_names(some)}", _WORDS[side])


def _excluded(rows: SummaryRows, runs: tuple[str, str], only: Sequence[int], shared: int) -> Iterator[str]:
    """Items of one run only, and missing labels."""
    if sum(only) >= max(SKIPPED_SHARE * shared, 1):
        yield f"Items in one run only, excluded: {only[0]:,} of {runs[0]}, {only[1]:,} of {runs[1]}"
    pooled = rows.report.about.pooled
    missing = [row for row in rows.rows(COMPARISON_TABLE, metric="missing") if not pooled or pooled in row.values()]
    for row in missing[:1]:
        shares = [row[side] or 0.0 for side in ("first_value", "second_value")]
        what = ", counted as wrong" if rows.report.about.label_counts.counts == "as wrong" else ""
        if any(shares):
            yield f"Missing labels: {runs[0]} {shares[0]:.1%}, {runs[1]} {shares[1]:.1%}{what}"


def history_lines(rows: SummaryRows) -> list[tuple[str, str, TableRow]]:
    """The headline metric of each judge in each run: the run, the judge, and its row."""
    every = [row for row in headline_rows(rows, rows.rows(HISTORY_TABLE)) if row["value"] is not None]
    if not every:
        return []
    by, keys = _history_keys(rows)
    same, pooled = [row for row in every if row["metric"] == every[0]["metric"]], rows.report.about.pooled
    same = [row for row in same if pooled in row.values()] or same
    same = [row for row in same if all(row[key] == same[0][key] for key in keys)]
    title = rows.metric(same[0]["metric"]).title
    versions = by in ("version", "model") and len({row[by] for row in same}) == len(same)
    judge = "name" if versions else rows.report.about.judge  # versions of a judge are one line
    return [(row[by], row.get(judge) or title, row) for row in same]


def _history_keys(rows: SummaryRows) -> tuple[str, list[str]]:
    """The column that names runs, and the key columns besides those of runs and judges."""
    columns = rows.report[HISTORY_TABLE].columns
    by = next(iter(rows.report.options.get("by") or ()), columns[0])
    names = {rows.report.about.judge, by, "run", "time", "name", "version", "model"}
    return by, [key for key in key_columns(columns) if key not in names]


def history(rows: SummaryRows) -> Summary:
    """The headline metric of each judge over the runs."""
    report, lines = rows.report, history_lines(rows)
    if not lines:
        return Summary("Metrics over time", "", "No run has a defined metric.")
    same, runs = [row for *_, row in lines], list(dict.fromkeys(run for run, *_ in lines))
    metric, keys = rows.metric(same[0]["metric"]), _history_keys(rows)[1]

    named = {id(row): name for _, name, row in lines}

    def judge(row: TableRow) -> str:
        return named.get(id(row)) or row.get(report.about.judge) or metric.title

    ends = [{name: row for at, name, row in lines if at == run} for run in (runs[0], runs[-1])]
    order = [*rows.ranking(same[0]["metric"], ends[1]).rows]
    steps_of = [row for row in rows.rows(STEPS, metric=same[0]["metric"]) if row["value"] is not None]
    whole = {
        judge(row): row
        for row in steps_of
        if (row["first"], row["second"]) == (runs[0], runs[-1]) and all(row.get(key) == same[0][key] for key in keys)
    }
    change, tone = rows.scores(whole, signed=True), {name: _tone(row, rows) for name, row in whole.items()}
    shown = [
        SummaryColumn(str(runs[0]), rows.scores(ends[0]), drop=2),
        *estimate_columns(f"{runs[-1]}{' ' * (len(runs) == 1)}", rows.scores(ends[1])),
        SummaryColumn("change", change, "compact"),
        p_column(whole, {name: bool(one) for name, one in tone.items()}, 1),
    ]
    sides = {side: [name for name in whole if tone[name] == side] for side in ("best", "worse", "")}
    p = {name: p_text(row["p_adjusted"], row["tests"] or 1) for name, row in whole.items()}
    findings = [
        Sentence(f"{name}: {change[name].with_interval}, {p[name]}", _WORDS[side])
        for side in ("best", "worse")
        for name in sides[side]
    ]
    if sides[""]:
        still = listed_names(f"{name} {change[name].with_interval}" for name in sides[""])
        findings.append(Sentence(f"No significant change: {still}", "none"))
    absent = [name for name in order if sum(judge(row) == name for row in same) < len(runs)]
    doubts = [
        f"Not in every run: {listed_names(absent)}" if absent else "",
        "Unknown if runs hold the same items" if rows.rows(STEPS, **{SAME_ITEMS: UNKNOWN}) else "",
    ]
    words = {"best": "improved significantly", "worse": "declined significantly", "": "did not change significantly"}
    moves = "; ".join(f"{listed_names(names)} {words[side]}" for side, names in sides.items() if names)
    unmoved = f"A single run of {metric.title.lower()}: no change to test."
    span = f"{short_name(str(runs[0]))} to {short_name(str(runs[-1]))}, " if len(runs) > 1 else ""
    return Summary(
        f"{metric.title} over {count_of(len(runs), 'run')}",
        span + count_of(len(order), report.about.judge),
        f"{moves} from {runs[0]} to {runs[-1]}." if moves else unmoved if len(runs) == 1 else "No change is defined.",
        "history",
        SummaryTable({name: tone.get(name, "") for name in order}, shown if moves else shown[1:3], report.about.judge),
        findings,
        rows.cautions(ends[1], "item", *filter(None, doubts)),
        steps(
            f"Compare the first and the last run of {sides['worse'][0]} item by item" if sides["worse"] else None,
            f"Keep {runs[-1]}" if sides["best"] and not sides["worse"] else None,
        ),
        sentences.gate_sentences(rows, same[0]["metric"], []),
    )
