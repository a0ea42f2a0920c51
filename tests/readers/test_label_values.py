"""What labels mean: which are missing, which are one, and what tables of labels hold. Values are of other tools."""

import json

import polars as pl
import pytest

import adjudge
from adjudge import DataError, OptionError
from adjudge.readers.label_values import LabelRules, settle
from made import DATA
from made_samples import in_container

FILES = DATA / "labels"
GOLD = {"columns": {"item": "id", "reference": "gold"}}


def values(report, metric, table="annotators", key="annotator"):
    return {row[key]: row["value"] for row in report[table].filter(pl.col("metric") == metric).to_dicts()}


def alpha(report):
    return report.estimate("alpha", table="agreement", over="items").value


def agreement(*labels, **options):
    """Of annotators a and b, whose labels are given as words."""
    table = pl.DataFrame({name: words.split() for name, words in zip("ab", labels, strict=True)})
    return adjudge.agreement(table.with_row_index("item"), annotator_columns=["a", "b"], **options)


def test_abstentions_are_missing_and_counted():
    # alpha by krippendorff 0.8, shares and n by counting
    report = adjudge.agreement(FILES / "abstentions.csv", annotator_columns=["ada", "bo", "cy"], columns={"item": "id"})
    assert alpha(report) == pytest.approx(0.6697093104900997)
    given = {"ada": 4, "bo": 19, "cy": 5}
    assert dict(report["abstentions"].iter_rows()) == given
    (column,) = (one for one in report.summary.table.columns if one.title == "Abstentions")
    assert column.cells == given | {"pooled": 28}
    assert any('"-" (19), "N/A" (5), "skip" (4)' in one and "--map-values" in one for one in report.warnings)


def test_abstentions_are_excluded_beside_a_reference():
    report = adjudge.reliability(FILES / "abstentions_gold.csv", annotator_columns=["ada", "bo", "cy"], **GOLD)
    assert values(report, "reliability") == pytest.approx({"ada": 27 / 28, "bo": 34 / 41, "cy": 46 / 55})
    assert dict(report["abstentions"].iter_rows()) == {"ada": 4, "bo": 19, "cy": 5}


def test_abstentions_of_judges_are_in_the_card():
    labels = {"ana": "xyxy", "ben": "xyyy", "judge": ["x", "N/A", "x", "y"]}
    rows = [{"item": n, "annotator": name, "label": label} for name in labels for n, label in enumerate(labels[name])]
    report = adjudge.card(pl.DataFrame(rows), judges=["judge"])
    assert report["abstentions"].to_dicts() == [{"judge": "judge", "count": 1}]
    assert any(one.title == "Abstentions" for one in report.summary.table.columns)


def test_none_of_python_is_missing_among_numbers():
    columns = ["rater1", "rater2", "rater3"]
    assert alpha(adjudge.agreement(FILES / "none_text.csv", annotator_columns=columns)) == pytest.approx(14 / 19)


@pytest.mark.parametrize(
    ("counts", "trusted", "missing"),
    [
        ({"x": 250, "y": 249, "skip": 1}, (), {"skip"}),
        ({"x": 1, "NA": 1, "n/a": 1, "NaN": 1, "null": 1, "<NA>": 1, "#N/A": 1, "--": 1, "?": 1, "Skipped": 1, " ": 1},
         (), {"NA", "n/a", "NaN", "null", "<NA>", "#N/A", "--", "?", "Skipped", " "}),
        ({"x": 5, "don't know": 2, "Cannot tell": 1}, (), set()),
        ({"x": 5, "don\u2019t know": 2, "Cannot tell": 1}, ["x"], {"don\u2019t know", "Cannot tell"}),
        ({"x": 5, "N/A": 2, "skip": 1}, ["x", "N/A"], {"skip"}),
        ({"x": 5, "k. A.": 2, "Weiß nicht": 1, "不明": 1, "无": 1}, ["x"], {"k. A.", "Weiß nicht", "不明", "无"}),
        ({"None": 3, "Mild": 2, "Severe": 1}, (), set()),
        ({"None": 3, "True": 2, "False": 1}, (), {"None"}),
        ({"+": 3, "-": 2, "++": 1}, (), set()),
        ({"x": 3, "-": 2}, ["x"], {"-"}),
        ({"x": 3, "error": 2}, (), set()),
    ],
)  # fmt: skip
def test_which_labels_are_missing(counts, trusted, missing):
    meanings, warnings = settle(counts, trusted, LabelRules())
    assert {label for label, meant in meanings.items() if meant is None} == missing
    assert settle(counts, trusted, LabelRules(listed=list(counts)))[0].keys() <= {" "}
    doubtful = {"N/A", "don't know", "-", "error", "None", "k. A.", "无"} & (counts.keys() - missing)
    assert all(any(f'"{label}" (' in one for one in warnings) for label in doubtful)


def test_a_value_that_is_said_to_mean_itself_is_a_label():
    labels = "x skip y x", "x skip y y"
    assert agreement(*labels)["abstentions"]["count"].to_list() == [1, 1]
    report = agreement(*labels, map_values={"label": {"skip": "skip"}})
    assert report.estimate("items", table="agreement", over="items").value == 4
    assert "abstentions" not in report.tables


@pytest.mark.parametrize(
    ("labels", "trusted", "asked"),
    [
        ("1 2 3 4 5 -99", "", "label:-99="), ("0 1 9", "", "label:9="), ("0 1 9", "0 1 9", None), ("a 1 2 -99", "", None),
        ("1 2 3 4 5 6 7 8 9", "", None), ("C C+ D C.", "C C+ D C.", None), ("a b a,|b c", "", None),
        ("Yes No **Yes** No,|it|is No.", "", "label:**Yes**=Yes,No\\,*=No,No.=No"), ("Yes No **Yes**", "Yes No **Yes**", None),
    ],
)  # fmt: skip
def test_codes_and_replies_that_may_mean_another_label_are_asked_for(labels, trusted, asked):
    given, known = ([one.replace("|", " ") for one in words.split()] for words in (labels, trusted))
    meanings, warnings = settle(dict.fromkeys(given, 2), known, LabelRules())
    assert meanings == {}
    assert [asked in one for one in warnings] == ([True] if asked else [])


def test_empty_cells_of_annotators_are_counted(written):
    lines = [{"n": n, "in": {"gold": "b", "m": label}} for n, label in enumerate(("b", None, "c"))]
    options = {"columns": {"item": "n", "reference": "in.gold"}, "annotator_columns": ["in.m"]}
    path = written("\n".join(map(json.dumps, lines)), "v.jsonl")
    (warning,) = adjudge.reliability(path, **options).warnings
    assert warning.endswith("1 of 3 labels missing (empty), excluded")
    report = adjudge.reliability(path, **options, map_values={"label": {"": "none"}})
    assert values(report, "reliability") == {"in.m": pytest.approx(1 / 3)}


def test_the_families_of_yes_and_no():
    report = adjudge.reliability(FILES / "yes_no.csv", annotator_columns=["m1", "m2"], **GOLD)
    assert values(report, "reliability") == pytest.approx({"m1": 44 / 46, "m2": 39 / 46})
    exact = adjudge.reliability(FILES / "yes_no.csv", annotator_columns=["m1", "m2"], **GOLD, exact_labels=True)
    assert values(exact, "reliability")["m1"] < 0.5


def test_dates_in_two_styles_are_one_day():
    report = adjudge.reliability(FILES / "dates.csv", annotator_columns=["m1", "m2"], **GOLD)
    assert values(report, "reliability") == pytest.approx({"m1": 1.0, "m2": 0.8})


def test_names_of_months_are_read_and_other_labels_besides_dates_are_told():
    gold = "2023-12-06 00:00:00", "2024-03-13 00:00:00", "2024-09-01 00:00:00", "2024-05-02 00:00:00"
    labels = "6 December 2023", "Mar. 13th, 2024", "1-Sept-2024", "spring"
    table = pl.DataFrame({"item": range(4), "m": labels, "gold": gold})
    report = adjudge.reliability(table, annotator_columns=["m"], columns={"reference": "gold"})
    assert values(report, "reliability") == {"m": 0.75}
    assert any('not read as dates: "spring" (1)' in one for one in report.warnings)


def test_an_ambiguous_order_of_day_and_month_is_asked_for():
    labels = "2020-04-03 2020-06-05", "03/04/2020 06/05/2020"
    with pytest.raises(OptionError, match="2020-04-03 or 2020-03-04") as error:
        agreement(*labels)
    assert error.value.option == "date_order"
    for options, expected in (({"date_order": "day"}, 0.5), ({"exact_labels": True}, 0)):
        assert agreement(*labels, **options).estimate("percent_agreement", over="items").value == expected


def test_lists_are_sets_of_labels():
    labels = {"a": ["['x', 'y']", "['y']", "[sic] y"], "b": ['["y", "x"]', "y", "[sic] y"]}
    report = adjudge.agreement(pl.DataFrame({"item": [1, 2, 3], **labels}), annotator_columns=["a", "b"])
    assert alpha(report) == 1
    assert any("lists count as sets" in one and "--exact-labels" in one for one in report.warnings)


@pytest.mark.parametrize("container", ["json", "jsonl", "parquet"])
def test_lists_in_a_column_of_labels_are_sets(written, container):
    """Both give item 1 the same two labels, in another order, and item 2 different ones."""
    given = [("1", "a", ["x", "y"]), ("1", "b", ["y", "x"]), ("2", "a", ["x"]), ("2", "b", ["y"])]
    rows = [dict(zip(("item", "annotator", "label"), one, strict=True), meta=[{"n": 1}]) for one in given]
    report = adjudge.agreement(written(in_container(rows, container), f"r.{container}"))
    assert report.estimate("percent_agreement", table="agreement", over="items").value == 0.5
    assert any('"["x","y"]" as "x, y", 4 in all' in one for one in report.warnings)


def test_answers_with_lists_of_python():
    report = adjudge.rag(FILES / "python_lists.csv")
    assert report.estimate("accuracy", table="scores").value == 1


@pytest.mark.parametrize("empty", ["[]", ""])
def test_an_empty_cell_beside_several_labels_is_asked_for(empty):
    cells = [["['x', 'y']", "x"], [empty or None, "x"], ["y", "y"], ["x", "y"]]
    table = pl.DataFrame([(n, *row) for n, row in enumerate(cells)], schema=["item", "a", "b"], orient="row")
    options = {"annotator_columns": ["a", "b"]}
    with pytest.raises(DataError, match="among others with several labels") as error:
        adjudge.agreement(table, **options)
    assert f"label:{empty}=none" in error.value.fix
    assert f"label:{empty}=" in error.value.fix.replace("=none", "")
    none = adjudge.agreement(table, **options, map_values={"label": {empty: "none"}})
    missing = adjudge.agreement(table, **options, map_values={"label": {empty: ""}})
    counts = [one.estimate("items", table="agreement", over="items").value for one in (none, missing)]
    assert counts == [4, 3]


def test_empty_lists_in_several_columns_are_mapped_in_each(written):
    rows = [{"item": n, "gold": gold, "ann": ann} for n, (gold, ann) in enumerate([([], []), (["x", "y"], ["y", "x"])])]
    options = {"annotator_columns": "ann", "columns": {"reference": "gold"}}
    for data in (written(rows, "a.json"), pl.DataFrame(rows)):
        with pytest.raises(DataError, match=r"'label:\[\]=none,reference:\[\]=none'"):
            adjudge.reliability(data, **options)
        report = adjudge.reliability(data, **options, map_values={"label": {"[]": "none"}, "reference": {"[]": "none"}})
        assert report.estimate("reliability", table="overall").value == 1


def test_tags_of_spans_are_no_labels_of_items():
    assert any("adjudge violations" in one for one in agreement("B-PER I-PER O", "B-PER O O").warnings)


def test_counts_of_annotators_per_label():
    report = adjudge.agreement(FILES / "counts.csv")
    assert report.estimate("fleiss_kappa", table="agreement", over="items").value == pytest.approx(0.643979057591623)
    assert any("counts of 4 annotators per label" in one for one in report.warnings)
    assert not {"annotators", "pairs", "informedness"} & report.tables.keys()


def test_which_tables_count_annotators():
    counts = {"item": ["p", "q", "r"], "yes": [3, 2, 0], "no": [0, 1, 3]}
    total = adjudge.agreement(pl.DataFrame(counts | {"total": [3, 3, 3], "text": ["t", "u", "v"]}))
    assert total.counts["annotators"] == 3
    for wrong in ({"no": [0, 1, 4]}, {"yes": [40, 2, 3], "no": [60, 98, 97]}, {"yes": ["3", "2", "x"]}):
        with pytest.raises(DataError, match="missing columns annotator, label"):
            adjudge.agreement(pl.DataFrame(counts | wrong, strict=False))


def test_annotators_in_rows():
    given = {"item_columns": ["u*"], "columns": {"annotator": "coder"}}
    report = adjudge.agreement(FILES / "annotators_in_rows.csv", **given)
    assert alpha(report) == pytest.approx(0.6347438752783965)
    trusted = pl.DataFrame({"rater": ["gold", "ana"], "q1": ["x", "x"], "q2": ["y", "x"], "q3": ["x", None]})
    against = adjudge.reliability(trusted, reference=["gold"], item_columns=["q*"], columns={"annotator": "rater"})
    assert against.estimate("reliability", table="annotators", annotator="ana").value == 0.5
    with pytest.raises(DataError, match="missing columns item, annotator, label"):  # whose answers, and an age
        adjudge.agreement(trusted.with_columns(age=pl.Series([31, 44])))


@pytest.mark.parametrize("ending", ["csv", "prodigy"])
def test_a_file_for_each_annotator(ending, tmp_path):
    paths = []
    for name in ("ana", "ben"):
        path = tmp_path / f"{name}.{ending.replace('prodigy', 'jsonl')}"
        path.write_bytes((FILES / f"{name}.csv").read_bytes())
        if ending == "prodigy":
            given = pl.read_csv(path, infer_schema=False).iter_rows()
            line = {"answer": "accept"}
            rows = [{**line, "text": f"t{n}", "_input_hash": int(n), "accept": [label]} for n, label in given]
            path.write_text("\n".join(map(json.dumps, rows)))
        paths.append(path)
    report = adjudge.agreement(paths)
    assert report.estimate("cohen_kappa", annotator="ana", other="ben").value == pytest.approx(0.7225725094577553)
    assert values(report, "labels").keys() == {"ana", "ben"}
    assert any("each file counts as one annotator's: ana, ben" in one for one in report.warnings)
    if ending == "csv":
        assert values(adjudge.reliability(paths, constant={"reference": "x"}), "reliability").keys() == {"ana", "ben"}


def test_a_label_that_is_searched_is_spelt_as_the_option_spells_it():
    table = pl.DataFrame({"item": range(3), "annotator": "m", "label": ["Y", "Y", "no"], "reference": ["y", "N", "N"]})
    report = adjudge.reliability(table, positive="yes")
    assert report.estimate("precision", table="annotators", annotator="m").value == 0.5


def test_words_for_a_side_are_one_label_where_all_are_for_sides_and_ties():
    truth = ["Response A", "b", "Both good", "BOTH BAD", "Response B", "A"]
    table = pl.DataFrame(
        {"item": range(6), "truth": truth, "judge": ["A", "B", "both_good", "both_bad", "A", "a wins"]}
    )
    options = {"columns": {"reference": "truth"}, "annotator_columns": ["judge"]}
    read = adjudge.reliability(table, **options)
    assert read.estimate("reliability", annotator="judge").value == pytest.approx(5 / 6)
    assert any('"Response A" (1)' in warning for warning in read.warnings)
    apart = adjudge.reliability(table.with_columns(truth=pl.lit("Response C")), **options)
    assert not any("count as one" in warning for warning in apart.warnings)
