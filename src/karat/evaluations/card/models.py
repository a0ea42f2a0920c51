"""Who is a model, to judge by the name."""

from karat.formats.naming import words

_MODELS = {
    *("gpt", "chatgpt", "claude", "llama", "mistral", "mixtral", "gemini", "gemma", "qwen", "deepseek", "grok"),
    *(
        "palm",
        "pandalm",
        "prometheus",
        "openai",
        "anthropic",
        "llm",
        "llms",
        "model",
        "judge",
        "autorater",
        "ai",
        "bot",
    ),
}
"""Words of names that models bear, and people do not."""


def is_model(name: str) -> bool:
    """Whether a name is that of a model.

    >>> [is_model(one) for one in ("gpt-4o", "Claude_3", "llm judge", "gpt4", "Claudia", "ana")]
    [True, True, True, True, False, False]
    """
    return any(one in _MODELS or one.rstrip("0123456789o") in _MODELS for one in words(name))
