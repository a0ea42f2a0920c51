"""BERTScore: similarity of the tokens of two texts, by a language model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from adjudge.errors import OptionError
from adjudge.text.local_models import extra, loading
from adjudge.text.similarity import Scorer, distinct_texts
from adjudge.text.toml_files import packaged
from adjudge.version import TITLE

if TYPE_CHECKING:
    import polars as pl
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Pair = tuple[int, int]
"""The places of the prediction and the reference among the distinct texts."""

LAYERS: dict[str, int] = packaged(__package__, "bertscore_layers.toml")
"""The layer that the authors of BERTScore recommend, by the model's name: the one that agreed best with humans."""

_OWNERS = ("FacebookAI", "albert", "distilbert", "google-bert", "google-t5", "xlnet")
"""Owners under whom models are now published that had names without an owner when LAYERS was made."""

_PAIRS_AT_ONCE = 256
"""Pairs whose vectors are in memory at once: about 1 GiB for the longest texts of large models."""

_ENCODED_AT_ONCE = 32

_STATED_LENGTH = 1_000_000
"""A maximum length above this means that the tokenizer states none."""

_STACKS = ("layer", "encoder.layer", "encoder.block", "encoder.layers", "transformer.layer", "layers", "block", "h")
"""Attribute paths of models' lists of layers."""


def loaded_bertscore(model: str, layer: int | None) -> Scorer:
    """BERTScore: F1 of the greedy matching of two texts' tokens by the cosine of their contextual vectors.

    P = mean over the prediction's tokens of the largest cosine with a token of the reference, R = the same with
    both exchanged, F1 = 2 P R / (P + R). The means exclude the tokenizer's [CLS] and [SEP] (or its equivalents);
    other tokens can still match them. No weights by inverse document frequency and no rescaling with a baseline, so
    scores of unrelated texts lie far above 0: compare only scores of one model and
    one layer.

    model: a local folder, read without any network access, or the name of a Hugging Face model, which
    transformers downloads if necessary. It is loaded now and used for all calls.
    Code that comes with a model is not run; weights are read as float32, from safetensors if available, else
    without unpickling objects. layer: the layer whose vectors count, from 0 (the embeddings) to the number of layers;
    by default the recommended one (LAYERS) for a model that the authors tried, else the last.

    Every distinct text is tokenized once and every distinct pair matched once. Texts are encoded in order of
    length, on the GPU if torch sees one. Pairs are processed 256 at a time to limit memory, sorted so that pairs which
    share a text (of the more repetitive column) are adjacent. A text in several parts is encoded once for each.

    Returns a function that scores pairs of distinct texts (`of_distinct_pairs`), from 0 to 1, which texts with equal
    tokens get; only cosines below 0, which trained models hardly give, can lead beyond. Edge: 0.0 if either text has no
    token of its own, even if both have none; texts longer than the model allows are cut.
    Raises OptionError if the model cannot be loaded, lacks weights or gives vectors that are no numbers, or layer is
    out of its range, MissingError if torch or transformers is not installed.

    Source: Zhang et al. 2020, "BERTScore: Evaluating Text Generation with BERT", section 3. Equal to 1e-6 to
    `bert_score.score(predictions, references, model_type=model, num_layers=layer)` of bert-score 0.3.13.
    Departures: bert-score takes 0 for a best match below 0 if another text of its batch is longer, so its scores
    can depend on the batch; here none do. It gives texts without tokens a score if the tokenizer has no [CLS] or
    [SEP] (T5), and a score of 0.0 if a token's vector is all zeros; here the text, and the token's cosines, get
    0.0. It cuts texts only at the tokenizer's stated length, here also at the number of the model's positions.
    A space is put before texts for the tokenizers of GPT-2 and RoBERTa, as bert-score requests; transformers 5
    ignores that request, and so gives bert-score other tokens than transformers 4 did.
    """
    return partial(_scores, _load(model, layer), model)


def _scores(encoder: "_Encoder", model: str, predictions: "pl.Series", references: "pl.Series") -> list[float]:
    texts = distinct_texts(predictions, references)
    place = {text: number for number, text in enumerate(texts)}
    pairs = [(place[first], place[second]) for first, second in zip(predictions, references, strict=True)]
    f1s = dict.fromkeys(pairs, 0.0) | _matched(encoder, encoder.tokens(texts), pairs)
    if any(f1 != f1 for f1 in f1s.values()):  # noqa: PLR0124 - NaN alone
        raise OptionError(f'model "{model}": gives vectors that are no numbers')
    return [f1s[pair] for pair in pairs]


def _matched(encoder: "_Encoder", tokens: list[list[int]], pairs: list[Pair]) -> dict[Pair, float]:
    """F1 of the pairs of texts that have tokens, part by part."""
    import torch

    weights = [encoder.weights(numbers) for numbers in tokens]
    whole = [pair for pair in pairs if weights[pair[0]] is not None and weights[pair[1]] is not None]
    fewer = min((0, 1), key=lambda side: len({pair[side] for pair in whole}))  # the side of fewer distinct texts
    whole.sort(key=lambda pair: (pair[fewer], pair[1 - fewer]))
    f1s: dict[Pair, float] = {}
    with torch.inference_mode():
        for start in range(0, len(whole), _PAIRS_AT_ONCE):
            part = whole[start : start + _PAIRS_AT_ONCE]
            # The longest first, so that insufficient memory fails at once.
            texts = sorted({text for pair in part for text in pair}, key=lambda text: (-len(tokens[text]), text))
            vectors: dict[int, torch.Tensor] = {}
            for first in range(0, len(texts), _ENCODED_AT_ONCE):
                batch = texts[first : first + _ENCODED_AT_ONCE]
                vectors.update(zip(batch, encoder.encode([tokens[text] for text in batch]), strict=True))
            f1s |= _f1s(part, vectors, weights)
    return f1s


def _f1s(
    pairs: list[Pair], vectors: "dict[int, torch.Tensor]", weights: "Sequence[torch.Tensor | None]"
) -> dict[Pair, float]:
    """vectors: of each text, tokens x dimensions, of unit length. weights: of its tokens in the mean, summing to 1."""
    import torch

    means = []
    for first, second in pairs:
        cosines = vectors[first] @ vectors[second].T
        means.append(torch.stack((cosines.amax(1) @ weights[first], cosines.amax(0) @ weights[second])))
    precision, recall = torch.stack(means).unbind(1)
    total = precision + recall
    f1 = torch.where(total == 0, total, 2 * precision * recall / total)
    return dict(zip(pairs, f1.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Encoder:
    """A model without the layers after the one whose vectors count, and its tokenizer.

    most: the largest number of tokens of a text, if limited. empty: the tokenizer's output for an empty text.
    """

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    device: str
    most: int | None
    empty: list[int]
    spaced: bool

    def tokens(self, texts: list[str]) -> list[list[int]]:
        """Each text's tokens as numbers, including those that the tokenizer adds."""
        spaced = [" " + text if self.spaced and text else text for text in map(str.strip, texts)]
        return _numbers(self.tokenizer, spaced, self.most)

    def weights(self, tokens: list[int]) -> "torch.Tensor | None":
        """Equal weights with a sum of 1, and 0 for [CLS] and [SEP]; None if no token is the text's own."""
        import torch

        if tokens == self.empty:
            return None
        added = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        counted = torch.tensor([token not in added for token in tokens], dtype=torch.float32)
        return (counted / counted.sum()).to(self.device) if counted.any() else None

    def encode(self, texts: list[list[int]]) -> "list[torch.Tensor]":
        """Vectors of unit length of each text's tokens, tokens x dimensions."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        rows = [torch.tensor(text) for text in texts]
        tokens = pad_sequence(rows, batch_first=True, padding_value=self.tokenizer.pad_token_id or 0)
        mask = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
        hidden = self.model(tokens.to(self.device), attention_mask=mask.to(self.device))[0]
        # A vector of zeros has a cosine of 0 with all others.
        vectors = hidden / hidden.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(hidden.dtype).tiny)
        return [vectors[row, : len(text)] for row, text in enumerate(texts)]


def _numbers(tokenizer: "PreTrainedTokenizerBase", texts: list[str], most: int | None) -> list[list[int]]:
    numbers: list[list[int]] = tokenizer(
        texts, truncation=most is not None, max_length=most, return_attention_mask=False, return_token_type_ids=False
    )["input_ids"]
    return numbers


def _load(name: str, layer: int | None) -> _Encoder:
    with extra("embeddings", "BERTScore"):
        import torch
        from transformers import AutoModel, AutoTokenizer, GPT2Tokenizer, RobertaTokenizer

    with loading(name) as folder:
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=folder, trust_remote_code=False)
        model, info = AutoModel.from_pretrained(
            name,
            local_files_only=folder,
            trust_remote_code=False,
            weights_only=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
        _check_weights(name, info["missing_keys"])
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        most = _most_tokens(model, tokenizer)
        empty = _numbers(tokenizer, [""], most)[0]
    recommended = None if folder else recommended_layer(name)
    _cut(name, model, recommended if layer is None else layer)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    spaced = isinstance(tokenizer, GPT2Tokenizer | RobertaTokenizer)
    return _Encoder(model.eval().to(device), tokenizer, device, most, empty, spaced)


def recommended_layer(model: str) -> int | None:
    """The layer that the authors of BERTScore recommend for a model of this name; None for one they did not try.

    >>> recommended_layer("roberta-large"), recommended_layer("FacebookAI/roberta-large"), recommended_layer("mine")
    (17, 17, None)
    """
    owner, _, short = model.partition("/")
    return LAYERS.get(short if owner in _OWNERS else model)


def _check_weights(name: str, missing: Iterable[str]) -> None:
    """Raise for parts without weights, which would be random; poolers and decoders are not used."""
    lacking = sorted(key for key in missing if "pooler" not in key and not key.startswith("decoder."))
    if lacking:
        missing_parts = f"{len(lacking):,} have none, such as {lacking[0]}"
        raise OptionError(f'model "{name}": expected weights for every part; {missing_parts}')


def _most_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> int | None:
    """The smaller of the tokenizer's stated length and the model's number of positions; None if neither is known."""
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    for path, module in model.named_modules():
        if path.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            # Some number positions starting after that of padding.
            positions = int(module.num_embeddings) - (0 if module.padding_idx is None else module.padding_idx + 1)
            break
    known = (tokenizer.model_max_length, positions)
    return min((int(length) for length in known if 0 < length <= _STATED_LENGTH), default=None)


def _cut(name: str, model: "PreTrainedModel", layer: int | None) -> None:
    """Removes the layers after the one whose vectors count."""
    encoder = getattr(model, "encoder", None)
    if hasattr(model, "n_layers"):  # XLM
        model.n_layers = _check_layer(layer, model.n_layers)
    elif encoder is not None and hasattr(encoder, "albert_layer_groups"):  # one layer, run several times
        encoder.config.num_hidden_layers = _check_layer(layer, encoder.config.num_hidden_layers)
    else:
        owner, attribute = _stack(name, model)
        layers = getattr(owner, attribute)
        setattr(owner, attribute, layers[: _check_layer(layer, len(layers))])


def _stack(name: str, model: "PreTrainedModel") -> "tuple[torch.nn.Module, str]":
    """The part of a model that holds the list of layers, and its name there."""
    import torch

    lists = {path for path, module in model.named_modules() if isinstance(module, torch.nn.ModuleList)}
    stack = next((path for path in _STACKS if path in lists), None)
    if stack is None:
        raise OptionError(f'model "{name}": {type(model).__name__} is of a kind whose layers {TITLE} does not know')
    owner, _, attribute = stack.rpartition(".")
    return model.get_submodule(owner), attribute


def _check_layer(layer: int | None, layers: int) -> int:
    if layer is None:
        return layers
    if not 0 <= layer <= layers:
        wanted = f"expected a whole number from 0 to {layers}, this model's layers"
        raise OptionError(f"{wanted}; got {layer}", option="layer")
    return layer
