"""Adjudge's own lines and tables of spans: what is read, and what is refused with which words."""

import polars as pl
import pytest

import adjudge
from adjudge.errors import DataError, OptionError
from adjudge.schemas.violations import PLACE, SPANS
from made import EXAMPLES
from made_marks import lines
from made_violations import predicted, refusal, truth

TEXT = "Cures headache in one minute."
#       0123456789012345678901234567 8
EMOJI = "\U0001f600 e\u0301 שלום ok"


def line(*violations, id_="t1", text=TEXT, **more):
    return {"id": id_, "text": text, "violations": list(violations), **more}


def spans(marked, *columns):
    return marked.spans.select(columns or (PLACE, "start", "end")).rows()


@pytest.fixture
def own(written):
    """Writes lines of Adjudge's own format and reads them as truth."""

    def read(*records, **options):
        return truth(written(lines(*records), "own.jsonl"), **options)

    return read


@pytest.fixture
def refused(written):
    """What is said of lines of Adjudge's own format, without the path."""

    def read(*records, kind=DataError, **options):
        path = written(lines(*records), "own.jsonl")
        return refusal(truth, path, kind=kind, **options).replace(str(path), "own")

    return read


def test_every_part_of_a_violation_is_read(own):
    whole = {"category": "law", "explanation": "why", "correction": "x", "severity": 2}
    half = {"start": "0", "end": "5", "rule": 7, "category": "", "explanation": None}
    found = own(line({"start": 6, "end": 14, "rule": "no", **whole}, half), line(id_=2, text="fine"))
    assert found.texts.rows() == [("t1", TEXT), ("2", "fine")]
    assert spans(found, *SPANS) == [
        (0, 0, 5, "7", None, None, None, None, None),
        (0, 6, 14, "no", "law", "why", "x", None, "2"),
    ]
    assert found.spans.schema == pl.Schema(SPANS)
    assert (found.rows, found.warnings) == (2, ())


def test_offsets_are_code_points(own):
    whole = {"start": 0, "end": len(EMOJI)}
    found = own(line(whole, {"start": 2, "end": 4, "context": "e\u0301"}, {"context": "שלום"}, text=EMOJI))
    assert spans(found) == [(0, 0, 12), (0, 2, 4), (0, 5, 9)]


@pytest.mark.parametrize(
    ("violation", "message"),
    [
        ({"start": 5, "end": 3}, "end: expected at least 5 (the start); got 3"),
        ({"start": -1, "end": 3}, "start: expected 0 or more; got -1"),
        ({"start": 0, "end": 30}, "end: expected at most 29 (the end of the text); got 30"),
        ({"start": 1e300, "end": 3}, 'start: expected a whole number; got "10000'),
        ({"context": "Cures", "position": "x"}, 'position: expected a whole number; got "x"'),
        *((one, "start: expected start and end, or context") for one in ({"start": 3}, {"end": 3}, {"rule": "x"})),
        ({"context": "heartache"}, 'context: expected a passage of the text; got "heartache"'),
        ({"start": 0, "end": 5, "context": "cures"}, 'expected the text from 0 to 5, "Cures"; got "cures"'),
        ({"start": [], "end": 3}, "start: expected text or a number; got an empty list"),
        ({"start": 0, "end": 3, "rule": {"a": 1}}, "rule: expected text or a number; got an object"),
    ],
)
def test_invalid_violations_are_told_and_can_be_dropped(own, refused, violation, message):
    records = [line({"start": 0, "end": 5}, violation)]
    text = refused(*records)
    assert text.startswith("own, line 1, violation 2, ")
    assert message in text
    found = own(*records, drop=True)
    assert spans(found) == [(0, 0, 5)]
    assert found.warnings[0].startswith("1 invalid violation was dropped, such as: ")
    assert message in found.warnings[0]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([1], ": expected an object; got a list"),
        ({"id": "x", "text": ""}, ", violations: expected a list (empty where there are none); got nothing"),
        (line(id_={}), ", id: expected text or a number; got an empty object"),
        (line(text=[1]), ", text: expected text or a number; got a list"),
    ],
)
def test_invalid_lines_are_told_and_can_be_dropped(own, refused, record, message):
    assert refused(line(), record).startswith(f"own, line 2{message}\n")
    found = own(line(), record, drop=True)
    assert found.texts.rows() == [("t1", TEXT)]
    assert found.warnings[0].startswith("1 invalid line was dropped, such as: ")


def test_ids_must_be_there_and_stand_once(own, refused):
    records = [line(id_=None), line(), line(id_="t2"), line(), line(id_="")]
    text = refused(*records)
    assert "own, line 1, column id: expected one in every line; got nothing (and 1 more of this kind)" in text
    assert "own, lines 2, 4: expected each id once; id t1 appears 2 times" in text
    found = own(*records, drop=True)
    assert found.texts["id"].to_list() == ["t2"]
    assert found.warnings[0].startswith("4 invalid lines were dropped")


def test_keys_that_mean_nothing_are_counted_with_the_nearest(own):
    marks = [{"start": 0, "end": 1, "explaination": "lost", "zz": 1}, {"start": 0, "end": 2, "zz": 1}]
    nearest = '"zz" in 2, "explaination" (did you mean "explanation"?) in 1'
    (warning,) = own(line(*marks), line(id_=2)).warnings
    assert warning.endswith(f"are ignored: {nearest}")


def test_quotes_stand_for_offsets(own):
    found = own(
        line({"context": "“B’s”  x"}, text='a "B\'s" x'),
        line({"context": "a"}, {"context": "a", "position": 3, "rule": "near"}, id_="t2", text="a a a"),
    )
    assert spans(found, PLACE, "start", "end", "rule") == [(0, 2, 9, None), (1, 0, 1, None), (1, 2, 3, "near")]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(
        "quotes in several places of the text count at the nearest to position, else at the first: 2, "
    )
    assert found.warnings[0].endswith('line 2, violation 1, context: "a"')


def test_offsets_may_count_from_one(own):
    found = own(line({"start": 1, "end": 6, "context": "Cures"}, {"context": "e", "position": 5}), offset_base=1)
    assert spans(found) == [(0, 0, 5), (0, 3, 4)]


def test_texts_may_be_unknown(own):
    found = own({"id": "a", "violations": [{"start": 3, "end": 900}]}, line())
    assert spans(found) == [(0, 3, 900)]
    assert found.warnings == ("offsets are not checked where the text is not known: 1 of 2 ids",)


def test_a_swapped_truth_and_predictions_are_an_error():
    """Predictions need no texts, and the truth has them; both may."""
    marked, found = (EXAMPLES / "violations" / name for name in ("truth.jsonl", "careful.jsonl"))
    with pytest.raises(
        DataError, match=r"truth\.jsonl: expected predictions; .*swapped\?\)\nfix:   .*truth\.jsonl before"
    ):
        adjudge.violations(found, marked)
    adjudge.violations(marked, found, checker="x")


BARE, HALF = {"id": None, "text": "", "violations": []}, {"id": "a", "violations": 3}
NONE_LEFT = "own: expected at least one text; no line is left, such as own, "


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ('{"id": "a", "text": "abc", "violations": [{"start": 0, "start": 1, "end": 2}, 3]}\n', {}, "own, line 1: expected each name once; start appears twice"),
        (lines(line()) + '{"id": "t2", \n', {"drop": True}, "own, line 2, column"),
        (lines(line(*[{"start": 5, "end": 3}] * 25)), {}, "line 1, violation 1, end: expected at least 5 (the start); got 3 (and 24 more of this kind)"),
        (lines(line({"start": 1, "end": 31})), {"offset_base": 1}, "end: expected at most 30 (the end of the text); got 31"),
        (lines({"id": "a", "violations": [{"context": "x"}]}), {}, "violation 1, context: expected start and end, since the text of a is not known\n"),
        (lines(line()), {"columns": {"text": "txt"}}, 'columns: no column "txt" in own\nfound: id, text, violations\nfix:   columns text=text'),
        ('{"text": "Cures.", "label": [[0, 5, "x"]]}', {"columns": {"id": "id"}}, 'columns: no column "id" in own\nfound: text, label'),
        (lines(line(lang="en")), {"further": {"by": "long"}}, 'by: no column "long" in own\nfound: id, text, violations, lang\nfix:   by lang'),
        (lines(line()), {"further": {"id": "id"}}, "expected another column than id"),
        (lines(BARE), {"drop": True}, f"{NONE_LEFT}line 1, column id: expected one in every line"),
        (lines(HALF, BARE), {"drop": True}, f"{NONE_LEFT}line 1, violations: expected a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_truth_is_told(written, content, options, expected):
    path = written(content, "own.jsonl")
    with pytest.raises((DataError, OptionError)) as caught:
        truth(path, **options)
    assert expected in str(caught.value).replace(str(path), "own")


@pytest.fixture
def gold(own):
    """Three texts, with a violation in the first."""
    return own(line({"start": 0, "end": 5}), line(id_="t2", text="ab"), line(id_="t3", text="abc"))


def test_predictions_refer_to_the_rows_of_the_truth(written, gold):
    content = lines({"id": "t3", "violations": [{"start": 0, "end": 1}]}, line({"context": "Cures"}))
    (found,) = predicted(written(content, "model.v1.jsonl"), gold)
    assert found.name == "model.v1"
    assert found.texts is gold.texts
    assert spans(found) == [(0, 0, 5), (2, 0, 1)]
    (warning,) = found.warnings
    assert warning.startswith("model.v1: lacks 1 of 3 texts, such as t2")


def test_checkers_come_in_order_of_first_appearance(written, gold):
    marks = [("b@1|m", "t1"), ("a", "t1"), ("b@1|m", "t2"), (None, "t3")]
    content = lines(*({"id": id_, "checker": name, "violations": []} for name, id_ in marks))
    path = written(content, "x.jsonl")
    found = predicted(path, gold)
    assert [one.name for one in found] == ["b@1|m", "a", "x"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([line(id_="t22", text="ab")], 'line 1, column id: expected an id of own; got "t22" (did you mean "t2"?)'),
        ([line(text=TEXT.replace("one", "two"))], "text: expected the text that the id has in own; got "),
        ([line(text=TEXT[:-1])], "text: expected the text that the id has in own; got "),
        ([line(), line()], "lines 1, 2: expected each id once; id t1, checker x appears 2 times"),
        ([line({"start": 0, "end": 30})], "end: expected at most 29 (the end of the text); got 30"),
        ([{"id": "t2", "violations": [{"start": 0, "end": 3}]}], "end: expected at most 2 (the end of the text)"),
    ],
)  # fmt: skip
def test_wrong_predictions_are_told_and_can_be_dropped(written, gold, records, message):
    path = written(lines(*records, {"id": "t3", "violations": [{"start": 0, "end": 1}]}), "x.jsonl")
    text = refusal(predicted, path, gold)
    assert message in text.replace(gold.name, "own")
    (found,) = predicted(path, gold, drop=True)
    assert spans(found) == [(2, 0, 1)]
    assert "dropped" in found.warnings[0]
    other = written(lines(line(id_="z")), "other.jsonl")
    assert "expected at least one text of" in refusal(predicted, other, gold, drop=True)


def test_a_text_that_the_truth_lacks_is_the_predictions_own(written, own):
    bare = own({"id": "a", "violations": []}, {"id": "b", "text": "known", "violations": []})
    (found,) = predicted(written(lines(line({"context": "Cures"}, id_="a")), "x.jsonl"), bare)
    assert spans(found) == [(0, 0, 5)]
    assert found.texts["text"].to_list() == [None, "known"]


def test_a_file_of_checkers_is_a_truth_once_one_is_chosen(written):
    path = written(lines(line(checker="a"), line({"start": 0, "end": 5}, checker="b")), "x.jsonl")
    text = refusal(truth, path, kind=OptionError)
    assert "expected the violations of one annotator; got 2\nfound: a, b\nfix:   truth_annotator a" in text
    assert spans(truth(path, annotators=["b"])) == [(0, 0, 5)]


TABLE = pl.DataFrame(
    {
        "id": ["x", "x", "y", "y", "z"],
        "text": [None, "abcdef", "ghi", None, "jkl"],
        "start": [0, 2, -1, None, 1],
        "end": [2, 4, -1, None, 2],
        "context": ["ab", None, "NULL", None, "k"],
        "rule": ["r1", "r2", None, None, ""],
        "annotator": ["anna", "bert", "anna", "bert", "bert"],
    }
)


@pytest.mark.parametrize("kept", ["table", "csv"])
def test_a_table_may_hold_the_violations_of_several_annotators(written, kept):
    data = TABLE if kept == "table" else written(TABLE.write_csv(), "spans.csv")
    anna, bert = (truth(data, annotators=[name]) for name in ("anna", "bert"))
    assert anna.texts.rows() == [("x", "abcdef"), ("y", "ghi")]
    assert spans(anna, PLACE, "start", "end", "rule") == [(0, 0, 2, "r1")]
    assert bert.texts.rows() == [("x", "abcdef"), ("y", "ghi"), ("z", "jkl")]
    assert spans(bert, PLACE, "start", "end", "rule") == [(0, 2, 4, "r2"), (2, 1, 2, None)]
    (found,) = predicted(data, anna, annotators=["bert"])
    assert (found.name, spans(found)) == ("bert", [(0, 2, 4)])
    assert f"bert: texts unknown to {anna.name} are excluded: 1, such as z" in found.warnings
    assert [one.name for one in predicted(data, bert)] == ["anna", "bert"]


def test_annotators_are_chosen_by_name():
    several = 'table: no annotator "ana"\nfound: anna, bert\nfix:   anna'
    assert refusal(truth, TABLE, kind=OptionError, annotators=["ana"]) == several
    alone = refusal(truth, TABLE.drop("annotator"), kind=OptionError, annotators=["ana"])
    assert alone == 'table: no annotator "ana"\nfound: no annotators'
    nameless = TABLE.with_columns(annotator=pl.Series(["a", "a", "a", None, None]))
    assert refusal(truth, nameless).startswith("table, row 4, column annotator: expected one in every row")


def test_a_span_that_an_annotator_marks_twice_counts_once():
    marks = {"id": "x", "start": 0, "end": 1, "rule": ["r", "r", "s"], "category": ["b", "a", "c"], "annotator": "n"}
    twice = pl.DataFrame(marks)
    found = truth(twice)
    assert spans(found, "rule", "category") == [("r", "a"), ("r", "b"), ("s", "c")]
    again = pl.concat([twice, twice.head(1)])
    for table in (again, again.drop("annotator")):
        found = truth(table)
        assert len(found.spans) == 3
        assert "repeated marks of the same violation, which counts once: 1" in found.warnings


def test_offsets_of_tables_with_gaps_are_whole():
    table = pl.DataFrame({"id": ["a", "b"], "start": [1.0, None], "end": [2.0, None]})
    assert spans(truth(table)) == [(0, 1, 2)]
    assert spans(truth(table.cast(pl.String))) == [(0, 1, 2)]
    minus = pl.DataFrame({"id": ["a"], "start": ["-1.0"], "end": [" -1"], "context": ["x"]})
    assert truth(minus).texts.height == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["a"], "start": ["x"], "end": ["2"]}, 'row 1, violation 1, start: expected a whole number; got "x"'),
        ({"id": ["a", "a"], "start": [0, 0], "end": [1, 1], "text": ["one", "once"]}, "row 1, column text: expected the text that the id has in table; got "),
        ({"id": ["a", "a"], "start": [0, 0], "end": [1, 1], "annotator": ["n", "n"], "checker": ["b", "c"]}, "row 1, column id: expected rows of one annotator for each text"),
        ({"name": ["a"], "x": [0]}, "missing columns id, start, end\nfound: name, x\n"),
        ({"name": ["a"], "start": [0], "end": [1]}, "missing column id\nfound: name, start, end\nfix:   columns id=COLUMN"),
        ({"id": ["a"], "violations": ["none"]}, "missing columns start, end\nfound: id, violations\n"),
        ({"id": [["a"]], "start": [0], "end": [1]}, "row 1, id: expected text or a number; got a list"),
    ],
)  # fmt: skip
def test_wrong_tables_are_told(columns, message):
    assert message in refusal(truth, pl.DataFrame(columns))


def test_columns_of_tables_may_be_joined_into_ids_and_carried():
    table = pl.DataFrame({"doc": [1, 1], "sys": ["m", "n"], "start": [0, 1], "end": [1, 2], "topic": ["p", "q"]})
    found = truth(table, columns={"id": "doc+sys"}, further={"cluster": "doc", "topic": "topic"})
    assert found.texts.rows() == [("1+m", None, "1", "p"), ("1+n", None, "1", "q")]
    text = refusal(truth, table, kind=OptionError, columns={"id": "doc"}, further={"cluster": "topik"})
    assert text == 'cluster: no column "topik" in table\nfound: doc, sys, start, end, topic\nfix:   cluster topic'
    text = refusal(truth, table, columns={"id": "doc"}, further={"topic": "topic"})
    assert "row 1, column topic: expected one value for each text; got " in text
    assert "missing column doc+mod" in refusal(truth, table, columns={"id": "doc+mod"})


def test_tables_with_lists_of_violations_are_lines(written, tmp_path):
    marks = [{"start": 7, "end": 15, "rule": "r", "note": "n"}, {"context": "minute", "explanation": "e"}]
    records = [line(*marks, lang="en"), line(id_="7", text=EMOJI, lang="de"), line({"start": 0, "end": 1}, id_="8")]
    path, table = written(lines(*records), "own.jsonl"), tmp_path / "own.parquet"
    pl.read_ndjson(path).write_parquet(table)
    from_lines, found = (truth(data, further={"by": "lang"}) for data in (path, table))
    assert found.texts.equals(from_lines.texts)
    assert found.spans.equals(from_lines.spans)
    assert found.warnings == from_lines.warnings
    (again,) = predicted(table, from_lines)
    assert again.spans.equals(from_lines.spans)


INVENTED = {"invented": "cures all", "rule": "r"}


def test_predictions_may_quote_what_the_text_does_not_hold(written, own):
    gold = own(line({"start": 0, "end": 5}), line(id_="t2", text=None))
    other = {**INVENTED, "invented": "in no time"}
    records = [line(INVENTED, other, {"start": 0, "end": 5}, text=None), line(INVENTED, id_="t2", text=None)]
    (found,) = predicted(written(lines(*records), "lines.jsonl"), gold)
    columns = ("place", "start", "end", "rule", "invented")
    without = [(0, None, None, "r", "cures all"), (0, None, None, "r", "in no time")]
    assert spans(found, *columns) == [*without, (0, 0, 5, None, None), (1, None, None, "r", "cures all")]
    (told,) = found.warnings
    assert told.startswith(
        "lines: violations that quote words that are not in the text can match nothing: 3, such as: "
    )
    assert told.endswith('line 1, violation 1, invented: "cures all"')


def test_an_invented_quote_is_neither_true_nor_beside_a_place(written, own, refused):
    expected = 'invented: expected in predictions, without offsets and context; got "cures all"'
    assert f"own, line 1, violation 1, {expected}" in refused(line(INVENTED))
    for name, value in {"start": 0, "end": 5, "context": "Cures", "position": 0}.items():
        path = written(lines(line({**INVENTED, name: value})), "beside.jsonl")
        assert expected in refusal(predicted, path, own(line()))
