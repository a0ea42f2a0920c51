"""Embeddings from a server: requests, retries, and messages for failures."""

import json
import math
import socket
import sys
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest

from adjudge.errors import MissingError, OptionError
from adjudge.text.similarity import checked_address, embed_by_server

KEY = "sk-do-not-tell/+=0123456789"

Answer = tuple[int, dict[str, str], bytes]


def vector(text):
    """Of length 5 for "34", 13 for "5C", and so on: the values of two hexadecimal digits."""
    return [float(int(digit, 16)) for digit in text[:2]]


class Server(HTTPServer):
    """Answers with vectors of texts, unless `say` has something else to say to the request of this number."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.seen = []
        self.say = lambda _: None

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["input"])
        self.server.seen.append((self.path, {name.lower(): one for name, one in self.headers.items()}, body))
        status, headers, answer = self.server.say(len(self.server.asked)) or vectors_of(body["input"])
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def vectors_of(texts):
    # Backwards: the order is told by the numbers alone.
    rows = [{"object": "embedding", "index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
    return 200, {}, json.dumps({"object": "list", "data": rows[::-1], "model": "m"}).encode()


def data(*rows):
    """An answer with the rows given, numbered."""
    numbered = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
    return 200, {}, json.dumps({"data": numbered}).encode()


@pytest.fixture
def server():
    with Server() as made:
        thread = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """How long was slept; nobody sleeps."""
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return slept


def embedded(server, texts):
    return embed_by_server(texts, model="m", base_url=server.base_url)


def failure(server, texts):
    with pytest.raises(MissingError) as raised:
        embedded(server, texts)
    message = str(raised.value)
    assert [line[:7] for line in message.splitlines()[1:]] == ["found: ", "fix:   "]
    assert message.startswith(f"{server.base_url}/embeddings: expected vectors from an OpenAI-compatible server")
    assert "OPENAI_API_KEY" in message
    assert len(message) < 800
    return message


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(server):
    found = embedded(server, ["34", "5C", "00"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8], [5 / 13, 12 / 13], [0, 0]], rtol=1e-7)


def test_what_is_asked_is_what_the_protocol_says_and_the_key_is_sent_as_bearer(server, monkeypatch):
    embedded(server, ["34 naïve\n\x00"])
    path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "m", "input": ["34 naïve\n\x00"], "encoding_format": "float"}
    assert "authorization" not in headers
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    embedded(server, ["34"])
    assert server.seen[1][1]["authorization"] == f"Bearer {KEY}"


def test_texts_are_asked_for_in_batches(server):
    texts = [f"{number:02X}" for number in range(70)]
    assert embedded(server, texts).shape == (70, 2)
    assert [len(batch) for batch in server.asked] == [32, 32, 6]
    assert [text for batch in server.asked for text in batch] == texts


def test_a_server_that_fails_is_asked_again_up_to_four_times(server, pauses):
    server.say = lambda number: (503, {}, b"busy") if number < 3 else None
    assert embedded(server, ["34"]).shape == (1, 2)
    assert server.asked == [["34"]] * 3
    assert 0 < pauses[0] < pauses[1]
    server.say = lambda _: (500, {}, b"out of memory")
    assert "found: Error code: 500\n" in failure(server, ["34"])
    assert len(server.asked) == 3 + 4


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again_and_never_repeats_the_key(server, monkeypatch, status):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    elsewhere = {"Location": f"{server.base_url}/embeddings"}  # which is not followed
    server.say = lambda _: (status, elsewhere, f'{{"error": {{"message": "no luck with {KEY}"}}}}'.encode())
    message = failure(server, ["34"])
    assert str(status) in message
    assert KEY not in message
    assert ("no luck" in message) == (status not in {401, 403})
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>Welcome \x07 to nginx</html>"),
        (200, {}, b"\xff\xfe"),
        (200, {"Content-Type": "application/json"}, b"[" * 100_000),
        (200, {"Content-Type": "application/json"}, b"[]"),
        (200, {"Content-Type": "application/json"}, b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}'),
        data([1, 2]),
        data([1, 2], [1, 2, 3]),
        *(data([1.0], [odd]) for odd in (math.nan, -math.inf, 10**400, None)),
        data("AAAA", "AAAA"),
    ],
)
def test_other_answers_than_vectors_are_refused(server, answer):
    server.say = lambda _: answer
    assert "no answer with a vector for each text" in failure(server, ["34", "5C"])
    assert len(server.asked) == 1


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    said = r'The similarity openai needs openai\nfix:   pip install "adjudge\[models\]"'
    with pytest.raises(MissingError, match=said):
        embed_by_server(["34"], model="m", base_url="http://localhost:1")


def test_a_closed_port_is_reported_with_what_to_do(pauses):
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(MissingError, match=r"found: .*refused"):
        embed_by_server(["34"], model="m", base_url=base_url)
    assert len(pauses) == 3
    with pytest.raises(MissingError, match="expected vectors"):
        embed_by_server(["34"], model="m", base_url="http://a..b")


def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(monkeypatch):
    for key in ("sk-secret\nX-Header: 1", "sk-sécret"):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(OptionError, match=r"^OPENAI_API_KEY: expected printable") as raised:
            embed_by_server(["34"], model="m", base_url="http://localhost:1")
        assert "sk-" not in str(raised.value)


ODD = ("", "localhost:8000", "file:///etc/passwd", "ftp://a/b", "http://", "http:///v1", "http:////a/v1")
SECRETS = ("//me:secret@a/v1", "//a/v1?key=secret", "//a/#secret", "//secret:b", "//a:0/secret", "//a/secret b")
NO_TEXT = ("//a/secret\n", "//sécret", "//[secret")


@pytest.mark.parametrize("address", [*ODD, *(f"http:{one}" for one in (*SECRETS, *NO_TEXT)), "https:\\\\secret"])
def test_what_is_no_address_is_refused_and_secrets_in_it_are_not_repeated(address):
    with pytest.raises(OptionError, match=r"^base URL of the server: expected an address of http or https") as raised:
        checked_address(address)
    assert "cret" not in str(raised.value)
