"""Whatever a file holds, violations are read from it, or it is said what is wrong."""

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.errors import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.spans.violations import SpanReading, read_predictions, read_truth
from adjudge.schemas.violations import INVENTED, PLACE, SPANS, TEXT_PARTS, MarkedTexts
from made_marks import lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 40) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OFFSET = st.integers(-2, 12) | st.sampled_from(["1", "x", 2.5, None, True])
MARK = {"start": OFFSET, "end": OFFSET, "context": st.text("ab ", max_size=4) | JSON}
VIOLATION = st.fixed_dictionaries({}, optional=MARK | dict.fromkeys((*TEXT_PARTS, INVENTED), JSON))
WHO = st.sampled_from(["n", "m", None]) | JSON
FIELDS = {
    "id": st.sampled_from(["a", "b", 1, None]),
    "text": st.text("ab \U0001f600", max_size=9) | JSON,
    "violations": st.lists(VIOLATION | JSON, max_size=3) | JSON,
}
RECORD = st.fixed_dictionaries({}, optional=FIELDS | {"annotator": WHO, "checker": WHO})
MANY = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_anyhow(data, input_format=None, **options):
    """Reads as truth and as predictions; whatever goes wrong must be told as what is expected to go wrong."""
    reference = MarkedTexts(
        "gold", pl.DataFrame({"id": ["a", "b"], "text": ["abab", None]}), pl.DataFrame(schema=SPANS), 2
    )
    for read in (
        lambda source: [read_truth(source, SpanReading(**options))],
        lambda source: read_predictions(source, SpanReading(**options), reference, None),
        lambda source: read_predictions(source, SpanReading(**options), reference, "me"),
    ):
        try:
            found = read(sources(data, How(input_format), "violations")[0])
        except (DataError, OptionError):
            continue
        for marked in found:
            assert marked.texts["id"].is_unique().all()
            assert marked.spans.schema == pl.Schema(SPANS)
            texts = marked.texts["text"].gather(marked.spans[PLACE])
            ends = marked.spans["end"]
            placeless = marked.spans[INVENTED].is_not_null()
            assert marked.spans["start"].is_null().equals(placeless, check_names=False)
            assert ends.is_null().equals(placeless, check_names=False)
            assert (marked.spans["start"] >= 0).all()
            assert (marked.spans["start"] <= ends).all()
            assert (ends <= texts.str.len_chars()).fill_null(value=True).all()


@MANY
@given(records=st.lists(RECORD, min_size=1, max_size=4), drop=st.booleans())
def test_any_lines_are_read_or_refused(written, records, drop):
    path = written(lines(*records), "x.jsonl")
    for input_format in (None, "violations"):
        read_anyhow(path, drop=drop, input_format=input_format)


CELL = st.sampled_from(["a", "b", "", "-1", "0", "1", "2.0", "99", "x y", "é\U0001f600", '"'])
COLUMNS = ("id", "text", "start", "end", "context", "position", "rule", "annotator", "checker")


@MANY
@given(
    columns=st.permutations(COLUMNS),
    rows=st.lists(st.tuples(*[CELL] * len(COLUMNS)), max_size=4),
    width=st.integers(2, len(COLUMNS)),
    drop=st.booleans(),
)
def test_any_table_is_read_or_refused(written, columns, rows, width, drop):
    table = pl.DataFrame(
        {name: [row[at] for row in rows] for at, name in enumerate(columns[:width])},
        schema_overrides=dict.fromkeys(columns[:width], pl.String),
    )
    read_anyhow(table, drop=drop)
    read_anyhow(written(table.write_csv(), "x.csv"), drop=drop, quote_mismatch="warn")
