"""`adjudge compare` from the command line and from Python: what is compared, printed, written and refused."""

import inspect
import json
import shlex
import shutil
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

import adjudge as library
from adjudge.errors import OptionError
from adjudge.estimate import Caveat
from adjudge.schemas.outcomes import MADE_BY
from adjudge.statistics.clusters import cluster_degrees
from made import EXAMPLES

ANNOTATED, VOTES = EXAMPLES / "annotations" / "pairs.json", EXAMPLES / "reliability" / "votes.json"
GOLD, TRUTH = EXAMPLES / "preferences" / "gold.jsonl", EXAMPLES / "violations" / "truth.jsonl"
ANSWERS = EXAMPLES / "rag" / "answers.jsonl"


def predicted(name):
    return EXAMPLES / "preferences" / f"{name}.tsv"


def checked(name):
    return EXAMPLES / "violations" / f"{name}.jsonl"


def of_model(folder, model):
    """The answers of a model to the questions that all models answer."""
    rows = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    question = itemgetter("id", "ability", "noise_ratio")
    missing = {question(row) for row in rows if row["response"] is None}
    path = folder / f"{model}.jsonl"
    chosen = [row for row in rows if row["model"] == model and question(row) not in missing]
    path.write_text("".join(json.dumps(row) + "\n" for row in chosen))
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of each evaluation on the examples, a judge each: items and reports."""
    folder = tmp_path_factory.mktemp("runs")
    made = {
        "annotations": ("omar", "verbose", lambda _: (ANNOTATED,), {"matrix": False}),
        "reliability": ("ana", "ben", lambda _: (VOTES,), {}),
        "preferences": ("careful", "quick", lambda name: (GOLD, predicted(name)), {"explanations": True}),
        "violations": ("careful", "eager", lambda name: (TRUTH, checked(name)), {}),
        "rag": ("north", "south", lambda name: (of_model(folder, name),), {"scorer": "all"}),
    }
    found = {}
    for name, (first, second, files, options) in made.items():
        reports = []
        for judge in (first, second):
            items = folder / f"{name}_{judge}.parquet"
            chosen = {"annotator": judge} if name == "annotations" else {}
            report = getattr(library, name)(*files(judge), save_items=items, **options, **chosen)
            report.save(items.with_suffix(".json"))
            reports.append(SimpleNamespace(items=items, json=items.with_suffix(".json"), report=report))
        found[name] = SimpleNamespace(first=reports[0], second=reports[1], judges=(first, second))
    return found


@pytest.fixture
def saved(tmp_path):
    """Scores files and returns the items file."""

    def score(name, function, *files, **options):
        path = tmp_path / f"{name}.parquet"
        function(*files, save_items=path, **options)
        return path

    return score


def rewritten(items, target, change=lambda frame: frame, **made):
    """An items file with a changed table, or with changes of what it says of how it was made, as another tool writes."""
    said = {**json.loads(pl.read_parquet_metadata(items)[MADE_BY]), **made}
    change(pl.read_parquet(items)).write_parquet(target, metadata={MADE_BY: json.dumps(said)})
    return target


@pytest.fixture(scope="module")
def compared(runs):
    """The two runs of each evaluation, compared."""
    found = {}
    for name, run in runs.items():
        stems = run.first.items.stem, run.second.items.stem
        judge = [f"{stem}={judge}" for stem, judge in zip(stems, run.judges, strict=False)]
        found[name] = library.compare([run.first.items, run.second.items], judge=judge)
    return found


EVALUATIONS = ["annotations", "preferences", "rag", "reliability", "violations"]


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_examples_name_the_texts_of_what_changed(evaluation, compared):
    shown = json.loads(compared[evaluation].to_json())["examples"]
    said = {
        "annotations": {"prompt", "text_a", "text_b"},
        "preferences": {"instruction", "output_a", "output_b"},
        "rag": {f"response (rag_{name})" for name in ("north", "south")},
        "reliability": {"prompt"},
        "violations": {"text"},
    }[evaluation]
    assert shown
    assert {row["outcome"] for row in shown} <= {"worse", "better", "other"}
    assert all(row[name] for row in shown for name in said)
    changes = compared[evaluation]["changes"]
    assert [row["item"] for row in shown] == changes["item"].to_list()
    assert [row["outcome"] for row in shown] == changes["change"].to_list()


def test_texts_are_those_of_the_items(compared):
    prompts = {row["id"]: row["prompt"] for row in json.loads(VOTES.read_text())}
    assert all(row["prompt"] == prompts[row["item"]] for row in compared["reliability"].examples.to_dicts())
    answers = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    known = {(one["model"], one["id"], one["ability"], one["noise_ratio"]): one["response"] for one in answers}
    assert [*compared["rag"].summary.table.rows][-2:] == ["Accuracy, 80% noise", "Rejection rate, 100% noise"]
    for row in compared["rag"].examples.to_dicts():
        ability, noise, _ = row["part"].split(", ")
        for name in ("north", "south"):
            assert row[f"response (rag_{name})"] == known[name, row["item"], ability, float(noise)]


def judged(run):
    """The options that choose the judge of each run."""
    items = (run.first.items, run.second.items)
    return [word for one, name in zip(items, run.judges, strict=False) for word in ("--judge", f"{one.stem}={name}")]


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_reports_that_name_their_items_are_compared_as_the_items_are(evaluation, runs, compared, adjudge):
    run = runs[evaluation]
    status, out, err = adjudge("compare", run.first.json, run.second.json, *judged(run), "--format", "json")
    assert (status, err) == (0, "")
    found, expected = json.loads(out), json.loads(compared[evaluation].to_json())
    for part in ("tables", "signature"):
        assert found[part] == expected[part]


@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_the_same_runs_give_the_same_bytes_and_can_be_shown_again(evaluation, runs, compared, adjudge, tmp_path):
    run = runs[evaluation]
    outputs = [tmp_path / f"r.{ending}" for ending in ("json", "md")]
    written = [part for path in outputs for part in ("--output", path)]
    status, printed, err = adjudge("compare", run.first.items, run.second.items, *judged(run), *written)
    assert (status, err) == (0, "".join(f"Saved {path}\n" for path in outputs))
    assert outputs[0].read_text(encoding="utf-8") == compared[evaluation].to_json()
    assert printed == adjudge("show", outputs[0])[1]
    assert library.Report.load(outputs[0]).to_json() == compared[evaluation].to_json()
    assert run.judges[1] in printed


# --- by hand ---

HEAD = "item,annotator,label,reference,group\n"
BEFORE = {"i1": "x", "i2": "x", "i3": "y", "i4": "y", "i5": "x", "i6": "y"}
AFTER = {"i2": "y", "i3": "x", "i4": "y", "i5": "y", "i6": "x", "i7": "x", "i8": "x"}
RIGHT = {"i1": "x", "i2": "x", "i3": "x", "i4": "y", "i5": "y", "i6": "z", "i7": "x", "i8": "x"}


@pytest.fixture
def votes(tmp_path):
    """Scores votes of one or several annotators; returns the items file."""

    def score(name, *, folder=None, right=RIGHT, groups=None, **said):
        rows = [
            f"{item},{annotator},{label},{right[item]},{(groups or {}).get(item, '')}\n"
            for annotator, labels in said.items()
            for item, label in labels.items()
        ]
        place = folder or tmp_path
        path = place / f"{name}.csv"
        path.write_text(HEAD + "".join(rows))
        items = place / f"{name}.parquet"
        library.reliability(path, save_items=items, by="group" if groups else None).save(place / f"{name}.json")
        return items

    return score


def row_of(report, metric, **keys):
    return report["comparison"].filter(metric=metric, **keys).row(0, named=True)


def test_items_in_both_and_in_one_alone_are_counted(votes):
    report = library.compare([votes("old", j=BEFORE), votes("new", j=AFTER)])
    counts = dict(report["items"].select("outcome", "count").iter_rows())
    assert counts == {"both": 5, "only_first": 1, "only_second": 2}
    changed = {
        f"judgments changed {how}": n for how, n in (("for the worse", 1), ("for the better", 2), ("otherwise", 1))
    }
    assert report.counts == {"runs": 2, "items in both": 5, "only in old": 1, "only in new": 2} | changed
    row = row_of(report, "reliability")
    assert [row[name] for name in ("first", "second", "judge", "first_value", "second_value", "value", "n")] == [
        *("old", "new", "j"),
        *(pytest.approx(one) for one in (2 / 5, 3 / 5, 1 / 5)),  # i2, i4 before; i3, i4, i5 after
        5,
    ]
    assert row["p"] == pytest.approx(2 * stats.binom.cdf(1, 3, 0.5) - stats.binom.pmf(1, 3, 0.5))
    assert (row["method"], row["caveat"]) == ("tango", Caveat.FEW_DISCORDANT_ITEMS)


def test_what_became_of_each_item_is_told_the_worst_first(votes):
    report = library.compare([votes("old", j=BEFORE), votes("new", j=AFTER)])
    found = report["transitions"].filter(part="choice").select("first_outcome", "second_outcome", "count").rows()
    assert found == [("correct", "correct", 1), ("correct", "incorrect", 1), ("incorrect", "correct", 2), ("incorrect", "incorrect", 1)]  # fmt: skip
    columns = ["change", "item", "part", "first_label", "second_label", "reference_label"]
    assert report["changes"].select(columns).rows() == [
        ("worse", "i2", "choice", "x", "y", "x"),
        ("better", "i3", "choice", "y", "x", "x"),
        ("better", "i5", "choice", "x", "y", "y"),
        ("other", "i6", "choice", "y", "x", "z"),
    ]
    few = library.compare([report.inputs[0].path, report.inputs[1].path], examples=1)["changes"]
    assert few["item"].to_list() == ["i2", "i3", "i6"]
    assert library.compare([report.inputs[0].path, report.inputs[1].path], examples=0)["changes"].is_empty()


def test_several_runs_are_compared_with_the_first_or_each_with_each(votes, adjudge):
    paths = [votes("a", j=BEFORE), votes("b", j=AFTER), votes("c", j=RIGHT)]
    report = library.compare(paths)
    rows = report["comparison"].filter(metric="reliability")
    assert rows.select("first", "second").rows() == [("a", "b"), ("a", "c")]
    p = rows["p"].to_list()
    small, large = sorted(p)
    adjusted = {small: min(1, 2 * small), large: max(min(1, 2 * small), large)}
    assert rows["p_adjusted"].to_list() == pytest.approx([adjusted[one] for one in p])
    status, out, _ = adjudge("compare", *paths, "--all-pairs", "--format", "csv")
    assert status == 0
    every = pl.read_csv(out.encode()).filter(metric="reliability")
    assert every.select("first", "second").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert every["p"].to_list()[:2] == pytest.approx(p)
    items = library.compare(paths, all_pairs=True)["items"].filter(outcome="both")["count"].to_list()
    assert items == [5, 6, 7]


def test_whom_each_run_judges_is_told_in_every_row_where_it_differs_in_one(votes):
    """Where names differ in some pairs of runs only, the others say theirs too."""
    paths = [votes("a", ana=BEFORE), votes("b", ana=AFTER), votes("c", cleo=RIGHT)]
    table = library.compare(paths)["comparison"]
    assert table.columns[:4] == ["first", "second", "judge", "second_judge"]
    found = table.filter(metric="reliability").select("second", "judge", "second_judge").rows()
    assert found == [("b", "ana", "ana"), ("c", "ana", "cleo")]


def test_judges_with_one_name_are_compared_and_others_are_told(votes):
    first = votes("a", ana=BEFORE, ben=AFTER, cleo=RIGHT)
    second = votes("b", ana=AFTER, ben=RIGHT, dev=BEFORE)
    report = library.compare([first, second])
    rows = report["comparison"].filter(metric="reliability")
    assert rows["judge"].to_list() == ["ana", "ben", "pooled"]
    assert "second_judge" not in rows.columns
    assert report.warnings == ("not compared, since they have no counterpart: cleo of a; dev of b",)
    pooled = row_of(report, "reliability", judge="pooled")
    assert (pooled["n"], pooled["first_value"]) == (12, pytest.approx((2 + 5) / 12))  # ben: i2, i3, i6 are wrong
    assert pooled["second_value"] == pytest.approx((3 + 7) / 12)
    gaps = {"i2": (0 - 1 + 1 - 0, 2), "i3": (1 + 0, 2), "i4": (0, 2), "i5": (1 + 0, 2), "i6": (0 + 1, 2), "i7": (0, 1), "i8": (0, 1)}  # fmt: skip
    d, x = (pl.Series(values).to_numpy() for values in zip(*gaps.values(), strict=True))
    mean, n = d.sum() / x.sum(), x.sum()
    variance = ((d - mean * x) ** 2 / (1 - x / n)).sum() / n**2
    assert pooled["value"] == pytest.approx(mean)
    discordant = 1 + 1 + 1 + 1 + 1  # i2 twice, in opposite ways
    worth = min((discordant / n - mean**2) / n / variance, 2)
    score = abs(d.sum()) * (worth / discordant) ** 0.5
    assert pooled["p"] == pytest.approx(2 * stats.t.sf(score, cluster_degrees(x)), rel=1e-9)


@pytest.mark.parametrize("words", [["a=ana", "b=ben"], ["b=ben", "a=ana"]])
def test_judges_are_named_by_run(votes, adjudge, words):
    paths = [votes("a", ana=BEFORE, ben=RIGHT), votes("b", ana=BEFORE, ben=AFTER)]
    asked = [part for word in words for part in ("--judge", word)]
    status, out, err = adjudge("compare", *paths, *asked, "--format", "json")
    assert (status, err) == (0, "")
    row = json.loads(out)["tables"]["comparison"][0]
    assert (row["judge"], row["second_judge"], row["n"]) == ("ana", "ben", 8)


def test_annotators_with_two_names_are_compared_in_agreement_on_a_scale(tmp_path):
    for run, name in (("a", "ana"), ("b", "ana (2)")):
        rows = [(str(item), who, str(item % 3)) for item in range(12) for who in (name, "ben")]
        labels = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
        library.agreement(labels, level="interval", save_items=tmp_path / f"{run}.parquet")
    named = ["a=ana", "b=ana (2)"]
    compared = library.compare([tmp_path / "a.parquet", tmp_path / "b.parquet"], judge=named)
    assert {"ana (2)"} == set(compared["comparison"]["second_judge"])


def test_one_judge_may_be_chosen_in_all_runs_and_a_file_may_stand_twice(votes):
    path = votes("a", ana=BEFORE, ben=RIGHT)
    chosen = library.compare([path, votes("b", ana=AFTER, ben=RIGHT)], judge="ana")
    assert set(chosen["comparison"]["judge"]) == {"ana"}
    assert chosen.warnings == ()
    twice = library.compare([path, path], judge=["a (1)=ana", "a (2)=ben"])
    row = row_of(twice, "reliability")
    assert (row["first"], row["second"], row["judge"], row["second_judge"]) == ("a (1)", "a (2)", "ana", "ben")
    assert row["value"] == pytest.approx(3 / 6)  # right on i1, i2 and i4 against all
    again = library.compare([path, path], judge=["a (1)=ana", "a (1)=ben", "a (2)=ben", "a (2)=ana"])
    assert again["comparison"].filter(metric="reliability").select("judge", "second_judge").rows() == [
        ("ana", "ben"),
        ("ben", "ana"),
        ("pooled", "pooled"),
    ]


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ((), "no judge is in both runs\nfound: ana, ben in a, cleo, dev in b\nfix:   judge a=ana,b=cleo"),
        (["a=ana", "b=ben"], 'got "b=ben"\nfound: a=ana, a=ben, b=cleo, b=dev'),
        (["a=anna"], 'got "a=anna"\nfound: a=ana, a=ben, b=cleo, b=dev\nfix:   judge a=ana'),
        (["ana"], 'judge: expected a judge of every run, or RUN=JUDGE; got "ana"\nfound: a=ana'),
        (["3=ana"], 'got "3=ana"'),
        (["a=ana"], "found: ana in a, cleo, dev in b"),
        (5, "judge: expected a text or a list of texts"),
    ],
)  # fmt: skip
def test_judges_that_cannot_be_compared_are_told(votes, judge, said):
    paths = [votes("a", ana=BEFORE, ben=AFTER), votes("b", cleo=BEFORE, dev=AFTER)]
    with pytest.raises(library.OptionError) as stop:
        library.compare(paths, judge=judge)
    assert said in str(stop.value)


# --- clusters, groups, draws ---


def test_clusters_are_respected(written, saved):
    """Five texts of each of eight documents; half of the documents get all right in the second run."""
    rows = [
        f"t{number},j,{{}},x,d{number // 5}\n".format("x" if number % 5 == 0 or (run and number // 5 < 4) else "y")
        for run in (0, 1)
        for number in range(40)
    ]
    head = "item,annotator,label,reference,document\n"
    files = [written(head + "".join(part), f"v{n}.csv") for n, part in enumerate((rows[:40], rows[40:]))]
    paths = [saved(file.stem, library.reliability, file, cluster="document") for file in files]
    report = library.compare(paths)
    row = row_of(report, "reliability")
    assert (row["value"], row["n"], row["method"], row["caveat"]) == (0.4, 40, "clustered-tango", "few_clusters")
    worth = ((16 / 40 - 0.4**2) / 40) / (8 / 7 * 8 * (0.4 / 8) ** 2)  # four clusters gain 4 of 5 items, four none
    assert row["p"] == pytest.approx(2 * stats.t.sf((worth * 16) ** 0.5, 7), rel=1e-9)
    assert "Intervals and tests are based on clusters of the first run, or else of the second" in report.notes[0]
    for path in paths:
        rewritten(path, path, lambda frame: frame.with_columns(cluster=pl.lit(None, pl.String)))
    single = row_of(library.compare(paths), "reliability")
    assert single["p"] < row["p"] / 10
    assert single["high"] - single["low"] < row["high"] - row["low"]


def test_groups_stand_in_rows_of_their_own_and_one_may_have_no_name(votes):
    groups = {"i1": "de", "i2": "de", "i3": "en", "i5": "en", "i6": "en"}
    report = library.compare([votes("a", j=BEFORE, groups=groups), votes("b", j=AFTER, groups=groups)])
    rows = report["comparison"].filter(metric="reliability").select("group", "n", "first_value", "second_value").rows()
    assert rows == [("de", 1, 1.0, 0.0), ("en", 3, 0.0, pytest.approx(2 / 3)), (None, 1, 1.0, 1.0)]
    assert set(report["changes"]["group"]) == {"de", "en"}


def answer(number, response, draw=None, **more):
    row = {"id": f"q{number}", "ability": "noise_robustness", "model": "m", "noise_ratio": 0.0, "response": response, "answer": "Paris"}  # fmt: skip
    return {**row, **({} if draw is None else {"draw": draw}), **more}


def test_questions_that_one_run_leaves_unanswered_are_left_out_and_bounded(written, saved):
    paths = []
    for place, texts in enumerate((["Paris", "Rome", None, "Paris"], ["Paris", "Paris", "Rome", None])):
        answers = written([answer(n, text) for n, text in enumerate(texts)], f"a{place}.json")
        paths.append(saved(f"r{place}", library.rag, answers))
    report = library.compare(paths)
    accuracy, missing = row_of(report, "accuracy"), row_of(report, "missing")
    assert (accuracy["first_value"], accuracy["second_value"], accuracy["value"]) == (0.5, 1.0, 0.5)
    assert (accuracy["n"], accuracy["left_out"], missing["n"], missing["value"]) == (2, 2, 4, 0.0)
    told = report["left_out"].filter(metric="accuracy").select("lacks", "outcome", "count").rows()
    assert told == [("first", "missing", 1), ("second", "missing", 1)]
    bounds = [row_of(report, f"accuracy_{end}") for end in ("lowest", "highest")]
    assert [(row["first_value"], row["second_value"], row["n"]) for row in bounds] == [(0.5, 0.5, 4), (0.75, 0.75, 4)]
    assert bounds[0]["method"] == "tango"  # each answer counts in both runs: the missing ones are wrong


SLOPED = [
    {1: [1, 1, 0], 2: [1, 0, 0], 3: [1, 0, 1], 4: [0, 0, 0], 5: [1, 1]},
    {1: [1, 1, 1], 2: [1, 0, 0], 3: [1, 1, 0], 4: [0, 1, 1], 5: [1, 1, 0]},
]
"""Whether answers to questions are right without noise, with half and with nothing else; the last one is not whole."""


def sloped(written, folder, questions, *, noises=(0.0, 0.5, 1.0), turned=False):
    """Runs of answers with noise."""
    paths = []
    for place, said in enumerate(SLOPED):
        rows = [
            answer(n, "Paris" if one else "Rome", noise_ratio=noise)
            for n in questions
            for noise, one in zip(noises, said[n], strict=False)
        ]
        paths.append(folder / f"r{place}_{len(questions)}_{turned}.parquet")
        library.rag(written(rows[::-1] if turned else rows, f"a{place}.json"), save_items=paths[-1])
    return paths


def test_slopes_over_noise_are_compared_question_by_question(written, tmp_path):
    row = row_of(library.compare(sloped(written, tmp_path, (1, 2, 3, 4))), "slope")
    first, second = [-1, -1, 0, 0], [0, -1, -1, 1]  # the last answer less the first
    assert [row["first_value"], row["second_value"]] == pytest.approx([np.mean(first), np.mean(second)])
    test = stats.ttest_rel(second, first)
    assert (row["value"], row["p"], row["n"]) == (pytest.approx(0.25), pytest.approx(test.pvalue, rel=1e-9), 4)


def test_a_question_without_a_slope_in_one_run_is_left_out(written, tmp_path):
    report = library.compare(sloped(written, tmp_path, (1, 2, 3, 4, 5)))
    row, whole = row_of(report, "slope"), row_of(library.compare(sloped(written, tmp_path, (1, 2, 3, 4))), "slope")
    assert (row["left_out"], whole["left_out"]) == (1, 0)
    names = ("value", "low", "high", "n", "p", "first_value", "second_value")
    assert [row[name] for name in names] == [whole[name] for name in names]
    told = report["left_out"].filter(metric="slope").select("lacks", "outcome", "count").rows()
    assert told == [("first", "not at every noise ratio", 1)]


@pytest.mark.parametrize("variant", ["std", "both"])
def test_texts_without_any_violation_in_one_run_count_as_such(written, saved, variant):
    """t1: one true violation, found by both. t2: none is true; the second run invents one. t3: nothing anywhere."""
    span = {"start": 0, "end": 3, "rule": "r", "category": "c", "explanation": "e", "correction": "k"}
    truth = [{"id": f"t{n}", "text": "bad words here", "violations": [span] if n == 1 else []} for n in (1, 2, 3)]
    said = [[[span], [], []], [[span], [span], []]]
    gold, paths = written("\n".join(map(json.dumps, truth)), "truth.jsonl"), []
    for place, texts in enumerate(said):
        lines = [json.dumps({"id": f"t{n}", "violations": spans}) for n, spans in enumerate(texts, 1)]
        marked = written("\n".join(lines), f"c{place}.jsonl")
        paths.append(saved(f"r{place}", library.violations, gold, marked, variant=variant))
    report = library.compare(paths)
    row = row_of(report, "precision", variant="std", average="micro")
    assert (row["first_value"], row["second_value"], row["n"]) == (1.0, 0.5, 2)
    row = row_of(report, "f1", variant="std", average="micro")
    assert (row["first_value"], row["second_value"]) == (1.0, pytest.approx(2 / 3))
    variants = {"std"} if variant == "std" else {"std", "ha"}
    assert set(report["comparison"]["variant"]) == {*variants, "overlap"}
    assert dict(report["items"].select("outcome", "count").iter_rows()) == {"both": 2, "only_first": 0, "only_second": 0}  # fmt: skip
    worse = report["changes"].filter(change="worse", variant="std").row(0, named=True)
    assert (worse["item"], worse["first_label"], worse["second_label"]) == ("t2", "0 of 0 found", "0 of 0 found, 1 invented")  # fmt: skip
    back = library.compare(paths[::-1])
    assert row_of(back, "precision", variant="std", average="micro")["value"] == 0.5


# --- gates ---


@pytest.mark.parametrize(
    ("gates", "status", "said"),
    [
        (["accuracy"], 3, "accuracy must not fall; "),
        (["accuracy:0.3"], 0, ""),
        (["accuracy[criterion=safety]:0.1"], 3, "accuracy[criterion=safety] must not fall by more than 10 pp; "),
        (["accuracy[criterion=relevance]"], 0, ""),
        (["missing"], 3, "missing must not rise; "),
        (["missing:0.05", "accuracy:0.3"], 0, ""),
        (["accuracy[system=x]"], 2, 'no key "system"'),
    ],
)
def test_a_gate_fails_where_it_surely_got_worse(adjudge, runs, gates, status, said):
    run = runs["preferences"]
    words = [word for gate in gates for word in ("--fail-if-worse", gate)]
    found, out, err = adjudge("compare", run.first.items, run.second.items, *words, "--format", "csv")
    assert (found, said in err) == (status, True)
    assert out
    assert (err == "") is (status == 0)


# --- what differs besides the judge ---


def test_options_that_differ_are_named(saved):
    other = {"population": "reference", "ci_level": 0.9, "examples": 2}
    given = {"a": {"annotator": "omar"}, "b": {"annotator": "omar", **other}, "c": {"annotator": "verbose"}}
    paths = [saved(name, library.annotations, ANNOTATED, **options) for name, options in given.items()]
    report = library.compare(paths[:2])
    (told,) = report.warnings
    assert told == "a and b differ in more than the judge: population (shared, reference), ci_level (0.95, 0.9)"
    assert library.compare([paths[0], paths[2]]).warnings == ()


def test_labels_that_are_right_in_one_run_only_are_told(votes):
    report = library.compare([votes("a", j=BEFORE), votes("b", j=AFTER, right={**RIGHT, "i2": "y", "i3": "y"})])
    (told,) = report.warnings
    assert told == "a and b: the reference label differs on 2 of 10 judgments in both, which affects differences"
    assert row_of(report, "reliability")["second_value"] == pytest.approx(3 / 5)  # i2, i4, i5
    rows = report["changes"].select("item", "change", "reference_label", "second_reference_label").rows()
    assert {("i2", "other", "x", "y"), ("i3", "other", "x", "y")} <= set(rows)  # right in both, and wrong in both
    shown = report.examples.filter(item="i2").row(0, named=True)
    assert (shown["right (a)"], shown["right (b)"]) == ("x", "y")
    adjudge_said = library.compare([votes("a", j=BEFORE), votes("b", j=AFTER)])
    assert adjudge_said.warnings == ()
    assert "second_reference_label" not in adjudge_said["changes"].columns


def test_another_version_is_told(runs, tmp_path):
    run = runs["violations"]
    old = rewritten(run.first.items, tmp_path / "old.parquet", signature="adjudge=0.0.1")
    (told,) = library.compare([old, run.second.items]).warnings
    assert told.startswith("old and violations_eager differ in more than the judge: version of Adjudge (0.0.1, ")


NOT_SHOWN = "not shown: its inputs are gone or changed, or were scored without texts"


@pytest.mark.parametrize("change", ["gone", "changed"])
def test_texts_are_left_out_where_inputs_are_not_as_they_were(votes, tmp_path, change):
    paths = [votes("a", j=BEFORE), votes("b", j=AFTER)]
    if change == "gone":
        (tmp_path / "b.csv").unlink()
    else:
        (tmp_path / "b.csv").write_text(HEAD)
    report = library.compare(paths)
    assert report.examples["item"].to_list() == ["i2", "i3", "i5", "i6"]
    assert report.notes[3] == f"texts of b are {NOT_SHOWN}"


def test_no_file_is_read_for_texts_that_is_none_of_the_inputs(tmp_path, monkeypatch):
    """The second run's options were edited: they name a file whose hash stands nowhere."""
    monkeypatch.chdir(tmp_path)
    for name, answer in (("a", "Peru"), ("b", "Chile")):
        said = {"answer": {"q1": answer}, "sp": {"q1": []}}
        Path(f"{name}.json").write_text(json.dumps(said))
        Path("gold.json").write_text(json.dumps([{"_id": "q1", "answer": "Peru", "supporting_facts": []}]))
        library.rag(f"{name}.json", gold="gold.json", save_items=f"{name}.parquet")
    assert not any("not shown" in note for note in library.compare(["a.parquet", "b.parquet"]).notes)
    options = json.loads(pl.read_parquet_metadata("b.parquet")[MADE_BY])["options"] | {"gold": "other.json"}
    rewritten("b.parquet", "edited.parquet", options=options)
    notes = library.compare(["a.parquet", "edited.parquet"]).notes
    assert f"texts of edited are {NOT_SHOWN}" in notes


# --- bad input ---


def test_reports_may_stand_in_another_folder(votes, tmp_path, monkeypatch):
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, said in (("a", BEFORE), ("b", AFTER)):
        votes(name, folder=Path(), j=said)
    monkeypatch.chdir(tmp_path)
    report = library.compare(["runs/a.json", "runs/b.json"])
    assert row_of(report, "reliability")["n"] == 5
    assert {row["first"] for row in report["comparison"].to_dicts()} == {"a"}
    moved = tmp_path / "moved"
    shutil.move(folder, moved)
    assert library.compare([moved / "a.json", moved / "b.json"])["comparison"].equals(report["comparison"])


def spoiled(kind, folder, votes):
    """Runs that cannot be compared."""
    good = votes("good", j=BEFORE)

    def again(change=lambda frame: frame, **made):
        return [good, rewritten(good, folder / "bad.parquet", change, **made)]

    def gone():
        good.unlink()
        return [folder / "good.json", votes("other", j=AFTER)]

    return {
        "gone": gone,
        "an unknown evaluation twice": lambda: [
            rewritten(good, folder / f"{name}.parquet", evaluation="os.path") for name in "xy"
        ],
        "no judge": lambda: again(lambda frame: frame.with_columns(judge=pl.lit(None, pl.String))),
        "no item in common": lambda: [good, votes("far", j={"x1": "x"}, right={"x1": "x"})],
    }[kind]()


BAD = [
    ("gone", 1, "its items file"),
    ("an unknown evaluation twice", 1, 'violations); got "os.path"'),
    ("no judge", 1, "bad.parquet, column judge: expected names"),
    ("no item in common", 1, "good and far have no item in common that the same judge judged in the same part: good holds i1, i2"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "status", "said"), BAD, ids=[kind for kind, *_ in BAD])
def test_what_cannot_be_compared_is_told(kind, status, said, adjudge, tmp_path, votes):
    found, out, err = adjudge("compare", *spoiled(kind, tmp_path, votes))
    assert (found, out) == (status, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("given", [pl.DataFrame({"item": ["1"]}), [pl.DataFrame({"item": ["1"]})] * 2, None, 3])
def test_what_is_no_saved_run_cannot_be_compared(given):
    with pytest.raises(OptionError, match=r"runs: expected the paths? of (a file|files); got (a DataFrame|None|3)$"):
        library.compare(given)


def test_outcomes_that_are_summed_up_are_not_counted_twice_in_silence(runs, adjudge, saved, written, tmp_path):
    """Of a text's violations, and of the draws of an answer, several rows are of the same item."""
    first, second = runs["violations"].first.items, runs["violations"].second
    answers = [answer(number, "Paris", draw) for number in (1, 2) for draw in (1, 2)]
    drawn = saved("drawn", library.rag, written(answers, "a.json"))
    for good, whole, again, message in (
        (first, second.items, {"outcome": "true_positive"}, f"{second.report.outcomes.rows:,} outcomes that were"),
        (drawn, drawn, {"draw": "2"}, "4 outcomes that were written; got 6"),
    ):
        twice = pl.concat([pl.read_parquet(whole), pl.read_parquet(whole).filter(**again)])
        bad = rewritten(whole, tmp_path / "bad.parquet", lambda _, twice=twice: twice)
        status, out, err = adjudge("compare", good, bad)
        assert (status, out) == (1, "")
        assert f"bad.parquet: expected the {message}" in err


OTHER = {"judge": ["a=ben", "b=ana"], "all_pairs": True, "ci_level": 0.9}
SILENT = {"runs", "progress", "texts"}
SHOWN = {"examples": 2}


def test_the_signature_and_the_command_hold_every_option(adjudge, votes, tmp_path, monkeypatch):
    assert set(OTHER) | set(SHOWN) | SILENT == set(inspect.signature(library.compare).parameters)
    for name in ("a", "b"):
        votes(name, ana=BEFORE, ben=AFTER)
    monkeypatch.chdir(tmp_path)
    plain = library.compare(["a.parquet", "b.parquet"])
    signatures = {plain.signature}
    for name, value in {**OTHER, **SHOWN}.items():
        report = library.compare(["a.parquet", "b.parquet"], **{name: value})
        signatures.add(report.signature)
        assert f"--{name.replace('_', '-')}" in report.command
        status, out, _ = adjudge(*shlex.split(report.command)[1:], "--format", "json")
        assert (status, json.loads(out)) == (0, json.loads(report.to_json()))
    assert len(signatures) == len(OTHER) + 1  # how many examples are shown changes no figure
    assert plain.command == "adjudge compare a.parquet b.parquet"
