"""The report in a browser: what its script does, what stands there without it, and that nothing of the data runs."""

from functools import cache
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

import adjudge
from adjudge.render.html import report_page
from made import EXAMPLES

_OVERFLOWING = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
"""Names in tables that reach into the next cell."""
pytestmark = pytest.mark.browser
HOSTILE = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"> ![x](http://example.org/x.png) "
    "<a href=\"javascript:document.title='ran'\">a</a> [b](javascript:document.title='ran') \u202edlog\u202c"
)


TRUTH, GOLD = EXAMPLES / "violations" / "truth.jsonl", EXAMPLES / "preferences" / "gold.jsonl"
CHECKERS = [TRUTH.with_name(f"{name}.jsonl") for name in ("careful", "eager")]
SYSTEMS = [GOLD.with_name(f"{name}.tsv") for name in ("careful", "quick")]
REPORTS = {
    "annotations": cache(lambda: adjudge.annotations(EXAMPLES / "annotations" / "pairs.json")),
    "violations": cache(lambda: adjudge.violations(TRUTH, CHECKERS)),
    "preferences": cache(lambda: adjudge.preferences(GOLD, SYSTEMS)),
    "rag": cache(lambda: adjudge.rag(EXAMPLES / "rag" / "answers.jsonl")),
}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory) -> Path:
    """A report on 12 annotators, a01 with one choice right of 12, a02 with two ..., of whom one has a hostile name."""
    names = [*(f"a{number:02}" for number in range(1, 12)), HOSTILE]
    rows = [
        {
            "item": f"i{item}",
            "annotator": name,
            "label": "yes" if item < number else "no",
            "reference": "yes",
            "text": f"text of item {item} {HOSTILE}",
        }
        for number, name in enumerate(names, start=1)
        for item in range(12)
    ]
    path = tmp_path_factory.mktemp("page") / "report.html"
    adjudge.reliability(pl.DataFrame(rows), examples=6).save(path)
    return path


def opened(browser: Browser, path: Path, fragment: str = "", **how) -> Page:
    """The page in a context of its own. Whatever it asks for, or complains of, fails the test."""
    page = browser.new_context(offline=True, **how).new_page()
    page.on("request", lambda request: pytest.fail(request.url) if not request.url.startswith("file:") else None)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.on("console", lambda message: pytest.fail(message.text) if message.type == "error" else None)
    page.goto(path.as_uri() + fragment)
    return page


@pytest.fixture
def page(browser, page_file):
    page = opened(browser, page_file)
    yield page
    page.context.close()


def names_in(table) -> list[str]:
    return [name.strip() for name in table.locator("tbody tr:visible th:first-child").all_inner_texts()]


def test_a_table_is_sorted_by_the_column_that_is_clicked(page):
    table = page.locator("#r1-results table").first
    head = table.get_by_role("button", name="Reliability", exact=False).first
    head.click()
    assert table.locator("th[aria-sort=descending]").count() == 1
    shown = table.locator("tbody tr:not(.pooled) td:nth-child(2) .value").all_inner_texts()
    down = [float(text.split("%")[0]) for text in shown]
    assert down == sorted(down, reverse=True)
    assert down[0] == 100.0
    head.click()
    assert names_in(table)[0] == "a01"


def test_a_long_table_is_filtered(page):
    table = page.locator("#r1-results table").first
    box = page.locator("#r1-results").get_by_label("Filter rows").first
    box.fill("a0")
    assert sorted(names_in(table)) == [f"a{number:02}" for number in range(1, 10)]
    assert page.locator("#r1-results [role=status]").first.inner_text() == "9 of 13"
    box.fill("")
    assert len(names_in(table)) == 13  # 12 annotators, and all of them pooled


def test_items_are_searched_filtered_and_walked_through_and_their_address_leads_back(page, browser, page_file):
    examples = page.locator("#r1-examples .example:visible")
    every = examples.count()
    assert every == 12
    page.get_by_label("Any outcome").select_option("Choice agrees")
    assert examples.count() == 6
    assert page.locator("#r1-examples [role=status]").inner_text() == "6 of 12 shown"
    page.get_by_role("button", name="Next").click()
    first = page.locator(".example.found")
    assert first.get_attribute("data-outcome") == "Choice agrees"
    address = page.evaluate("location.hash")
    assert address == f"#item={first.get_attribute('data-item')}"
    page.get_by_role("button", name="Previous").click()
    assert page.locator(".example.found").evaluate(
        "one => [...document.querySelectorAll('.example')].filter(o => !o.hidden).pop() === one"
    )
    page.get_by_label("Search items").fill("no such text")
    assert examples.count() == 0
    again = opened(browser, page_file, address)
    assert f"#item={again.locator('.example.found').get_attribute('data-item')}" == address
    assert again.locator(".example.found").evaluate(
        "one => { const box = one.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight }"
    )
    again.context.close()


@pytest.fixture(scope="module")
def hardest(tmp_path_factory) -> Path:
    """Two systems whose predictions for item-011 differ from people's."""
    path = tmp_path_factory.mktemp("hardest") / "report.html"
    REPORTS["preferences"]().save(path)
    return path


def test_filters_give_way_to_an_item_that_is_asked_for_while_they_hide_it(browser, hardest):
    def ask_for():
        page.evaluate("location.hash = '#r1'; location.hash = '#item=item-011'")

    page = opened(browser, hardest)
    outcome, search = page.get_by_label("Any outcome"), page.get_by_label("Search items")
    item, every = page.locator("[data-item=item-011]").first, page.locator(".example").count()
    for _ in range(2):
        outcome.select_option("Prediction agrees with humans")
        search.fill("item")
        assert item.is_hidden()
        ask_for()
        page.locator(".example.found").wait_for()
        assert item.is_visible()
        assert [outcome.input_value(), search.input_value()] == ["", ""]
        assert page.locator("#r1-examples [role=status]").inner_text() == f"{every} of {every} shown"
    outcome.select_option("Prediction differs from humans")
    ask_for()
    assert outcome.input_value() == "Prediction differs from humans", "filters stay where they show it"
    page.context.close()


def test_all_of_it_can_be_read_without_scripts(page, browser, page_file):
    bare = opened(browser, page_file, java_script_enabled=False)
    assert bare.locator("tbody tr:visible").count() == page.locator("tbody tr:visible").count() > 12
    assert bare.locator(".example:visible").count() == 12
    assert bare.locator(".tools").count() == 0
    bare.context.close()


def test_nothing_of_the_data_runs_or_is_fetched(page):
    page.get_by_label("Search items").fill("<script>")
    page.get_by_label("Any annotator").select_option(
        label=page.get_by_label("Any annotator").locator("option").last.inner_text()
    )
    assert page.title() == "Annotator reliability"
    assert page.locator("article script, article img, article a:not([href^='#'])").count() == 0


def test_hostile_texts_of_a_megabyte_run_nothing_and_break_nothing(browser, tmp_path):
    """In all places of an example: the question, a document's marks, both responses, and what others say."""
    long, spans = f"{HOSTILE} " + "x" * 1_000_000, [{"start": 0, "end": 9, "rule": HOSTILE, "explanation": HOSTILE}]
    gold = pl.DataFrame([{"id": HOSTILE, "instruction": long, "output_a": long, "output_b": long, "r_preference": "A"}])
    wrong = [pl.DataFrame([{"id": HOSTILE, "r_preference": label}]) for label in ("B", "both_bad")]
    truth = pl.DataFrame([{"id": HOSTILE, "text": long, "violations": spans}])
    missed = [pl.DataFrame([{"id": HOSTILE, "violations": marks}]) for marks in ([], spans)]
    for number, report in enumerate(
        (
            adjudge.preferences(gold, wrong, system=["<b>s</b>", HOSTILE], criteria=["r"]),
            adjudge.violations(truth, missed),
        )
    ):
        report.save(tmp_path / f"{number}.html")
        page = opened(browser, tmp_path / f"{number}.html", viewport={"width": 420, "height": 900})
        assert page.locator(".example").count() > 0
        assert page.title() == report.about.title
        assert page.locator("article script, article img, article b, article a:not([href^='#'])").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        page.context.close()


@pytest.mark.parametrize("width", [420, 1280, 1920])
def test_nothing_stands_outside_the_window(browser, page_file, width):
    page = opened(browser, page_file, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


@pytest.mark.parametrize("name", REPORTS)
def test_pages_of_all_evaluations_open_and_sort(browser, tmp_path, name):
    REPORTS[name]().save(tmp_path / "r.html")
    page = opened(browser, tmp_path / "r.html", viewport={"width": 1280, "height": 900})
    for link in page.locator(".top a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    for head in page.locator("button.sort:visible").all():
        head.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.set_viewport_size({"width": 420, "height": 900})
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert page.locator("th bdi, td bdi").evaluate_all(_OVERFLOWING) == []
    page.context.close()


@pytest.fixture(scope="module")
def pictured(tmp_path_factory) -> Path:
    """A page with the charts of several evaluations: points, cells, bars and lines, in several plots."""
    path = tmp_path_factory.mktemp("pictured") / "report.html"
    path.write_text(report_page([report() for report in REPORTS.values()]), encoding="utf-8")
    return path


_ENDS = """all => all.map(one => one.getBoundingClientRect()).filter(box => box.width)
  .flatMap(box => [box.left, box.right])"""


@pytest.mark.parametrize(("width", "form"), [(360, "narrow"), (420, "narrow"), (1280, "wide")])
def test_the_form_of_a_chart_is_shown_that_fits_and_no_mark_lies_outside(browser, pictured, width, form):
    page = opened(browser, pictured, viewport={"width": width, "height": 900}, java_script_enabled=False)
    figures = page.locator("figure")
    assert figures.locator("svg:visible").count() == page.locator(f"figure .{form} svg").count() == 4
    ends = figures.locator("svg").locator("path, text").evaluate_all(_ENDS)
    assert len(ends) > 150
    assert min(ends) >= 0
    assert max(ends) <= width
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1280])
def test_the_first_screen_holds_the_verdict_the_chart_and_the_findings(browser, hardest, width, scheme):
    page = opened(browser, hardest, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for part in ("h1", "figure svg:visible", ".findings li:last-child"):
        assert page.locator(part).first.evaluate("one => one.getBoundingClientRect().bottom") <= 900, part
    beside = page.locator(".notes").evaluate("one => one.getBoundingClientRect().left > innerWidth / 2")
    assert beside is (width > 1100)
    page.context.close()
