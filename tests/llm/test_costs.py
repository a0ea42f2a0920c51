"""What asking would cost: calls, tokens and money, worked by hand."""

import json

import pytest

from adjudge.errors import OptionError
from adjudge.llm.calls import Call
from adjudge.llm.costs import Prices, estimate_tokens, planned, prices_of, token_counter
from adjudge.llm.prompts import Template, template
from adjudge.llm.reply_forms import Choice, Fields, Free, reply_schema

AB = Choice(("A", "B"))
TABLE = '["openai/m"]\ninput = 0.5\noutput = 2\n["free/m"]\ninput = 0\noutput = 0\n'


def call(text, form=AB, system="", prompt="{{ text }}"):
    return Call(Template("t", "1", system, prompt), form, {}, {"text": text})


# The numbers of tokens are those of OpenAI's vocabulary o200k_base, counted once.
PROSE = (
    "The answer is not right, since the document says nothing about Lima. It also lacks a reason, and its tone is rude."
)
TOKENS = {
    PROSE: 26,
    "今天天气很好，我们去公园散步吧。她说这个答案不正确，因为文档里没有提到利马。": 28,
    "문서에 리마에 대한 내용이 없기 때문에 답이 틀렸습니다.": 19,
    template("preferences_judge").system: 56,
    json.dumps(reply_schema(Fields({name: Choice(("A", "B", "both", "neither")) for name in ("polite", "brief")}))): 83,
}


@pytest.mark.parametrize(("text", "count"), TOKENS.items())
def test_tokens_are_estimated_within_a_quarter(text, count):
    assert estimate_tokens(text) == pytest.approx(count, rel=0.25)


def test_a_plan_counts_calls_and_tokens(monkeypatch):
    """Here each character is a token. A message has eight more, a schema is read too, and a text that is written has 40."""
    monkeypatch.setattr("adjudge.llm.costs.token_counter", lambda: len)
    plan = planned([call("x" * 40), call("y" * 12, Free(), system="Hey."), call("abc", Free())])
    assert plan.calls == 3
    schema = len(json.dumps(reply_schema(AB)))
    assert plan.tokens_in == (40 + schema) + 8 + (4 + 12) + 8 + 3 + 8
    assert plan.tokens_out == len('{"reason": "...", "verdict": "A"}') + 40 + 2 * (len('"..."') + 40)


def test_tokens_are_counted_by_a_vocabulary_that_is_at_hand(monkeypatch, tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert token_counter() is estimate_tokens, "none is fetched"
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").touch()
    letters = tiktoken.Encoding(
        "letters", pat_str=".", mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={}
    )
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: letters)
    assert token_counter()("It is late.") == 11


def test_prices_of_well_known_models_come_with_adjudge():
    assert (
        prices_of(None, "openai/gpt-4o-mini-2024-07-18") == prices_of(None, "openai/gpt-4o-mini") == Prices(0.15, 0.6)
    )
    assert prices_of(None, "openai/none") is None


def test_a_plan_shows_the_first_prompt_whole():
    plan = planned(call(f"prompt {n}", system="Hey.") for n in range(9))
    assert (plan.prompt, planned([call("alone")]).prompt, planned([]).prompt) == ("Hey.\n\nprompt 0", "alone", "")


def test_prices_are_of_a_million_tokens(written):
    assert prices_of(written(TABLE, "prices.toml"), "openai/m") == Prices(0.5, 2.0)
    assert Prices(0.5, 2).of(3_000_000, 250_000) == pytest.approx(3 * 0.5 + 0.25 * 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            TABLE,
            r'expected a table \["openai/other"\] with input and output, .*\nfound: .* got `null`; openai/m, free/m',
        ),
        ('["openai/other"]\ninput = 1', "missing required field `output`"),
        ('["openai/other"]\ninput = -1\noutput = 1', r"Expected `float` >= 0.0 - at `\$.input`"),
        ('["openai/other"]\ninput = nan\noutput = 1', "Expected `float` >= 0.0"),
        ('["openai/other"]\ninput = "1"\noutput = 1', "got `str`"),
        ('"openai/other" = 3', "got `int`"),
        ("[", "expected prices as TOML"),
        (b"\xff", "expected prices as TOML"),
    ],
)
def test_a_file_without_the_models_prices_is_refused(written, content, said):
    with pytest.raises(OptionError, match=said):
        prices_of(written(content, "prices.toml"), "openai/other")
