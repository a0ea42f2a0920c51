"""A submission is repaired where that needs no guess, and all that is done is told."""

import polars as pl
import pytest

import adjudge as library

GOLD = pl.DataFrame({"id": ["007", "q-8", "9", "x1"], "safety_preference": ["A"] * 4})


def fixed(path, gold=GOLD, **options):
    out = path.parent / "fixed.tsv"
    found = library.check_preferences(path, gold=gold, criteria="safety", fix=out, **options)
    return found, out.read_text(encoding="utf-8").splitlines()


def test_spaces_case_and_decimals_are_repaired_and_told(written):
    content = "Safety Preference;ID;note\n both good ;q-8 ;n\na;Q-8x;n\nB;9.0;n\nBOTH_BAD;X1;n\nA;007;n\n"
    found, lines = fixed(written(content, "ours.csv"))
    repaired = ["both_good\tq-8\tn", "A\tQ-8x\tn", "B\t9\tn", "both_bad\tx1\tn", "A\t007\tn"]
    assert lines == ["safety_preference\tid\tnote", *repaired]
    told = "\n".join(found.done)
    assert 'column "Safety Preference" is now called safety_preference' in told
    assert 'column "ID" is now called id' in told
    assert 'column id: 3 cells were repaired: "q-8 " is now "q-8", "9.0" is now "9", "X1" is now "x1"' in told
    assert 'column safety_preference: 3 cells were repaired: " both good " is now "both_good"' in told
    assert "5 rows were read and written, in UTF-8 with tabs between columns" in told
    (left,) = found.left
    assert 'row 2, column id: expected an id of table; got "Q-8x"' in left


def test_what_is_sound_stays_as_it_is(written):
    content = "id\tsafety_preference\n007\tA\nq-8\tB\n9\tboth_good\nx1\tA\n"
    found, lines = fixed(written(content, "ours.tsv"))
    assert (found.rows, found.left) == (4, ())
    assert found.done == ("4 rows were read and written, in UTF-8 with tabs between columns",)
    assert "\n".join(lines) + "\n" == content


def test_leading_zeros_double_ids_and_other_labels_are_left_and_told(written):
    found, lines = fixed(written("id\tsafety_preference\n7\tA\nq-8\tA\nQ-8\tB\nx1\tbetter\n", "ours.tsv"))
    assert lines[1:] == ["7\tA", "q-8\tA", "Q-8\tB", "x1\tbetter"]
    left = "\n".join(found.left)
    for said in ("leading zeros", 'got "Q-8"', 'got "better"', 'absent: "9"'):
        assert said in left


def test_ids_that_mean_the_same_are_not_made_one_and_those_that_may_mean_two_are_left(written):
    _, lines = fixed(written("id\tsafety_preference\nX1\tA\n x1\tB\n", "ours.tsv"))
    assert lines[1:] == ["X1\tA", " x1\tB"]
    gold = pl.DataFrame({"id": ["a", "A "], "safety_preference": ["A", "A"]})
    _, lines = fixed(written("id\tsafety_preference\nA\tA\n", "ours.tsv"), gold)
    assert lines[1:] == ["A\tA"]


def test_other_encodings_are_written_as_utf_8(written):
    content = "id\tsafety_preference\tsafety_explanation\n007\tA\tschöner\nq-8\tA\tx\n9\tA\tx\nx1\tA\tx\n"
    found, lines = fixed(written(content.encode("cp1252"), "ours.tsv"), explanations=True)
    assert lines[1] == "007\tA\tschöner"
    assert any("cp1252" in said for said in found.done)
    assert found.left == ()


def test_the_command_line_says_what_was_done_and_ends_with_status_1_where_something_is_left(adjudge, written):
    GOLD.write_ndjson(gold := written("", "gold.jsonl"))
    path = written("id,safety_preference\n007,a\nq-8,B\n9,A\nx1,A\n", "ours.csv")
    call = ["preferences", "check", path, "--gold", gold, "--criteria", "safety"]
    status, out, _ = adjudge(*call, "--fix", path.parent / "fixed.tsv")
    assert (status, "nothing is wrong" in out) == (0, True)
    assert 'column safety_preference: 1 cell was repaired: "a" is now "A"' in out
    written("id,safety_preference\n007,a\n", "ours.csv")
    status, out, err = adjudge(*call, "--fix", path.parent / "fixed.tsv")
    assert (status, "absent" in err, "repaired" in out) == (1, True, True)


def test_an_unknown_label_is_told_beside_columns_that_are_missing(written):
    """Of four ids one has a label that is none, one is empty, one is absent, and two criteria have no column."""
    path = written("id\tsafety_preference\n007\tA\nq-8\tworse\n9\t\n", "ours.tsv")
    options = {"criteria": ["safety", "tone", "style"]}
    with pytest.raises(library.DataError) as refused:
        library.check_preferences(path, gold=GOLD, **options)
    assert str(refused.value).splitlines() == [
        f'{path}, row 2, column safety_preference: expected one of A, B, both_good, both_bad; got "worse"',
        f"{path}: missing columns tone_preference, style_preference",
        f'{path}: expected every id of table; absent: "x1"',
        f"{path}, column safety_preference: expected a label in every row; empty in row 3",
    ]
    found = library.check_preferences(path, gold=GOLD, **options, fix=path.parent / "fixed.tsv")
    told = [[one.partition(": ")[2] for one in texts] for texts in (found.left, str(refused.value).splitlines())]
    assert told[0] == told[1]
