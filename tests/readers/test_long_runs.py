"""Long runs of one character are read once: a pattern that tried each of their places anew would take hours here."""

import json

import pytest

import adjudge
from adjudge.readers.inputs import sources
from adjudge.readers.preferences.score_tables import read_scores
from adjudge.readers.spans.violations import SpanReading, read_truth

MANY = 1_000_000


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


def test_comments_of_conll_may_end_in_spaces(written):
    path = written(f"a B-x\n\n# id{' ' * MANY}\nb O\n", "x.conll")
    assert read_truth(sources(path, None, "violations")[0], SpanReading()).texts["id"].to_list() == ["1", "2"]


def test_marks_of_mqm_that_are_not_closed_mark_nothing(written):
    header = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    targets = ["<v>" * (MANY // 10), "ab <v>cd<v>ef</v> <v>g</v></v>h"]
    rows = "".join(f"s\td\t{n}\tr\tx\t{target}\tAccuracy\tMajor\n" for n, target in enumerate(targets))
    (source,) = sources(written(header + rows, "a.tsv"), None, "violations")
    found = read_truth(source, SpanReading())
    assert found.texts["text"].to_list() == ["", "ab cdef gh"]
    assert found.spans.select("start", "end").rows() == [(3, 7), (8, 9)]
