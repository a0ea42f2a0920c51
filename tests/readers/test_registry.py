"""Every format declares itself, and recognises its own files and no other's; look knows whose."""

from importlib import import_module
from pkgutil import walk_packages

import pytest

import adjudge.readers
from adjudge import OptionError
from adjudge.readers.answers import answers
from adjudge.readers.formats import format_named, formats, names
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.labels import judgments
from adjudge.readers.pairs import pairs
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.spans import violations
from made_samples import ANSWERED, CONTAINERS, JUDGED, SAMPLES, in_container

EVALUATIONS = (None, "annotations", "preferences", "rag", "reliability", "violations")
ASKING = {
    "annotations": "adjudge alpaca-eval annotated-pairs long-votes pandalm pandalm-judge wide",
    "reliability": "argilla doccano label-studio prodigy",
    "violations": "argilla mqm",
}
"""Formats with files for which look's command must be told something first, such as whose labels are the reference."""
EVERY = [form for evaluation in EVALUATIONS for form in formats(evaluation)]


def test_every_format_that_a_module_declares_is_found_in_its_folder():
    named = walk_packages(adjudge.readers.__path__, "adjudge.readers.")
    held = [getattr(import_module(one.name), "FORMAT", ()) for one in named]
    declared = [form for one in held for form in (one if isinstance(one, tuple) else (one,))]
    assert {(form.evaluation, form.name) for form in declared} == {(form.evaluation, form.name) for form in EVERY}


def test_what_a_user_may_name_are_the_formats_of_the_evaluation_and_flat_tables(written):
    assert {"arena", "csv", "parquet"} <= set(names("annotations"))
    assert "arena" not in names("violations")
    with pytest.raises(OptionError, match=r'input_format: expected one of .*; got "arean"\nfix:   input_format arena'):
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


# --- recognition ---

OPTIONS = {
    "annotations": pairs.PairReading(),
    "rag": answers.AnswerReading(),
    "reliability": judgments.JudgmentReading(),
    "violations": violations.SpanReading(),
}
TOLD = [one for one in SAMPLES if one.evaluation in OPTIONS and one.format not in (*CONTAINERS, "wide")]
"""Formats that show in a file; that a table is wide is said by options."""
SEVERAL = {("violations", name) for name in ("argilla", "label-studio", "spans")}
"""Exports and tables that another evaluation may have a use for too: look names both."""

BESIDE = (
    "predictions: name a file",
    "expected a file of predictions beside it",
    "expected the true answers too",
    "fix: ",
)
"""What is lacking only because a test looks at one file of two."""


@pytest.mark.parametrize("sample", TOLD, ids=str)
def test_a_file_is_recognised_by_its_own_format_before_any_other(tmp_path, sample):
    (source,) = sources(sample.put(tmp_path), None, sample.evaluation)
    found = opened(source, OPTIONS[sample.evaluation])
    assert format_of(sample.evaluation, found).name == sample.format
    least = format_named(sample.evaluation, sample.format).precedence
    asked = [one for one in formats(sample.evaluation) if one.precedence >= least]
    assert [one.name for one in asked if one.recognise(found)] == [sample.format]


@pytest.mark.parametrize("sample", TOLD, ids=str)
def test_look_knows_the_evaluation_and_the_format_of_a_file(tmp_path, sample):
    look = adjudge.look(sample.put(tmp_path))
    form = None if sample.format == "spans" else sample.format
    fits = [(one.evaluation, one.form and one.form.name) for one in (look.fit, *look.others)]
    if (sample.evaluation, sample.format) in SEVERAL:
        assert (sample.evaluation, form) in fits
        return
    if fits[0][0] == "agreement" and sample.evaluation in ("annotations", "reliability"):  # where nobody is trusted
        assert look.command
        fits = [("reliability", look.fit.form.name), *fits] if sample.evaluation == "reliability" else fits[1:]
    assert fits[0] == (sample.evaluation, form)
    fit = next((one for one in (look.fit, *look.others) if one.evaluation == sample.evaluation), look.fit)
    asked = [one for one in fit.lacking if not any(said in one for said in BESIDE)]
    assert not asked or sample.format in ASKING.get(sample.evaluation, "").split()


@pytest.mark.parametrize(
    ("evaluation", "content"),
    [
        ("reliability", "item,annotator,label,reference\n1,x,a,a\n"),
        ("reliability", in_container(JUDGED, "jsonl")),
        ("reliability", in_container(JUDGED, "json")),
        ("reliability", "id,worker,answer,gold,text\n1,x,a,a,Hi\n"),
        *(("rag", in_container(ANSWERED, container)) for container in ("csv", "json", "jsonl")),
    ],
)
def test_a_table_in_the_form_of_adjudge_is_no_tools_export(written, evaluation, content):
    (source,) = sources(written(content, "rows.txt"), None, evaluation)
    assert format_of(evaluation, opened(source, OPTIONS[evaluation])) is None
