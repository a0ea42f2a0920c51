"""What `adjudge look` says of files is true: its line runs, and what it says is lacking is lacking."""

import csv
import io
import json
import shlex
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import adjudge as library
from adjudge.evaluations import NAMES
from adjudge.profiling.file_profile import sample_of_records as table_of
from adjudge.profiling.table_guesses import guess
from made import EXAMPLES
from made_samples import SAMPLES

LONG = "Question ID,Worker,Answer,Gold\n1,ana,A,A\n1,ben,B,A\n2,ana,B,B\n2,ben,B,B\n"
WIDE = "id;Frage;Ana;Ben;Gold\n1;Was ist das?;gut;gut;gut\n2;Und wer ist das?;schlecht;gut;gut\n3;Na und?;gut;gut;gut\n"
PAIRS = "task_id,question,answer_1,answer_2,human,llm\n1,Why is it so?,Because it is.,No idea at all.,1,2\n2,How is it so?,Because of how.,No idea at how.,2,0\n"
SPANS = "doc,begin,stop,error_type,sentence\n1,0,4,praise,Best tea ever made.\n2,0,4,praise,Good tea is here.\n"
TRUSTED_PEOPLE = "pair_id,answer_a,answer_b,judge,winner\n1,It is so.,It is not.,gpt-4,A\n1,It is so.,It is not.,human,B\n2,It is so.,It is not.,gpt-4,tie\n2,It is so.,It is not.,human,B\n"
NUMBERED = "question,answer_1,answer_2,ana,ben\nWhy so?,I do it.,I did it.,1,0\nAnd how?,It is so.,It is no.,2,1\n"
SHORT = "qid,question,gold_answer,model_answer\n0,Where is 0?,Rome | Roma,Rome\n1,Where is 1?,Madrid,Lisbon\n2,Where is 2?,Lima,It is Lima.\n"
LONG_ANSWERS = "question_id,question,model,answer,reference_answers,latency_ms\n1,Whose book?,gpt-4o,MORRISON,Toni Morrison | Morrison,31\n2,Largest ocean?,gpt-4o,Atlantic,the Pacific | Pacific,173\n1,Whose book?,llama3,Bo Li,Toni Morrison | Morrison,42\n2,Largest ocean?,llama3,Pacific.,the Pacific | Pacific,99\n"
JUDGED = "f1,ana,ja,ja\nf1,bo,nein,ja\nf2,ana,nein,nein\nf2,bo,nein,nein\nf3,bo,ja,nein\nf3,ana,nein,nein\n"
"""Rows of judgments by two people, each of whom judges every item once."""


def table(text):
    sign = next(sign for sign in "\t;," if sign in text.partition("\n")[0])
    return table_of(list(csv.DictReader(io.StringIO(text), delimiter=sign)))


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


GUESSED = {
    LONG: "reliability --columns 'item=Question ID,annotator=Worker,label=Answer,reference=Gold'",
    WIDE: "reliability --columns item=id,reference=Gold --annotator-columns Ana,Ben",
    PAIRS: "annotations --reference human --columns text_a=answer_1,text_b=answer_2,prompt=question,pair=task_id --vote-values text_a=1,text_b=2,both=0 --annotator-columns human,llm",
    SPANS: "violations --columns start=begin,end=stop,rule=error_type,id=doc,text=sentence",
    "id,rater,label\n1,gold,x\n1,bo,x\n2,bo,y\n": "reliability --reference gold --columns item=id,annotator=rater",
    TRUSTED_PEOPLE: "annotations --reference human --columns text_a=answer_a,text_b=answer_b,annotator=judge,pair=pair_id,vote=winner --vote-values text_a=A,text_b=B,both=tie",
    # numbers in several columns beside two responses are votes, which agree or not where nobody is trusted
    NUMBERED: "agreement --columns item=question --annotator-columns ana,ben",
    SHORT: "rag --constant ability=question_answering --columns answer=gold_answer,response=model_answer,id=qid --answer-lists aliases --answer-separator '|'",
    LONG_ANSWERS: "rag --constant ability=question_answering --columns answer=reference_answers,response=answer,id=question_id --answer-lists aliases --answer-separator '|'",
    # a row per judgment: its own name or id is no item
    "Name,Task,Assignee,Toxic?,Final label\nJ1,T1,Ana,Yes,Yes\nJ2,T1,Ben,No,Yes\nJ3,T2,Ana,No,No\n": "reliability --columns 'item=Task,annotator=Assignee,label=Toxic?,reference=Final label'",
    "annotation_id,worker_id,orig_id,response,gold\n1,ana,q1,0,0\n2,bo,q1,1,0\n3,ana,q2,1,1\n4,bo,q2,1,1\n": "reliability --columns item=orig_id,annotator=worker_id,label=response,reference=gold",
    "item,rater,score,gold\n1,1,2,2\n1,2,1,2\n2,1,1,1\n2,2,1,1\n3,1,2,1\n3,2,1,1\n": "reliability --columns annotator=rater,label=score,reference=gold",
    f"Frage,Prüfer,Antwort,Gold\n{JUDGED}": "reliability --columns 'item=Frage,annotator=Prüfer,label=Antwort,reference=Gold'",
    "id,answer text,ana,bo,gold\n1,a b,y,y,y\n1,a c,n,y,n\n2,a b,n,n,n\n": "reliability --columns 'item=id+answer text,reference=gold' --annotator-columns ana,bo",
    # columns of labels are votes whatever they are called, unless what the names of annotators have in common tells them
    "id,Rater 1 (Ana),Rater 2 (Bo),Final\n1,1,2,1\n2,1,2,2\n": "reliability --columns item=id,reference=Final --annotator-columns 'Rater 1 (Ana),Rater 2 (Bo)'",
    "id,human_label,claude_label,is_long,final\n1,1,2,1,1\n2,1,2,1,2\n": "reliability --columns item=id,reference=final --annotator-columns human_label,claude_label",
    # all may agree on an item, with a label that hardly comes up elsewhere
    "Timestamp,Your name,Q [1],Q [2],Q [3],Q [4]\n1,ana (lead),a;b,ok,a,ok\n2,ben,b;a,ok,b,ok\n3,cleo,a,ok,a,b\n": "reliability --reference 'ana (lead)' --item-columns 'Q [*' --columns 'annotator=Your name'",
    # of three who answer four questions nobody gives the first one's answer, or the last one's number, elsewhere
    "rater,q1,q2,q3,q4\na,D,B,B,A\nb,D,A,B,A\nc,D,A,A,B\n": "agreement --item-columns 'q*' --columns annotator=rater",
    "id,submitdate,token,I1,I2,I3\n1,d,lead,Ja,Nein,Ja\n2,d,ben,Ja,Ja,Ja\n3,d,cleo,Nein,Ja,Ja\n": "reliability --reference lead --item-columns 'I*' --columns annotator=token",
    # a reference may be a text that the answer rests on, and not what is trusted
    "span_id,output,reference,human_label,label\n1,It is.,Long ago.,a,a\n2,It was.,Just now.,b,a\n3,No.,Not yet.,b,b\n": "reliability --columns item=span_id,reference=human_label --annotator-columns label",
    "bbcid,system,is_factual,worker_id\nb1,x,yes,w1\nb1,x,no,w2\nb1,y,yes,w1\nb1,y,yes,w2\nb2,x,no,w1\nb2,y,no,w1\n": "agreement --columns item=bbcid+system,annotator=worker_id,label=is_factual",
    # figures that are computed, times and certainty are no labels
    "id,annotator_1,annotator_2,cosine,bertscore,gold\n1,x,y,0.9137,0.8123,x\n2,y,y,0.4711,0.5124,y\n": "reliability --columns item=id,reference=gold --annotator-columns annotator_1,annotator_2",
    "created_at,item,worker,tone,confidence,gold\n10:01,t1,u,x,0.9,x\n10:02,t1,v,y,0.8,x\n10:03,t2,u,y,0.9,y\n": "reliability --columns annotator=worker,label=tone,reference=gold",
    "id,ana_label,ana_confidence,ben_label,ben_confidence\n1,x,1,x,2\n2,y,2,x,1\n": "agreement --columns item=id --annotator-columns ana_label,ben_label",
    "prompt,topic,ana,ben\nSay it.,war,x,y\nSay more.,peace,y,y\n": "agreement --columns item=prompt --annotator-columns ana,ben",
    # ratings may lack, have halves, and be of any size where graders give them
    "item,P1,P2,P3\n1,1,5,\n2,4,,4\n3,2,2,5\n": "agreement --annotator-columns P1,P2,P3",
    "essay,grader1,grader2\n"
    + "".join(
        f"e{n},{50 + n},{68 - n * n % 17}\n" for n in range(20)
    ): "agreement --columns item=essay --annotator-columns grader1,grader2",
    "id,is_rude_ana,is_rude_ben,is_rude_gold\n1,true,false,true\n2,false,false,true\n": "reliability --columns item=id,reference=is_rude_gold --annotator-columns is_rude_ana,is_rude_ben",
    "id,ana_tone,ben_tone\n1,1,2\n2,2,2\n3,1,1\n": "agreement --columns item=id --annotator-columns ana_tone,ben_tone",
    # dates are labels beside trusted dates, and a label is trusted beside a prediction
    "id,m1,gold\n1,2020-01-20,2020-01-20\n2,20/02/2020,2020-02-20\n": "reliability --columns item=id,reference=gold --annotator-columns m1",
    "text,label,prediction\nBest tea of all.,x,y\nTea of old.,y,y\n": "reliability --columns item=text,reference=label --annotator-columns prediction",
    # rows with the same sum are counts of annotators; a row named by an annotator holds that one's labels
    "item,pro,contra\n1,3,1\n2,0,4\n3,2,2\n": "agreement",
    "coder,u1,u2,u3\nA,x,y,NA\nB,x,x,y\nC,y,x,y\n": "agreement --item-columns 'u*' --columns annotator=coder",
    # what says yes or no is one label in any words, spellings differ by case, and e-mail addresses are people's
    "id,bad_1,bad_2,bad_3,bad_4,gold\n1,True,1,1.0,TRUE,True\n2,False,0,0.0,TRUE,False\n3,True,0,1.0,FALSE,True\n": "reliability --columns item=id,reference=gold --annotator-columns bad_1,bad_2,bad_3,bad_4",
    "id,ana,ben\n8,good,good\n9,good,bad\n"
    + "".join(
        f"{n},{''.join(word)},bad\n" for n, word in enumerate(product("bB", "aA", "dD"))
    ): "agreement --columns item=id --annotator-columns ana,ben",
    "投稿ID,email,判定\n1,lead@a.jp,x\n1,b@a.jp,x\n2,lead@a.jp,y\n2,b@a.jp,x\n": "reliability --reference lead@a.jp --columns 'item=投稿ID,annotator=email,label=判定'",
    # a column for the answers of each model, and a flag of questions without a true answer
    "qid,question,accepted answers,gpt-4o,llama-3\n1,Who was it?,Ann Lee | Lee,It was Ann Lee.,It was Bo.\n2,Where was it?,Rome,It was in Rome.,\n": "rag --constant ability=question_answering --item-columns gpt-4o,llama-3 --columns 'answer=accepted answers,id=qid,model=item,response=label' --answer-lists aliases --answer-separator '|'",
    "id,question,answerable,gold,response\n1,Who was it?,true,Ann,It was Ann.\n2,Where was it?,false,,I do not know.\n3,When was it?,true,May,In May.\n": "rag --map-values ability:true=question_answering --map-values ability:false=negative_rejection --columns answer=gold,ability=answerable",
    # votes for models, whose names are no votes, without their texts; 1 and 2 are responses 1 and 2, also beside ties
    "pair,model_a,model_b,winner_ana,winner_ben\n1,x,y,A,A\n2,y,x,B,A\n3,x,y,tie,B\n": "agreement --columns item=pair --annotator-columns winner_ana,winner_ben",
    "id,response_1,response_2,human\n1,It is so.,It is not.,1\n2,It was so.,It was not.,tie\n3,Be it so.,Be it not.,2\n": "annotations --reference human --style --columns text_a=response_1,text_b=response_2,pair=id --vote-values text_a=1,both=tie,text_b=2 --annotator-columns human",
    'id,"one, label",other label\n1,x,y\n2,y,y\n': "agreement --columns item=id --annotator-columns 'one\\, label,other label'",
    "model,rater_1,rater_2,rater_3\na,4.5,4.0,4.5\nb,2.0,2.5,2.0\nc,3.0,3.0,3.5\n": "agreement --columns item=model --annotator-columns rater_1,rater_2,rater_3",
    "".join(
        f"w{who},item{n},{('good', 'bad')[(n + who) % 2]}\n" for n in range(6) for who in (1, 2)
    ): "agreement --no-header --columns item=column_2,annotator=column_1,label=column_3",
}
"""Tables, and the evaluation and the options that are guessed from their names and values."""


@pytest.mark.parametrize(("text", "line"), GUESSED.items())
def test_the_likeliest_evaluation_and_its_options_are_guessed_from_names_and_values(written, text, line):
    path = written(text, "guessed.csv")
    evaluation, _, rest = line.partition(" ")
    assert library.look(path).fit.command == f"adjudge {evaluation} {path} {rest}".rstrip()


def run_line(adjudge, line):
    words = shlex.split(line)
    assert words[0] == "adjudge"
    return adjudge(*words[1:], "--format", "json")


def scored(adjudge, line):
    """The tables of the report that a line gives."""
    status, printed, _ = run_line(adjudge, line)
    assert status == 0
    return json.loads(printed)["tables"]


TARGETS = "id,annotator,target,label\n1,x,men,a\n1,y,men,b\n2,x,women,a\n2,y,women,a\n3,x,men,b\n3,y,men,b\n"


def test_a_column_named_like_a_reference_with_other_values_is_none(adjudge, written):
    found = library.look(written(TARGETS, "hate.csv"))
    assert "reference" not in found.fit.columns
    assert run_line(adjudge, found.command)[0] == 0
    trusted = guess("reliability", table(TARGETS.replace("women", "a").replace("men", "b")))
    assert trusted.columns["reference"] == "target"


JUDGED_BY_TWO = [
    {"sample": {"id": n, "input": "..."}, "judge": {"verdict": said, "reason": "as asked"}, "human": {"verdict": true}}
    for n, (said, true) in enumerate([("pass", "pass"), ("fail", "pass"), ("fail", "fail"), ("pass", "pass")])
]
FORM = "Timestamp,Email Address,Toxic? [One],Toxic? [Two],Toxic? [Three],Remarks\n9:10,lead@x.org,Yes,No,Yes,\n9:20,ana@x.org,Yes,Yes,Yes,fine\n9:30,ben@x.org,No,No,,\n"


@pytest.mark.parametrize(
    ("files", "fit", "value"),
    [
        ({"my table.csv": LONG}, {}, 3 / 4),
        ({"wide.csv": WIDE}, {}, 5 / 6),
        (
            {"judged.jsonl": lines(JUDGED_BY_TWO)},
            {"columns": {"item": "sample.id", "reference": "human.verdict"}},
            0.75,
        ),
        ({"form.csv": FORM}, {"item_columns": ["Toxic? [*"]}, 0.6),
        (
            {
                "submission.csv": "row_id,target\n1,3\n2,3\n3,3\n",
                "solution.csv": "row_id,target,Usage\n1,3,Public\n2,4,Private\n3,3,Public\n",
            },
            {"reference": ["solution"]},
            2 / 3,
        ),
    ],
)
def test_the_line_that_is_printed_runs_and_gives_the_figures_of_the_files(adjudge, written, files, fit, value):
    paths = [written(content, name) for name, content in files.items()]
    status, printed, _ = adjudge("look", *paths, "--format", "json")
    assert status == 0
    found = library.look(paths)
    assert found.command == json.loads(printed)["command"]
    assert {Path(one.name).name for one in found.files} == set(files)
    assert found.fit.evaluation == "reliability"
    assert fit.items() <= found.fit.options.items()
    assert scored(adjudge, found.command)["overall"][0]["value"] == pytest.approx(value)


def test_predictions_that_are_not_there_are_said_to_be_lacking():
    found = library.look(
        pl.DataFrame({"id": ["1", "2"], "output_a": "x", "output_b": "y", "tone_preference": ["A", "B"]})
    )
    assert (found.command, found.fit.options) == (None, {"criteria": ["tone"]})
    assert len(found.fit.lacking) == 1


VOTES = pl.DataFrame({"task": [1, 2], "judge": "ana", "answer": ["a", "b"], "gold": ["a", "a"]})


@pytest.mark.parametrize("data", [VOTES, VOTES.to_dicts(), [VOTES]])
def test_a_table_gets_a_call_from_python_that_runs(data):
    found = library.look(data)
    report = eval(found.command, {"adjudge": library, "table": data})  # noqa: S307 - what a reader would do
    assert report.estimate("reliability", table="overall").value == 0.5
    assert str(found).endswith(f"Run:\n  {found.command}\n")


def test_tables_and_files_are_told_apart_in_the_call():
    truth, eager = pl.read_ndjson(EXAMPLES / "violations" / "truth.jsonl"), str(EXAMPLES / "violations" / "eager.jsonl")
    assert library.look([truth, eager]).command == f"adjudge.violations(table_1, {eager!r})"
    gold = pl.read_ndjson(EXAMPLES / "preferences" / "gold.jsonl")
    quick = pl.read_csv(EXAMPLES / "preferences" / "quick.tsv", separator="\t")
    assert library.look([gold, quick]).command == "adjudge.preferences(table_1, table_2)"


def test_true_answers_in_a_table_beside_that_of_the_answers_are_read_and_named_in_the_call():
    answers = pl.read_ndjson(EXAMPLES / "rag" / "answers.jsonl")
    table_1, table_2 = answers.drop("answer"), answers.select("id", "answer").unique("id")
    found = library.look([table_1, table_2])
    assert found.command == "adjudge.rag(table_1, gold=table_2)"
    report = eval(found.command, {"adjudge": library, "table_1": table_1, "table_2": table_2})  # noqa: S307
    assert_frame_equal(report["scores"], library.rag(answers)["scores"])


names = st.sampled_from(["id", "Worker", "label", "gold", "response_a", "response_b", "winner", "start", "end", "ann"])
cells = st.sampled_from(["1", "2", "0", "a", "b", "tie", "Some longer text here.", "", "-1", "0.5", None, "[1]"])


@settings(max_examples=12)
@given(st.dictionaries(names, st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=7))
def test_every_guess_is_of_options_that_the_reader_takes_or_says_what_is_lacking(columns):
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    found = library.look(frame)
    for fit in (found.fit, *found.others):
        assert fit is None or fit.lacking or fit.command.startswith(f"adjudge.{fit.evaluation}(table")
    looked_at = table_of(frame.to_dicts())
    for one in (guess(name, looked_at) for name in NAMES):
        parts = [part for name in one.columns.values() for part in name.split("+")]
        named = [*parts, *one.options.get("annotator_columns", ())]
        assert set(named) <= set(columns)
        assert len(set(named)) == len(named)
        assert 0 <= one.weight <= 1


def test_a_refused_file_that_can_be_read_ends_in_the_hint_to_look_at_it(adjudge, written):
    path = written(LONG, "votes.csv")
    status, _, said = adjudge("reliability", path)
    assert status == 1
    assert said.splitlines()[-1] == f"  hint:  adjudge look {path}"
    sound, empty = written("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n", "1.csv"), written("", "11.csv")
    said = adjudge("reliability", sound, empty, "--reference", "a")[2]
    assert said.splitlines()[-1] == "  fix:   export the file again"  # a look cannot read it either
    given = ("reliability", sound, empty, "--reference", "a", "--on-invalid", "drop", "-q")
    assert adjudge(*given) == (0, "", f"warning: left out: {empty}: the file is empty\n")
    status, _, said = adjudge("reliability", "nowhere.csv")
    assert (status, "adjudge look" in said) == (2, False)


def card_of(found):
    """What a look at a file says of a card, if it says that there can be one."""
    cards = [one for one in found.others if one.evaluation == "card"]
    assert len(cards) < 2
    return cards[0] if cards else None


def test_a_model_among_people_gets_a_line_for_its_card(adjudge, written):
    labels = "item,annotator,label\n1,ana,a\n1,ben,b\n1,gpt-4,a\n2,ana,a\n2,ben,a\n2,gpt-4,b\n"
    found = library.look(written(labels))
    card = card_of(found)
    assert card.command.endswith("--judges gpt-4")
    assert f"can replace human annotators:\n  {card.command}" in str(found)
    assert run_line(adjudge, card.command)[0] == 0
    assert card_of(library.look(written(labels.replace("gpt-4", "cleo")))) is None


def test_who_is_asked_several_times_among_people_gets_a_line_for_its_card(adjudge, written):
    """Two judges of five people's items, each asked twice; a column of another name says nothing of draws."""
    card = card_of(library.look(EXAMPLES / "card" / "labels.csv"))
    assert card.command.endswith("labels.csv --judges hasty,steady --run-column draw")
    assert run_line(adjudge, card.command)[0] == 0
    labels = (EXAMPLES / "card" / "labels.csv").read_text(encoding="utf-8")
    card = card_of(library.look(written(labels.replace("steady", "gpt-4"), "model.csv")))
    assert card.command.endswith("model.csv --judges gpt-4,hasty --run-column draw")
    assert card_of(library.look(written(labels.replace("draw", "turn", 1), "turns.csv"))) is None


MTURK = "HITId,AssignmentId,WorkerId,Input.text,Input.gold,Answer.sentiment\nH1,A1,W1,Some text.,pos,pos\nH1,A1,W2,Some text.,pos,neg\nH2,A2,W1,Some text.,neg,neg\n"
LABEL_STUDIO = "text,id,tone,annotator,annotation_id,created_at,updated_at,lead_time\n" + "".join(
    f"Say it.,{n // 2},{said},{who}@x.org,{n},2025-03-01,2025-03-01,7.{n}\n"
    for n, (who, said) in enumerate([("lead", "kind"), ("ana", "kind"), ("lead", "rude"), ("ana", "kind")])
)


@pytest.mark.parametrize(
    ("tool", "text", "options"),
    [
        ("mturk", MTURK, {"columns": {"reference": "Input.gold"}}),
        (None, LABEL_STUDIO, {"columns": {"item": "id", "label": "tone"}, "reference": ["lead@x.org"]}),
    ],
)
def test_exports_of_tools_are_read_with_their_one_column_of_labels_or_of_the_truth(written, tool, text, options):
    fit = library.look(written(text, "export.csv")).fit
    assert (fit.form and fit.form.name, fit.lacking, fit.options) == (tool, (), options)


TURNED = ("yes,no,yes,no", "yes,no,no,no", "yes,yes,yes,no")
"""Who is trusted, and two annotators, each right on three of four items."""
ASKED = "Is it so?,Was it so?,Will it?,So?"


@pytest.mark.parametrize(
    ("head", "names", "who", "items"),
    [
        (",q1,q2,q3,q4", ("gold", "ann1", "ann2"), "row.names", "q*"),
        ("annotator,q1,q2,q3,q4", ("gold", "ann1", "ann2"), "annotator", "q*"),
        ("name,Text 1,Text 2,Text 3,Text 4", ("Expert", "ana", "ben"), "name", "Text *"),
        (",1,2,3,4", ("ground truth", "ana", "ben"), "row.names", "1,2,3,4"),
        (f"Rater,{ASKED}", ("gold", "ana", "ben"), "Rater", ASKED),
        ("Schüler,Frage 1,Frage 2,Frage 3,Frage 4", ("Musterlösung", "ana", "ben"), "Schüler", "Frage *"),
    ],
)
def test_a_row_per_annotator_and_a_column_per_item_are_told_by_their_names(adjudge, written, head, names, who, items):
    text = "\n".join([head, *(f"{name},{said}" for name, said in zip(names, TURNED, strict=True))]) + "\n"
    found = library.look(written(text, "turned.csv"))
    assert found.fit.evaluation == "reliability"
    assert found.fit.options["item_columns"] == items.split(",")
    assert any(f"each row is taken for an annotator, whom {who} names" in one for one in found.fit.doubts)
    rows = scored(adjudge, found.command)["annotators"]
    values = {(row["annotator"], row["value"], row["n"]) for row in rows if row["metric"] == "reliability"}
    assert values == {(names[1], 0.75, 4), (names[2], 0.75, 4)}


def test_folders_of_brat_are_said_to_be_what_they_are_with_their_settings_beside(adjudge, tmp_path):
    for name, mark in (("gold", "T1\tPRAISE 0 4\tBest\n"), ("checker", "T1\tPRAISE 5 8\ttea\n")):
        (tmp_path / name).mkdir()
        for file, content in (("a.txt", "Best tea."), ("a.ann", mark), ("annotation.conf", "[entities]\nPRAISE\n")):
            (tmp_path / name / file).write_text(content)
    found = library.look([tmp_path / "checker", tmp_path / "gold"])
    assert found.fit.form.name == "brat"
    assert found.command == shlex.join(["adjudge", "violations", f"{tmp_path}/gold", f"{tmp_path}/checker"])
    assert run_line(adjudge, found.command)[0] == 0
    beside_a_table = str(library.look([{"id": [1, 2], "text": ["a", "b"]}, tmp_path / "checker"]))
    assert f"{tmp_path}/checker: expected a file; got a folder, fix:   the files in it" in beside_a_table


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("labels.csv", b"item,annotator,label\n", ": expected rows below the names of columns; got none"),
        ("labels.json", b"[]", ": no records found"),
        ("labels.json", b"[1, {}]", ', record 1: expected an object; got "1"'),
        ("labels.jsonl", b"{}\n", ": expected objects with names and values; got an empty object"),
        ("labels.jsonl", b"\n\n", ": the file is empty"),
    ],
)
def test_a_file_that_holds_nothing_is_said_to_hold_nothing(written, adjudge, name, content, said):
    path = written(content, name)
    _, printed, _ = adjudge("look", path)
    assert f"  Cannot be read: {path}{said}\n" in printed
    assert printed.endswith("Correct the file or export it again; then look suggests a command.\n")


SPANS_FROM_1 = (
    "docid,system,summary,error_type,marked_span,marked_span_start,marked_span_end,worker_id\n"
    "7,a,Best tea ever.,praise,Best,1,5,ana\n7,a,Best tea ever.,praise,tea,6,9,ben\n"
    "7,b,Good tea for all.,praise,Good,1,5,ana\n7,b,Good tea for all.,NULL,NULL,-1,-1,ben\n"
    "8,a,Tea of old times.,age,old,8,11,ana\n8,a,Tea of old times.,age,old,8,11,ben\n"
)


def test_offsets_that_count_from_1_show_in_quotes_and_ids_in_the_texts_that_they_have(written, adjudge):
    found = library.look(written(SPANS_FROM_1, "spans.csv"))
    columns = {"annotator": "worker_id", "start": "marked_span_start", "end": "marked_span_end", "text": "summary"}
    assert found.fit.options == {
        "columns": {**columns, "context": "marked_span", "rule": "error_type", "id": "docid+system"},
        "offset_base": 1,
    }
    assert found.fit.lacking[-1].startswith("fix:   --truth-annotator ana; for agreement among annotators")
    scores = scored(adjudge, f"{found.fit.command} --truth-annotator ana")["scores"]
    assert {row["n"] for row in scores if row["metric"] == "recall"} == {3}
    wrong = SPANS_FROM_1.replace("tea,6,9,ben", "teas,6,9,ben").replace("old,8,11,ana", "old,0,3,ana")
    options = library.look(written(wrong, "spans.csv")).fit.options
    assert options["offset_base"] == 1
    assert "context" not in options["columns"]  # quotes differ from the words at their offsets


BOARDS = {
    "scores.csv": "System,Safety accuracy\nOne,45.9\nTwo,41\n",
    "task.csv": "Submission,relevance,safety,overall\na,0.5,0.6,0.6\nb,0.6,0.5,0.6\nc,0.4,0.3,0.3\n",
    "bench.csv": "Rank,Model,Licence,MMLU,GSM8K,Hella\n1,big,MIT,60.2%,50.1%,60.0%\n2,small,,52.5%,60.0%,51.0%\n",
}
"""Published scores, whose numbers are as alike as labels are."""


@pytest.mark.parametrize("name", BOARDS)
def test_scores_of_systems_are_no_labels(written, name):
    assert library.look(written(BOARDS[name], name)).command is None


QUESTIONS = "id,question,answer\nq1,Capital of France?,Paris\nq2,Capital of Italy?,Rome\n"
ASKED_OF = [
    {"id": f"q{n}", "question": "?", "answers": [{"text": text, "answer_start": 0}]}
    for n, text in enumerate(("Paris", "Rome"), 1)
]
SQUAD = {"data": [{"paragraphs": [{"context": "Paris. Rome.", "qas": ASKED_OF}]}]}
HOTPOT = [
    {"_id": f"q{n}", "question": "?", "answer": text, "context": []} for n, text in enumerate(("Paris", "Rome"), 1)
]
BATCH = [
    {"custom_id": f"q{n}", "error": None, "response": {"body": {"choices": [{"message": {"content": said}}]}}}
    for n, said in enumerate(("Paris", "Berlin"), 1)
]


@pytest.mark.parametrize(
    ("answers", "ending", "gold"),
    [
        (json.dumps({"answer": {"q1": "Paris", "q2": "Berlin"}, "sp": {}}), "json", json.dumps(HOTPOT)),
        (json.dumps({"q1": "Paris", "q2": "Berlin"}), "json", json.dumps(SQUAD)),
        ("\n".join(map(json.dumps, BATCH)), "jsonl", QUESTIONS),
        ("id,prediction\nq1,Paris\nq2,Berlin\n", "csv", QUESTIONS),
        ("qid,model_answer\nq1,Paris\nq2,Berlin\n", "csv", QUESTIONS.replace("id,", "qid,")),
    ],
)
@pytest.mark.parametrize("first", ["answers", "true ones"])
def test_the_file_of_true_answers_is_gold_whatever_it_is_called(adjudge, tmp_path, answers, ending, gold, first):
    """One of two answers is right."""
    ours, theirs = tmp_path / f"x.{ending}", tmp_path / f"y.{'json' if gold[0] in '[{' else 'csv'}"
    ours.write_text(answers + "\n")
    theirs.write_text(gold)
    found = library.look([str(one) for one in ((ours, theirs) if first == "answers" else (theirs, ours))])
    assert found.fit.evaluation == "rag"
    assert found.command.startswith(f"adjudge rag {ours} ")
    assert f" --gold {theirs}" in found.command
    status, printed, _ = run_line(adjudge, found.command)
    values = [row["value"] for row in json.loads(printed)["tables"]["scores"] if row["metric"] == "accuracy"]
    assert (status, values) == (0, [0.5])


# --- what is no label of an annotator, and files that belong together ---


ONE, OTHER = "id,label\n1,x\n2,y\n3,x\n", "id,label\n1,x\n2,x\n3,x\n"
QUOTES = '{"doc": "d1", "text": "She dont know.", "errors": [{"quote": "dont", "type": "spelling"}]}\n{"doc": "d2", "text": "It rains.", "errors": []}\n'
CHOICES = [
    lines(
        {"text": f"text {n}", "_input_hash": n, "answer": "accept", "accept": [label]} for n, label in enumerate(labels)
    )
    for labels in ("xyx", "xxx")
]


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"ana.csv": ONE, "ben.csv": OTHER}, "agreement ana.csv ben.csv --columns item=id"),
        ({"ana.jsonl": CHOICES[0], "ben.jsonl": CHOICES[1]}, "agreement ana.jsonl ben.jsonl"),
        (
            {"gold.jsonl": QUOTES, "llm.json": QUOTES},
            "violations gold.jsonl llm.json --columns id=doc,violations=errors,context=quote,rule=type",
        ),
        ({"pred.csv": ONE, "gold.csv": OTHER}, "reliability gold.csv pred.csv --reference gold --columns item=id"),
        (
            {"human.csv": "id,h1,h2\n1,x,x\n2,y,x\n", "llm.csv": "id,gpt4\n1,x\n2,y\n"},
            "agreement human.csv llm.csv --columns item=id --annotator-columns h1,h2,gpt4",
        ),
        (
            {"human.csv": "id,rater,label\n1,a,x\n1,b,y\n2,a,x\n", "llm.csv": "id,model,label\n1,g,x\n2,g,y\n"},
            "agreement human.csv llm.csv --columns item=id,annotator=rater/model",
        ),
        (
            {"gold.csv": ONE.replace("label", "is_spam"), "filter.csv": OTHER.replace("label", "prediction")},
            "reliability gold.csv filter.csv --reference gold --columns item=id,label=is_spam/prediction",
        ),
        # columns with different names
        (
            {"gold.csv": ONE, "c.csv": OTHER, "d.csv": OTHER.replace("id,label", "nr,prediction")},
            "reliability gold.csv c.csv d.csv --reference gold --columns item=id/nr,label=label/prediction",
        ),
        (
            {"gold.csv": ONE, "two.csv": "case_id,ana,ben\n1,x,x\n2,y,x\n3,x,y\n"},
            "reliability gold.csv two.csv --reference label --columns item=id/case_id --annotator-columns label,ana,ben",
        ),
        (
            {"a.csv": "qid,reply\n1,Rome\n2,Oslo\n3,Bern\n", "gold.csv": "nr,truth\n1,Rome\n2,Oslo\n3,Bonn\n"},
            "rag a.csv --constant ability=question_answering --columns response=reply,id=qid/nr,answer=truth --gold gold.csv",
        ),
    ],
)
def test_files_that_belong_together_are_in_one_line_that_runs(adjudge, monkeypatch, tmp_path, files, line):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    assert library.look([*files]).command == f"adjudge {line}"
    assert adjudge("look", *files, "--run")[0] == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_of_a_long_file_the_first_rows_decide(written, monkeypatch, ending):
    """A label that is refused far behind is not read."""
    monkeypatch.setattr("adjudge.profiling.file_profile.SAMPLED", 20)
    table = pl.DataFrame(
        {"id": range(40), "ana": ["x", "y"] * 20, "ben": ["x", "x", "y", "y"] * 10, "gold": ["y", "x"] * 20}
    )
    content = table.write_csv() if ending == "csv" else table.write_ndjson()
    found = library.look(
        written(content + ("1,x,x,y\n" if ending == "csv" else content[: content.index("\n") + 1]), f"long.{ending}")
    )
    assert found.files[0].rows == 41
    assert found.command.endswith("--columns item=id,reference=gold --annotator-columns ana,ben")


SWAPPED = [
    {"question_id": q, "model_a": a, "model_b": b, "winner": f"model_{vote}", "judge": judge, "turn": 1, "tstamp": 0}
    for q, judge, a, b, vote in ((1, "ana", *"mna"), (1, "ben", *"nmb"), (2, "ana", *"mnb"), (2, "ben", *"mnb"))
]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        (
            "log.jsonl",
            lines({"id": n, "judge": {"score": n % 3}, "human": {"ana": n % 3, "ben": n % 2}} for n in range(9)),
            "card {} --columns item=id --judges judge.score --annotator-columns judge.score,human.ana,human.ben",
        ),
        ("votes.json", SWAPPED, "agreement {}"),
        # labels of answers are no true answers, and an empty list of these is none
        (
            "eval.jsonl",
            """{"id": 1, "output": "It is so.", "human": {"label": "PASS"}, "judge": {"model": "m", "verdict": "pass"}}
            {"id": 2, "output": "It was so.", "human": {"label": "FAIL"}, "judge": {"model": "m", "verdict": "pass"}}
            {"id": 3, "output": "Be it so.", "human": {"label": "PASS"}, "judge": {"model": "m", "verdict": "fail"}}""",
            "reliability {} --columns item=id,reference=human.label --annotator-columns judge.verdict",
        ),
        (
            "none.jsonl",
            [{"id": n, "gold": ["It"][n % 2 :], "ok": n % 2 == 0, "response": f"It is {n}."} for n in range(6)],
            "rag {} --map-values ability:true=question_answering --map-values ability:false=negative_rejection --columns answer=gold,ability=ok --answer-lists aliases",
        ),
        # votes with names of columns that Adjudge makes
        (
            "sides.csv",
            "item,annotator,model_a,model_b,winner\n1,ana,x,y,model_a\n1,ben,x,y,tie\n2,ana,y,x,model_b\n",
            "annotations {} --reference winner --annotator 'model:*'",
        ),
    ],
)
def test_what_labels_and_their_annotators_are_is_told_by_values_too(adjudge, written, name, content, line):
    path = written(content, name)
    assert library.look(path).command == f"adjudge {line.format(path)}"
    assert adjudge("look", path, "--run")[0] == 0


def test_votes_on_a_pair_in_either_order_are_for_its_models(adjudge, written):
    """Both say that m wins the first and n the second, and by sides they differ on the first."""
    alpha = scored(adjudge, f"adjudge agreement {written(SWAPPED, 'votes.json')}")["agreement"][0]
    assert (alpha["metric"], alpha["value"]) == ("alpha", 1)


ANSWERS = "question,gpt4_answer,claude_answer,gpt4_correct,claude_correct\nWhy so?,It is so.,It was so.,yes,no\nAnd how?,By it.,By this.,no,no\n"
LISTS = lines(
    {"text": f"Say {n}.", "prediction": [{"label": "a", "score": 0.8}], "annotation": "a", "agent": "ana"}
    for n in range(4)
)
MQM = next(one.content for one in SAMPLES if one.format == "mqm")
AGAIN = "".join(f"{n // 3},{'ab'[n % 2]},{'xyz'[n % 3]},2025-01-01T10:{n:02}:00\n" for n in range(12))
RATED = json.dumps([{"id": n, "clarity": n % 5, "tone": n * 3 % 5, "style": n * 7 % 4} for n in range(20)])
RATED_BY_ONE = "id,label\n" + "".join(f"{n},{n % 5}\n" for n in range(20))
CONVERSATION = [{"from": "human", "value": "Tell me about it."}, {"from": "gpt", "value": "It is a thing."}]
CONVERSATIONS = lines({"conversations": CONVERSATION, "score": n % 5} for n in range(20))
TWICE = "".join(f"w{n % 3},t{n // 2 % 8},{'abc'[n % 3 - n // 24 % 2]}\n" for n in range(40))
SETS = "item id,labels\n" + "".join(f"{n},\"['a', 'b{n}']\"\n" for n in range(9))
PER_MODEL = "nr,question,gold,gpt-4o,llama3\n1,Where is 1?,Rome,It is Rome.,Milan I think\n2,Where is 2?,Lima,Lima it is.,No idea\n"
MARKED = lines({"id": n, "text": "Best tea.", "label": [[0, 4, "praise"]]} for n in range(2_001))


@pytest.mark.parametrize(
    ("files", "lacking"),
    [
        ({"a.csv": f"ticket_id,reviewer,verdict,reviewed_at\n{AGAIN}"}, ("labels item",)),
        ({"a.csv": "id,ana,ben,gold\n1,ja,ja,1\n2,nein,ja,0\n3,ja,nein,1\n"}, ("--map-values reference:VALUE=LABEL",)),
        (
            {"a.csv": "id,ana_tone,ana_style,ben_tone,ben_style\nq,1,2,1,2\nr,2,1,2,1\n"},
            ("are criteria, and no annotators of one question",),
        ),
        ({"a.csv": "id,toxic,fine\nq,x,\nr,,x\n"}, ("missing columns annotator, label",)),
        ({"a.csv": "id,toxic,fine\nq,Yes,\nr,,no\ns,yes,\n"}, ("missing columns annotator, label",)),  # two questions
        ({"a.csv": "id,left_model,right_model,winner\nq,a,b,left\nr,b,a,right\ns,a,b,left\n"}, ()),
        ({"a.csv": ANSWERS}, ("gpt4_correct, claude_correct are verdicts on different texts",)),
        ({"a.jsonl": LISTS}, ()),
        ({"a.tsv": MQM}, ("found: r1, r2", "--truth-annotator r1")),
        ({"a.csv": "id,rater,label\n1,ana,a\n2,ben,b\n3,ana,a\n"}, ("no item has labels of two annotators",)),
        ({"a.csv": ONE}, ("missing column annotator",)),
        ({"a.csv": SETS, "b.csv": SETS}, ("--columns 'item=item id,label=labels'",)),
        ({"a.csv": "id,toxic,fine,checked\nq,1,False,yes\nr,1,False,no\n"}, ("missing columns annotator, label",)),
        ({"a.json": RATED}, ("clarity, tone, style are criteria", "--columns label=COLUMN")),
        ({"a.json": RATED, "human.csv": RATED_BY_ONE}, ("clarity, tone, style are criteria",)),
        ({"a.jsonl": CONVERSATIONS}, ("missing columns item, annotator", "annotator=COLUMN")),
        ({"a.csv": TWICE}, ("labels item",)),  # nothing is left out unasked, such as the first row without a header
        ({"a.csv": "id,text,label\n1,Best tea.,x\n2,Old tea.,y\n"}, ()),
        (
            {"a.m2": "S A b .\nA 0 1|||Det|||The|||REQUIRED|||-NONE-|||0\n\n"},
            ("expected a file of predictions beside it",),
        ),
        ({"a.jsonl": MARKED}, ("expected a file of predictions beside it",)),
        ({"bytes.csv": "判定,x\n".encode("cp932")}, ("--encoding",)),
        ({"a.csv": PER_MODEL.replace("nr,", "item,")}, ("rename the column item in the file",)),
    ],
)
def test_what_is_lacking_is_said_by_run_too(adjudge, monkeypatch, tmp_path, files, lacking):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    said, (code, _, err) = f"{library.look([*files])}", adjudge("look", *files, "--run")
    assert code == 1
    assert [text for text in lacking if text not in said or text not in err] == []


@pytest.mark.parametrize(
    ("evaluation", "content", "columns"),
    [
        ("rag", "answer_id,answer\na1,It is so.\na2,It was.\n", {"response": "answer"}),
        ("rag", "id,noise_level,gold,output\n1,0,x,y\n1,0.4,x,z\n", {"noise_ratio": "noise_level"}),
        ("reliability", "id,turn,user_prompt,winner\n1,1,Why?,a\n1,2,And how?,b\n2,1,Why?,a\n", {}),
        ("reliability", "pair_id,who,label,seconds\n1,ana,x,7\n2,ben,y,7\n3,ana,x,8\n", {"item": "pair_id"}),
    ],
)
def test_ids_are_no_answers_prompts_no_annotators_and_measures_no_items(evaluation, content, columns):
    found = guess(evaluation, table(content)).columns
    assert found == {**found, **columns}
    assert found.get("annotator", "who") == "who"


def test_columns_that_the_user_names_decide_the_evaluation(adjudge, written):
    path = written("N°,Attendue,Système\n1,Rome,It is Rome.\n2,Lima,It is Nice.\n", "a.csv")
    pair, answers = {"model_a": "Attendue"}, {"id": "N°", "answer": "Attendue", "response": "Système"}
    assert library.look(path, columns=pair).fit.evaluation == "annotations"
    found = library.look(path, columns=answers, constant={"ability": "question_answering"})
    assert found.fit.options["columns"] == answers
    assert run_line(adjudge, found.command)[0] == 0
