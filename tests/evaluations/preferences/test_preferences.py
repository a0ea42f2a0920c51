import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp, ttest_rel

import adjudge
from adjudge import DataError, OptionError
from adjudge.render.tables import printed_table
from adjudge.schemas.preferences import CRITERIA
from adjudge.statistics.comparison import mcnemar_mid_p
from adjudge.text.rouge import rouge_l
from made import DATA, EXAMPLES

CASE = DATA / "preferences"
EXPECTED = json.loads((CASE / "expected.json").read_text())
LABELS = np.array(["A", "B", "both_good", "both_bad"])


def case(**options):
    return adjudge.preferences(
        CASE / "gold.jsonl", [CASE / "system_one.tsv", CASE / "system_two.tsv"], explanations=True, **options
    )


def table(labels, criteria=("safety",), **further):
    """Labels of criteria, one letter per item: A, B, g (both good), b (both bad), a space for none."""
    words = {"A": "A", "B": "B", "g": "both_good", "b": "both_bad", " ": None}
    rows = [labels] if isinstance(labels, str) else labels
    columns = {f"{name}_preference": [words[one] for one in row] for name, row in zip(criteria, rows, strict=True)}
    return pl.DataFrame({"id": [f"i{n}" for n in range(len(rows[0]))], **columns, **further})


BOTH = ("safety", "relevance")


def scored(gold, predicted, **options):
    """A report on predictions, by default of the system x on safety."""
    return adjudge.preferences(gold, predicted, **{"system": "x", "criteria": "safety", **options})


def figure(report, metric, system="x", criterion="safety", name="scores"):
    return report.estimate(metric, table=name, system=system, criterion=criterion)


def drawn(n, seed, *, systems=2, criteria=BOTH):
    """Random gold labels, unevenly frequent and some of them missing, and systems that often agree."""
    random = np.random.default_rng(seed)
    gold = {name: random.choice(4, n, p=[0.5, 0.3, 0.15, 0.05]) for name in criteria}
    frames = []
    for number in range(systems + 1):
        columns = {}
        for name, codes in gold.items():
            own = codes if number == 0 else np.where(random.random(n) < 0.4 + number / 5, codes, random.choice(4, n))
            gone = random.random(n) < 0.1
            columns[f"{name}_preference"] = [
                None if no else str(LABELS[one]) for one, no in zip(own, gone, strict=True)
            ]
        frames.append(pl.DataFrame({"id": [str(k) for k in range(n)], **columns}))
    return frames


def plain(frame, criterion, gold):
    """Labels where gold has one, missing ones as a label of their own."""
    kept = gold[f"{criterion}_preference"].is_not_null()
    return frame[f"{criterion}_preference"].fill_null("missing").filter(kept).to_list()


def test_the_worked_case_comes_out():
    report = case()
    for system, metrics in EXPECTED.items():
        for metric, criteria in metrics.items():
            for criterion, value in criteria.items():
                assert figure(report, metric, system, criterion).value == pytest.approx(value, abs=1e-9)
    assert figure(report, "accuracy", "system_one", "average").n == 30


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(5))
def test_figures_equal_those_of_scikit_learn(seed):
    from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, f1_score

    gold, one, two = drawn(150, seed)
    report = adjudge.preferences(gold, [one, two], system=["one", "two"], criteria=BOTH)
    for name, frame in (("one", one), ("two", two)):
        values = {}
        for criterion in BOTH:
            truth, said = plain(gold, criterion, gold), plain(frame, criterion, gold)
            labels = sorted({*truth, *said} - {"missing"})
            expected = {
                "accuracy": np.mean(np.array(truth) == np.array(said)),
                "balanced_accuracy": balanced_accuracy_score(truth, said),
                "macro_f1": f1_score(truth, said, labels=labels, average="macro"),
                "kappa": cohen_kappa_score(truth, said),
                "missing": said.count("missing") / len(said),
            }
            for metric, value in expected.items():
                assert figure(report, metric, name, criterion).value == pytest.approx(value, abs=1e-12)
                values.setdefault(metric, []).append(value)
        for metric, pair in values.items():
            assert figure(report, metric, name, "average").value == pytest.approx(np.mean(pair), abs=1e-12)


def test_baselines_say_what_needs_no_system():
    texts = {"output_a": ["aaa", "a", "aa", "a"], "output_b": ["b", "bbb", "bb", "bb"]}
    report = scored(table("ABgB", **texts), table("ABgA"))
    # Majority: B, right on two of four. The longer one: A, B, both good, B: all right. The first label: one of four.
    for system, value in {"majority": 0.5, "longer": 1.0, "a": 0.25}.items():
        assert figure(report, "accuracy", f"baseline:{system}").value == value
    assert "baseline:longer" not in scored(table("AB"), table("AA"))["scores"]["system"].to_list()


def test_a_missing_label_is_wrong_and_shown():
    gold, system = table("ABgb"), table("A gb").filter(pl.col("id") != "i3")
    report = scored(gold, system)
    assert figure(report, "accuracy").value == 2 / 4
    assert figure(report, "missing").value == 2 / 4
    counts = report["confusion"].filter(pl.col("system") == "x", pl.col("label") == "missing")
    assert counts.select("reference_label", "count").rows() == [("B", 1), ("both_bad", 1)]
    assert any("2 unlabelled items count as wrong" in warning for warning in report.warnings)


def test_items_without_a_gold_label_are_in_no_figure_of_that_criterion():
    gold = table(["A Bg", "ABgb"], BOTH)
    report = adjudge.preferences(gold, table(["AABg", "ABgb"], BOTH), system="x", criteria=BOTH)
    assert figure(report, "accuracy").n == 3
    assert "safety 1" in report.warnings[0]


def test_differences_of_accuracy_are_mcnemars():
    from statsmodels.stats.contingency_tables import mcnemar

    gold, one, two = drawn(200, 7, criteria=("safety",))
    report = adjudge.preferences(gold, [one, two], system=["one", "two"], criteria="safety")
    truth, first, second = (np.array(plain(frame, "safety", gold)) for frame in (gold, one, two))
    right, other = truth == first, truth == second
    row = report["differences"].filter(compared="systems", criterion="safety").row(0, named=True)
    b, c = (right & ~other).sum(), (other & ~right).sum()
    exact = mcnemar([[0, b], [c, 0]], exact=True).pvalue
    assert row["value"] == pytest.approx(other.mean() - right.mean())
    assert row["p"] == mcnemar_mid_p(b, c)
    assert row["p"] < exact  # the mid-P takes half of the probability of what was seen


def rouge_of(system):
    """ROUGE-L of the explanations on safety of a system of the worked case."""
    gold = pl.read_ndjson(CASE / "gold.jsonl").with_columns(pl.col("id").cast(pl.String)).sort("id")
    own = pl.read_csv(CASE / f"system_{system}.tsv", separator="\t", infer_schema=False).sort("id")
    return rouge_l(own["safety_explanation"], gold["safety_explanation"]).to_numpy()


def test_differences_of_scores_are_paired_t_tests():
    report = case()
    scores = [rouge_of(system) for system in ("one", "two")]
    rows = report["differences"].filter(metric="rouge_l", criterion="safety", compared="systems")
    row = rows.row(0, named=True)
    expected = ttest_rel(*scores[::-1])
    assert (row["value"], row["p"]) == pytest.approx((np.mean(scores[1] - scores[0]), expected.pvalue), abs=1e-9)


def test_repeated_instructions_are_clusters():
    gold, one, two = drawn(200, 3, criteria=("safety",))
    gold = gold.with_columns(instruction=pl.Series([f"q{n // 4}" for n in range(200)]))
    report = adjudge.preferences(gold, [one, two], system=["one", "two"], criteria="safety")
    assert report.counts["clusters"] == 50
    assert figure(report, "accuracy", "one").method == "clustered-wilson"
    loose = adjudge.preferences(gold, [one, two], system=["one", "two"], criteria="safety", cluster="none")
    assert figure(loose, "accuracy", "one").method == "wilson"
    for metric in ("accuracy", "balanced_accuracy", "macro_f1", "kappa", "missing"):
        for criterion in ("safety", "average"):
            assert figure(report, metric, "one", criterion).value == pytest.approx(
                figure(loose, metric, "one", criterion).value
            )
            assert figure(report, metric, "one", criterion).low is not None


def test_explanations_that_are_missing_score_nothing_and_are_told():
    gold = table("AB", safety_explanation=["it is safe", None])
    system = table("AB", safety_explanation=[None, "so"])
    report = scored(gold, system, explanations=True)
    assert figure(report, "rouge_l").value == 0
    assert figure(report, "rouge_l").n == 1
    assert any("1 explanations are missing" in warning for warning in report.warnings)


def verdicts(folder, said, outcomes=None):
    """A file of verdicts on the explanations of x on safety."""
    frame = pl.DataFrame({"id": [f"i{n}" for n in range(len(said))], "verdict": said})
    frame = frame.with_columns(system=pl.lit("x"), criterion=pl.lit("safety"))
    path = folder / "verdicts.jsonl"
    (frame if outcomes is None else frame.with_columns(outcome=pl.Series(outcomes))).write_ndjson(path)
    return path


def test_verdicts_become_the_share_of_yes(tmp_path):
    report = scored(table("ABgb"), table("ABgb"), verdicts=verdicts(tmp_path, ["yes", "no", None]))
    found = figure(report, "judge")
    assert (found.value, found.n) == (1 / 2, 2)
    assert any("1 verdicts are null" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"system": "y"}, "no verdict on any of x"), ({"id": "i0.0"}, r'expected an id of the gold; got "i0\.0"')],
)
def test_verdicts_on_other_systems_or_ids_are_refused(written, changed, said):
    verdict = {"id": "i0", "system": "x", "criterion": "safety", "verdict": "yes"} | changed
    with pytest.raises(DataError, match=said):
        scored(table("AB"), table("AB"), verdicts=written(verdict, "verdicts.jsonl"))


def test_borda_points_of_the_scores_are_those_of_the_published_way():
    report = case()
    metrics = pl.col("metric").is_in(["accuracy", "rouge_l"])
    values = report["scores"].filter(metrics, pl.col("criterion").is_in(CRITERIA), pl.col("system").is_in([*EXPECTED]))
    published = adjudge.rank_preferences(values.select("system", "criterion", "metric", "value"))
    for metric, name in product(("borda", "mean_rank"), EXPECTED):
        found, other = (one.estimate(metric, table="ranks", system=name) for one in (report, published))
        assert found.value == other.value


def test_the_leaderboard_has_the_best_system_first_with_its_ranks_and_accuracies():
    both = ("safety", "tone")
    gold, good, bad = "AB" * 50, "AB" * 50, "BA" * 50
    report = scored(
        table([gold, gold], both),
        [table([bad, bad], both), table([good, good], both), table([good, good], both)],
        system=["x", "y", "z"],
        criteria=both,
    )
    board = report["leaderboard"]
    assert board["system"].unique(maintain_order=True).to_list() == ["y", "z", "x"]
    ranks = board.filter(pl.col("metric").is_in(["rank_low", "rank_high"]))
    assert ranks["value"].to_list() == [1, 2, 1, 2, 3, 3]
    assert board.filter(system="y", metric="accuracy")["criterion"].to_list() == [*both, "average"]
    assert board.filter(system="y", metric="accuracy").equals(report["scores"].filter(system="y", metric="accuracy"))


def test_the_mean_is_tested_apart_from_its_criteria():
    """On average y is right half a point more on 5 of 30 items: significant alone, not among three tests of accuracy."""
    p = ttest_1samp([0.5] * 5 + [0] * 25, 0).pvalue
    assert p < 0.05 < 3 * p
    both, gold = ("safety", "tone"), "A" * 30
    predicted = [table(["B" * 5 + "A" * 25, gold], both), table([gold, gold], both)]
    report = scored(table([gold, gold], both), predicted, system=["x", "y"], criteria=both)
    board = report["leaderboard"].filter(pl.col("metric").is_in(["rank_low", "rank_high"]))
    assert board["system", "value"].rows() == [("y", 1), ("y", 1), ("x", 2), ("x", 2)]
    differences = report["differences"].filter(compared="systems", metric="accuracy")
    assert dict(differences["criterion", "tests"].rows()) == {"safety": 2, "tone": 2, "average": 1}


def test_submissions_that_cannot_be_scored_are_told_and_the_others_ranked(tmp_path):
    files = {"good": "i0\tA\ni1\tB\n", "half": "i0\tA\n", "twice": "i0\tA\ni0\tB\n", "odd": "i0\tC\ni1\tB\n"}
    for name, rows in files.items():
        (tmp_path / f"{name}.tsv").write_text("id\tsafety_preference\n" + rows)
    report = adjudge.preferences(table("AB"), tmp_path, criteria="safety", check=True)
    found = {row["system"]: (row["status"], row["found"]) for row in report["submissions"].to_dicts()}
    assert list(found) == ["good", "half", "odd", "twice"]
    assert found["good"] == ("complete", "nothing is wrong")
    assert (found["half"][0], found["half"][1].split("; ")[-1]) == ("incomplete", 'absent: "i1"')
    assert found["odd"][0] == found["twice"][0] == "refused"
    assert found["odd"][1].endswith('column safety_preference: expected one of A, B, both_good, both_bad; got "C"')
    repeated, lacking = report["submissions"].filter(system="twice")["found"]
    assert repeated.endswith("rows 1, 2: expected each id once; id i0 appears 2 times")
    assert lacking.endswith('absent: "i1"')
    board = report["leaderboard"].filter(metric="accuracy", criterion="average")
    assert board.select("system", "value").rows() == [("good", 1.0), ("half", 0.5), ("odd", None), ("twice", None)]
    assert report.warnings[0] == "2 submissions are not scored: odd, twice; the table submissions says why"
    assert [one.rows for one in report.inputs] == [2, 2, 1, 0, 0]
    assert (report.counts["systems"], report.counts["refused submissions"]) == (2, 2)
    shown = printed_table(report, "submissions")
    assert [row[2].text for row in shown.rows] == report["submissions"]["found"].to_list()


def test_items_hold_every_prediction_and_score(tmp_path):
    report = case(save_items=tmp_path / "items.parquet")
    items = pl.read_parquet(tmp_path / "items.parquet")
    assert {"gold explanation", "system's explanation", "output_a"} <= set(report.examples.columns)
    assert set(report.examples["outcome"]) == {"correct", "incorrect"}
    assert items.height == report.outcomes.rows == 30 * 2 * 5 * 2
    right = (
        items.filter(pl.col("outcome").is_in(["correct", "incorrect"]))
        .group_by("judge", "part")
        .agg(pl.col("value").mean())
    )
    for judge, part, value in right.iter_rows():
        assert value == pytest.approx(EXPECTED[judge]["accuracy"][part])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": ["x", "y"]}, "a name for each of 1"),
        ({"system": "baseline:x"}, "are taken"),
        ({"criteria": "average"}, "mean over criteria"),
        ({"labels": "A"}, "expected 2 to 200"),
        ({"labels": [str(n) for n in range(300)]}, "expected 2 to 200"),
        ({"by": "topic"}, 'no column "topic"'),
        ({"by": "id"}, "than those of the task|have a column"),
    ],
)
def test_wrong_options_are_told(options, message):
    with pytest.raises(OptionError, match=message):
        scored(table("AB"), table("AB"), **{"system": "x", "criteria": "safety"} | options)


def test_other_criteria_and_labels_may_be_named():
    gold = pl.DataFrame({"id": ["1", "2"], "tone_preference": ["left", "right"]})
    report = adjudge.preferences(gold, gold, system="x", criteria="tone", labels=["left", "right"])
    assert figure(report, "accuracy", criterion="tone").value == 1
    assert figure(report, "accuracy", "baseline:left", "tone").value == 0.5


def test_the_mean_score_of_items_has_students_interval():
    found = figure(case(), "rouge_l", "system_one", "safety")
    interval = ttest_1samp(rouge_of("one"), 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx(tuple(interval), abs=1e-9)


def test_items_without_gold_are_no_evidence():
    """Five labelled items among a thousand say as much as five labelled items alone."""
    gold = table(["ABgbA" + " " * 995, "ABgbA" + " " * 995], BOTH)
    few = gold.head(5)
    other = table(["AAgbB" * 200, "BBgbA" * 200], BOTH)
    options = {"system": ["x", "y"], "criteria": ["safety", "relevance"]}
    with_rest = adjudge.preferences(gold, [gold.with_columns(pl.all()), other], **options)
    alone = adjudge.preferences(few, [few, other.head(5)], **options)
    for name in ("scores", "differences"):
        keys = ["low", "high", "value", "n"]
        chosen = pl.col("metric").is_in(["accuracy", "balanced_accuracy", "macro_f1", "kappa"])
        ours, theirs = (one[name].filter(chosen).select(keys) for one in (with_rest, alone))
        for left, right in zip(ours.rows(), theirs.rows(), strict=True):
            assert left == pytest.approx(right, abs=1e-9)
    assert with_rest.estimate("borda", table="ranks", system="x").n == 5


def asked(report, metric, what, criterion="safety"):
    return report.estimate(metric, table="replies", system="x", criterion=criterion, asked=what).value


def test_what_became_of_questions_for_labels_is_told():
    outcomes = ["answered", "refused", "failed", "failed", "answered"]
    report = scored(table("ABABA"), table("A   B").with_columns(safety_outcome=pl.Series(outcomes)))
    shares = {"answered": 2 / 5, "refused": 1 / 5, "unparseable": 0.0, "failed": 2 / 5}
    assert {one: asked(report, one, "labels") for one in shares} == pytest.approx(shares)
    assert figure(report, "accuracy").value == 1 / 5
    assert (figure(report, "accuracy_lowest").value, figure(report, "accuracy_highest").value) == (1 / 5, 4 / 5)


def test_what_became_of_questions_for_verdicts_is_told(tmp_path):
    outcomes = ["answered", "answered", "refused", "unparseable", "answered"]
    path = verdicts(tmp_path, ["yes", "no", None, None, "yes"], outcomes)
    report = scored(table("ABABA"), table("ABABA"), verdicts=path)
    expected = {"answered": 3 / 5, "refused": 1 / 5, "unparseable": 1 / 5}
    assert {one: asked(report, one, "verdicts") for one in expected} == pytest.approx(expected)
    assert figure(report, "judge").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("check", [False, True])
def test_swapped_gold_and_predictions_are_an_error(check, tmp_path):
    """Predictions hold labels alone, and the gold has the texts; both may have them."""
    gold, careful, quick = (EXAMPLES / "preferences" / name for name in ("gold.jsonl", "careful.tsv", "quick.tsv"))
    for predictions in (gold, [quick, gold]):
        with pytest.raises(DataError, match=r"gold\.jsonl: expected predictions(.|\n)*fix: .*gold\.jsonl before "):
            adjudge.preferences(careful, predictions, check=check)
    (again := tmp_path / "again.jsonl").write_bytes(gold.read_bytes())
    for one in (careful, again):
        adjudge.preferences(gold, one, system="s", check=check)
