"""Mistakes as users make them: each is answered in at most four lines with the right fix.

`python tests/cli/test_mistakes.py` writes the golden file from what the command line says now.
"""

import gzip
import io
import json
import os
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "data" / "mistakes.txt"
MOST_LINES = 4
WRITE = "WRITE_MISTAKES"
"""Variable that asks to write the golden file."""
PYTHONS_OWN = re.compile(
    r"Traceback|Expecting|Errno|\w(Error|Exception)\b|object at 0x|<class|\[\{|\{'|None|codec|line \d+, column \d+ \("
)

VOTES = "item,annotator,label,reference\n1,ana,a,a\n1,ben,b,a\n2,ana,b,b\n2,ben,b,b\n"
BARE = "item,annotator,label\n1,ana,a\n1,lead,a\n2,ana,b\n2,lead,b\n"
GOLD = [
    {"id": str(n), "instruction": "i", "output_a": "x", "output_b": "y", "safety_preference": "AB"[n % 2]}
    for n in range(4)
]
TEXT = {"id": "1", "text": "The best tea ever", "violations": [{"start": 4, "end": 8, "rule": "superlatives"}]}


def zipped(name: str, text: str) -> bytes:
    """A zip archive of one file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return held.getvalue()


FILES = {
    "votes.csv": VOTES,
    "bare.csv": BARE,
    "mapped.csv": "question,worker,answer,gold\nq1,ana,a,a\nq2,ben,b,a\n",
    "half.csv": "item,worker,label,reference\n1,ana,a,a\n2,ben,b,a\n",
    "empty.csv": "",
    "header.csv": "item,annotator,label,reference\n",
    "photo.csv": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "western.csv": VOTES.replace("ana", "änne").encode("cp1252"),
    "semicolons.csv": VOTES.replace(",", ";"),
    "uneven.csv": VOTES + "3,ana,a,a,b\n",
    "sheet.csv": "id,text,gold,ana,ben\n1,x,a,a,b\n2,y,b,b,b\n",
    "twice.csv": VOTES + "1,ana,b,a\n",
    "broken.json": '[{"item": 1, "annotator": "ana", "label": }]',
    "cut.jsonl": '{"item": 1, "annotator": "ana", "label": "a"}\n{"item": 2, "annot',
    "cut.csv.gz": gzip.compress(VOTES.encode() * 50)[:-20],
    "bomb.zip": zipped("votes.csv", VOTES * 50_000),
    "broken.parquet": b"PAR1" + bytes(64) + b"PAR1",
    "book.xlsx": zipped("xl/workbook.xml", ""),
    "gold.jsonl": "".join(json.dumps(one) + "\n" for one in GOLD),
    "system.tsv": "id\tsafety_preference\n0\tA\n1\tB\n2\tB\n3\tB\n",
    "labels.tsv": "id\tsafety_preference\n0\tA\n1\tC\n2\tD\n3\tB\n",
    "other.tsv": "id\tsafety_preference\nx\tA\ny\tB\n",
    "truth.jsonl": json.dumps(TEXT) + "\n",
    "found.jsonl": json.dumps({"id": "1", "violations": [{"start": 4, "end": 80}]}) + "\n",
    "other.jsonl": json.dumps({"id": "1", "violations": [{"start": 0, "end": 8, "rule": "best"}]}) + "\n",
    "pairs.csv": "prompt,text_a,text_b,ann\nq,x,y,1\n",
    "questions.jsonl": '{"id": "1", "query": "Who?", "answer": ["Ann"], "positive": ["Ann did"], "negative": ["No"]}\n',
    "answers.csv": "id,response\n1,Ann\n",
    "report.json": '{"name": "x"}',
    "key/adjudge.toml": 'refrence = ["lead"]\n',
    "value/adjudge.toml": "[reliability]\nci_level = 95\n",
    "syntax/adjudge.toml": "reference = [lead\n",
    "table/adjudge.toml": "[reliabilty]\nseed = 1\n",
}
"""The files of a user by name."""

MISTAKES = """
adjudge reliability vote.csv
adjudge reliability mapped.csv
adjudge reliability half.csv
adjudge reliability bare.csv
adjudge reliability empty.csv
adjudge reliability header.csv
adjudge reliability photo.csv
adjudge reliability western.csv --encoding utf-8
adjudge reliability semicolons.csv --separator ,
adjudge reliability sheet.csv
adjudge reliability sheet.csv --annotator-columns ana,bem
adjudge reliability uneven.csv
adjudge reliability twice.csv
adjudge reliability broken.json
adjudge reliability cut.jsonl
adjudge reliability cut.csv.gz
adjudge reliability bomb.zip --max-size 1MB
adjudge reliability broken.parquet
adjudge reliability book.xlsx
adjudge reliability votes.csv --columns item
adjudge reliability votes.csv --columns label=lable
adjudge reliability votes.csv --columns lable=label
adjudge reliability mapped.csv --columns itm=question,annotator=worker
adjudge reliability votes.csv --map-values lable:a=1,b=0
adjudge reliability bare.csv --constant refrence=a
adjudge annotations pairs.csv --annotator-columns ann --constant promtp=x
adjudge reliability bare.csv --reference leed
adjudge reliability votes.csv --by
adjudge reliability votes.csv --by languag
adjudge reliability votes.csv --refrence lead
adjudge reliability votes.csv --ci-level 95
adjudge reliability votes.csv --seed one
adjudge reliability votes.csv --quiet=yes
adjudge reliability votes.csv --map-values label:yes=1
adjudge reliability votes.csv --input-format cvs
adjudge reliability votes.csv --encoding uft-8
adjudge reliability votes.csv --separator ';'
adjudge reliability votes.csv --on-invalid skip
adjudge reliability votes.csv --cluster document
adjudge reliability votes.csv --fail-under realiability=0.8
adjudge reliability votes.csv --fail-under 'reliability[anotator=ana]=0.8'
adjudge reliability votes.csv --fail-under reliability=80
adjudge reliability votes.csv --fail-under reliability
adjudge reliability votes.csv --output results/report.html
adjudge reliability votes.csv --output report.htm
adjudge reliability votes.csv --output votes.csv
adjudge reliability votes.csv --output table.xlsx  # without xlsxwriter
adjudge reliability book.xlsx  # without fastexcel
adjudge reliability http://localhost:9/votes.csv
adjudge annotations pairs.csv --one-data-set all --annotator-columns ann --runner ray  # without ray
adjudge reliability s3://bucket/votes.csv  # without s3fs
adjudge reliability scroe votes.csv
adjudge reliabilty votes.csv
adjudge votes.csv
adjudge rag prepair questions.jsonl
adjudge preferences system.tsv gold.jsonl --criteria safety
adjudge preferences gold.jsonl gold.jsonl --criteria safety
adjudge preferences gold.jsonl labels.tsv --criteria safety
adjudge preferences gold.jsonl system.tsv --criteria safty
adjudge preferences gold.jsonl other.tsv --criteria safety
adjudge preferences gold.jsonl
adjudge violations found.jsonl truth.jsonl
adjudge violations truth.jsonl found.jsonl
adjudge violations truth.jsonl truth.jsonl
adjudge rag answers.csv
adjudge rag questions.jsonl
adjudge card votes.csv
adjudge compare votes.csv bare.csv
adjudge compare votes.csv
adjudge reliability votes.csv votes.csv
adjudge show report.jsn
adjudge show report.json
adjudge annotations votes.csv
adjudge preferences predict gold.jsonl --criteria safety --model openai/gpt-4o-mini --output out.tsv
adjudge preferences predict gold.jsonl --criteria safety --model openai/m --output out.tsv  # without inspect_ai
adjudge preferences predict gold.jsonl --criteria safety --output out.tsv
adjudge preferences predict gold.jsonl --criteria safety --model openai-api/x/m --base-url http://127.0.0.1:9 --retries 0 --output out.tsv
adjudge preferences predict gold.jsonl --criteria safety --model opnai/m --output out.tsv
adjudge view votes.csv  # without streamlit
adjudge plan --metric acuracy --width 0.1
adjudge history reports
adjudge convert votes.csv
adjudge reliability votes.csv --annotator-columns
adjudge agreement votes.csv --level nomial
adjudge violations truth.jsonl other.jsonl --rule-similarity jacard
cd key && adjudge reliability ../votes.csv
cd value && adjudge reliability ../votes.csv
cd syntax && adjudge reliability ../votes.csv
cd table && adjudge reliability ../votes.csv
ADJUDGE_SEDE=3 adjudge reliability votes.csv
ADJUDGE_SEED=x adjudge reliability votes.csv
""".strip().splitlines()


@pytest.fixture
def answer(adjudge, tmp_path, monkeypatch):
    """Makes the files, gives a command line as a shell does, and returns its status and what it printed on stderr."""
    for name, held in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    for variable in [one for one in os.environ if one.startswith(("ADJUDGE_", "OPENAI_"))]:
        monkeypatch.delenv(variable)
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "own"))

    def run(line):
        command, _, lacking = line.partition("  # without ")
        if lacking:
            for module in (lacking, *[one for one in sys.modules if one.startswith(f"{lacking}.")]):
                monkeypatch.setitem(sys.modules, module, None)
        words = shlex.split(command)
        monkeypatch.chdir(tmp_path / words[1] if words[0] == "cd" else tmp_path)
        at = words.index("adjudge")
        for word in words[:at]:
            variable, equals, value = word.partition("=")
            if equals:
                monkeypatch.setenv(variable, value)
        status, _, printed = adjudge(*words[at + 1 :])
        return status, printed.replace(f"{tmp_path}/", "")

    return run


def golden():
    """Command -> exit status and what is printed."""
    found = {}
    for part in GOLDEN.read_text(encoding="utf-8").split("$ ")[1:]:
        line, status, printed = part.split("\n", 2)
        found[line] = (int(status.removeprefix("exit ")), printed.removesuffix("\n"))
    return found


def asks_models(line):
    """Whether a command gets as far as asking a model's server."""
    return re.search(r"openai|opnai", line) and "without" not in line


MODELS = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


@pytest.mark.parametrize("line", [pytest.param(one, marks=MODELS if asks_models(one) else []) for one in MISTAKES])
def test_a_mistake_is_answered_in_four_lines_with_its_fix(answer, line):
    status, printed = answer(line)
    if WRITE in os.environ:
        with GOLDEN.open("a", encoding="utf-8") as file:
            file.write(f"$ {line}\nexit {status}\n{printed}\n")
    assert status in {1, 2, 3, 4}
    assert len(printed.splitlines()) <= MOST_LINES
    assert not PYTHONS_OWN.search(printed)
    assert (status, printed) == golden()[line]


if __name__ == "__main__":
    os.environ[WRITE] = "1"
    GOLDEN.write_text("")
    sys.exit(pytest.main([__file__, "-q", "-n", "0"]))
