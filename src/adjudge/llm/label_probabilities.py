"""How probable each label was to a model, from the log probabilities of the tokens that it wrote."""

from collections.abc import Sequence
from itertools import accumulate
from math import exp
from typing import TYPE_CHECKING, Any

from adjudge.llm.reply_forms import fold

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput


def label_probabilities(output: "ModelOutput", label: str, labels: Sequence[str]) -> dict[str, float]:
    """The probability of each label, given that one of them was written; empty where the server tells none.

    Taken at the first token of the label's last occurrence: the share of each label among the alternatives that begin
    it and no other label. Labels that begin alike get none.
    """
    logprobs = output.choices[0].logprobs
    tokens: list[Any] = list(logprobs.content) if logprobs else []
    text = "".join(token.token for token in tokens).casefold()
    start, ends = text.rfind(label.casefold()), accumulate(len(token.token) for token in tokens)
    token = next((token for token, end in zip(tokens, ends, strict=True) if end > start >= 0), None)
    if token is None:
        return {}
    weights = dict.fromkeys(labels, 0.0)
    for other in token.top_logprobs or [token]:
        begun = fold(other.token)
        fitting = [name for name in labels if begun and fold(name).startswith(begun)]
        if len(fitting) == 1:
            weights[fitting[0]] += exp(other.logprob)
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()} if weights.get(label) and total else {}
