"""Long runs of one character are read once: a pattern that tried each of their places anew would take hours here."""

import json

import pytest

import karat
from karat.formats.score_tables import read_scores
from karat.formats.source import sources
from karat.formats.violations import Options, read_truth
from made_pairs import comparison, document

MANY = 1_000_000


def test_responses_of_spaces_are_read_and_counted(written):
    path = written(document(comparison("1", {"ann": "a", "ben": "b"}, a=" " * MANY, b="x")))
    report = karat.annotations(path, reference="ann", style=True)
    (longer,) = report["agreement"].filter(annotator="style:longer", metric="relevance")["n"].to_list()
    assert longer == 1


@pytest.mark.parametrize("cell", ["4" * MANY + "x", "4" + " " * MANY + "x"])
def test_cells_of_scores_that_are_long_and_no_numbers_are_told(written, cell):
    path = written(
        json.dumps([{"system": "one", "safety accuracy": "0.5"}, {"system": "two", "safety accuracy": cell}])
    )
    with pytest.raises(karat.DataError, match="row 2, column safety accuracy: expected a number"):
        read_scores(sources([path], None, "rank"), {})


def test_arrows_stand_behind_long_spaces(written):
    wide = [{"system": "one", f"WER{' ' * MANY}↓ ↑": "0.5", f"MAE{' ' * MANY}x": "1"}]
    assert read_scores(sources([written(wide)], None, "rank"), {}).low == ("WER",)


def test_marks_of_mqm_that_are_not_closed_mark_nothing(written):
    header = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    targets = ["<v>" * (MANY // 10), "ab <v>cd<v>ef</v> <v>g</v></v>h"]
    rows = "".join(f"s\td\t{n}\tr\tx\t{target}\tAccuracy\tMajor\n" for n, target in enumerate(targets))
    (source,) = sources(written(header + rows, "a.tsv"), None, "violations")
    found = read_truth(source, Options())
    assert found.texts["text"].to_list() == ["", "ab cdef gh"]
    assert found.spans.select("start", "end").rows() == [(3, 7), (8, 9)]
