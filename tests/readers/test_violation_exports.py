"""Violations from exports of annotation tools and data sets, in the shapes that these write: worked by hand."""

import pytest

import adjudge as library
import made_marks as made
from adjudge.errors import OptionError
from adjudge.readers.inputs import sources
from adjudge.schemas.violations import PLACE
from made_marks import lines
from made_violations import refusal, spans, truth

REBUILT = "texts are rebuilt from their tokens, with a space between any two"
SUGGESTED = "predictions are excluded unless their model is named: llm 1"
ALONE = "records without a response that counts: 1"
COUNTED = "# http://x [2009]\n1\tCures\tO\tB-claim\n2\theadache\tO\tO\n\n1\ttea\tO\tO\n"
BOTH = [(0, 0, 5, "claim"), (0, 6, 14, "illness")]


def listed(**mark):
    """A text with tokens and a mark in lists of any names, and one without."""
    row = {"id": 1, "text": made.TEXT, "tokens": [{"start": 0, "end": 5}], "found": [mark]}
    return lines(row, {"id": 2, "text": "tea", "tokens": [], "found": []})


@pytest.mark.parametrize(
    ("file", "content", "options", "texts", "marks", "warnings"),
    [
        ("all.jsonl", made.DOCCANO, {}, {"4": made.TEXT, "5": "Fine \U0001f600 tea"}, BOTH, ()),
        ("all.jsonl", made.DOCCANO_RELATIONS, {}, {"4": made.TEXT, "5": "tea"}, BOTH[:1], ("relations between spans are excluded, since they mark no text: 1",)),
        ("a.json", made.ARGILLA, {"annotators": ["u1"]}, {"a1": made.TEXT}, BOTH[:1], (ALONE, SUGGESTED)),
        ("a.json", made.ARGILLA, {"annotators": ["u2"]}, {"a1": made.TEXT}, [], (ALONE, SUGGESTED, "nothing is marked in any text")),
        ("s.jsonl", lines(*made.STRUCTS), {}, {"x": made.TEXT, "y": "tea"}, BOTH, ()),
        ("x.conll", made.CONLL, {}, {"s1": "Cures headache .", "2": "Fine 😀 tea"}, [(0, 0, 14, "claim"), (1, 7, 10, "drink")], (REBUILT,)),
        ("x.tsv", COUNTED, {}, {"1": "Cures headache", "2": "tea"}, BOTH[:1], (REBUILT,)),
        ("f.jsonl", listed(entity_group="claim", score=0.9, word="headache", start=6, end=14), {}, {"1": made.TEXT, "2": "tea"}, [(0, 6, 14, "claim")], ()),
        ("f.jsonl", listed(startOffset=6, endOffset=14, className="claim", type="entity"), {}, {"1": made.TEXT, "2": "tea"}, [(0, 6, 14, "claim")], ()),
    ],
)  # fmt: skip
def test_marks_of_tools_and_data_sets_are_violations(written, file, content, options, texts, marks, warnings):
    found = truth(written(content, file), **options)
    assert dict(found.texts.select("id", "text").rows()) == texts
    assert spans(found) == marks
    assert found.warnings == warnings


def test_the_last_column_of_tags_counts_and_metadata_is_carried(written):
    found = truth(written("Cures VB B-VP O\ntea NN B-NP B-drink\n", "x.txt"), "conll")
    assert spans(found) == [(0, 6, 9, "drink")]
    found = truth(written(made.ARGILLA, "records.json"), annotators=["u2"], further={"by": "lang"})
    assert found.texts.rows() == [("a1", made.TEXT, "en")]


def test_older_exports_of_doccano_name_annotators_and_need_no_ids(written):
    old = [{"label": 3, "start_offset": 0, "end_offset": 5, "user": user} for user in (1, 2)]
    path = written([{"text": made.TEXT, "annotations": old}, {"text": made.TEXT, "annotations": old[:1]}], "old.json")
    assert "got 2\nfound: 1, 2\n" in refusal(truth, path, kind=OptionError)
    assert truth(path, annotators=["1"]).texts["id"].to_list() == ["1", "2"]
    assert spans(truth(path, annotators=["2"])) == [(0, 0, 5, "3")]


def test_the_text_of_argilla_may_be_named(written):
    records = [{**made.ARGILLA[0], "fields": {"prompt": "p", "answer": made.TEXT}}]
    path = written(records, "records.json")
    assert "fields: expected one text; got prompt, answer\n" in refusal(truth, path, annotators=["u1"])
    assert truth(path, annotators=["u1"], columns={"text": "answer"}).texts["text"].to_list() == [made.TEXT]


def test_brat_is_a_text_with_annotations_beside_it(written):
    text, marks = written(made.BRAT_TEXT, "doc.txt"), written(made.BRAT, "doc.ann")
    for path in (text, marks):
        found = truth(path)
        assert found.texts.rows() == [("doc", made.BRAT_TEXT)]
        assert spans(found, "start", "end", "rule", "explanation") == [
            (0, 5, "Claim", "says what tea does\nand how"),
            (0, 26, "Drink", None),
        ]
        assert found.warnings == (
            "span of several pieces counts from the start of the first to the end of the last: 1",
            "events, relations, attributes and the like, which mark no text, are excluded: 3",
        )


def test_each_list_of_spans_beside_a_text_is_an_annotators(written):
    path = written(lines(*made.SPAN_LISTS), "a.jsonl")
    found = truth(path, annotators=["gold"])
    assert (found.texts["id"].to_list(), spans(found)) == (["1", "2", "3"], [(0, 0, 5, "claim")])
    ours = truth(path, annotators=["ours"])  # which did not look at the last text
    assert (ours.texts["id"].to_list(), spans(ours)) == (["1", "2"], [(1, 0, 4, "praise")])
    look = library.look(path)
    assert look.fit.form.name == "span-lists"
    assert look.command.endswith("--truth-annotator gold")


def test_lists_of_triples_besides_doccanos_are_annotators(written):
    text = {"id": 1, "text": "It cures all."}
    path = written(
        lines({**text, "entities": [[0, 2, "a"]], "guess": []}, {**text, "id": 2, "guess": [[3, 8, "b"]]}), "a.jsonl"
    )
    assert [spans(truth(path, annotators=[name])) for name in ("entities", "guess")] == [
        [(0, 0, 2, "a")],
        [(1, 3, 8, "b")],
    ]


def test_a_folder_of_brat_is_one_input(tmp_path):
    for name in ("b", "more/a"):
        place = tmp_path / "data" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.with_suffix(".txt").write_text(made.BRAT_TEXT)
        place.with_suffix(".ann").write_text(made.BRAT)
    found = truth(tmp_path / "data")
    assert found.texts["id"].to_list() == ["b", "more/a"]
    assert found.spans.height == 4
    report = library.violations(tmp_path / "data", tmp_path / "data", checker="own")
    before = report.inputs[0].sha256
    (tmp_path / "data" / "b.txt").write_text(made.BRAT_TEXT.upper())
    assert sources(tmp_path / "data", None, "violations")[0].sha256() != before
    (tmp_path / "data" / "b.txt").unlink()
    assert "b.txt: no such file; expected the text and its annotations side by side" in refusal(
        truth, tmp_path / "data"
    )


def test_only_line_feeds_end_lines_of_brat_and_conll(written):
    written("a\u2028b", "doc.txt")
    assert spans(truth(written("T1\tClaim 0 3\ta\u2028b\r\n", "doc.ann"))) == [(0, 0, 3, "Claim")]
    assert spans(truth(written("a\u2028b\tB-x\n", "x.tsv"))) == [(0, 0, 3, "x")]


def test_annotations_of_several_tokens_are_one_by_their_id(written):
    found = truth(written(made.WEBANNO, "anna.tsv"))
    assert found.texts.rows() == [("1", "Cures 😀 headache."), ("2", "Fine [tea]")]
    marks = [(0, 0, 5, "tone"), (0, 0, 7, "claim"), (0, 8, 12, "Claim"), (1, 0, 4, "tone"), (1, 5, 10, "tone")]
    assert spans(found) == marks
    assert found.warnings == ("layers of grammar, chains and relations are excluded: 2",)


@pytest.fixture
def docbin(tmp_path):
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin, Span

    nlp = spacy.blank("en")
    document = nlp.make_doc("Cures 😀 headache.")
    document.ents = [Span(document, 0, 1, "claim")]
    document.spans["sc"] = [Span(document, 0, 3, "tone"), Span(document, 2, 3, "illness")]
    path = tmp_path / "train.spacy"
    path.write_bytes(DocBin(docs=[document, nlp.make_doc("tea")]).to_bytes())
    return path


def test_entities_and_groups_of_spans_are_violations(docbin):
    found = truth(docbin)
    assert found.texts.rows() == [("1", "Cures 😀 headache."), ("2", "tea")]
    assert spans(found) == [(0, 0, 5, "claim"), (0, 0, 16, "tone"), (0, 8, 16, "illness")]


def test_a_docbin_is_recognised_even_where_it_is_broken(docbin):
    docbin.write_bytes(docbin.read_bytes()[:-20])
    assert "train.spacy: cannot be read as a DocBin of spaCy" in refusal(truth, docbin)


def test_marks_of_mqm_are_violations_of_the_translation(written):
    found = truth(written(made.MQM, "mqm.tsv"), annotators=["r1"])
    assert found.texts.rows() == [("Bing+d1+7", '"Cures headache.'), ("Bing+d1+8", "Fine.")]
    assert spans(found, PLACE, "start", "end", "rule", "category") == [
        (0, 0, 6, "Accuracy/Mistranslation", "Major"),
        (0, 7, 15, "Style/Awkward", "Minor"),
    ]
    assert found.spans["severity"].to_list() == ["Major", "Minor"]
    assert found.warnings == ("errors without marks in the translation are excluded: 1",)
    other = truth(written(made.MQM, "mqm.tsv"), annotators=["r2"])
    assert (other.texts["id"].to_list(), spans(other)) == (["Bing+d1+7"], [])


GOOD = {"id": 2, "text": made.TEXT, "label": [[0, 5, "claim"]]}
HUGE = "9" * 5000
"""More digits than Python makes a number of."""
UNEVEN = {**made.STRUCTS[0], "spans": {"start": [0], "end": [5, 14], "label": ["claim"]}}


@pytest.mark.parametrize(
    ("file", "content", "message", "left"),
    [
        ("a.jsonl", {"label": "claim"}, "line 1: expected a list of spans as label, labels, entities, annotations; got id, text, label", [(0, 0, 5, "claim")]),
        ("a.jsonl", {"label": [[0, 99, "x"]]}, "violation 1, end: expected at most 15 (the end of the text)", [(1, 0, 5, "claim")]),
        ("a.jsonl", {"label": [[0, 5]]}, "line 1, violation 1: expected an object; got a list", [(1, 0, 5, "claim")]),
        ("s.jsonl", lines(UNEVEN), "line 1, spans: expected lists of one length", None),
        ("f.json", lines({"text": made.TEXT, "found": [{"offset": 0, "length": 7, "rule": "x"}]}).replace("7", HUGE), "Integer value out of range", None),
        ("w.tsv", made.WEBANNO.replace("\t0-", f"\t{HUGE}-", 1), "expected the row of a token", None),
        ("x.txt", "a O\nb\nc B-x\n", 'line 2: expected a token and a tag such as O or B-claim; got "b"', None),
        ("doc.ann", "T1\tClaim 0 99\tCures", "line 1: expected offsets within the text of 36 characters; got 0 99", None),
        ("doc.ann", "T1\tClaim 0 4\tCures", 'line 1: expected the text there, "Cure"; got "Cures"', None),
        ("doc.ann", "T1\tClaim x 4\tCures", 'line 1: expected a type, a start and an end; got "Claim x 4"', None),
        ("doc.ann", "?", 'line 1: expected an annotation; got "?"', None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_can_be_dropped(written, file, content, message, left):
    form = {"a.jsonl": "doccano", "x.txt": "conll"}.get(file)
    written(made.BRAT_TEXT, "doc.txt")
    if file == "a.jsonl":
        content = lines({"id": 1, "text": made.TEXT, **content}, GOOD)
    path = written(content, file)
    assert message in refusal(truth, path, form)
    if left is not None:
        assert spans(truth(path, form, drop=True))[-1:] == left
