"""Draws docs/pictures from the files in examples/, and writes docs/gallery.md, which shows them.

It draws docs/images/explorer.png, too. The screenshots of pages need Chromium (see `make_screenshots.py`).
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
_RELIABILITY = "reliability examples/reliability/votes.json"
_ANNOTATIONS = "annotations examples/annotations/pairs.json"
_PREFERENCES = (
    "preferences examples/preferences/gold.jsonl examples/preferences/careful.tsv examples/preferences/quick.tsv"
)
_VIOLATIONS = (
    "violations examples/violations/truth.jsonl examples/violations/careful.jsonl examples/violations/eager.jsonl"
)
_RAG = "rag examples/rag/answers.jsonl"
_CARD = "card examples/card/labels.csv --judges steady,hasty --run-column draw"
_AGREEMENT = "agreement examples/reliability/votes.json"


@dataclass(frozen=True)
class GalleryChart:
    """A chart of the gallery: its title, and the command that draws it."""

    title: str
    command: str

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.command.split()[0]}.svg"

    @property
    def line(self) -> str:
        """The whole command."""
        return f"adjudge {self.command} --output {self.name}"


GALLERY = (
    GalleryChart("Reliability of annotators", _RELIABILITY),
    GalleryChart("LLM judges and the human ceiling", _CARD),
    GalleryChart("Inter-annotator agreement", _AGREEMENT),
    GalleryChart("Prediction of human preferences", _PREFERENCES),
    GalleryChart("Annotators and traits", _ANNOTATIONS),
    GalleryChart("Violation detection", _VIOLATIONS),
    GalleryChart("RAG robustness to noise", _RAG),
)
PAGES = {"page": ("preferences", 1280, 900), "phone": ("reliability", 420, 900)}
"""Pictures of pages: name -> the page of `make_screenshots.py`, its width, and how much of it."""
EXPLORER = DOCS / "images" / "explorer.png"


def gallery_page() -> str:
    """The page."""
    return "\n\n".join(_blocks()) + "\n"


def _blocks() -> Iterator[str]:
    yield "# Gallery"
    yield (
        "Every report has one chart, drawn here from `examples/` by the command below it. The page opens with it, "
        "`--output FILE.png`, `.svg` or `.pdf` saves it, and `report.plot()` returns it as an Altair object. In a "
        'notebook without a network, first call `altair.renderers.enable("svg")`.'
    )
    yield (
        "Blue is not significantly worse than the best, orange is significantly worse, and grey is a reference or not "
        "significant. Other colours and shapes show which judge a point belongs to. Bars are 95% confidence intervals. "
        "On a page, hover over a point for its interval and n."
    )
    yield "## The page"
    yield "The first screen on two systems: verdict, chart, findings, cautions and next steps."
    yield "![Two systems that predict preferences, on a page](pictures/page.png)"
    yield "The first screen on annotators, on a phone."
    yield "![Four annotators on a page, as narrow as a phone](pictures/phone.png)"
    yield "## Charts"
    for one in GALLERY:
        yield f"### {one.title}"
        yield f"![{one.title}](pictures/{one.name})"
        yield f"    {one.line}"


def draw() -> None:
    """Draw all charts and screenshots."""
    import os
    import runpy
    from tempfile import TemporaryDirectory

    from click.testing import CliRunner
    from playwright.sync_api import sync_playwright

    from adjudge.cli import ADJUDGE

    PICTURES.mkdir(exist_ok=True)
    os.chdir(DOCS.parent)
    for one in GALLERY:
        words = [*shlex.split(one.command), "--output", str(PICTURES / one.name)]
        done = CliRunner().invoke(ADJUDGE, words)
        if done.exit_code:
            raise SystemExit(done.output)
    screenshots = runpy.run_path(str(DOCS / "make_screenshots.py"))
    pages, serving, arrived, chromium = (screenshots[name] for name in ("PAGES", "serving", "arrived", "CHROMIUM"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (of, width, height) in PAGES.items():
            with TemporaryDirectory() as folder:
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(pages[of](Path(folder)))
                page.screenshot(path=PICTURES / f"{name}.png")
        with serving(Path("examples/reliability/votes.json")) as (address, _):
            page = browser.new_page(viewport={"width": 1280, "height": 1120})
            arrived(page, f"{address}/?of-point=ben&of-judge=ben")
            page.wait_for_timeout(500)  # tables and charts are drawn after they are there
            page.screenshot(path=EXPLORER)
        browser.close()


if __name__ == "__main__":
    draw()
    (DOCS / "gallery.md").write_text(gallery_page(), encoding="utf-8")
