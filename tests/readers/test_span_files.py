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


@pytest.mark.parametrize("heading", ["", "token pos annotator model\n"])
def test_conlleval_holds_both_sides(written, heading):
    gold, model = ("annotator", "model") if heading else ("gold", "predicted")
    path = written(heading + CONLLEVAL, "eval.txt")
    assert f"got 2\nfound: {gold}, {model}\n" in refusal(truth, path, kind=OptionError)
    found = truth(path, annotators=[gold])
    assert found.texts.rows() == [("1", "Cures headache ."), ("2", "Fine tea")]
    assert spans(found) == [(0, 0, 14, "claim"), (1, 5, 8, "drink")]
    (other,) = predicted(path, found, annotators=[model])
    assert spans(other) == [(0, 0, 5, "claim"), (1, 0, 4, "praise"), (1, 5, 8, "drink")]
    report = library.violations(path, path, truth_annotator=gold, predicted_annotator=model)
    f1 = report.estimate("f1", table="scores", checker=model, variant="std", average="micro").value
    assert f1 == pytest.approx(0.8)  # two of three overlap a true one, and both true ones are met


def test_look_names_both_sides_of_conlleval(written):
    look = library.look(written(CONLLEVAL, "eval.txt"))
    assert look.command.endswith("--truth-annotator gold --predicted-annotator predicted")


@pytest.mark.parametrize(
    ("tags", "marks", "more"),
    [
        ("x-B x-I x-B O", [(0, 0, 3, "x"), (0, 4, 5, "x")], ()),
        ("B I O I", [(0, 0, 3, None), (0, 6, 7, None)], ("1 span begins",)),
        ("B-x O I-x I-y", [(0, 0, 1, "x"), (0, 4, 5, "x"), (0, 6, 7, "y")], ("2 spans begin",)),
        ("B-x I-x E-y O", [(0, 0, 3, "x"), (0, 4, 5, "y")], ("1 span begins",)),
        ("I-x I-x B-x I-y", [(0, 0, 3, "x"), (0, 4, 5, "x"), (0, 6, 7, "y")], ()),  # as IOB1 has it
    ],
)
def test_tags_of_any_writing_are_spans_and_broken_ones_are_counted(written, tags, marks, more):
    tokens = list(zip("abcd", tags.split(), strict=True))
    rows = {"id": "1", "tokens": [token for token, _ in tokens], "tags": [tag for _, tag in tokens]}
    table = "sentence,token,tag\n" + "".join(f"1,{token},{tag}\n" for token, tag in tokens)
    conll = "".join(f"{token} {tag}\n" for token, tag in tokens)
    for content, name in ((conll, "x.txt"), (lines(rows), "x.jsonl"), (table, "x.csv")):
        found = truth(written(content, name))
        assert (found.texts["text"].to_list(), spans(found)) == (["a b c d"], marks)
        assert [warning.startswith(part) for warning, part in zip(found.warnings[1:], more, strict=True)] == [
            True
        ] * len(more)


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
    assert "no column says of which sentence a token is" in alone.warnings[1]
