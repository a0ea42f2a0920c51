"""The scorer `strict`: a table of answers made by hand."""

import polars as pl
import pytest

from adjudge.evaluations.rag.scorers.strict import score_strict
from adjudge.schemas.answers import SLOTS, VERDICTS

Row = tuple[str | None, list[list[str]] | None, list[str] | None]

SCHEMA = {"response": pl.String(), "slots": SLOTS, "false": pl.List(pl.String)}


def scored(*rows: Row) -> pl.DataFrame:
    return score_strict(pl.DataFrame(list(rows), schema=SCHEMA, orient="row"))


def slots(truth: str | list[object] | None) -> list[list[str]] | None:
    if truth is None or isinstance(truth, str):
        return truth if truth is None else [[truth]]
    return [[each] if isinstance(each, str) else list(each) for each in truth]


# What is said of a response: a string of letters, of which C: correct, R: rejected, D: error detected. Truth, then text.
PLAIN: list[tuple[str | list[object], str, str]] = [
    # What the scorers `document` and `benchmark` accept.
    ("Paris", "It is not Paris.", ""),
    ("Paris", "a", ""),
    ("Paris", "Comparison", ""),
    ("January 2 2022", "2022", ""),
    ("London 2023 by A. Conan Doyle", "The show was written in London 2021 by A. Conan Doyle", ""),
    ("Paris", "I cannot believe it, but the answer is Paris.", "C"),
    # Words, markdown, case, accents, quotes.
    ("Paris", "The capital of France is Paris.", "C"),
    ("Paris", "the capital is **PARIS**!", "C"),
    ("Paris", "The answer is `Paris`", "C"),
    ("Paris", "[Paris](https://example.org/London)", "C"),
    ("Paris", "“Paris”", "C"),
    ("Paris", "Parisian", ""),
    ("France", "France’s capital", "C"),
    ("Spider-Man", "It was Spider–Man.", "C"),
    ("Spider-Man", "It was Spider Man.", "C"),
    ("Grey's Anatomy", "Grey’s Anatomy", "C"),
    ("Tadej Pogačar", "Tadej Pogac\u030car won.", "C"),
    ("Chloe\u0301 Zhao", "Chloé Zhao", "C"),
    ("Chloé Zhao", "Chloe Zhao", "C"),
    ("Abc", "ＡＢＣ", "C"),
    ("The Shape of Water", "It was 'Shape of Water'.", "C"),
    ("J.K. Rowling", "It was written by J. K. Rowling.", "C"),
    ("Tampa, Florida", "In Tampa (Florida).", "C"),
    ("Tampa, Florida", "It was in Tampa in sunny Florida", ""),
    ("C++", "It is written in C.", ""),
    ("C++", "It is written in C++.", "C"),
    ("e", "The letter is e.", "C"),
    # Marks of notes and citations.
    ("James Fleet", "James Fleet1.", "C"),
    ("Fleet", "It was written by Fleet⁶.", "C"),
    ("1971", "It opened in 1971⁴.", "C"),
    ("August 15, 1971", "It was August 15, 19712.", "C"),
    ("19712", "There were 19712.", "C"),
    ("1971", "There were 19712 of them.", ""),
    ("Battle of Hastings", "the battle of Hastings12.", "C"),
    ("Maryland", "He was born in Maryland.1 His mother was not.2", "C"),
    ("Maryland", "Maryland[^1^][^2^].", "C"),
    ("Maryland", "Maryland【4:0†source】.", "C"),
    ("Windows10", "It was Windows10.", "C"),
    ("Windows10", "It was Windows7.", ""),
    ("James Fleet", "James [1] Fleet [2][3].", "C"),
    # Nearly the words of the truth; test_near.py has more.
    ("Kirsten Vangsness", "Kirsten Simone Vangsness", "C"),
    ("Kirsten Vangsness", "It was not Kirsten Simone Vangsness.", ""),
    ("coal miner", "coal miners", "C"),
    ("Maryland", "Baltimore, Maryland", "C"),
    ("Baltimore, Maryland", "Maryland", "C"),
    ("US", "U.S.", "C"),
    ("US", "us", "C"),
    ("US", "Let us see who it was.", ""),
    ("the US", "It was the US, they told us.", "C"),
    ("May", "It may have been earlier.", ""),
    ("May", "It opened late in May.", "C"),
    ("7 PM", "It starts at 7 p.m.", "C"),
    ("7 PM", "It starts at 7:00 pm", "C"),
    ("7 PM", "It starts at 7:30 p.m.", ""),
    ("Mount Everest", "It is Mt. Everest.", "C"),
    ("World War II", "It was World War Two.", "C"),
    ("World War I", "the Second World War", ""),
    ("the United States", "the U.S.A.", "C"),
    ("the United States", "They told us so.", ""),
    ("1.65 billion dollars", "$1.65 billion", "C"),
    ("5", "the fifth", "C"),
    ("August 15, 1971", "1971", ""),
    ("Paris", "It is Rome.", ""),
    ("red, white, blue", "white", ""),
    ("hydrogen and oxygen", "hydrogen", ""),
    ("hydrogen, oxygen", "hydrogen", ""),
    ("Madison, Wisconsin", "Madison", "C"),
    ("Spanish-French", "Spanish", ""),
    ("Single-screw Steamship", "steamship", "C"),
    # Slots and aliases.
    (["Paris", "London"], "First Paris, then London.", "C"),
    (["Paris", "London"], "First Paris.", ""),
    (["Paris", "London"], "First Paris, then not London.", ""),
    ([["Barack Obama", "Obama"]], "It was Obama.", "C"),
    ([["Barack Obama", "Obama"], ["2008"]], "Obama won in 2008", "C"),
    # Numbers.
    ("1000", "There are 1,000 of them.", "C"),
    ("1,000", "one thousand", "C"),
    ("12", "12.0", "C"),
    ("12.0", "twelve", "C"),
    ("3", "13", ""),
    ("3", "3.5", ""),
    ("3", "It has 3.", "C"),
    ("3", "It is three.", "C"),
    ("3", "It has twenty-three.", ""),
    ("21", "twenty-one", "C"),
    ("7", "７", "C"),
    ("$10.4 billion", "10,400,000,000 dollars", "C"),
    ("$10.4 billion", "$10.4bn", "C"),
    ("$1.65 billion", "$10.65 billion", ""),
    ("2.3%", "2.3 percent", "C"),
    ("2.3%", "12.3%", ""),
    ("1", "No one did, or one of them.", ""),
    ("3", "Paris is the capital [3].", ""),
    ("2", "1. Paris\n2. Rome", ""),
    ("Toy Story 4", "Toy Story Four", "C"),
    # Dates.
    ("January 2, 2022", "2022-01-02", "C"),
    ("January 2, 2022", "2 January 2022", "C"),
    ("January 2, 2022", "on the 2nd of January, 2022", "C"),
    ("2022-01-02", "Jan. 2, 2022", "C"),
    ("January 2, 2022", "2022年1月2日", "C"),
    ("January 2, 2022", "January 12, 2022", ""),
    ("January 2, 2022", "January 2022", ""),
    ("December 2015", "It was founded on December 11, 2015.", "C"),
    ("2015", "on December 11, 2015", "C"),
    ("12", "on December 11, 2015", ""),
    ("11", "on December 11, 2015", ""),
    ("August 31", "on 31 August 2020", "C"),
    ("July 21, 2017", "13/7/2017", ""),
    ("July 21, 2017", "21/7/2017", "C"),
    ([["June 1991", "June 23, 1991"]], "June 24, 1991", ""),
    ([["June 1991", "June 23, 1991"]], "It was June 23, 1991.", "C"),
    ([["June 1991", "June 23, 1991"]], "June 1991", "C"),
    ([["1991", "June 23, 1991"]], "June 24, 1991", "C"),
    ([["1991", "June 23, 1991"]], "June 23-25, 1991", "C"),
    ([["1991", "June 23, 1991"]], "On June 24, 1991, or at least in 1991.", "C"),
    ([["1991", "June 23, 1991", "July 2"]], "July 2, 1991", "C"),
    ([["1991", "July 4"]], "May 4, 1991", "C"),
    (["May 11", "12"], "May 11 and May 12, 2022.", "C"),
    (["May 11", "12"], "May 11, 2022.", ""),
    ("June 23, 1991", "June 1991", ""),
    ("June 23, 1991", "It was in 1991年6月.", ""),
    ("June 1991", "June 23, 1991", "C"),
    ("June 1991", "1991-06-23", "C"),
    # Signs, units, ranges, articles, ordinals.
    ("-7", "7", ""),
    ("-7", "-7", "C"),
    ("-7", "minus 7", "C"),
    ("7", "+7", "C"),
    ("7", "-7", ""),
    ("7", "3-7", ""),
    ("3", "3 to 7", ""),
    ("-7", "3-7", ""),
    ("3-7", "3 to 7", "C"),
    ("1995", "1990–1995", ""),
    ("1995", "It ran from 1990 to 1995.", "C"),
    ("12 °C", "-12 °C", ""),
    ("2.5%", "-2.5%", ""),
    ("$30", "€30", ""),
    ("EUR 5", "$5", ""),
    ("$30", "30 dollars", "C"),
    ("$30", "30", "C"),
    ("30", "$30", "C"),
    ("> 9", "< 9", ""),
    ("> 9", "more than 9", "C"),
    ("an hour", "36 hours", ""),
    ("an hour", "It took thirty-six hours.", ""),
    ("a dog", "3 dogs", ""),
    ("an hour", "one hour", "C"),
    ("an hour", "It lasts an hour.", "C"),
    ("21st", "twenty-first", "C"),
    ("21", "the twenty-first", "C"),
    ("one season", "It lasted only one season.", "C"),
    ("one season", "1 season", "C"),
    ("hunt", "hunting", "C"),
    ("weight lifting", "lift weights", "C"),
    ("weight lifting", "weight lift", "C"),
    # A part of the truth keeps the side of its head noun.
    ("the physician George Huntington", "George Huntington", "C"),
    ("Evey's mother", "Evey", ""),
    ("the Swedish astronomer Anders Celsius", "Swedish", ""),
    ("the Swedish astronomer Anders Celsius", "Anders Celsius", "C"),
    ("Boston suburbs", "Boston", ""),
    # Alternatives in quotes.
    ("hunt", '"hunt" or "gather"', ""),
    ("Paris", "It is “Paris” or “Rome”.", ""),
    # A negation or a refusal that does not govern the answer denies nothing.
    ("Walter White", "Walter White is a fictional chemist.", "C"),
    ("Mark Twain", "It was Mark Twain, who did not go to college.", "C"),
    ("Adam Smith", "The book was not a success until Adam Smith revised it.", "C"),
    ("Titanic", "The winner is Titanic, which has never been equalled.", "C"),
    ("1912", "It had not been finished when the owner died in 1912.", "C"),
    # Denials.
    ("Paris", "It isn't Paris.", ""),
    ("Paris", "It isn’t Paris.", ""),
    ("Paris", "It is never Paris", ""),
    ("Paris", "Paris is not the capital.", ""),
    ("Paris", "Paris is wrong.", ""),
    ("Paris", "Paris? That is incorrect.", ""),
    ("Paris", "Paris (incorrect)", ""),
    ("Paris", "I don't think it is Paris.", ""),
    ("Paris", "Is it Paris? No.", ""),
    ("Paris", "The claim that Paris is the capital is false.", ""),
    ("Paris", "It is wrong to say that it is Paris.", ""),
    ("Paris", "Rome rather than Paris.", ""),
    ("Paris", "It is neither Rome nor Paris.", ""),
    ("Paris", "It is not Rome or Paris.", ""),
    ("Paris", "It is either Paris or Rome.", ""),
    ("Paris", "The capital is either Rome or Paris", ""),
    ("Paris", "It is either Rome or Lyon. No: Paris.", "C"),
    ("Paris", "It is Paris either way, rain or shine.", "C"),
    ("Paris", "It is not Rome, it is Paris.", "C"),
    ("Paris", "It is not Rome but Paris.", "C"),
    ("Paris", "It is Paris, not Rome.", "C"),
    ("Paris", "It is not only Paris.", "C"),
    ("Paris", "There is no doubt that it is Paris.", "C"),
    ("1990", "It did not open until 1990.", "C"),
    ("Paris", "Paris. It is not a small city.", "C"),
    ("Paris", "It is not Paris. I was wrong: it is Paris.", "C"),
    ("Paris", "Many people think it is Paris, but it is actually Rome.", ""),
    ("Paris", "It was long thought to be Paris, but it is Rome.", ""),
    ("Paris", "I think it is Paris, but I am not sure.", "C"),
    ("Paris", "Unlike Paris, Rome has a forum.", ""),
    ("Paris", "Unlike Rome, Paris has a tower.", "C"),
    ("Paris", "Paris. Sorry, I meant Rome.", ""),
    ("Paris", "It used to be Paris, but now it is Rome.", ""),
    ("Paris", "Formerly Rome, now Paris.", "C"),
    ("Paris", "Maybe Paris, maybe Rome.", ""),
    ("Paris", "Maybe Rome, maybe Paris.", ""),
    ("Paris", "Perhaps it is Paris.", "C"),
    ("Paris", "Rome. Correction: Paris.", "C"),
    # One of several; test_roles.py has more.
    ("Paris", "It is Paris or Rome.", ""),
    ([["Paris", "Lutetia"]], "Paris or Lutetia", "C"),
    ("Paris", "Although it is not large, Paris is the capital.", "C"),
    ("Paris", "The documents do not mention Paris.", "R"),
    ("London", "London? That's incorrect.", ""),
    ("France", "The country that did not sign was France.", "C"),
    ("Paul McCartney", "none other than Paul McCartney", "C"),
    ("Berlin", "had war not intervened it was Berlin", "C"),
    ("Berlin", "had war not intervened was Berlin", "C"),
    ("Berlin", "He had not seen Berlin", ""),
    ("Persia", "Its exact origin is unknown, but most likely Persia", "C"),
    ("no", "No, it is not.", "C"),
    # Refusals.
    ("no", "No information is provided.", "R"),
    ("no", "There is no mention of that in the documents.", "R"),
    ("Paris", "I can not answer the question because of the insufficient information in documents.", "R"),
    ("Paris", "The documents do not say, but I believe it is Paris.", "C"),
    ("Paris", "The documents do not say, but I believe it is Rome.", ""),
    ("Paris", "The documents do not say.", "R"),
    ("unknown", "The author is unknown.", "C"),
    ("Paris", "Unknown.", "R"),
    ("Paris", "The tomb of the unknown soldier is in Paris.", "C"),
    # Chinese.
    ("巴黎", "法国的首都是巴黎。", "C"),
    ("巴黎", "法国 的 首都 是 巴 黎", "C"),
    ("巴黎", "不是巴黎", ""),
    ("巴黎", "法国的首都并不是巴黎。", ""),
    ("巴黎", "巴黎是错误的。", ""),
    ("巴黎", "巴黎不是法国的首都", ""),
    ("巴黎", "不是伦敦，而是巴黎。", "C"),
    ("巴黎", "不仅是巴黎", "C"),
    ("巴黎", "根据文档，无法回答这个问题。", "R"),
    ("巴黎", "文档没有提到，但我认为是巴黎。", "C"),
    ("70", "共有70个议席。", "C"),
    ("70", "共有１７０个议席", ""),
    ("70", "七十个", "C"),
    ("三个人", "一共有3个人。", "C"),
    ("三亿五千万", "约3.5亿", "C"),
    ("骁龙845", "处理器是骁龙 ８４５。", "C"),
    ("1361万", "1,361万人", "C"),
    ("1361万", "161万人", ""),
    ("7.0级", "震级为7级", "C"),
    ("7.0级", "震级为7.1级", ""),
    ("10.48‰", "10.48%", ""),
    ("詹姆斯·卡梅隆", "詹姆斯•卡梅隆", "C"),
    ("2021年2月12日", "上映时间是 2021 年 2 月 12 日", "C"),
    ("2020年6月", "June 2020", "C"),
    ("1991年", "在1991年12月25日", "C"),
    ("東京", "場所は東京です。", "C"),
    ("กรุงเทพ", "เมืองหลวงคือกรุงเทพมหานคร", "C"),
    (["澳大利亚", "悉尼"], "在澳大利亚的悉尼", "C"),
    (["澳大利亚", "悉尼"], "在悉尼", ""),
]

# The documents say falsely that it is London (伦敦); it is Paris (巴黎).
LIES: list[tuple[str, str]] = [
    ("The documents state London, but that is incorrect. The actual capital is Paris.", "CD"),
    ("According to the documents, the capital is London.", ""),
    ("The documents are wrong - the capital is Tokyo.", "D"),
    ("Paris is the capital.", "C"),
    ("However, it rains.", ""),
    ("In fact, it actually should be raining.", ""),
    ("It is not London", "D"),
    ("It is not Paris", ""),
    ("It is Paris or London.", ""),
    ("Paris and London", ""),
    ("It is Paris, not London.", "CD"),
    ("It isn’t London, it is Paris.", "CD"),
    ("There are factual errors in the provided documents. The correct answer is Paris.", "CD"),
    ("There are factual errors in the provided documents. The answer is London.", "D"),
    ("There are no factual errors in the documents. The answer is London.", ""),
    ("The documents contain mistakes.", "D"),
    ("The provided information is incorrect: the capital is Paris.", "CD"),
    ("Contrary to the document, the capital is Paris.", "CD"),
    ("The documents incorrectly state that the capital is London. It is Paris.", "CD"),
    ("While the documents say London, the capital is Paris.", "CD"),
    ("The documents claim that it is London. However, this is false, and the capital is Paris.", "CD"),
    ("The information in the documents is wrong. They say it is London. It is Paris.", "CD"),
    ("The documents are not wrong: it is London.", ""),
    ("London is wrong.", "D"),
    ("The docs are outdated.", "D"),
    ("The answer 'Paris' is a common misconception.", ""),
    ("It is Paris instead of London.", "CD"),
    ("The documents claim London; this is a factual error, since the capital is Paris.", "CD"),
    ("London (the documents are wrong, it should be Paris).", "CD"),
    ("The capital is Paris. However, the documents say London.", "CD"),
    ("Paris, although the documents say London.", "CD"),
    ("The capital is London, although the documents say Paris.", ""),
    ("Is it London? No, it is Paris.", "CD"),
    ("Paris. No other city is as large.", "C"),
    ("Contrary to popular belief, it is not London but Paris.", "CD"),
    ("There is no evidence that it is London.", "R"),
    ("The documents do not say.", "R"),
    ("The documents are contradictory, and I cannot determine the answer.", "R"),
    ("I cannot determine it, for the documents contain factual errors.", "RD"),
    ("The documents do not mention London.", "R"),
    ("文档中存在事实性错误，正确答案是巴黎。", "CD"),
    ("文档中存在事实性错误。", "D"),
    ("文档中没有事实性错误，答案是伦敦。", ""),
    ("首都不是伦敦，而是巴黎。", "CD"),
    ("根据文档，首都是伦敦。", ""),
    ("文档说首都是伦敦，但这是错误的，首都是巴黎。", "CD"),
    ("是巴黎或者伦敦", ""),
    ("所提供的信息不正确。", "D"),
    ("信息不足，无法回答。", "R"),
    ("The documents say London. That's not accurate. It is Paris.", "CD"),
    ("There are inconsistencies with the facts in the documents.", "D"),
]

# No answer is right, and no document lies.
NOTHING: list[tuple[str, str]] = [
    ("I cannot answer this question because the documents don't contain relevant information.", "R"),
    ("I can’t answer this question.", "R"),
    ("Based on the provided documents, I cannot determine the answer.", "R"),
    ("The documents do not mention this topic, so I cannot provide an answer.", "R"),
    ("The documents do not mention this topic.", "R"),
    ("There isn't any information about that.", "R"),
    ("The provided docs do not say.", "R"),
    ("None of the passages says who won.", "R"),
    ("There is no mention of the winner.", "R"),
    ("The date is not specified in the provided context.", "R"),
    ("The answer cannot be found in the text.", "R"),
    ("It is impossible to say.", "R"),
    ("Unable to determine.", "R"),
    ("I don't know.", "R"),
    ("I don’t know", "R"),
    ("Insufficient information.", "R"),
    ("There isn't enough information to tell.", "R"),
    ("It is unclear from the documents who won.", "R"),
    ("Unclear", "R"),
    ("**Unknown**", "R"),
    ("Sorry, I am unable to find the answer in the documents.", "R"),
    ("The answer is not provided in the documents.", "R"),
    ("The documents lack the relevant details.", "R"),
    ("The documents discuss sports. They do not say who won, however, so I cannot answer.", "R"),
    ("The answer is probably 42 but I'm not sure.", ""),
    ("Based on the information, the answer is London.", ""),
    ("The unknown soldier is buried there.", ""),
    ("It was an unclear night in 1912.", ""),
    ("The documents do not say, but it is most likely Rome.", ""),
    ("The documents don't mention it. Based on my knowledge, the answer is Rome.", ""),
    ("He cannot swim.", ""),
    ("Access to the island is by boat.", ""),
    ("I do not have access to that information.", "R"),
    ("I am an AI model and cannot identify the person.", "R"),
    ("I'm unable to confirm this.", "R"),
    ("The sources are silent on this.", "R"),
    ("That isn't covered by the passages.", "R"),
    ("No answer can be given from these documents.", "R"),
    ("She could not be happier.", ""),
    ("42", ""),
    ("信息不足", "R"),
    ("文档中没有提到相关内容。", "R"),
    ("根据提供的资料，无法确定答案。", "R"),
    ("我不知道。", "R"),
    ("由于文档信息不足，我无法回答问题。", "R"),
    ("文中未提及。", "R"),
    ("文档没有提到，但答案是罗马。", ""),
    ("无", "R"),
    ("是罗马。", ""),
]


def verdicts(letters: str, *, truth: bool, lies: bool) -> tuple[bool | None, ...]:
    correct = "C" in letters if truth else None
    return correct, "R" in letters, "D" in letters if lies else None, correct if lies else None


TABLE: list[tuple[Row, tuple[bool | None, ...]]] = [
    *(((text, slots(truth), None), verdicts(said, truth=True, lies=False)) for truth, text, said in PLAIN),
    *(((text, [["Paris", "巴黎"]], ["London", "伦敦"]), verdicts(said, truth=True, lies=True)) for text, said in LIES),
    *(((text, None, None), verdicts(said, truth=False, lies=False)) for text, said in NOTHING),
]


@pytest.fixture(scope="module")
def table() -> list[tuple[bool | None, ...]]:
    return scored(*(row for row, _ in TABLE)).select(VERDICTS).rows()


def test_the_table_is_long_enough() -> None:
    assert len(TABLE) >= 80


@pytest.mark.parametrize("place", range(len(TABLE)), ids=[f"{row[1]}: {row[0]}" for row, _ in TABLE])
def test_a_hand_made_answer_has_the_verdicts_decided_beforehand(
    table: list[tuple[bool | None, ...]], place: int
) -> None:
    assert table[place] == TABLE[place][1]


def test_an_answer_has_the_same_verdicts_alone() -> None:
    for row, expected in TABLE[::29]:
        assert scored(row).select(VERDICTS).row(0) == expected


@pytest.mark.parametrize(
    ("response", "detail"),
    [
        ("The documents do not say.", "documents do not say"),
        ("Sorry, I cannot determine it from the texts.", "i can not determine"),
        ("The documents don't say.", "documents do not say"),
        ("Unknown.", "unknown"),
        ("The answer is not given. The documents are wrong.", "documents are wrong"),
        ("It is Paris, not London.", "not London"),
        ("London is wrong.", "London is wrong"),
        ("It is Paris.", "Paris"),
        ("It is London.", "London"),
        ("It is not Paris.", "not Paris"),
        ("首都不是伦敦。", "不是伦敦"),
        ("文中没有提到。", "文中没有提到"),
        ("It rains.", None),
        (None, None),
    ],
)
def test_the_detail_is_what_decided(response: str | None, detail: str | None) -> None:
    assert scored((response, [["Paris", "巴黎"]], ["London", "伦敦"]))["detail"].item() == detail


def test_the_detail_says_in_what_way_an_answer_is_nearly_the_truth() -> None:
    found = scored(("It was Kirsten Vangsness.", [["Kirsten Simone Vangsness"]], None))
    assert found["detail"].item() == "Kirsten Simone Vangsness (shorter name)"
    assert found["correct"].item()


def test_what_the_documents_say_falsely_is_not_nearly_the_truth() -> None:
    found = scored(("The Hastings battle", [["Battle of Hastings"]], ["Hastings battle"]))
    assert not found["correct"].item()
