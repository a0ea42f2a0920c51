"""Draws every page that Adjudge makes, light and dark, at three widths, into build/screenshots, to be looked at.

To add a page, write a function that makes it in a folder of its own and returns its address, and name it in PAGES.
Names on the command line draw these pages alone.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

import adjudge
from adjudge.demo import demo
from adjudge.evaluations.simulate import simulate_judgments
from adjudge.render.files import write_text
from adjudge.render.html import report_fragment

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from made_explorer import CHROMIUM, arrived, serving

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
TARGET = ROOT / "build" / "screenshots"
WIDTHS = (420, 1280, 1920)
THEMES = ("light", "dark")
_TALL = 2_400
"""Pixels of a page in one picture."""

RELIABILITY = EXAMPLES / "reliability" / "votes.json"
ANNOTATIONS = EXAMPLES / "annotations" / "pairs.json"
GOLD, *PREDICTED = (EXAMPLES / "preferences" / name for name in ("gold.jsonl", "careful.tsv", "quick.tsv"))
TRUTH, *CHECKED = (EXAMPLES / "violations" / name for name in ("truth.jsonl", "careful.jsonl", "eager.jsonl"))
ANSWERS = EXAMPLES / "rag" / "answers.jsonl"
LABELS = EXAMPLES / "card" / "labels.csv"


def _saved(report: adjudge.Report, folder: Path) -> str:
    """The address of a report's page."""
    report.save(folder / "report.html")
    return (folder / "report.html").as_uri()


def _compared(folder: Path) -> str:
    """Two predictors of preferences, item by item."""
    runs = [folder / f"{path.stem}.parquet" for path in PREDICTED]
    for predicted, run in zip(PREDICTED, runs, strict=True):
        adjudge.preferences(GOLD, predicted, save_items=run)
    return _saved(adjudge.compare(runs), folder)


def _history(folder: Path) -> str:
    """Annotators over six weeks of simulated labels."""
    (folder / "runs").mkdir()
    for week in range(6):
        adjudge.reliability(simulate_judgments(week)[0]).save(folder / "runs" / f"2026-11-{3 + 4 * week:02}.json")
    return _saved(adjudge.history(folder / "runs"), folder)


def _demo(folder: Path) -> str:
    demo(folder, seed=0)
    return (folder / "report.html").as_uri()


def _judging(folder: Path) -> str:
    adjudge.violation_pairs(TRUTH, CHECKED, output=folder / "judge.html")
    return (folder / "judge.html").as_uri()


def _notebook(folder: Path) -> str:
    host = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    write_text(host + report_fragment(adjudge.preferences(GOLD, PREDICTED)), folder / "notebook.html")
    return (folder / "notebook.html").as_uri()


def _site() -> dict[str, str]:
    """The addresses of the pages of the site that `make docs` builds, by the names under which they are drawn."""
    site = ROOT / "build" / "site"
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    return {"-".join(("docs", *path.relative_to(site).with_suffix("").parts)): path.as_uri() for path in pages}


PAGES: dict[str, Callable[[Path], str]] = {
    "reliability": lambda folder: _saved(adjudge.reliability(RELIABILITY), folder),
    "annotations": lambda folder: _saved(adjudge.annotations(ANNOTATIONS), folder),
    "preferences": lambda folder: _saved(adjudge.preferences(GOLD, PREDICTED, explanations=True), folder),
    "violations": lambda folder: _saved(adjudge.violations(TRUTH, CHECKED), folder),
    "rag": lambda folder: _saved(adjudge.rag(ANSWERS), folder),
    "agreement": lambda folder: _saved(adjudge.agreement(RELIABILITY), folder),
    "card": lambda folder: _saved(adjudge.card(LABELS, judges=["steady", "hasty"], run_column="draw"), folder),
    "compare": _compared,
    "history": _history,
    "demo": _demo,
    "judging": _judging,
    "notebook": _notebook,
    **{name: lambda _, address=address: address for name, address in _site().items()},
}


VIEWS = ("Overview", "Tables", "Items")
NAMES = ("annotations", "preferences", "reliability", "violations", "rag", "card")
EXPLORER = {
    f"explorer-{name}-{view.lower()}": urlencode({"data": f"Simulated {name}", "view": view})
    for name in NAMES
    for view in VIEWS
}
_SCREEN = 1_400


def draw_views(browser: Browser, addresses: Mapping[str, str]) -> None:
    """Pictures of views of the explorer for each width and theme: as much as a tall screen shows.

    Views of a width and theme share what the browser keeps, so that it loads streamlit once for all of them.
    """
    for width in WIDTHS:
        for theme in THEMES:
            context = browser.new_context(viewport={"width": width, "height": _SCREEN}, color_scheme=theme)
            for name, address in addresses.items():
                page = context.new_page()
                arrived(page, address)
                page.wait_for_timeout(500)  # tables and pictures are drawn after they are there
                page.screenshot(path=TARGET / f"{name}-{width}-{theme}.png")
                page.close()
            context.close()


def draw(browser: Browser, name: str, address: str) -> None:
    """Pictures of a page for each width and theme, from top to bottom."""
    for width in WIDTHS:
        for theme in THEMES:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
            page = context.new_page()
            page.goto(address)
            page.evaluate("document.fonts.ready")
            page.wait_for_timeout(300)  # scripts of the site move what stands beside the text
            part = 0
            while (left := page.evaluate("document.documentElement.scrollHeight") - part * _TALL) > 0:
                area = {"x": 0, "y": part * _TALL, "width": width, "height": min(_TALL, left)}
                part += 1
                page.screenshot(path=TARGET / f"{name}-{width}-{theme}-{part:02}.png", full_page=True, clip=area)
            context.close()


def main(names: list[str]) -> None:
    """Draw the named pages and views, by default all."""
    names = names or [*PAGES, *EXPLORER]
    TARGET.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        addresses = {}
        for name in filter(
            PAGES.__contains__, names
        ):  # all before the browser starts, beside whose loop no model can be asked
            (Path(folder) / name).mkdir()
            addresses[name] = PAGES[name](Path(folder) / name)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for name, address in addresses.items():
                draw(browser, name, address)
            with serving() as (place, _):
                draw_views(browser, {name: f"{place}/?{EXPLORER[name]}" for name in names if name in EXPLORER})
            browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
