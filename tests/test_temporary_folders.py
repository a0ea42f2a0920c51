"""What a killed process leaves is removed by the next, and nothing else is."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.render.files import replacing
from adjudge.temporary_folders import temporary_folder
from made import EXAMPLES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot say whether a process runs")

KILLED = """
import os, signal, sys
from pathlib import Path
from adjudge.readers.io.paths import scratch_file
from adjudge.render.files import replacing
scratch_file(".csv").write_text("a")
with replacing(Path("r.html")) as partial:
    partial.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def hidden(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir() if one.name.startswith((".r.html.", "adjudge-"))]


def test_what_a_killed_command_leaves_is_removed_by_the_next(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = {"cwd": tmp_path, "env": environment}
    subprocess.run([sys.executable, "-c", KILLED], check=False, **run)
    assert len(hidden(tmp_path)) == 2
    packed = tmp_path / "votes.csv.gz"
    packed.write_bytes(gzip.compress((EXAMPLES / "reliability" / "labels.csv").read_bytes()))
    columns = "item=question,annotator=worker,label=answer,reference=gold"
    command = [sys.executable, "-m", "adjudge", "reliability", packed, "--columns", columns, "--output", "r.html"]
    assert subprocess.run([*command, "-q"], check=False, **run).returncode == 0
    assert hidden(tmp_path) == []
    assert (tmp_path / "r.html").is_file()


def test_nothing_is_removed_but_what_an_ended_process_of_this_machine_left(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    made = temporary_folder(".r.html.", tmp_path).name
    stale = made.replace(f"-{os.getpid()}-", f"-{ended.pid}-")
    foreign = [made, ".r.html.old", stale[:-1], f"{stale}x", f"x{stale}", stale.replace(".html", ".csv")]
    foreign.append(stale.replace(stale.split(".")[3][:8], "00000000"))  # of another machine
    for name in (*foreign[1:], stale):
        (tmp_path / name).mkdir()
    (tmp_path / f"{stale[:-2]}ab").write_text("a file")
    (tmp_path / f"{stale[:-2]}cd").symlink_to(tmp_path / ".r.html.old")
    with replacing(tmp_path / "r.html") as partial:
        partial.write_text("whole")
    left = {one.name for one in tmp_path.iterdir()}
    assert left == {*foreign, "r.html", f"{stale[:-2]}ab", f"{stale[:-2]}cd"}
