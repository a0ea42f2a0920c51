"""What is written takes the place of what was there whole, or not at all."""

import errno
import resource
import sys
from pathlib import Path

import polars as pl
import pytest

from adjudge.errors import OutputError
from adjudge.render.files import replacing, write_items


def folder_of(path, text):
    """Makes a folder with two files, in the place of whatever is there."""
    with replacing(path, folder=True) as partial:
        for name in ("one.csv", "two.csv"):
            (partial / name).write_text(text)


def held(path):
    return {one.name: one.read_text() for one in path.iterdir()}


def test_of_two_writers_of_a_folder_the_last_one_stays_whole(tmp_path):
    path = tmp_path / "r.csv"
    with replacing(path, folder=True) as slow:
        (slow / "one.csv").write_text("slow")
        folder_of(path, "quick")
        assert held(path) == {"one.csv": "quick", "two.csv": "quick"}
    assert held(path) == {"one.csv": "slow"}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("clashes", [1, 2, 100])
def test_a_folder_is_never_lost(tmp_path, monkeypatch, clashes):
    """Another writer is a moment quicker each time: in the end this one comes through, or says that it did not."""
    path, rename, met = tmp_path / "r.csv", Path.rename, []
    folder_of(path, "before")

    def late(self, target):
        if self.name == path.name and target == path and self.parent != tmp_path and len(met) < clashes:
            met.append(target)
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    if clashes < 10:
        folder_of(path, "after")
    else:
        with pytest.raises(OutputError, match=r"cannot be written: Directory not empty\. What was there is unchanged"):
            folder_of(path, "after")
    assert set(held(path).values()) == {"after" if clashes < 10 else "before"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_where_polars_does_not_say_so(tmp_path, monkeypatch):
    """Of metadata of more than 8 KB it says "transport error". Bytecode would be cut off, and used later."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "items.parquet"
    path.write_text("before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, hard))
    try:
        with pytest.raises(OutputError, match=r"items\.parquet: cannot be written: File too large\."):
            write_items(pl.LazyFrame({"item": ["1"]}), path, {"inputs": (), "command": "x" * 9000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
