"""What polars would read in JSON lines without a word is refused, wherever it stands."""

import json

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.tables import collect, scan

ROWS = [json.dumps({"item": str(number), "annotator": "ana", "label": "yes"}) for number in range(3000)]


def read(path):
    (source,) = sources([path])
    return collect(source, scan(source, wanted=["item"]))


@pytest.mark.parametrize("place", [1, 2500])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"item": "x", "label": "yes", "label": "no"}', "expected each name once; label stands twice"),
        ('{"item": "x", "label": "yes", "l\\u0061bel": "no"}', "expected each name once; label stands twice"),
        ('{"item": "x", "label": "\\ud83d"}', "expected characters; got one half of a surrogate pair"),
    ],
)
def test_names_that_stand_twice_and_half_characters_are_refused(tmp_path, place, line, said):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*ROWS[:place], line, *ROWS[place:]]))
    with pytest.raises(DataError, match=f"a.jsonl, line {place + 1}: {said}"):
        read(path)


def test_whole_pairs_and_names_that_stand_twice_in_texts_are_read(tmp_path):
    odd = ['{"item": "\\ud83d\\ude00", "label": "{\\"a\\": 1, \\"a\\": 2}"}', '{"item": "\\\\", "label": "a\\tb"}']
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*odd, *ROWS]))
    assert read(path).head(2).select("item", "label").rows() == [("😀", '{"a": 1, "a": 2}'), ("\\", "a\tb")]


def test_a_file_that_was_mended_is_read_again(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": "x", "item": "y"}\n{"item": "z"}\n')
    with pytest.raises(DataError):
        read(path)
    path.write_text('{"item": "x"}\n{"item": "z"}\n')
    assert read(path)["item"].to_list() == ["x", "z"]


def test_lengths_of_time_read_as_text():
    table = pl.DataFrame({"item": ["1"], "annotator": ["a"], "label": ["x"], "reference": ["x"], "t": [90]})
    report = library.reliability(table.with_columns(pl.duration(seconds="t").alias("t")), by="t")
    assert set(report["annotators"]["t"]) == {"PT1M30S"}
