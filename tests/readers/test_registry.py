"""Every format declares itself, is listed in the docs, and recognises its own files and no other's."""

from importlib import import_module
from pkgutil import walk_packages

import pytest

import adjudge.readers
from adjudge import OptionError
from adjudge.readers.formats import formats, names
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.writers.conversions import FLAT
from made_samples import listed_formats

EVALUATIONS = (None, "annotations", "preferences", "rag", "reliability", "violations")
LISTED = listed_formats()
EVERY = [form for evaluation in EVALUATIONS for form in formats(evaluation)]


@pytest.mark.parametrize("form", EVERY, ids=lambda form: form.name)
def test_each_format_is_in_the_docs_list(form):
    row = LISTED[form.evaluation or "all", form.name]
    assert (row["usual endings"], row["what it is"]) == (" ".join(form.endings), form.about)


def test_the_docs_list_holds_no_other_format():
    assert [*LISTED] == [(form.evaluation or "all", form.name) for form in sorted(EVERY, key=_place)]


def test_every_format_that_a_module_declares_is_found_in_its_folder():
    named = walk_packages(adjudge.readers.__path__, "adjudge.readers.")
    held = [getattr(import_module(one.name), "FORMAT", ()) for one in named]
    declared = [form for one in held for form in (one if isinstance(one, tuple) else (one,))]
    assert {(form.evaluation, form.name) for form in declared} == {(form.evaluation, form.name) for form in EVERY}


def _place(form):
    return EVALUATIONS.index(form.evaluation), form.name


def test_what_a_user_may_name_are_the_formats_of_the_evaluation_and_flat_tables(written):
    assert {"arena", "csv", "parquet"} <= set(names("annotations"))
    assert "arena" not in names("violations")
    with pytest.raises(OptionError, match=r"input_format: expected one of .*; got arean\nfix:   input_format arena"):
        sources(written("a,b\n1,2\n", "x.csv"), How("arean"), "annotations")


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ("a,b\n1,2\n", "x.txt", "csv"),
        ("a\tb,c\td\n1\t2\t3\n", "x.csv", "tsv"),
        ('{"a": 1}\n{"a": 2}\n', "x.json", "jsonl"),
        ('{"a": 1}\n', "x.json", "json"),
        ('{"a": 1}\n', "x.jsonl", "jsonl"),
        ('{"a": 1}\n', "x.ndjson", "jsonl"),
        ('\n {"a":\n 1}', "x.jsonl", "jsonl"),
        ('{\n"a": 1}', "x.txt", "json"),
        ("\ufeff [1]", "x.csv", "json"),
    ],
)
def test_the_flat_form_of_a_file_shows_in_how_it_begins(written, content, name, expected):
    assert sources(written(content, name))[0].format == expected


def test_the_docs_say_which_formats_are_written():
    written = {name for (_, name), row in LISTED.items() if row["written"]}
    assert written == {"annotated-pairs", "adjudge", "violations", *(one.removeprefix(".") for one in FLAT)}
