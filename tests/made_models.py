"""Small language models with random weights, in folders of their own."""

import json
from pathlib import Path
from typing import Any

WORDS = ["the", "cat", "dog", "sat", "ran", "on", "mat", "road", "not", "naive", "über", "##s", "##ed", "##ing"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789éüαβ漢字"
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,!?", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
POSITIONS = 48

SIZES: dict[str, dict[str, Any]] = {
    "Bert": {"num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64},
    "Electra": {"num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64},
    "Roberta": {"num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64, "pad_token_id": 0},
    "MPNet": {"num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64, "pad_token_id": 0},
    "Albert": {"num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64, "embedding_size": 16},
    "DistilBert": {"n_layers": 3, "n_heads": 4, "hidden_dim": 64},
    "XLNet": {"n_layer": 3, "n_head": 4, "d_inner": 64},
    "Bart": {"encoder_layers": 3, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    | {"encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "pad_token_id": 0},
    "T5": {"num_layers": 3, "num_decoder_layers": 1, "num_heads": 4, "d_kv": 8, "d_ff": 64, "pad_token_id": 0},
}
"""Sizes by architecture, besides those that all share."""

HIDDEN = {"DistilBert": "dim", "XLNet": "d_model", "Bart": "d_model", "T5": "d_model"}

BEHIND_PADDING = {"Roberta": 1, "MPNet": 2}
"""How many positions are never used where they are numbered from behind that of padding."""


def make_model(folder: Path, architecture: str = "Bert", **sizes: object) -> Path:
    """Writes a model and a WordPiece tokenizer of POSITIONS tokens at most into a folder, and returns it."""
    import torch
    import transformers

    tokenizer = transformers.BertTokenizer(_vocabulary(folder), model_max_length=POSITIONS)
    common = {"vocab_size": len(tokenizer), HIDDEN.get(architecture, "hidden_size"): 32}
    if architecture not in {"T5", "XLNet"}:  # whose positions are relative
        common["max_position_embeddings"] = POSITIONS + BEHIND_PADDING.get(architecture, 0)
    config = getattr(transformers, f"{architecture}Config")(**(common | SIZES[architecture] | sizes))
    torch.manual_seed(0)
    # Larger than the usual, or all vectors would be nearly alike.
    config.initializer_range = 0.3
    getattr(transformers, f"{architecture}Model")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_byte_tokenizer(folder: Path) -> None:
    """Puts a tokenizer of RoBERTa's kind in the place of a folder's: bytes, and two merges that begin with a space."""
    import transformers

    pieces = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        "<mask>",
        *(chr(code) for code in range(33, 127)),
        "Ġ",
        "Ġt",
        "Ġth",
        "Ġc",
    ]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    tokenizer = transformers.RobertaTokenizer(
        vocab=vocabulary, merges=[("Ġ", "t"), ("Ġt", "h"), ("Ġ", "c")], model_max_length=POSITIONS
    )
    tokenizer.save_pretrained(folder)


def edit(path: Path, **changes: object) -> None:
    """Changes entries of an object in a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _vocabulary(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "vocab.txt"
    path.write_text("\n".join(dict.fromkeys((*PIECES, *WORDS))), encoding="utf-8")
    return str(path)
