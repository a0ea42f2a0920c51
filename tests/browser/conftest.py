"""One browser for all tests, and one explorer of simulated data."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

QUIET = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
_COUNTED = """
() => {
  const app = document.querySelector('[data-testid=stApp]');
  window.runs = 0;
  new MutationObserver(() => { window.runs += app.dataset.testScriptState === 'notRunning' })
    .observe(app, { attributeFilter: ['data-test-script-state'] });
}"""
_PATIENCE = 20_000
"""Milliseconds."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield found
        found.close()


@contextmanager
def serving(*files: Path) -> Iterator[str]:
    """The address of an explorer of files, of simulated data without any."""
    command = [sys.executable, "-m", "karat", "view", *map(str, files), "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ}) as process:
        said = process.stderr.readline()
        address = next(word.rstrip(";") for word in said.split() if word.startswith("http"))
        for _ in range(600):
            with suppress(URLError), urlopen(f"{address}/_stcore/health") as answer:  # noqa: S310
                assert answer.status == 200
                break
            time.sleep(0.1)
        try:
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def demo() -> Iterator[str]:
    """The address of an explorer of simulated data of all evaluations."""
    with serving() as address:
        yield address


def explored(browser: Browser, address: str, **how: object) -> Page:
    """A page of the explorer. Whatever it asks another machine for, or complains of, fails the test."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 2000}, **how}).new_page()
    page.set_default_timeout(_PATIENCE)
    asked = (address.split("/?", maxsplit=1)[0], "ws://127.0.0.1", "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(asked) else pytest.fail(request.url))
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(address)
    settled(page)
    page.evaluate(_COUNTED)
    return page


def settled(page: Page) -> None:
    """Wait until all is shown, and see that nothing broke."""
    page.wait_for_function(QUIET)
    page.get_by_test_id("stSkeleton").first.wait_for(state="detached")
    assert page.get_by_test_id("stException").count() == 0


@contextmanager
def changed(page: Page) -> Iterator[None]:
    """What is done inside changes the page; wait until all is shown again."""
    runs = page.evaluate("window.runs")
    yield
    page.wait_for_function(f"window.runs > {runs} && {QUIET}")
    settled(page)
