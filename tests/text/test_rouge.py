"""ROUGE-L: equal to rouge-score to the last bit, whatever the text."""

import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.rouge import other_scripts_warning, rouge_l

# What lower-casing or Unicode makes hard: the Kelvin sign, dotted capital I, final sigma, digits of other scripts ...
ODD = [*"Kİıſßßſﬁ①²½٣Ａ１ΑΣς\u0301\u200b\u00a0\x1c\x85\u2028\r\n\t\x00_-'’.AaZz09éǄ漢😀", "running", "ponies"]

texts = st.lists(st.one_of(st.sampled_from([*ODD, "\n", " "]), st.text(max_size=4)), max_size=25).map("".join)


def file_column(predictions, references):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return [
        float(scorer.score(reference, prediction)["rougeL"].fmeasure)
        for prediction, reference in zip(predictions, references, strict=True)
    ]


def ours(predictions, references):
    return rouge_l(pl.Series(predictions, dtype=pl.String), pl.Series(references, dtype=pl.String)).to_list()


def is_latin(character):
    return unicodedata.category(character)[0] != "L" or "LATIN" in unicodedata.name(character, "")


@pytest.mark.parametrize(
    ("prediction", "reference", "common", "tokens"),
    [
        ("\u7b54\u6848\u662f\u5df4\u9ece\u3002", "\u5df4\u9ece", 2, (5, 2)),  # Chinese: a token a character
        ("2024\u5e74 \u5df4\u9ece", "2025\u5e74 \u5df4\u9ece", 3, (4, 4)),  # numbers count whole
        ("\u6771\u4eac\u30bf\u30ef\u30fc", "\u6771\u4eac", 2, (5, 2)),  # Japanese
        ("\u0e01\u0e23\u0e38\u0e07", "\u0e01\u0e23", 2, (4, 2)),  # Thai, whose marks are characters
        ("\u042d\u0442\u043e \u041f\u0430\u0440\u0438\u0436.", "\u043f\u0430\u0440\u0438\u0436", 1, (2, 1)),  # Russian: words
        ("\u0939\u093f\u0928\u094d\u0926\u0940 \u0939\u0948", "\u0939\u093f\u0928\u094d\u0926\u0940", 1, (2, 1)),  # Hindi: marks stay in words
        ("Paris", "\u5df4\u9ece", 0, (1, 2)),
    ],
)  # fmt: skip
def test_texts_of_other_scripts_have_tokens(prediction, reference, common, tokens):
    expected = 2 * common / sum(tokens)
    assert ours([prediction], [reference]) == [pytest.approx(expected)]
    assert ours(["the cat"], ["a cat"]) == file_column(["the cat"], ["a cat"])
    (warning,) = other_scripts_warning(pl.Series([reference, "the cat", None]))
    assert warning.startswith("ROUGE-L: 1 of 3 texts are not in Latin letters")
    assert other_scripts_warning(pl.Series(["the cat", "na\u00efve"])) == []


def test_the_example_of_the_paper():
    # Lin 2004, section 3.1: S1 is the reference; with beta = 1 the F of S2 is 3/4, of S3 1/2.
    assert ours(["police kill the gunman", "the gunman kill police"], ["police killed the gunman"] * 2) == [0.75, 0.5]


def test_nulls_and_texts_without_tokens():
    figures = ours([None, "a", None, "", "!?", "a", "漢字"], ["a", None, None, "a", "a", " ", "漢字"])
    assert figures == [None] * 3 + [0.0] * 3 + [1.0]
    assert ours([], []) == []
    assert rouge_l(pl.Series([None, None]), pl.Series(["a", None])).dtype == pl.Float64


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_any_text_scores_as_in_rouge_score(pairs):
    pairs = [pair for pair in pairs if all(map(is_latin, "".join(pair)))]
    predictions, references = [one for one, _ in pairs], [other for _, other in pairs]
    assert ours(predictions, references) == file_column(predictions, references)


def test_every_character_of_two_planes_separates_or_stays_as_in_rouge_score():
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code <= 0xDFFF]
    size = 16
    rows = [
        " ".join(f"a{character}b" for character in characters[start : start + size])
        for start in range(0, len(characters), size)
    ]
    other = ["ab a b akb aib aab a0b"] * len(rows)
    assert ours(rows, other) == file_column(rows, other)


def test_rows_that_repeat_get_the_figure_of_their_pair():
    predictions, references = ["a b", "b c", "a b", None, "a b"] * 50, ["a", "c b", "b a", "a", "a"] * 50
    assert ours(predictions, references) == ours(predictions[:5], references[:5]) * 50


def test_categories_are_texts():
    column = pl.Series(["a b", "c"], dtype=pl.Categorical)
    assert rouge_l(column, pl.Series(["a b", "d"])).to_list() == [1.0, 0.0]
