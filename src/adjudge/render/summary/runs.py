"""Summaries of several runs: two runs on the same items, and a history."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudge.display_names import count_of, short_name
from adjudge.metrics.data_checks import SKIPPED_SHARE
from adjudge.metrics.history import SAME_ITEMS, STEPS, UNKNOWN
from adjudge.metrics.ranking import JudgePair
from adjudge.metrics.row_selection import TableRow, distinguishing_keys
from adjudge.render.numbers import capital
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, by_tone
from adjudge.report import key_columns
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE

_MEAN, _WORSE = " (mean)", "judgments changed for the worse"
_CHANGES = {"best": "significantly better", "worse": "significantly worse", "": "no significant change"}
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
    ]
    main, *parts = known
    whole = not parts or main.endswith(_MEAN)
    size = f"{sentences.phrase(main.removesuffix(_MEAN))} {change[main].with_interval}"
    verdict = f"From {before} to {after}, {'; '.join(by_tone(tones, _CHANGES).values())}."
    if whole and tones[main]:
        verdict = f"{after} is {_CHANGES[tones[main]]} than {before}: {size}."
    elif whole:
        verdict = f"No significant difference between {before} and {after}: {size}."
    others = by_tone({name: tones[name] for name in parts if whole}, _CHANGES)
    items = {row["outcome"]: row["count"] for row in rows.rows("items")}
    choice = {"best": after, "worse": before}.get(tones[main], "")
    return Summary(
        title=f"{before} -> {after}",
        context=f"{count_of(items.get('both', 0), 'shared item')}, paired tests",
        verdict=verdict,
        table=SummaryTable(tones, columns, "metric"),
        findings=[Sentence(capital(text), sentences.TONES[tone]) for tone, text in others.items()],
        cautions=rows.cautions({}, "item", *_excluded(rows, (before, after), items)),
        next=sentences.steps(
            f"Use {choice}" if whole and choice and before != after else None,
            rows.sample_size(JudgePair(after, before, known[main], bool(tones[main])), "items") if whole else None,
            sentences.read_step(rows.report.counts.get(_WORSE, 0), "outcome", "that became worse"),
        ),
    )


def _titled_rows(rows: SummaryRows, chosen: list[TableRow], more: Sequence[str]) -> dict[str, TableRow]:
    """Rows by metric and distinguishing keys, the overall one first, then by significance, shares of noise last.

    more: further keys.
    """
    pooled, metrics = rows.report.about.pooled, Counter(row["metric"] for row in chosen)
    keys = [key for key in (*distinguishing_keys(chosen, rows.report.about), *more) if key != "noise_ratio"]
    titled: dict[str, TableRow] = {}
    chosen.sort(key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"] or 0.0))
    for row in sorted(chosen, key=lambda row: (pooled not in row.values(), len(_noise(row)), _noise(row))):
        values = [row[key] for key in keys if metrics[row["metric"]] > 1 and row[key] not in (None, pooled)]
        words, noise = [short_name(str(one).replace("_", " ")) for one in values], _noise(row)
        title = [rows.metric(row["metric"]).title] * (len(metrics) > 1 or not words or bool(noise))
        mean = _MEAN if pooled and pooled in row.values() and len(chosen) > 1 else ""
        name = ", ".join([*title, *words]).removesuffix(", noise robustness" * bool(noise))
        titled.setdefault(name + noise + mean, row)
    return titled


def _noise(row: TableRow) -> str:
    """The share of noise in a title: ", 80% noise"; empty without one."""
    return "" if row.get("noise_ratio") is None else f", {row['noise_ratio']:.0%} noise"


def _excluded(rows: SummaryRows, runs: tuple[str, str], items: Mapping[str, int]) -> Iterator[str]:
    """Items of one run only, and missing labels."""
    about, only = rows.report.about, [items.get(one, 0) for one in ("only_first", "only_second")]
    if sum(only) >= max(SKIPPED_SHARE * items.get("both", 0), 1):
        yield f"Items in one run only, excluded: {only[0]:,} of {runs[0]}, {only[1]:,} of {runs[1]}"
    missing = rows.rows(COMPARISON_TABLE, metric="missing")
    for row in [row for row in missing if not about.pooled or about.pooled in row.values()][:1]:
        if row["first_value"] or row["second_value"]:
            each = [f"{run} {row[side] or 0:.1%}" for run, side in zip(runs, _SIDES, strict=True)]
            yield f"Missing labels: {', '.join(each)}{', counted as wrong' * (about.label_counts.counts == 'as wrong')}"


def history_lines(rows: SummaryRows) -> list[tuple[str, str, TableRow]]:
    """The headline metric of each judge in each run: the run, the judge, and its row."""
    every = [row for row in rows.headline_rows(HISTORY_TABLE) if row["value"] is not None]
    if not every:
        return []
    by, keys = _history_keys(rows)
    same, pooled = [row for row in every if row["metric"] == every[0]["metric"]], rows.report.about.pooled
    same = [row for row in same if pooled in row.values()] or same
    most = max(same, key=lambda row: row.get("noise_ratio") or 0)
    same = [row for row in same if all(row[key] == most[key] for key in keys)]
    return [(str(row[by]), row.get(rows.report.about.judge) or rows.metric(row["metric"]).title, row) for row in same]


def _history_keys(rows: SummaryRows) -> tuple[str, list[str]]:
    """The column that names runs, and the key columns besides those of runs and judges."""
    columns = rows.report[HISTORY_TABLE].columns
    by = next(iter(rows.report.options.get("by") or ()), columns[0])
    names = {rows.report.about.judge, by, "run", "time", "name"}
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
    columns = sentences.estimate_columns(str(runs[-1]), rows.scores(ends[1]))
    if tones:
        columns.insert(0, SummaryColumn(str(runs[0]), rows.scores(ends[0]), drop=2))
        columns.append(SummaryColumn("change", rows.scores(whole, signed=True), "compact"))
        columns.append(sentences.p_column(whole, tones, 1))
    clear = [(name, tones[name], row) for name, row in whole.items() if tones[name]]
    doubts = ["Unknown if runs hold the same items"] * bool(rows.rows(STEPS, **{SAME_ITEMS: UNKNOWN}))
    return Summary(
        title=f"{title}{_noise(row)} over {count_of(len(runs), 'run')}",
        context=f"{runs[0]} to {runs[-1]}, {count_of(len(order), noun)}",
        verdict=f"From {runs[0]} to {runs[-1]}, {'; '.join(by_tone(tones, _CHANGES).values() or ['nothing to test'])}.",
        table=SummaryTable({name: tones.get(name, "") for name in order}, columns, noun),
        findings=[Sentence(f"{name}: {rows.change(row)}", sentences.TONES[tone]) for name, tone, row in clear],
        cautions=rows.cautions(ends[1], "item", *doubts),
        next=sentences.steps(
            "Compare the first and the last run item by item" if "worse" in tones.values() else None,
            f"Keep {runs[-1]}" if {"best"} <= {*tones.values()} <= {"best", ""} else None,
        ),
    )
