"""Whatever stops a command that writes, what it writes is there whole or is what was there before.

    python benchmarks/faults.py [--kills 20] [--seed 0] [--only NAME]

Of each command: `kill -9` and Ctrl-C at random moments, in turn, files that may not grow beyond a few bytes (a full disk), a
closed standard output, and two at once that write the same. After each, every file that it names holds what stood there before or all that it was to hold, and
the command itself still runs. Whatever is left behind is hidden. Those that ask a model ask Inspect's mock model (adjudge[models]); of two in turn one
begins anew, the other goes on with the answers that the last one kept. Exits with status 1 where anything else is found.
"""

import argparse
import json
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
VOTES, GOLD = "examples/reliability/votes.json", "examples/preferences/gold.jsonl"
PAIRS, MOCK = "examples/annotations/pairs.json", "--model mockllm/model"
TRUTH, FOUND = "examples/violations/truth.jsonl", "examples/violations/eager.jsonl"
COMMANDS = {
    "score": f"reliability {VOTES} --output r.json --output r.html --output r.md --save-items i.parquet",
    "folders": f"reliability {VOTES} --output r.csv --output r.parquet",
    "agreement": "agreement examples/agreement/ratings.csv --columns label=rating --output r.html --save-items i.parquet",
    "card": "card examples/card/labels.csv --judges steady,hasty --run-column draw --output r.json --save-items i.parquet",
    "demo": "demo --folder demo.d",
    "prepare": "rag prepare questions.data --ability noise_robustness --noise 0 --output r.jsonl",
    "consensus": f"agreement {VOTES} --consensus-file c.csv",
    "compare": "compare a.parquet b.parquet --judge a=ana --judge b=ben --output r.json",
    "history": "history a.json b.json --output r.html",
    "show": "show a.json --output r.md --output r.tex",
    "convert": f"convert {VOTES} r.csv",
    "fix": f"preferences check examples/preferences/careful.tsv --gold {GOLD} --fix r.tsv",
    "predict": f"preferences predict {GOLD} --predictor longer --output r.tsv",
    "annotations": "annotations examples/annotations/pairs.json --reference lena --output r.xlsx --save-items i.parquet",
    "preferences": f"preferences {GOLD} examples/preferences/quick.tsv --output r.json --save-items i.parquet",
    "rank": "preferences rank scores.data --output r.md --output r.svg",
    "rag": "rag examples/rag/answers.jsonl --output r.json --save-items i.parquet",
    "audit": "rag audit questions.data --output r.csv",
    "violations": f"violations {TRUTH} {FOUND} --output r.html --save-items i.parquet",
    "pairs": f"violations pairs {TRUTH} {FOUND} --output p.jsonl",
    "calibrate": "violations calibrate judged.data --write-config c.toml --output r.json",
    "correct": "card correct partly.data --judges gpt --output r.json",
    "resume": f"annotations {PAIRS} --one-data-set pairs --reference lena --resume kept --output r.json",
    "rubric": f"judge examples/judge/answers.csv --rubric examples/judge/rubric.toml {MOCK} --output labels.parquet",
    "label": f"annotations label {PAIRS} {MOCK} --output r.json",
    "judge": f"preferences predict {GOLD} --predictor judge {MOCK} --output r.tsv",
    "explanations": f"preferences judge {GOLD} examples/preferences/careful.tsv {MOCK} --output r.jsonl",
    "answer": f"rag answer prompts.data {MOCK} --output r.jsonl",
    "verdicts": f"rag judge examples/rag/answers.jsonl {MOCK} --output r.jsonl",
    "check": f"violations check {TRUTH} --rules rules.data {MOCK} --output r.jsonl",
    "planted": f"violations plant clean.data --rules rules.data {MOCK} --output r.jsonl",
    "batch": f"annotations label {PAIRS} {MOCK} --output r.json --batch-file batch.jsonl",
    "results": f"annotations label {PAIRS} {MOCK} --output r.json --from-batch results.data",
}
PREPARED = {
    "questions.data": [
        {"id": "1", "query": "Who?", "answer": ["Ann"], "positive": ["It was Ann.", "Ann did."], "negative": ["Rain."]},
        {"id": "2", "query": "When?", "answer": ["1999"], "positive": ["In 1999.", "1999."], "negative": ["Later."]},
    ],
    "scores.data": [
        {"system": system, "criterion": "safety", "metric": "accuracy", "value": value}
        for system, value in (("one", 0.3), ("two", 0.4))
    ],
    "clean.data": [{"id": "1", "text": "Nice green tea."}, {"id": "2", "text": "Mild soap here."}],
    "judged.data": [
        {
            "id": f"t{number}",
            "text": "x" * 100,
            "predicted": {"start": 0, "end": 10 + number % 13, "rule": "a", "category": "c"},
            "ground_truth": {"start": number % 9, "end": 20, "rule": "a", "category": "cd"[number % 2]},
            "same": number % 2 == 0,
            "judge": "ann",
        }
        for number in range(120)
    ],
    "partly.data": [
        {"item": str(number), "annotator": who, "label": "yn"[number % (3 + (who == "ann")) == 0]}
        for who, many in (("gpt", 60), ("ann", 40))
        for number in range(many)
    ],
    "prompts.data": [
        {"id": name, "ability": "noise_robustness", "noise_ratio": 0.0, "answer": ["Lima"]}
        | {"query": f"Where is {name}?", "documents": ["It is in Lima."]}
        for name in "abcdef"
    ],
    "rules.data": [
        {"rule": "calm", "description": "no superlatives"},
        {"rule": "plain", "description": "no claims about health"},
    ],
}
"""What commands read that is no example."""
ENDINGS = (
    ".d",
    ".json",
    ".html",
    ".md",
    ".csv",
    ".parquet",
    ".tex",
    ".tsv",
    ".jsonl",
    ".xlsx",
    ".svg",
    ".toml",
)
NEVER_REPLACED = ("p.jsonl",)
"""What a command writes only where nothing stands in its place."""
SMALL = 600
"""Bytes that a file may hold where the disk is full."""
BEFORE = b"before"


def words(line: str) -> list[str]:
    return [sys.executable, "-m", "adjudge", *shlex.split(line)]


def named(line: str) -> list[str]:
    """What a command may write: what stands behind its options, and a second argument of convert."""
    given = shlex.split(line)
    behind = [given[place + 1] for place, word in enumerate(given[:-1]) if word.startswith("--")]
    behind += given[2:3] if given[0] == "convert" else []
    return [one for one in behind if one.endswith(ENDINGS) and "/" not in one]


def held(path: Path) -> object:
    """The bytes of a file, or of the files of a folder."""
    if path.is_dir():
        return {one.name: one.read_bytes() for one in path.iterdir() if one.is_file() and not one.name.startswith(".")}
    if path.name == "batch.jsonl" and path.exists():  # the marks around judged texts are drawn anew
        return re.sub(rb"text-[0-9a-f]{8}", b"text-", path.read_bytes())
    return path.read_bytes() if path.exists() else None


def emptied(folder: Path, names: Iterable[str], *, folders: bool) -> None:
    """Something else in the place of all that a command writes."""
    for name in names:
        place = folder / name
        if folders or name == "demo.d":
            subprocess.run(["rm", "-rf", str(place)], check=True)
            place.mkdir()
            if folders:
                (place / f"overall{place.suffix}").write_bytes(BEFORE)
        elif name not in NEVER_REPLACED:
            place.write_bytes(BEFORE)
        else:
            place.unlink(missing_ok=True)


def stopped(folder: Path, line: str, seconds: float, by: int) -> Iterator[str]:
    """The command, stopped by a signal after so many seconds; and what is wrong with how it ends."""
    running = subprocess.Popen(words(line), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(seconds)
    running.send_signal(by)
    _, said = running.communicate()
    if by == signal.SIGINT and (b"Traceback" in said or running.returncode not in (0, 130, -signal.SIGINT)):
        yield f"Ctrl-C: status {running.returncode}, {said.decode().strip()[-300:]}"


def closed(folder: Path, line: str) -> Iterator[str]:
    """The command whose output nobody reads; and what is wrong with how it ends."""
    given = f"{shlex.join(words(line))} | true; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", given], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode or "Traceback" in ran.stderr:
        yield f"closed output: status {ran.returncode}, {ran.stderr.strip()[-300:]}"


def full(folder: Path, line: str) -> Iterator[str]:
    """The command where no file can hold more than a little; and what is wrong with how it ends."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (SMALL, SMALL))
    ran = subprocess.run(words(line), cwd=folder, capture_output=True, text=True, preexec_fn=limit, check=False)
    said = ran.stderr.split("Exception ignored in atexit callback: <function compress_trace_log")[0]  # of Inspect's own
    if "Traceback" in said or "defect" in said or (ran.returncode and "cannot be written" not in said):
        yield f"full disk: status {ran.returncode}, {said.strip()[-300:]}"


def twice(folder: Path, line: str) -> Iterator[str]:
    """Two at once; and what is wrong with how they end.

    The second one that asks a model may be told to wait, and one may find the file that is never replaced.
    """
    running = [
        subprocess.Popen(words(line), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in "12"
    ]
    for one in running:
        _, said = one.communicate()
        wait = b"another run is at work here" if MOCK in line else b"there is a file of that name"
        if one.returncode and wait not in said:
            yield f"two writers: status {one.returncode}, {said.decode().strip()[-300:]}"


def prepare(folder: Path, line: str) -> None:
    """All that a command reads."""
    (folder / "examples").symlink_to(EXAMPLES)
    for run, by in (("a", "0"), ("b", "1")):
        made = f"reliability {VOTES} --save-items {run}.parquet --output {run}.json --seed {by} --quiet"
        subprocess.run(words(made), cwd=folder, check=True, capture_output=True)
    for one, rows in PREPARED.items():
        write(folder / one, rows)
    if "results.data" in line:
        answer_batch(folder)


def write(path: Path, rows: Iterable[object]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def answer_batch(folder: Path) -> None:
    """The results of the batch of questions on pairs: a verdict that each form allows."""
    subprocess.run(words(COMMANDS["batch"]), cwd=folder, check=True, capture_output=True)
    asked = [json.loads(line) for line in (folder / "batch.jsonl").read_text(encoding="utf-8").splitlines()]
    write(folder / "results.data", [{"custom_id": one["custom_id"], "response": answer(one["body"])} for one in asked])
    (folder / "batch.jsonl").unlink()


def answer(asked: dict) -> dict:
    """What a server gives that answers by the schema."""
    from adjudge.llm.inspecting import mock_value

    said = json.dumps(mock_value(asked["response_format"]["json_schema"]["schema"], random.Random(0)))
    message = {"role": "assistant", "content": said}
    return {"status_code": 200, "body": {"choices": [{"message": message, "finish_reason": "stop"}]}}


def forget(folder: Path) -> None:
    """Remove the answers of models that were kept."""
    for place in folder.glob("*.logs"):
        shutil.rmtree(place)


def tried(name: str, line: str, kills: int, draw: random.Random) -> Iterator[str]:
    """What is wrong with a command, whatever stops it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder, line)
        start = time.monotonic()
        subprocess.run(words(line), cwd=folder, check=True, capture_output=True)
        took = time.monotonic() - start
        whole = {one: held(folder / one) for one in named(line) if (folder / one).exists()}

        def check(what: str) -> Iterator[str]:
            for one, wanted in whole.items():
                found = held(folder / one)
                part = (
                    one == "demo.d" and found.items() <= wanted.items()
                )  # it writes file by file into a folder of its own
                if (
                    found not in (wanted, before[one])
                    and not part
                    and not (one == "r.parquet" and isinstance(found, dict))
                ):
                    yield f"{what}: {one} holds something else"
            beside = {one.name for one in folder.iterdir() if not one.name.startswith(".")}
            if odd := beside - expected - {f"{one}.logs" for one in named(line) if MOCK in line}:
                yield f"{what}: left behind {sorted(odd)}"

        expected = {one.name for one in folder.iterdir()}
        folders = name == "folders"
        moments = [("killed", draw.uniform(0.3, 1.05) * took) for _ in range(kills)]
        ways = {"full": full, "closed": closed, "two": twice}
        if name == "demo":
            del ways["two"]  # two that simulate into one folder are one too many
        for number, (what, seconds) in enumerate([*moments, *((way, 0.0) for way in ways)]):
            emptied(folder, whole, folders=folders)
            if what != "killed" or number // 2 % 2 == 0:
                forget(folder)
            before = {one: held(folder / one) for one in whole}
            if what == "killed":
                yield from stopped(folder, line, seconds, (signal.SIGKILL, signal.SIGINT)[number % 2])
            else:
                yield from ways[what](folder, line)
            yield from check(f"{what} after {seconds:.2f} s" if seconds else what)
        emptied(folder, whole, folders=folders)
        again = subprocess.run(words(line), cwd=folder, capture_output=True, text=True, check=False)
        if again.returncode or {one: held(folder / one) for one in whole} != whole:
            yield f"afterwards: status {again.returncode}, {again.stderr.strip()[-300:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=COMMANDS)
    asked = parser.parse_args()
    wrong = 0
    for name, line in COMMANDS.items():
        if asked.only in (None, name):
            found = list(tried(name, line, asked.kills, random.Random(asked.seed)))
            wrong += len(found)
            print(
                f"{name:10} {asked.kills} kills, a full disk, a closed output, two writers: {'; '.join(found) or 'whole or as before'}"
            )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
