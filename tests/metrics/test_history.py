import json
import shlex
import shutil
from functools import cache

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError, OptionError, Report
from made import EXAMPLES
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


def test_corrected_figures_are_followed_too(tmp_path):
    labels = pl.DataFrame({"item": ["1", "2", "1"], "annotator": ["gpt", "gpt", "ana"], "label": ["a", "b", "a"]})
    for day in (20, 27):
        library.correct(labels, judges="gpt").save(tmp_path / f"2026-11-{day}.json")
    assert set(library.history(tmp_path)["history"]["metric"]) == {"corrected"}


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
        "runs differ in ci_level (0.95 in 2 and 0.9 in 1), and their results may differ only because of that",
        "runs differ in exact_labels (true in 2 and false in 1), and their results may differ only because of that",
    ]
    assert report.options["ci_level"] == 0.9
    assert "--ci-level" not in report.command


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
    assert one == "skipped: 1 JSON file (other.json) not saved as a report by Adjudge"
    assert other == "skipped: 1 report (old.json) of other commands than score"
    with pytest.raises(DataError, match=r"old.json: expected a report of `score`, with its main table"):
        library.history([tmp_path, tmp_path / "old.json"])


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
        ({"metric": "kapa"}, 'metric: no run has the metric "kapa"\nfound: reliability, '),
        ({"judge": "anne"}, 'judge: no run has the annotator "anne"\nfound: ann, bob\nfix:   judge ann'),
        ({"judge": ["ann", "nobody"]}, 'judge: no run has the annotator "nobody"\nfound: ann, bob'),
        ({"by": "week"}, 'by: no run has the key column "week"\nfound: annotator'),
        ({"by": "metric"}, 'by: no run has the key column "metric"\nfound: annotator'),
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


@pytest.mark.parametrize(
    ("names", "given", "shown", "said"),
    [
        (("run 10", "run 2", "run 1 of 2026-11-20"), ".", ["run 1 of 2026-11-20", "run 2", "run 10"], "of their names"),
        (("old/z", "new/a"), ("old/z.json", "new"), ["z", "a"], "in which they were given"),
        (("run1", "run2", "run10"), ("run1.json", "run10.json", "run2.json"), ["run1", "run2", "run10"], "were given"),
        (("run2", "run10"), ("run10.json", "run2.json"), ["run10", "run2"], "in which they were given"),
        (("v10/2026-11-20", "v9/2026-11-20"), ".", ["v9/2026-11-20", "v10/2026-11-20"], "chronological"),
    ],
    ids=["a folder", "given", "expanded by a shell", "two given", "of the same time"],
)
def test_runs_without_dates_are_in_the_order_of_their_names_or_as_given(tmp_path, names, given, shown, said):
    for name in names:
        saved(tmp_path / f"{name}.json", {"ann": 8})
    report = library.history(tmp_path if given == "." else [tmp_path / place for place in given])
    assert report["history"]["run"].to_list() == shown
    assert said in report.notes[0]
