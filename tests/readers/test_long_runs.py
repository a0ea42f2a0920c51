"""Long runs of one character are read once: a pattern that tried each of their places anew would take hours here."""

import json

import pytest

import adjudge
from adjudge.readers.inputs import sources
from adjudge.readers.preferences import preferences
from adjudge.readers.preferences.score_tables import read_scores
from adjudge.readers.spans.violations import SpanReading, read_truth
from made_pairs import comparison, document

MANY = 1_000_000


def test_responses_of_spaces_are_read_and_counted(written):
    path = written(document(comparison("1", {"ann": "a", "ben": "b"}, a=" " * MANY, b="x")))
    report = adjudge.annotations(path, reference="ann", style=True)
    (longer,) = report["agreement"].filter(annotator="style:longer", metric="relevance")["n"].to_list()
    assert longer == 1


@pytest.mark.parametrize("cell", ["4" * MANY + "x", "4" + " " * MANY + "x"])
def test_cells_of_scores_that_are_long_and_no_numbers_are_told(written, cell):
    path = written(
        json.dumps([{"system": "one", "safety accuracy": "0.5"}, {"system": "two", "safety accuracy": cell}])
    )
    with pytest.raises(adjudge.DataError, match="row 2, column value: expected a number"):
        read_scores(sources([path], None, "rank"), {})


def test_arrows_stand_behind_long_spaces(written):
    wide = [{"system": "one", f"WER{' ' * MANY}↓ ↑": "0.5", f"MAE{' ' * MANY}x": "1"}]
    assert read_scores(sources([written(wide)], None, "rank"), {}).frame["metric"][0].endswith(" ↓")


def test_names_of_systems_that_begin_links_are_names(written):
    rows = [{"system": "[" * MANY, "WER": "0.5"}, {"system": "[](" * (MANY // 3), "WER": "1"}]
    names = read_scores(sources([written(rows)], None, "rank"), {}).frame["system"].to_list()
    assert names == [row["system"] for row in rows]


def test_comments_of_conll_may_end_in_spaces(written):
    path = written(f"a B-x\n\n# id{' ' * MANY}\nb O\n", "x.conll")
    assert read_truth(sources(path, None, "violations")[0], SpanReading()).texts["id"].to_list() == ["1", "2"]


def test_ids_of_predictions_may_hold_long_spaces(tmp_path):
    gold, spaced = tmp_path / "gold.tsv", "1" + " " * MANY + "2"
    gold.write_text("id\tsafety_preference\n1\tA\n2\tB\n")
    task = preferences.Task(criteria=("safety",))
    known = preferences.read_gold(sources(gold)[0], preferences.PreferenceReading(task))
    (tmp_path / "run.tsv").write_text(f"id\tsafety_preference\n1\tA\n{spaced}\tA\n")
    found = preferences.find_problems(sources(tmp_path / "run.tsv")[0], preferences.PreferenceReading(task), known)
    assert found.findings.messages[0].endswith("expected an id of " + known.name + f'; got "{spaced[:60]}"')


def test_marks_of_mqm_that_are_not_closed_mark_nothing(written):
    header = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    targets = ["<v>" * (MANY // 10), "ab <v>cd<v>ef</v> <v>g</v></v>h"]
    rows = "".join(f"s\td\t{n}\tr\tx\t{target}\tAccuracy\tMajor\n" for n, target in enumerate(targets))
    (source,) = sources(written(header + rows, "a.tsv"), None, "violations")
    found = read_truth(source, SpanReading())
    assert found.texts["text"].to_list() == ["", "ab cdef gh"]
    assert found.spans.select("start", "end").rows() == [(3, 7), (8, 9)]
