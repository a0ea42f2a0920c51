"""Files of ours that somebody edited are read, or refused in words: never a defect."""

import json
from copy import deepcopy

import polars as pl
import pytest

import adjudge
from adjudge.errors import AdjudgeError
from adjudge.schemas.outcomes import MADE_BY

ODD = [
    None,
    True,
    -1,
    float("inf"),
    float("nan"),
    "",
    "x\x00y",
    "\ud800",
    [],
    {},
    [1],
    {"a": 1},
    2**70,
    {"a": {"b": 1}},
]
VOTES = pl.DataFrame(
    {"item": [*"abcdefgh"] * 2, "annotator": ["ana"] * 8 + ["ben"] * 8, "label": [*"xxyyxyxyxyyyxyxx"]}
)
VOTES = VOTES.with_columns(reference=pl.Series([*"xyxyxyxy"] * 2))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    items = folder / "items.parquet"
    adjudge.reliability(VOTES, save_items=items, positive="x", labels=["x", "y"]).save(folder / "report.json")
    return folder


def places(said, above=()):
    """The place of everything in a document."""
    yield above
    inside = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, one in inside:
        yield from places(one, (*above, key))


def edited(said, place, value):
    whole = [deepcopy(said)]
    holder = whole
    for key in (0, *place)[:-1]:
        holder = holder[key]
    holder[(0, *place)[-1]] = value
    return whole[0]


def test_what_an_items_file_says_of_itself(saved, tmp_path):
    items = saved / "items.parquet"
    outcomes, said = pl.read_parquet(items), json.loads(pl.read_parquet_metadata(items)[MADE_BY])
    refused, other = 0, tmp_path / "edited.parquet"
    for number, place in enumerate(places(said)):
        outcomes.write_parquet(other, metadata={MADE_BY: json.dumps(edited(said, place, ODD[number % len(ODD)]))})
        try:
            adjudge.compare([items, other])
        except AdjudgeError:
            refused += 1
    assert refused > number // 4


def test_an_items_file_with_a_row_twice(saved, tmp_path):
    items, other = saved / "items.parquet", tmp_path / "edited.parquet"
    outcomes, said = pl.read_parquet(items), pl.read_parquet_metadata(items)[MADE_BY]
    pl.concat([outcomes[:-1], outcomes[:1]]).write_parquet(other, metadata={MADE_BY: said})
    for runs in ([items, other], [other, items]):
        with pytest.raises(AdjudgeError, match="a run has several rows of the same item, judge and part"):
            adjudge.compare(runs)
