"""Messages on the command line speak of its flags."""

import re
import shlex

import polars as pl
import pytest

import adjudge as library
from adjudge.cli import QUESTIONS
from adjudge.cli.command import Command

FILES = {
    "votes.csv": "item,annotator,label,reference\n1,ana,a,a\n2,ben,b,a\n",
    "bare.csv": "item,annotator,label\n1,ana,a\n2,ben,b\n",
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
    "reliability votes.csv --flag-values flagged=1",
    "reliability votes.csv --map-values label:z=1",
    "reliability cells.csv --annotator-columns label",
    "annotations pairs.csv --annotator-columns ann",
    "annotations pairs.csv --annotator-columns ann --vote-values text_c=1",
    "rag hotpot.json",
    "rag answers.csv --exact",
    "violations people.json people2.json",
    "violations marks.jsonl marks2.jsonl marks2.jsonl",
    "violations marks.jsonl marks2.jsonl --base-url http://localhost",
    "preferences gold.csv gold2.csv --criteria q --explanations",
    "preferences gold.csv gold2.csv gold2.csv --criteria q",
    "preferences long.csv long2.csv --criteria q",
    "preferences check gold.csv --gold gold2.csv --criteria q",
    "preferences predict gold.csv --predictor majority --criteria q --output out.tsv",
    "preferences predict gold.csv --predictor judge --criteria q --output out.tsv",
    "preferences rank gold.csv --lower-is-better bleu",
    "rag prepare marks.jsonl --ability noise_robustness --passages 0 --noise 0.4 --output out.jsonl",
    "annotations label pairs.csv --model m --output out.json",
    "annotations label pairs.csv --model openai/m --batch-file b.jsonl --from-batch b2.jsonl --output out.json",
    "violations plant marks.jsonl --output out.jsonl",
    "plan --expected 0.5 --metric accuracy",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        stem, ending = name.split(".")
        for copy in ("", "2"):
            (tmp_path / f"{stem}{copy}.{ending}").write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", CALLS)
def test_a_refusal_on_the_command_line_speaks_of_flags(adjudge, line):
    status, _, said = adjudge(*shlex.split(line))
    assert status in {1, 2}, said
    words = line.split()
    command = Command(" ".join(words[: 1 + (" ".join(words[:2]) in QUESTIONS)]))
    names = [one.name for one in command.params if "_" in one.name]
    assert not [name for name in names if re.search(rf"(?<![-\w]){name}(?![-\w])", said)], said


def test_warnings_and_values_that_are_no_paths_are_told(adjudge, written):
    votes = FILES["votes.csv"].replace("ana", "änne").replace("a,a", "a,A").encode("cp1252")
    path = written(votes, "western.csv")
    _, _, said = adjudge("reliability", path, "--format", "json")
    assert all(flag in said for flag in ("with --encoding", "(--exact-labels"))
    with pytest.raises(library.OptionError, match=r"^verdicts: expected the path of a file; got a DataFrame$"):
        library.rag("answers.csv", verdicts=pl.DataFrame({"answer": ["x"]}))
