"""Nothing of the data reaches what streamlit reads as Markdown or HTML but through `markup`."""

import ast
import doctest
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

import adjudge.explorer
from adjudge.explorer import files, markup
from adjudge.explorer.markup import escape_markdown, label

SAID = {
    *("markdown", "write", "write_stream", "caption", "html", "latex", "title", "header", "subheader", "toast"),
    *("error", "warning", "info", "success", "exception", "badge", "echo", "link_button", "page_link"),
}
"""What streamlit reads as Markdown or HTML, or lets one follow."""
LABELLED = {
    *("button", "download_button", "toggle", "checkbox", "radio", "pills", "segmented_control", "selectbox"),
    *(
        "multiselect",
        "text_input",
        "text_area",
        "number_input",
        "slider",
        "select_slider",
        "tabs",
        "expander",
        "metric",
    ),
}
"""What has a label, which is Markdown."""


def calls():
    for path in Path(adjudge.explorer.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield path.name, node


def test_markup_alone_writes_what_is_read_as_markdown_or_html():
    found = [
        f"{name}:{node.lineno} {node.func.attr}"
        for name, node in calls()
        if node.func.attr in SAID and ast.unparse(node.func.value) not in {"markup", "sys.stderr"}
        if name != "markup.py"
    ]
    assert not found, "\n".join(found)


def test_labels_are_our_own_words_or_escaped():
    """A label is a text that stands in the code, or what `markup.label` or `markup.escape_markdown` makes of one."""

    def is_safe(node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in {
                "markup.label",
                "markup.escape_markdown",
            }
        if isinstance(node, ast.IfExp):
            return is_safe(node.body) and is_safe(node.orelse)
        return isinstance(node, ast.Constant)

    found = [
        f"{name}:{node.lineno} {ast.unparse(node.args[0])}"
        for name, node in calls()
        if node.func.attr in LABELLED and node.args and not is_safe(node.args[0])
        if ast.unparse(node.args[0]) not in OURS and ast.unparse(node.func) != "table.metric"
    ]
    assert not found, "\n".join(found)


OURS = {"label", "title", "ending.upper()", "f'Page, 1 to {pages:,}'"}
"""Labels made of names that stand in the code."""


def test_a_download_leaves_the_page_as_it_is():
    """The file is thrown away where the page is made again before the browser has fetched it."""
    found = [node for _, node in calls() if node.func.attr == "download_button"]
    assert found
    for node in found:
        assert any(ast.unparse(one) == "on_click='ignore'" for one in node.keywords), ast.unparse(node)


def test_text_of_data_is_neither_a_link_nor_an_image_nor_markup():
    hostile = "![x](http://a.b) [y](javascript:z) <script> **b** :red[c] $d$ \u202e\x1b"
    shown = escape_markdown(hostile)
    assert "](" not in shown
    assert "<script" not in shown.replace("\\<", "")
    assert "[RLO]" in shown.replace("\\", "")
    assert "\u202e" not in shown
    assert len(label("x" * 1_000_000)) < 100


def test_examples_in_docstrings_hold():
    for module in (files, markup):
        found = doctest.testmod(module)
        assert (found.attempted > 0, found.failed) == (True, 0)
