"""Folders, patterns, addresses, standard input, and tables of other libraries stand for what they hold."""

import gzip
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import adjudge as library
from adjudge import DataError, MissingError, OptionError
from adjudge.readers.inputs import as_frame

TABLE = "item,annotator,label,reference\n1,x,a,a\n2,x,b,a\n"
COLUMNS = {"item": ["1", "2"], "annotator": ["x", "x"], "label": ["a", "b"], "reference": ["a", "a"]}


def share(report):
    return report.estimate("reliability", table="overall").value


# --- folders and patterns ---


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, item in (("b.csv", "1"), ("a.csv", "2"), (".hidden", "3")):
        (folder / name).write_text(f"item,annotator,label,reference\n{item},x,a,a\n")
    return folder


@pytest.mark.parametrize("place", ["runs", "runs/*.csv", "r*/?.csv", "**/*.csv"])
def test_a_folder_and_a_pattern_stand_for_their_files(adjudge, runs, monkeypatch, place):
    monkeypatch.chdir(runs.parent)
    report = library.reliability(place)
    assert [one.path for one in report.inputs] == ["runs/a.csv", "runs/b.csv"]
    assert report.command == "adjudge reliability runs/a.csv runs/b.csv"
    status, printed, _ = adjudge("reliability", place, "--format", "json")
    assert (status, printed) == (0, report.to_json())


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("*.tsv", "no file has a name like that"),
        ("empty", "expected a folder of files of one kind; found nothing"),
        ("outer", "expected a folder of files of one kind; found nothing\n  fix:   'outer/**/*'"),
        ("mixed", "found .csv, .md"),
    ],
)
def test_what_holds_no_files_of_one_kind_is_refused(adjudge, tmp_path, monkeypatch, place, said):
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "outer/inner", "mixed"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("v.csv", "notes.md"):
        (tmp_path / "mixed" / name).write_text(TABLE)
    status, printed, told = adjudge("reliability", place)
    assert (status, printed) == (2, "")
    assert said in told


def test_files_that_describe_a_folder_of_data_are_no_data(runs):
    expected = library.reliability(runs)
    for name in ("README.md", "dataset_infos.json", ".gitattributes"):
        (runs / name).write_text("{}")
    assert [one.path for one in library.reliability(runs).inputs] == [one.path for one in expected.inputs]


@pytest.mark.parametrize(
    "read", [library.reliability, library.look, lambda none: library.convert(none, output="out.csv")]
)
def test_no_input_is_refused(read):
    with pytest.raises(OptionError, match="no input was given"):
        read([])


def test_a_file_whose_own_name_has_the_sign_of_a_part_is_that_file(tmp_path):
    (tmp_path / "votes#1").write_text(TABLE)
    (tmp_path / "votes").write_text(TABLE.replace("x", "y"))
    report = library.reliability(tmp_path / "votes#1")
    assert report["annotators"]["annotator"].unique().to_list() == ["x"]


# --- standard input ---


class Piped(io.TextIOWrapper):
    def __init__(self, content):
        super().__init__(io.BytesIO(content))


def test_a_hyphen_is_standard_input(adjudge, monkeypatch):
    monkeypatch.setattr("sys.stdin", Piped(gzip.compress(TABLE.encode())))
    status, printed, said = adjudge("reliability", "-", "--format", "json")
    assert (status, said) == (0, "")
    assert '"path": "standard input"' in printed
    assert '"command": null' in printed


def test_standard_input_that_holds_nothing_is_refused(adjudge, monkeypatch):
    monkeypatch.setattr("sys.stdin", Piped(b""))
    status, _, said = adjudge("reliability", "-")
    assert status == 1
    assert said == "error: standard input: it is empty, or was read already: it can be only one input\n"


def test_standard_input_and_addresses_can_be_looked_at(adjudge, monkeypatch, host):
    monkeypatch.setattr("sys.stdin", Piped(b"item,annotator,label,reference\n1,x,a\n2,x,a,b,c\n"))
    status, _, said = adjudge("reliability", "-")
    assert (status, said.splitlines()[0]) == (1, "error: standard input, line 3: expected 4 cells, as in line 1; got 5")
    monkeypatch.setattr("sys.stdin", Piped(TABLE.encode()))
    assert adjudge("look", "-")[1].endswith("Run:\n  adjudge reliability -\n")
    assert adjudge("look", f"http://{host}/votes.csv")[0] == 0


# --- addresses ---


class Files(BaseHTTPRequestHandler):
    """Serves TABLE at any name that ends in .csv."""

    asked: ClassVar[list] = []

    def do_GET(self):
        self.asked.append(self.path)
        status = 200 if self.path.partition("?")[0].endswith(".csv") else 404
        self.send_response(status)
        self.end_headers()
        self.wfile.write(TABLE.encode() if status == 200 else b"")

    def log_message(self, *_):
        pass


@pytest.fixture
def host():
    Files.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_an_address_is_fetched_and_named(host):
    report = library.reliability(f"http://{host}/votes.csv")
    assert share(report) == 0.5
    assert report.inputs[0].path == f"http://{host}/votes.csv"
    assert report.command is None


def test_secrets_in_addresses_are_used_and_never_told(adjudge, host, tmp_path):
    address = f"http://{host}/votes.csv?token=t0ken"
    saved, items = tmp_path / "r.json", tmp_path / "i.parquet"
    status, printed, said = adjudge("reliability", address, "--output", saved, "--save-items", items)
    assert (status, Files.asked[-1]) == (0, "/votes.csv?token=t0ken")
    big = library.Reading(max_size=len(TABLE) - 1)
    report = library.reliability([pl.DataFrame(COLUMNS), address], on_invalid="drop", reading=big)
    assert report["files_left_out"]["file"].to_list() == [f"http://{host}/votes.csv"]
    status, _, refused = adjudge("reliability", address.replace("votes.csv", "gone"))
    assert status == 4
    assert refused.startswith(f"error: http://{host}/gone: cannot be fetched: Not Found\n")
    for text in (
        printed,
        said,
        refused,
        report.to_json(),
        saved.read_text(),
        items.read_bytes().decode(errors="replace"),
    ):
        assert "t0ken" not in text


def test_an_address_with_a_password_is_refused(host):
    with pytest.raises(OptionError, match=r"/v\.csv: expected an address without user and password") as caught:
        library.reliability(f"http://ann:s3cret@{host}/v.csv")
    assert "s3cret" not in str(caught.value)


def test_what_is_fetched_or_piped_is_bounded(host, monkeypatch):
    monkeypatch.setattr("sys.stdin", Piped(TABLE.encode()))
    with pytest.raises(DataError, match="standard input: unpacked size exceeds 20B"):
        library.reliability("-", reading=library.Reading(max_size=20))
    with pytest.raises(DataError, match="unpacked size exceeds 20B"):
        library.reliability(f"http://{host}/votes.csv", reading=library.Reading(max_size=20))


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v.csv", "s3x://bucket/v.csv", "http:///v.csv"])
def test_addresses_that_cannot_be_fetched_are_told(address):
    with pytest.raises(MissingError, match=r"cannot be fetched|this address needs"):
        library.reliability(address)


def test_other_addresses_are_fetched_by_fsspec():
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/v.csv", "w") as file:
        file.write(TABLE)
    assert share(library.reliability("memory://bucket/v.csv")) == 0.5


# --- tables from Python ---


class DataSet:
    """What adjudge uses of a data set of Hugging Face."""

    def to_polars(self):
        return pl.DataFrame(COLUMNS)


NUMBERED = {"item": [0, 1, 2], "label": [1, 0, -1]}

IN_PYTHON = {
    "dict": dict,
    "dicts": lambda columns: pl.DataFrame(columns).to_dicts(),
    "lazy": pl.LazyFrame,
    "pandas with index": lambda columns: pl.DataFrame(columns).to_pandas().set_axis([7, 9]),
    "numpy": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "data set": lambda _: DataSet(),
}


@pytest.mark.parametrize("made", IN_PYTHON.values(), ids=IN_PYTHON)
def test_tables_of_python_give_the_same_figures(made):
    table = made(COLUMNS)
    assert share(library.reliability(table)) == 0.5
    assert isinstance(table, dict) or len(library.reliability([table]).inputs) == 1


def test_classes_of_a_data_set_have_their_names():
    told = {"item": {"dtype": "int64"}, "label": {"names": ["a", "b"]}}
    data = SimpleNamespace(features=SimpleNamespace(to_dict=lambda: told), to_polars=lambda: pl.DataFrame(NUMBERED))
    named = pl.DataFrame({"item": [0, 1, 2], "label": ["b", "a", None]})
    assert as_frame(data, "table").equals(named)


def hugging_face(path, features, columns):
    pl.DataFrame(columns).write_parquet(path, metadata={"huggingface": json.dumps({"info": {"features": features}})})
    return path


def test_classes_in_parquet_have_their_names(tmp_path):
    columns = {"item": [1, 2], "gold": [0, 1], "words": ["no", "yes"], "numbers": [0, 1]}
    path = hugging_face(tmp_path / "a.parquet", {"gold": {"names": ["no", "yes"]}}, columns)
    report = library.reliability(path, annotator_columns=["words", "numbers"], columns={"reference": "gold"})
    assert report.estimate("reliability").value == 1


def test_lists_of_tags_in_parquet_are_tags_of_tokens(tmp_path):
    features = {"gold": {"feature": {"names": ["O", "B-x", "I-x"]}, "_type": "List"}}
    columns = {"tokens": [["a", "b", "c"], ["d"]], "gold": [[0, 1, 2], [1]], "model": [["O", "B-x", "I-x"], ["O"]]}
    path = hugging_face(tmp_path / "a.parquet", features, columns)
    report = library.violations(path, path, truth_annotator="gold", predicted_annotator="model")
    assert report["scores"].filter(metric="recall")["value"].unique().to_list() == [0.5]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"train": DataSet(), "test": DataSet()}, "missing columns .*\nfound: train, test"),
        (3, "expected a path, or a table"),
        ({"item": [1], "label": [1, 2]}, "expected a"),
        ([{"item": 1}, 3], "expected a"),
        (object(), "expected a"),
    ],
)
def test_what_is_no_table_is_refused(given, said):
    with pytest.raises((OptionError, DataError), match=said):
        library.reliability(given)


@pytest.mark.parametrize("kind", [list, np.array, lambda values: pl.Series(values).to_pandas(), pl.Series])
def test_two_arrays_are_one_annotator(kind):
    report = library.score(kind([1, 0, 1, 1]), kind([1, 0, 0, 1]), annotator="model")
    assert share(report) == 0.75
    assert report["annotators"]["annotator"].unique().to_list() == ["model"]


@pytest.mark.parametrize(
    ("true", "predicted", "said"),
    [
        ([1, 0, 1], [1, 0], "y_pred: expected 3 labels, as in y_true; got 2"),
        (np.eye(2), np.eye(2), "expected one label per item; got ndarray"),
        (["a", "b"], ["a", "\ud800"], "y_true, y_pred: expected text in UTF-8; got "),
    ],
)
def test_arrays_that_do_not_fit_are_refused(true, predicted, said):
    with pytest.raises(DataError, match=said):
        library.score(true, predicted)
