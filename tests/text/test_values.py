"""Numbers and dates by value, on examples worked by hand."""

import polars as pl
import pytest

from adjudge.text.folding import fold, words
from adjudge.text.values import (
    DAY,
    HAS_FIGURES,
    MINUS,
    MONTH,
    NOTES,
    POINT,
    RANGE,
    figures,
    numbers_in_words,
    without_notes,
)

READ = [
    # Dates: year, month, day.
    ("January 2, 2022", "2022 m1 d2"),
    ("2 Jan. 2022", "2022 m1 d2"),
    ("the 2nd of January 2022", "the 2022 m1 d2"),
    ("January the 2nd, 2022", "2022 m1 d2"),
    ("2022-01-02", "2022 m1 d2"),
    ("2022年1月2日", "2022 m1 d2"),
    ("2022 年 1 月 2 号", "2022 m1 d2"),
    ("13/1/2022", "2022 m1 d13"),
    ("1/13/2022", "2022 m1 d13"),
    ("1/2/2022", "1 2 2022"),
    ("13/13/2022", "13 13 2022"),
    ("2022-13-01", "2022 13 01"),
    ("2022-01-32", "2022 m1 32"),
    ("2/29", "2 29"),
    ("February 29", "m2 d29"),
    ("February 29, 2023", "2023 m2 d29"),
    ("December 2015", "2015 m12"),
    ("2015-12", "2015 m12"),
    ("July 4th", "m7 d4"),
    ("4 July", "m7 d4"),
    ("7月4日", "m7 d4"),
    ("in June", "in m6"),
    ("1991年", "1991"),
    ("he may march", "he may march"),
    ("from 1 May 1990 to 3 May 1991", "from 1990 m5 d1 to 1991 m5 d3"),
    # Numbers in digits.
    ("1,000", "1000"),
    ("1,00", "1 00"),
    ("1000.0", "1000"),
    ("1,000.50", "1000p5"),
    ("12.05", "12p05"),
    ("0.50", "0p5"),
    ("3.", "3"),
    ("$10.4 billion", "10400000000 dollar"),
    ("5 hundred", "500"),
    ("2.3%", "2p3 %"),
    ("2.3 per cent", "2p3 %"),
    ("百分之2.3", "2p3 %"),
    ("10.48‰", "10p48 ‰"),
    ("７", "7"),
    ("1" * 60, "1" * 60),
    ("9" * 40 + " thousand", "9" * 40 + "000"),
    # Signs, units and ranges.
    ("-5", "n5"),
    ("minus 5 or negative 3", "n5 or n3"),
    ("+5", "5"),
    ("it is 10 - 5", "it is 10 5"),
    ("covid-19", "covid 19"),
    ("-$2.50", "n2p5 dollar"),
    ("EUR 5, €5 and 5 €", "5 euro 5 euro and 5 euro"),
    ("< 5, > 6", "less than 5 more than 6"),
    ("3-7", "3r7"),
    ("3 to 7", "3r7"),
    ("1990-1995", "1990r1995"),
    ("from 1990 to 1995", "from 1990 to 1995"),
    ("555-1234-99", "555 1234 99"),
    # Numbers in words.
    ("1 thousand", "1000"),
    ("twenty-one", "21"),
    ("two hundred and five", "205"),
    ("two thousand three hundred forty", "2340"),
    ("one million two thousand", "1002000"),
    ("a hundred", "a 100"),
    ("two thousand million", "2000000000"),
    ("two three", "2 3"),
    ("twenty twenty", "20 20"),
    ("only one season", "only 1 season"),
    ("one of them", "one of them"),
    ("no one", "no one"),
    ("first one hundred", "1th 100"),
    ("second", "2th"),
    ("21st", "21th"),
    # Chinese numerals.
    ("十", "十"),
    ("十个", "10 个"),
    ("二十一", "21"),
    ("一百零五", "105"),
    ("两千", "2000"),
    ("一千零二十三万", "10230000"),
    ("二〇二二", "2022"),
    ("3.5万", "35000"),
    ("104 亿元", "10400000000 元"),
    ("3个人", "3 个人"),
    ("两万三千亿", "2300000000000"),
    ("四川", "四川"),
    # Numbers of sources and items.
    ("Paris [3].", "paris"),
    ("Paris [1, 2][3]", "paris"),
    ("Document 3 says", "says"),
    ("资料 3 说", "说"),
    ("1. Paris\n2. Rome", "paris rome"),
    ("1.5 m", "1p5 m"),
    # Neither.
    ("", ""),
    ("🙂", ""),
    ("القاهرة ١٢", "القاهرة ١٢"),
    (None, None),
]


def read(texts):
    marked = numbers_in_words(words(figures(fold(without_notes(pl.Series(texts, dtype=pl.String), NOTES)))))
    signs = {MONTH: "m", DAY: "d", POINT: "p", MINUS: "n", RANGE: "r"}
    return marked.str.strip_chars(" ").str.replace_many(signs).to_list()


def test_texts_are_read_by_value():
    texts = [text for text, _ in READ]
    assert [*zip(texts, read(texts), strict=True)] == READ


def test_a_text_is_read_alike_alone():
    for text, found in READ[::5]:
        assert read([text]) == [found]


@pytest.mark.parametrize("word", ["thousand ", "hundred ", "十", "亿"])
def test_long_runs_of_scales_are_read(word):
    assert len(read([word * 1500])) == 1


def test_texts_with_figures_are_known():
    marked = numbers_in_words(words(figures(pl.Series(["on may 3", "in june", "one", "x3", "a man"]))))
    assert marked.str.contains(HAS_FIGURES).to_list() == [True] * 4 + [False]
