"""A battery over every declared figure of all evaluations, on runs with gaps: what holds of each, whatever it is.

A figure that is declared and not read literally here fails `test_every_declared_figure_is_in_the_battery`.
"""

import gappy
import numpy as np
import polars as pl
import pytest
from battery import (
    ALL_LABELS,
    ALONE,
    CASES,
    FOUND,
    JUDGE,
    LITERAL,
    MAIN,
    NAMES,
    UNREAD,
    Case,
    close,
    compared_tables,
    declared,
    is_of,
    judged,
    key_of,
    keys_of,
    one_run,
    read_in,
    reading_of,
    tables,
    two_runs,
    views,
)
from contradictions import contradictions
from gappy import PEOPLE
from scipy import stats

import adjudge
from adjudge.api.reports import runs_of
from adjudge.evaluations import view_of
from adjudge.metrics.cells import StateCells, count_states
from adjudge.metrics.comparison import pairs_by
from adjudge.metrics.difference import paired_difference
from adjudge.metrics.metric import KIND, applicable_metrics
from adjudge.metrics.run_matching import count_pairs, match_runs
from adjudge.metrics.tables import cells_of_groups
from adjudge.schemas.outcomes import MADE_BY


@pytest.mark.parametrize("evaluation", NAMES)
def test_every_declared_figure_is_in_the_battery(evaluation):
    """But for what became of questions to models, which tests of asking count."""
    figures = {(evaluation, one.table, one.name, one.keys.get("average", "")) for one in declared(view_of(evaluation))}
    read = {key for key in LITERAL if key[0] == evaluation and (evaluation, key[2]) not in ALONE}
    assert {key for key in figures if key[1] != "replies"} == read


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request, tmp_path_factory):
    return Case(*request.param, tmp_path_factory.mktemp("runs"))


def test_estimates_are_what_a_literal_reading_of_the_outcomes_gives(case):
    seen = set()
    for table, rows in tables(case, case.both.report).items():
        for row in rows:
            name = "" if table == "overall" else table
            judge = row.get(JUDGE[case.evaluation]) or ""
            if row["metric"] in UNREAD or judge not in {"", *gappy.RIGHT}:  # baselines, and the reference
                continue
            expected = one_run(case, name, row, judge)
            assert close(row["value"], expected.value), (row, expected)
            assert (row["value"] is None) == bool(row["reason"]), row
            if reading_of(case, name, row).complete and row["value"] is not None:
                assert row["n"] == expected.n, (row, expected)
            seen |= {key_of(case.evaluation, name, row)} if row["value"] is not None else set()
    assert seen == read_in(case)


@pytest.mark.parametrize("evaluation", [name for name in NAMES if name != "annotations"])  # whose pairs are more
def test_intervals_stay_within_the_declared_ranges_of_few_items(evaluation, tmp_path, monkeypatch):
    monkeypatch.setattr(gappy, "N", 6)
    case = Case(evaluation, "weeks", tmp_path)
    for report in (case.a.report, case.b.report, case.compared):
        for name, table in report.tables.items():
            for row in table.drop_nulls("low").to_dicts() if {"metric", "low"} <= {*table.columns} else []:
                low, high = report.about.metrics[row["metric"]].range
                low, high = (low - high, high - low) if "first_value" in row else (low, high)
                assert min(low, row["value"]) <= row["low"] <= row["high"] <= max(high, row["value"]), (name, row)


# --- two runs ---


def test_differences_are_those_of_two_estimates_on_complete_cases(case):
    """Or, of annotators of whom each has items of their own, on all items of both."""
    seen = set()
    for table, rows in compared_tables(case.compared).items():
        for row in rows:
            expected = two_runs(case, table, row)
            seen.add(key_of(case.evaluation, table, row))
            assert close(row["first_value"], expected.before), (row, expected)
            assert close(row["second_value"], expected.after), (row, expected)
            assert row["left_out"] == expected.left_out, (row, expected)
            if None in (expected.before, expected.after):
                assert [row[name] for name in ("value", "low", "high", "p", "p_adjusted")] == [None] * 5
                assert row["reason"]
            else:
                assert close(row["value"], expected.after - expected.before), (row, expected)
                assert (row["n"], row["reason"]) == (expected.n, None), (row, expected)
    assert seen >= {key for key in read_in(case) if (key[0], key[2]) not in ALONE}


WITHOUT_DIFFERENCES = {"agreement"}


def compares_judges(case):
    """Whether a report on several judges says how they differ: not of agreement, nor of votes that are no choice."""
    return case.evaluation not in WITHOUT_DIFFERENCES and case.way != ALL_LABELS


def test_reports_do_not_contradict_one_another(case):
    """Nor comparisons, histories and leaderboards; benchmarks/contradictions.py has hundreds of data sets."""
    if case.way == ("plain" if case.evaluation in {"preferences", "violations"} else "weeks"):  # ranks have no groups
        assert [*contradictions(case)] == []


def test_what_is_left_out_is_told_alike(case):
    """By a report and by a comparison: which side lacks the figure, and what became of the row there."""
    if not compares_judges(case):
        return
    ours, theirs = (
        {(keys_of(row), row["lacks"], row["outcome"]): row["count"] for row in report.tables.get("left_out", pl.DataFrame()).to_dicts() if (row["first"], row["second"]) == ("A", "B")}
        for report in (case.both.report, case.compared)
    )  # fmt: skip
    assert ours or case.evaluation in {"card", "reliability"}  # where both have the metric on all shared items
    assert ours == {key: theirs[key] for key in ours}


def test_the_other_way_round_differences_have_the_other_sign(case):
    if case.way == "clusters":  # weeks are clustered too
        return
    back = adjudge.compare([case.b.items, case.a.items])
    for table, rows in compared_tables(case.compared).items():
        found = {keys_of(row): row for row in compared_tables(back)[table]}
        assert len(found) == len(rows)
        for row in rows:
            own = found[keys_of(row)]
            assert [own["second_value"], own["first_value"]] == [row["first_value"], row["second_value"]]
            for name, other in (("value", "value"), ("low", "high"), ("high", "low")):
                assert own[name] == (None if row[other] is None else pytest.approx(-row[other], abs=1e-12)), row
            assert own["p"] == (None if row["p"] is None else pytest.approx(row["p"], rel=1e-9)), row
            assert [own[name] for name in ("n", "caveat", "left_out")] == [
                row[name] for name in ("n", "caveat", "left_out")
            ]


def shuffled(case, run):
    """The same items file with its rows in another order."""
    path = case.folder / "shuffled" / run.items.name
    path.parent.mkdir(exist_ok=True)
    made = {MADE_BY: pl.read_parquet_metadata(run.items)[MADE_BY]}
    pl.read_parquet(run.items).sample(fraction=1, shuffle=True, seed=8).write_parquet(path, metadata=made)
    return path


def test_the_order_of_rows_changes_nothing(case):
    """But that rows of tables stand as in the first run."""
    if case.way in {"plain", "clusters"}:  # which weeks are too
        return
    found = adjudge.compare([shuffled(case, case.a), shuffled(case, case.b)])
    for name, table in case.compared.tables.items():
        assert sorted(map(str, found[name].iter_rows())) == sorted(map(str, table.iter_rows())), name


def found_in(case, row):
    """What a row says; of agreement without the last digits, since raters are summed in the order of their names."""
    said = [row[name] for name in FOUND[:7]]
    return [round(one, 12) if case.evaluation == "agreement" and isinstance(one, float) else one for one in said]


def test_the_names_of_judges_change_nothing(case):
    """Nor the order that they give."""
    if case.way in {"plain", "clusters"}:  # which weeks are too
        return
    run, names, column = case.exchanged, {"A": "B", "B": "A"}, JUDGE[case.evaluation]
    for table, rows in tables(case, run.report).items():
        ours = {(names.get(row.get(column)), keys_of(row)): found_in(case, row) for row in rows}
        theirs = {(row.get(column) if row.get(column) in ("A", "B") else None, keys_of(row)): found_in(case, row) for row in tables(case, case.both.report)[table]}  # fmt: skip
        assert ours == theirs
    if not compares_judges(case):
        return
    theirs, ours = (
        {keys_of(row): row for row in report["differences"].to_dicts() if (row["first"], row["second"]) == ("A", "B")}
        for report in (case.both.report, run.report)
    )
    assert theirs
    for keys, row in ours.items():
        own = theirs[keys]
        assert row["p"] == (None if own["p"] is None else pytest.approx(own["p"], rel=1e-9))
        assert row["value"] == (None if own["value"] is None else pytest.approx(-own["value"], abs=1e-12))


def test_p_is_small_exactly_where_the_interval_leaves_out_no_difference(case):
    less = case.compared if case.way == "weeks" else adjudge.compare([case.a.items, case.b.items], ci_level=0.8)
    for report in (case.compared, less):
        level = 1 - report.options["ci_level"]
        rows = [row for rows in compared_tables(report).values() for row in rows if row["low"] is not None]
        assert rows
        for row in rows:
            assert (row["p"] < level) == (not row["low"] <= 0 <= row["high"]), row


# --- one run beside two ---


def test_a_run_beside_itself_has_the_values_of_its_report_and_does_not_differ(case, tmp_path):
    """To the last bit: it has no gaps where it is compared with itself."""
    if case.way == "clusters":  # weeks are clustered too
        return
    alone = tables(case, case.a.report)
    (again := tmp_path / "again.parquet").write_bytes(case.a.items.read_bytes())
    found = adjudge.compare([case.a.items, again])
    assert (found["changes"].height, found.examples.height) == (0, 0)
    for table, rows in compared_tables(found).items():
        values = {
            keys_of(row): row["value"]
            for row in alone[table]
            if row.get(JUDGE[case.evaluation]) in (None, "A", *PEOPLE)
        }
        for row in rows:
            if (table, case.way) != ("agreement", "weeks"):  # which the report has of all weeks together
                assert row["first_value"] == values[keys_of(row)], row
            assert row["second_value"] == row["first_value"]
            assert (row["value"], row["left_out"]) == (None if row["first_value"] is None else 0.0, 0)
            assert row["p"] in (None, 1.0)


def test_pilots_say_what_reports_and_comparisons_say(case):
    alone, both = case.pilots
    report = {keys_of(row): row for row in tables(case, case.a.report)[""] if is_of(case, row, "A")}
    compared = {keys_of(row): row for row in compared_tables(case.compared)[""]}
    assert alone
    for key, pilot in alone.items():
        if key in report:
            assert pilot.value == report[key]["value"], key
    assert {key for key, row in compared.items() if row["first_value"] is not None} == both.keys()
    for key, pilot in both.items():
        assert pilot.value == compared[key]["first_value"], key


def wide(variance, effect, units, items):
    """The width of an interval by t."""
    return 2 * stats.t.ppf(0.975, units - 1) * (variance * (effect or 1) / items) ** 0.5


ROUGH = ("few_discordant_items", "few_changes", "few_chance_disagreements", "few_decided_pairs", "no_variation")
"""Notes on figures that rest on so few items that no plan can foresee their width."""


def test_plans_for_as_many_items_give_about_the_width_that_is_seen(case):
    """Of one run, and of the difference of two. What is planned in clusters takes none to say more than their items."""
    alone, both = case.pilots
    report = [row for row in tables(case, case.a.report)[""] if is_of(case, row, "A")]
    if case.way == "weeks":  # of half as many items
        return
    sides = [
        (report, alone, lambda one: (one.item_variance, one.design_effect)),
        (compared_tables(case.compared)[""], both, lambda one: (one.difference_variance, one.difference_effect)),
    ]
    for rows, pilot_of, spread in sides:
        for row in rows:
            pilot = pilot_of.get(keys_of(row))
            sure = row["low"] is not None and row["n"] >= 20 and row["caveat"] not in ROUGH
            if (
                row["method"] == "mover" and row.get("second_value") == 1
            ):  # its variance vanishes, its interval does not
                continue
            if not sure or pilot is None or pilot.value < 0.15 or pilot.value > 0.85:
                continue
            variance, effect = spread(pilot)
            found = (row["high"] - row["low"]) / wide(variance, effect, pilot.clusters or pilot.items, pilot.items)
            assert (0.8 if effect is None or effect > 1 else 0.5) < found < 1.6, row


def test_history_tells_what_reports_say(case):
    metrics = set(case.both.report[MAIN[case.evaluation]]["metric"])
    found = adjudge.history([case.a.saved, case.b.saved], metric=sorted(metrics))["history"].to_dicts()
    columns = ("value", "low", "high", "n", "method", "reason", "caveat")
    for row in found:
        run = {"A": case.a, "B": case.b}[row["run"]]
        judge = row.get(JUDGE[case.evaluation])
        same = [one for one in tables(case, run.report)[""] if keys_of(one) == keys_of(row) and one.get(JUDGE[case.evaluation]) == judge]  # fmt: skip
        assert [[one[name] for name in columns] for one in same] == [[row[name] for name in columns]]
    assert {row["metric"] for row in found} == metrics


# --- cells ---


def halves(frame):
    """The rows of every second item, and the others."""
    first = pl.col("item").cast(pl.String).str.extract(r"(\d+)$").cast(pl.Int64) % 2 == 0
    return [frame.filter(first), frame.filter(~first)]


def test_cells_of_split_data_merge_to_those_of_the_whole(case):
    """To the last bit: outcomes are split, each part is counted, and the counts stand behind each other."""
    if case.way == "clusters":  # weeks are clustered too
        return
    (run,) = runs_of([case.both.items])
    for view in views(case):
        own = [name for name in run.keys if name not in (*view.ignored_columns, *view.names)]
        keys = ["judge", *view.keys, *own]
        unit = "item" if view.subkeys and case.way == "plain" else "cluster" if case.way != "plain" else None
        whole, merged = (
            {str(values): (values, cells) for values, cells in cells_of_groups(pl.concat(counts), view, keys)}
            for counts in (
                [count_states(view.rows(part, own, run.options), [*keys, KIND], view.states, unit) for part in parts]
                for parts in ([run.outcomes], halves(run.outcomes))
            )
        )
        assert whole.keys() == merged.keys()
        for name, (values, by_kind) in whole.items():
            for kind, cells in by_kind.items():
                for figure in applicable_metrics(view.metrics, {**values, KIND: kind}):
                    found = [figure.estimate(one, 0.95) for one in (cells, merged[name][1][kind])]
                    assert found[0] == found[1], (figure.name, values)


def test_pairs_of_split_data_merge_to_those_of_the_whole(case):
    if case.way == "clusters":  # weeks are clustered too
        return
    for data in match_runs(*runs_of([case.a.items, case.b.items]), judged(case), views(case)[0]):
        keys = ["judge", KIND, *data.keys]
        alone = [None, None] if data.alone is None else halves(data.alone)
        parts = zip(halves(data.rows), alone, strict=True)
        counts = [count_pairs(rows, single, keys, data.view.states, data.unit) for rows, single in parts]
        merged = pl.concat(counts, how="diagonal")
        found = {str(values): pairs for values, pairs in pairs_by(data, merged)}
        for values, pairs in pairs_by(data, data.count_states(keys, data.unit)):
            for figure in applicable_metrics(data.view.metrics, values):
                whole, split = (paired_difference(figure, one, 0.95) for one in (pairs, found[str(values)]))
                assert (whole.before, whole.after, whole.left_out) == (split.before, split.after, split.left_out)
                assert whole.comparison == split.comparison


def test_of_nothing_every_figure_is_undefined_and_says_why(case):
    """Of no row at all, and of rows that only one run has."""
    for data in match_runs(*runs_of([case.a.items, case.b.items]), judged(case), views(case)[0]):
        _, pairs = next(pairs_by(data, data.count_states(["judge", KIND, *data.keys], data.unit)))
        nothing = pairs.filter(np.zeros(len(pairs.first), dtype=bool))
        for figure in data.view.metrics:
            alone = figure.estimate(StateCells(nothing.states, nothing.first, nothing.counts, nothing.units), 0.95)
            apart = paired_difference(figure, nothing, 0.95).comparison
            for found in (alone, apart.estimate):
                assert (found.value, found.low, found.high) == (None, None, None), figure.name
                assert found.reason, figure.name
            assert apart.p is None
