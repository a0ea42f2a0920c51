import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge import DataError, MissingError, OptionError
from adjudge.readers.inputs import sources
from made import DATA, EXAMPLES, labelled

FLAGS = DATA / "reliability" / "flags.json"
PAIRS = EXAMPLES / "annotations" / "pairs.json"
TABLE = pl.DataFrame({"item": ["1", "2"], "annotator": ["x", "x"], "label": ["a", "b"], "reference": ["a", "a"]})

COMMON = [
    ("by", 3),
    ("by", [3]),
    ("by", {"a"}),
    ("by", "\udce9"),
    ("cluster", 3),
    ("columns", "item=x"),
    ("columns", {"item": 1}),
    ("columns", {1: "x"}),
    ("ci_level", "0.9"),
    ("ci_level", True),
    ("ci_level", Decimal("0.9")),
    ("ci_level", 1),
    ("ci_level", float("nan")),
    ("ci_level", 0.9999999999999999),
    ("seed", 1.0),
    ("seed", None),
    ("examples", -1),
    ("on_invalid", ["drop"]),
    ("save_items", 3),
    ("progress", 3),
]
RELIABILITY = [
    *COMMON,
    ("reference", 5),
    ("reference", [5]),
    ("date_order", 1),
    ("exact_labels", "no"),
    ("flag_values", ["yes", "no"]),
    ("flag_values", {"flagged": True, "clean": False}),
    ("labels", [1, 2]),
    ("labels", b"a"),
]
ANNOTATIONS = [
    ("reference", [5]),
    ("annotator", 5),
    ("annotator", [5]),
    ("style", "no"),
    ("matrix", 1),
    ("population", 5),
    ("labels", ["valid"]),
    ("annotator_columns", 5),
    ("vote_values", "text_a=1"),
    ("vote_values", {"text_a": 1}),
    ("vote_values", {"text_a": [1]}),
]


@pytest.mark.parametrize(
    ("score", "data", "name", "value"),
    [
        *((adjudge.reliability, FLAGS, *one) for one in RELIABILITY),
        *((adjudge.annotations, PAIRS, *one) for one in ANNOTATIONS),
    ],
)
def test_an_argument_that_is_none_is_named(score, data, name, value):
    with pytest.raises(OptionError, match=f"^{name}: expected"):
        score(data, **{name: value})


def test_none_is_no_option():
    nothing = dict.fromkeys(["by", "labels", "reference", "columns", "flag_values", "cluster"])
    assert adjudge.reliability(FLAGS, **nothing) == adjudge.reliability(FLAGS)
    nothing = dict.fromkeys(["by", "reference", "annotator", "columns", "annotator_columns", "vote_values"])
    assert adjudge.annotations(PAIRS, **nothing) == adjudge.annotations(PAIRS)


def test_numbers_of_numpy_are_numbers(tmp_path):
    report = adjudge.reliability(FLAGS, ci_level=np.float64(0.9), seed=np.int64(3), examples=np.int8(2))
    assert report == adjudge.reliability(FLAGS, ci_level=0.9, seed=3, examples=2)
    report.save(tmp_path / "report.json")
    assert (
        adjudge.reliability(FLAGS, labels=np.array(["response_1", "response_2", "tie"])).options["labels"][2] == "tie"
    )


def test_an_estimate_is_asked_for_by_texts():
    report = adjudge.reliability(FLAGS)
    with pytest.raises(OptionError, match="expected one row with metric=reliability, annotator=5; got 0"):
        report.estimate("reliability", table="annotators", annotator=5)
    for keys in ({"annotator": None}, {"n": "30"}):
        with pytest.raises(OptionError, match="expected one row with"):
            report.estimate("reliability", table="annotators", **keys)
    with pytest.raises(OptionError, match="fix:   first=annotator_1, second=annotator_2 or"):
        report.estimate("reliability", table="differences", first="annotator_2", second="annotator_1")
    with pytest.raises(OptionError, match="found: metrics none"):
        report.estimate("reliability", table="flags")
    grouped = adjudge.reliability(TABLE.with_columns(group=pl.Series(["g", None])), by="group")
    assert grouped.estimate("reliability", table="annotators", group=None).value == 0


@pytest.mark.parametrize(
    "made",
    [
        lambda pandas: pandas.DataFrame({"item": [1, "x", b"y"]}),
        lambda pandas: pandas.DataFrame([[1, 2]], columns=["item", "item"]),
        lambda _: pl.LazyFrame({"item": ["x"]}).select(pl.col("item").cast(pl.Int8)),
        lambda _: pl.LazyFrame({"item": ["x"]}).select("label"),
    ],
    ids=["mixed", "twice", "not a number", "no such column"],
)
def test_a_table_that_cannot_be_taken_over_is_bad_data(made):
    table = made(pytest.importorskip("pandas"))
    with pytest.raises(DataError, match=r"^table: expected a table"):
        adjudge.reliability(table)


def test_what_a_table_needs_to_be_taken_over_is_named():
    class Table:
        def __arrow_c_stream__(self, _: object = None) -> object:
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    with pytest.raises(MissingError, match="fix:   pip install pyarrow"):
        adjudge.reliability(Table())


UNUSED = {
    "bytes": [b"\xff", None],
    "list": [list(range(30)), None],
    "struct": [{"a": 1, "b": ["x"]}, None],
    "duration": pl.Series([1, None], dtype=pl.Duration),
    "object": pl.Series([object(), None], dtype=pl.Object),
}


def test_columns_that_nothing_reads_do_no_harm():
    for name, values in UNUSED.items():
        assert adjudge.reliability(TABLE.with_columns(pl.Series(name, values)))["overall"].height


def hashed(table: pl.DataFrame) -> str:
    return sources(table)[0].sha256()


def test_a_table_s_hash_depends_on_its_values_alone():
    table = TABLE.with_columns(pl.Series(name, values) for name, values in UNUSED.items())
    pieces = pl.concat([table.slice(0, 1), table.slice(1)], rechunk=False)
    assert pieces.n_chunks() == 2
    assert hashed(pieces) == hashed(table)
    longer = [[*range(29), 99], None]
    for other in (pl.Series("list", longer), pl.Series("bytes", [b"\xfe", None]), pl.Series("item", ["1", "3"])):
        assert hashed(table.with_columns(other)) != hashed(table)


def test_a_table_s_hash_is_the_same_in_every_process():
    code = (
        "import polars as pl; from adjudge.readers.inputs import sources;"
        "print(sources(pl.DataFrame({'s': [{'a': 1, 'b': [b'x']}], 'o': pl.Series([{1}], dtype=pl.Object)}))[0].sha256())"
    )
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    assert done[0] == done[1]


def test_every_public_name_is_there():
    assert all(getattr(adjudge, name) for name in adjudge.__all__)


def test_importing_adjudge_loads_nothing_else_until_it_is_used():
    code = "import sys; import adjudge; print(*(one for one in sys.modules if 'adjudge' in one))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"adjudge"}
    with pytest.raises(AttributeError, match="no attribute 'relibility'"):
        _ = adjudge.relibility


def test_true_answers_may_be_a_table_or_a_path(tmp_path):
    answers = pl.DataFrame(
        {"id": ["1"], "model": ["m"], "ability": ["noise_robustness"], "noise_ratio": [0.4], "response": ["Lima."]}
    )
    gold = pl.DataFrame({"id": ["1"], "answer": ["Lima"]})
    gold.write_csv(tmp_path / "gold.csv")
    for given, said in ((gold, "DataFrame"), (tmp_path / "gold.csv", str(tmp_path / "gold.csv"))):
        report = adjudge.rag(answers, gold=given)
        assert json.loads(report.to_json())["options"]["gold"] == said


def test_what_values_mean_is_said():
    votes = labelled({"ana": "x x", "ben": "NA x"}, reference=pl.lit("x"))
    report = adjudge.reliability(votes)
    assert report.warnings[0].endswith("--map-values label:NA=NA")
    assert report.estimate("reliability", table="overall").n == 3
    meant = adjudge.reliability(votes, map_values={"label": {"NA": "NA"}})
    assert meant.estimate("reliability", table="overall").n == 4
