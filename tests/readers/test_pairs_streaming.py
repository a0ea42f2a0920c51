"""AnnotatedPairs JSON is read in batches, to the same result as if each comparison were read by itself."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge import DataError
from adjudge.readers.pairs import annotated_pairs
from adjudge.writers.pair_files import annotated_pairs_json, write_columnar
from made_pairs import column, comparison, document, read, votes

MANY = [comparison(str(n), {"ann": "ab"[n % 2]}, a="yes " * n, metadata={"topic": f"t{n % 3}"}) for n in range(60)]


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(annotated_pairs, "_BATCH", 7)


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_file_of_many_batches_reads_like_one_of_a_single_batch(written, monkeypatch, indent):
    path = written(json.dumps(document(*MANY), indent=indent))
    found = read(path).frame.collect()
    monkeypatch.setattr(annotated_pairs, "_BATCH", 7)
    assert found.equals(read(path).frame.collect())
    assert found["pair"].to_list() == [str(n) for n in range(60)]


@pytest.mark.usefixtures("small_batches")
def test_problems_in_a_later_batch_name_the_comparison(written):
    rows = [*MANY[:50], comparison("bad", {"ann": "c"}), *MANY[50:], comparison("worse", a={})]
    with pytest.raises(DataError) as error:
        read(written(document(*rows)))
    lines = str(error.value).split("\n")
    assert "comparison 51, annotations.ann.pref" in lines[0]
    assert "comparison 62, column response_a.text: expected the text of a response" in lines[1]
    assert len(lines) == 3, "the last is the fix"
    pairs = read(written(document(*rows)), drop=True)
    assert pairs.frame.collect().height == 60
    assert pairs.warnings[0].startswith("2 invalid pairs were dropped")


@pytest.mark.usefixtures("small_batches")
def test_ids_that_stand_twice_are_numbered_wherever_they_stand(written):
    pairs = read(written(document(*MANY, MANY[3], MANY[3], MANY[7])))
    frame = pairs.frame.collect()
    assert frame["pair"].to_list() == [*map(str, range(60)), "3#2", "3#3", "7#2"]
    assert frame["text_a"].to_list()[60:] == ["yes " * 3, "yes " * 3, "yes " * 7]
    (warning,) = pairs.warnings
    assert warning == "pairs numbered, since their ids repeat earlier ones: 3, such as 3#2"


@pytest.mark.usefixtures("small_batches")
def test_json_that_breaks_off_or_is_wrong_in_a_later_batch_names_the_line(written):
    text = json.dumps(document(*MANY), indent=1)
    lines = text.split("\n")
    with pytest.raises(DataError, match=f"line {len(lines) - 200}.*truncated"):
        read(written("\n".join(lines[:-200])))
    wrong = next(n for n, line in enumerate(lines) if '"id": "40"' in line)
    lines[wrong] = '   "id": NaN,'
    with pytest.raises(DataError, match="invalid JSON: invalid character"):
        read(written("\n".join(lines)))
    lines[wrong] = '   "id": oh,'
    with pytest.raises(DataError, match=f"line {wrong + 1}, column 10: invalid JSON"):
        read(written("\n".join(lines)))


VOTED = {"ann": "a", "ben": {"pref": None, "no_pref_reason": "both"}}
USUAL = document(*(comparison(str(n), VOTED, metadata={"t": "x"}) for n in range(3)))


def outcome(path):
    """What a file is read as, or why it is refused."""
    try:
        pairs = read(path)
    except DataError as error:
        return str(error)
    return pairs.frame.collect().rows(), pairs.warnings, pairs.metadata


SPELT = {
    '"ann": {"pref": "a"}': [
        *('"ann": {"pref": "a"}, "ann": {"pref": "a"}', '"nobody": {"pref": "a"}', '"ann": 241', '"ann": null', '"ann": {}'),
        *('"ann": {"pref": "c"}', '"ann": {"pref": "a", "pref": "a"}', '"ann": { "pref":"a" }', '"ann": {"pref": "a"}, "nobody": {}'),
    ],
    '"id": "1"': ['"id": "1", "id": "1"', '"id": null', '"id": 1'],
    '"annotations": {': ['"annotations": null, "annotations": {'],
    '"text": "yes"': [
        f'"text": {one}' for one in ('"yes", "text": "yes"', '"yes", "model": "x"', '"y\tes"', '"y\\es"', '"\\u12"', '"\\ud800"', "5", "null", '"say \\"\\\\\\": {\\"a\\""')
    ],
    '"prompt": "Really?"': [f'"prompt": {one}' for one in ('["Really?"]', "1.0", "01", '"Really?",')],
    '"metadata": {"t": "x"}': ['"metadata": {"annotations": {"ann": {"pref": "a"}}, "metadata": 1}'],
    '{"t": "x"}': ['{"adjudge:votes": "x"}', '{"t": {"id": "x"}}', "null", '{"t": "x"}, "t": 1', '{"t": "x"}, "adjudge\\u003avotes": "x"'],
}  # fmt: skip


@pytest.fixture
def strictly(monkeypatch):
    """Makes every comparison be read by itself."""
    return lambda: monkeypatch.setattr(annotated_pairs, "names_once", lambda *_: False)


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, spelt in SPELT.items() for new in spelt])
def test_comparisons_that_are_spelt_otherwise_are_read_as_if_each_were_parsed(written, strictly, old, new):
    before, after = json.dumps(USUAL).split('{"id": "1"')
    after = '{"id": "1"' + after
    assert old in after
    path = written(before + after.replace(old, new, 1))
    fast = outcome(path)
    strictly()
    assert fast == outcome(path)


@pytest.mark.parametrize("name", ['says "hi"', "back\\slash", "two\nlines"])
def test_names_that_json_escapes_are_read(written, name):
    rows = [comparison("1", {name: "a"}, metadata={name: "x"}), comparison("2", {name: "b", "ben": "a"})]
    pairs = read(written(document(*rows, annotators=[name, "ben"])))
    assert votes(pairs) == {name: ["text_a", "text_b"], "ben": ["missing", "text_a"]}
    assert column(pairs, name) == ["x", None]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('"metadata": {"t": "x"}', '"metadata": {"t": "x", "late": "7"}', "late"),
        ('"response_b": {', '"response_b": {"seed": 7, ', "response_b.seed"),
    ],
)
@pytest.mark.usefixtures("small_batches")
def test_names_that_appear_late_are_columns_too(written, old, new, name):
    rows = [comparison(str(number), metadata={"t": "x"}) for number in range(40)]
    before, after = json.dumps(document(*rows)).split('{"id": "30"')
    pairs = read(written(before + '{"id": "30"' + after.replace(old, new, 1)))
    assert pairs.metadata == ("t", name)
    assert column(pairs, name) == [None] * 30 + ["7"] + [None] * 9


def test_names_at_the_top_of_comparisons_that_are_not_read_are_told(written):
    pairs = read(written(document(comparison("1"), comparison("2", seed=7))))
    assert pairs.warnings == ("comparisons have names that are not read: seed (first in comparison 2)",)


@pytest.mark.parametrize(
    ("number", "text"),
    [("5.0", "5"), ("5.10", "5.1"), ("1e5", "100000"), ("1e-7", "0.0000001"), ("1e16", "10000000000000000"),
     ("12345678901234567890123", "12345678901234567890123"), ("true", "true"), ('"5.0"', "5.0"), ("null", None)],
)  # fmt: skip
def test_numbers_in_metadata_read_as_the_shortest_text(written, number, text):
    pairs = read(written(json.dumps(USUAL).replace('"t": "x"', f'"t": {number}')))
    assert pairs.frame.collect()["t"].to_list() == [text] * 3


BOTH, NO_REASON = {"pref": None, "no_pref_reason": "both"}, {"pref": "a", "no_pref_reason": None}
PREF = st.sampled_from([{"pref": "a"}, {"pref": "b"}, {"pref": None}, BOTH, NO_REASON, None])
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN_ROW = st.builds(
    lambda prompt, a, b, model, spelt, topic: {
        **comparison("", spelt),
        "prompt": prompt,
        "response_a": {"text": a, **({"model": model} if model is not None else {})},
        "response_b": {"text": b, "seed": "7"},
        "metadata": {} if topic is None else {"topic": topic, "pair": topic},
    },
    PLAIN | st.none(), PLAIN, PLAIN, PLAIN | st.none(), st.dictionaries(st.sampled_from(["ann", "ben"]), PREF), PLAIN | st.none(),
)  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(PLAIN_ROW, min_size=1, max_size=6))
def test_json_and_columnar_files_read_back_what_was_written(tmp_path, rows):
    named = [{**row, "id": str(number)} for number, row in enumerate(rows)]
    path = tmp_path / "in.json"
    path.write_text(json.dumps(document(*named, default_annotator="ann", dataset_name="d")), "utf-8")
    pairs = read(path)
    (tmp_path / "out.json").write_text("".join(annotated_pairs_json(pairs)), "utf-8", newline="")
    write_columnar(pairs, tmp_path / "out.parquet")
    for name in ("out.json", "out.parquet"):
        again = read(tmp_path / name)
        assert (again.name, again.annotators, again.default) == (pairs.name, pairs.annotators, "ann")
        assert set(again.metadata) == set(pairs.metadata)
        columns = sorted(pairs.frame.collect_schema())
        assert again.frame.select(columns).collect().equals(pairs.frame.select(columns).collect())
