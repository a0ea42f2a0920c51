"""Exports of labelling tools: each is recognised by what is peculiar to it, and broken ones are refused in words."""

import pytest

from adjudge.readers.formats import formats
from adjudge.readers.inputs import sources
from adjudge.readers.labels.judgments import Options
from adjudge.readers.parsed_input import format_of, opened
from adjudge.schemas.judgments import FLAGS
from made_labels import SAMPLES

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
