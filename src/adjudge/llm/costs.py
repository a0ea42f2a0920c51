"""What asking would cost: calls and tokens counted, and priced by a table that the user can give."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated

import msgspec

from adjudge.errors import OptionError
from adjudge.llm.calls import Call
from adjudge.llm.reply_forms import reply_schema
from adjudge.readers.problems import count_words
from adjudge.text.toml_files import packaged, toml_in

_OVERHEAD, _TEXT = 8, 40
"""Tokens around messages, and of a text in an answer, roughly."""
_FURTHER_LABELS = re.compile(r"\|[^\"]*")
_MILLION = 1_000_000
_Price = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens that a model reads and writes, in any currency."""

    input: _Price
    output: _Price

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The price of that many tokens."""
        return (tokens_in * self.input + tokens_out * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class CostPlan:
    """What asking would take. tokens_in, tokens_out: estimates. prompt: the first one."""

    calls: int
    tokens_in: int
    tokens_out: int
    prompt: str

    @property
    def prompt_text(self) -> str:
        """The first prompt, with a heading."""
        return f"--- prompt 1 of {self.calls:,} ---\n{self.prompt}\n\n\n" if self.calls else ""

    @property
    def counts(self) -> str:
        """Calls and tokens in words."""
        calls = count_words(self.calls, "call", "calls")
        return f"{calls}, about {self.tokens_in:,} tokens to read and {self.tokens_out:,} to write"

    def __str__(self) -> str:
        return self.prompt_text + self.counts


def planned(calls: Iterable[Call]) -> CostPlan:
    """Calls and tokens of work, asking nothing. Equal calls count once only when they are asked."""
    count, tokens_in, tokens_out, tokens_of = 0, 0, 0, token_counter()
    first = ""
    for call in calls:
        system, prompt = call.messages("01234567")
        count += 1
        schema = reply_schema(call.form)
        tokens_in += tokens_of(f"{system}{prompt}{json.dumps(schema) if schema else ''}") + _OVERHEAD
        answer = json.dumps({"reason": "...", "verdict": call.form.example} if schema else call.form.example)
        if tokens_of is not estimate_tokens:  # for which all labels of a scale make up for the signs of JSON
            answer = _FURTHER_LABELS.sub("", answer)
        tokens_out += tokens_of(answer) + _TEXT * answer.count("...")
        first = first or (f"{system}\n\n{prompt}" if system else prompt)
    return CostPlan(count, tokens_in, tokens_out, first)


def prices_of(path: str | Path | None, model: str) -> Prices | None:
    """A model's prices from a TOML file: a table per model, such as ["openai/gpt-x"] with input and output.

    Without a file those that come with Adjudge, also of a dated version of a model (openai/gpt-x-2025-01-01); None for
    models of which none are known. Raises OptionError where a user's file holds none for the model.
    """
    if path is None:
        undated = re.sub(r"-(?:\d{4}-\d\d-\d\d|\d{8}|latest)\Z", "", model)
        priced = packaged(__package__, "prices.toml").get(undated)
        return Prices(**priced) if isinstance(priced, Mapping) else None
    found = toml_in(Path(path), "prices as TOML")
    try:
        return msgspec.convert(found.get(model), Prices)
    except msgspec.ValidationError as error:
        problem = f'{path}: expected a table ["{model}"] with input and output, the prices of a million tokens'
        raise OptionError(problem, found=f"{error}; {', '.join(found):.200}") from None


_PER_TOKEN, _PER_SIGN, _FIRST_SIGN = 4, 0.75, "\u2e80"
"""Characters of a token in alphabets, and tokens of a sign of Chinese, Japanese and Korean, which begin there."""
_VOCABULARY = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""What tiktoken's cache calls its vocabulary o200k_base."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, by its characters.

    >>> estimate_tokens("It is late now."), estimate_tokens("今天天气")
    (4, 3)
    """
    signs = sum(character >= _FIRST_SIGN for character in text)
    return round((len(text) - signs) / _PER_TOKEN + signs * _PER_SIGN)


def token_counter() -> Callable[[str], int]:
    """Counts tokens by tiktoken's vocabulary where it lies on this machine, else by characters.

    It is not fetched, since nothing is asked where tokens are estimated.
    """
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or Path(gettempdir(), "data-gym-cache")
    if not Path(folder, _VOCABULARY).is_file():
        return estimate_tokens
    try:
        import tiktoken
    except ImportError:
        return estimate_tokens
    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))
