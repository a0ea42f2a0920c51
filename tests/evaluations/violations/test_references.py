"""Several annotators as references: worked by hand."""

import json

import pytest

import adjudge as library
from adjudge import OptionError
from adjudge.evaluations.violations.metrics import OUTCOMES


def edits(*sentences):
    """An edit file: words, and of each annotator the places of errors, or nothing to correct."""
    lines = []
    for words, *annotators in sentences:
        lines.append(f"S {words}")
        for who, places in enumerate(annotators):
            lines += [f"A {place}|||R|||x|||REQUIRED|||-NONE-|||{who}" for place in places]
            lines += [] if places else [f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{who}"]
        lines.append("")
    return "\n".join(lines)


GOLD = edits(("a b c d", ["0 1", "2 3"], ["2 3"]), ("e f", ["0 1"], []), ("g h", ["0 1"], ["0 1", "1 2"]))
OURS = edits(("a b c d", ["0 1", "2 3"]), ("e f", []), ("g h", ["1 2"]))
OTHER = edits(("a b c d", ["2 3"]), ("e f", ["0 1"]), ("g h", ["0 1"]))


@pytest.fixture
def files(written):
    return written(GOLD, "gold.m2"), written(OURS, "ours.m2")


def test_each_text_counts_with_the_annotator_who_fits_best(files):
    report = library.violations(*files, references="best-of", variant="std")
    # 1: annotator 0 with F1 1, not 1 with 2/3; 2: annotator 1, who marks nothing, as the checker does; 3: annotator 1
    # with F1 2/3, not 0 with 0. So 3 predictions match, of 4 true ones.
    keys = {"checker": "0", "variant": "std", "average": "micro"}
    assert report.estimate("precision", table="scores", **keys).value == 1
    assert report.estimate("recall", table="scores", **keys).value == 0.75
    assert "each text counts with the annotator who fits 0 best: of 2, number 1 in 1, 2 in 2" in report.warnings


def test_each_checker_has_references_of_its_own(files, written):
    gold, ours = files
    # Fits annotator 1 in text 1 (F1 1; annotator 0: 2/3), 0 in text 2 (1; 1: 0) and 0 in text 3 (1; 1: 2/3): 3 of 3.
    other = written(OTHER, "other.m2")
    report = library.violations(
        gold, [ours, other], checker=["ours", "other"], references="best-of", variant="std", examples=3
    )
    counts = {(name, kind): count for name, _, _, kind, count in report["counts"].rows()}
    assert {kind: counts["ours", kind] for kind in OUTCOMES} == dict(zip(OUTCOMES, (3, 0, 1), strict=True))
    assert {kind: counts["other", kind] for kind in OUTCOMES} == dict(zip(OUTCOMES, (3, 0, 0), strict=True))
    assert "each text counts with the annotator who fits ours best: of 2, number 1 in 1, 2 in 2" in report.warnings
    assert "each text counts with the annotator who fits other best: of 2, number 1 in 2, 2 in 1" in report.warnings
    # Alone, each has the same counts.
    alone = library.violations(gold, other, checker="other", references="best-of", variant="std")
    assert alone["counts"].rows() == report["counts"].filter(checker="other").rows()
    keys = {"variant": "std", "average": "micro", "first": "ours", "second": "other"}
    assert report.estimate("recall", table="differences", **keys).value == 0.25
    # What the other one matches is numbered where it is true here too: annotator 1, who counts for `ours`, marks (0, 1).
    shown = report.examples.filter(judge="ours", item="3")
    assert json.loads(shown["others"][0]) == [{"judge": "other", "label": "1 violation", "spans": [[0, 1, 1]]}]


def test_a_chosen_annotator_and_the_best_one_exclude_each_other(files):
    with pytest.raises(OptionError, match="best-of takes all annotators; leave truth_annotator out"):
        library.violations(*files, references="best-of", truth_annotator="0")


def test_references_looked_at_the_same_texts(written):
    lines = "id,text,start,end,annotator\n1,tea,0,1,a\n2,tea,0,1,b\n"
    path = written(lines, "gold.csv")
    with pytest.raises(OptionError, match="with the same texts, in one order; a and b"):
        library.violations(path, path, references="best-of")


def test_what_is_odd_in_the_marks_of_one_annotator_of_a_file_stands_under_that_name(tmp_path):
    path = tmp_path / "marked.csv"
    marks = ("ann,0", "ben,0", "cem,0", "cem,0")
    path.write_text("\n".join(["id,text,annotator,start,end,rule", *(f"1,one two,{one},3,r" for one in marks)]) + "\n")
    for files in ([], [path]):
        warnings = library.violations(path, files, truth_annotator="ann").warnings
        assert "cem: 1 repeated mark of the same violation is excluded: each violation counts once" in warnings
        assert not [one for one in warnings if one.startswith("ben")]
