"""One browser for all tests, and one explorer of simulated data."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from made_explorer import PATIENCE, arrived, serving


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def demo() -> Iterator[str]:
    """The address of an explorer of simulated data of all evaluations."""
    with serving() as (address, _):
        yield address


def explored(browser: Browser, address: str, **how: object) -> Page:
    """A page of the explorer. Whatever it asks another machine for, or complains of, fails the test."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 2000}, **how}).new_page()
    page.set_default_timeout(PATIENCE)
    asked = (address.split("/?", maxsplit=1)[0], "ws://127.0.0.1", "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(asked) else pytest.fail(request.url))
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    arrived(page, address)
    assert page.get_by_test_id("stException").count() == 0
    return page
