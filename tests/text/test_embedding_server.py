"""Embeddings from a server: what is asked, what is kept, what is tried again, what is said where it goes wrong."""

import json
import math
import socket
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from adjudge.errors import MissingError, OptionError
from adjudge.text import embedding_server as module
from adjudge.text.embedding_server import checked_address, default_address, default_cache, embed_by_server

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


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "some" / "where" / "embeddings.sqlite"


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """How long was slept; nobody sleeps."""
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ADJUDGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return slept


def embedded(server, cache, texts, model="m"):
    return embed_by_server(texts, model=model, base_url=server.base_url, cache=cache)


def failure(server, cache, texts):
    with pytest.raises(MissingError) as raised:
        embedded(server, cache, texts)
    message = str(raised.value)
    assert [line[:7] for line in message.splitlines()[1:]] == ["found: ", "fix:   "]
    assert message.startswith(f"{server.base_url}/embeddings: expected a vector for each of ")
    assert str(cache) in message
    return message


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(server, cache):
    found = embedded(server, cache, ["34", "5C", "00", "34"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8], [5 / 13, 12 / 13], [0, 0], [0.6, 0.8]], rtol=1e-7)


def test_what_is_asked_is_what_the_protocol_says(server, cache):
    embedded(server, cache, ["34 naïve\n\x00"])
    path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "m", "input": ["34 naïve\n\x00"], "encoding_format": "float"}
    assert headers["content-type"] == "application/json"
    assert "authorization" not in headers


def test_the_key_is_sent_as_bearer_and_no_file_holds_it_or_a_text(server, cache, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    embedded(server, cache, ["34 a text nobody should find"])
    assert server.seen[0][1]["authorization"] == f"Bearer {KEY}"
    assert b"nobody" not in cache.read_bytes()
    assert KEY.encode() not in cache.read_bytes()


def test_each_text_is_asked_for_once_in_batches_and_never_again(server, cache):
    texts = [f"{number:02X}" for number in range(70)]
    first = embedded(server, cache, texts + texts[:3])
    assert [len(batch) for batch in server.asked] == [32, 32, 6]
    assert sorted(text for batch in server.asked for text in batch) == sorted(texts)
    np.testing.assert_array_equal(embedded(server, cache, texts[::-1]), first[:70][::-1])
    assert len(server.asked) == 3
    embedded(server, cache, ["FF", *texts])
    assert server.asked[3:] == [["FF"]]


def test_models_and_servers_have_vectors_of_their_own(server, cache):
    embedded(server, cache, ["34"])
    embedded(server, cache, ["34"], model="another")
    embed_by_server(["34"], model="m", base_url=server.base_url.replace("127.0.0.1", "localhost"), cache=cache)
    assert server.asked == [["34"]] * 3


def test_no_text_asks_nothing(server, cache):
    assert embedded(server, cache, []).shape == (0, 0)
    embedded(server, cache, ["34"])
    assert embedded(server, cache, []).shape == (0, 0)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_a_server_that_fails_twice_is_asked_thrice(server, cache, pauses, status):
    server.say = lambda number: (status, {}, b"busy") if number < 3 else None
    assert embedded(server, cache, ["34"]).shape == (1, 2)
    assert server.asked == [["34"]] * 3
    assert len(pauses) == 2
    assert 0 < pauses[0] < pauses[1]


@pytest.mark.parametrize(
    ("asked", "least", "most"), [("7", 7, 7), (timedelta(seconds=30), 10, 30), ("soon", 0, 2), ("-5", 0, 2)]
)
def test_a_server_that_says_how_long_to_wait_is_obeyed(server, cache, pauses, asked, least, most):
    after = asked if isinstance(asked, str) else format_datetime(datetime.now(UTC) + asked, usegmt=True)
    server.say = lambda number: (429, {"Retry-After": after}, b"") if number == 1 else None
    embedded(server, cache, ["34"])
    assert len(pauses) == 1
    assert least <= pauses[0] <= most
    for hours in ("100000", "9" * 5000):
        pauses.clear()
        server.say = lambda _, hours=hours: (429, {"Retry-After": hours}, b"")
        assert "the status 429" in failure(server, cache, ["5C"])
        assert sum(pauses) < 300


def test_what_was_fetched_before_a_failure_is_kept(server, cache, pauses):
    texts = [f"{number:02X}" for number in range(70)]
    server.say = lambda number: (500, {}, b"out of\nmemory") if number > 2 else None
    message = failure(server, cache, texts)
    assert "each of 6 texts" in message
    assert "the status 500 at the last of up to 4 tries: out of memory" in message
    assert "found: 64 of 70 vectors" in message
    assert (len(server.asked), len(pauses)) == (2 + 4, 3)
    server.say = lambda _: None
    assert embedded(server, cache, texts).shape == (70, 2)
    assert server.asked[6:] == [texts[64:]]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        *((one, "another base_url") for one in (302, 400, 404)),
        *((one, "OPENAI_API_KEY") for one in (401, 403)),
        (422, "model"),
    ],
)
def test_a_refusal_is_not_tried_again_and_never_repeats_the_key(server, cache, monkeypatch, status, advice):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    elsewhere = {"Location": f"{server.base_url}/embeddings"}  # which is not followed
    server.say = lambda _: (status, elsewhere, f'{{"error": "no luck with {KEY}"}}'.encode())
    message = failure(server, cache, ["34"])
    assert f"the status {status}" in message
    assert advice in message
    assert KEY not in message
    assert ("no luck" in message) == (status not in {401, 403})
    assert len(server.asked) == 1


NO_JSON = "something else than its JSON"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, b"<html>Welcome \x07 to nginx</html>"), f"{NO_JSON}: <html>Welcome to nginx</html>"),
        ((200, {}, b""), f"{NO_JSON}\n"),
        ((200, {}, b"\xff\xfe"), NO_JSON),
        ((200, {}, b"[]"), NO_JSON),
        ((200, {}, b"[" * 100_000), NO_JSON),
        ((200, {}, b'{"error": "no such model"}'), f'{NO_JSON}: {{"error": "no such model"}}'),
        ((200, {}, b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}'), NO_JSON),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}'), "2 vectors, not"),
        (data([1, 2]), "1 vectors, not numbered from 0 to 1"),
        (data([1], [2], [3]), "3 vectors, not numbered from 0 to 1"),
        (data([1, 2], [1, 2, 3]), "vectors of 2, 3 dimensions"),
        (data([], []), "vectors of 0 dimensions"),
        *((data([1.0], [odd]), NO_JSON) for odd in (math.nan, -math.inf, 10**400, None, "2")),
        (data("AAAA", "AAAA"), NO_JSON),
        (data(1, 2), NO_JSON),
    ],
)
def test_other_answers_than_vectors_are_refused(server, cache, answer, said):
    server.say = lambda _: answer
    message = failure(server, cache, ["34", "5C"])
    assert f"; got {said}" in message or said in message
    assert "found: 0 of 2 vectors" in message
    assert len(message) < 800
    assert len(server.asked) == 1


def test_without_the_extra_it_is_named(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    said = r'The similarity openai needs openai\nfix:   pip install "adjudge\[models\]"'
    with pytest.raises(MissingError, match=said):
        embed_by_server(["34"], model="m", base_url="http://localhost:1", cache=cache)


def test_another_model_under_the_same_name_is_noticed_before_it_is_kept(server, cache):
    embedded(server, cache, ["34"])
    server.say = lambda _: data([1.0, 2.0, 3.0])
    message = failure(server, cache, ["34", "5C"])
    assert "vectors of 3 dimensions, where those in the cache have 2" in message
    assert "found: 1 of 2 vectors" in message


def test_a_closed_port_is_reported_with_what_to_do(cache, pauses):
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(MissingError, match=r"got no answer at the last of up to 4 tries .*refused"):
        embed_by_server(["34"], model="m", base_url=base_url, cache=cache)
    assert len(pauses) == 3
    with pytest.raises(MissingError, match="no answer"):
        embed_by_server(["34"], model="m", base_url="http://a..b", cache=cache)


def test_a_silent_server_is_asked_again(server, cache, pauses, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.1)
    answered = Event()

    def silent(number):
        if number == 1:
            answered.wait(0.3)

    server.say = silent
    # The server, of one thread, drops what it still says to a client that is gone.
    server.handle_error = lambda *_: None
    assert embedded(server, cache, ["34"]).shape == (1, 2)
    assert 1 <= len(pauses) <= 3


def test_an_answer_that_breaks_off_is_asked_for_again(server, cache):
    server.say = lambda number: (200, {"Content-Length": "999"}, b'{"data"') if number == 1 else None
    assert embedded(server, cache, ["34"]).shape == (1, 2)
    assert len(server.asked) == 2


def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(cache, monkeypatch):
    for key in ("sk-secret\nX-Header: 1", "sk-sécret"):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(OptionError, match=r"^OPENAI_API_KEY: expected printable") as raised:
            embed_by_server(["34"], model="m", base_url="http://localhost:1", cache=cache)
        assert "sk-" not in str(raised.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text("no database, but long enough to be looked at as if it were one"),
        lambda path: path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 7000),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: change(path, "DROP TABLE embeddings", "CREATE TABLE embeddings (a)"),
        lambda path: change(path, "UPDATE embeddings SET vector = x'00'"),
        lambda path: change(path, "UPDATE embeddings SET vector = x'00000000' WHERE rowid = 2"),
        lambda path: change(path, "UPDATE embeddings SET vector = x'0000C07F0000C07F'"),
        lambda path: change(path, "UPDATE embeddings SET vector = 'abcdabcd'"),
    ],
)
def test_a_damaged_cache_is_named(server, cache, damage):
    embedded(server, cache, ["34", "5C"])
    damage(cache)
    with pytest.raises(OptionError) as raised:
        embedded(server, cache, ["34", "5C"])
    assert str(raised.value).startswith(f"{cache}: expected a cache of embeddings")
    assert "fix:   remove it" in str(raised.value)


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_cache_where_none_can_be_made_is_named(server, tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "embeddings.sqlite", tmp_path / "file" / "deeper" / "embeddings.sqlite"):
        with pytest.raises(OptionError, match=f"^{path}: expected a cache of embeddings"):
            embedded(server, path, ["34"])


def test_the_cache_lies_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache() == tmp_path / ".cache" / "adjudge" / "embeddings.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert default_cache() == Path("/caches/adjudge/embeddings.sqlite")
    monkeypatch.setenv("ADJUDGE_CACHE", "~/own")
    assert default_cache() == tmp_path / "own" / "embeddings.sqlite"

    def homeless(_):
        raise RuntimeError

    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(OptionError, match="fix:   ADJUDGE_CACHE=FOLDER"):
        default_cache()


@pytest.mark.parametrize("address", ["http://a", "https://a.b:8000/v1", "http://[::1]:80/x", "HTTP://A"])
def test_addresses_lose_their_last_slash_and_are_those_of_openai_unless_the_environment_says(address, monkeypatch):
    assert checked_address(f"{address}/") == checked_address(address) == address
    assert default_address() == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert default_address() == address


SECRETS = ("//me:secret@a/v1", "//a/v1?key=secret", "//a/#secret", "//secret:b", "//a:0/secret", "//a/secret b")


NO_ADDRESS = ("", "localhost:8000", "file:///etc/passwd", "ftp://a/b", "http://", "http:///v1", "//a/v1")


@pytest.mark.parametrize(
    "address",
    [*NO_ADDRESS, *(f"http:{one}" for one in (*SECRETS, "//a/secret\n", "//sécret", "//[secret")), "https:\\\\secret"],
)
def test_what_is_no_address_is_refused_and_secrets_in_it_are_not_repeated(address):
    with pytest.raises(OptionError, match=r"^base_url: expected an address of http or https") as raised:
        checked_address(address)
    assert "cret" not in str(raised.value)
    assert (f'got "{address}"' in str(raised.value)) == (address in NO_ADDRESS)
