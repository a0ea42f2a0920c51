"""What is written takes the place of what was there whole, or not at all."""

import errno
from pathlib import Path

import pytest

from karat.errors import OutputError
from karat.render.files import replacing


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
