"""Whatever becomes of a good file, every reader makes a report of it or says in words what is wrong."""

import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import DataError, MissingError, OptionError
from adjudge.readers.formats import formats
from fuzz.mutating import mutated
from made_samples import CONTAINERS, SAMPLES, SCORED

EVALUATIONS = ("annotations", "preferences", "rag", "reliability", "violations")
REFUSED = (DataError, OptionError, MissingError)
NAMED = [(one, form.name) for one in EVALUATIONS for form in (*formats(one), *formats())]
# Answers and judgments of every format are scored in tests/cli/test_convert.py, flat tables in test_same_table.py.
OWN = [one for one in SAMPLES if one.evaluation not in ("rag", "reliability") and one.format not in CONTAINERS]


@pytest.mark.parametrize("sample", OWN, ids=str)
def test_a_good_file_ends_in_a_report(tmp_path, sample):
    report = sample.score(sample.put(tmp_path))
    assert any(table.height for table in report.tables.values())


def test_every_format_has_a_sample():
    flat = {form.name for form in formats()}
    own = {(one.evaluation.replace("rank", "preferences"), one.format) for one in SAMPLES}
    needing_spacy = {("violations", "spacy-docbin")}
    assert {(one, name) for one, name in NAMED if name not in flat} == {
        x for x in own if x[1] not in flat
    } | needing_spacy
    assert {(one, name) for one in ("preferences", "rag", "reliability") for name in flat} <= own


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_file_gone_bad_ends_in_a_report_or_in_words(tmp_path, sample):
    path = sample.put(tmp_path, mutated(sample.content, Random(str(sample))))  # make fuzz tries more
    with suppress(*REFUSED):
        sample.score(path)


@pytest.mark.parametrize(("evaluation", "name"), NAMED)
@settings(max_examples=2)
@given(
    content=st.binary(min_size=1, max_size=60) | st.text('ab1,:;|\t\n[]{}"', min_size=1, max_size=60).map(str.encode)
)
def test_any_content_ends_in_a_report_or_in_words(evaluation, name, content):
    with tempfile.TemporaryDirectory() as folder, suppress(*REFUSED):
        path = Path(folder) / "file.txt"
        path.write_bytes(content)
        SCORED[evaluation](path, reading=adjudge.Reading(input_format=name))


def test_look_refuses_no_file_that_can_be_opened(tmp_path):
    draw, path = Random(1), tmp_path / "file.txt"
    for _ in range(30):
        path.write_bytes(mutated(draw.choice(SAMPLES).content, draw))
        with suppress(OptionError):
            adjudge.look(path)
