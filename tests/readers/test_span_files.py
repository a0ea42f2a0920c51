"""Marked texts as they stand in public files, also where these break their own rules: worked by hand."""

import pytest

import adjudge as library
from adjudge.errors import OptionError
from made_marks import lines
from made_violations import predicted, refusal, spans, truth

# Tokens with tags

CONLLEVAL = """Cures VB B-claim B-claim
headache NN I-claim O
. . O O

Fine JJ O B-praise
tea NN B-drink B-drink
"""


def test_conlleval_holds_both_sides(written):
    gold, model = "gold", "predicted"
    path = written(CONLLEVAL, "eval.txt")
    assert f"got 2\nfound: {gold}, {model}\n" in refusal(truth, path, kind=OptionError)
    found = truth(path, annotators=[gold])
    assert found.texts.rows() == [("1", "Cures headache ."), ("2", "Fine tea")]
    assert spans(found) == [(0, 0, 14, "claim"), (1, 5, 8, "drink")]
    (other,) = predicted(path, found, annotators=[model])
    assert spans(other) == [(0, 0, 5, "claim"), (1, 0, 4, "praise"), (1, 5, 8, "drink")]
    report = library.violations(path, path, truth_annotator=gold, predicted_annotator=model)
    f1 = report.estimate("f1", table="scores", checker=model, variant="std", average="micro").value
    assert f1 == pytest.approx(0.8)  # two of three overlap a true one, and both true ones are met


@pytest.mark.parametrize(
    ("tags", "marks", "more"),
    [
        ("x-B x-I x-B O", [(0, 0, 3, "x"), (0, 4, 5, "x")], ()),
        ("B-x E-x S-x S-y", [(0, 0, 3, "x"), (0, 4, 5, "x"), (0, 6, 7, "y")], ()),  # BIOES
        ("B-x L-x U-x U-x", [(0, 0, 3, "x"), (0, 4, 5, "x"), (0, 6, 7, "x")], ()),  # BILOU
        ("I-x I-y O I-y", [(0, 0, 1, "x"), (0, 2, 3, "y"), (0, 6, 7, "y")], ()),
        ("B I O I", [(0, 0, 3, None), (0, 6, 7, None)], ("1 span begins",)),
        ("B-x O I-x I-y", [(0, 0, 1, "x"), (0, 4, 5, "x"), (0, 6, 7, "y")], ("2 spans begin",)),
        ("B-x I-x E-y O", [(0, 0, 3, "x"), (0, 4, 5, "y")], ("1 span begins",)),
        ("I-x I-x B-x I-y", [(0, 0, 3, "x"), (0, 4, 5, "x"), (0, 6, 7, "y")], ()),  # as IOB1 has it
    ],
)
def test_tags_of_any_writing_are_spans_and_broken_ones_are_counted(written, tags, marks, more):
    tokens = list(zip("abcd", tags.split(), strict=True))
    table = "sentence,token,tag\n" + "".join(f"1,{token},{tag}\n" for token, tag in tokens)
    conll = "".join(f"{token} {tag}\n" for token, tag in tokens)
    for content, name in ((conll, "x.txt"), (table, "x.csv")):
        found = truth(written(content, name))
        assert (found.texts["text"].to_list(), spans(found)) == (["a b c d"], marks)
        assert len(found.warnings) == len(more) + 1
        assert all(map(str.startswith, found.warnings[1:], more))


TOKENS = """doc,Sentence #,Word,POS,gold,ours
d,1,Cures,VB,B-claim,O
d,,headache,NN,I-claim,O
d,2,Tea,NN,O,B-drink
"""


def test_columns_of_tags_are_spans_not_annotators_of_tokens(written):
    path = written(TOKENS, "tokens.csv")
    found = truth(path, annotators=["gold"])
    assert (found.texts.rows(), spans(found)) == ([("1", "Cures headache"), ("2", "Tea")], [(0, 0, 14, "claim")])
    assert spans(truth(path, annotators=["ours"])) == [(1, 0, 3, "drink")]
    named = truth(path, annotators=["gold"], columns={"id": "doc+Sentence #"})
    assert named.texts["id"].to_list() == ["d+1", "d+2"]
    assert "missing column turn" in refusal(truth, path, columns={"id": "turn"})
    alone = truth(written("token,tag\nTea,B-x\nis,O\n", "alone.csv"))
    assert (alone.texts.rows(), spans(alone)) == ([("1", "Tea is")], [(0, 0, 3, "x")])
    assert "no column identifies sentences" in alone.warnings[1]
    gap = written("token,tag,model\nTea,B-x,O\nis,O,\n", "gap.csv")
    assert "sentence 1, model: expected a tag such as O" in refusal(truth, gap, annotators=["tag"])


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (17, "Cures headache.\r\nFine tea.\r\n"),  # each end of a line counts as two characters
        (16, "Cures headache.\nFine tea.\n"),
    ],
)
def test_quotes_tell_how_brat_counts_ends_of_lines(tmp_path, start, text):
    (tmp_path / "d.txt").write_bytes(b"Cures headache.\r\nFine tea.\r\n")
    (tmp_path / "d.ann").write_bytes(f"T1\tPraise {start} {start + 4}\tFine\r\nT2\tClaim 0 5\tCures\r\n".encode())
    found = truth(tmp_path / "d.ann")
    assert (found.texts.rows(), spans(found)) == ([("d", text)], [(0, 0, 5, "Claim"), (0, start, start + 4, "Praise")])
    assert found.warnings == ()


def test_quotes_of_brat_may_differ_in_case_but_not_in_words(written):
    written("Cures headache.", "d.txt")
    found = truth(written("T1\tClaim 0 5\tcures\n", "d.ann"))
    assert spans(found) == [(0, 0, 5, "Claim")]
    assert found.warnings == ("quote in other capitals than the text counts as the text: 1",)
    assert "expected the text there" in refusal(truth, written("T1\tClaim 0 5\tcured\n", "d.ann"))


SIDE_BY_SIDE = """system	doc	docSegId	globalSegId	rater	source	target	category	severity	metadata
A	d	1	0	r1	Er sagte nein.	"He <v>said</v> ""no""."	Style/Awkward	Minor	"{""timestamp"": 1}"
A	d	2	0	r1	Tee.	Tea.	No-error	No-error	{}
A	d	1	0		Er sagte nein.	"He said ""no""."			"{""score"": 3}"
"""


def test_side_by_side_mqm_names_segments_otherwise_and_wraps_cells_in_quotes(written):
    found = truth(written(SIDE_BY_SIDE, "sxs.tsv"))
    assert found.texts.rows() == [("A+d+1", 'He said "no".'), ("A+d+2", "Tea.")]
    assert spans(found, "place", "start", "end", "rule", "category") == [(0, 3, 7, "Style/Awkward", "Minor")]
    assert found.warnings == (
        "rows without a rater are excluded, since they rate nothing: 1",
        "cells are read without the quotes around them: 4",
    )
    plain = SIDE_BY_SIDE.replace('""', "'").replace("\tTea.", '\t"Tea."')
    assert truth(written(plain, "plain.tsv")).texts["text"].to_list() == ["\"He said 'no'.\"", '"Tea."']


SLOTS = """#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Claim|value|about
#T_SP=webanno.custom.Frame|ROLE_webanno.custom.Frame:patient_webanno.custom.Link|uima.tcas.Annotation|sense

#Text=Cures headache now.
1-1	0-5	Cures	_	_	patient	1-2	heal
1-2	6-14	headache		tone[3]	_	*	_
1-3	15-18	now		*	_	_	_
1-4	18-19	.	_	_	_	_	_
"""


def test_empty_slots_and_features_of_webanno_do_not_hide_an_annotation(written):
    found = truth(written(SLOTS, "slots.tsv"))
    assert spans(found) == [(0, 0, 5, "heal"), (0, 6, 14, "Frame"), (0, 6, 14, "tone"), (0, 15, 18, "Claim")]
    assert found.warnings == ()


RAGTRUTH = {
    "id": "7",
    "source_id": "11",
    "model": "m",
    "labels": [{"start": 4, "end": 10, "text": "really", "meta": "why", "label_type": "Subtle Baseless Info"}],
    "split": "test",
    "quality": "good",
    "response": "It, really.",
}


def test_ragtruth_marks_the_response_and_says_the_type_of_each_label(written):
    found = truth(written(lines(RAGTRUTH, {**RAGTRUTH, "id": "8", "labels": []}), "response.jsonl"))
    assert found.texts.rows() == [("7", "It, really."), ("8", "It, really.")]
    assert spans(found, "start", "end", "rule") == [(4, 10, "Subtle Baseless Info")]


@pytest.mark.parametrize(("trusted", "other"), [("expected", "detected"), ("gold", "predicted"), ("expected", "model")])
def test_what_is_expected_is_compared_with_what_was_found(written, trusted, other):
    mark = [{"start": 0, "end": 5, "rule": "claim"}]
    row = {"id": "1", "text": "Cures headache.", f"{other}_violations": mark, f"{trusted}_violations": mark}
    look = library.look(written(lines(row), "scan.jsonl"))
    assert look.command.endswith(f"--truth-annotator {trusted}_violations")


def test_cells_of_tables_hold_no_lists_of_spans(written):
    path = written('id,text,marks\n1,Cures it.,"[{""start"": 0, ""end"": 5}]"\n', "marks.csv")
    assert "missing columns start, end" in refusal(truth, path)
