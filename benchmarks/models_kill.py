"""Killed at any moment, asking goes on without loss: kill -9 ten times at random moments over 600 calls.

    python benchmarks/models_kill.py [--calls 600] [--kills 10]

Afterwards every item is there once, nothing is lost, and the server was asked at most `calls + kills x (concurrency + 1)`
times: the calls in flight when the work was killed, and at most one answer that had not reached the disk.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
CONCURRENCY = 8


def serve(pipe: Connection) -> None:
    from llm.server import ModelServer, serving

    server = ModelServer(lambda _prompt, _body: json.dumps({"reason": "r", "verdict": "A"}), delay=0.02)
    with serving(server) as url:
        pipe.send(url)
        while True:
            pipe.recv()
            pipe.send(len(server.requests))


def ask(url: str, folder: Path, count: int) -> int:
    """Run in a process of its own; prints a line at the end."""
    from adjudge.llm.asking import replies
    from adjudge.llm.calls import Call, Tally
    from adjudge.llm.inspecting import InspectAsker
    from adjudge.llm.options import AskingOptions
    from adjudge.llm.prompts import Template
    from adjudge.llm.reply_forms import Choice

    template = Template("kill", "1", "", "{{ text }}\n{{ form }}")
    many = [
        Call(template, Choice(("A", "B")), {"text": f"item {number}."}, {}, {"item": number}) for number in range(count)
    ]
    settings, tally = (
        AskingOptions(model="openai-api/local/m", logs=folder, base_url=url, concurrency=CONCURRENCY),
        Tally(),
    )
    items = [call.about["item"] for call, reply in replies(lambda: many, InspectAsker(settings), settings, None, tally)]
    if items != list(range(count)) or tally.answered != count:
        sys.exit("an item is lost or there twice")
    return tally.known


def killed(count: int, kills: int, seed: int) -> dict[str, int]:
    """Kill the work so often and let it end; what the server and the journal hold then."""
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url, folder, drawn = mine.recv(), Path(tempfile.mkdtemp()), random.Random(seed)
    command = [sys.executable, __file__, "--calls", str(count), "--work", url, str(folder)]
    struck = 0
    for _ in range(kills):
        before = _lines(folder)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        aim = before + drawn.randrange(max(1, count // (kills + 1)))
        while process.poll() is None and _lines(folder) <= aim:
            time.sleep(0.01)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            struck += 1
        process.wait()
    end = subprocess.run(command, check=True, capture_output=True, text=True)
    mine.send("count")
    asked = mine.recv()
    server.terminate()
    keys = [json.loads(line)["key"] for line in _text(folder).splitlines() if line.endswith("}")]
    return {
        "kills": struck,
        "answers": len(set(keys)),
        "twice": len(keys) - len(set(keys)),
        "asked": asked,
        "known in the last run": int(end.stdout),
        "most": count + struck * (CONCURRENCY + 1),
    }


def _text(folder: Path) -> str:
    path = folder / "answers.jsonl"
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _lines(folder: Path) -> int:
    return _text(folder).count("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=600)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        print(ask(given.work[0], Path(given.work[1]), given.calls))
        return
    found = killed(given.calls, given.kills, given.seed)
    print(found)
    if found["answers"] != given.calls:
        sys.exit("an answer is lost")
    if not (found["asked"] <= found["most"]):
        sys.exit("too many calls were repeated")


if __name__ == "__main__":
    main()
