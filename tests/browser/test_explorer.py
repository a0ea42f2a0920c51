"""The explorer in a browser: every control, from figures to items and back, addresses, downloads, hostile data."""

import json
import shlex
from contextlib import suppress
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Error, Locator, Page

from browser.conftest import explored
from browser.looking import faint, out_of_reach, without_focus
from karat.render.files import table_csv
from karat.render.numbers import plain
from karat.report import Report
from made_explorer import changed, serving

pytestmark = pytest.mark.browser
EVALUATIONS = ("reliability", "annotations", "preferences", "violations", "rag")


def chosen(page: Page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlsplit(page.url).query)


def view(page: Page, name: str) -> None:
    with changed(page):
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(name, exact=True).click()


def said(page: Page) -> list[str]:
    return page.get_by_test_id("stMain").inner_text().replace("Back to Overview", "").split()


def unfold(page: Page, box: Locator) -> None:
    """Open a list, again where the page scrolled, which folds it."""
    for _ in range(5):
        box.get_by_role("button", name="Open").click()
        with suppress(Error):
            page.get_by_role("option").first.wait_for(timeout=2_000)
            return


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a list by writing what is wanted."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.fill(option)
    page.get_by_role("option", name=option, exact=True).click()


@pytest.fixture(scope="module", params=EVALUATIONS)
def evaluation(request, browser, demo):
    """A page that all tests of an evaluation share, since each takes seconds to open; each leaves it at the overview."""
    page = explored(browser, f"{demo}/?data=Simulated+{request.param}")
    yield request.param, page
    page.context.close()


def test_from_a_figure_to_its_items_and_back(evaluation, browser):
    _, page = evaluation
    with changed(page):
        page.get_by_test_id("stDataFrame").first.click(position={"x": 40, "y": 52})
    assert chosen(page).get("view", ["Overview"]) != ["Overview"]
    again = explored(browser, page.url)
    for _ in range(20):
        if said(again) == said(page):
            break
        again.wait_for_timeout(250)
    assert said(again) == said(page)
    again.context.close()
    with changed(page):
        page.get_by_role("button", name="Back to Overview").click()
    assert "view" not in chosen(page)


def test_downloads_equal_what_the_command_line_writes(evaluation, karat, tmp_path):
    _, page = evaluation
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    words = shlex.split(page.get_by_test_id("stCode").inner_text())
    assert karat(*words[1:], "--output", tmp_path / "here.json")[0] == 0
    assert Report.load(tmp_path / "there.json") == Report.load(tmp_path / "here.json")
    view(page, "Tables")
    counts = Report.load(tmp_path / "here.json")
    names = (name for name in counts if counts[name].height and counts[name].columns[-1] == "count")
    name = next(names, "differences")
    with changed(page):
        choose(page, "Table", plain(name).capitalize())
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV", exact=True).click()
    found.value.save_as(tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == table_csv(counts[name])
    view(page, "Overview")


def test_every_view_opens_and_every_control_can_be_changed(evaluation):
    _, page = evaluation
    names = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_role("radio").all_inner_texts()
    assert names[:4] == ["Overview", "Tables", "Pictures", "Items"]
    for name in names[1:]:
        view(page, name)
    view(page, "Overview")
    page.get_by_text("More options").click()
    side = page.get_by_test_id("stSidebar")
    for box in side.get_by_test_id("stSelectbox").all()[1:]:
        unfold(page, box)
        others = page.locator("[role=option][aria-selected=false]")
        if not others.count():
            page.keyboard.press("Escape")
            continue
        with changed(page):
            others.last.click()
    for toggle in side.get_by_test_id("stCheckbox").all():
        with changed(page):
            toggle.locator("label").click()


HOSTILE = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"> ![x](http://example.org/x.png) "
    "[y](javascript:document.title='ran') :red[z] $x$ \u202e\u2066"
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Votes of which all is hostile: names of annotators, items, columns and the file; texts, of a megabyte each."""

    def vote(label: str) -> dict[str, str]:
        return {"item_flag": "No", "best": label}

    rows = [
        {
            "id": f"{HOSTILE}{item}",
            HOSTILE: f"group {item % 2} {HOSTILE}",
            "prompt": HOSTILE + "x" * 1_000_000,
            "output_values": {f"ana {HOSTILE}": vote("response_1"), f"ben {HOSTILE}": vote(f"response_{1 + item % 2}")},
            "QC": {f"lead {HOSTILE}": vote("response_1")},
        }
        for item in range(4)
    ]
    path = tmp_path_factory.mktemp("hostile") / "a <img src=x onerror=alert(1)> ![x](http:example.org).json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with serving(path) as (address, _):
        yield address


def test_nothing_of_the_data_runs_or_is_fetched(hostile, browser):
    page = explored(browser, f"{hostile}/?by={quote(HOSTILE)}")
    main = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first
    assert "ana" in " ".join(said(page))
    for name in main.get_by_role("radio").all_inner_texts()[1:]:
        view(page, name)
        assert (
            page.locator("[data-testid=stApp] script, img[src^='http'], a[href^='javascript'], a[href^='http']").count()
            == 0
        )
    assert "ran" not in page.title()
    page.context.close()


def test_what_is_written_opened_and_clicked(browser, demo, tmp_path):
    page = explored(browser, f"{demo}/?data=Simulated+reliability")
    page.get_by_text("More options").click()
    confidence = page.get_by_label("Confidence", exact=True)
    for written, expected in (("7", "Confidence: expected a number between 0 and 1"), ("0.9", "--confidence 0.9")):
        confidence.fill(written)
        with changed(page):
            confidence.press("Enter")
        assert expected in " ".join(page.get_by_test_id("stApp").inner_text().split())
    assert chosen(page)["confidence"] == ["0.9"]
    page.get_by_text("Open files", exact=True).click()
    file = tmp_path / "three votes.csv"
    file.write_text("item,annotator,label,reference\n1,ana,x,x\n2,ana,y,x\n3,ana,x,x\n", encoding="utf-8")
    with changed(page):
        page.locator("input[type=file]").set_input_files(file)
    with changed(page):
        choose(page, "Look at", "three votes.csv")
    assert "ana agrees with the reference on 66.7" in " ".join(said(page))
    view(page, "Items")
    bars = page.get_by_test_id("stVegaLiteChart").locator("g.mark-rect.role-mark path")
    with changed(page):
        bars.first.click()
    assert chosen(page)["of-outcome"] == ["Choices that agree"]
    assert "2 outcomes of 2 items." in " ".join(said(page))
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_can_be_seen_and_reached_without_a_mouse(browser, demo, theme):
    page = explored(browser, f"{demo}/?data=Simulated+violations&view=Settings", color_scheme=theme)
    assert not faint(page)
    assert not out_of_reach(page)
    assert not without_focus(page)
    for name in ("Texts", "Items"):
        view(page, name)
        assert not faint(page)
    page.context.close()


@pytest.mark.parametrize("width", [420, 1920])
def test_nothing_stands_outside_the_window(browser, demo, width):
    page = explored(browser, demo, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
