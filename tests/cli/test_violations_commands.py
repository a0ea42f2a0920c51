"""`karat violations score` from the command line and from Python: what is printed, written and refused."""

import inspect
import json
import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import karat as library
from karat.estimate import Note
from karat.evaluations.violations import EVALUATION
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


@pytest.mark.parametrize("variant", ["std", "ha"])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "match_score", "match_quality"])
def test_the_cases_come_out(report, variant, metric):
    estimate = report.estimate("scores", metric, keys(variant))
    assert estimate.value == pytest.approx(EXPECTED[variant][metric], abs=1e-9)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.method.startswith("t") == (metric == "match_quality")


@pytest.mark.parametrize("variant", ["std", "ha"])
def test_counts_and_matches_are_in_tables(report, variant):
    counts = dict(report["counts"].filter(variant=variant).select("outcome", "count").iter_rows())
    assert list(counts.values()) == [EXPECTED[variant][name] for name in ("tp", "fp", "fn")]
    matches = report["matches"].filter(variant=variant)
    assert matches.height == EXPECTED[variant]["tp"]
    assert matches["score"].sum() == pytest.approx(sum(one["score"] for one in EXPECTED[variant]["matches"]))
    assert (matches["category_similarity"].null_count() == 0) == (variant == "ha")


def test_macro_is_the_mean_over_the_texts_that_have_something(written):
    truth = [
        {
            "id": "a",
            "text": "abcdefghij",
            "violations": [{"start": 0, "end": 5, "rule": "x"}, {"start": 6, "end": 9, "rule": "x"}],
        },
        {"id": "b", "text": "abcdefghij", "violations": [{"start": 0, "end": 5, "rule": "x"}]},
        {"id": "c", "text": "abcdefghij", "violations": []},
    ]
    predicted = [
        {"id": "a", "violations": [{"start": 0, "end": 5, "rule": "x"}]},
        {"id": "b", "violations": []},
        {"id": "c", "violations": [{"start": 0, "end": 1, "rule": "x"}]},
    ]
    report = library.violations(written(truth, "t.json"), written(predicted, "p.json"), variant="std")
    found = {
        metric: report.estimate("scores", metric, keys("std", "macro", "p")) for metric in ("precision", "recall", "f1")
    }
    assert found["precision"].value == 0.5  # 1 of a, 0 of c
    assert found["recall"].value == 0.25  # half of a, nothing of b
    assert found["f1"].value == pytest.approx(2 / 3 / 3)  # 2/3 of a, 0 of b and of c
    assert [one.n for one in found.values()] == [2, 2, 3]


def test_what_has_nothing_to_divide_by_is_undefined(written):
    truth = written([{"id": "a", "text": "abc", "violations": []}], "t.json")
    report = library.violations(truth, written([{"id": "a", "violations": []}], "p.json"))
    reasons = {
        metric: report.estimate("scores", metric, keys("std", checker="p")).reason
        for metric in ("precision", "recall", "f1", "match_score", "match_quality")
    }
    assert reasons == {
        "precision": "nothing is predicted",
        "recall": "nothing is true",
        "f1": "nothing is true or predicted",
        "match_score": "nothing is true",
        "match_quality": "nothing matches",
    }


def test_exchanging_the_sides_exchanges_precision_and_recall(written):
    texts = {row["id"]: row["text"] for row in ROWS}
    predicted = [json.loads(line) for line in PREDICTED.read_text().splitlines()]
    other_truth = written([{**row, "text": texts[row["id"]]} for row in predicted], "predicted.json")
    forth, back = library.violations(TRUTH, PREDICTED), library.violations(other_truth, TRUTH)
    for variant in ("std", "ha"):
        for metric, other in (("precision", "recall"), ("recall", "precision"), ("f1", "f1")):
            one = forth.estimate("scores", metric, keys(variant))
            assert one.value == back.estimate("scores", other, keys(variant, checker="ground_truth")).value


def test_the_order_of_lines_and_violations_changes_nothing(report, written):
    shuffled = [
        [{**row, "violations": row["violations"][::-1]} for row in map(json.loads, path.read_text().splitlines())][::-1]
        for path in (TRUTH, PREDICTED)
    ]
    again = library.violations(written(shuffled[0], "t.json"), written(shuffled[1], "predicted.json"))
    for table in ("scores", "counts", "by_rule", "by_category"):
        assert again[table].equals(report[table])
    order = ["variant", "item", "predicted_start", "predicted_end", "start"]
    assert again["matches"].sort(order).equals(report["matches"].sort(order))


def test_rules_and_categories_have_figures_of_their_own(report):
    table = report["by_category"].filter(variant="std", metric="recall")
    matches = report["matches"].filter(variant="std")
    true = [(row["id"], one) for row in ROWS for one in row["violations"]]
    for category, value, n in table.select("category", "value", "n").iter_rows():
        own = [(item, one["start"], one["end"]) for item, one in true if one["category"] == category]
        hits = [key for key in own if key in set(matches.select("item", "start", "end").iter_rows())]
        assert n == len(own)
        assert value == pytest.approx(len(hits) / len(own))
    assert report["by_rule"].filter(variant="ha", metric="precision", rule="avoid superlatives").height == 1


def test_checkers_are_compared_on_the_same_texts(written):
    fewer = [
        {**row, "violations": row["violations"][:1]} for row in map(json.loads, PREDICTED.read_text().splitlines())
    ]
    report = library.violations(TRUTH, [PREDICTED, written(fewer, "fewer.json")], checker=["all", "first"])
    row = report["differences"].filter(variant="std", metric="recall").row(0, named=True)
    values = [report.estimate("scores", "recall", keys("std", checker=name)).value for name in ("all", "first")]
    assert (row["first"], row["second"]) == ("all", "first")
    assert [row["first_value"], row["second_value"]] == values
    assert row["value"] == pytest.approx(values[1] - values[0])
    assert row["low"] < row["value"] < row["high"]
    assert 0 < row["p"] <= row["p_adjusted"] <= 1


def marked_at_random(draw, ids, most):
    """Texts with spans that overlap, some of them twice, some that say nothing; many texts have none."""

    def spans():
        count = int(draw.integers(0, most + 1)) * int(draw.integers(0, 2))
        starts, lengths = draw.integers(0, 12, count).tolist(), draw.integers(1, 8, count).tolist()
        said = [[None, "r", "r s"][place] for place in draw.integers(0, 3, count)]
        return [{"start": a, "end": a + b, "rule": rule} for a, b, rule in zip(starts, lengths, said, strict=True)]

    return [{"id": one, "violations": spans()} for one in ids]


@pytest.mark.parametrize("cluster", [None, "client"])
@pytest.mark.parametrize("seed", range(3))
def test_a_difference_is_that_of_two_runs_to_the_last_bit(seed, cluster, written, tmp_path):
    draw = np.random.default_rng(seed)
    ids = [f"t{number}" for number in range(40)]
    truth = [
        {**row, "text": "x" * 20, "client": f"c{number % 7}", "kind": f"k{number % 2}"}
        for number, row in enumerate(marked_at_random(draw, ids, 4))
    ]
    gold = written(truth, "truth.jsonl")
    files = [written(marked_at_random(draw, ids, 3), f"{name}.jsonl") for name in ("one", "two")]
    options = {"by": "kind", "cluster": cluster, "split": "s"}
    both = library.violations(gold, files, checker=["one", "two"], **options)
    runs = [tmp_path / f"{file.stem}.parquet" for file in files]
    for file, run in zip(files, runs, strict=True):
        library.violations(gold, file, checker="c", items=run, **options)
    report = library.compare(runs)
    keys = ["kind", "variant", "average", "metric"]
    for ours, theirs in (("differences", "comparison"), ("left_out", "left_out")):
        own = both[ours].drop("first", "second")
        same = report[theirs].select(own.columns)
        order = [*keys, *({"lacks"} & set(own.columns))]
        assert own.sort(order).equals(same.sort(order), null_equal=True)
    scores = both["scores"].pivot("checker", index=keys, values="value")
    found = both["differences"].filter(left_out=0).join(scores, on=keys, validate="1:1", nulls_equal=True)
    assert found.height > found["value"].null_count()
    assert found["first_value"].equals(found["one"], null_equal=True)
    assert found["second_value"].equals(found["two"], null_equal=True)


def test_a_mean_over_texts_is_compared_on_the_texts_in_which_both_checkers_have_it(written):
    """Of three texts with a violation each, the first checker marks one wrong, and the second two right, one wrong."""
    right, wrong = ({"start": start, "end": start + 3, "rule": "x"} for start in (0, 5))
    ids = ("a", "b", "c")
    truth = written([{"id": one, "text": "abcdefghij", "violations": [right]} for one in ids], "truth.jsonl")
    marks = {"one": [[wrong], [], []], "two": [[right], [right], [wrong]]}
    files = [
        written([{"id": one, "violations": own} for one, own in zip(ids, of_texts, strict=True)], f"{name}.jsonl")
        for name, of_texts in marks.items()
    ]
    report = library.violations(truth, files, variant="std")
    rows = report["differences"].filter(variant="std", metric="precision")
    told = {row["average"]: row for row in rows.to_dicts()}
    names = ("value", "first_value", "second_value", "n", "left_out")
    assert [told["macro"][name] for name in names] == [1.0, 0.0, 1.0, 1, 2]
    assert [told["micro"][name] for name in names] == [pytest.approx(2 / 3), 0.0, pytest.approx(2 / 3), 3, 0]
    left = report["left_out"].filter(variant="std", metric="precision").to_dicts()
    told = [(row["first"], row["second"], row["average"], row["lacks"], row["outcome"], row["count"]) for row in left]
    assert told == [("one", "two", "macro", "first", "nothing is predicted", 2)]


def test_groups_and_clusters(written):
    rows = [
        {**row, "client": f"c{number % 3}", "kind": "new" if number < 8 else "old"} for number, row in enumerate(ROWS)
    ]
    truth = written("".join(json.dumps(row) + "\n" for row in rows), "truth.jsonl")
    report = library.violations(truth, PREDICTED, by="kind", cluster="client", variant="std")
    found = report["scores"].filter(metric="recall", average="micro", variant="std")
    assert found["kind"].to_list() == ["new", "old"]
    true = [sum(len(row["violations"]) for row in part) for part in (rows[:8], rows[8:])]
    assert found["n"].to_list() == true
    whole = library.violations(truth, PREDICTED, cluster="client", variant="std")
    assert whole.estimate("scores", "recall", keys("std")).note == Note.FEW_CLUSTERS
    assert "the clusters that texts come in" in " ".join(whole.notes)


def test_every_outcome_is_written(tmp_path):
    report = library.violations(TRUTH, PREDICTED, items=tmp_path / "items.parquet", split="test@1")
    frame = pl.read_parquet(tmp_path / "items.parquet")
    counts = frame.group_by("variant", "outcome").len().sort("variant", "outcome")["len"].to_list()
    assert counts == [8, 17, 20, 8, 17, 20]
    assert frame.height == report.items.rows
    assert frame["split"].unique().to_list() == ["test@1"]
    hit = frame.filter(item="half", variant="std", outcome="true_positive").row(0, named=True)
    assert (hit["label"], hit["reference_label"]) == ("alpha", "alpha beta gamma")
    assert hit["value"] == pytest.approx(2 / 3)
    offsets = ("start", "end", "predicted_start", "predicted_end")
    assert [hit[name] for name in offsets] == [0, 10, 0, 10]
    assert [frame.schema[name] for name in offsets] == [pl.Int64] * 4
    lacking = {"false_positive": offsets[:2], "false_negative": offsets[2:]}
    for outcome, names in lacking.items():
        rows = frame.filter(outcome=outcome)
        assert all((rows[name].null_count() == rows.height) == (name in names) for name in offsets)


def test_parts_that_nobody_gives_are_told(written):
    bare = [
        {**row, "violations": [{"start": one["start"], "end": one["end"]} for one in row["violations"]]} for row in ROWS
    ]
    report = library.violations(written(bare, "t.json"), written(bare, "p.json"))
    assert 'absent=["rule","category","explanation","correction"]' in report.signature
    assert any(
        "the weights are shared out" in warning and "threshold of rules" in warning for warning in report.warnings
    )
    assert report.estimate("scores", "f1", keys("ha", checker="p")).value == 1.0
    assert report["by_rule"].is_empty()


OTHER = {
    "checker": "mine",
    "split": "test@1",
    "variant": "std",
    "assignment": "optimal",
    "std_weights": {"overlap": 0.4, "rule": 0.6},
    "ha_weights": {"overlap": 0.9, "correction": 0.1},
    "score_threshold": 0.6,
    "overlap_threshold": 0.1,
    "rule_threshold": 0.2,
    "offset_base": 0,
    "quote_mismatch": "warn",
    "columns": {"id": "id"},
    "by": "group",
    "cluster": "group",
    "confidence": 0.9,
    "seed": 1,
    "on_invalid": "drop",
    "input_format": "violations",
}
ELSEWHERE = {
    "truth_annotator",
    "predicted_annotator",
    "rule_similarity",
    "text_similarity",
    "base_url",
    "config",
    "offset_base",
}
SILENT = {"ground_truth", "predictions", "items", "examples", "progress"}


def test_the_signature_and_the_command_hold_every_option(karat, tmp_path, monkeypatch):
    assert set(OTHER) | ELSEWHERE | SILENT == set(inspect.signature(library.violations).parameters)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({**row, "group": row["id"][:2]}) + "\n" for row in ROWS))
    monkeypatch.chdir(tmp_path)
    signatures = {library.violations("t.jsonl", PREDICTED).signature}
    changed = {name: value for name, value in OTHER.items() if name not in ELSEWHERE}
    for name, value in changed.items():
        report = library.violations("t.jsonl", PREDICTED, **{name: value})
        signatures.add(report.signature)
        status, out, _ = karat(*shlex.split(report.command)[1:], "--format", "json")
        assert (status, json.loads(out)) == (0, json.loads(report.to_json()))
    assert len(signatures) == len(changed) + 1


def test_settings_come_from_a_file(karat, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("match.toml").write_text("[std]\nscore_threshold = 0.9\n[ha.weights]\noverlap = 0.9\nrule = 0.1\n")
    report = library.violations(TRUTH, PREDICTED, config="match.toml")
    assert any("0.9 overlap + 0.1 rule" in note for note in report.notes)
    assert any("score > 0.9" in note for note in report.notes)
    assert report.inputs[-1].path == "match.toml"
    assert json.loads(karat(*shlex.split(report.command)[1:], "--format", "json")[1]) == json.loads(report.to_json())
    over = library.violations(TRUTH, PREDICTED, config="match.toml", score_threshold=0.5, ha_weights={"overlap": 1})
    assert over.estimate("scores", "f1", keys("std")).value == pytest.approx(EXPECTED["std"]["f1"])
    assert any("score = 1 overlap" in note for note in over.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[stdd]\n", 'expected one of std, ha; got "stdd" (did you mean "std"?)'),
        ("[std]\nscore = 1\n", 'got "score"'),
        ("[std]\nweights = 3\n", "expected a table"),
        ("[std.weights]\noverlap = 0.4\nrule = 0.4\n", "std, weights: expected weights that sum to 1; got 0.8"),
        ("[std.weights]\noverlap = 2\n", "expected a number from 0 to 1; got 2"),
        ("[std]\nrule_threshold = 'x'\n", "rule_threshold: expected a number from 0 to 1"),
        ("= 1", "expected TOML"),
    ],
)
def test_wrong_settings_are_told(karat, written, text, said):
    status, _, err = karat("violations", "score", TRUTH, PREDICTED, "--config", written(text, "m.toml"))
    assert status in {1, 2}
    assert said in err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--std-weights", "overlap=0.5,rule=0.6"], 2, "expected weights that sum to 1; got 1.1"),
        (["--std-weights", "overlapp=1"], 2, 'no part overlapp (did you mean "overlap"?)'),
        (["--std-weights", "overlap=much"], 2, 'expected a number for overlap; got "much"'),
        (["--score-threshold", "1.5"], 2, "score_threshold: expected a number from 0 to 1; got 1.5"),
        (["--rule-similarity", "jacard"], 2, 'did you mean "jaccard"?'),
        (["--base-url", "http://localhost:1"], 2, "which neither similarity asks"),
        (["--checker", "a", "--checker", "b"], 2, "expected a name for each of 1 predictions; got 2"),
        (["--columns", "idd=x"], 2, 'Karat has no column idd (did you mean "id"?)'),
        (["--by", "client"], 2, "client"),
        (
            ["--fail-under", "f1=0.9"],
            3,
            "f1 >= 0.9 fails for checker predicted, variant std, average micro",
        ),
        (["--fail-under", "f1[variant=ha,average=macro]=0.6"], 3, "average macro: 0.5"),
        (["--fail-under", "f1=0.6", "--fail-under", "character_f1=0.7"], 0, ""),
        (["--items", "x.csv"], 2, "parquet"),
        (["--table", "nothing", "--format", "csv"], 2, 'no table "nothing"'),
    ],
)
def test_mistakes_are_told(karat, words, status, said):
    found, _, err = karat("violations", "score", TRUTH, PREDICTED, *words)
    assert found == status
    assert said in err


def test_an_unknown_id_an_id_twice_and_bad_offsets_are_refused(karat, written):
    base = {"id": "tie", "violations": []}
    for violation, said in [
        ({"start": 5, "end": 3}, "end"),
        ({"start": 0, "end": 11}, "10"),
        ({"start": -1, "end": 3}, "start"),
    ]:
        status, _, err = karat(
            "violations", "score", TRUTH, written([{"id": "tie", "violations": [violation]}], "p.json")
        )
        assert (status, said in err) == (1, True), err
    for rows, said in [([base, {**base, "id": "tiee"}], "tiee"), ([base, base], "tie")]:
        status, _, err = karat("violations", "score", TRUTH, written(rows, "p.json"))
        assert (status, said in err) == (1, True), err


def test_a_server_that_is_away_ends_with_status_4_and_what_to_do(karat, monkeypatch, tmp_path):
    monkeypatch.setenv("KARAT_CACHE", str(tmp_path))
    monkeypatch.setattr("time.sleep", lambda _: None)
    words = ["--rule-similarity", "openai:small", "--base-url", "http://127.0.0.1:9/v1"]
    status, out, err = karat("violations", "score", TRUTH, PREDICTED, *words)
    assert (status, out) == (4, "")
    assert "127.0.0.1:9" in err


def test_several_annotators_of_one_file(karat, written):
    rows = "id,who,start,end,text\na,ann,1,4,abcdef\na,ben,1,4,abcdef\nb,ann,-1,-1,xyz\nb,ben,1,2,xyz\n"
    table = written(rows, "spans.csv")
    words = ["--columns", "annotator=who", "--truth-annotator", "ann", "--offset-base", "1"]
    status, out, _ = karat("violations", "score", table, *words, "--format", "json")
    report = json.loads(out)
    assert status == 0
    exact = next(row for row in report["tables"]["scores"] if row["metric"] == "exact_precision")
    assert (exact["checker"], exact["value"]) == ("ben", 0.5)
    status, _, err = karat("violations", "score", table, "--columns", "annotator=who")
    assert status == 2
    assert "--truth-annotator" in err


def test_marks_stand_in_the_page_escaped_and_overlaps_have_lines_of_their_own(karat, written, tmp_path):
    text = "<b>bold</b> & \u202eright 😀 here"
    first = {"start": 0, "end": 8, "rule": "<script>alert(1)</script>", "explanation": "&amp;"}
    second = {"start": 3, "end": 11, "rule": "tags"}
    truth = written([{"id": "<i>", "text": text, "violations": [first, second]}], "t.json")
    predicted = written([{"id": "<i>", "violations": [first, {"start": 21, "end": 22, "rule": "emoji"}]}], "p.json")
    status, _, _ = karat("violations", "score", truth, predicted, "--output", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert status == 0
    assert "<script>" not in page
    assert "<b>bold" not in page
    assert re.findall(r'<mark class="([^"]+)">([^<]*)</mark>', page) == [
        ("l0m", "&lt;b&gt;"),
        ("l0m l1a", "bold&lt;"),
        ("l1a", "/b&gt;"),
        ("l0m", "&lt;b&gt;bold&lt;"),
        ("l0a", "😀"),
    ]


def test_every_figure_is_described(report):
    assert set(report["scores"]["metric"]) < set(EVALUATION.metrics)
    assert set(report.tables) < set(EVALUATION.tables)


def test_a_report_read_back_is_the_same_in_every_form(report, tmp_path):
    report.save(tmp_path / "r.json")
    again = library.Report.load(tmp_path / "r.json")
    assert again == report
    for ending in (".html", ".md", ".svg"):
        report.save(tmp_path / f"a{ending}")
        again.save(tmp_path / f"b{ending}")
        assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_one_text_and_one_checker_are_enough(written, tmp_path):
    truth = written([{"id": "a", "text": "abc", "violations": [{"start": 0, "end": 1, "rule": "x"}]}], "t.json")
    report = library.violations(truth, truth, checker="same")
    assert report.estimate("scores", "precision", keys("std", checker="same")).note == Note.ONE_CLUSTER
    report.save(tmp_path / "r.html")
    report.save(tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_a_rule_may_weigh_nothing_and_still_have_its_threshold(written):
    weights = {"overlap": 1}
    one = {"start": 0, "end": 5, "rule": "x"}
    truth = written(
        [{"id": "a", "text": "abcdefghij", "violations": [one, {"start": 6, "end": 9, "rule": "x"}]}], "t.json"
    )
    predicted = written([{"id": "a", "violations": [one, {"start": 6, "end": 9, "rule": "other"}]}], "p.json")
    report = library.violations(truth, predicted, variant="std", std_weights=weights)
    assert report.estimate("scores", "f1", keys("std", checker="p")).value == 0.5
    free = library.violations(truth, predicted, variant="std", std_weights=weights, rule_threshold=0)
    assert free.estimate("scores", "f1", keys("std", checker="p")).value == 0.5


def test_a_category_has_the_harmonic_mean_of_its_two_shares(written):
    def violation(start, category):
        return {"start": start, "end": start + 5, "rule": "x", "category": category}

    truth = [violation(0, "A"), violation(10, "B"), violation(20, "A"), violation(30, "C")]
    predicted = [violation(0, "A"), violation(10, "A"), violation(20, "A"), violation(40, "A")]
    report = library.violations(
        written([{"id": "a", "text": "x" * 50, "violations": truth}], "t.json"),
        written([{"id": "a", "violations": predicted}], "p.json"),
        variant="std",
    )
    table = report["by_category"].select("category", "metric", "value", "reason")
    found = {(row[0], row[1]): row[2:] for row in table.iter_rows()}
    assert found["A", "precision"][0] == 0.75
    assert found["A", "recall"][0] == 1
    assert found["A", "f1"][0] == pytest.approx(6 / 7)
    assert found["B", "f1"] == (None, "nothing is predicted")


@pytest.mark.parametrize("name", ["variant", "split", "average", "rule", "category", "checker", "__row__"])
def test_no_group_bears_the_name_of_a_column_of_karat(name):
    with pytest.raises(library.OptionError, match="by"):
        library.violations(TRUTH, PREDICTED, by=name)


def test_overlap_alone_is_matched_greedily(written):
    truth = written(
        [{"id": "a", "text": "x" * 20, "violations": [{"start": 0, "end": 10}, {"start": 1, "end": 10}]}], "t.json"
    )
    predicted = written([{"id": "a", "violations": [{"start": 0, "end": 10}, {"start": 0, "end": 9}]}], "p.json")
    for assignment in ("greedy", "optimal"):
        report = library.violations(truth, predicted, assignment=assignment)
        assert report.estimate("scores", "exact_recall", keys("overlap", checker="p")).value == 0.5


def test_columns_of_the_truth_need_not_be_those_of_the_predictions(written):
    truth = written("doc,text,a,z,rule\n1,abcdefgh,0,4,x\n", "t.csv")
    predicted = written([{"id": "1", "violations": [{"start": 0, "end": 4, "rule": "x"}]}], "p.json")
    report = library.violations(truth, predicted, columns={"id": "doc", "start": "a", "end": "z"})
    assert report.estimate("scores", "f1", keys("std", checker="p")).value == 1


def test_what_only_some_checkers_give_is_told(written):
    bare = {"start": 0, "end": 5, "rule": "x"}
    truth = written([{"id": "a", "text": "x" * 20, "violations": [bare]}], "t.json")
    files = [
        written([{"id": "a", "violations": [one]}], f"p{n}.json")
        for n, one in enumerate([bare, {**bare, "explanation": "y"}])
    ]
    report = library.violations(truth, files)
    assert any("only p1 and not the truth: explanation" in warning for warning in report.warnings)


def test_marks_far_behind_in_a_long_text_are_shown(written, tmp_path):
    text = "a" * 30_000 + "bad" + "c" * 30_000
    truth = written(
        [{"id": "a", "text": text, "violations": [{"start": 30_000, "end": 30_003, "rule": "x"}]}], "t.json"
    )
    report = library.violations(truth, truth, checker="same")
    report.save(tmp_path / "r.html")
    assert ">bad</mark>" in (tmp_path / "r.html").read_text()
