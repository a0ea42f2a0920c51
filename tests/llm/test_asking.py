"""Asking a real server on loopback: every outcome in its place, bounds on retries and concurrency, nothing asked twice."""

import asyncio
import json
import random
import re
from collections import Counter
from dataclasses import asdict

import pytest

pytest.importorskip("inspect_ai", reason="asking models needs adjudge[models]")


from adjudge.errors import OptionError
from adjudge.llm.asking import Journal, replies
from adjudge.llm.calls import Call, Reply, Status, Tally
from adjudge.llm.inspecting import InspectAsker
from adjudge.llm.options import AskingOptions
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice
from llm.server import ModelServer, serving

pytestmark = [
    pytest.mark.models,
    # sockets that Inspect leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]

TEMPLATE = Template("test", "1", "", "{{ text }}\n{{ form }}")
AB = Choice(("A", "B"))


def calls(count):
    return [Call(TEMPLATE, AB, {"text": f"item {number}."}, {}, {"item": number}) for number in range(count)]


def always_a(prompt, body):
    return "FINAL VERDICT = A"


def asked(server, url, folder, many, **how):
    settings = AskingOptions(
        model="openai-api/local/m", logs=folder, base_url=url, **{"concurrency": 8, "timeout": 5, **how}
    )
    tally = Tally()
    found = [(call, reply) for call, reply in replies(lambda: many, InspectAsker(settings), settings, None, tally)]
    return found, tally


@pytest.fixture
def quick(monkeypatch):
    """Retries that do not wait for seconds; bounds and order stay."""
    monkeypatch.setattr("adjudge.llm.attempts._FIRST_WAIT", 0.01)


def fault_of(name, until=1):
    return lambda attempt, prompt: name if attempt <= until else None


MENDED = ["rate_limit", "null", "server_error", "reset", "cut", "malformed", "html", "empty_choices", "wrong_unicode"]


@pytest.mark.parametrize("fault", [*MENDED, "rate_limit_with_retry_after", "guided_error", "silence", "huge"])
def test_what_another_attempt_mends_is_answered(tmp_path, quick, fault):
    """A silent server is given up; an answer of six megabytes is one at once; an error of a schema's words that is no bad
    request leaves schemas on."""
    server = ModelServer(always_a, fault_of(fault))
    with serving(server) as url:
        found, tally = asked(server, url, tmp_path, calls(3), timeout=1 if fault == "silence" else 30)
    assert [(reply.status, reply.value) for _, reply in found] == [(Status.ANSWERED, "A")] * 3
    assert set(server.attempts.values()) == {1 if fault == "huge" else 2}
    assert (tally.answered, tally.asked) == (3, 3)
    assert all("response_format" in body for body in server.requests)


@pytest.mark.parametrize(
    ("fault", "status", "said", "attempts"),
    [
        ("refusal", Status.REFUSED, "cannot help", 1),
        ("content_filter", Status.REFUSED, "content filter", 1),
        ("null", Status.FAILED, "empty", 3),
        ("cut_off", Status.UNPARSEABLE, "cut off", 1),
        ("bad_request", Status.FAILED, "no such parameter", 1),
        ("server_error", Status.FAILED, "oops", 3),
    ],
)
def test_what_is_no_answer_is_never_a_label(tmp_path, quick, fault, status, said, attempts):
    """Retries are bounded, and the library makes none of its own."""
    server = ModelServer(always_a, lambda attempt, prompt: fault if "item 1." in prompt else None)
    with serving(server) as url:
        found, tally = asked(server, url, tmp_path, calls(3), retries=2)
        assert [reply.status for _, reply in found] == [Status.ANSWERED, status, Status.ANSWERED]
        assert found[1][1].value is None
        assert said in found[1][1].reason
        assert tally.answered + tally.refused + tally.unparseable + tally.failed == tally.asked == 3
        assert len(server.requests) == 2 + attempts
        server.fault = lambda attempt, prompt: None
        again, tally = asked(server, url, tmp_path, calls(3))
    assert [reply.status for _, reply in again] == [Status.ANSWERED] * 3
    assert len(server.requests) == 3 + attempts, "only what was not answered is asked again"
    assert tally.known == 2


def test_faults_of_all_kinds_over_many_items(tmp_path, quick):
    final = {"refusal": "refused", "content_filter": "refused"}
    drawn = random.Random(7)
    fate = [drawn.choice([*MENDED, *final]) if drawn.random() < 0.3 else None for _ in range(150)]

    def fault(attempt, prompt):
        number = int(prompt.split("item ")[1].split(".")[0])
        return fate[number] if fate[number] in final or attempt == 1 else None

    def first_answer_ends_the_wait(prompt, body):
        server.delay = 0.01
        return always_a(prompt, body)

    server = ModelServer(first_answer_ends_the_wait, fault, delay=1.5)
    with serving(server) as url:
        found, tally = asked(server, url, tmp_path, calls(150), concurrency=32)
    expected = Counter(final.get(one, "answered") for one in fate)
    assert Counter(reply.status.value for _, reply in found) == expected
    assert tally.asked == 150 == sum(expected.values())
    assert 20 < server.most_at_once <= 32
    assert [call.about["item"] for call, _ in found] == list(range(150))


def test_a_server_without_schemas_is_asked_in_words(tmp_path):
    server = ModelServer(always_a)
    server.schema = False
    with serving(server) as url:
        found, _ = asked(server, url, tmp_path, calls(4))
    assert all(reply.status == Status.ANSWERED for _, reply in found)
    assert sum("response_format" not in body for body in server.requests) == 4


def dies_after(count, fault):
    """A fault from the `count`-th request on."""
    seen = Counter()

    def found(attempt, prompt):
        seen["requests"] += 1
        return fault if seen["requests"] > count else None

    return found


@pytest.mark.parametrize(
    ("fault", "retries", "count", "answered", "requests"),
    [
        # 20 answers, then 10 failures one by one, each of a single attempt: 30 requests and no more
        (dies_after(20, "server_error"), 0, 100, 20, 30),
        # nothing works: the rest is not asked
        (lambda attempt, prompt: "bad_request", 0, 200, 0, 10),
        # 9 of 10 calls fail, and the tenth is answered; never do 10 fail in a row
        (lambda attempt, prompt: None if "9." in prompt else "server_error", 0, 50, 5, 50),
        # bad requests do not end the work once the server has answered
        (lambda attempt, prompt: None if "item 0." in prompt else "bad_request", 9, 30, 1, 30),
    ],
    ids=["dies", "nothing works", "between answers", "bad requests"],
)
def test_a_server_is_given_up_after_ten_failures_in_a_row(tmp_path, quick, fault, retries, count, answered, requests):
    server = ModelServer(always_a, fault)
    with serving(server) as url:
        found, tally = asked(server, url, tmp_path, calls(count), concurrency=1, retries=retries)
    assert (tally.answered, tally.failed, len(server.requests)) == (answered, count - answered, requests)
    given_up = "not asked, since 10 calls in a row failed, the last with " in found[-1][1].reason
    assert given_up == (requests < count)
    assert re.search("oops|no such parameter", tally.reasons())


def test_a_rate_limit_that_never_ends_is_waited_for_once(tmp_path, quick):
    server = ModelServer(always_a, lambda attempt, prompt: "rate_limit")
    with serving(server) as url:
        _, tally = asked(server, url, tmp_path, calls(20), concurrency=1, max_wait=1)
    assert tally.failed == 20
    assert [*server.attempts.values()][1:] == [1] * 9, "the first call has waited for all"


def test_keys_reach_neither_logs_nor_reasons_nor_the_journal(tmp_path, monkeypatch, quick):
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("LOCAL_API_KEY", key)
    server = ModelServer(
        lambda prompt, body: f"{key}\nFINAL VERDICT = A",
        lambda attempt, prompt: "echo_key" if "item 1." in prompt else None,
    )
    with serving(server) as url:
        found, _ = asked(server, url, tmp_path, calls(3), retries=1)
    assert any(f"bearer {key}".lower() in head.lower() for head in server.headers), "the key is used"
    assert [reply.status for _, reply in found] == [Status.ANSWERED, Status.FAILED, Status.ANSWERED]
    assert key not in str(found)
    assert [path.name for path in tmp_path.iterdir()] == ["answers.jsonl"]
    assert key not in (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
    assert key not in calls(1)[0].key(AskingOptions(model="openai-api/local/m", logs=tmp_path).asker)


@pytest.mark.parametrize(
    "change",
    [{"key": "zz"}, {"value": None}, {"value": "C"}, {"value": ["A"]}, {"tokens_in": "3"}, {"status": "failed"}],
)
def test_a_damaged_answer_is_asked_again(tmp_path, change):
    """The second of three answers is damaged. One that was cut off at the end is none; the next one begins anew."""
    many, settings = calls(3), AskingOptions(model="openai-api/local/m", logs=tmp_path)
    records = [asdict(Reply(Status.ANSWERED, "A", key=one.key(settings.asker))) for one in many]
    records[1] |= change
    lines = [json.dumps(one) for one in (*records, {"status": "answered"}, [], "x")]
    (tmp_path / "answers.jsonl").write_text("\n".join([*lines, "[" * 100_000, lines[1][:40]]))
    for asked_now, known in (([1], 2), ([], 3)):
        asker, tally = Scripted(), Tally()
        found = [reply for _, reply in replies(lambda: many, asker, settings, None, tally)]
        assert [reply.value for reply in found] == ["A", "B", "A"]
        assert (asker.asked, tally.known) == (asked_now, known)


class Scripted:
    """Answers B to everything."""

    def __init__(self):
        self.asked = []

    def ask(self, calls, keep):
        for key, call in calls:
            self.asked.append(call.about["item"])
            keep(key, call, Reply(Status.ANSWERED, "B"))


def test_a_call_that_hangs_does_not_hold_up_the_others(tmp_path):
    server = ModelServer(always_a, lambda attempt, prompt: "silence" if "item 0." in prompt else None)
    with serving(server) as url:
        found, tally = asked(server, url, tmp_path, calls(40), concurrency=2, timeout=2, retries=0)
    assert (tally.answered, tally.failed) == (39, 1)
    assert "no answer within 2 s" in found[0][1].reason
    order = [json.loads(line)["about"]["item"] for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert sorted(order) == [*range(1, 40)]


def test_a_notebook_has_an_event_loop_already(tmp_path):
    async def cell(url):
        return asked(server, url, tmp_path, calls(2))[1].answered

    server = ModelServer(always_a)
    with serving(server) as url:
        assert asyncio.run(cell(url)) == 2


def test_the_journal_holds_what_was_sent_and_what_came_back(tmp_path):
    server = ModelServer(lambda prompt, body: "Hm." if "item 1." in prompt else "So:\nFINAL VERDICT = A")
    with serving(server) as url:
        asked(server, url, tmp_path, calls(2), concurrency=1, repair=0)
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [(line["about"], line["status"], line["text"]) for line in lines] == [
        ({"item": 0}, "answered", "So:\nFINAL VERDICT = A"),
        ({"item": 1}, "unparseable", "Hm."),
    ]
    assert "item 1." in lines[1]["prompt"]


def test_a_server_of_ones_own_needs_an_address(tmp_path, monkeypatch):
    monkeypatch.delenv("LOCAL_BASE_URL", raising=False)
    with pytest.raises(OptionError, match=r"base_url: is needed for openai-api/local/m\nfix: +base_url http"):
        InspectAsker(AskingOptions(model="openai-api/local/m", logs=tmp_path))


def test_two_runs_do_not_share_a_folder_at_once(tmp_path):
    journal = Journal(tmp_path)
    with pytest.raises(OptionError, match="another run"):
        Journal(tmp_path)
    journal.close()
