"""One browser for all tests, and explorers of all evaluations."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import adjudge
from browser.using import look_at
from made import EXAMPLES
from made_explorer import CHROMIUM, PATIENCE, arrived, serving

LOOKED_AT = (
    *(
        ("demo", f"Simulated {one}")
        for one in ("reliability", "annotations", "preferences", "violations", "rag", "card")
    ),
    *(("further", one) for one in ("ratings.csv", "Runs compared")),
)
"""An explorer, and what is looked at in it."""
FEW = pytest.mark.parametrize(
    "evaluation", [LOOKED_AT[1], LOOKED_AT[-1]], indirect=True, ids=["Simulated annotations", "Runs compared"]
)
"""For downloads; tests/explorer/test_controls.py tries those of all evaluations without a browser."""

WIDE: ViewportSize = {"width": 1280, "height": 2000}
_SHORT = "--js-flags=--no-opt --no-maglev --min-semi-space-size=32 --max-semi-space-size=64"
"""Scripts of pages that are looked at for seconds are not compiled again and again to run faster."""


class ByEvaluation(LoadFileScheduling):
    """Tests of an evaluation stay together, whatever file they stand in, since each page that is shared looks at one
    after the other; other tests in a browser stay with those of their file, those without go wherever there is time.
    """

    def _split_scope(self, nodeid: str) -> str:
        if "/app/" in nodeid:
            return nodeid
        given = nodeid.partition("[")[2].removesuffix("]")
        return given if given in {name for _, name in LOOKED_AT} else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)  # where one process runs the tests, nothing asks for it
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByEvaluation:
    return ByEvaluation(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", _SHORT])
        yield found
        found.close()


@pytest.fixture(scope="session")
def demo() -> Iterator[str]:
    """The address of an explorer of simulated data of all evaluations."""
    with serving() as (address, _):
        yield address


@pytest.fixture(scope="session")
def further(tmp_path_factory) -> Iterator[str]:
    """The address of an explorer of what is not simulated: labels that are compared with one another, and two runs."""
    gold, folder = EXAMPLES / "preferences" / "gold.jsonl", tmp_path_factory.mktemp("runs")
    runs = [folder / f"{name}.parquet" for name in ("careful", "quick")]
    for run in runs:
        adjudge.preferences(gold, gold.with_name(f"{run.stem}.tsv"), system="s", save_items=run)
    with serving(EXAMPLES / "agreement" / "ratings.csv", *runs) as (address, _):
        yield address


@pytest.fixture(scope="session")
def demo_page(browser, demo) -> Iterator[Page]:
    yield from _shared(browser, demo)


@pytest.fixture(scope="session")
def further_page(browser, further) -> Iterator[Page]:
    yield from _shared(browser, further)


@pytest.fixture(scope="session")
def dark_page(browser, demo) -> Iterator[Page]:
    yield from _shared(browser, demo, color_scheme="dark")


def _shared(browser: Browser, address: str, **how: object) -> Iterator[Page]:
    """A page that many tests share, since each takes seconds to open; they begin by looking at what they need."""
    page = explored(browser, address, **how)
    yield page
    page.context.close()


@pytest.fixture
def page(demo_page) -> Iterator[Page]:
    """The shared page of simulated data, as wide at the end as at the beginning."""
    yield demo_page
    demo_page.set_viewport_size(WIDE)


@pytest.fixture(scope="session", params=LOOKED_AT, ids=[name for _, name in LOOKED_AT])
def evaluation(request) -> Page:
    """The shared page, at an evaluation; each test leaves it at the overview."""
    explorer, name = request.param
    page = request.getfixturevalue(f"{explorer}_page")
    look_at(page, name)
    return page


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
