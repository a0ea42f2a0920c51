import json
from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

import adjudge
from adjudge import Estimate, OptionError, Report
from adjudge.estimate import Caveat
from adjudge.evaluations.annotations import vote_counts
from made import DATA

CASE = DATA / "annotations" / "annotated_pairs.json"
EXPECTED = json.loads((DATA / "annotations" / "annotated_pairs.expected.json").read_text())
VALUES = {"text_a": "a", "text_b": "b", "both": "=", "neither": "-", "invalid": "?", "not_applicable": "n"}
VALUES |= {"refused": "r", "unparseable": "u", "failed": "f"}


def figure(report: Report, metric: str, annotator: str, table: str = "agreement", **keys: str) -> Estimate:
    return report.estimate(metric, table=table, **{"annotator": annotator, **keys})


def pairs(**columns: object) -> pl.DataFrame:
    """A wide table; votes as strings of one letter per pair, a space where there is none."""
    size = max(len(votes) for votes in columns.values())
    texts = {"text_a": [f"first {n}" for n in range(size)], "text_b": [f"second {n}" for n in range(size)]}
    votes = {name: [None if one == " " else one for one in values] for name, values in columns.items()}
    return pl.DataFrame(texts | votes)


def score(table: pl.DataFrame, **options: object) -> Report:
    votes = [
        name for name in table.columns if name not in {"text_a", "text_b", "prompt", "model_a", "model_b", "topic"}
    ]
    return adjudge.annotations(table, annotator_columns=votes, vote_values=VALUES, **options)


@pytest.mark.parametrize("population", ["shared", "reference"])
def test_every_figure_of_the_worked_case_comes_out(population):
    report = adjudge.annotations(CASE, population=population)
    for annotator, figures in EXPECTED.items():
        if annotator == "overview":
            continue
        expected = figures[population]
        for metric in ("relevance", "accuracy", "kappa", "kappa_observed", "strength"):
            assert figure(report, metric, annotator).value == pytest.approx(expected[metric], abs=1e-9)
        assert figure(report, "relevance", annotator).n == expected["n"]
        assert figure(report, "accuracy", annotator).n == expected["n_compared"]


def test_the_overview_of_the_worked_case_comes_out():
    report = adjudge.annotations(CASE)
    for metric, value in EXPECTED["overview"].items():
        assert report.estimate(metric, table="overview").value == pytest.approx(value, abs=1e-9)


def test_figures_follow_their_definitions():
    # Reference:      a a b b a = - ' ' ; x votes on six pairs, four of them valid.
    from sklearn.metrics import cohen_kappa_score

    report = score(pairs(ref="aabba=- ", x="abbaab  "), reference="ref")
    # Both annotate pairs 1-6; x is valid on all six, both on five, equal on three.
    assert figure(report, "relevance", "x").value == 6 / 6
    assert figure(report, "accuracy", "x").value == 3 / 5
    assert figure(report, "kappa", "x").value == pytest.approx(2 * (3 / 5 - 0.5))
    assert figure(report, "strength", "x").value == pytest.approx(2 * (3 / 5 - 0.5) * 1)
    assert figure(report, "coverage", "x").value == 6 / 8
    assert figure(report, "kappa_observed", "x").value == pytest.approx(cohen_kappa_score(list("abbaa"), list("aabba")))
    other = score(pairs(ref="aabba=- ", x="abbaab  "), reference="ref", population="reference")
    assert figure(other, "relevance", "x").n == 5
    missing = score(pairs(ref="aaaa", x="aa  "), reference="ref", population="reference")
    assert figure(missing, "relevance", "x").value == 0.5


def test_undefined_figures_have_reasons():
    report = score(pairs(ref="aa==", x="nn  "), reference="ref")
    assert figure(report, "relevance", "x").value == 0
    for metric in ("accuracy", "kappa", "kappa_observed", "strength"):
        assert figure(report, metric, "x").value is None
        assert figure(report, metric, "x").reason.startswith("no pair on which both votes are valid")
    nobody = score(pairs(ref="a   ", x="  bb"), reference="ref")
    assert figure(nobody, "relevance", "x").reason == "no pair of the population"


def test_all_labels_count_both_and_neither():
    from sklearn.metrics import cohen_kappa_score

    ours, theirs = "ab=-ab=a", "ab==b-=b"
    report = score(pairs(ref=theirs, x=ours), reference="ref", labels="all")
    assert figure(report, "kappa_observed", "x").value == pytest.approx(cohen_kappa_score(list(ours), list(theirs)))
    assert figure(report, "accuracy", "x").value == 4 / 8
    for metric in ("kappa", "strength"):
        assert "labels=all: it is defined for two labels only" in figure(report, metric, "x").reason


def test_strength_has_a_test_adjusted_over_the_annotators():
    from scipy.stats import binom

    report = score(pairs(ref="a" * 40, x="a" * 30 + "b" * 10, y="a" * 20 + "b" * 20), reference="ref")
    rows = report["agreement"].filter(pl.col("metric") == "strength")
    p = dict(zip(rows["annotator"], rows["p"], strict=True))
    # Two-sided mid-P of 10 of 40: twice the tail less the probability of the value itself.
    assert p["x"] == pytest.approx(2 * binom.cdf(10, 40, 0.5) - binom.pmf(10, 40, 0.5), abs=1e-12)
    adjusted = dict(zip(rows["annotator"], rows["p_adjusted"], strict=True))
    assert adjusted["x"] == pytest.approx(2 * p["x"])
    assert report["agreement"].filter(pl.col("metric") != "strength")["p"].null_count() == 2 * 5


def test_repeated_prompts_cluster_the_pairs():
    table = pairs(ref="ab" * 20, x="aabb" * 10).with_columns(prompt=pl.Series([f"p{n // 4}" for n in range(40)]))
    report = score(table, reference="ref")
    assert report.counts["clusters"] == 10
    assert figure(report, "accuracy", "x").method == "clustered-wilson"
    assert figure(report, "strength", "x").caveat == Caveat.UNDER_100_CLUSTERS
    alone = score(table, reference="ref", cluster="none")
    assert "clusters" not in alone.counts
    assert figure(alone, "accuracy", "x").method == "wilson"


def test_a_model_s_responses_are_an_annotator():
    table = pairs(ref="aabb", other="abab").with_columns(
        model_a=pl.Series(["m", "m", "k", "m"]), model_b=pl.Series(["k", "j", "m", "m"])
    )
    report = score(table, reference="ref", annotator="model:m")
    # m wrote a, a, b, and both of the last pair, which is not applicable.
    assert figure(report, "accuracy", "model:m").value == 1
    assert figure(report, "accuracy", "model:m").n == 3
    assert figure(report, "relevance", "model:m").value == 3 / 4
    everyone = score(table, reference="ref", annotator="model:*")
    assert set(everyone["agreement"]["annotator"]) == {"model:j", "model:k", "model:m"}
    assert figure(score(table, reference="model:m"), "accuracy", "ref").n == 3


def test_style_rules_vote_without_a_model():
    table = pl.DataFrame({"text_a": ["Hi!", "one two"], "text_b": ["Hi.", "one"], "ref": ["a", "b"]})
    report = score(table, reference="ref", style=True)
    assert figure(report, "accuracy", "style:more_exclamation_marks").value == 1
    assert figure(report, "relevance", "style:more_exclamation_marks").value == 0.5
    assert figure(report, "accuracy", "style:longer").value == 0
    assert len(report["agreement"]["annotator"].unique()) == 13


def test_a_tie_of_lengths_is_no_vote_for_the_longer_text():
    table = pl.DataFrame({"text_a": ["aa", "aa", "a"], "text_b": ["bb", "b", "bb"], "ref": ["b", "a", "a"]})
    assert score(table, reference="ref", style=True).estimate("prefers_longer", table="overview").value == 1 / 3


def test_bias_counts_places_and_orders():
    table = pl.DataFrame(
        {
            "prompt": ["p", "p", "q", "q", "r"],
            "text_a": ["one", "two", "x", "y", "z"],
            "text_b": ["two", "one", "y", "x", "w"],
            "ref": ["a", "b", "a", "a", "b"],
            "x": ["a", "a", "a", "b", "-"],
        }
    )
    report = score(table, reference="ref", cluster="none")
    assert figure(report, "position", "ref", "bias").value == 3 / 5
    # The reference stands by its text on p, and by the place on q; x the other way round.
    assert figure(report, "swap_consistency", "ref", "bias").value == 1 / 2
    assert figure(report, "swap_consistency", "x", "bias").value == 1 / 2
    assert figure(report, "swap_consistency", "x", "bias").n == 2


def test_the_matrix_agrees_with_the_agreement_table():
    """Of clustered pairs, to the last bit."""
    report = adjudge.annotations(CASE)
    table = pairs(ref="abbaab" * 9, x="abab-b" * 9, y="aa bbb" * 9)
    clustered = score(table.with_columns(prompt=pl.Series([f"q{n // 3}" for n in range(54)])), reference="ref")
    for metric in ("kappa", "strength"):
        for annotator in ("ann1", "ann2", "ann3"):
            cell = figure(report, metric, annotator, "matrix", reference="ann0")
            assert cell.value == pytest.approx(figure(report, metric, annotator).value, abs=1e-12)
        for annotator in ("x", "y"):
            cell = figure(clustered, metric, annotator, "matrix", reference="ref")
            assert cell == figure(clustered, metric, annotator)
            assert cell.low is not None
    assert report["matrix"].height == 4 * 4 * 2
    assert "matrix" not in adjudge.annotations(CASE, matrix=False).tables


@pytest.mark.parametrize("population", ["shared", "reference"])
def test_differences_of_annotators_have_the_variance_of_the_jackknife(population):
    draw = np.random.default_rng(1)
    votes = {name: "".join(draw.choice(list("aab-n "), 300)) for name in ("ref", "x", "y")}
    everything = pairs(**votes)
    whole = score(everything, reference="ref", population=population)["differences"].row(0, named=True)
    held = [
        votes["x"][place] != " " != votes["y"][place] for place in range(300)
    ]  # complete cases, where pairs are shared
    table = everything.filter(held) if population == "shared" else everything
    row = score(table, reference="ref", population=population)["differences"].row(0, named=True)

    def difference(frame: pl.DataFrame) -> float:
        report = score(frame, reference="ref", population=population, matrix=False)
        return figure(report, "strength", "y").value - figure(report, "strength", "x").value

    blocks = [table.filter(pl.int_range(pl.len()) % 30 != block) for block in range(30)]
    jackknife = [difference(block) for block in blocks]
    error = np.sqrt(29 / 30 * sum((one - np.mean(jackknife)) ** 2 for one in jackknife))
    assert (whole["value"], whole["p"], whole["n"]) == (row["value"], row["p"], row["n"])
    assert (row["left_out"], whole["left_out"] > 0) == (0, population == "shared")
    assert row["value"] == pytest.approx(difference(table), abs=1e-12)
    assert (row["high"] - row["low"]) / 2 / 1.968 == pytest.approx(error, rel=0.3)


def test_groups_are_compared_with_each_other_and_data_sets_stand_side_by_side(written):
    items = json.loads(CASE.read_text())
    report = adjudge.annotations(CASE, by="topic")
    groups = report["differences"].filter(pl.col("compared") == "groups")
    topics = sorted({one["metadata"]["topic"] for one in items["comparisons"]})
    assert groups.height == 3 * len(topics) * (len(topics) - 1) / 2
    both = adjudge.annotations([CASE, written(items)])
    assert set(both["differences"]["compared"]) == {"annotators"}
    assert both["side_by_side"]["greatest_difference"].to_list() == [0, 0, 0]
    assert both["side_by_side"].columns[2:4] == ["adjudge case (1)", "adjudge case (2)"]


def test_outcomes_are_written_for_every_pair_and_annotator(tmp_path):
    report = adjudge.annotations(CASE, save_items=tmp_path / "items.parquet", examples=2)
    assert set(report.examples["outcome"]) == {"agree", "disagree", "annotator_only", "reference_only"}
    assert (report.examples.height, report.examples["text_a"].null_count()) == (8, 0)
    items = pl.read_parquet(tmp_path / "items.parquet")
    assert items.height == report.outcomes.rows == 60 * 3
    expected = EXPECTED["ann1"]["shared"]
    counts = dict(items.filter(pl.col("judge") == "ann1")["outcome"].value_counts().rows())
    assert counts["agree"] == expected["agree"]
    assert counts["agree"] + counts["disagree"] == expected["n_compared"]
    assert 60 - counts["missing"] == expected["n"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"annotator": "an1"}, "fix:   annotator ann1"),
        ({"reference": "Anotator 2"}, "fix:   reference Annotator 2"),
        ({"annotator": "model:gpt"}, 'no annotator "model:gpt"'),
    ],
)
def test_a_wrong_option_says_what_was_expected(options, message):
    with pytest.raises(OptionError) as error:
        adjudge.annotations(CASE, **options)
    assert message in str(error.value)


def test_annotators_are_found_by_name_and_by_pattern():
    assert set(adjudge.annotations(CASE, annotator="Annotator 2")["agreement"]["annotator"]) == {"ann2"}
    assert set(adjudge.annotations(CASE, annotator="ann[12]")["agreement"]["annotator"]) == {"ann1", "ann2"}


def clustered(votes: pl.DataFrame, clusters: np.ndarray) -> vote_counts.ClusteredVoteCounts:
    return vote_counts.ClusteredVoteCounts(votes.with_columns(length_a=1, length_b=1, cluster=pl.Series(clusters)))


REPLIES = {"answered": 4 / 8, "refused": 2 / 8, "unparseable": 1 / 8, "failed": 1 / 8}


@pytest.mark.parametrize("population", ["shared", "reference"])
def test_what_a_model_did_not_answer_is_told(population):
    report = score(pairs(r="aabbaab=", x="abbrfunr", y="abababab"), reference="r", population=population)
    for metric, value in REPLIES.items():
        assert figure(report, metric, "x", "replies").value == pytest.approx(value)
    assert set(report["replies"]["annotator"]) == {"x"}
    answered = score(pairs(r="aabbaab=", x="abb   n ", y="abababab"), reference="r", population=population)
    for metric in ("relevance", "kappa", "strength", "coverage"):
        if (population, metric) != ("reference", "coverage"):
            assert figure(report, metric, "x") == figure(answered, metric, "x")
    assert "replies" not in answered.tables


@pytest.mark.parametrize("reference", ["r", "y"])
def test_every_two_annotators_are_counted_the_same_row_by_row_and_as_bits(reference):
    """The reference may be one of them."""
    draw = np.random.default_rng(5)
    votes = pl.DataFrame({name: draw.integers(0, 10, 130_077).astype(np.uint8) for name in "rxyz"})
    states = vote_counts.states_of("shared", "valid")
    kinds = [vote_counts.kinds_of(votes, name, reference, states) for name in "xyz"]
    names = list("xyzr")
    masks = vote_counts.vote_masks(votes, names)
    tables = sum(vote_counts.kind_pair_counts(one, range(3), names.index(reference), states) for one in masks)
    for found, (first, second) in zip(tables, combinations(kinds, 2), strict=True):
        counted = Counter((first + 5 * second).tolist())
        assert dict(enumerate(found.tolist())) == {place: counted[place] for place in range(25)}


FIRST, SECOND = "aababbaababa" * 5, "aabaabaababb" * 5


def by_models() -> pl.DataFrame:
    """Ten pairs: x has part in six of them, y in six, z in eight; "more" marks text_a in all of them."""
    models = [("x", "y"), ("y", "x"), ("x", "z"), ("z", "x"), ("x", "z"), ("x", "z"), *[("y", "z")] * 4]
    votes = ["a", "b", "a", "a", "a", "-", "a", "a", "b", "-"]
    table = pairs(more="".join(votes))
    return table.with_columns(model_a=pl.Series([a for a, _ in models]), model_b=pl.Series([b for _, b in models]))


@pytest.mark.parametrize("population", ["shared", "reference"])
def test_pairs_without_the_model_that_is_the_reference_leave_the_population(population):
    found = score(by_models(), reference="model:x", cluster="none", population=population)
    # x has part in six pairs, on five of which "more" chooses a text: x's on four of them.
    assert figure(found, "relevance", "more").value == 5 / 6
    assert figure(found, "relevance", "more").n == 6
    assert figure(found, "accuracy", "more").value == 4 / 5
    assert figure(found, "strength", "more").value == pytest.approx(3 / 6)
    assert figure(found, "strength", "more", "matrix", reference="model:x").value == pytest.approx(3 / 6)
    other = score(by_models(), reference="model:z", cluster="none", population=population)
    # z has part in eight pairs, on six of which "more" chooses a text: z's on two of them.
    assert figure(other, "relevance", "more").value == 6 / 8
    assert figure(other, "strength", "more").value == pytest.approx((2 - 4) / 8)


def test_several_references_stand_side_by_side_with_the_greatest_difference():
    found = score(by_models(), reference=["model:x", "model:*"], cluster="none")
    # Of six pairs each, x's side is chosen in 4 and not in 1, y's in 2 and not in 3; of z's eight in 2 and not in 4.
    (row,) = found["side_by_side"].to_dicts()
    assert [row[name] for name in ("annotator", "name", "highest", "lowest")] == ["more", "more", "x", "z"]
    values = {"x": 3 / 6, "y": -1 / 6, "z": -2 / 8, "greatest_difference": 3 / 4}
    assert {name: row[name] for name in values} == pytest.approx(values)
    for model in "xyz":
        alone = score(by_models(), reference=f"model:{model}", cluster="none")
        for table in ("overview", "agreement", "bias", "votes"):
            own = found[table].filter(reference=f"model:{model}")
            same = [name for name in own.columns if name != "p_adjusted"]  # adjusted over all references
            assert own[same].equals(alone[table][same]), table


def test_strengths_beside_two_references_are_compared_on_the_same_pairs():
    x = "abab" * 15
    found = score(pairs(ref=FIRST, other=SECOND, x=x), reference=["ref", "other"], annotator="x")
    (row,) = found["differences"].filter(compared="references").to_dicts()
    values = [[1 if vote == own else -1 for vote, own in zip(votes, x, strict=True)] for votes in (SECOND, FIRST)]
    expected = ttest_rel(*values)
    low, high = expected.confidence_interval()
    assert row["value"] == pytest.approx(np.mean(values[0]) - np.mean(values[1]), abs=1e-12)
    assert (row["p"], row["low"], row["high"]) == pytest.approx((expected.pvalue, low, high), abs=1e-9)
    assert (row["first"], row["second"], row["reference"]) == ("ref", "other", None)


def in_both_orders(counts: dict[str, int]) -> pl.DataFrame:
    """Pairs in both orders. Letters: the judge's vote in either order, and the reference's in the first."""
    rows = [(f"{said} {number}", said) for said, times in counts.items() for number in range(times)]
    turned = {"a": "b", "b": "a"}
    first = [(name, "one", "two", said[0], said[2]) for name, said in rows]
    second = [(name, "two", "one", said[1], turned.get(said[2], said[2])) for name, said in rows]
    names = ["prompt", "text_a", "text_b", "judge", "ref"]
    return pl.DataFrame([*first, *second], schema=names, orient="row")


BOTH = ("swap_consistency", "both_orders_accuracy", "net_accuracy")


def in_bias(report: Report) -> list[float | None]:
    return [figure(report, name, "judge", "bias").value for name in BOTH]


def test_ties_count_in_both_orders_where_all_labels_do():
    # The same text twice, right and wrong; text_a twice; a tie twice, right and wrong; a tie beside the right text.
    table = in_both_orders({"aba": 3, "bab": 1, "abb": 2, "aaa": 1, "===": 2, "==a": 1, "a=a": 2, "=aa": 1})
    valid = score(table, reference="ref", cluster="none")
    assert in_bias(valid) == [6 / 7, 4 / 7, 4 / 7]
    both = score(table, reference="ref", cluster="none", labels="all")
    assert in_bias(both) == [9 / 13, 6 / 13, 8 / 13]
    assert [figure(both, name, "judge", "bias").n for name in BOTH] == [13] * 3


def test_published_figures_in_both_orders_come_out():
    """Auto-J's pairwise test: 1,392 pairs with ties, consistency .8341, agreement .5496; JudgeBench: 350, net .6571."""
    first = in_both_orders({"aba": 700, "===": 65, "abb": 396, "aaa": 200, "=ba": 31})
    found = in_bias(score(first, reference="ref", cluster="none", labels="all"))
    assert [round(value, 4) for value in found[:2]] == [0.8341, 0.5496]
    second = in_both_orders({"aba": 210, "bab": 10, "a=a": 10, "abb": 20, "aaa": 100})
    found = in_bias(score(second, reference="ref", cluster="none", labels="all"))
    assert [round(value, 4) for value in (found[0], found[2])] == [0.6857, 0.6571]


@pytest.mark.parametrize("cluster", ["none", "prompt"])
def test_mean_lengths_have_no_negative_limits(cluster):
    table = pl.DataFrame({"prompt": ["p", "p", "q"], "text_a": ["a", "a", "a" * 400], "text_b": "b", "ref": "a"})
    found = score(table, reference="ref", style=True, cluster=cluster).estimate("length_a", table="overview")
    assert found.low == 0
    assert found.value == 134
    letters = pl.DataFrame({"text_a": ["🙂é"], "text_b": ["abc"], "ref": ["a"]})  # lengths are code points
    assert score(letters, reference="ref", style=True).estimate("length_a", table="overview").value == 2


def test_lengths_of_responses_that_are_all_empty_are_undefined():
    table = pairs(ana="ab", ben="aa").with_columns(text_a=pl.lit(""), text_b=pl.lit(""))
    report = score(table, reference="ana")
    assert report.estimate("prefers_a", table="overview").value == 0.5
    undefined = report["overview"].filter(pl.col("value").is_null())
    assert {*undefined["metric"]} == {"length_a", "length_b", "length_preferred", "length_rejected", "prefers_longer"}
    assert {*undefined["reason"]} == {"the responses of these pairs are all empty"}
    one = score(table.with_columns(text_b=pl.Series(["", "x"])), reference="ana")
    assert dict(one["overview"].select("metric", "value").rows())["length_b"] == 0.5
