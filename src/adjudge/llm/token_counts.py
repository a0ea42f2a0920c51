"""Numbers of tokens in texts, counted where a vocabulary is at hand, else estimated."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

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
