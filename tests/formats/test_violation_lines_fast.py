"""Violations read fast are those read value by value, whatever a file holds; nothing out of the ordinary is read fast."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from karat.errors import DataError
from karat.formats import violation_lines
from karat.formats.inputs import sources
from karat.formats.opened import opened
from karat.formats.source import How
from karat.formats.violation_lines_fast import plain_lines
from karat.formats.violations import Options

MARK = {"start": 0, "end": 5, "rule": "claim", "explanation": 'says "it": no'}
LINE = {"id": "t1", "text": 'Tea: "x": \U0001f600 \\ [null]', "violations": [MARK, {"context": "Tea", "rule": "a"}]}
PLAIN = [LINE, {"id": "t2", "text": "", "violations": []}, {"id": 3, "annotator": "ann", "violations": [MARK]}]


def text(objects, **options):
    return "".join(json.dumps(one, **options) + "\n" for one in objects)


def both(path, **options):
    """The file as it is read fast, or None, and value by value, or what is wrong with it."""
    source, reading = sources(path, How(input_format="violations"), "violations")[0], Options(**options)
    source = opened(source, reading).source
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(violation_lines, "plain_lines", lambda *_: None)
        try:
            slow = violation_lines.read_violation_lines(opened(source, reading))
        except DataError as error:
            slow = error
    try:
        return plain_lines(source, reading, reading.theirs("violations")), slow
    except DataError as error:
        return error, slow


def check_same(path, **options):
    """Whether the file was read fast; if so, nothing may be wrong with it, and it must be the same."""
    try:
        fast, slow = both(path, **options)
    except DataError:  # no text of any kind
        return False
    if fast is None or isinstance(fast, DataError):
        return False
    assert not isinstance(slow, DataError)
    assert (slow.bad_lines.total, slow.bad_spans.total) == (0, 0)
    assert_frame_equal(fast.lines, slow.lines)
    assert_frame_equal(fast.spans, slow.spans)
    assert (fast.rows, fast.warnings, fast.unit) == (slow.rows, slow.warnings, slow.unit)
    return True


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_plain_files_are_read_fast(written, ascii_only, separators):
    assert check_same(written(text(PLAIN, ensure_ascii=ascii_only, separators=separators), "v.jsonl"))


@pytest.mark.parametrize(
    "lines",
    [
        [{**LINE, "violations": [{**MARK, "severity": "high"}, MARK]}],
        [{**LINE, "violations": [{**MARK, "rule": None}, MARK]}, {"id": "x", "text": None, "violations": []}],
        [{**LINE, "topic": "tea"}, {"id": "u", "violations": []}],
        [{"id": "a", "violations": [{}, MARK]}],
        [{"id": "a", "violations": [{}, {"severity": "high"}]}],
        [{"id": 12.5, "violations": [{"start": 1.0, "end": 2.0}]}],
        [{"id": True, "text": "yes", "violations": [{"start": "1", "end": 2.0}]}],
    ],
)
def test_what_is_unusual_but_plain_is_read_fast(written, lines):
    assert check_same(written(text(lines), "v.jsonl"))


def test_columns_may_have_other_names(written):
    lines = [{"doc": 1, "part": 2, "body": "Tea", "lang": "en", "spans": [{"from": 0, "to": 2, "label": "x"}]}]
    columns = {"id": "doc+part", "text": "body", "violations": "spans", "start": "from", "end": "to", "rule": "label"}
    assert check_same(written(text(lines), "v.jsonl"), columns=columns, further={"by": "lang"})


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "a", "id": "b", "violations": []}',
        '{"id": "a", "violations": [{"start": 0, "end": 1, "end": 2}]}',
        '{"id": "a", "violations": [{"start": 0, "end": 1, "rule": ["x"]}]}',
        '{"id": "a", "violations": [{"start": 0, "end": 1, "rule": {}}]}',
        '{"id": "a", "violations": [null]}',
        '{"id": "a", "violations": null}',
        '{"id": "a"}',
        '{"id": "a", "text": "\\ud800", "violations": []}',
        '{"id": 1e22, "violations": []}',
        '{"id": -0, "violations": []}',
        '{"id": 0.00001, "violations": []}',
        '{"id": "a", "meta": {"x": 1}, "violations": []}',
        '{"id" : "a", "violations": []}',
        "[]",
        "",
    ],
)
def test_what_is_out_of_the_ordinary_is_read_value_by_value(written, content):
    good = text([LINE] * 1200)  # it stands behind the lines that are looked at first
    assert not check_same(written(f"{good}{content}\n{good}", "v.jsonl"))


def test_lines_that_say_what_became_of_a_question_are_read_value_by_value(written):
    assert not check_same(written(text([{**LINE, "outcome": "answered"}]), "v.jsonl"), predictions=True)


TEXT = st.text(st.sampled_from('a1[{:",\\ \U0001f600\t'), max_size=5)
VALUE = st.none() | st.booleans() | st.integers(-3, 40) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
MARKS = st.lists(
    st.dictionaries(st.sampled_from(["start", "end", "rule", "x", '"', "\\"]), VALUE, max_size=4), max_size=3
)
LINES = st.lists(
    st.fixed_dictionaries({"violations": MARKS}, optional=dict.fromkeys(["id", "text", "annotator", "y:"], VALUE)),
    min_size=1,
    max_size=4,
)
MANY = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(lines=LINES, compact=st.booleans(), ascii_only=st.booleans())
def test_any_lines_read_alike(written, lines, compact, ascii_only):
    separators = (",", ":") if compact else (", ", ": ")
    check_same(written(text(lines, separators=separators, ensure_ascii=ascii_only), "v.jsonl"))


@MANY
@given(at=st.integers(0, 400), instead=st.binary(max_size=3), cut=st.integers(0, 3))
def test_any_mutation_of_a_file_reads_alike(written, at, instead, cut):
    good = text(PLAIN).encode()
    check_same(written(good[:at] + instead + good[at + cut :], "v.jsonl"))
