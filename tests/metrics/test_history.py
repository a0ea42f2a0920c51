import json
import shlex
import shutil
from functools import cache

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError, OptionError, Report
from made import EXAMPLES, labelled
from made_history import judgments, saved

FIGURES = ["metric", "value", "low", "high", "n", "method", "reason", "caveat"]


@cache
def scored(name):
    """A report on the examples of an evaluation."""
    files = {
        "annotations": ("pairs.json",),
        "preferences": ("gold.jsonl", "careful.tsv", "quick.tsv"),
        "rag": ("answers.jsonl",),
        "reliability": ("votes.json",),
        "violations": ("truth.jsonl", "careful.jsonl", "eager.jsonl"),
    }
    first, *others = (EXAMPLES / name / one for one in files[name])
    return getattr(library, name)(first, *([others] if others else []))


def test_figures_stand_in_the_order_of_time_with_the_intervals_of_their_runs(tmp_path):
    saved(tmp_path / "b-2026-11-27.json", {"ann": 8, "bob": 5})
    saved(tmp_path / "c-2026-11-20.json", {"ann": 2, "bob": 10})
    report = library.history(tmp_path)
    table = report["history"]
    assert table.columns == ["run", "time", "annotator", *FIGURES]
    assert table.select("run", "time", "annotator", "metric", "value", "n").rows() == [
        ("c-2026-11-20", "2026-11-20", "ann", "reliability", 0.2, 10),
        ("c-2026-11-20", "2026-11-20", "bob", "reliability", 1.0, 10),
        ("b-2026-11-27", "2026-11-27", "ann", "reliability", 0.8, 10),
        ("b-2026-11-27", "2026-11-27", "bob", "reliability", 0.5, 10),
    ]
    # Wilson's interval of 8 of 10, as tables have it
    estimate = report.estimate("reliability", table="history", run="b-2026-11-27", annotator="ann")
    assert (round(estimate.low, 4), round(estimate.high, 4), estimate.method) == (0.4902, 0.9433, "wilson")


def test_the_report_says_what_it_rests_on(tmp_path):
    late, early = (saved(tmp_path / f"{day}.json", {"ann": 8, "bob": 5}) for day in ("2026-11-27", "2026-11-20"))
    report = library.history([late, early], metric=["reliability", "kappa", "items"])
    assert report.evaluation == "reliability"
    assert report.counts == {"runs": 2, "annotators": 2}
    assert [(one.path, one.rows) for one in report.inputs] == [(str(early), 6), (str(late), 6)]
    assert report.command == shlex.join(
        ["adjudge", "history", str(early), str(late), "--metric", "reliability,kappa,items"]
    )
    assert 'metric=["reliability","kappa","items"]' in report.signature
    assert report.warnings == ()
    assert report.notes[0] == ("Runs are in chronological order, by the dates in the names of files or folders.")
    tested = (
        "4 steps are tested by the intervals of both, as if they shared no items: their items files are missing. "
        "If they do share items, the test has less power."
    )
    assert report.notes[1:] == ("Each interval in the table history is that of one run alone.", tested)
    report.save(tmp_path / "saved.json")
    assert Report.load(tmp_path / "saved.json") == report


def test_where_a_run_has_no_date_all_are_in_the_order_of_their_names(tmp_path):
    for name in ("run 10", "run 2", "run 1 of 2026-11-20"):
        saved(tmp_path / f"{name}.json", {"ann": 8})
    report = library.history(tmp_path)
    assert report["history"]["run"].to_list() == ["run 1 of 2026-11-20", "run 2", "run 10"]
    assert report["history"]["time"].to_list() == ["2026-11-20", "run 2", "run 10"]
    assert report.notes[0].startswith("Runs are in the order of their names: 2 runs (run 2 and run 10) have no date")


def test_undated_runs_are_in_the_order_in_which_they_are_given(tmp_path):
    before, after = (saved(tmp_path / name, {"ann": right}) for name, right in (("old/z.json", 4), ("new/a.json", 8)))
    for places in ([before, after], [before.parent, after.parent], [before.parent, after]):
        report = library.history(places)
        assert report["history"].select("run", "value").rows() == [("z", 0.4), ("a", 0.8)]
        assert report["steps"].select("first", "second", "first_value").rows() == [("z", "a", 0.4)]
        assert [one.path for one in report.inputs] == [str(before), str(after)]
        assert report.notes[0].startswith(
            "Runs are in the order in which they were given: 2 runs (z and a) have no date"
        )
    assert library.history([after, before])["history"]["run"].to_list() == ["a", "z"]


def test_runs_that_a_shell_expands_are_ordered_as_those_of_a_folder(tmp_path):
    names = [f"run{n}" for n in range(1, 12)]
    for name in names:
        saved(tmp_path / f"{name}.json", {"ann": 5})
    expanded = sorted(tmp_path.glob("run*.json"))
    assert [path.stem for path in expanded[:3]] == ["run1", "run10", "run11"]
    for places in (expanded, [tmp_path]):
        assert library.history(places)["history"]["run"].to_list() == names
    given = [tmp_path / f"{name}.json" for name in ("run10", "run2")]
    assert library.history(given)["history"]["run"].to_list() == ["run10", "run2"]


def test_corrected_figures_are_followed_too(tmp_path):
    labels = pl.DataFrame({"item": ["1", "2", "1"], "annotator": ["gpt", "gpt", "ana"], "label": ["a", "b", "a"]})
    for day in (20, 27):
        library.correct(labels, judges="gpt").save(tmp_path / f"2026-11-{day}.json")
    assert set(library.history(tmp_path)["history"]["metric"]) == {"corrected"}


def test_runs_of_the_same_time_stand_by_their_names(tmp_path):
    for version in (10, 9, 11):
        saved(tmp_path / f"v{version}" / "2026-11-20.json", {"ann": 8})
    table = library.history(tmp_path)["history"]
    assert table["run"].to_list() == ["v9/2026-11-20", "v10/2026-11-20", "v11/2026-11-20"]


def test_a_key_column_gives_the_order_and_stands_once(tmp_path):
    for name, weeks in (("one", {"week 10": 9, "week 2": 4}), ("two", {"week 2": 6})):
        tables = [judgments({"ann": right}, week=week) for week, right in weeks.items()]
        library.reliability(pl.concat(tables), by="week", examples=0).save(tmp_path / f"{name}.json")
    report = library.history(tmp_path, by="week")
    table = report["history"]
    assert table.columns == ["run", "week", "annotator", *FIGURES]
    assert table.select("run", "week", "value").rows() == [
        ("one", "week 2", 0.4),
        ("two", "week 2", 0.6),
        ("one", "week 10", 0.9),
    ]
    assert report.notes[0] == "Runs are in the order of week."
    assert library.history(tmp_path)["history"].columns == ["run", "time", "week", "annotator", *FIGURES]


def test_a_run_without_the_column_is_left_out_and_named(tmp_path):
    library.reliability(judgments({"ann": 4}, week="1"), by="week", examples=0).save(tmp_path / "with.json")
    saved(tmp_path / "without.json", {"ann": 5})
    report = library.history(tmp_path, by="week")
    assert report["history"]["run"].to_list() == ["with"]
    assert report.warnings[0] == "1 run (without) without the column week: excluded"
    assert [one.rows for one in report.inputs] == [1, 0]
    both = library.history(tmp_path)["history"]
    assert dict(both.select("run", "week").rows()) == {"with": "1", "without": None}


def test_columns_of_the_data_that_bear_adjudge_s_names_keep_them(tmp_path):
    library.reliability(judgments({"ann": 4}, run="r", time="noon"), by=["run", "time"], examples=0).save(
        tmp_path / "2026-11-20.json"
    )
    table = library.history(tmp_path)["history"]
    assert table.columns[:5] == ["report_run", "report_time", "run", "time", "annotator"]
    assert table.row(0)[:5] == ("2026-11-20", "2026-11-20", "r", "noon", "ann")


def test_a_pattern_takes_all_versions_of_a_judge(tmp_path):
    table = labelled(dict.fromkeys(("careful@1|m", "careful@2|m", "eager@1|m"), "a"), reference=pl.lit("a"))
    library.reliability(table).save(tmp_path / "2026-11-20.json")
    found = library.history(tmp_path, judge="careful*")["history"]
    assert found["annotator"].unique().sort().to_list() == ["careful@1|m", "careful@2|m"]
    with pytest.raises(OptionError, match=r"no run has the annotator bold\*"):
        library.history(tmp_path, judge=["careful*", "bold*"])


def test_versions_of_a_checker_are_one_line(tmp_path):
    folder = EXAMPLES / "violations"
    for day, version in ((20, 2), (27, 10)):
        name = f"careful@{version}|large"
        report = library.violations(folder / "truth.jsonl", [folder / "careful.jsonl"], checker=name, variant="std")
        report.save(tmp_path / f"2026-11-{day}.json")
    found = library.history(tmp_path, judge="careful", by="version")
    columns = ["version", "checker", "name", "model", "metric"]
    assert found["history"].select(columns).rows()[::2] == [
        ("2", "careful@2|large", "careful", "large", "match_score"),
        ("10", "careful@10|large", "careful", "large", "match_score"),
    ]
    assert [*found.summary.table.rows] == ["careful"]  # the two are points of one line
    both = [folder / f"{name}.jsonl" for name in ("careful", "eager")]
    report = library.violations(folder / "truth.jsonl", both, checker=["careful@2", "careful@3"], variant="std")
    report.save(tmp_path / "2026-11-28.json")
    rows = library.history(tmp_path / "2026-11-28.json").summary.table.rows
    assert {*rows} == {"careful@2", "careful@3"}  # two of one run are not


def test_judges_and_metrics_are_chosen_in_the_order_given(tmp_path):
    saved(tmp_path / "2026-11-20.json", {"ann": 8, "bob": 5})
    report = library.history(tmp_path, metric=["items", "reliability"], judge="bob")
    assert report["history"].select("annotator", "metric", "value").rows() == [
        ("bob", "items", 10.0),
        ("bob", "reliability", 0.5),
    ]
    assert report.counts["annotators"] == 1


@pytest.mark.parametrize(
    ("name", "main", "metrics", "keys"),
    [
        ("annotations", "agreement", ["strength"], {}),
        ("preferences", "scores", ["accuracy"], {"criterion": "average"}),
        ("rag", "scores", ["accuracy"], {}),
        ("reliability", "annotators", ["reliability"], {}),
        ("violations", "scores", ["f1", "match_score"], {"average": "micro"}),
    ],
)
def test_of_every_evaluation_what_gates_read_is_shown_in_all_forms(tmp_path, name, main, metrics, keys):
    own = scored(name)
    own.save(tmp_path / "2026-11-20.json")
    shutil.copy(tmp_path / "2026-11-20.json", tmp_path / "2026-11-27.json")
    report = library.history(tmp_path)
    wanted = own[main].filter(pl.col("metric").is_in(metrics), **keys)
    if name == "preferences":
        wanted = wanted.filter(~pl.col("system").str.starts_with("baseline:"))
    assert wanted.height > 1
    for run in ("2026-11-20", "2026-11-27"):
        shown = report["history"].filter(run=run).drop("run", "time")
        assert shown.sort("metric", maintain_order=True).equals(
            wanted.select(shown.columns).sort("metric", maintain_order=True)
        )
    for form in ("html", "md", "json", "png", "svg") if name == "reliability" else ():
        report.save(tmp_path / f"history.{form}")
    printed = repr(report)
    assert "2026-11-27" in printed


def test_baselines_are_shown_where_they_are_named(tmp_path):
    scored("preferences").save(tmp_path / "2026-11-20.json")
    assert library.history(tmp_path)["history"]["system"].to_list() == ["careful", "quick"]
    table = library.history(tmp_path, judge="baseline:majority")["history"]
    assert table["system"].to_list() == ["baseline:majority"]


def test_annotators_are_found_by_name_too(tmp_path):
    scored("annotations").save(tmp_path / "2026-11-20.json")
    names = library.history(tmp_path)["history"].select("annotator", "name").rows()
    (ident,) = [ident for ident, name in names if name == "Omar"]
    assert ident != "Omar"
    table = library.history(tmp_path, judge="Omar")["history"]
    assert table["annotator"].to_list() == [ident]
    assert table.equals(library.history(tmp_path, judge=ident)["history"])


def test_settings_that_differ_are_named(tmp_path):
    for day in (1, 2, 3):
        level = 0.9 if day == 1 else 0.95
        saved(tmp_path / f"2026-11-0{day}.json", {"ann": 8}, exact_labels=day % 2 == 1, ci_level=level)
    report = library.history(tmp_path)
    assert list(report.warnings) == [
        "runs differ in ci_level (0.95 in 2 and 0.9 in 1), and their intervals may differ only because of that",
        "runs differ in exact_labels (true in 2 and false in 1), and their metrics may differ only because of that",
    ]
    assert report.options["ci_level"] == 0.9
    assert "--ci-level" not in report.command
    values = {"ci_level": ("0.9", "0.95", "0.95"), "exact_labels": ("true", "false", "true")}
    assert report["settings"].rows() == [
        (name, f"2026-11-0{day}", value) for name, of_runs in values.items() for day, value in enumerate(of_runs, 1)
    ]
    assert "settings" not in library.history([tmp_path / "2026-11-01.json"]).tables


def test_runs_without_the_figure_are_named(tmp_path):
    saved(tmp_path / "2026-11-20.json", {"ann": 8})
    document = json.loads((tmp_path / "2026-11-20.json").read_text())
    rows = document["tables"]["annotators"]
    document["tables"]["annotators"] = [row for row in rows if row["metric"] != "kappa"]
    (tmp_path / "2026-11-27.json").write_text(json.dumps(document))
    report = library.history(tmp_path, metric=["kappa", "reliability"])
    assert report.warnings == ("1 run (2026-11-27) without a metric of kappa",)
    assert report["history"].height == 3


def test_reports_of_other_commands_and_other_files_are_left_out(tmp_path):
    saved(tmp_path / "2026-11-20.json", {"ann": 8})
    library.history(tmp_path).save(tmp_path / "old.json")
    (tmp_path / "other.json").write_text("{}")
    report = library.history(tmp_path)
    assert report.counts["runs"] == 1
    one, other = report.warnings
    assert one.startswith("skipped: 1 JSON file (…")
    assert one.endswith("/other.json) not saved as a report by Adjudge")
    assert other.endswith("/old.json) of other commands than score")
    with pytest.raises(DataError, match=r"old.json: expected a report of `score`, with its main table"):
        library.history([tmp_path, tmp_path / "old.json"])


@pytest.mark.parametrize("damage", ["evaluation", "judge", "figures", "no_table", "empty"])
def test_a_report_that_was_changed_by_hand_is_left_out(tmp_path, damage):
    path = saved(tmp_path / "2026-11-20.json", {"ann": 8})
    document = json.loads(path.read_text())
    if damage == "evaluation":
        document["evaluation"] = document["about"]["name"] = "taste"
    elif damage == "empty":
        document["tables"]["annotators"] = []
    elif damage == "no_table":
        document["tables"], document["columns"] = {}, {}
    else:
        gone = "annotator" if damage == "judge" else "caveat"
        for row in document["tables"]["annotators"]:
            del row[gone]
        del document["columns"]["annotators"][gone]
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match="the runs hold no metrics" if damage == "empty" else "there are none"):
        library.history(tmp_path)


def test_runs_of_several_evaluations_are_no_history(tmp_path):
    scored("violations").save(tmp_path / "v.json")
    saved(tmp_path / "r.json", {"ann": 8})
    with pytest.raises(
        DataError, match=r"got reliability \(.*r.json\), violations \(.*v.json\)\nfix:   a folder of one"
    ):
        library.history(tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "kapa"}, "metric: no run has the metric kapa\nfound: reliability, "),
        ({"judge": "anne"}, "judge: no run has the annotator anne\nfound: ann, bob\nfix:   judge ann"),
        ({"judge": ["ann", "nobody"]}, "judge: no run has the annotator nobody\nfound: ann, bob"),
        ({"by": "week"}, "by: no run has the key column week\nfound: annotator"),
        ({"by": "metric"}, "by: no run has the key column metric\nfound: annotator"),
        ({"metric": 3}, "metric: expected a text or a list of texts"),
        ({"progress": 3}, "progress: expected a function"),
    ],
)
def test_what_no_run_has_is_refused(tmp_path, options, said):
    saved(tmp_path / "2026-11-20.json", {"ann": 8, "bob": 5})
    with pytest.raises(OptionError) as error:
        library.history(tmp_path, **options)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("folder", [None, 3, [], [3], b"runs", {"runs": 1}])
def test_a_folder_is_a_path_or_several_with_reports(folder, tmp_path):
    with pytest.raises(OptionError, match="folder: "):
        library.history(folder)
    with pytest.raises(DataError, match=r"expected saved reports; there are none"):
        library.history(tmp_path)
