"""No function and no command writes over what it reads: each option that names a file to write, with each one to read."""

import pytest
from adjudge.api.calls import arguments_of, bound

import adjudge as library
from adjudge.cli.commands import COMMANDS, commands_of
from adjudge.errors import OptionError
from adjudge.evaluations import NAMES
from made import DATA

FLAGS = DATA / "reliability" / "flags.json"
ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".toml")
NEEDED = {"model": "mockllm/model", "ability": "noise_robustness"}
FUNCTIONS = [
    one
    for name in library.__all__
    if hasattr(one := getattr(library, name), "__kwdefaults__") and name != "reliability_of"
]
PAIRS = [
    pytest.param(function, written, read, id=f"{function.__name__}-{written}-{read}")
    for function in FUNCTIONS
    for written, target in arguments_of(function).items()
    for read, source in arguments_of(function).items()
    if (target.kind.role, source.kind.role) == ("written", "read")
]


@pytest.mark.parametrize(("function", "written", "read"), PAIRS)
def test_a_function_writes_over_nothing_that_it_reads(tmp_path, function, written, read):
    known = arguments_of(function)
    given = {name: value for name, value in NEEDED.items() if name in known}
    given |= {
        name: f"{name}.csv" for name, one in known.items() if one.kind.role == "read" and isinstance(one.default, type)
    }
    said = []
    for path in (tmp_path / f"x{ending}" for ending in ENDINGS):
        path.touch()
        with pytest.raises(OptionError) as caught:  # of most, that it does not write files of that ending
            bound(function, {**given, read: str(path), written: str(path)})
        said.append(str(caught.value))
    assert any("would be written over an input" in one for one in said)


REPORTING = {
    "agreement score": "{}",
    "annotations score": "{}",
    "card score": "{}",
    "card correct": "{} --judges x",
    "compare": "{} other.parquet",
    "history": "{}",
    "preferences rank": "{}",
    "preferences score": "gold.csv {}",
    "rag audit": "{}",
    "rag score": "{}",
    "reliability score": "{}",
    "show": "{}",
    "violations agreement": "{}",
    "violations calibrate": "{}",
    "violations score": "truth.csv {}",
}
"""A command that writes what it prints -> what it reads."""


def test_every_command_that_writes_what_it_prints_is_tried(adjudge):
    every = [*COMMANDS, *(f"{name} {command}" for name in NAMES for command in commands_of(name))]
    assert {one for one in every if "Also write " in adjudge(*one.split(), "--help")[1]} == set(REPORTING)


@pytest.mark.parametrize("command", REPORTING)
def test_a_command_writes_no_report_over_what_it_reads(adjudge, tmp_path, command):
    path = tmp_path / ("x.csv" if command == "rag audit" else "x.json")
    library.reliability(FLAGS).save(tmp_path / "x.json")
    path.touch()
    content = path.read_bytes()
    status, printed, said = adjudge(*command.split(), *REPORTING[command].format(path).split(), "--output", path)
    assert (status, printed) == (2, "")
    assert "would be written over an input" in said
    assert path.read_bytes() == content
