"""Planted violations: where they stand, what gives back the clean text, and which ones a review removes."""

from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge as library
from adjudge.errors import DataError
from adjudge.llm.calls import Status
from adjudge.llm.checking import Rule
from adjudge.llm.planting import Change, Planting, applied, difference, sentences
from adjudge.llm.prompts import template
from adjudge.llm.violation_texts import texts_of
from llm.scripted import ask, batch_results

RULES = (Rule("calm", "no shouting", "tone"), Rule("plain", "no jargon"))
SIGNED = f"{template('violations_plant').signed} {template('violations_verify').signed}"
TEXTS = {"one": "We sell tea. It is good.", "two": "Come in.", "none": " \n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("  One.\n\nTwo", ["One.", "Two"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("(Really?) Yes…", ["(Really?)", "Yes…"]),
        ("Take 3.5 mg. No...", ["Take 3.5 mg.", "No..."]),
        ("好。是的！", ["好。", "是的！"]),
        ("... and so on. End", ["... and so on.", "End"]),
        (" \n ", []),
    ],
)
def test_sentences(text, expected):
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_sentences_of_points_alone_are_found_quickly():
    assert sentences("." * 20_000 + "x") == [(0, 20_001)]


def corrected(line):
    """The text of a line of truth with each violation replaced by its correction, from the last to the first."""
    text = line["text"]
    for one in sorted(line["violations"], key=lambda one: -one["start"]):
        text = text[: one["start"]] + one["correction"] + text[one["end"] :]
    return text


def marked(line):
    """What stands at the places of the violations."""
    return [line["text"][one["start"] : one["end"]] for one in line["violations"]]


@st.composite
def changes(draw):
    """A text in parts, of which every second may be replaced by another."""
    parts = draw(st.lists(st.text(min_size=1), min_size=1, max_size=9))
    made, start = [], 0
    for number, part in enumerate(parts):
        if number % 2:
            made.append(Change(start, part, draw(st.text(max_size=5)), "r"))
        start += len(part)
    return "".join(parts), draw(st.permutations(made))


@given(changes())
def test_corrections_give_back_the_clean_text_exactly(case):
    text, made = case
    line = applied("id", text, made)
    assert corrected(line) == text
    assert marked(line) == [one.wrong for one in sorted(made, key=lambda one: one.start)]
    one = applied("one", "tea.", [Change(0, "tea", "Tea now", "r", "tone", "why")])["violations"]
    assert one == [{"start": 0, "end": 7, "rule": "r", "correction": "tea", "category": "tone", "explanation": "why"}]


def shouting(call):
    """Rewrites a sentence in capitals."""
    sentence = call.judged["sentence"].upper()
    return {"sentence": sentence, "explanation": "it shouts"}


def planting(texts=TEXTS, **how):
    return Planting(texts, RULES, template("violations_plant"), template("violations_verify"), **how)


def planted(write, review=lambda call: "yes", **how):
    kinds = {"violations_plant": write, "violations_verify": review}
    return {line["id"]: line for line in planting(**how).plant(ask(lambda call: kinds[call.template.name](call)))[0]}


def test_sentences_are_rewritten_and_the_rest_stays():
    found = planted(shouting)
    assert [*found] == [*TEXTS], "every text is there, also one without a sentence"
    assert found["one"]["text"] == "WE SELL TEA. IT IS GOOD."
    assert marked(found["one"]) == ["WE SELL TEA", "IT IS GOOD"], "what differs, without the full stop"
    assert sorted(one["rule"] for one in found["one"]["violations"]) == ["calm", "plain"]
    assert {one.get("category") for one in found["one"]["violations"]} == {"tone", None}
    assert {one["explanation"] for one in found["one"]["violations"]} == {"it shouts"}
    assert found["none"] == {"id": "none", "text": " \n", "violations": [], "prompt": SIGNED}
    assert {name: corrected(line) for name, line in found.items()} == TEXTS


def test_the_seed_says_which_sentence_breaks_which_rule():
    def drawn(seed):
        return [(call.about["start"], call.about["rule"]) for call in planting(each=1, seed=seed).first()]

    assert drawn(0) == drawn(0)
    assert len({tuple(drawn(seed)) for seed in range(20)}) > 1


def test_a_review_sees_the_changed_text_and_removes_what_does_not_break_the_rule():
    seen = []

    def review(call):
        seen.append(dict(call.judged))
        return "no" if call.judged["quote"] == "WE SELL TEA" else "yes"

    found = planted(shouting, review)
    assert {"quote": "WE SELL TEA", "text": "WE SELL TEA. It is good."} in seen
    assert found["one"]["text"] == "We sell tea. IT IS GOOD."
    assert corrected(found["one"]) == TEXTS["one"]


@pytest.mark.parametrize("status", [Status.REFUSED, Status.UNPARSEABLE, Status.FAILED])
def test_what_was_not_answered_is_not_planted(status):
    for lines in (planted(lambda call: status), planted(shouting, lambda call: status)):
        assert {name: line["text"] for name, line in lines.items()} == TEXTS
        assert not any(line["violations"] for line in lines.values())


@pytest.mark.parametrize("wrong", ["", " \n", "Come in.", " Come in.\n"])
def test_a_rewriting_without_a_change_is_none(wrong):
    (line,) = planted(lambda call: {"sentence": wrong, "explanation": ""}, texts={"two": "Come in."}).values()
    assert line == {"id": "two", "text": "Come in.", "violations": [], "prompt": SIGNED}


def test_a_violation_is_the_passage_that_differs():
    said = {"sentence": "It is the very best.", "explanation": "a superlative"}
    (line,) = planted(lambda call: said, texts={"1": "  It is good."}, each=1).values()
    # two spaces and "It is " are 8 characters; "the very best" are 13 more
    assert line["text"] == "  It is the very best."
    assert {name: len(line["violations"]) for name, line in planted(shouting, each=1).items()} == {
        "one": 1,
        "two": 1,
        "none": 0,
    }
    (one,) = line["violations"]
    assert (one["start"], one["end"], one["correction"]) == (8, 21, "good")


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("Come in.", "Come out.", (5, "in", "out")),
        ("It is good.", "It is very good.", (6, "good", "very good")),
        ("It is good.", "It is good indeed.", (6, "good", "good indeed")),
        ("Good tea", "tea", (0, "Good tea", "tea")),
        ("Stop here.", "Stop here!", (9, ".", "!")),
        ("no no no", "no no", (3, "no no", "no")),
        ("One, two", "One two", (0, "One,", "One")),
        ("我们卖好茶。", "我们卖差茶。", (3, "好", "差")),
    ],
)
def test_the_difference_of_two_texts_is_whole_words(right, wrong, expected):
    assert difference(right, wrong) == expected


@given(st.text("ab .,", min_size=1), st.text("ab .,", min_size=1))
def test_the_difference_put_in_the_place_of_the_other_gives_the_other_text(right, wrong):
    if right != wrong:
        start, ours, theirs = difference(right, wrong)
        assert right[:start] + theirs + right[start + len(ours) :] == wrong
        assert ours
        assert theirs


@pytest.fixture
def plant(tmp_path):
    """Plants in two texts of three sentences, of which each would be rewritten."""
    texts = pl.DataFrame({"id": ["one", "two"], "text": ["We sell tea. It is good.", "Come in."]})
    rules = pl.DataFrame({"rule": ["calm", "plain"]})
    return partial(library.plant_violations, texts, rules=rules, model="openai/m", output=tmp_path / "o.jsonl")


def test_how_many_were_planted_and_removed_is_said_and_what_is_answered_is_not_planned(plant, tmp_path):
    """The review says no to one of three."""
    batch, results = tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
    assert plant(dry_run=True).plan.calls == 3
    assert [*tmp_path.iterdir()] == []
    plant(batch_file=batch)
    first = batch_results(batch, results, lambda schema: {"sentence": "GO!", "explanation": "it shouts"})
    whole = results.read_text()
    results.write_text("".join(whole.splitlines(keepends=True)[:2]))
    plant(from_batch=results)
    assert plant(dry_run=True).plan.calls == 1
    results.write_text(whole)
    plant(from_batch=results)
    plant(batch_file=batch)
    reviews = iter(("yes", "no", "yes"))
    second = batch_results(batch, results, lambda schema: next(reviews))
    assert (len(first), len(second)) == (3, 3)
    assert plant(from_batch=results).notes == ("2 violations in 2 texts, 1 removed by review",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("texts.csv", "id,text\n1,One.\n2,Two.\n"),
        ("texts.jsonl", '{"id": 1, "text": "One."}\n{"id": 2, "text": "Two."}\n'),
        ("truth.jsonl", '{"id": 1, "text": "One.", "violations": []}\n{"id": 2, "text": "Two.", "violations": []}\n'),
        ("spans.csv", "id,text,start,end\n1,One.,0,3\n2,Two.,,\n"),
    ],
)
def test_texts_are_read_from_a_table_of_them_and_from_any_format_of_violations(written, name, content):
    assert texts_of(written(content, name))[0] == {"1": "One.", "2": "Two."}
    renamed = written("nr,body\n1,One.\n", "renamed.csv")
    assert texts_of(renamed, {"id": "nr", "text": "body"}) == ({"1": "One."}, ())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id,text\n1,\n", "expected a text of each id; 1 has none"),
        ("id,text\n1,a\n1,b\n", "expected an id of each text, each once; got 1 twice"),
        ("id,text\n,a\n", "got a text without id"),
        ("id,body\n1,a\n", "missing columns start, end"),
    ],
)
def test_texts_without_ids_or_ids_without_texts_are_refused(written, content, said):
    with pytest.raises(DataError, match=said):
        texts_of(written(content, "texts.csv"))
