"""Gold, predictions and verdicts: what is read, and what is refused with which words."""

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.preferences.preferences import PreferenceReading, read_gold, read_predictions
from adjudge.schemas.preferences import Task

TASK = Task(("safety",))
OPTIONS = PreferenceReading(exact_labels=True, task=TASK, explanations=True)
LABELS = {"safety_preference": ["A", "B", "both_good"], "safety_explanation": ["x", "y", "z"]}
GOLD = pl.DataFrame({"id": ["1", "2", "10"], "instruction": ["a", "b", "c"], **LABELS})
HEADER = "id\tsafety_preference\tsafety_explanation\n"


def gold(table=GOLD, task=TASK, **options):
    return read_gold(sources(table)[0], PreferenceReading(task=task, **options))


def read(path, options=OPTIONS):
    return read_predictions(sources(path)[0], options, gold(), "x").frame


def problems(path, options=OPTIONS):
    with pytest.raises(DataError) as error:
        read(path, options)
    return str(error.value)


def test_explanations_hold_tabs_quotes_and_lines(written):
    path = written(HEADER + '2\tB\t"says ""no"",\tthen\nstops"\n1\tA\tplain\n', "x.tsv")
    frame = read(path)
    assert frame["safety_explanation"].to_list() == ["plain", 'says "no",\tthen\nstops', None]
    assert frame["safety_preference"].to_list() == [1, 2, 0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1\tA\tx\n2\tB\ty\n2\tA\tz\n", "rows 2, 3: expected each id once; id 2 appears 2 times"),
        ("1\tA\tx\n\tB\ty\n", "row 2, column id: expected an id; got nothing"),
        ("1\ta\tx\n", 'row 1, column safety_preference: expected one of A, B, both_good, both_bad; got "a"'),
        ("1\tbothgood\tx\n", '(did you mean "both_good"?)'),
        ("7\tA\tx\n2\tB\ty\n", 'row 1, column id: expected an id of table; got "7"'),
        ("p7\tA\tx\np8\tB\ty\n", "no id in common with table"),
    ],
)
def test_wrong_rows_are_told(written, rows, message):
    assert message in problems(written(HEADER + rows, "x.tsv"))


def test_dropping_takes_wrong_labels_for_missing_and_leaves_out_other_rows(written):
    path = written(HEADER + "1\twrong\tx\n2\tB\ty\n7\tA\tz\n", "x.tsv")
    found = read_predictions(sources(path)[0], PreferenceReading(task=TASK, drop=True), gold(), "x")
    assert found.frame["safety_preference"].to_list() == [0, 2, 0]
    assert "1 invalid row was dropped, 1 invalid value counts as missing" in found.warnings[0]


def test_the_check_tells_what_scoring_would_count_as_missing(written):
    path = written(HEADER + "1\t\t \n2\tB\ty\n", "x.tsv")
    with pytest.raises(DataError) as error:
        library.check_preferences(path, gold=GOLD, criteria="safety", explanations=True)
    text = str(error.value)
    assert 'absent: "10"' in text
    assert "column safety_preference: expected a label in every row; empty in row 1" in text
    assert "column safety_explanation: expected an explanation in every row; empty in row 1" in text


def test_the_check_needs_no_gold_labels(written):
    path = written(HEADER + "1\tA\tx\n2\tB\ty\n10\tA\tz\n", "x.tsv")
    assert library.check_preferences(path, gold=GOLD.select("id"), criteria="safety", explanations=True).rows == 3


def test_a_submission_is_separated_by_tabs(written):
    path = written("id,safety_preference\n1,A\n2,B\n10,A\n", "x.tsv")
    with pytest.raises(DataError, match="separated by tabs"):
        library.check_preferences(path, gold=GOLD, criteria="safety")
    reading = library.Reading(input_format="csv")
    assert library.check_preferences(path, gold=GOLD, criteria="safety", reading=reading).rows == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "1", "verdict": "maybe"}], 'expected yes, no or null; got "maybe"'),
        ([{"id": "1", "verdict": "yes"}] * 2, "appears 2 times"),
        ([{"verdict": "yes"}], "missing column id"),
    ],
)
def test_wrong_verdicts_are_told(written, rows, message):
    path = written([{"system": "x", "criterion": "safety", **row} for row in rows], "v.json")
    system = pl.DataFrame({"id": ["1"], "safety_preference": ["A"]})
    with pytest.raises(DataError, match=message):
        library.preferences(GOLD, system, system="x", criteria="safety", verdicts=path)


def test_published_figures_that_some_system_lacks_rank_nobody(written):
    rows = [{"system": s, "criterion": c, "metric": "accuracy", "value": v} for s, c, v in
            [("x", "c", 1), ("y", "c", 2), ("x", "d", 9)]]  # fmt: skip
    report = library.rank_preferences(written(rows, "s.json"))
    assert report.estimate("borda", table="ranks", system="x").value == 0
    assert "accuracy of d" in report.warnings[0]


def test_sides_in_other_words_are_labels_and_told(written):
    content = "id,safety_preference\n1,Response A\n2,b wins\n3,Both good\n4,neither\n5,left\n6,tie\n"
    how = PreferenceReading(task=Task(("safety",)), drop=True)
    found = read_gold(sources(written(content, "gold.csv"))[0], how)
    assert found.frame["safety_preference"].to_list() == [1, 2, 3, 4, 1, 0]
    assert any('"Response A" (1), "left" (1) as "A"; "b wins" (1) as "B"' in said for said in found.warnings)
    assert any('got "tie"' in said for said in found.warnings)


# --- a row per item and criterion ---

BOTH = Task(("safety", "fluency"))
LONG = """\
id,criterion,label,explanation,instruction,lang
2,fluency,B,clearer,Say hi,en
1,safety,A,safer,Greet,en
2,safety,both_bad,,Say hi,en
"""
WIDE = """\
id,instruction,lang,safety_preference,safety_explanation,fluency_preference,fluency_explanation
2,Say hi,en,both_bad,,B,clearer
1,Greet,en,A,safer,,
"""


def test_a_long_table_reads_as_its_wide_one(written):
    long, wide = (gold(written(content, "gold.csv"), BOTH, by=["lang"]) for content in (LONG, WIDE))
    assert long.frame.equals(wide.frame)
    assert long.warnings == wide.warnings


def test_the_columns_of_a_long_table_can_be_called_otherwise(written):
    path = written(LONG.replace("criterion,label", "aspect,better"), "gold.csv")
    found = gold(path, BOTH, columns={"criterion": "aspect", "label": "better"})
    assert found.frame["safety_preference"].to_list() == [4, 1]


def test_gold_and_predictions_may_both_be_long(written):
    table, other = (written(LONG, f"{name}.csv") for name in ("gold", "same"))
    report = library.preferences(table, other, system="same", criteria=["safety", "fluency"], explanations=True)
    assert report.estimate("accuracy", table="scores", system="same", criterion="safety").value == 1.0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LONG + "1,style,A,,Greet,en\n", 'row 4, column criterion: expected one of safety, fluency (or other criteria, named with --criteria); got "style"'),
        (LONG + "1,safety,B,,Greet,en\n", "rows 2, 4: expected one label of each id and criterion; id 1, criterion safety appears 2 times"),
        (LONG + "1,fluency,B,,Other,en\n", 'column instruction: expected one value in all rows of the id; got "Greet"'),
        ("id,criterion\n1,safety\n", "missing columns safety_preference"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_long_table_is_said(written, content, expected):
    with pytest.raises(DataError) as error:
        gold(written(content, "gold.csv"), BOTH)
    assert expected in str(error.value)


def test_explanations_that_are_scored_must_be_there(written):
    table = written("id,criterion,label\n1,safety,A\n", "gold.csv")
    other = written("id,criterion,label\n1,safety,B\n", "system.csv")
    with pytest.raises(DataError, match="missing column explanation"):
        library.preferences(table, other, criteria="safety", explanations=True)


# --- repairs of submissions ---

KNOWN = pl.DataFrame({"id": ["007", "q-8", "9", "x1"], "safety_preference": ["A"] * 4})


def fixed(path, gold=KNOWN, **options):
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
    (left,) = found.left
    assert 'row 2, column id: expected an id of table; got "Q-8x"' in left


def test_what_is_sound_stays_as_it_is(written):
    content = "id\tsafety_preference\n007\tA\nq-8\tB\n9\tboth_good\nx1\tA\n"
    found, lines = fixed(written(content, "ours.tsv"))
    assert (found.rows, found.left, found.done) == (4, (), ())
    assert "\n".join(lines) + "\n" == content


def test_leading_zeros_double_ids_and_other_labels_are_left_and_told(written):
    found, lines = fixed(written("id\tsafety_preference\n7\tA\nq-8\tA\nQ-8\tB\nx1\tbetter\n", "ours.tsv"))
    assert lines[1:] == ["7\tA", "q-8\tA", "Q-8\tB", "x1\tbetter"]
    left = "\n".join(found.left)
    for said in ('got "7"', 'got "better"', 'absent: "007", "9"'):
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
    KNOWN.write_ndjson(gold := written("", "gold.jsonl"))
    path = written("id,safety_preference\n007,a\nq-8,B\n9,A\nx1,A\n", "ours.csv")
    call = ["preferences", "check", path, "--gold", gold, "--criteria", "safety"]
    status, out, _ = adjudge(*call, "--fix", path.parent / "fixed.tsv")
    assert (status, "no problems found" in out) == (0, True)
    assert 'column safety_preference: 1 cell was repaired: "a" is now "A"' in out
    written("id,safety_preference\n007,a\n", "ours.csv")
    status, out, err = adjudge(*call, "--fix", path.parent / "fixed.tsv")
    assert (status, "absent" in err, "repaired" in out) == (1, True, True)


def test_a_missing_column_is_told_before_wrong_labels(written):
    path = written("id\tsafety_preference\n007\tA\nq-8\tworse\n", "ours.tsv")
    with pytest.raises(library.DataError, match="missing columns tone_preference, style_preference"):
        library.check_preferences(path, gold=KNOWN, criteria=["safety", "tone", "style"])
