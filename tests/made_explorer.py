"""The explorer without a browser, and in one, as several tests, a benchmark and the pictures of docs look at it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.request import urlopen


def page_of(*paths: str, **address: str):
    """The page for files, with what stands in the address, without a browser."""

    def script(paths):
        from karat.app.page import page

        page(paths)

    from streamlit.testing.v1 import AppTest

    test = AppTest.from_function(script, args=(paths,), default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def said(page) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.error, *page.warning)).replace("\\", "")


# --- in a browser ---


class Served(NamedTuple):
    """An explorer that runs. process: the number of its process."""

    address: str
    process: int


@contextmanager
def serving(*files: Path) -> Iterator[Served]:
    """An explorer of files, of simulated data without any, from when it answers until it is needed no more."""
    command = [sys.executable, "-m", "karat", "view", *map(str, files), "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline() if process.stderr else ""
            address = next(word.rstrip(";") for word in said.split() if word.startswith("http"))
            while process.poll() is None and not _answers(address):
                time.sleep(0.05)
            yield Served(address, process.pid)
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    with suppress(URLError), urlopen(f"{address}/_stcore/health"):  # noqa: S310 - on this machine
        return True
    return False


_QUIET = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
_COUNTED = """
() => {
  const app = document.querySelector('[data-testid=stApp]');
  window.runs = 0;
  new MutationObserver(() => { window.runs += app.dataset.testScriptState === 'notRunning' })
    .observe(app, { attributeFilter: ['data-test-script-state'] });
}"""
"""Counts how often the page has been made again."""


def arrived(page: Any, address: str) -> None:
    """Open a page of playwright's at an address of the explorer, and wait until all is shown."""
    page.goto(address)
    settled(page)
    page.evaluate(_COUNTED)


def settled(page: Any) -> None:
    """Wait until all is shown."""
    page.wait_for_function(_QUIET)
    page.get_by_test_id("stSkeleton").first.wait_for(state="detached")


@contextmanager
def changed(page: Any) -> Iterator[None]:
    """What is done inside changes the page; wait until all is shown again, and see that nothing broke."""
    runs = page.evaluate("window.runs")
    yield
    page.wait_for_function(f"window.runs > {runs} && {_QUIET}")
    settled(page)
    if page.get_by_test_id("stException").count():
        raise AssertionError(page.get_by_test_id("stException").first.inner_text())
