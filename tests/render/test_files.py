"""What is written takes the place of what was there whole, or not at all."""

import errno
from pathlib import Path

import pytest

from adjudge.errors import OutputError
from adjudge.render.files import replacing


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


def test_a_folder_is_never_lost(tmp_path, monkeypatch):
    path, rename = tmp_path / "r.csv", Path.rename
    folder_of(path, "before")

    def fails(self, target):
        if target == path and self.suffix != ".old":
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(OutputError, match=r"cannot be written: Directory not empty\. What was there is unchanged"):
        folder_of(path, "after")
    assert set(held(path).values()) == {"before"}
    assert list(tmp_path.iterdir()) == [path]
