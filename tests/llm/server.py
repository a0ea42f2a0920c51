"""A server on loopback that speaks the OpenAI chat protocol, and misbehaves where a test asks it to."""

import asyncio
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing, contextmanager, suppress

Answer = Callable[[str, dict], str]
Fault = Callable[[int, str], str | None]
"""From the number of the attempt with a prompt and the prompt to the name of a fault, or None."""

HUGE = "x" * 6_000_000 + "\nFINAL VERDICT = A"


class ModelServer:
    """answer: from the prompt and the whole request to the model's text. fault: what goes wrong instead."""

    def __init__(self, answer: Answer, fault: Fault = lambda attempt, prompt: None, delay: float = 0.0) -> None:
        self.answer, self.fault, self.delay = answer, fault, delay
        self.requests: list[dict] = []
        self.headers: list[str] = []
        self.attempts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self.schema = True

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError), closing(writer):
            while await self._request(reader, writer):
                pass

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            (int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")), 0
        )
        body = json.loads(await reader.readexactly(length) or b"{}")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._respond(head, body, writer)
        finally:
            self.at_once -= 1

    async def _respond(self, head: str, body: dict, writer: asyncio.StreamWriter) -> bool:
        prompt = "\n".join(str(message["content"]) for message in body.get("messages", []))
        question = body["messages"][-1]["content"]
        self.requests.append(body)
        self.headers.append(head)
        known = json.dumps(question)
        self.attempts[known] += 1
        if self.delay:
            await asyncio.sleep(self.delay)
        fault = self.fault(self.attempts[known], prompt)
        if fault is None and not self.schema and "response_format" in body:
            fault = "no_schema"
        if fault is None:
            return await _send(writer, 200, self.reply(prompt, body))
        self.faults[fault] += 1
        if fault in FAULTS:
            return await _send(writer, *FAULTS[fault])
        return await getattr(self, f"_{fault}")(writer, prompt, head)

    def reply(self, prompt: str, body: dict) -> dict:
        """What is sent where nothing goes wrong."""
        return completion(self.answer(prompt, body))

    async def _echo_key(self, writer, prompt, head):
        key = next(line for line in head.splitlines() if line.lower().startswith("authorization"))
        return await _send(writer, 400, {"error": {"message": f"bad key: {key}"}})

    async def _reset(self, writer, *_):
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False

    async def _silence(self, writer, *_):
        await asyncio.sleep(30)
        return False

    async def _cut(self, writer, *_):
        data = json.dumps(completion("FINAL VERDICT = A")).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data))
        writer.write(data[: len(data) // 2])
        await writer.drain()
        return False

    async def _wrong_unicode(self, writer, *_):
        data = json.dumps(completion("FINAL VERDICT = \\ud800A")).encode().replace(b"\\\\ud800", b"\\ud800") + b""
        return await _send(writer, 200, data.replace(b"VERDICT", b"\xff\xfeVERDICT"))


class RefusingServer(ModelServer):
    """A server whose model refuses where its answer is empty."""

    def reply(self, prompt: str, body: dict) -> dict:
        text = self.answer(prompt, body)
        return completion(text) if text else completion(None, refusal="I would rather not say.")


def completion(text: str | None, finish: str = "stop", refusal: str | None = None) -> dict:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "served",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def error(status: int, message: str, headers: str = "") -> tuple:
    return status, {"error": {"message": message}}, headers


FAULTS = {
    "rate_limit": error(429, "slow down"),
    "rate_limit_with_retry_after": error(429, "slow down", "Retry-After: 1\r\n"),
    "guided_error": error(500, "the guided decoder of json_schema broke"),
    "server_error": error(500, "oops"),
    "no_schema": error(400, "response_format json_schema is not supported"),
    "bad_request": error(400, "no such parameter"),
    "malformed": (200, b'{"choices": [{"mess'),
    "html": (200, b"<html><body>Gateway</body></html>", "", "text/html"),
    "empty_choices": (200, {**completion(""), "choices": []}),
    "null": (200, completion(None)),
    "refusal": (200, completion(None, refusal="I cannot help with that.")),
    "content_filter": (200, completion("", finish="content_filter")),
    "cut_off": (200, completion("FINAL VERDICT = A", finish="length")),
    "huge": (200, completion(HUGE)),
}
"""What is sent where something goes wrong: the status, the body, further headers and the type."""


async def _send(writer, status: int, what: dict | bytes, headers: str = "", kind: str = "application/json") -> bool:
    data = what if isinstance(what, bytes) else json.dumps(what).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{headers}Content-Length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()
    return True


@contextmanager
def serving(server: ModelServer, port: int = 0):
    """The address of a running server."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    address = []

    async def run() -> None:
        listening = await asyncio.start_server(server._connected, "127.0.0.1", port, limit=2**24)
        address.append(listening.sockets[0].getsockname()[1])
        ready.set()
        async with listening:
            await listening.serve_forever()

    def work() -> None:
        with suppress(asyncio.CancelledError), closing(loop):
            loop.run_until_complete(run())

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield f"http://127.0.0.1:{address[0]}/v1"
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join(5)
