"""No function and no command writes over what it reads: each option that names a file to write, with each one to read."""

import pytest

import adjudge as library
from adjudge.cli import FUNCTIONS as COMMAND_FUNCTIONS
from adjudge.cli import QUESTIONS
from adjudge.cli.command import Command
from adjudge.errors import OptionError
from adjudge.options.declaration import arguments
from made import DATA

FLAGS = DATA / "reliability" / "flags.json"
ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".toml")
NEEDED = {"model": "mockllm/model", "ability": "noise_robustness"}
FUNCTIONS = {name: arguments(getattr(library, name).options) for name in COMMAND_FUNCTIONS.values() if name}
PAIRS = [
    (function, written, read)
    for function, known in FUNCTIONS.items()
    for written, target in known.items()
    for read, source in known.items()
    if (target.kind.role, source.kind.role) == ("written", "read")
]


@pytest.mark.parametrize(("function", "written", "read"), PAIRS)
def test_a_function_writes_over_nothing_that_it_reads(tmp_path, function, written, read):
    known = FUNCTIONS[function]
    given = {name: value for name, value in NEEDED.items() if name in known}
    needed = {
        name: (*one.kind.endings, ".csv")[0]
        for name, one in known.items()
        if one.required and one.kind.role != "setting"
    }
    given |= {name: f"{name}{ending}" for name, ending in needed.items()}
    said = []
    for path in (tmp_path / f"x{ending}" for ending in ENDINGS):
        path.touch()
        with pytest.raises(OptionError) as caught:  # of most, that it does not write files of that ending
            getattr(library, function)(**{**given, read: str(path), written: str(path)})
        said.append(str(caught.value))
    assert any("would overwrite an input" in one for one in said)


REPORTING = {
    "agreement": "{}",
    "annotations": "{}",
    "card": "{}",
    "card correct": "{} --judges x",
    "compare": "{} other.parquet",
    "history": "{}",
    "preferences rank": "{}",
    "preferences": "gold.csv {}",
    "rag": "{}",
    "reliability": "{}",
    "show": "{}",
    "violations agreement": "{}",
    "violations calibrate": "{}",
    "violations": "truth.csv {}",
}
"""A command that writes what it prints -> what it reads."""


def test_every_command_that_writes_what_it_prints_is_tried():
    every = {
        name: {one.name: one.argument for one in Command(name).params if hasattr(one, "argument")} for name in QUESTIONS
    }
    assert {
        name
        for name, known in every.items()
        if "output" in known and "output" not in FUNCTIONS.get(COMMAND_FUNCTIONS[name], ())
    } == set(REPORTING)


@pytest.mark.parametrize("command", REPORTING)
def test_a_command_writes_no_report_over_what_it_reads(adjudge, tmp_path, command):
    path = tmp_path / "x.json"
    library.reliability(FLAGS).save(tmp_path / "x.json")
    path.touch()
    content = path.read_bytes()
    status, printed, said = adjudge(*command.split(), *REPORTING[command].format(path).split(), "--output", path)
    assert (status, printed) == (2, "")
    assert "would overwrite an input" in said
    assert path.read_bytes() == content
