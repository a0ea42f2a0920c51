"""`adjudge convert` turns judgments and preferences of any format into flat tables."""

import json
from itertools import cycle

import pytest

import adjudge as library
from adjudge.readers.inputs import sources
from adjudge.readers.tables import scan
from made import item
from made_samples import SAMPLES

ENDINGS = ("csv", "tsv", "jsonl", "parquet")
FIRST = {one.format: one for one in reversed(SAMPLES) if one.evaluation == "reliability"}
"""Format -> its first sample; what its other shapes hold is tested with their readers."""
JUDGED = list(zip(reversed(FIRST.values()), cycle(ENDINGS)))

AMBIGUOUS = ("label-studio", "argilla", "prodigy", "kili")
"""Formats of tools whose exports may hold labels, comparisons and spans."""


def rows(path):
    """What a converted file holds, without what is missing."""
    (source,) = sources(path)
    return [{name: one for name, one in row.items() if one is not None} for row in scan(source).collect().to_dicts()]


# --- judgments ---


@pytest.mark.parametrize(("sample", "ending"), JUDGED, ids=str)
def test_judgments_of_every_format_give_the_same_figures(tmp_path, sample, ending):
    path, out = sample.put(tmp_path), tmp_path / f"out.{ending}"
    reading = {
        name: sample.options[name] for name in ("columns", "constant", "annotator_columns") if name in sample.options
    }
    library.convert(path, out, **reading, evaluation="reliability" if sample.format in AMBIGUOUS else None)
    by = {name: held for name, held in sample.options.items() if name == "by"}
    trusted = {} if any("reference" in row for row in rows(out)) else {"reference": sample.options["reference"]}
    first = {**sample.options, "reference": trusted.get("reference", ())}
    before, after = library.reliability(path, **first), library.reliability(out, **trusted, **by)
    for name, table in before.tables.items():
        assert after.tables[name].equals(table), name


def test_the_summary_counts_what_was_left_out(adjudge, tmp_path, written):
    source = written("item,annotator,label\n1,ana,a\n2,ana,\n3,ana,b\n", "1.csv")
    status, printed, said = adjudge("convert", source, tmp_path / "o.csv", "--on-invalid", "drop")
    assert (status, printed) == (0, f"3 judgments read, 2 written to {tmp_path / 'o.csv'}, 1 left out\n")
    assert "1 invalid row was dropped" in said


def test_several_who_are_trusted_on_an_item_become_rows_to_be_named(tmp_path, written):
    judged = [{"id": "1", **item("a", ana="a"), "QC": {one: {"item_flag": "No", "best": "a"} for one in ("x", "y")}}]
    found = library.convert(written(judged), tmp_path / "o.jsonl")
    assert [row["annotator"] for row in rows(tmp_path / "o.jsonl")] == ["ana", "x", "y"]
    assert "read what is written with --reference x --reference y" in found.warnings[-1]
    score = library.reliability(tmp_path / "o.jsonl", reference=["x", "y"])
    assert score.tables["annotators"].equals(library.reliability(written(judged)).tables["annotators"])


# --- preferences ---

GOLD = {"id": "1", "instruction": "Hi", "output_a": "Ho", "output_b": "Hello", "safety_preference": "A", "week": "w"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_preferences_give_the_same_figures_in_every_format(tmp_path, written, ending):
    labels = zip(["A", "B", "both_bad", None], ["why", None, "so", None], "wwvv", strict=True)
    table = [
        {**GOLD, "id": str(n), "safety_preference": label, "safety_explanation": why, "week": week}
        for n, (label, why, week) in enumerate(labels)
    ]
    wrong = [{"id": row["id"], "safety_preference": "A", "safety_explanation": "x"} for row in table]
    wrong[0]["safety_outcome"] = "answered"
    gold, predicted = written(json.dumps(table), "gold.json"), written(json.dumps(wrong), "predicted.json")
    for path in (gold, predicted):
        library.convert(path, tmp_path / f"{path.stem}-made.{ending}")
    options = {"criteria": "safety", "by": "week", "explanations": True, "system": "s"}
    before = library.preferences(gold, predicted, **options)
    after = library.preferences(*(tmp_path / f"{name}-made.{ending}" for name in ("gold", "predicted")), **options)
    for name, made in before.tables.items():
        assert after.tables[name].equals(made), name


def test_a_table_that_does_not_show_what_it_holds_is_refused_with_what_to_say(adjudge, tmp_path, written):
    source = written("a,b\n1,2\n", "x.csv")
    status, _, said = adjudge("convert", source, tmp_path / "o.csv")
    assert status == 2
    assert f"--evaluation: nothing shows what {source} holds; its columns are a, b\n  fix:   --evaluation " in said


def test_an_export_that_may_hold_several_kinds_of_data_is_refused_with_what_to_say(adjudge, tmp_path):
    path = FIRST["label-studio"].put(tmp_path)
    status, _, said = adjudge("convert", path, tmp_path / "o.csv")
    assert status == 2
    assert "may hold data for several: violations, reliability\n  fix:   --evaluation violations" in said
