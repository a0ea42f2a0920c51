"""The explorer in a browser: the chart and its items, downloads, hostile data, eyes, hands and narrow windows."""

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from adjudge.render.files import table_csv
from adjudge.render.numbers import plain_words
from adjudge.report import Report
from browser.conftest import explored
from browser.looking import faint, out_of_reach, seen, without_focus
from browser.using import choose, choose_another, chosen, look_at, opened, said, unfold, view
from made_explorer import changed, ran, runs, serving, settled

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"> ![x](http://example.org/x.png) "
    "[y](javascript:document.title='ran') :red[z] $x$ \u202e\u2066"
)


_POINTS = "figure path:has(> title)"
_FADED = "figure .faded"


def test_a_click_on_a_point_lists_its_items_and_fades_the_others(page):
    look_at(page, "Simulated reliability")
    points = page.locator(_POINTS)
    tip = points.nth(1).locator("title").text_content()
    assert not page.locator(_FADED).count()
    with changed(page):
        points.nth(1).click()
    name = tip.split(": ")[0]
    assert chosen(page)["of-point"] == chosen(page)["of-judge"] == [name]
    assert {one.split(": ")[0] for one in page.locator(f"{_FADED} title").all_text_contents()} == {
        one.split(": ")[0] for one in page.locator("figure title").all_text_contents()
    } - {name}
    assert page.get_by_test_id("stDataFrame").count() == 1
    with changed(page):
        points.nth(1).click()
    assert "of-point" not in chosen(page)
    assert not page.locator(_FADED).count()


def test_downloads_are_those_of_the_command_that_is_shown(page, tmp_path):
    """tests/explorer/test_controls.py tries those of all evaluations without a browser."""
    look_at(page, "Simulated annotations")
    unfold(page, "Download")
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    there = Report.load(tmp_path / "there.json")
    assert page.locator(".adjudge-command").text_content() == re.sub(r"\S*/adjudge-simulated-[^/]*/", "", there.command)
    view(page, "Tables")
    *_, name = [name for name in there if there[name].height]
    choose(page, page.get_by_role("combobox", name="Table", exact=True), plain_words(name).capitalize())
    with page.expect_download() as found:
        page.get_by_role("button", name="Save as CSV", exact=True).click()
    found.value.save_as(tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == table_csv(there[name])


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
    settled(page)
    confidence = page.get_by_label("Confidence level", exact=True)
    for written, expected in (("7", "--ci-level: expected a number between 0 and 1"), ("0.9", "--ci-level 0.9")):
        confidence.fill(written)
        with changed(page):
            confidence.press("Enter")
        assert expected in " ".join(page.get_by_test_id("stApp").text_content().split())
    assert chosen(page)["ci_level"] == ["0.9"]
    page.get_by_text("Open files", exact=True).click()
    file = tmp_path / "three votes.csv"
    rows = ["1,ana,x,x,de", "2,ana,y,x,de", "3,ana,x,x,en"]
    file.write_text("question,worker,answer,gold,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with changed(page):
        page.locator("input[type=file]").set_input_files(file)
    assert "ana: Reliability 66.7%" in " ".join(said(page)), "what is opened is shown"
    assert "ci_level" not in chosen(page), "options of other data are forgotten"
    by = page.get_by_role("combobox", name="Group by", exact=True)
    by.fill("language")
    page.get_by_role("option", name="language", exact=True).wait_for()
    with changed(page):
        by.press("Enter")
    assert "2 groups by language" in " ".join(said(page)), "columns that were guessed are kept"
    view(page, "Items")
    grid = page.get_by_test_id("stDataFrame").first
    with changed(page):
        grid.click(position={"x": 20, "y": 90})
    assert chosen(page)["item"] == ["1"]
    page.context.close()


def test_all_can_be_seen_in_both_themes_and_reached_without_a_mouse(page):
    """Streamlit follows the theme of the browser while the page is open."""
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            "theme => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme", arg=theme
        )
        look_at(page, "Simulated card")
        assert page.locator("[data-tag]").count(), "values that are chosen at the side"
        seen(page)
        look_at(page, "Simulated violations", "Items")
        seen(page)
    assert not faint(page)
    assert not without_focus(page)
    assert not out_of_reach(page)


def test_the_address_shows_the_same_in_a_browser_that_knows_nothing_of_it(page, browser):
    look_at(page, "Simulated annotations", "Items")
    choose_another(page, page.get_by_test_id("stMain").get_by_role("combobox", name="Annotator", exact=True))
    assert [name for name in chosen(page) if name.startswith("of-")]
    again = explored(browser, page.url)
    for _ in range(20):
        if said(again) == said(page):
            break
        again.wait_for_timeout(250)
    assert said(again) == said(page)
    again.context.close()


def test_nothing_stands_outside_the_window(page):
    look_at(page, "Simulated reliability")
    for width in (1920, 420):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")


def tab_to(page: Page, what: str) -> None:
    """Press the Tab key until what has the focus matches a selector."""
    for _ in range(300):  # it goes from cell to cell
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", what):
            return
    raise AssertionError(f"Tab does not lead to {what}")


def test_the_tab_key_leads_through_a_table_and_the_button_below_it_to_the_items(page):
    look_at(page, "Simulated reliability", "Tables")
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    before = chosen(page)
    tab_to(page, "[data-testid=stDataFrame] canvas")
    ran(page, runs(page), 2_000)  # the first cell is chosen, where it leads somewhere
    settled(page)
    assert chosen(page) == before
    page.keyboard.press("ArrowDown")
    ran(page, runs(page), 2_000)
    settled(page)
    assert chosen(page) == before
    tab_to(page, "[class*=st-key-open-] button")
    ran(page, runs(page), 2_000)  # the cells on the way were chosen
    settled(page)
    assert opened(page).count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "of-judge=annotator-01" in url)
    settled(page)
    assert chosen(page)["view"] == ["Items"]
