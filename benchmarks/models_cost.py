"""What asking costs beyond Inspect itself: CPU a call, and memory of 20,000 calls beside that of 1,000.

    python benchmarks/models_cost.py            (minutes)

A server in a process of its own answers at once. CPU: the same prompts asked by Adjudge (with its journal, parsing and guards)
and by a plain task of Inspect, in one run, concurrency 32; the goal is at most 5 ms a call more. Memory: the greatest
resident size of a process that asks 1,000 and of one that asks 20,000; the goal is less than 100 MB more.
"""

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.llm.calls import Call

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))


def serve(pipe: Connection) -> None:
    from llm.server import ModelServer, serving

    server = ModelServer(lambda _prompt, _body: json.dumps({"reason": "r", "verdict": "A"}))
    server.requests = server.headers = type("Nothing", (list,), {"append": lambda _self, _one: None})()
    with serving(server) as url:
        pipe.send(url)
        time.sleep(10**6)


def calls(count: int) -> "Iterator[Call]":
    from adjudge.llm.calls import Call
    from adjudge.llm.prompts import Template
    from adjudge.llm.reply_forms import Choice

    template = Template("cost", "1", "", "{{ text }}\n{{ form }}")
    for number in range(count):
        yield Call(template, Choice(("A", "B")), {"text": f"item {number} " * 100}, {}, {"item": number})


def ours(url: str, count: int) -> int:
    from adjudge.llm.asking import replies
    from adjudge.llm.inspecting import InspectAsker
    from adjudge.llm.options import AskingOptions

    settings = AskingOptions(model="openai-api/local/m", logs=Path(tempfile.mkdtemp()), base_url=url, concurrency=32)
    return sum(
        reply.status == "answered" for _, reply in replies(lambda: calls(count), InspectAsker(settings), settings)
    )


def plain(url: str, count: int) -> int:
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [
        Sample(id=str(number), input=call.messages("0")[1], target="A") for number, call in enumerate(calls(count))
    ]
    model = get_model("openai-api/local/m", base_url=url, api_key="none", memoize=False)
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
    (log,) = run(
        task,
        model=model,
        display="none",
        log_dir=tempfile.mkdtemp(),
        max_connections=32,
        max_samples=32,
        log_realtime=False,
        ctl_server=False,
        log_level="error",
    )
    return log.results.completed_samples


def cpu(work: Callable[[str, int], int], url: str, count: int) -> float:
    start = time.process_time()
    if work(url, count) != count:
        sys.exit("not all calls were answered")
    return (time.process_time() - start) / count * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--many", type=int, default=20_000)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        ours(given.memory, given.calls)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = mine.recv()
    plain(url, 50)
    rounds = [(cpu(ours, url, given.calls), cpu(plain, url, given.calls)) for _ in range(3)]
    more = sorted(adjudge - inspect for adjudge, inspect in rounds)[1]
    for adjudge, inspect in rounds:
        print(f"CPU a call: Adjudge {adjudge:.1f} ms, Inspect alone {inspect:.1f} ms")
    print(f"median difference {more:.1f} ms (goal at most 5)")
    if given.many:
        sizes = []
        for count in (1000, given.many):
            command = [sys.executable, __file__, "--memory", url, "--calls", str(count)]
            sizes.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
            print(f"{count:,} calls: {sizes[-1]:.0f} MB")
        print(f"{sizes[1] - sizes[0]:.0f} MB more (goal less than 100)")
    server.terminate()


if __name__ == "__main__":
    main()
