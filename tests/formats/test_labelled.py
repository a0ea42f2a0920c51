"""Exports of labelling tools: each is recognised by what is peculiar to it, and broken ones are refused in words."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import karat
from karat import DataError, OptionError
from karat.formats.inputs import sources
from karat.formats.judgments import Options
from karat.formats.opened import format_of, opened
from karat.formats.source import formats
from karat.schemas.judgments import FLAGS
from made_labels import SAMPLES

KEYS = (
    "id", "data", "annotations", "predictions", "result", "value", "choices", "completed_by", "fields", "responses", "user_id",
    "tone", "suggestions", "accept", "label", "answer", "meta", "user", "results", "gradingResult", "testCase", "assert",
    "componentResults", "assertion", "vars", "doc_id", "target", "filtered_resps", "filter", "eval", "samples", "scores",
    "individual_preference", "overall_preference", "score", "helpfulness", "metadata", "type", "from_name",
)  # fmt: skip
"""What exports hold somewhere."""

OPTIONS = Options({}, (), (), FLAGS, None, drop=False)


@pytest.mark.parametrize("name", SAMPLES)
def test_each_sample_is_recognised_by_its_own_format_alone(written, name):
    (source,) = sources(written(SAMPLES[name][1], SAMPLES[name][0]), None, "reliability")
    found = opened(source, OPTIONS)
    assert [form.name for form in formats("reliability") if form.recognise(found)] == [name.partition(",")[0]]


@pytest.mark.parametrize(
    "content",
    [
        "item,annotator,label,reference\n1,x,a,a\n",
        '{"item": 1, "annotator": "x", "label": "a", "reference": "a"}\n{"item": 2, "annotator": "x", "label": "b"}\n',
        '[{"item": 1, "annotator": "x", "label": "a", "reference": "a"}]',
        "id,worker,answer,gold,text\n1,x,a,a,Hi\n",
    ],
)
def test_a_long_table_is_no_tools_export(written, content):
    (source,) = sources(written(content, "votes.txt"), None, "reliability")
    assert format_of("reliability", opened(source, OPTIONS)) is None


@pytest.mark.parametrize("name", sorted({name.partition(",")[0] for name in SAMPLES}))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(
    content=st.binary(max_size=60)
    | st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
def test_arbitrary_content_ends_in_a_report_or_in_words(written, name, content):
    with suppress(DataError, OptionError):
        karat.reliability(written(content, "votes.json"), input_format=name, reference="1")
