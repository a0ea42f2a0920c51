"""Scoring of answers: `document` against plain Python, `strict` against `document`, and memory, in one run.

    python benchmarks/rag_speed.py [--answers 1000000] [--sample 100000] [--small 100000]

Made-up answers of about 300 characters to questions of all four abilities, every fifth in Chinese: plain answers, refusals,
negations elsewhere in the text, errors spoken of, denials. Plain Python reads the same rules literally, one answer
after another, on the first --sample answers; its time is scaled up to all of them. Its verdicts must be those of `document`.
Goals: plain Python / `document` at least 20, `strict` / `document` at most 10, both medians of three rounds. On a busy
machine the times of the processors tell more: plain Python keeps one busy, the scorers all.
Memory: how far a process that scores --small or --answers answers grows at most, beyond the answers themselves.
"""

import argparse
import multiprocessing
import random
import statistics
import tempfile
import time
from pathlib import Path

import polars as pl

from adjudge.evaluations.rag.scoring import score_in_batches
from adjudge.evaluations.rag.strict import score_strict
from adjudge.evaluations.rag.substrings import ERRORS, REFUSALS, score_document
from adjudge.schemas.answers import ABILITIES, ANSWERS, VERDICTS

ROUNDS = 3
LENGTH = 300
CLOCKS = ("on the wall", "of all processors")
SCORERS = {"document": score_document, "strict": score_strict}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=100_000, help="answers that plain Python reads")
    parser.add_argument("--small", type=int, default=100_000, help="answers of the smaller run for memory")
    options = parser.parse_args()
    answers = made(options.answers)
    sample = answers.head(options.sample)
    rows = sample.select("response", "slots", "false").rows()
    begun = clocks()
    plain = [literal(*row) for row in rows]
    plain_times = [taken * answers.height / sample.height for taken in passed(begun)]
    if score_document(sample).select(VERDICTS).rows() != plain:
        raise SystemExit("document and plain Python give different verdicts")
    times = {name: seconds(answers, name) for name in SCORERS}
    length = answers["response"].str.len_chars().mean()
    print(
        f"{answers.height:,} answers of {length:.0f} characters on average; plain Python on {sample.height:,} of them"
    )
    print("| time, s | plain Python | document | ratio | strict | strict / document |\n|---|---|---|---|---|---|")
    for name, plain_time, fast, slow in zip(CLOCKS, plain_times, times["document"], times["strict"], strict=True):
        ratios = plain_time / fast, slow / fast
        print(
            f"| {name} | {plain_time:.1f} | {fast:.2f} | {ratios[0]:.1f} | {slow:.2f} | {ratios[1]:.1f} |", flush=True
        )
    print("\n| scorer | answers | answers in memory, MB | peak beyond them, MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for height in (options.small, options.answers):
            path = Path(folder) / f"{height}.parquet"
            answers.head(height).write_parquet(path)
            for name in SCORERS:
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(f"| {name} | {height:,} | {pool.apply(peak, (name, path))} |", flush=True)


def seconds(answers: pl.DataFrame, name: str) -> list[float]:
    """The median times of a scorer over all answers."""
    rounds = []
    for _ in range(ROUNDS):
        begun = clocks()
        score_in_batches(answers, SCORERS[name])
        rounds.append(passed(begun))
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def passed(begun: tuple[float, float]) -> list[float]:
    """The times since then, as CLOCKS names them."""
    return [now - then for now, then in zip(clocks(), begun, strict=True)]


def peak(name: str, path: Path) -> str:
    """How far a scorer raises the memory of this process at most (Linux)."""
    answers = pl.read_parquet(path)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    score_in_batches(answers, SCORERS[name])
    return f"{answers.estimated_size('mb'):.0f} | {peak_memory() - before:.0f}"


def peak_memory() -> float:
    """The most memory that this process held since its peak was reset, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


# --- plain Python: the rules of `document`, word for word ---


def normalised(text: str) -> str:
    return " ".join(text.lower().strip().rstrip(".!?,;:").split())


def literal(response: str | None, slots: list[list[str]] | None, false: list[str] | None) -> tuple[bool | None, ...]:
    lowered, said = (response or "").lower(), normalised(response or "")

    def right(alias: str) -> bool:
        alias = normalised(alias)
        if not (said and alias):
            return False
        words = set(alias.split(" "))
        return (
            alias in said
            or (len(said) < len(alias) and said in alias)
            or len(words & set(said.split(" "))) >= 0.8 * len(words)
        )

    correct = None if slots is None else all(any(right(alias) for alias in slot) for slot in slots)
    detected = corrected = None
    if false is not None:
        lies = [one.lower() for one in false]
        detected = any(one in lowered for one in ERRORS) or any(
            f"not {one}" in lowered or f"{one} is wrong" in lowered for one in lies
        )
        lied = any(normalised(one) and normalised(one) in said for one in false)
        told = slots is not None and all(any(normalised(alias) in said for alias in slot) for slot in slots)
        corrected = None if correct is None else correct and not (lied and not told)
    return correct, any(one in lowered for one in REFUSALS), detected, corrected


# --- made-up answers ---

FIRST = {"en": ("Ada", "Boris", "Clara", "Dmitri", "Edith", "Farid", "Grace", "Hugo"), "zh": "李王张刘陈杨赵黄"}
LAST = {
    "en": (" Lind", " Moreau", " Novak", " Okafor", " Petrov", " Quist", " Rossi", " Sato"),
    "zh": ("伟明", "晓丽", "建国", "文博", "子涵", "海燕", "志强", "雨欣"),
}
NAMES = {language: [one + other for one in FIRST[language] for other in LAST[language]] for language in FIRST}
DATES = {
    "en": ["January 2, 2022", "14 March 1998", "2015", "1,250", "$3.4 million"],
    "zh": ["2022年1月2日", "1998年3月14日", "2015年", "1250", "3.4亿"],
}
FILLER = {
    "en": [
        "The museum opened its doors to visitors in the spring and was renovated twice.",
        "It was described by the local press as one of the most important events of the year.",
        "Several thousand people attended, among them the mayor and members of the council.",
        "The building stands on a hill above the river, and its tower can be seen from far away.",
        "According to the second document, the project took four years and cost $12.5 million.",
        "The prize is awarded every two years by a jury of writers, critics and teachers.",
        "Document 3 also gives details about the early career of the winner.",
        "Many of the paintings were later sold to collectors in Vienna, Oslo and Boston.",
    ],
    "zh": [
        "该博物馆于春季向公众开放，后来经过两次翻修。",
        "当地媒体称这是当年最重要的活动之一。",
        "数千人出席了仪式，其中包括市长和议会成员。",
        "根据第二篇文档，该项目历时四年，耗资一千二百万元。",
        "该奖项每两年颁发一次，由作家、评论家和教师组成评审团。",
    ],
}  # fmt: skip
NEGATIONS = {
    "en": [
        "It was not the first time that this happened.",
        "The event could not be held in 2020, so it didn't take place.",
        "No other country has won it more often.",
    ],
    "zh": ["这不是第一次发生这种情况。", "该活动未能在2020年举行。"],
}
PLAIN = {
    "en": [
        "The answer is {truth}.",
        "**{truth}** won the prize.",
        "Based on the documents, it was {truth}.",
        "It was {false}.",
    ],
    "zh": ["答案是{truth}。", "根据文档，获奖者是{truth}。", "是{false}。"],
}
REFUSING = {
    "en": [
        "I can not answer the question because of the insufficient information in documents.",
        "The provided documents do not mention who it was.",
        "Unfortunately, I cannot determine this from the documents.",
        "It is unclear from the text who won, but I believe it is {truth}.",
    ],
    "zh": ["由于文档信息不足，我无法基于提供的文档回答该问题。", "文中没有提到相关信息。"],
}
ERRING = {
    "en": [
        "There are factual errors in the provided documents. The correct answer is {truth}.",
        "The documents state {false}, but that is incorrect. It is {truth}.",
        "According to the documents it is {false}.",
    ],
    "zh": [
        "文档中存在事实性错误，正确答案是{truth}。",
        "文档说是{false}，但这是错误的，应为{truth}。",
        "根据文档，是{false}。",
    ],
}
DENYING = {
    "en": ["It isn’t {false}, it is {truth}.", "It is not {truth}.", "{truth}, not {false}."],
    "zh": ["不是{false}，而是{truth}。", "不是{truth}。"],
}
SAID = {
    "noise_robustness": (PLAIN, PLAIN, PLAIN, DENYING, REFUSING),
    "negative_rejection": (REFUSING, REFUSING, PLAIN),
    "information_integration": (PLAIN, PLAIN, PLAIN, REFUSING),
    "counterfactual_robustness": (PLAIN, ERRING, ERRING, DENYING),
}


def made(height: int) -> pl.DataFrame:
    """Answers of four abilities: a sentence that decides among others, one in four of which holds a negation."""
    draw = random.Random(0)
    columns = {name: [] for name in ("id", "ability", "response", "slots", "false")}
    for number in range(height):
        ability, language = ABILITIES[number % 4], "zh" if number % 5 == 0 else "en"
        truth, false = draw.sample(NAMES[language], 2)
        if number % 7 == 0:
            truth = draw.choice(DATES[language])
        said = draw.choice(draw.choice(SAID[ability])[language]).format(truth=truth, false=false)
        texts, size = [said], len(said)
        while size < LENGTH - 40:
            texts.append(draw.choice((NEGATIONS if draw.random() < 0.1 else FILLER)[language]))
            size += len(texts[-1]) + 1
        draw.shuffle(texts)
        columns["id"].append(str(number))
        columns["ability"].append(ability)
        columns["response"].append(" ".join(texts) if language == "en" else "".join(texts))
        slots = [[truth], [false]] if ability == "information_integration" else [[truth, truth.rsplit(" ", 1)[-1]]]
        columns["slots"].append(slots)
        columns["false"].append([false] if ability == "counterfactual_robustness" else None)
    rest = {name: pl.lit(None, dtype) for name, dtype in ANSWERS.items() if name not in columns}
    schema = {name: ANSWERS[name] for name in columns}
    return pl.DataFrame(columns, schema=schema).with_columns(**rest).select(list(ANSWERS))


if __name__ == "__main__":
    main()
