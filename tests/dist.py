"""Checks what `make dist` built: what is in the wheel and in the sdist. Usage: dist.py FOLDER."""

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parent.parent
BESIDE = {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "constraints.txt", "pyproject.toml"}
"""What an sdist needs beside the sources and the tests, to be built from and tried."""


def tracked(folder: str) -> set[str]:
    """The files of a folder of the project, as git knows them."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True)
    return set(listed.stdout.splitlines())


def check_wheel(path: Path) -> None:
    """It holds every file of the package, the licence and what describes it, and nothing else."""
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        about = message_from_bytes(wheel.read(next(name for name in names if name.endswith("/METADATA"))))
    described = {name for name in names if ".dist-info/" in name}
    expected = {name.removeprefix("src/") for name in tracked("src")}
    differs = expected ^ (names - described)
    assert not differs, f"{path.name}: lacks, or holds beside the package: {sorted(differs)}"
    assert {Path(name).name for name in described} >= {"LICENSE", "METADATA", "RECORD", "entry_points.txt"}
    assert about["License-Expression"] == "Apache-2.0"
    assert "adjudge/py.typed" in names


def check_sdist(path: Path) -> None:
    """It holds what is needed to build the package and to try it, and nothing that is not tracked."""
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()} - {"PKG-INFO"}
    wanted = tracked("src") | tracked("tests") | tracked("examples") | BESIDE
    assert wanted <= names, f"{path.name}: lacks {sorted(wanted - names)}"
    assert names <= tracked("."), f"{path.name}: holds {sorted(names - tracked('.'))}, which git does not know"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (built,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(built)
    check_sdist(source)
