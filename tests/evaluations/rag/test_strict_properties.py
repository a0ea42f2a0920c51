"""The scorer `strict`: what must change no verdict."""

import unicodedata

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.evaluations.rag.strict import score_strict
from adjudge.schemas.answers import SLOTS, VERDICTS

SCHEMA = {"response": pl.String(), "slots": SLOTS, "false": pl.List(pl.String)}

PIECES = st.sampled_from(
    ["Paris", "Zoé Novák", "London", "1,000", "January 2, 2022", "two hundred", "巴黎", "伦敦", "不是", "文档", "没有提到", "错误",
     "It is", "It isn't", "not", "no", "the documents", "do not say", "I can't tell", "wrong", "However", "the answer is", "but",
     "instead of", "while", ".", ",", "。", "?", "\n", "(", ")", "unknown", "factual errors", "one hundred", "first", "and"]
)  # fmt: skip
TEXT = st.lists(PIECES, max_size=9).map(" ".join)
ALIASES = ["Paris", "Zoé Novák", "1000", "2022-01-02", "巴黎", "Zoé Novák and Paris"]
ROW = st.tuples(
    st.none() | TEXT,
    st.none() | st.lists(st.lists(st.sampled_from(ALIASES), min_size=1, max_size=2), min_size=1, max_size=2),
    st.none() | st.just(["London", "伦敦"]),
)
ROWS = st.lists(ROW, min_size=1, max_size=6)


def frame(rows):
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def scored(rows):
    return score_strict(frame(rows)).select(VERDICTS).rows()


@settings(max_examples=8, deadline=None)
@given(ROWS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_verdicts_do_not_depend_on_other_rows(rows, batch, chance):
    expected = score_strict(frame(rows)).rows()
    assert pl.concat([score_strict(part) for part in frame(rows).iter_slices(batch)]).rows() == expected
    order = list(range(len(rows)))
    chance.shuffle(order)
    assert score_strict(frame([rows[place] for place in order])).rows() == [expected[place] for place in order]


CHANGES = {
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "curly apostrophes": lambda text: text.replace("'", "’"),
    "upper case": str.upper,
    "lower case": str.lower,
    "white space around": lambda text: f"\n\t {text}\u3000 ",
    "wide spaces": lambda text: text.replace(" ", "\u00a0 "),
    "full-width digits": lambda text: text.translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)}),
    "emphasis": lambda text: text.replace("Paris", "**Paris**").replace("London", "_London_"),
    "code": lambda text: text.replace("Paris", "`Paris`"),
}


@settings(max_examples=10, deadline=None)
@given(ROWS)
def test_verdicts_do_not_depend_on_how_letters_are_written(rows):
    changed = [(row[0] and change(row[0]), *row[1:]) for row in rows for change in CHANGES.values()]
    expected = [verdict for verdict in scored(rows) for _ in CHANGES]
    for (text, *_), found, wanted in zip(changed, scored(changed), expected, strict=True):
        assert found == wanted, text


@settings(max_examples=10, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=20))
def test_any_text_has_verdicts(texts):
    found = score_strict(frame([(text, [[other]], [text]) for text in texts for other in texts]))
    assert found.columns == [*VERDICTS, "detail", "misled"]
    assert found.height == len(texts) ** 2


def test_an_answer_that_is_the_truth_is_correct():
    truths = ["Paris", "the Louvre", "a", "not", "No", "unknown", "The Unknown Soldier", "However", "Mistakes Were Made", "C++", "C#",
              "$1.5 million", "3.14", "1/2/2022", "January 2, 2022", "Tampa, Florida", "J. K. Rowling", "Can't Stop", "AC/DC", "24/7",
              "巴黎", "不是", "J·K·罗琳", "2021年2月12日", "三", "一百零五", "कमल", "القاهرة", "Ærøskøbing", "Łódź", "½", "🙂 ok", "x" * 5000]  # fmt: skip
    found = score_strict(frame([(truth, [[truth]], None) for truth in truths]))
    assert [truth for truth, correct in zip(truths, found["correct"], strict=True) if not correct] == []
