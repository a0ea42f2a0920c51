"""Draws docs/pictures from the files in examples/, and writes docs/gallery.md, which shows them.

It draws docs/images/explorer.png, too. The pictures of pages need Chromium (see `make_screenshots.py`).
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
class Shown:
    """A picture of the gallery: what it answers, the command that draws it, and the name of its chart."""

    question: str
    command: str
    chart: str

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.command.split()[0]}-{self.chart}.svg"

    @property
    def line(self) -> str:
        """The whole command."""
        return f"adjudge {self.command} --chart {self.chart} --output {self.name}"


GALLERY = (
    Shown("How far does each annotator agree with the trusted one, and how sure is that?", _RELIABILITY, "intervals"),
    Shown("Who is good at what, at a glance?", _RELIABILITY, "matrix"),
    Shown("Does a judge agree with people as often as they do with one another?", _CARD, "ceiling"),
    Shown("How far do annotators agree, where nobody is trusted?", _AGREEMENT, "intervals"),
    Shown("Whose labels tell something of the items?", _AGREEMENT, "informedness"),
    Shown("Which system predicts best what people prefer?", _PREFERENCES, "accuracy"),
    Shown("Which system is good at what, where many are compared?", _PREFERENCES, "glance"),
    Shown("Which labels are taken for which?", _PREFERENCES, "confusion"),
    Shown("Which ranks may each system have?", _PREFERENCES, "rank-sets"),
    Shown("Which traits do votes reward?", _ANNOTATIONS, "strength"),
    Shown("Who votes alike, and who against one another?", _ANNOTATIONS, "matrix"),
    Shown("Do votes depend on position or length?", _ANNOTATIONS, "bias"),
    Shown("Which checker finds most, and which invents least?", _VIOLATIONS, "figures"),
    Shown("Which rules are found?", _VIOLATIONS, "by-rule"),
    Shown("What does noise cost each model?", _RAG, "noise"),
    Shown("Where does each model fail?", _RAG, "abilities"),
    Shown("What becomes of the answers?", _RAG, "outcomes"),
)
PAGES = {"page": ("preferences", 1280, 1090), "phone": ("reliability", 420, 900)}
"""Pictures of pages: name -> the page of `make_screenshots.py`, its width, and how much of it."""
EXPLORER = DOCS / "images" / "explorer.png"


def gallery_page() -> str:
    """The page."""
    return "\n\n".join(_blocks()) + "\n"


def _blocks() -> Iterator[str]:
    yield "# Gallery"
    yield (
        "All pictures are drawn from the files in `examples/` by `docs/make_gallery.py`. `--chart NAME` chooses one, "
        "`--output FILE.png`, `.svg` or `.pdf` says where it goes; a page (`--output FILE.html`) holds all that apply. "
        'From Python: `report.plot("NAME")` is an altair chart, which a notebook without a network shows after '
        '`altair.renderers.enable("svg")`.'
    )
    yield (
        "A hollow point carries a note; a grey one is not shown to differ from 0. A dashed line is the figure of all "
        "judgments together, or the best baseline. On a page each picture has a caption that says which."
    )
    yield "## The page"
    yield "The head of a page on two systems: the summary, then the leaderboard."
    yield "![Two systems that predict preferences, on a page](pictures/page.png)"
    yield "The head of a page on annotators, on a phone."
    yield "![Four annotators on a page, as narrow as a phone](pictures/phone.png)"
    yield "## Pictures"
    for one in GALLERY:
        yield f"### {one.question}"
        yield f"![{one.question}](pictures/{one.name})"
        yield f"    {one.line}"


def draw() -> None:
    """Draw all pictures."""
    import os
    import runpy
    from tempfile import TemporaryDirectory

    from click.testing import CliRunner
    from playwright.sync_api import sync_playwright

    from adjudge.cli import ADJUDGE

    PICTURES.mkdir(exist_ok=True)
    os.chdir(DOCS.parent)
    for one in GALLERY:
        words = [*shlex.split(one.command), "--chart", one.chart, "--output", str(PICTURES / one.name)]
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
            arrived(page, address)
            page.wait_for_timeout(500)  # tables and pictures are drawn after they are there
            page.screenshot(path=EXPLORER)
        browser.close()


if __name__ == "__main__":
    draw()
    (DOCS / "gallery.md").write_text(gallery_page(), encoding="utf-8")
