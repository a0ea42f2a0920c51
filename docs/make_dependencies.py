"""Writes docs/reference/dependencies.md: run-time dependencies as installed here: version, licence, size, reason."""

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
WHY = {
    "polars": "tables: reading, joining, counting",
    "numpy": "metrics, intervals and tests",
    "rapidfuzz": "distances of texts: near matches of answers and spans",
    "click": "the command line",
    "rich": "tables in the terminal, progress",
    "jinja2": "pages, and prompts",
    "altair": "charts: their declaration",
    "vl-convert-python": "charts as PNG, SVG and PDF, without a browser",
    "streamlit": "the explorer, `adjudge view`",
    "transformers": "models for BERTScore",
    "torch": "models for BERTScore and sentence encoders",
    "sentence-transformers": "sentence encoders",
    "scikit-learn": "calibration of matching",
    "crowd-kit": "GLAD and MACE",
    "fastexcel": "reading Excel",
    "xlsxwriter": "writing Excel",
    "msgspec": "JSON: records one by one, checked and with their place",
    "jq": "`--jq`: any JSON, as a program of the user's reads it",
    "zstandard": "reading .zst",
    "inspect-ai": "asking language models",
    "openai": "the client of servers that speak OpenAI's protocol",
    "spacy": "reading spaCy's .spacy files",
    "ray": "counting on many hosts",
}
LOOKED_UP = {"agent-client-protocol": "Apache-2.0"}
"""Licences that packages hold in a file and do not name in their description."""
PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software|Unlicense|Zlib|0BSD|CC0|HPND|Artistic|MPL|Mozilla", re.IGNORECASE
)
"""MPL-2.0 asks for its own files alone to stay open; nothing here changes or holds any of them."""


def named(name: str) -> str:
    """A name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(of: Distribution) -> str:
    """What a package says of its licence."""
    about = of.metadata
    listed = [one.split("::")[-1].strip() for one in about.get_all("Classifier") or [] if one.startswith("License ::")]
    said = (
        LOOKED_UP.get(named(of.name))
        or about.get("License-Expression")
        or ", ".join(listed)
        or (about.get("License") or "").partition("\n")[0]
    )
    return said.strip() or "not said"


def megabytes(of: Distribution) -> float:
    """The size of its files."""
    places = (Path(str(file.locate())) for file in of.files or [])
    return sum(place.stat().st_size for place in places if place.is_file()) / 1e6


def needed(name: str) -> dict[str, Distribution]:
    """A package with all that it needs, as far as that is installed."""
    found: dict[str, Distribution] = {}
    wanted = [Requirement(name)]
    while wanted:
        one = wanted.pop()
        if named(one.name) in found:
            continue
        try:
            found[named(one.name)] = held = distribution(one.name)
        except PackageNotFoundError:
            continue
        for text in held.requires or []:
            further = Requirement(text)
            extras = ["", *one.extras]
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                wanted.append(further)
    return found


def rows(requirements: list[str], base: set[str]) -> list[str]:
    """A row of the table for each. base: what is there without them."""
    lines = []
    for text in requirements:
        asked = Requirement(text)
        all_of = needed(text)
        own = all_of[named(asked.name)]
        others = {name: one for name, one in all_of.items() if name != named(asked.name) and name not in base}
        size = megabytes(own) + sum(map(megabytes, others.values()))
        with_ = f"{len(others)} more" if len(others) > 6 else ", ".join(sorted(others)) or "nothing"  # noqa: PLR2004
        cells = [f"`{text}`", own.version, licence(own), f"{size:,.0f} MB" if size >= 1 else "< 1 MB", WHY[asked.name]]
        lines.append(f"| {' | '.join(cells)} | {with_} |")
    return lines


def dependencies_page() -> str:
    """The page; raises ValueError for a licence that nobody has looked at."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: [one for one in some if not one.startswith("adjudge[")]
        for name, some in project["optional-dependencies"].items()
        if name not in ("dev", "docs", "all")
    }
    base = {name for one in project["dependencies"] for name in needed(one)}
    head = [
        "| asked for | tried with | licence | size, with what it brings | why | brings |",
        "|---|---|---|---|---|---|",
    ]
    listed = [*head, *rows(project["dependencies"], set())]
    for name, some in extras.items():
        listed += ["", f"With `adjudge[{name}]`:", "", *head, *rows(some, base)]
    every = {
        name: one
        for some in [project["dependencies"], *extras.values()]
        for text in some
        for name, one in needed(text).items()
    }
    odd = {name: licence(one) for name, one in sorted(every.items()) if not PERMISSIVE.search(licence(one))}
    if odd:
        raise ValueError(f"expected permissive licences; got {odd}")
    return "\n".join([INTRODUCTION, *listed, "", FURTHER])


INTRODUCTION = """# Dependencies

Written by `docs/make_dependencies.py` from what is installed: the range that `pyproject.toml` declares, the version
with which all tests run (`constraints.txt`), the licence as the package says it. `make floors` tries the least versions
of those that every installation has. All licences are permissive, or, of packages
that these bring, MPL-2.0. Extras are installed with `pip install '.[NAME]'` in a checkout.
"""
FURTHER = """## Known vulnerabilities

The least versions exclude those with vulnerabilities that matter here:

- jinja2 before 3.1.6: templates could leave their sandbox.
- torch before 2.8: a model file could run code.
- scikit-learn before 1.5: words of training data in a model.

Adjudge calls neither `torch.load` nor pickle itself. `pip-audit` compares what is installed with the database of known
vulnerabilities, and needs a network:

    pip install pip-audit && pip-audit --requirement constraints.txt --no-deps
"""

if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "dependencies.md").write_text(dependencies_page(), encoding="utf-8")
