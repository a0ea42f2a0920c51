"""A data set in many files has the figures that it has in one, wherever the files are counted."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
from adjudge import DataError, OptionError, Report
from adjudge.evaluations.annotations import data_sets
from adjudge.readers.pairs.pairs import KEY, dictionary_text
from adjudge.runners import runner
from adjudge.schemas.pairs import AnnotatedPairs, Annotator
from made import EXAMPLES

VALUES = {"text_a": "a", "text_b": "b", "both": "=", "neither": "-", "invalid": "?", "not_applicable": "n"}
JUDGES = ["ref", "u", "v", "w"]
BOTH_ORDERS = pl.col("metric").is_in(["swap_consistency", "both_orders_accuracy", "net_accuracy"])


def pairs(size: int = 300) -> pl.DataFrame:
    draw = np.random.default_rng(1)
    votes = {name: draw.choice([*"aabb=-?n", None], size).tolist() for name in JUDGES}
    texts = {f"text_{side}": [side * int(length) for length in draw.integers(0, 9, size)] for side in "ab"}
    models = {f"model_{side}": draw.choice(["m1", "m2"], size) for side in "ab"}
    further = {"topic": draw.choice(["x", "y", None], size).tolist(), "doc": draw.choice(30, size).astype(str)}
    return pl.DataFrame({"pair": [f"p{n}" for n in range(size)], **texts, **models, **further, **votes})


PAIRS = pairs()
IN_FILES = [PAIRS[200:], PAIRS[:50], PAIRS[50:200]]


def score(data: object, **options: object) -> Report:
    return adjudge.annotations(
        data, **{"annotator_columns": JUDGES, "vote_values": VALUES, "reference": "ref", **options}
    )


@pytest.mark.parametrize(
    "options",
    [
        {"by": "topic", "population": "reference", "reference": ["ref", "u"]},
        {"reference": ["model:*", "u"], "labels": "all", "style": True},
        {"annotator": ["model:*", "u"]},
        {"cluster": "doc"},
    ],
)
def test_files_of_one_data_set_have_its_figures(options):
    whole, many = score(PAIRS, **options), score(IN_FILES, one_data_set="table", **options)
    assert whole.tables.keys() == many.tables.keys()
    for name, table in whole.tables.items():
        said = [frame.filter(~BOTH_ORDERS) if name == "bias" else frame for frame in (table, many[name])]
        assert_frame_equal(*said, check_exact="cluster" not in options, rel_tol=1e-12)
    apart = many["bias"].filter(BOTH_ORDERS)["reason"].to_list()
    assert set(apart) == {"several files are not searched for pairs in both orders"}
    assert (many.counts, many.outcomes.rows) == (whole.counts, whole.outcomes.rows)
    assert [one.rows for one in many.inputs] == [100, 50, 150]
    assert many.examples["item"].str.starts_with("p").all()


@pytest.mark.parametrize(
    ("prompt", "cut", "clusters"),
    [
        (pl.format("{}", pl.int_range(300) % 150), 150, 150),  # each stands once in a file
        (pl.when(pl.int_range(300) < 20).then(pl.lit("p")).otherwise("pair"), 20, 281),  # one repeats in a file
    ],
)
def test_repeated_prompts_cluster_pairs_of_all_files(prompt, cut, clusters):
    table = PAIRS.with_columns(prompt=prompt)
    assert score([table[:cut], table[cut:]], one_data_set="all").counts["clusters"] == clusters


@pytest.mark.parametrize("files", [[PAIRS[:20], PAIRS[10:]], [PAIRS[:6], PAIRS[5:8], PAIRS[8:]]])
def test_pairs_that_stand_in_two_files_are_refused_unless_their_ids_are_numbers_of_rows(monkeypatch, files):
    monkeypatch.setattr(data_sets, "_COMPARED", 8)  # small files beside a large one
    with pytest.raises(DataError, match="all: expected each pair in one file; table 1, table 2 hold the same ids"):
        score(files, one_data_set="all")
    numbered = [file.drop("pair") for file in files]
    report = score(numbered, one_data_set="all")
    assert report.counts["pairs"] == sum(file.height for file in files)
    assert report.examples["item"].str.contains("^table [123]#").all()


@pytest.mark.parametrize("first", [0, 1])
def test_ids_that_begin_as_numbers_of_rows_in_several_files_get_the_names_of_these(tmp_path, first):
    for name, rows in (("a", PAIRS[:100]), ("b", PAIRS[100:])):
        rows.with_columns(pair=pl.int_range(first, rows.height + first)).write_csv(tmp_path / f"{name}.csv")
    report = score([tmp_path / "a.csv", tmp_path / "b.csv"], one_data_set="all")
    assert report.counts["pairs"] == 300
    assert report.examples["item"].str.contains("^[ab]#[0-9]+$").all()
    alone = score([tmp_path / "a.csv"], one_data_set="all")
    assert alone.examples["item"].str.contains("^[0-9]+$").all()


def columnar_file(path: Path, rows: pl.DataFrame, judges: list[str], default: str | None = "ref") -> Path:
    """A file in Adjudge's columnar form, with the votes of these judges."""
    codes = pl.col(judges).replace_strict(
        dict(zip("ab=-?n", range(1, 7), strict=True)), default=0, return_dtype=pl.UInt8
    )
    frame = rows.with_columns(codes.name.prefix("vote:")).drop(JUDGES)
    frame = frame.with_columns(pl.col("text_a", "text_b").str.len_chars().name.map(lambda name: f"length_{name[-1]}"))
    pairs = AnnotatedPairs("all", frame.lazy(), tuple(map(Annotator, judges)), default, metadata=("topic", "doc"))
    text = dictionary_text(pairs, prompts_repeat=True)
    frame.write_parquet(path, row_group_size=7, metadata={KEY: text})
    return path


def test_who_votes_in_one_file_alone_is_missing_in_the_other(tmp_path):
    """Whom to trust is what a file says that says it."""
    table = PAIRS.with_columns(prompt=pl.format("{}", pl.int_range(300) % 100))
    half = pl.int_range(300) < 150
    gaps = table.with_columns(v=pl.when(~half).then("v"), w=pl.when(half).then("w"))
    whole = columnar_file(tmp_path / "whole.parquet", gaps, ["ref", "u", "w", "v"])
    files = [
        columnar_file(tmp_path / "1.parquet", table[:150], ["ref", "u", "w"]),
        columnar_file(tmp_path / "2.parquet", table[150:], ["ref", "u", "v"], default=None),
    ]
    one, many = adjudge.annotations(whole), adjudge.annotations(files, one_data_set="all")
    for name in ("agreement", "votes", "matrix"):
        assert_frame_equal(one[name], many[name])
    columnar_file(files[1], table[150:], ["ref", "u", "v"], default="u")
    with pytest.raises(DataError, match=r"all: expected one reference annotator in all files; got ref, u$"):
        adjudge.annotations(files, one_data_set="all")


def test_runners_and_what_they_keep_need_files_of_one_data_set():
    with pytest.raises(OptionError, match="runner: concerns files that are parts of one data set"):
        score(PAIRS, runner="processes")
    with pytest.raises(OptionError, match="ray_address: expected the runner ray; the runner is threads"):
        score(PAIRS, ray_address="auto", one_data_set="all")


def test_processes_count_alike_a_broken_file_is_left_out_and_nothing_is_counted_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "processors", lambda: 1)
    for number, one in enumerate(IN_FILES):
        one.write_csv(tmp_path / f"{number}.csv")
    (tmp_path / "broken.csv").write_text("pair,text_a\n1,x\n")
    (kept := tmp_path / "kept").mkdir()
    given = {"one_data_set": "table", "matrix": False, "by": "topic"}
    with pytest.raises(DataError, match=r"broken\.csv"):
        score(f"{tmp_path}/*.csv", **given)
    report = score(f"{tmp_path}/*.csv", **given, runner="processes", resume=str(kept), on_invalid="drop", progress=None)
    assert report.warnings[0] == "1 file cannot be read and is excluded; the table files_left_out gives the reasons"
    assert report["files_left_out"]["file"].to_list() == [f"{tmp_path}/broken.csv"]
    assert_frame_equal(report["agreement"], score(PAIRS, matrix=False, by="topic")["agreement"])
    before = {one: one.stat().st_mtime_ns for one in kept.iterdir()}
    IN_FILES[0].with_columns(u=pl.lit("a")).write_csv(tmp_path / "0.csv")
    again = score(f"{tmp_path}/[012].csv", **given, resume=str(kept), on_invalid="drop")
    assert again["agreement"].height
    new = [one for one in kept.iterdir() if one not in before]
    assert len(new) == 2  # of the changed file, in both passes


LABELS = pl.DataFrame(
    {
        "item": [f"i{n // 4}" for n in range(120)],
        "annotator": [f"a{n % 4}" for n in range(120)],
        "label": [*"abcab" * 24],
        "doc": [f"d{n // 12}" for n in range(120)],
    }
).sample(fraction=1, shuffle=True, seed=1)


def test_answers_of_broken_files_are_left_out(tmp_path):
    first, second, broken = (tmp_path / name for name in ("1.jsonl", "2.jsonl", "broken.tsv"))
    lines = (EXAMPLES / "rag" / "answers.jsonl").read_text().splitlines(keepends=True)
    first.write_text("".join(lines[:7])), second.write_text("".join(lines[7:])), broken.write_text("id\n1\n")
    whole, many = adjudge.rag([first, second]), adjudge.rag([first, broken, second], on_invalid="drop")
    assert many["files_left_out"]["file"].to_list() == [str(broken)]
    for name, table in whole.tables.items():
        assert_frame_equal(many[name], table, check_exact=True)
    assert_frame_equal(many.examples, whole.examples)


@pytest.mark.parametrize("evaluation", [adjudge.agreement, partial(adjudge.card, judges=["a3"])])
def test_files_that_cannot_be_opened_are_all_named_or_left_out(tmp_path, evaluation):
    files = [tmp_path / name for name in ("empty.csv", "cut.jsonl", "half.csv", "sound.csv")]
    for file, content in zip(files, [b"", b'{"item": "1",', b"\xff\xfei\x00t", b""], strict=True):
        file.write_bytes(content)
    LABELS.write_csv(files[3])
    with pytest.raises(DataError) as error:
        evaluation(files)
    assert [one.partition(":")[0] for one in error.value.lines] == [str(files[0]), str(files[2])]
    report = evaluation(files, on_invalid="drop")
    left = report["files_left_out"]
    assert left["file"].to_list() == [*map(str, files[:3])]
    assert left["reason"][0] == f"{files[0]}: the file is empty"
    assert_frame_equal(report[report.about.main], evaluation(files[3])[report.about.main])
