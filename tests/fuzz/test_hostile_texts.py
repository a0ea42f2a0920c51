"""Whatever a user may write as a name, a label, a text or a heading stays text, in all that a report becomes."""

import io

import polars as pl
import pytest
import xlsxwriter

import adjudge
from fuzz.mutating import NAMES
from fuzz.showing import latex_wrong, shown_wrong, workbook_wrong

TEXTS = [name for name in NAMES if name.strip() and "|||" not in name]
GROUP = "=g<img src=x onerror=alert(1)>"
RANGE = range(len(TEXTS))


LABELLED = pl.DataFrame(
    {"item": text, "text": text, "annotator": TEXTS[a], "label": TEXTS[3 + (i * a) % 5], GROUP: TEXTS[i % 2]}
    for i, text in enumerate(TEXTS)
    for a in range(4)
)
"""Every text as an item, a text and a group; some as annotators and as labels."""


def reliability():
    return adjudge.reliability(LABELLED.with_columns(reference=pl.lit(TEXTS[3])), by=[GROUP])


def agreement():
    return adjudge.agreement(LABELLED)


def card():
    return adjudge.card(LABELLED, judges=[TEXTS[0]])


def preferences():
    gold = {"id": TEXTS, "instruction": TEXTS, "output_a": TEXTS, "output_b": TEXTS[::-1]}
    labels = {"r_preference": ["AB"[i % 2] for i in RANGE], "r_explanation": TEXTS}
    wrong = {"id": TEXTS, "r_preference": ["AB"[i % 3 % 2] for i in RANGE], "r_explanation": TEXTS[::-1]}
    return adjudge.preferences(pl.DataFrame(gold | labels), [pl.DataFrame(wrong)], system=[TEXTS[3]], criteria=["r"])


def violations():
    def marked(text):
        return [{"start": 0, "end": 2, "rule": text, "category": text, "explanation": text}]

    truth = pl.DataFrame({"id": TEXTS, "text": [f"abc {text}" for text in TEXTS], "violations": map(marked, TEXTS)})
    found = pl.DataFrame({"id": TEXTS, "violations": map(marked, TEXTS[::-1])})
    return adjudge.violations(truth, [found], checker=[TEXTS[3]])


def rag():
    asked = {"id": TEXTS, "query": TEXTS, "answer": TEXTS, "model": TEXTS[3], "response": TEXTS[::-1]}
    return adjudge.rag(pl.DataFrame(asked | {"ability": "noise_robustness", "noise_ratio": 0.0}))


def annotations():
    texts = {"id": TEXTS, "prompt": TEXTS, "text_a": TEXTS, "text_b": TEXTS[::-1]}
    pairs = texts | {"model_a": TEXTS[3], "model_b": TEXTS[4]}
    votes = {TEXTS[a]: [f"text_{'ab'[i % (a + 2) % 2]}" for i in RANGE] for a in range(2)}
    return adjudge.annotations(pl.DataFrame(pairs | votes), annotator_columns=TEXTS[:2], reference=TEXTS[0])


def ranking():
    return adjudge.rank_preferences(pl.DataFrame({"system": TEXTS, "criterion": "c", "metric": "m", "value": 0.5}))


@pytest.mark.parametrize(
    "scored",
    [reliability, agreement, card, preferences, violations, rag, annotations, ranking],
    ids=lambda one: one.__name__,
)
def test_hostile_texts_stay_texts_in_every_field_and_form(scored):
    """But for texts in charts: test_charts."""
    assert shown_wrong(scored()) == ""


@pytest.mark.parametrize("text", [r"\write18{ls}", "a } b", "{ a", "50 %", "a # b", "a_b", "a^^5cb", "$a", "\x1b[2J"])
def test_latex_that_runs_or_does_not_end_is_seen(text):
    assert latex_wrong(f"\\toprule\n{text}\n")


def test_latex_that_sets_text_alone_is_not_complained_of():
    assert latex_wrong("% a {b \\input\n\\begin{tabular}{lr}\na \\& b & $^{a}$ {\\scriptsize {[}1--2]} \\\\\n") == ""


@pytest.mark.parametrize(("written", "seen"), [("write_formula", True), ("write_url", True), ("write_string", False)])
def test_a_workbook_that_computes_or_links_is_seen(written, seen):
    held = io.BytesIO()
    with xlsxwriter.Workbook(held, {"in_memory": True}) as book:
        getattr(book.add_worksheet(), written)(0, 0, "http://127.0.0.1/" if written == "write_url" else "=1+1")
    assert bool(workbook_wrong(held.getvalue())) is seen
