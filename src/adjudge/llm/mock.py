"""Answers for Inspect's mock model: random, in the form that was asked for, so that all can be tried without a key."""

import json
import re
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

_MARKER = re.compile(r"(?<=text-|DICT )[0-9a-f]{8}")

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput


def answers(messages: "list[ChatMessage]", tools: Any, choice: Any, config: "GenerateConfig") -> "ModelOutput":  # noqa: ANN401, ARG001
    """A reply that fits the schema; the same for the same prompt, whatever its marker."""
    from inspect_ai.model import ModelOutput, ModelUsage

    schema = config.response_schema
    random = Random(_MARKER.sub("", messages[-1].text))  # noqa: S311 - no secret
    text = "A mock answer."
    if schema is not None:
        text = json.dumps(_value(schema.json_schema.model_dump(exclude_none=True), random))
    output = ModelOutput.from_content("mock", text)
    output.usage = ModelUsage()  # else Inspect counts tokens, with a table that it fetches from the network
    return output


def _value(schema: Mapping[str, Any], random: Random) -> object:
    if schema.get("enum"):
        return random.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {name: _value(one, random) for name, one in schema["properties"].items()}
    if kind == "array":
        return [_value(schema["items"], random) for _ in range(random.randrange(3))]
    if kind in ("integer", "number"):
        return random.randint(int(schema.get("minimum", 1)), int(schema.get("maximum", 1)))
    return "a mock answer"
