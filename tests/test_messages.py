"""Messages speak of flags on the command line, of arguments in Python, whatever the words that they are written in."""

import re
import shlex

import polars as pl
import pytest

import karat as library
from karat import KaratError
from karat.api.calls import arguments_of

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
    "reliability score votes.csv --set item=1",
    "reliability score votes.csv --values label:z=1",
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


def call(line):
    """The call of a public function that a command makes."""
    words = shlex.split(line)
    name = next(FUNCTIONS[word] for word in words[1::-1] if word in FUNCTIONS)
    rest = words[1 if words[0] == name and words[1] != "score" else 2 :]
    arguments = arguments_of(getattr(library, name))
    flags = {one.flag: one for one in arguments.values()}
    given, places = {}, []
    while rest:
        word, *rest = rest
        if not word.startswith("--"):
            places.append(word)
        elif isinstance(flags[word].default, bool):
            given[word] = True
        else:
            given[word], rest = [*given.get(word, []), rest[0]], rest[1:]
    for one in arguments.values():
        if one.positional and places:
            given[one.flag], places = (places, []) if one.kind.several else (places[0], places[1:])
    values = {
        flags[flag].name: flags[flag].parsed(
            value[0] if isinstance(value, list) and not flags[flag].kind.several else value
        )
        for flag, value in given.items()
    }
    return getattr(library, name), values


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", CALLS)
def test_a_refusal_speaks_of_flags_to_those_who_gave_flags_and_else_of_arguments(karat, line):
    status, _, said = karat(*shlex.split(line))
    function, values = call(line)
    assert status in {1, 2}, said
    names = [name for name in arguments_of(function) if "_" in name]
    assert not [name for name in names if re.search(rf"(?<![-\w]){name}(?![-\w])", said)], said
    with pytest.raises(KaratError) as caught:
        function(**values)
    assert not re.search(r"--[a-z]", str(caught.value)), caught.value


@pytest.mark.usefixtures("folder")
def test_warnings_and_values_that_are_no_paths_are_told_in_arguments(karat, written):
    votes = FILES["votes.csv"].replace("ana", "änne").replace("a,a", "a,A").encode("cp1252")
    report = library.reliability(written(votes, "western.csv"))
    assert [warning.rpartition(" ")[2] for warning in report.warnings] == ["encoding", "apart"]
    assert "Use exact_labels to keep them apart" in report.warnings[1]
    _, _, said = karat("reliability", "score", "western.csv", "--format", "json")
    assert all(flag in said for flag in ("with --encoding", "Use --exact-labels"))
    with pytest.raises(library.OptionError, match=r"^verdicts: expected the path of a file; got a DataFrame$"):
        library.rag("answers.csv", verdicts=pl.DataFrame({"answer": ["x"]}))
