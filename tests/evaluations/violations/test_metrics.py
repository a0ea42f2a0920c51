"""The figures of violations: precision, recall, F1, match score, by category, by rule and by group."""

import json

import polars as pl
import pytest

import adjudge as library
from made import DATA

CASE = DATA / "violations"
TRUTH, PREDICTED = CASE / "ground_truth.jsonl", CASE / "predicted.jsonl"
EXPECTED = json.loads((CASE / "expected.json").read_text())
ROWS = [json.loads(line) for line in TRUTH.read_text().splitlines()]


@pytest.fixture(scope="module")
def report():
    return library.violations(TRUTH, PREDICTED)


def keys(variant, average="micro", checker="predicted"):
    return {"checker": checker, "variant": variant, "average": average}


@pytest.fixture
def scored(written):
    """Scores violations of the checker p by text: by id its text, the true violations and those predicted."""

    def score(texts, **options):
        truth = [{"id": name, "text": text, "violations": true} for name, (text, true, _) in texts.items()]
        said = [{"id": name, "violations": predicted} for name, (_, _, predicted) in texts.items()]
        return library.violations(written(truth, "t.json"), written(said, "p.json"), **options)

    return score


def mark(start, end, rule="x", **further):
    return {"start": start, "end": end, "rule": rule, **further}


@pytest.mark.parametrize("variant", ["std", "ha"])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "match_score", "match_quality"])
def test_the_cases_come_out(report, variant, metric):
    estimate = report.estimate(metric, table="scores", **keys(variant))
    assert estimate.value == pytest.approx(EXPECTED[variant][metric], abs=1e-9)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.method.startswith("t") == (metric == "match_quality")


@pytest.mark.parametrize("variant", ["std", "ha"])
def test_counts_and_matches_are_in_tables(report, variant):
    counts = dict(report["counts"].filter(variant=variant).select("outcome", "count").iter_rows())
    assert list(counts.values()) == [EXPECTED[variant][name] for name in ("tp", "fp", "fn")]
    matches = report["matches"].filter(variant=variant)
    said = {row["id"]: row["violations"] for row in map(json.loads, PREDICTED.read_text().splitlines())}
    true = {row["id"]: row["violations"] for row in ROWS}
    wanted = []
    for one in EXPECTED[variant]["matches"]:
        ours, theirs = said[one["id"]][one["predicted"]], true[one["id"]][one["ground_truth"]]
        wanted.append((one["id"], ours["start"], ours["end"], theirs["start"], theirs["end"], one["score"]))
    found = matches.select("item", "predicted_start", "predicted_end", "start", "end", "score").rows()
    assert sorted(found) == [(*row, pytest.approx(score, abs=1e-9)) for *row, score in sorted(wanted)]
    assert (matches["category_similarity"].null_count() == 0) == (variant == "ha")


def test_macro_is_the_mean_over_the_texts_that_have_something(scored):
    report = scored(
        {
            "a": ("abcdefghij", [mark(0, 5), mark(6, 9)], [mark(0, 5)]),
            "b": ("abcdefghij", [mark(0, 5)], []),
            "c": ("abcdefghij", [], [mark(0, 1)]),
        },
        variant="std",
    )
    found = {
        metric: report.estimate(metric, table="scores", **keys("std", "macro", "p"))
        for metric in ("precision", "recall", "f1")
    }
    assert found["precision"].value == 0.5  # 1 of a, 0 of c
    assert found["recall"].value == 0.25  # half of a, nothing of b
    assert found["f1"].value == pytest.approx(2 / 3 / 3)  # 2/3 of a, 0 of b and of c
    assert [one.n for one in found.values()] == [2, 2, 3]


def test_what_has_nothing_to_divide_by_is_undefined(scored):
    report = scored({"a": ("abc", [], [])})
    reasons = {
        metric: report.estimate(metric, table="scores", **keys("std", checker="p")).reason
        for metric in ("precision", "recall", "f1", "match_score", "match_quality")
    }
    assert reasons == {
        "precision": "nothing is predicted",
        "recall": "nothing is true",
        "f1": "nothing is true or predicted",
        "match_score": "nothing is true",
        "match_quality": "nothing matches",
    }


def test_a_leaderboard_of_each_split_has_ranks_and_what_names_say(written):
    """In dev@1 one checker finds all of 30 violations and the other none; in dev@2 both find all."""
    one = [mark(0, 5)]
    truth = [
        {"id": f"{split}-{n}", "text": "abcdefghij", "violations": one, "split": f"dev@{split}"}
        for split in (1, 2)
        for n in range(30)
    ]
    right = [{"id": row["id"], "violations": one} for row in truth]
    half = [{**row, "violations": one if row["id"].startswith("2") else []} for row in right]
    files = [written(half, "half.json"), written(right, "right.json")]
    names = ["shy@1", "careful@2|large"]
    report = library.violations(written(truth, "t.json"), files, checker=names, by="split", variant="std")
    table = report["leaderboard"]
    assert table.columns[:6] == ["split", "variant", "checker", "name", "version", "model"]
    assert table["n"].unique().to_list() == [30]  # the texts of a split
    ranks = table.filter(pl.col("metric").str.starts_with("rank")).select("split", "name", "model", "metric", "value")
    assert ranks.rows() == [
        ("dev@1", "careful", "large", "rank_low", 1),
        ("dev@1", "careful", "large", "rank_high", 1),
        ("dev@1", "shy", None, "rank_low", 2),
        ("dev@1", "shy", None, "rank_high", 2),
        *[("dev@2", *who, side, rank) for who in (("careful", "large"), ("shy", None))
          for side, rank in (("rank_low", 1), ("rank_high", 2))],
    ]  # fmt: skip
    assert report["scores"]["split"].unique().sort().to_list() == ["dev@1", "dev@2"]


def test_parts_that_nobody_gives_are_told(written):
    bare = [
        {**row, "violations": [{"start": one["start"], "end": one["end"]} for one in row["violations"]]} for row in ROWS
    ]
    report = library.violations(written(bare, "t.json"), written(bare, "p.json"))
    assert 'absent=["rule","category","explanation","correction"]' in report.signature
    assert any(
        "the match score uses the other parts" in warning and "threshold of rules" in warning
        for warning in report.warnings
    )
    assert report.estimate("f1", table="scores", **keys("ha", checker="p")).value == 1.0
    assert report["by_rule"].is_empty()


def test_a_category_has_the_harmonic_mean_of_its_two_shares(scored):
    truth = [mark(start, start + 5, category=one) for start, one in ((0, "A"), (10, "B"), (20, "A"), (30, "C"))]
    predicted = [mark(start, start + 5, category="A") for start in (0, 10, 20, 40)]
    report = scored({"a": ("x" * 50, truth, predicted)}, variant="std")
    table = report["by_category"].select("category", "metric", "value", "reason")
    found = {(row[0], row[1]): row[2:] for row in table.iter_rows()}
    assert found["A", "precision"][0] == 0.75
    assert found["A", "recall"][0] == 1
    assert found["A", "f1"][0] == pytest.approx(6 / 7)
    assert found["B", "f1"] == (None, "nothing is predicted")


def test_columns_of_the_truth_need_not_be_those_of_the_predictions(written):
    truth = written("doc,text,a,z,rule\n1,abcdefgh,0,4,x\n", "t.csv")
    predicted = written([{"id": "1", "violations": [{"start": 0, "end": 4, "rule": "x"}]}], "p.json")
    report = library.violations(truth, predicted, columns={"id": "doc", "start": "a", "end": "z"})
    assert report.estimate("f1", table="scores", **keys("std", checker="p")).value == 1


def test_what_is_quoted_and_not_in_the_text_is_a_false_positive_everywhere(scored, tmp_path):
    """One of two true violations is found, and three quotes are invented, two of them of one rule in one text."""
    right = mark(0, 14)
    invented = [{"invented": words, "rule": "x", "category": "made up"} for words in ("cures all", "in no time")]
    texts = {
        "a": ("Cures headache in one minute.", [right], [right, *invented]),
        "b": ("Cures all of us.", [mark(0, 5, "y")], [{"invented": "cures all", "rule": "y"}]),
        "c": ("A lamp.", [], []),
    }
    items = tmp_path / "items.parquet"
    report = scored(texts, save_items=items)

    def figures(variant, average, kind=""):
        where = keys(variant, average, "p")
        return [report.estimate(kind + name, table="scores", **where).value for name in ("precision", "recall", "f1")]

    for variant in ("std", "ha"):
        assert figures(variant, "micro") == pytest.approx([1 / 4, 1 / 2, 2 / (4 + 2)])
        assert figures(variant, "macro") == pytest.approx([(1 / 3 + 0) / 2, (1 + 0) / 2, (2 / (3 + 1) + 0) / 2])
    for kind in ("exact_", "partial_"):
        assert figures("overlap", "micro", kind) == pytest.approx([1 / 4, 1 / 2, 2 / (4 + 2)])
    assert figures("overlap", "micro", "character_") == pytest.approx([14 / 14, 14 / 19, 28 / 33])
    for variant in ("std", "overlap"):
        counts = dict(report["counts"].filter(variant=variant).select("outcome", "count").iter_rows())
        assert counts == {"true_positive": 1, "false_positive": 3, "false_negative": 1}
    by_rule = {
        (rule, metric): value
        for rule, metric, value in report["by_rule"].filter(variant="std").select("rule", "metric", "value").iter_rows()
    }
    assert by_rule["x", "precision"] == pytest.approx(1 / 3)
    assert [by_rule["x", "recall"], by_rule["y", "precision"], by_rule["y", "recall"]] == [1, 0, 0]
    by_category = report["by_category"].filter(variant="std", metric="precision", category="made up")
    assert by_category.select("value", "n").rows() == [(0, 2)]

    told = pl.read_parquet(items).filter(variant="std", outcome="false_positive")
    assert told.select("item", "detail").sort("item", "detail").rows() == [
        ("a", "cures all"),
        ("a", "in no time"),
        ("b", "cures all"),
    ]
    assert told["predicted_start"].null_count() == told["predicted_end"].null_count() == 3
    marks = {row["item"]: json.loads(row["marks"]) for row in report.examples.to_dicts()}
    assert [(one["start"], one["end"], one["invented"]) for one in marks["b"] if one["side"] == "predicted"] == [
        (None, None, "cures all")
    ]
    page = tmp_path / "report.html"
    report.save(page)
    assert "not in the text: in no time" in page.read_text()
    assert any(
        "violations that quote words that are not in the text can match nothing: 3" in warning
        for warning in report.warnings
    )


def test_quotes_that_stand_in_the_text_in_nearly_the_same_words_are_located(scored):
    text, right = "Cures headache in one minute.", {"context": "Cures headache", "rule": "x"}
    found = scored({"a": (text, [right], [{"context": "cure headache", "rule": "x"}])})
    assert found["matches"].select("predicted_start", "predicted_end").rows()[0] == (0, 14)
    assert any("quotes in nearly the words of the text count there: 1" in warning for warning in found.warnings)


EDITS = """
[ha]
score_threshold = 0.99
rule_threshold = "off"
weights = {overlap = 0.5, correction = 0.5}
"""


def test_edits_count_as_the_m2_scorer_counts_them(written):
    """A true positive has the span and the correction of a true edit, whatever its type: ours are the comma, one of two
    deletions and the insertion. `was` for `is`, `it` deleted and not replaced, and the second deletion are none. So 3
    of 6 are right, 3 of 5 are found, and F0.5 = 1.25 * .5 * .6 / (.25 * .5 + .6)."""

    def edits(*said):
        lines = (f"A {place}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||0" for place, kind, correction in said)
        return "\n".join(["S This are it ; the the end", *lines, ""])

    both = ("7 7", "M:PUNCT", "."), ("4 5", "U:DET", "")
    gold = edits(("1 2", "R:VERB", "is"), ("2 3", "R:PRON", "this"), ("3 4", "R:PUNCT", ","), *both)
    ours = edits(("1 2", "R:VERB", "was"), ("2 3", "U:PRON", ""), ("3 4", "R:OTHER", ","), ("5 6", "U:DET", ""), *both)
    report = library.violations(
        written(gold, "gold.m2"),
        written(ours, "ours.m2"),
        checker="ours",
        variant="ha",
        config=written(EDITS, "match.toml"),
    )
    where = keys("ha", checker="ours")
    wanted = {"precision": 3 / 6, "recall": 3 / 5, "f05": 1.25 * 0.5 * 0.6 / (0.25 * 0.5 + 0.6)}
    assert {name: report.estimate(name, table="scores", **where).value for name in wanted} == pytest.approx(wanted)
    assert report["matches"].select("score", "correction_similarity").rows() == [(1, 1), (1, None), (1, 1)]


def test_an_annotator_answers_for_all_texts(written):
    """Four texts with a violation each: ann saw the first and finds it, bob saw three and finds two of them."""
    true = mark(0, 4)
    truth = [{"id": one, "text": "Best tea", "violations": [true]} for one in "abcd"]
    ann = [{"id": "a", "violations": [true], "checker": "ann"}]
    bob = [{"id": one, "violations": [true] if one in "bc" else [], "checker": "bob"} for one in "abc"]
    report = library.violations(written(truth, "t.json"), written([*ann, *bob], "p.json"), variant="std")
    for name, value in {"ann": 1 / 4, "bob": 2 / 4}.items():
        assert report.estimate("recall", table="scores", **keys("std", checker=name)).value == value
        assert report.estimate("exact_recall", table="scores", **keys("overlap", checker=name)).value == value
    assert sum("count as texts without predictions" in warning for warning in report.warnings) == 2


TEXT = "It cures all and is the best tea."
CURES = {"start": 3, "end": 8, "rule": "health"}
BEST = {"start": 24, "end": 28, "rule": "calm"}
ANSWERED = {"id": "t1", "violations": [CURES, {"start": 29, "end": 32, "rule": "calm"}], "outcome": "answered"}


def replies(tmp_path, *lines, truth=None, **options):
    """A report on lines of predictions. truth: t1 with two violations, t2 and t3 with one each."""
    known = truth or [
        {"id": "t1", "text": TEXT, "violations": [CURES, BEST]},
        *({"id": one, "text": TEXT, "violations": [BEST]} for one in ("t2", "t3")),
    ]
    for name, rows in (("truth.jsonl", known), ("found.jsonl", lines)):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return library.violations(tmp_path / "truth.jsonl", tmp_path / "found.jsonl", **options)


def test_what_a_model_did_not_answer_is_told(tmp_path):
    # Of four true violations one is found, and one is invented; two stand in texts that were not answered.
    silent = [{"id": "t2", "violations": None, "outcome": "refused", "reason": "I would rather not"}]
    silent += [{"id": "t3", "violations": None, "outcome": "failed", "reason": "timed out"}]
    report = replies(tmp_path, ANSWERED, *silent)
    assert "replies" not in replies(tmp_path, *({**ANSWERED, "id": one} for one in ("t1", "t2", "t3"))).tables
    expected = {**dict.fromkeys(("answered", "refused", "failed"), 1 / 3), "unparseable": 0.0}
    for metric, value in expected.items():
        assert report.estimate(metric, table="replies", variant="std").value == pytest.approx(value)
    assert report.estimate("recall", table="scores", variant="std", average="micro").value == 1 / 4
    assert any("texts that were not answered count as texts without predictions: 2" in one for one in report.warnings)
    assert not any("says nothing" in one for one in report.warnings)


# --- what failed where a violation matches nothing ---

LETTERS = "abcdefghijklmnopqrstuvwxyz"


NEAR = {
    "rule": ([mark(0, 10, "x y")], [mark(0, 10, "z")]),  # 0.5 of the overlap is no more than the threshold
    "boundary": ([mark(0, 10, "x")], [mark(9, 19, "x y z")]),  # rules would do, and lack less
    "nothing there": ([mark(0, 3, "x")], [mark(5, 8, "x")]),
    "taken": ([mark(0, 10, "x")], [mark(0, 10, "x"), mark(0, 9, "x")]),
    "not in the text": ([], [{"context": "zebra crossing", "rule": "x"}]),
}


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    folder = tmp_path_factory.mktemp("near")
    truth = [{"id": name, "text": LETTERS, "violations": true} for name, (true, _) in NEAR.items()]
    predicted = [{"id": name, "violations": said} for name, (_, said) in NEAR.items()]
    pl.DataFrame(truth).write_ndjson(folder / "t.jsonl")
    pl.DataFrame(predicted).write_ndjson(folder / "p.jsonl")
    report = library.violations(
        folder / "t.jsonl", folder / "p.jsonl", variant="std", save_items=folder / "items.parquet"
    )
    return report, pl.read_parquet(folder / "items.parquet")


@pytest.mark.parametrize("case", NEAR)
def test_what_is_invented_says_what_failed(items, case):
    row = items[1].row(by_predicate=(pl.col("item") == case) & (pl.col("outcome") == "false_positive"), named=True)
    assert row["failed"] == case


def test_what_is_missed_says_the_same_and_both_are_counted(items):
    report, rows = items
    missed = rows.filter(outcome="false_negative").select("item", "failed").rows()
    assert missed == [(one, one) for one in ("rule", "boundary", "nothing there")]
    assert rows.filter(outcome="true_positive")["failed"].to_list() == [None]
    counts = report["near_misses"].select("outcome", "failed", "count")
    assert counts.filter(outcome="false_positive")["count"].to_list() == [1] * len(NEAR)
    assert counts.filter(outcome="false_negative").height == 3


def test_overlap_alone_is_matched_greedily(scored):
    texts = {"a": ("x" * 20, [mark(0, 10), mark(1, 10)], [mark(0, 10), mark(0, 9)])}
    report = scored(texts)
    assert report.estimate("exact_recall", table="scores", **keys("overlap", checker="p")).value == 0.5
