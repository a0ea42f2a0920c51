"""Style rules: what each counts, and which of two responses it prefers."""

import time
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.text.style import RULES, prefers
from adjudge.text.toml_files import packaged

PAGE = Path(__file__).parents[2] / "docs" / "style.md"

FENCE = "```python\n# not a heading\n- no item\n**no** bold 7 me! sorry? 😀\n```"

CASES = {
    "longer": [("abc", 3), ("naïve", 5), ("👨‍👩‍👧", 5), ("a\r\nb", 4), ("`x`", 3)],
    "more_lists": [
        ("- a\n- b", 2),
        ("1. a\n2) b", 2),
        ("- a\n  - b\n\t1. c", 3),
        ("> - quoted", 1),
        ("* **bold** item\n- *italic* item\n- `code`", 3),
        ("- - nested in one line", 1),
        ("- -5 degrees", 1),
        ("---\n***\n___", 0),
        ("* * *\n- - -", 0),
        ("-a\n*a\n1.a\n1 a", 0),
        ("a - b * c + d", 0),
        ("- \n-\n", 0),
        ("**bold** at the start", 0),
        ("• a", 0),
        ("12345678901. too long a number", 0),
        ("- a\n```\n- b\n```\n- c", 2),
        ("- a\n```\n- b\nnever closed", 1),
    ],
    "more_headings": [
        ("# a\n## b\n###### c", 3),
        ("text\r\n# a\r\n", 1),
        ("   # indented a little", 1),
        ("#a\n#hashtag", 0),
        ("####### seven", 0),
        ("not # here", 0),
        ("    # indented as code", 0),
        ("# \n#", 0),
        ("Title\n=====", 0),
        ("~~~\n# a\n~~~\n# b", 1),
        ("````md\n```\n# a\n```\n# b\n````\n# c", 1),
    ],
    "more_bold": [
        ("**a** and __b c__", 2),
        ("***both***", 1),
        ("**a *b* c**", 1),
        ("mid**dle**", 1),
        ("", 0),
        ("****", 0),
        ("** a **", 0),
        ("**a\nb**", 0),
        ("**never closed", 0),
        ("*italic* _italic_", 0),
        ("2 ** 3 ** 4", 0),
        ("snake__case__name", 0),
        (r"\*\*escaped\*\*", 0),
        ("* * *\n***\n___", 0),
        ("https://example.com/__a__ x", 0),
        ("**https://example.com/a**", 1),
    ],
    "more_code": [
        ("`x` and ``a`b``", 2),
        (FENCE, 1),
        (FENCE + "\n`x`\n" + FENCE, 3),
        ("```\nnever closed `x`", 1),
        ("- item:\n  ```\n  x `y`\n  ```\n", 1),
        ("````md\n```\nx\n```\n````", 1),
        ("Here it is: ```python\nx\n```", 1),
        ("```x```", 1),
        ("`never closed", 0),
        ("`a\nb`", 0),
        ("``", 0),
        ("so ~~~ so", 0),
        ("    indented", 0),
    ],
    "more_emoji": [
        ("😀😀 a 😀", 3),
        ("👍🏽", 1),
        ("☝🏽", 1),
        ("👨‍👩‍👧", 1),
        ("👩🏽‍🚀👩🏽‍🚀", 2),
        ("🏳️‍🌈", 1),
        ("👁️‍🗨️", 1),
        ("❤️‍🔥", 1),
        ("🇩🇪🇫🇷", 2),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 1),
        ("1️⃣ #️⃣", 2),
        ("©️ ❤️", 2),
        ("⌚✅", 2),
        ("© ® ™ # * 1 ❤ ✓ → •", 0),
        ("naïve “quotes” — dash 漢字", 0),
        (":-) :smile:", 0),
        ("🇩", 0),
    ],
    "more_exclamation_marks": [
        ("a! b!", 2),
        ("a!!!", 3),
        ("?!", 1),
        ("真的！", 1),
        ("¡Hola!", 1),
        ("[yes]!", 1),
        ("![picture](a.png)", 0),
        ("a != b", 0),
        ("https://example.com/#!a", 0),
        ("See https://example.com/a!", 1),
    ],
    "more_questions": [
        ("Why?", 1),
        ("Why??", 1),
        ("Why?! What!? Oh?!?", 3),
        ('"Why?" (How?) **Who?**', 3),
        ("为什么？怎么？", 2),
        ("لماذا؟ كيف؟", 2),
        ("¿Qué?", 1),
        ("https://example.com/?a=1&b=2", 0),
        ("example.com/page?a=1", 0),
        ("Seen https://example.com/a?b=1?", 1),
        ("Seen (https://example.com/a?b=1)?", 1),
        ("Why.", 0),
    ],
    "more_numbers": [
        ("7", 1),
        ("1, 2 and 3.", 3),
        ("-5 +5 .5 $5 5% (5) #5 x=5", 8),
        ("2024-01-02", 1),
        ("2024-01-02T10:30:00Z", 1),
        ("10:30, 1/2, 10-20, 1.2.3", 4),
        ("10km 3D 1980s 1st", 4),
        ("٧ ８", 2),
        ("In 2024. Then 5.", 2),
        ("GPT4 GPT-4 H2O v1.2 covid-19 x_1 a/2", 0),
        ("seven VII ½", 0),
        ("1. a\n2. b\n  3) c", 0),
        ("1. 5 apples\n2. 6 pears", 2),
        ("> 1. a", 0),
        ("1.5 apples", 1),
        ("`7` https://example.com/7/8?a=9", 0),
    ],
    "more_first_person": [
        ("I", 1),
        ("I'm, I’ve, I'd: I", 4),
        ("Me and my mine, myself.", 4),
        ("So do I, and I\r\nI", 3),
        ("let me, me, me", 3),
        ("to me my", 2),
        ("**I** “I” (my)", 3),
        ("To me I think", 2),
        ("i ME MY", 0),
        ("we us our", 0),
        ("AI Ice me2 some army crème deuxième Iñigo", 0),
        ("I. Introduction\nI) First\nI/O (I) I-95", 0),
        ("`I` https://example.com/?me=I", 0),
    ],
    "more_hedging": [
        ("It might, and may, and may be.", 3),
        ("Maybe. Perhaps probably possibly.", 4),
        ("I think I believe it could be", 3),
        ("I’m not sure. I'm not sure.", 2),
        ("It seems to me", 1),
        ("I\nthink I\r\nthink", 2),
        ("May 5 in May", 0),
        ("mighty mayor dismay", 0),
        ("AI thinks; I thinking; MIGHT", 0),
        ("I  think", 0),
    ],
    "more_apology": [
        ("Sorry. I'm sorry, my apologies.", 3),
        ("I apologize. I apologise. Apologizing", 3),
        ("Please accept my apology. Forgive me", 2),
        ("my\r\napology", 1),
        ("She apologized apologetically, an apology", 0),
        ("sorrynot SORRY", 0),
    ],
    "more_refusal": [
        ("I can't help with that.", 1),
        ("I can’t assist. I cannot provide it.", 2),
        ("I'm sorry, but I can't help.", 1),
        ("I'm unable to say. I’m not able to say.", 2),
        ("I cannot really provide that", 1),
        ("I will not write it; I won't do that", 2),
        ("As an AI language model, I don't have feelings", 1),
        ("As an AI, I cannot provide that.", 1),
        ("as a large language model I have no body", 1),
        ("I must decline. I refuse to.", 2),
        ("I cannot\r\nanswer", 1),
        ("He cannot swim, he can't help you, they are unable to", 0),
        ("I cannot swim; I won't go; I can't wait", 0),
        ("I can't help laughing", 0),
        ("`I can't help you`", 0),
    ],
}

HOSTILE = {
    "a megabyte of prose": "I think 7 people might ask me why? " * 30_000,
    "a megabyte without spaces": "a" * 1_000_000,
    "asterisks": "*" * 100_000,
    "bullets": "- " * 100_000,
    "bold never closed": "**a " * 100_000,
    "backticks": "`" * 100_000,
    "fences": "```\n" * 100_000,
    "fences of growing length": "\n".join("`" * n for n in range(3, 400)),
    "tildes": "~~~\n" * 100_000,
    "underscores": "_" * 100_000,
    "addresses": "://" * 100_000,
    "question marks": "?" * 100_000 + "a",
    "numbers": "1," * 100_000,
    "joiners": "\u200d😀" * 100_000,
    "line breaks": "\n" * 100_000,
    "quotation marks": "> " * 100_000,
}


def counts(rule, texts):
    frame = pl.LazyFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(RULES[rule].count(pl.col("text"))).collect().to_series().to_list()


def preferences(text_a, text_b):
    frame = pl.LazyFrame({"text_a": [text_a], "text_b": [text_b]}, schema={"text_a": pl.String, "text_b": pl.String})
    frame = frame.with_columns(pl.col(f"text_{one}").str.len_chars().alias(f"length_{one}") for one in "ab")
    return frame.select(prefers(rule).alias(rule.id) for rule in RULES.values()).collect().row(0, named=True)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_counts_what_its_page_says(rule):
    assert [(text, counts(rule, [text])) for text, _ in CASES[rule]] == [(text, [count]) for text, count in CASES[rule]]


def test_blocks_of_code_count_as_code_and_by_their_length_alone():
    assert [rule for rule in RULES if counts(rule, [FENCE]) != [0]] == ["longer", "more_code"]


@pytest.mark.parametrize("rule", RULES)
def test_a_text_counts_the_same_beside_others_and_in_a_stream(rule):
    texts = [text for cases in CASES.values() for text, _ in cases]
    count = RULES[rule].count(pl.col("text"))
    streamed = pl.LazyFrame({"text": texts}).select(count).collect(engine="streaming").to_series()
    assert streamed.dtype == pl.UInt32
    assert streamed.to_list() == [counts(rule, [text])[0] for text in texts]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Null])
def test_a_column_may_be_categorical_or_of_no_type(rule, dtype):
    texts = [None] if dtype == pl.Null else ["a 7!", None]
    frame = pl.DataFrame({"text": pl.Series(texts, dtype=dtype)})
    assert frame.select(RULES[rule].count(pl.col("text"))).to_series().to_list() == counts(rule, texts)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_long(name):
    started = time.process_time()
    for rule in RULES:
        assert counts(rule, [HOSTILE[name]])[0] >= 0
    assert time.process_time() - started < 5


@pytest.mark.parametrize("rule", RULES)
def test_the_larger_count_is_preferred_and_equal_ones_are_not(rule):
    text, count = next(case for case in CASES[rule] if case[1] > 0)
    assert count > 0
    assert preferences(text, "")[rule] == 1
    assert preferences("", text)[rule] == -1
    assert preferences(text, text)[rule] == 0
    assert preferences(None, "")[rule] == 0


def test_longer_reads_lengths_where_they_are_known():
    frame = pl.DataFrame(
        {"length_a": [3, 2, 1, None], "length_b": [1, 2, 3, 0]}, schema_overrides={"length_a": pl.UInt32}
    )
    preferred = prefers(RULES["longer"])
    assert frame.select(preferred).to_series().to_list() == [1, 0, -1, 0]


MARKUP = st.sampled_from(
    (
        *("\n", "\r\n", " ", "- ", "* ", "1. ", "1) ", "> ", "# ", "**", "__", "*", "`", "```", "~~~", "!", "?", "!["),
        *("://a?", "7", ".5", "I ", "I'm", "may ", "sorry", "I can't ", "help ", "é", "م", "؟"),
        *("😀", "\u200d", "\ufe0f", "🇩"),
    )
)
TEXTS = st.none() | st.text() | st.lists(MARKUP | st.text(max_size=3), max_size=30).map("".join)


@settings(max_examples=30)
@given(TEXTS, TEXTS)
def test_any_texts_are_counted_and_compared(text_a, text_b):
    frame = pl.LazyFrame({"text": [text_a, text_b]}, schema={"text": pl.String})
    found = frame.select(rule.count(pl.col("text")).alias(rule.id) for rule in RULES.values()).collect()
    there, back = preferences(text_a, text_b), preferences(text_b, text_a)
    for rule in RULES:
        first, second = found[rule].to_list()
        # No more things than characters: a count that fell below zero would be one of billions.
        assert max(first, second) <= max(len(text_a or ""), len(text_b or ""))
        assert there[rule] == (first > second) - (first < second) == -back[rule]


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_documented(rule):
    assert f"| `{rule}` |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("phrases", packaged("adjudge.text", "style.toml").values())
def test_every_phrase_is_documented(phrases):
    page = " ".join(PAGE.read_text(encoding="utf-8").replace("\n> ", " ").split())
    assert ", ".join(phrases) in page
