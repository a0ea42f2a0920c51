"""Options are said once, in the signatures of the public functions."""

import inspect
import re

import pytest
from adjudge.api.calls import arguments_of, bound, documented
from adjudge.api.kinds import kind_of

import adjudge
from adjudge import OptionError
from adjudge.api import options
from adjudge.api.options import Option
from made import DATA

FLAGS = DATA / "reliability" / "flags.json"
PUBLIC = [getattr(adjudge, name) for name in adjudge.__all__]
FUNCTIONS = [one for one in PUBLIC if inspect.isfunction(one) and one is not adjudge.reliability_of]
"""Those with a command; reliability_of is `reliability` of two arrays, which no command line has."""


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_docstring_says_what_help_says_of_every_argument(function):
    section = re.search(r"Arguments\n---------\n((?:.+\n)+)", inspect.getdoc(function))[1]
    said = dict(re.findall(r"^(\w+): (.*(?:\n    .*)*)", section, re.MULTILINE))
    arguments = arguments_of(function)
    assert list(said) == list(arguments) == list(inspect.signature(function).parameters)
    for name, one in arguments.items():
        first = re.sub(r"--([a-z-]+)", lambda flag: flag[1].replace("-", "_"), one.option.help.split(". ")[0])
        assert " ".join(said[name].split()).startswith(first.removesuffix("."))


def misspelt(seed: options.Seed = 0) -> None:
    """Nothing.

    Arguments
    ---------
    sead: No argument is called so.
    """


def test_a_docstring_cannot_speak_of_an_argument_that_is_none():
    with pytest.raises(TypeError, match=r"arguments that are none: \['sead'\]"):
        documented(misspelt)


def test_an_option_of_an_unknown_type_needs_a_kind():
    with pytest.raises(KeyError):
        kind_of(set[str])
    assert Option("How many.", kind=kind_of(int)).kind.metavar == "N"


def test_what_is_written_is_no_input(tmp_path):
    votes = tmp_path / "votes.parquet"
    votes.write_bytes(FLAGS.read_bytes())
    with pytest.raises(OptionError, match="would be written over an input"):
        adjudge.reliability(votes, save_items=votes)
    assert votes.read_bytes() == FLAGS.read_bytes()


def test_signatures_leave_out_what_no_figure_depends_on(tmp_path):
    report = adjudge.reliability(FLAGS, examples=1, save_items=tmp_path / "items.parquet")
    assert report.signature == adjudge.reliability(FLAGS).signature
    assert report.options["examples"] == 1
    assert not {"save_items", "data", "progress"} & report.options.keys()


def test_arguments_come_in_one_form():
    given = dict.fromkeys(arguments_of(adjudge.rank_preferences))
    assert bound(adjudge.rank_preferences, given)["columns"] == {}
