"""What the documentation shows is what happens."""

import doctest
import os
import re
import runpy
import sys
import tomllib
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

import adjudge as library
from adjudge.cli import QUESTIONS
from adjudge.cli.command import Command
from adjudge.evaluations import declaration_of
from made_pages import Answering, code_lines, cut, lay_out, looked_at, run, run_python, steps

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [path for path in sorted((ROOT / "src").rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
"""Modules whose docstrings have some. Those of the explorer are tried in tests/explorer."""


@pytest.mark.parametrize(
    ("name", "script", "written"),
    [
        ("commands.md", "make_commands.py", "commands_page"),
        ("python.md", "make_python.py", "python_page"),
        ("formats.md", "make_tables.py", "formats_page"),
        ("caveats.md", "make_tables.py", "caveats_page"),
    ],
)
def test_a_generated_page_is_that_of_today(name, script, written):
    page = runpy.run_path(str(ROOT / "docs" / script))[written]()
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == page, f"run docs/{script}"


@pytest.mark.parametrize("path", [one for one in SOURCES if "explorer" not in one.parts], ids=lambda one: one.stem)
def test_examples_in_docstrings_hold(path):
    name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    found = doctest.testmod(import_module(name))
    assert (found.attempted > 0, found.failed) == (True, 0)


def test_what_packages_say_of_adjudge_is_what_the_project_says():
    """The recipe of conda, the citation and the page on dependencies name its version and what it needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe, citation, page = (
        (ROOT / path).read_text(encoding="utf-8")
        for path in ("packaging/conda/meta.yaml", "CITATION.cff", "docs/reference/dependencies.md")
    )
    needed = re.findall(r"^    - (.+)$", recipe.partition("  run:")[2].partition("\ntest:")[0], re.MULTILINE)
    python = f"python {project['requires-python']}"
    assert needed == [python, *(one.replace(">=", " >=") for one in project["dependencies"])]
    assert f'version = "{library.__version__}"' in recipe
    assert f"version: {library.__version__}\n" in citation
    extras = [some for name, some in project["optional-dependencies"].items() if name not in ("all", "dev", "docs")]
    assert all(f"`{one}`" in page for one in (*project["dependencies"], *(one for some in extras for one in some))), (
        "run docs/make_dependencies.py"
    )


def test_the_gallery_shows_the_pictures_that_its_script_draws():
    """Each is there, and stands on the page with the command that draws it."""
    script = runpy.run_path(str(ROOT / "docs" / "make_gallery.py"))
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert page == script["gallery_page"](), "run docs/make_gallery.py"
    drawn = {one.name for one in script["GALLERY"]} | {f"{name}.png" for name in script["PAGES"]}
    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} == drawn


def test_the_site_leads_to_every_page():
    """`make docs` makes the last four of pages outside docs/."""
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(pages | {"index.md", "promises.md", "CONTRIBUTING.md", "CHANGELOG.md"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_sound_markdown(page):
    """What is wrong in Markdown, or in that of the site."""
    text = page.read_text(encoding="utf-8")
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (page.parent / link).exists()] == []
    # what is indented right behind a sentence is part of it
    lines = pairwise(text.splitlines())
    assert [line for before, line in lines if line.startswith("    adjudge ") and before[:1].strip()] == []
    # what stands outside of code in angle brackets is a tag for a browser, which hides it; anchors are meant
    prose = re.sub(r"^ *```.*?^ *```|`[^`]+`", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"<(?!a id=|/a>)/?[a-z][^>\n]*>", prose, re.IGNORECASE) == []
    # by fewer than four spaces, or with no empty line behind it, the rest of a list becomes one line of text
    unfenced = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\n\n {1,3}\S.*|\n\n    [^- ].*(?:\n    .*)*\n- .*", unfenced) == []


def test_the_site_measures_every_picture_of_a_page():
    """Pictures lie in several folders. A page finds them as it names them, the README as the first page of the site."""
    change = runpy.run_path(str(ROOT / "docs" / "site_hooks.py"))["on_page_content"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for named in re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", text):
        picture = named.removeprefix("docs/")
        width = int(re.search(r' width="(\d+)"', (ROOT / "docs" / picture).read_text(encoding="utf-8"))[1])
        changed = change(f'<p><img alt="what it shows" src="{picture}" /></p>')
        assert ('<img class="whole" alt=' in changed) is (width <= 540)


STEPS = {page: steps(page.read_text(encoding="utf-8")) for page in PAGES if page.name != "judges.md"}
"""Page -> what happens on it; `tests/llm/test_tutorial.py` runs the tutorial on judges."""
DEMO = "adjudge demo --folder trial"
TESTED_APART = {("CONTRIBUTING.md", "python"), ("architecture.md", "output"), ("commands.md", DEMO)}
"""What other tests run, and what shows no output."""
ENDS_WITH = {
    # quick lacks labels, which cannot be guessed
    "adjudge preferences check examples/preferences/quick.tsv --gold examples/preferences/gold.jsonl --fix quick.tsv": 1,
    # gates that fail
    "adjudge reliability examples/reliability/votes.json --fail-under reliability=0.6 --bound worst --quiet": 3,
    "adjudge reliability examples/reliability/votes.json --fail-under reliability=0.7"
    ' --fail-under "kappa[annotator=dev]=0.4"': 3,
    "adjudge card examples/card/labels.csv --judges steady,hasty --run-column draw --fail-unless-noninferior agreement:0.05": 3,
}
"""Commands that do not end with status 0, and how they end. Their pages say so."""


@pytest.mark.parametrize("page", [page for page, found in STEPS.items() if found], ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_they_are_printed(adjudge, capsys, monkeypatch, tmp_path, page):
    """All of them and all Python, from the first to the last, each with the files that those above it wrote.

    A block of text is the output of what is above it; with UPDATE_PAGES=1 the page is written anew.
    Pictures are tested elsewhere, as are models, for which a script answers, and the explorer.
    """
    monkeypatch.setattr("adjudge.llm.inspecting.InspectAsker", Answering)
    monkeypatch.setattr("adjudge.explorer.serve", looked_at)
    for name in ("mlflow", "wandb"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    lay_out(page, tmp_path, adjudge)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    failed, output = [], ""
    for kind, code in STEPS[page]:
        if TESTED_APART & {(page.name, kind), (page.name, code)}:
            continue
        if kind == "file":
            Path(code.split()[1]).write_text(code, encoding="utf-8")
        elif kind == "python":
            run_python(code, names)
            output = capsys.readouterr().out
        elif kind == "output" and (today := cut(output, code)) != code:
            failed.append(f"shown:\n{code}\nprinted:\n{today}")
            text = text.replace(f"```text\n{code}```", f"```text\n{today}```", 1)
        elif kind == "command":
            status, out, error = run(adjudge, code)
            output = out or error
            failed += [f"{code}\nended with {status}: {error}"] if status != ENDS_WITH.get(code, 0) else []
    if os.environ.get("UPDATE_PAGES"):
        page.write_text(text, encoding="utf-8")
    assert not failed, "\n\n".join(failed)
    words = " ".join(text.split())
    assert [one for _, one in STEPS[page] if one in ENDS_WITH and f"status {ENDS_WITH[one]}" not in words] == []


def test_commands_within_a_sentence_exist():
    """They are not run; their names and options are those of today."""
    options = {name: {flag for one in Command(name).params for flag in one.opts} for name in QUESTIONS}
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for line in re.findall(r"`adjudge\s([a-z][^`]+)`", text):
        name = max((one for one in QUESTIONS if f"{line} ".startswith(f"{one} ")), key=len)
        known = {"--help", "--help-all", *options[name]}
        assert {word.split("=")[0] for word in line.split() if word.startswith("--")} <= known, line


def test_recipes_are_short():
    page = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    recipes = re.sub(r"^```text\n.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL).split("\n## ")[1:]
    assert len(recipes) == 20
    assert max(len([*code_lines(one)]) for one in recipes) <= 10


def test_the_json_in_the_formats_is_read(written):
    page = (ROOT / "docs" / "input.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert library.reliability(written(example)).counts["judgments"] == 3


def test_every_metric_and_table_is_explained_in_its_page():
    from adjudge.evaluations import NAMES, declaration_of

    for name in NAMES:
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        about = declaration_of(name)
        missing = [word for word in (*about.metrics, *about.tables) if f"`{word}`" not in page and word != "truth"]
        assert not missing


def test_the_page_on_privacy_speaks_of_every_command():
    page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    assert not [command for command in QUESTIONS if f"`{command}" not in page]


@pytest.mark.parametrize(("table", "page"), [("comparison", "compare"), ("history", "history")])
def test_every_table_of_reports_on_several_runs_is_explained_in_its_page(table, page):
    from adjudge.evaluations import run_variants

    words = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    about = declaration_of("reliability")
    own = run_variants()[table](about).tables.keys() - about.tables.keys()
    assert not [name for name in own if f"`{name}`" not in words]


def test_every_package_stands_in_the_architecture_page():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = {path.name for path in (ROOT / "src" / "adjudge").iterdir()} - {"__pycache__", "py.typed"}
    known -= {"__init__.py", "__init__.pyi", "__main__.py"}
    assert not {name for name in known if f"`{name}`" not in page and f"`{name}/`" not in page}
