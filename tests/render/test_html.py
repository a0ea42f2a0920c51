import re
from base64 import b64encode
from collections import Counter
from dataclasses import fields, replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import polars as pl
import pytest

import adjudge
from adjudge.estimate import Caveat
from adjudge.render.examples import titled_examples
from adjudge.render.html import report_fragment, report_page, unbroken
from adjudge.render.numbers import plain_words
from adjudge.report import GateResult, Input, Items, Report, typed_table
from made import EXAMPLES
from made_reports import made_report

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</style><b>bold</b>",
    "</svg></title></details></table><i>out</i>",
    "{{ 7 * 7 }}{% raw %}<!--",
    "nul \x00 escape \x1b[31m delete \x7f half \ud800 override \u202e",
    "x" * 300,
    "]]>&lt;&amp;&#60;",
)
OURS = {"metric", "outcome", "part", "caveat"}
VOID = {"meta", "wbr", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Elements with their attributes, whether they are closed in order, and the text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.text, self.wrong = [], [], [], []
        self.feed(html)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text.append(data)

    def kinds(self):
        return {(tag, name) for tag, attributes in self.elements for name in (None, *attributes)}

    def all_text(self):
        return " ".join(" ".join(self.text).split())


def changed(report, **values):
    return Report(**{one.name: getattr(report, one.name) for one in fields(Report)} | values)


def judgments(annotators, labels, text="a text", items=8):
    rows = [
        {
            "item": f"i{item}",
            "annotator": name,
            "label": labels[(item * number) % len(labels)],
            "flag": "yes" if item == number else "no",
            "reference": labels[item % len(labels)],
            "reference_flag": "yes" if item == 1 else "no",
            "skipped": "yes" if item == 2 + number else "no",
            "text": text,
        }
        for number, name in enumerate(annotators)
        for item in range(items)
    ]
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def report():
    return adjudge.reliability(judgments(["ann", "bob", "eve"], ["a", "b", "tie"]))


@pytest.fixture(scope="module")
def html(report):
    return report_page([report])


def spoilt(report, text):
    """The report with a text in the place of every text that comes from data, options, files or messages."""
    storable = text.replace("\ud800", "")  # half a character cannot come from a table, but from a file's name
    name = text.replace("\0", "")  # which cannot hold this one

    def frame(table):
        names = [name for name, dtype in table.schema.items() if dtype == pl.String and name not in OURS]
        return table.with_columns((storable + pl.col(name).rank("dense").cast(pl.String)).alias(name) for name in names)

    examples = frame(report.examples).with_columns(pl.lit(storable * 30).alias("long"), pl.lit("x").alias(storable))
    return changed(
        report,
        tables={name: frame(table) for name, table in report.tables.items()},
        signature=f"{text}|{text}",
        inputs=(Input(name, text, 3),),
        counts={text: 1, f"dropped for {text}": 2},
        options={**report.options, "labels": [text]},
        examples=examples,
        outcomes=Items(report.outcomes.first, 3, name, text),
        adjudge=text,
        warnings=(text,),
        notes=(text,),
        command=text,
    )


@pytest.fixture(scope="module")
def harmless(report):
    """The kinds of elements and attributes in a page and in a fragment whose texts are harmless."""
    spoilt_so = spoilt(report, "harmless " * 40)
    return Page(report_page([spoilt_so])).kinds(), Page(report_fragment(spoilt_so)).kinds()


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_from_data_becomes_an_element_or_an_attribute(report, harmless, number):
    bad = spoilt(report, HOSTILE[number])
    for html, kinds in zip((report_page([bad]), report_fragment(bad)), harmless, strict=True):
        page = Page(html)
        assert page.wrong == []
        # titles of axes are set in lines, short ones not
        assert page.kinds() <= kinds | {("bdi", "title"), *(("tspan", name) for name in (None, "x", "dy"))}
        assert not {"img", "b", "i"} & {tag for tag, _ in page.elements}
        assert [tag for tag, _ in page.elements].count("script") == html.startswith("<!DOCTYPE")  # the page's own


def test_a_table_of_contents_is_as_safe(report):
    page = Page(report_page([spoilt(report, text) for text in HOSTILE[:2]]))
    assert page.wrong == []
    assert not {"img", "b", "i"} & {tag for tag, _ in page.elements}
    links = {attributes["href"] for _, attributes in page.elements if "href" in attributes}
    assert {"#r1", "#r2"} <= links <= {f"#{attributes['id']}" for _, attributes in page.elements if "id" in attributes}


def test_control_characters_are_shown_as_signs_and_the_page_can_be_encoded(report):
    page = report_page([spoilt(report, HOSTILE[7])])
    page.encode()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", page)
    assert "nul ␀ escape ␛[31m delete \ufffd half \ufffd" in page


def test_the_page_asks_for_nothing_from_outside_and_runs_its_own_script_alone(html):
    page = Page(html)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "srcset", "action", "data", "poster", "background", "ping", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert not {"link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.elements}
    (script,) = re.findall("<script>(.*?)</script>", html, flags=re.DOTALL)
    known = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{known}'" in html
    assert "@import" not in html
    addresses = set(re.findall(r"\bhttps?://[^\s\"'<)]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert all(link.startswith("#") for link in re.findall(r"url\(([^)]*)\)", html))
    assert "default-src 'none'" in html


@pytest.mark.usefixtures("charts")
def test_the_same_report_gives_the_same_page_also_when_read_back_from_json(report, html, tmp_path):
    report.save(tmp_path / "report.json")
    assert html == report_page([report]) == report_page([Report.load(tmp_path / "report.json")])


def test_the_page_says_all_that_the_report_holds(report, html):
    text = Page(html).all_text()
    assert report.signature in "".join(Page(html).text)
    for said in (report["annotators"]["annotator"][0], "few items", "Wilson", report.adjudge):
        assert said in text
    for metric in ("Reliability", "Flag mismatch", "Cohen's kappa", "Items", "Flagged by the reference"):
        assert metric in text
    assert report.inputs[0].sha256[:12] in text
    assert f'title="{report.inputs[0].sha256}"' in html
    for note in report.notes:
        assert note in text


def test_headings_skip_no_level_and_ids_are_unique(report):
    for reports in ([report], [report, report]):
        page = Page(report_page(reports))
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
        assert set(ids.values()) == {1}


def test_a_page_lists_its_reports_and_each_report_its_sections(report, html):
    several, single = Page(report_page([report, report])), Page(html)
    links = [attributes["href"] for tag, attributes in several.elements if tag == "a"]
    assert [link for link in links if not link.startswith(("#note-", "#item="))] == ["#r1", "#r2"]
    of_single = [attributes["href"] for tag, attributes in single.elements if tag == "a"]
    assert of_single[:5] == [f"#r1-{name}" for name in ("results", "comparisons", "errors", "data", "method")]
    for page in (several, single):
        ids = {attributes.get("id") for _, attributes in page.elements}
        assert {attributes["href"].removeprefix("#") for tag, attributes in page.elements if tag == "a"} <= ids
    assert "There are no reports." in report_page([])


def test_characters_that_turn_text_about_are_named_wherever_they_stand_and_arabic_stays():
    arabic = "\u0645\u0631\u062d\u0628\u0627"
    text = f"\u202b{arabic} {'word ' * 20}\u202c\u202e"
    data = judgments(["ann\u202elive", arabic], ["a\u2067", "b"], text=text).with_columns("\u202e" + pl.col("item"))
    html = report_page([adjudge.reliability(data)])
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", html)
    shown = Page(html)
    for named in (f"[RLE]{arabic} word", "[RLO]i1", "a[RLI]"):
        assert named in shown.all_text()


def test_a_notebook_shows_the_verdict_and_the_table_without_styling_the_notebook(report):
    html = report._repr_html_()
    page = Page(html)
    assert page.wrong == []
    assert not {"html", "head", "body", "script"} & {tag for tag, _ in page.elements}
    assert report.summary.verdict in page.all_text()
    assert "ann" in page.all_text()
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
    rules = [rule.strip() for rule in re.findall(r"([^{}]+)\{", style)]
    assert rules
    assert all(part.strip().startswith(".adjudge-fragment") for rule in rules for part in rule.split(","))


def test_colours_of_the_page_can_be_read_in_light_and_dark(html):
    from made_charts import contrast

    blocks = re.findall(r":root \{(.*?)\}", html, re.DOTALL)[:2]
    assert len(blocks) == 2
    for block in blocks:
        colours = dict(re.findall(r"--adjudge-([a-z-]+): (#[0-9a-f]{6})", block))
        for text in ("ink", "muted", "accent", "second"):
            for ground in ("paper", "panel"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def test_gates_are_counted_and_the_first_that_fail_are_shown(report):
    gates = tuple(GateResult("reliability is asked for", f"a{at}", "0.5", passed=at % 2 == 0) for at in range(9))
    lines = [one.text for one in replace(report, gates=gates).summary.gates]
    assert lines == ["4 of 9 gates fail", *(f"a{at}: reliability is asked for; 0.5" for at in (1, 3, 5))]
    passed = replace(report, gates=gates[::2]).summary.gates
    assert [(one.label, one.text) for one in passed] == [("Gate PASS", "5 gates pass")]


def test_every_note_leads_to_what_it_means():
    columns = ["annotator", "metric", "value", "low", "high", "n", "method", "reason", "caveat"]
    rows = [dict.fromkeys(columns) | {"annotator": f"a{at}", "metric": "reliability", "value": 0.5, "n": 9, "caveat": note.value} for at, note in enumerate(Caveat)]  # fmt: skip
    made = made_report("reliability", {"annotators": typed_table(rows, columns)})
    page = report_page([made, made])
    for note in Caveat:
        assert page.count(f'id="note-{note}"') == 1
        assert page.count(f'<a href="#note-{note}">{note.title}</a>') == 2
        assert f"<dd>{unbroken(f'{note.meaning} {note.consequence}')}</dd>" in page


def test_a_place_of_insertion_has_a_caret_and_a_marked_word_has_none():
    text = [{"id": "a", "text": "one two", "violations": [{"start": 3, "end": 3, "rule": "r"}]}]
    report = adjudge.violations(
        pl.DataFrame(text), pl.DataFrame([{"id": "a", "violations": [{"start": 4, "end": 7, "rule": "r"}]}])
    )
    page = report_page([report])
    assert page.count('class="caret"') == 1


def test_what_is_right_stands_beside_the_labels_of_both_runs(tmp_path):
    gold, runs = (
        EXAMPLES / "preferences" / "gold.jsonl",
        [tmp_path / f"{name}.parquet" for name in ("careful", "quick")],
    )
    for run in runs:
        adjudge.preferences(gold, gold.with_name(f"{run.stem}.tsv"), system="s", save_items=run)
    compared = adjudge.compare(runs)
    shown = [one for _, one in titled_examples(compared)]
    assert {tuple(verdict.who for verdict in one.verdicts) for one in shown} == {("careful", "quick", "right")}
    said = sorted(one.verdicts[2].label for one in shown)
    assert said == sorted(plain_words(label) for label in compared.examples["right"])
    assert not [one for one in shown if "right" in {text.name for text in (*one.short, *one.texts)}]
