"""Summaries of several runs: two runs on the same items, and a history."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudge.display_names import count_of, listed_names, short_name
from adjudge.metrics.data_checks import SKIPPED_SHARE
from adjudge.metrics.row_selection import TableRow, distinguishing_keys, key_columns
from adjudge.metrics.run_changes import SAME_ITEMS, STEPS, UNKNOWN
from adjudge.render.numbers import inside
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE

_MEAN = " (mean)"
_CHANGES = {"best": "Significantly better", "worse": "Significantly worse", "": "No significant change"}
_SIDES, _BARE = ("first_value", "second_value"), {"low": None, "high": None, "caveat": None}


def compare(rows: SummaryRows) -> Summary:
    """The second run against the first, on the items of both."""
    chosen = [row for row in rows.headline_rows(COMPARISON_TABLE) if row["value"] is not None]
    if not chosen:
        return Summary(title="Runs compared", verdict="No metric is defined in both runs.")
    judges = {(row.get("judge"), row.get("second_judge") or row.get("judge")) for row in chosen}
    one, other = next(iter(judges)) if len(judges) == 1 else (None, None)
    before, after = (str(one), str(other)) if one != other else (chosen[0]["first"], chosen[0]["second"])
    known = _titled_rows(rows, chosen, ["judge"] * (len(judges) > 1))
    tones = {name: rows.tone(row) for name, row in known.items()}
    change = rows.scores(known, signed=True)
    sides = [{name: rows.score({**row, **_BARE, "value": row[side]}) for name, row in known.items()} for side in _SIDES]
    columns = [
        SummaryColumn(before, sides[0], drop=2),
        SummaryColumn(f"{after}{' ' * (after == before)}", sides[1], drop=2),
        SummaryColumn("change", change, "compact"),
        sentences.p_column(known, tones, 1),
        SummaryColumn("", {name: sentences.TONES[tone] if tone else "" for name, tone in tones.items()}, "text"),
    ]
    main, *parts = known
    whole = not parts or main.endswith(_MEAN)
    size = f"{inside(main.removesuffix(_MEAN))} {change[main].with_interval}" if whole else ""
    written = {name: f"{name} {one}" for name, one in change.items()}
    others = {name: tones[name] for name in (parts if whole else known)}
    items = {row["outcome"]: row["count"] for row in rows.rows("items")}
    worse, improved = (rows.report.counts.get(f"judgments changed for the {one}", 0) for one in ("worse", "better"))
    choice = after if tones[main] == "best" else before if tones[main] else ""
    return Summary(
        title=f"{before} -> {after}",
        context=f"{count_of(items.get('both', 0), 'shared item')}, paired tests",
        verdict=_comparison_verdict(before, after, tones, size),
        table=SummaryTable(tones, columns, "metric"),
        findings=sentences.findings_by_tone(others, _CHANGES, written),
        cautions=rows.cautions({}, "item", *_excluded(rows, (before, after), items)),
        next=sentences.steps(
            f"Use {choice}" if whole and choice and before != after else None,
            sentences.sample_size(known[main].get("needed"), "items", "detect this difference") if whole else None,
            sentences.read_step(worse, "outcome", f"that became worse ({improved:,} became better)"),
        ),
    )


def _titled_rows(rows: SummaryRows, chosen: list[TableRow], more: Sequence[str]) -> dict[str, TableRow]:
    """Rows by metric and what tells them apart, the overall one first, then by significance. more: further keys."""
    pooled, metrics = rows.report.about.pooled, Counter(row["metric"] for row in chosen)
    keys = [*distinguishing_keys(chosen, rows.report.about), *more]
    titled: dict[str, TableRow] = {}
    chosen.sort(key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"] or 0.0))
    for row in sorted(chosen, key=lambda row: pooled not in row.values()):
        values = [row[key] for key in keys if metrics[row["metric"]] > 1 and row[key] not in (None, pooled)]
        words = [f"{one:g}" if isinstance(one, float) else short_name(str(one).replace("_", " ")) for one in values]
        title = [rows.metric(row["metric"]).title] * (len(metrics) > 1 or not words)
        mean = _MEAN if pooled and pooled in row.values() and len(chosen) > 1 else ""
        titled.setdefault(", ".join([*title, *words]) + mean, row)
    return titled


def _comparison_verdict(before: str, after: str, tones: Mapping[str, str], size: str) -> str:
    """Whether the second run is better, in one sentence. size: the metric that decides and its change, if one does."""
    if size and (word := next(iter(tones.values()))):
        return f"{after} is significantly {sentences.TONES[word]} than {before}: {size}."
    counts = {side: sum(one == side for one in tones.values()) for side in ("best", "worse")}
    if size or not any(counts.values()):
        where = f": {size}" if size else f" in {count_of(len(tones), 'metric')}"
        return f"No significant difference between {before} and {after}{where}."
    parts = [f"{sentences.TONES[side]} in {count}" for side, count in counts.items() if count]
    return f"{after} is significantly {' and '.join(parts)} of {count_of(len(tones), 'metric')}."


def _excluded(rows: SummaryRows, runs: tuple[str, str], items: Mapping[str, int]) -> Iterator[str]:
    """Items of one run only, and missing labels."""
    about, only = rows.report.about, [items.get(one, 0) for one in ("only_first", "only_second")]
    if sum(only) >= max(SKIPPED_SHARE * items.get("both", 0), 1):
        yield f"Items in one run only, excluded: {only[0]:,} of {runs[0]}, {only[1]:,} of {runs[1]}"
    missing = rows.rows(COMPARISON_TABLE, metric="missing")
    for row in [row for row in missing if not about.pooled or about.pooled in row.values()][:1]:
        if row["first_value"] or row["second_value"]:
            each = [f"{run} {row[side] or 0:.1%}" for run, side in zip(runs, _SIDES, strict=True)]
            what = ", counted as wrong" * (about.label_counts.counts == "as wrong")
            yield f"Missing labels: {', '.join(each)}{what}"


def history_lines(rows: SummaryRows) -> list[tuple[str, str, TableRow]]:
    """The headline metric of each judge in each run: the run, the judge, and its row."""
    every = [row for row in rows.headline_rows(HISTORY_TABLE) if row["value"] is not None]
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
    lines, noun = history_lines(rows), rows.report.about.judge
    if not lines:
        return Summary(title="Metrics over time", verdict="No run has a defined metric.")
    runs, row = list(dict.fromkeys(run for run, *_ in lines)), lines[0][2]
    title, keys = rows.metric(row["metric"]).title, {key: row[key] for key in ("metric", *_history_keys(rows)[1])}
    ends = [{name: row for at, name, row in lines if at == run} for run in (runs[0], runs[-1])]
    order = [*rows.ranking(row["metric"], ends[1]).rows]
    changes = [row for row in rows.rows(STEPS, first=runs[0], second=runs[-1], **keys) if row["value"] is not None]
    whole = {row.get(noun) or title: row for row in changes}
    tones = {name: rows.tone(row) for name, row in whole.items()}
    columns = [
        SummaryColumn(str(runs[0]), rows.scores(ends[0]), drop=2),
        *sentences.estimate_columns(f"{runs[-1]}{' ' * (len(runs) == 1)}", rows.scores(ends[1])),
        SummaryColumn("change", rows.scores(whole, signed=True), "compact"),
        sentences.p_column(whole, tones, 1),
    ]
    sides = {side: [name for name in whole if tones[name] == side] for side in ("best", "worse", "")}
    written = {name: f"{name} {rows.score(row, signed=True).with_interval}" for name, row in whole.items()}
    absent = listed_names(name for name in order if sum(one == name for _, one, _ in lines) < len(runs))
    doubts = [f"Not in every run: {absent}"] if absent else []
    doubts += ["Unknown if runs hold the same items"] if rows.rows(STEPS, **{SAME_ITEMS: UNKNOWN}) else []
    words = {"best": "improved significantly", "worse": "declined significantly", "": "did not change significantly"}
    moves = "; ".join(f"{listed_names(names)} {words[side]}" for side, names in sides.items() if names)
    unmoved = f"A single run of {inside(title)}: no change to test." if len(runs) == 1 else "No change is defined."
    span = f"{short_name(str(runs[0]))} to {short_name(str(runs[-1]))}, " if len(runs) > 1 else ""
    return Summary(
        title=f"{title} over {count_of(len(runs), 'run')}",
        context=span + count_of(len(order), noun),
        verdict=f"{moves} from {runs[0]} to {runs[-1]}." if moves else unmoved,
        table=SummaryTable({name: tones.get(name, "") for name in order}, columns if moves else columns[1:3], noun),
        findings=sentences.findings_by_tone(tones, _CHANGES, written),
        cautions=rows.cautions(ends[1], "item", *doubts),
        next=sentences.steps(
            *(f"Compare the first and the last run of {one} item by item" for one in sides["worse"][:1]),
            f"Keep {runs[-1]}" if sides["best"] and not sides["worse"] else None,
        ),
    )
