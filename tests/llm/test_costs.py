"""What asking would cost: calls, tokens and money, worked by hand."""

import json

import pytest

from adjudge.errors import OptionError
from adjudge.llm.calls import Call
from adjudge.llm.costs import Prices, planned, prices_of
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice, Free, reply_schema

AB = Choice(("A", "B"))
TABLE = '["openai/m"]\ninput = 0.5\noutput = 2\n["free/m"]\ninput = 0\noutput = 0\n'


def call(text, form=AB, system="", prompt="{{ text }}"):
    return Call(Template("t", "1", system, prompt), form, {}, {"text": text})


def test_a_plan_counts_calls_and_tokens():
    """Four characters are a token, a message has eight more, and a schema is read too."""
    plan = planned([call("x" * 40), call("y" * 12, Free(), system="Hey."), call("abc", Free())])
    assert plan.calls == 3
    schema = len(json.dumps(reply_schema(call("").form)))
    assert plan.tokens_in == (40 + schema) // 4 + 8 + (4 + 12) // 4 + 8 + 0 + 8
    assert plan.tokens_out == 80 + 200 + 200


def test_prices_of_well_known_models_come_with_adjudge():
    assert (
        prices_of(None, "openai/gpt-4o-mini-2024-07-18") == prices_of(None, "openai/gpt-4o-mini") == Prices(0.15, 0.6)
    )
    assert prices_of(None, "openai/none") is None


def test_a_plan_shows_the_first_three_prompts_whole():
    plan = planned(call(f"prompt {n}", system="Hey.") for n in range(9))
    assert plan.prompts == tuple(f"Hey.\n\nprompt {n}" for n in range(3))
    assert planned([call("alone")]).prompts == ("alone",)
    assert planned([]).prompts == ()


def test_prices_are_of_a_million_tokens():
    assert Prices(0.5, 2).of(3_000_000, 250_000) == pytest.approx(3 * 0.5 + 0.25 * 2)
    assert Prices(0.5, 2).of(0, 0) == 0


def test_prices_are_found_by_the_models_name(written):
    path = written(TABLE, "prices.toml")
    assert prices_of(path, "openai/m") == Prices(0.5, 2.0)
    assert prices_of(path, "free/m") == Prices(0.0, 0.0)
    assert prices_of(None, "openai/m") is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (TABLE, r'expected a table \["openai/other"\] with input and output\nfound: openai/m, free/m'),
        ('["openai/other"]\ninput = 1', "output: expected the price of a million tokens; got nothing"),
        ('["openai/other"]\ninput = -1\noutput = 1', "input: expected the price of a million tokens; got -1"),
        ('["openai/other"]\ninput = nan\noutput = 1', "input: .* got nan"),
        ('["openai/other"]\ninput = "1"\noutput = 1', "input: .* got '1'"),
        ('["openai/other"]\ninput = true\noutput = 1', "input: .* got True"),
        ('"openai/other" = 3', "expected a table"),
        ("[", "expected prices as TOML"),
        (b"\xff", "expected prices as TOML"),
    ],
)
def test_a_file_without_the_models_prices_is_refused(written, content, said):
    with pytest.raises(OptionError, match=said):
        prices_of(written(content, "prices.toml"), "openai/other")
