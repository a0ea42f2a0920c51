"""What must not change figures does not: the order of rows, names, files cut in two, columns that nobody asked for; and what
exchanges two sides exchanges their figures."""

import csv
import io
import json
from functools import cache

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
from made import EXAMPLES

FLIPPED = {"A": "B", "B": "A", "1": "2", "2": "1"}
NUMBERS = ("value", "low", "high", "n", "p", "p_adjusted", "count")


def rows_of(text, ending):
    if ending == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if ending == ".tsv" else ","))


def put(rows, path):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    with path.open("w", newline="") as file:
        names = list(dict.fromkeys(name for row in rows for name in row))
        held = csv.DictWriter(file, names, delimiter="\t" if path.suffix == ".tsv" else ",", restval="")
        held.writeheader()
        held.writerows(rows)
    return path


SCORED = {
    "agreement": (adjudge.agreement, ["agreement/ratings.csv"], {"columns": {"label": "rating"}, "ordered": list("12345")}),
    "annotations": (adjudge.annotations, ["annotations/table.csv"], {"columns": {"text_a": "answer_1", "text_b": "answer_2"}, "annotator_columns": ["ana", "ben"], "vote_values": {"text_a": ["1"], "text_b": ["2"], "both": ["0"]}, "reference": "ana"}),
    "preferences": (adjudge.preferences, ["preferences/gold.jsonl", "preferences/careful.tsv"], {}),
    "rag": (adjudge.rag, ["rag/answers.jsonl"], {}),
    "reliability": (adjudge.reliability, ["reliability/labels.csv"], {"columns": {"item": "question", "annotator": "worker", "label": "answer", "reference": "gold"}}),
    "violations": (adjudge.violations, ["violations/truth.jsonl", "violations/careful.jsonl"], {}),
}  # fmt: skip


@cache
def original(name):
    _, paths, _ = SCORED[name]
    return [rows_of((EXAMPLES / path).read_text(), (EXAMPLES / path).suffix) for path in paths]


def tables(name, folder, files, *, several=False, **further):
    """The tables of an evaluation of some files; several: where all are one input."""
    score, paths, options = SCORED[name]
    folder.mkdir(exist_ok=True)
    ends = [path.rpartition("/")[2] for path in paths]
    held = [
        put(rows, folder / (f"{number}{ends[0]}" if several else ends[number])) for number, rows in enumerate(files)
    ]
    return (score(held, **options, **further) if several else score(*held, **options, **further)).tables


@cache
def unchanged(name):
    """The tables of the files as they are."""
    score, paths, options = SCORED[name]
    return score(*(EXAMPLES / path for path in paths), **options).tables


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        keys = [column for column in table.columns if column not in NUMBERS and table[column].dtype == pl.String]
        assert_frame_equal(found[name].sort(keys), table.sort(keys), check_exact=True, check_row_order=True)


@pytest.fixture(params=SCORED)
def name(request):
    return request.param


def test_the_order_of_rows_changes_no_figure(name, tmp_path):
    files = original(name)
    turned = [rows[::2][::-1] + rows[1::2] for rows in files]
    same(tables(name, tmp_path / "a", turned), unchanged(name))


def test_a_column_that_nobody_asked_for_changes_no_figure(name, tmp_path):
    files = original(name)
    wider = [[{"remark": f"note {number}", **row} for number, row in enumerate(rows)] for rows in files]
    same(tables(name, tmp_path / "a", wider), unchanged(name))


@pytest.mark.parametrize("name", ["agreement", "rag", "reliability"])
def test_a_file_cut_in_two_gives_the_figures_of_the_whole(name, tmp_path):
    (rows,) = original(name)
    same(tables(name, tmp_path / "a", [rows[::2], rows[1::2]], several=True), unchanged(name))


def test_exchanged_sides_of_pairs_change_no_agreement(tmp_path):
    (rows,) = original("annotations")
    sides = [{"answer_1": row["answer_2"], "answer_2": row["answer_1"]} for row in rows]
    votes = [{who: FLIPPED.get(row[who], row[who]) for who in ("ana", "ben")} for row in rows]
    turned = [row | side | vote for row, side, vote in zip(rows, sides, votes, strict=True)]
    found, expected = tables("annotations", tmp_path / "a", [turned]), unchanged("annotations")
    same({"agreement": found["agreement"]}, {"agreement": expected["agreement"]})


def test_exchanged_responses_change_no_figure_of_preferences(tmp_path):
    def turned(row):
        held = {
            name: FLIPPED.get(value, value) if name.endswith("_preference") else value for name, value in row.items()
        }
        if "output_a" in row:
            held |= {"output_a": row["output_b"], "output_b": row["output_a"]}
        return held

    files = original("preferences")
    found = tables("preferences", tmp_path / "a", [[turned(row) for row in rows] for rows in files])
    expected = unchanged("preferences")
    of_system = [one["scores"].filter(system="careful") for one in (found, expected)]
    assert of_system[1].height == 30  # five figures of five criteria, and of their average
    same(*({"scores": one} for one in of_system))


def test_truth_and_predictions_exchanged_exchange_precision_and_recall(tmp_path):
    truth, predicted = original("violations")
    texts = {row["id"]: row["text"] for row in truth}
    found = tables("violations", tmp_path / "a", [[{**row, "text": texts[row["id"]]} for row in predicted], truth])
    expected = unchanged("violations")
    either, keys = pl.col("metric").is_in(["precision", "recall"]), ["variant", "average", "metric"]
    exchanged = pl.col("metric").replace({"precision": "recall", "recall": "precision"})
    wanted = expected["scores"].filter(either).with_columns(exchanged)
    got = found["scores"].filter(either)
    assert wanted.height == 8
    assert_frame_equal(got.select(*keys, "value").sort(keys), wanted.select(*keys, "value").sort(keys))
