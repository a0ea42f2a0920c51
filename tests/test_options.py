"""Options are declared once, for Python and for the command line."""

import inspect
import re

import pytest

import adjudge
from adjudge import OptionError
from adjudge.api.functions import options_class
from adjudge.cli import FUNCTIONS as COMMAND_FUNCTIONS
from adjudge.cli import QUESTIONS
from adjudge.cli.command import Command, Flag
from adjudge.options.declaration import GROUPS, arguments
from adjudge.options.kinds import kind_of
from adjudge.options.shared import Reading
from made import DATA

FLAGS = DATA / "reliability" / "flags.json"
FUNCTIONS = [*sorted({*filter(None, COMMAND_FUNCTIONS.values())}), "score"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_signature_and_the_docstring_list_every_option(function):
    called = getattr(adjudge, function)
    parameters = inspect.signature(called).parameters
    _, _, section = inspect.getdoc(called).partition("\nOptions\n-------\n")
    listed = [line.partition(":")[0] for line in section.splitlines() if not line.startswith(" ")]
    assert listed == list(parameters)
    own = {name: one for name, one in arguments(options_class(function)).items() if not one.holder}
    assert parameters.keys() - own.keys() <= {"reading"}
    for name, one in own.items():
        assert parameters[name].default in (one.default, inspect.Parameter.empty)
        assert one.help.text.split()[0] in section


@pytest.mark.parametrize("command", QUESTIONS)
def test_every_option_has_a_group_and_help_that_is_no_sentence(command):
    for one in Command(command).params:
        text = one.argument.help.text if hasattr(one, "argument") else one.help
        assert text[0] == text[0].upper()
        assert text[0].isalpha()
        assert re.search(r"[^.]$|[.]{3}$", text)
        assert not isinstance(one, Flag) or one.argument.help.group in GROUPS


def test_an_option_of_an_unknown_type_needs_a_kind():
    with pytest.raises(KeyError):
        kind_of(set[str])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjudge.reliability(FLAGS, refrence="x"), "reliability.* 'refrence'; did you mean reference?"),
        (lambda: adjudge.reliability(FLAGS, encoding="cp1252"), r"give reading=adjudge\.Reading\(encoding=\.\.\.\)"),
        (adjudge.reliability, "reliability.* is missing the argument 'data'"),
        (lambda: Reading(encodin="cp1252"), "Reading.* 'encodin'"),
        (lambda: adjudge.compare([FLAGS], 3), "compare"),
    ],
)
def test_arguments_that_a_function_does_not_have_are_type_errors(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_options_that_concern_files_alone_are_held_by_reading(written):
    path = written("item;annotator;label;reference\n1;ann;ä;ä\n".encode("cp1252"), "votes.csv")
    reading = adjudge.Reading(encoding="windows-1252", separator=";")
    options = adjudge.reliability(path, reading=reading).options
    assert (options["encoding"], options["separator"]) == ("cp1252", ";")
    with pytest.raises(OptionError, match="separator: expected one sign"):
        adjudge.Reading(separator="x")
    with pytest.raises(AttributeError):
        reading.encoding = "utf-8"


def test_a_text_counts_as_a_list_of_one(written):
    path = written("item,annotator,label,reference,topic\n1,ann,a,a,x\n2,ann,a,b,y\n", "votes.csv")
    assert adjudge.reliability(path, by="topic") == adjudge.reliability(path, by=["topic"])


def test_what_is_written_is_no_input(tmp_path):
    votes = tmp_path / "votes.parquet"
    votes.write_bytes(FLAGS.read_bytes())
    with pytest.raises(OptionError, match="would overwrite an input"):
        adjudge.reliability(votes, save_items=votes)
    assert votes.read_bytes() == FLAGS.read_bytes()


def test_signatures_leave_out_what_no_figure_depends_on(tmp_path):
    report = adjudge.reliability(FLAGS, examples=1, save_items=tmp_path / "items.parquet")
    assert report.signature == adjudge.reliability(FLAGS).signature
    assert report.options["examples"] == 1
    assert not {"save_items", "data", "progress"} & report.options.keys()


def test_options_are_made_from_values_by_name():
    options = options_class("reliability").of({"by": "topic", "encoding": "cp1252", "unknown": 1})
    assert (options.data, options.by, options.reading.encoding) == ((), ("topic",), "cp1252")
    assert options.given_names() == ["data", "by", "encoding"]
