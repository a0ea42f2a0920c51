"""The code stays small and its names plain: budgets per package, unique class names, no vague names.

A budget is what stands today. It may only fall: a test fails when code is well below its budget, so that the budget
is lowered in the same commit. Lines are lines of code: no blanks, comments and docstrings. Characters are counted too,
so that packing lines saves nothing.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "adjudge"

LINES_AND_CHARACTERS = {
    "api": (1_619, 77_401),
    "cli": (590, 29_395),
    "core": (984, 45_147),
    "evaluations": (9_026, 469_813),
    "explorer": (1_291, 61_140),
    "gates": (241, 12_699),
    "llm": (2_548, 119_509),
    "metrics": (2_599, 138_178),
    "options": (556, 25_695),
    "profiling": (749, 46_798),
    "readers": (5_995, 335_498),
    "render": (2_792, 156_913),
    "runners": (218, 8_717),
    "schemas": (449, 21_903),
    "statistics": (2_584, 123_652),
    "text": (749, 38_599),
    "writers": (279, 14_438),
}
"""Package -> the most lines and characters of code. `core` holds the modules beside the packages."""
TEST_LINES = 33_000
DOC_WORDS = 33_137
MODULES = 289

LONGEST_MODULE = 400
SHORTEST_MODULE = 40
DECLARATIONS = {"__init__", "__main__", "version", "declaration", "charts", "metrics", "sections", "simulate"}
"""Modules of these names may be short, and so may the readers of single tools."""
STILL_SHORT = {
    "core": 1,
    "evaluations": 2,
    "explorer": 1,
    "readers": 1,
    "render": 4,
    "schemas": 3,
    "text": 2,
    "writers": 1,
}
"""Package -> how many other modules are shorter; none elsewhere."""
STILL_VAGUE = {"cli": 1, "core": 1, "llm": 19, "options": 5, "profiling": 1, "readers": 19, "render": 12}
"""Package -> how many vague names it still has; none elsewhere."""

VAGUE = frozenset(
    """
    said told found held kept made given own theirs apart beside together worth sure shown counted known named plain
    asked alike unlike within other others each one both either neither moves sides signs saying oddities reservations
    openings breaks drawn joined reached begun ended left lost put set_ taken used seen spoken written wanted meant
    moved turned away beyond elsewhere besides likewise throughout whoever
    checked scored marked chosen listed holds filled labelled numbered whole judged opened once lacking compared gathered
    coded tested explained between differing picked fits alone declared summed same against where more merged parsed
    changed quoted everyone few clustered around flat most why called among every least repeated refused bare worded
    ranked embedded placed mapped parted says escaped saved grouped added stacked nothing swapped powered some further
    rounded several dropped nested signed located decoded visible who at how of started stepped lettered
    """.split()  # noqa: SIM905 - a list of words reads as words
)
"""Whole names of functions and modules that tell a stranger nothing: bare participles, adverbs, pronouns."""


class Module(NamedTuple):
    """A module: its package, and its code without blanks, comments and docstrings."""

    path: Path
    package: str
    tree: ast.Module
    lines: int
    characters: int

    @property
    def name(self) -> str:
        return str(self.path.relative_to(PACKAGE))


@cache
def modules() -> tuple[Module, ...]:
    return tuple(map(read_module, sorted(PACKAGE.rglob("*.py"))))


def read_module(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    code = {place for place, line in enumerate(lines) if line.strip() and not line.strip().startswith("#")}
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for part in body if isinstance(body, list) else ():
            if (
                isinstance(part, ast.Expr)
                and isinstance(part.value, ast.Constant)
                and isinstance(part.value.value, str)
            ):
                code -= set(range(part.lineno - 1, part.end_lineno or part.lineno))
    top = path.relative_to(PACKAGE).parts[0]
    return Module(
        path, "core" if top.endswith(".py") else top, tree, len(code), sum(len(lines[place].strip()) for place in code)
    )


def definitions(kind: type | tuple[type, ...]) -> Iterator[tuple[Module, str]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, kind):
                yield module, node.name


def check_budget(what: str, size: int, budget: int) -> None:
    """Fails above the budget, and where it could be lowered by a fiftieth or more."""
    assert size <= budget, f"{what}: {size:,} of {budget:,}; remove something, a budget may only fall"
    assert size >= 0.98 * budget - 1, f"{what}: only {size:,} of {budget:,}; lower the budget to {size:,}"


def check_counts(found: dict[str, list[str]], still: dict[str, int]) -> None:
    for package in {**found, **still}:
        count, most = len(found.get(package, [])), still.get(package, 0)
        assert count <= most, f"{package}: {count} instead of {most}: {', '.join(found[package])}"
        assert count == most, f"{package}: lower {most} to {count}"


@pytest.mark.parametrize("package", sorted(LINES_AND_CHARACTERS))
def test_a_package_stays_within_its_budget(package: str) -> None:
    lines, characters = LINES_AND_CHARACTERS[package]
    check_budget(f"lines of {package}", sum(module.lines for module in modules() if module.package == package), lines)
    check_budget(
        f"characters of {package}",
        sum(module.characters for module in modules() if module.package == package),
        characters,
    )


def test_modules_tests_and_docs_stay_within_their_budgets() -> None:
    assert {module.package for module in modules()} == LINES_AND_CHARACTERS.keys()
    check_budget("modules", len(modules()), MODULES)
    check_budget(
        "lines of tests", sum(path.read_bytes().count(b"\n") for path in (ROOT / "tests").rglob("*.py")), TEST_LINES
    )
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.parts]  # scripts write these
    check_budget("words of docs", sum(len(path.read_text(encoding="utf-8").split()) for path in pages), DOC_WORDS)


def test_no_module_is_long() -> None:
    assert [module.name for module in modules() if module.lines > LONGEST_MODULE] == []


def test_the_reader_of_a_json_tool_is_short() -> None:
    of_text = {"token_files", "webanno_tsv", "brat"}
    tools = [module for module in modules() if "tools" in module.path.parts and module.path.stem not in of_text]
    assert [module.name for module in tools if module.lines > 60] == []


def test_no_module_is_a_scrap() -> None:
    short = defaultdict(list)
    for module in modules():
        exempt = module.path.stem in DECLARATIONS or "tools" in module.path.parts
        if module.lines < SHORTEST_MODULE and not exempt:
            short[module.package].append(module.name)
    check_counts(short, STILL_SHORT)


def test_functions_and_modules_have_names_that_say_what_they_are() -> None:
    vague = defaultdict(list)
    for module in modules():
        if module.path.stem in VAGUE:
            vague[module.package].append(module.name)
    for module, name in definitions((ast.FunctionDef, ast.AsyncFunctionDef)):
        if name.strip("_") in VAGUE:
            vague[module.package].append(f"{module.name} {name}")
    check_counts(vague, STILL_VAGUE)


def test_the_name_of_a_class_or_type_stands_for_one_thing() -> None:
    meanings = defaultdict(list)
    for module, name in definitions(ast.ClassDef):
        meanings[name].append(f"a class of {module.name}")
    for node in (node for module in modules() for node in module.tree.body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name, meaning = ast.unparse(target), ast.unparse(node.value)
            if re.fullmatch(r"_?[A-Z](\w*[a-z]\w*)?", name) and meaning not in meanings[name]:
                meanings[name].append(meaning)
    assert {name: several for name, several in meanings.items() if len(several) > 1} == {}


def attributes(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """Names of the fields, methods and arguments of a class and its bases."""
    names = {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef):
            arguments = (*part.args.args, *part.args.kwonlyargs) if part.name == "__init__" else ()
            names.update((part.name, *(one.arg for one in arguments)))
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            names.add(part.attr)
    bases = (base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes)
    return names.union(*(attributes(classes[base], classes) for base in bases))


def test_docstrings_of_classes_describe_fields_that_exist() -> None:
    nodes = [node for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    classes, missing = {node.name: node for node in nodes}, []
    for node in nodes:
        text = " ".join((ast.get_docstring(node) or "").split())
        for words in re.findall(r"(?:^|[.,;] )((?:\w+, )*\w+): (?!//)", text):
            missing += [f"{node.name}: {one}" for one in words.split(", ") if one not in attributes(node, classes)]
    assert missing == []


def test_vague_names_are_found() -> None:
    assert {"said", "found", "told"} <= VAGUE
    assert all(re.fullmatch("[a-z0-9_]+", word) for word in VAGUE)
