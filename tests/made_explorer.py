"""The explorer without a browser, and in one, as several tests, a benchmark and the pictures of docs look at it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import unescape
from pathlib import Path
from re import sub
from shutil import which
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.request import urlopen
from weakref import WeakKeyDictionary

CHROMIUM = which("chromium-headless-shell") or which("chromium")
"""Where Debian's Chromium lies: that without windows, which takes less time, or the whole."""
PATIENCE = 60_000
"""Milliseconds, many for a machine that does other things meanwhile; what is seen is not waited for any longer."""


def page_of(*paths: str, evaluation: str = "", **address: str):
    """The page for files, with what stands in the address, without a browser."""

    def script(paths, evaluation):
        from adjudge.explorer.page import page

        page(paths, evaluation)

    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import AppTest

    # For each page streamlit would read what every installed package says of itself, in search of parts of pages. Adjudge
    # has none, and that takes longer than a page.
    manifest_scanner.scan_component_manifests = list
    test = AppTest.from_function(script, args=(paths, evaluation), default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def said(page) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.error, *page.warning)).replace("\\", "")


def commands(page) -> list[str]:
    """The command lines that a page shows, that of the side last."""
    bodies = [one.proto.body for one in page.get("html")]
    return [unescape(sub("<.*?>", "", body)) for body in bodies if 'class="adjudge-command"' in body]


# --- in a browser ---


class Served(NamedTuple):
    """An explorer that runs. process: the number of its process."""

    address: str
    process: int


@contextmanager
def serving(*files: Path, stdout: int | None = None) -> Iterator[Served]:
    """An explorer of files, of simulated data without any, from when it answers until it is needed no more.

    stdout: where its output goes. Raises TimeoutExpired where it does not stop.
    """
    command = [sys.executable, "-m", "adjudge", "view", *map(str, files), "--no-browser"]
    with subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline() if process.stderr else ""
            address = next(word.rstrip(";") for word in said.split() if word.startswith("http"))
            while process.poll() is None and not _answers(address):
                time.sleep(0.05)
            yield Served(address, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE / 1000)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def _answers(address: str) -> bool:
    with suppress(URLError), urlopen(f"{address}/_stcore/health"):  # noqa: S310 - on this machine
        return True
    return False


_QUIET = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
_DRAWN = """
async () => {
  const idle = () => new Promise(done => requestIdleCallback(done, { timeout: 500 }))
  await idle()
  await new Promise(done => setTimeout(done, 30))
  await idle()
}"""
"""The page has nothing left to do with the messages it has, nor a moment later, when it draws what it held back."""
_STILL = """
document.getAnimations().every(one => one.playState !== 'running' || !(one.timeline instanceof DocumentTimeline)
  || one.effect.getComputedTiming().endTime === Infinity)"""
"""Nothing opens or closes any more: what moves scrolls the page, which folds lists that are open."""
_NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_RUNS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def arrived(page: Any, address: str) -> None:
    """Open a page of playwright's at an address of the explorer, and wait until all is shown.

    How often the page has been made is counted by the messages that say so: a busy browser may take in the begin and the
    end of a short run at once, and shows nothing of it in the page.
    """
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    given_up = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN

    def received(frame: str | bytes) -> None:
        message = ForwardMsg.FromString(frame)
        if message.WhichOneof("type") == "script_finished" and message.script_finished != given_up:
            _RUNS[page] += 1

    _RUNS[page] = 0
    page.on("websocket", lambda socket: socket.on("framereceived", received))
    page.goto(address)
    settled(page)


def settled(page: Any) -> None:
    """Wait until all is shown."""
    page.wait_for_function(_QUIET)
    page.evaluate(_DRAWN)
    page.wait_for_function(_QUIET)
    page.get_by_test_id("stSkeleton").first.wait_for(state="detached")
    page.wait_for_function(_STILL)


def focus(page: Any, box: Any) -> None:
    """Go to a control, as the tab key does; return when the page has scrolled there, since that too folds lists."""
    box.scroll_into_view_if_needed()
    box.focus()
    page.evaluate(_NEXT_FRAME)


def runs(page: Any) -> int:
    """How often the page has been made since it was opened."""
    return _RUNS[page]


def ran(page: Any, before: int, milliseconds: int) -> bool:
    """Whether the page has been made more often than before within a time."""
    until = time.monotonic() + milliseconds / 1000
    while (found := runs(page)) <= before and time.monotonic() < until:
        page.wait_for_timeout(10)
    return found > before


@contextmanager
def changed(page: Any, milliseconds: int = PATIENCE) -> Iterator[None]:
    """What is done inside changes the page; wait until all is shown again, and see that nothing broke."""
    before = runs(page)
    yield
    if not ran(page, before, milliseconds):
        raise AssertionError(f"the page was not made again within {milliseconds} ms")
    settled(page)
    if page.get_by_test_id("stException").count():
        raise AssertionError(page.get_by_test_id("stException").first.inner_text())
