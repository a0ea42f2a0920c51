"""One browser for all tests, and an explorer of simulated data."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from made_explorer import CHROMIUM, PATIENCE, arrived, serving

WIDE: ViewportSize = {"width": 1280, "height": 2000}
_SHORT = "--js-flags=--no-opt --no-maglev --min-semi-space-size=32 --max-semi-space-size=64"
"""Scripts of pages that are looked at for seconds are not compiled again and again to run faster."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", _SHORT])
        yield found
        found.close()


@pytest.fixture(scope="session")
def demo() -> Iterator[str]:
    """The address of an explorer of simulated data of all evaluations. It stops though nobody reads its output."""
    reader, writer = os.pipe()
    os.close(reader)
    with serving(stdout=writer) as (address, _):
        os.close(writer)
        yield address


@pytest.fixture(scope="session")
def demo_page(browser, demo) -> Iterator[Page]:
    """A page that many tests share, since each takes seconds to open; they begin by looking at what they need."""
    page = explored(browser, demo)
    yield page
    page.context.close()


@pytest.fixture
def page(demo_page) -> Iterator[Page]:
    """The shared page of simulated data, as wide and light at the end as at the beginning."""
    yield demo_page
    demo_page.set_viewport_size(WIDE)
    demo_page.emulate_media(color_scheme="light")


def explored(browser: Browser, address: str, **how: object) -> Page:
    """A page of the explorer. Whatever it asks another machine for, or complains of, fails the test."""
    page = browser.new_context(**{"viewport": WIDE, **how}).new_page()
    page.set_default_timeout(PATIENCE)
    asked = (address.split("/?", maxsplit=1)[0], "ws://127.0.0.1", "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(asked) else pytest.fail(request.url))
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    arrived(page, address)
    assert page.get_by_test_id("stException").count() == 0
    return page
