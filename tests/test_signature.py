import json
import shlex

import numpy as np
import pytest

from adjudge.api.reports import signature
from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.options.declaration import command_of
from adjudge.options.kinds import parsed_list, parsed_names, parsed_values

TABLE = 'my id,worker,"label, really",gold\n1,ann,"yes, sir","yes, sir"\n2,ann, no,"yes, sir"\n'
COLUMNS = {"item": "my id", "annotator": "worker", "label": "label, really", "reference": "gold"}


def command_with(**options):
    return command_of(ReliabilityOptions.of(options), [], "reliability")


def test_an_option_that_is_an_array_is_said():
    assert "weights" in signature("0.2.0", "reliability", {"weights": repr(np.ones(2))}, [])
    assert signature("0.2.0", "reliability", {"ci_level": np.float64(0.9)}, []).split("|")[2] == "ci_level=0.9"


@pytest.mark.parametrize("values", [["yes, sir", "no"], [r"a\,b", ",", "a,,b"], [" a ", "-x", "a=b"], ["back\\"]])
def test_listed_values_come_back_from_the_command(values):
    words = shlex.split(command_with(labels=values))[2:]
    assert set(words[::2]) == {"--labels"}
    assert parsed_list("--labels", words[1::2]) == values


@pytest.mark.parametrize("value", ["my id", "a,b=c", "a, b=c", " x ", "a=b", r"a\,b=c"])
def test_named_values_come_back_from_the_command(value):
    options = {"columns": {"item": value, "label": "x"}, "flag_values": {"flagged": [value, "y"], "clean": ["n"]}}
    words = shlex.split(command_with(**options))[2:]
    given = {flag: [text for name, text in zip(words[::2], words[1::2], strict=True) if name == flag] for flag in words}
    assert parsed_names("--columns", given["--columns"]) == options["columns"]
    assert parsed_values("--flag-values", given["--flag-values"]) == options["flag_values"]


def test_the_command_of_a_file_with_an_odd_name_gives_the_report_again(adjudge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-votes.csv").write_text(TABLE, encoding="utf-8")
    words = ["--columns", ", ".join(f"{name}={theirs}" for name, theirs in COLUMNS.items())]
    words += ["--labels", r"yes\, sir", "--labels", " no"]
    status, first, _ = adjudge("reliability", "./-votes.csv", *words, "--format", "json")
    report = json.loads(first)
    assert (status, report["options"]["labels"], report["options"]["columns"]) == (0, ["yes, sir", " no"], COLUMNS)
    command = shlex.split(report["command"])
    assert "./-votes.csv" in command
    assert adjudge(*command[1:], "--format", "json")[1] == first
