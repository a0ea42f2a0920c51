"""Messages on the command line speak of its flags."""

import re
import shlex

import polars as pl
import pytest
from adjudge.api.calls import arguments_of

import adjudge as library

FUNCTIONS = {
    "annotations": "annotations",
    "preferences": "preferences",
    "rag": "rag",
    "reliability": "reliability",
    "violations": "violations",
    "check": "check_preferences",
    "predict": "predict_preferences",
    "rank": "rank_preferences",
    "prepare": "prepare_rag",
    "label": "label_annotations",
    "plant": "plant_violations",
    "compare": "compare",
    "convert": "convert",
    "plan": "plan",
}
"""The last word of a command, but `score`, for which its evaluation stands -> the function."""

FILES = {
    "votes.csv": "item,annotator,label,reference\n1,ana,a,a\n2,ben,b,a\n",
    "bare.csv": "item,annotator,label\n1,ana,a\n2,ben,b\n",
    "odd.csv": "a,b\n1,2\n",
    "cells.csv": "item;annotator;label\n1;ana;a,b\n",
    "pairs.csv": "prompt,text_a,text_b,ann\nq,x,y,1\n",
    "answers.csv": "id,response\n1,x\n",
    "hotpot.json": '{"answer": {"1": "x"}, "sp": {}}',
    "marks.jsonl": '{"id": "1", "text": "abc", "violations": []}\n',
    "people.json": '[{"id": 1, "data": {"text": "abc"}, "annotations": ['
    '{"completed_by": 1, "result": [{"type": "labels", "value": {"start": 0, "end": 1, "labels": ["x"]}}]},'
    '{"completed_by": 2, "result": []}]}]',
    "gold.csv": "id,instruction,output_a,output_b,q_preference\n1,i,x,y,A\n",
    "long.csv": "id,criterion,label\n1,zest,A\n",
    "rules.csv": "rule,description\nx,y\n",
}

CALLS = [
    "reliability score bare.csv",
    "reliability score odd.csv",
    "reliability score none.csv",
    "reliability score votes.csv --columns label=answer",
    "reliability score votes.csv --vote-separator ,",
    "reliability score votes.csv --flag-values flagged=1",
    "reliability score votes.csv --input-format cvs",
    "reliability score votes.csv --separator ';'",
    "reliability score votes.csv --constant item=1",
    "reliability score votes.csv --map-values label:z=1",
    "reliability score cells.csv --annotator-columns label",
    "annotations score pairs.csv",
    "annotations score pairs.csv --annotator-columns ann",
    "annotations score pairs.csv --annotator-columns ann --vote-values text_c=1",
    "rag score answers.csv",
    "rag score hotpot.json",
    "rag score answers.csv --exact",
    "violations score marks.jsonl",
    "violations score people.json people.json",
    "violations score people.json --truth-annotator 1 --references best-of",
    "violations score marks.jsonl marks.jsonl marks.jsonl",
    "violations score marks.jsonl marks.jsonl --base-url http://localhost",
    "preferences score gold.csv gold.csv --criteria q --stem",
    "preferences score gold.csv gold.csv --criteria q --layer 2",
    "preferences score gold.csv gold.csv gold.csv --criteria q",
    "preferences score long.csv long.csv --criteria q",
    "preferences check gold.csv --gold gold.csv --criteria q",
    "preferences predict gold.csv --criteria q --output out.tsv",
    "preferences predict gold.csv --predictor majority --criteria q --output out.tsv",
    "preferences predict gold.csv --predictor judge --criteria q --output out.tsv",
    "preferences predict gold.csv --predictor longer --fit-items 2 --criteria q --output out.tsv",
    "preferences rank gold.csv --lower-is-better bleu",
    "rag prepare marks.jsonl --ability noise_robustness --passages 0 --noise 0.4 --output out.jsonl",
    "rag prepare marks.jsonl --ability noise_robustness --batch-file b.jsonl --output out.jsonl",
    "annotations label pairs.csv --model m --output out.json",
    "annotations label pairs.csv --model openai/m --batch-file b.jsonl --from-batch b2.jsonl --output out.json",
    "violations plant marks.jsonl --output out.jsonl",
    "violations plant marks.jsonl --phrases rules.csv --timeout 3 --output out.jsonl",
    "compare votes.csv votes.csv",
    "convert votes.csv votes.csv",
    "plan --expected 0.5 --metric accuracy",
    "plan --expected 0.5 --metric accuracy --width 0.1 --icc 0.2",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def function_of(line):
    """The public function that a command calls."""
    words = shlex.split(line)
    return getattr(library, next(FUNCTIONS[word] for word in words[1::-1] if word in FUNCTIONS))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", CALLS)
def test_a_refusal_on_the_command_line_speaks_of_flags(adjudge, line):
    status, _, said = adjudge(*shlex.split(line))
    assert status in {1, 2}, said
    names = [name for name in arguments_of(function_of(line)) if "_" in name]
    assert not [name for name in names if re.search(rf"(?<![-\w]){name}(?![-\w])", said)], said


def test_warnings_and_values_that_are_no_paths_are_told(adjudge, written):
    votes = FILES["votes.csv"].replace("ana", "änne").replace("a,a", "a,A").encode("cp1252")
    path = written(votes, "western.csv")
    _, _, said = adjudge("reliability", "score", path, "--format", "json")
    assert all(flag in said for flag in ("with --encoding", "Use --exact-labels"))
    with pytest.raises(library.OptionError, match=r"^verdicts: expected the path of a file; got a DataFrame$"):
        library.rag("answers.csv", verdicts=pl.DataFrame({"answer": ["x"]}))
