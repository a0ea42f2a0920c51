"""Several annotators as references: worked by hand."""

import pytest

import karat as library
from karat import OptionError

GOLD = """S a b c d
A 0 1|||R|||x|||REQUIRED|||-NONE-|||0
A 2 3|||R|||x|||REQUIRED|||-NONE-|||0
A 2 3|||R|||x|||REQUIRED|||-NONE-|||1

S e f
A 0 1|||R|||x|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S g h
A 0 1|||R|||x|||REQUIRED|||-NONE-|||0
A 0 1|||R|||x|||REQUIRED|||-NONE-|||1
A 1 2|||R|||x|||REQUIRED|||-NONE-|||1
"""
OURS = """S a b c d
A 0 1|||R|||x|||REQUIRED|||-NONE-|||0
A 2 3|||R|||x|||REQUIRED|||-NONE-|||0

S e f

S g h
A 1 2|||R|||x|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def files(written):
    return written(GOLD, "gold.m2"), written(OURS, "ours.m2")


def test_each_text_counts_with_the_annotator_who_fits_best(files):
    report = library.violations(*files, references="best-of", variant="std")
    # 1: annotator 0 with F1 1, not 1 with 2/3; 2: annotator 1, who marks nothing, as the checker does; 3: annotator 1
    # with F1 2/3, not 0 with 0. So 3 predictions match, of 4 true ones.
    keys = {"checker": "0", "variant": "std", "average": "micro"}
    assert report.estimate("scores", "precision", keys).value == 1
    assert report.estimate("scores", "recall", keys).value == 0.75
    assert "each text counts with the annotator who fits 0 best: of 2, number 1 in 1, 2 in 2" in report.warnings


def test_the_references_of_one_checker_are_no_others(files, written):
    other = written(OURS.replace("NONE-|||0", "NONE-|||7"), "other.m2")
    with pytest.raises(OptionError, match="references: best-of settles each text for one checker; got 2"):
        library.violations(files[0], [files[1], other], references="best-of")


def test_a_chosen_annotator_and_the_best_one_exclude_each_other(files):
    with pytest.raises(OptionError, match="best-of takes all annotators; leave out truth_annotator"):
        library.violations(*files, references="best-of", truth_annotator="0")


def test_references_looked_at_the_same_texts(written):
    lines = "id,text,start,end,annotator\n1,tea,0,1,a\n2,tea,0,1,b\n"
    path = written(lines, "gold.csv")
    with pytest.raises(
        OptionError, match="expected annotators who all looked at the same texts, in one order; a and b"
    ):
        library.violations(path, path, references="best-of")
