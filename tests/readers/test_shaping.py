"""Constants, columns put together and values that mean others, in every container and every evaluation."""

import json
import shlex

import polars as pl
import pytest

import adjudge
from adjudge import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from made_samples import kept

ROWS = [
    {"book": "A", "page": 1, "answer": "yes", "gold": "Y"},
    {"book": "A", "page": 2, "answer": "no", "gold": "N"},
    {"book": "B", "page": 1, "answer": "N/A", "gold": "Y"},
    {"book": "B", "page": 2, "answer": "no", "gold": "Y"},
]
OPTIONS = {
    "columns": {"item": "book+page", "label": "answer", "reference": "gold"},
    "constant": {"annotator": "ana"},
    "map_values": {"label": {"yes": "1", "no": "0"}, "reference": {"Y": "1", "N": "0"}},
}
PLAIN = pl.DataFrame(
    {"item": ["A+1", "A+2", "B+1", "B+2"], "annotator": "ana", "label": ["1", "0", "N/A", "0"], "reference": ["1", "0", "1", "1"]}
)  # fmt: skip


CONTAINERS = ["csv", "semicolons", "tsv", "json", "jsonl", "parquet", "polars"]


def tables(report):
    return {name: table.to_dicts() for name, table in report.tables.items()}


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_shaped_input_reads_as_the_one_that_says_it_all(tmp_path, container):
    assert tables(adjudge.reliability(kept(ROWS, container, tmp_path), **OPTIONS)) == tables(adjudge.reliability(PLAIN))


def test_rows_and_lines_keep_their_numbers(written):
    options = {"columns": {"item": "a+b"}, "constant": {"annotator": "x"}, "labels": ["1"]}
    path = written("a,b,label,reference\n1,1,1,1\n\n\n2,1,2,1\n", "rows.csv")
    with pytest.raises(DataError, match=r"rows.csv, row 4, column label: expected one of 1; got \"2\""):
        adjudge.reliability(path, **options)
    lines = [{"id": "1", "ability": "noise_robustness", "response": "x"}, {"id": "2", "ability": "no", "response": "x"}]
    path = written("\n\n".join(map(json.dumps, lines)), "answers.jsonl")
    with pytest.raises(DataError, match=r"answers.jsonl, line 3, ability: expected one of"):
        adjudge.rag(path, constant={"model": "m"})


def test_a_column_that_is_called_so_wins():
    table = PLAIN.with_columns(pl.Series("a+b", ["p", "q", "r", "s"]), a=pl.lit("1"), b=pl.lit("2"))
    report = adjudge.reliability(table.drop("item"), columns={"item": "a+b"})
    assert report.counts["items"] == 4


def test_groups_and_clusters_may_be_put_together():
    table = PLAIN.with_columns(pl.Series("week", [1, 1, 2, 2]), pl.Series("lang", ["de", "en", "de", "en"]))
    report = adjudge.reliability(table, by=["week+lang", "month"], constant={"month": "3"}, cluster="lang+week")
    assert report["overall"]["month"].unique().to_list() == ["3"]
    assert report["annotators"]["week+lang"].unique().sort().to_list() == ["1+de", "1+en", "2+de", "2+en"]
    assert report.counts["clusters"] == 4


def test_values_of_wide_tables_are_those_of_all_their_columns():
    table = pl.DataFrame({"gold": ["1", "0"], "ana": ["yes", "no"], "ben": ["no", "no"]})
    options = {"columns": {"reference": "gold"}, "map_values": {"label": {"yes": "1", "no": "0"}}}
    report = adjudge.reliability(table, annotator_columns=["ana", "ben"], **options)
    assert report.estimate("reliability", table="overall").value == 0.75


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"constant": {"anotator": "x"}}, "fix:   constant annotator=x"),
        ({"constant": {"annotator": "x"}}, "constant: table has a column annotator already; leave annotator out"),
        ({"constant": {"annotator": "x"}, "columns": {"annotator": "item"}}, "constant: columns say annotator=item; give one of them"),
        ({"map_values": {"label": {"O": "x"}}}, 'map_values: no value "O" in label\nfound: "0", "1", "N/A"'),
        ({"map_values": {"lable": {"0": "x"}}}, 'map_values: no column "lable"\nfound: item, annotator'),
        ({"columns": {"item": "item+pag"}}, 'columns: no column "pag" in table\nfound: item, annotator'),
        ({"columns": {"item": "x+y"}}, 'columns: no column "x" in table\nfound: item'),
        ({"map_values": {"label": "yes=1"}}, 'map_values: expected names and what each stands for, as a dict; got "yes=1"'),
        ({"columns": {"item": "reference+gap"}}, "row 4, column reference+gap: expected the item's id; got nothing"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(options, expected):
    table = PLAIN.with_columns(gap=pl.Series(["1", "2", "3", None])) if "gap" in expected else PLAIN
    with pytest.raises((DataError, OptionError)) as caught:
        adjudge.reliability(table, **({"constant": {}} | options))
    assert expected in str(caught.value)


def test_values_mean_the_same_where_they_differ_by_spaces_or_case(written):
    labels = enumerate(["Yes ", "yes", "YES"])
    rows = [{"item": n, "annotator": "a", "label": said, "reference": "1"} for n, said in labels]
    for data in (pl.DataFrame(rows), written(rows, "v.jsonl")):
        values = {"label": {"Yes": "1"}}
        assert adjudge.reliability(data, map_values=values).estimate("reliability", table="overall").value == 1
        with pytest.raises(OptionError, match='map_values: no value "Yes" in label'):
            adjudge.reliability(data, map_values=values, exact_labels=True)
        own = adjudge.reliability(data, map_values={"label": {"yes": "1", "YES": "x"}})
        assert own.estimate("reliability", table="overall").value == pytest.approx(1 / 3)


def test_answers(written):
    rows = [
        {"set": "a", "n": 1, "said": "Paris.", "answer": ["Paris"]},
        {"set": "a", "n": 2, "said": "-", "answer": ["Rome"]},
    ]
    options = {
        "columns": {"id": "set+n", "response": "said"},
        "constant": {"ability": "noise_robustness", "model": "m", "noise_ratio": "0,2"},
        "map_values": {"response": {"-": "I do not know."}},
    }
    for path in (written("".join(json.dumps(row) + "\n" for row in rows), "answers.jsonl"), written(rows, "a.json")):
        report = adjudge.rag(path, **options)
        found = report["scores"].filter(pl.col("metric") == "accuracy").to_dicts()
        assert (found[0]["model"], found[0]["value"], found[0]["noise_ratio"]) == ("m", 0.5, 0.2)


LINE = '{"doc": 1, "part": "x", "text": "abcdef", "violations": [{"start": 0, "end": 2, "rule": "R"}]}\n'
SPANS = "doc,part,start,end,rule,text\n1,x,0,2,R,abcdef\n"


@pytest.mark.parametrize(("content", "ending"), [(SPANS, "csv"), (LINE, "jsonl")])
def test_violations(written, content, ending):
    truth, found = written(content, f"truth.{ending}"), written(content.replace("R", "r"), f"found.{ending}")
    options = {"columns": {"id": "doc+part"}, "constant": {"checker": "c"}, "map_values": {"rule": {"R": "r"}}}
    report = adjudge.violations(truth, found, **options)
    assert report.estimate("f1", table="scores", checker="c", variant="std", average="micro").value == 1


@pytest.mark.parametrize("container", CONTAINERS)
def test_each_file_has_one_of_the_names_of_a_column(tmp_path, written, container):
    gold = written(pl.DataFrame(ROWS).select("book", no="page", gold="gold").write_csv(), "gold.csv")
    columns = {"item": "book+no/page", "label": "answer", "reference": "gold"}
    ours = kept(pl.DataFrame(ROWS).drop("gold").to_dicts(), container, tmp_path)
    report = adjudge.reliability([gold, ours], columns=columns, map_values=OPTIONS["map_values"])
    assert report["overall"].to_dicts() == adjudge.reliability(PLAIN)["overall"].to_dicts()


def test_names_of_lists_and_their_parts_may_differ_too(written):
    truth = written(LINE.replace('"part": "x", ', ""), "truth.jsonl")
    other = LINE.replace("doc", "id").replace("violations", "found").replace("start", "begin").replace("R", "r")
    columns = {"id": "doc/id", "violations": "violations/found", "start": "start/begin"}
    report = adjudge.violations(truth, written(other, "found.jsonl"), columns=columns, map_values={"rule": {"R": "r"}})
    assert report.estimate("f1", table="scores", variant="std", average="micro").value == 1
    assert not any("ignored" in text for text in report.warnings)


def test_a_file_with_two_of_the_names_is_refused(written):
    both = r"r.\w+ has both columns page and book; page/book stands for one column of each file\nfix:   leave one"
    for path in (written(json.dumps(ROWS), "r.json"), written("book,page\nA,1\n", "r.csv")):
        with pytest.raises(OptionError, match=both):
            adjudge.reliability(path, columns={"item": "page/book"})
    with pytest.raises(OptionError, match='no column "no/nr"'):
        adjudge.reliability(path, columns={"item": "no/nr"})


def test_gold_answers_have_names_of_their_own(written):
    answers = [{"q": n, "said": "Rome", "ability": "noise_robustness", "noise_ratio": 0, "model": "m"} for n in (1, 2)]
    gold = [{"id": 7, "key": {"no": n}, "true": city} for n, city in ((1, "Rome"), (2, "Oslo"))]
    columns = {"id": "q/key.no", "answer": "true", "response": "said"}
    report = adjudge.rag(written(answers, "a.json"), gold=written(gold, "g.json"), columns=columns)
    assert report["scores"].filter(metric="accuracy")["value"].to_list()[0] == 0.5


def test_the_command_line_says_it_too(adjudge, written):
    path = written("book,page,answer,gold\nA,1,yes,Y\nA,2,a:b,N\n", "rows.csv")
    words = [
        *("--columns", "item=book+page,label=answer,reference=gold", "--constant", "annotator=ana"),
        *("--map-values", r"label:yes=1,a\:b=0", "--map-values", "reference:Y=1,N=0"),
    ]
    status, out, err = adjudge("reliability", path, *words, "--format", "json")
    assert status == 0, err
    report = json.loads(out)
    assert report["options"]["map_values"] == {"label": {"yes": "1", "a:b": "0"}, "reference": {"Y": "1", "N": "0"}}
    assert adjudge(*shlex.split(report["command"])[1:], "--format", "json")[1] == out
    assert adjudge("reliability", path, *words, "--map-values", "x")[0] == 2


def test_a_name_with_a_dot_leaves_a_table_as_it_is(tmp_path):
    (tmp_path / "v.csv").write_text("item,gpt-3.5\n1,a\n")
    (source,) = sources(tmp_path / "v.csv", How(annotator_columns=["gpt-3.5"]))
    assert source.path == tmp_path / "v.csv"


def test_a_key_that_is_called_so_comes_before_a_value_in_an_object(tmp_path):
    (tmp_path / "v.jsonl").write_text('{"a.b": "own", "a": {"b": "inner"}}\n{"a": {"b": "inner"}}\n{"a": 3}\n')
    (source,) = sources(tmp_path / "v.jsonl", How(columns={"label": "a.b"}))
    assert [json.loads(line).get("a.b") for line in source.text().splitlines()] == ["own", "inner", None]


FORM = [
    {"Timestamp": "9:10", "Name": "lead", "Q1": "yes", "Q2": "no", "Q3": "no"},
    {"Timestamp": "9:20", "Name": "ana", "Q1": "yes", "Q2": "yes", "Q3": "no"},
    {"Timestamp": "9:30", "Name": "ben", "Q1": "no", "Q2": "yes", "Q3": ""},
]


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "polars"])
def test_columns_that_are_items_become_a_row_per_judgment(tmp_path, kind):
    data = kept(FORM, kind, tmp_path)
    for items in (["Q*"], ["Q1", "Q2", "Q3"]):
        report = adjudge.reliability(data, item_columns=items, columns={"annotator": "Name"}, reference="lead")
        rows = report["annotators"].filter(metric="reliability").to_dicts()
        values = {row["annotator"]: row["value"] for row in rows}
        assert values == {"ana": pytest.approx(2 / 3), "ben": 0.0}
        assert report.estimate("reliability", table="annotators", annotator="ben").n == 2
    with pytest.raises(OptionError, match='no column "R'):
        adjudge.reliability(data, item_columns=["R*"], columns={"annotator": "Name"}, reference="lead")
