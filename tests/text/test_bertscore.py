"""BERTScore: equal to bert-score 0.3.13 up to rounding, on small models with random weights."""

import pickle
import random
import sys
from pathlib import Path

import polars as pl
import pytest

from adjudge.errors import OptionError
from adjudge.text import bertscore as module
from adjudge.text.bertscore import LAYERS
from adjudge.text.similarity import of_distinct_pairs
from made_models import POSITIONS, SIZES, WORDS, edit, make_byte_tokenizer, make_model

pytestmark = pytest.mark.models

TOLERANCE = 1e-6
ODD = [
    *("", "  ", "\u200b\n", "Über 漢字 naïve éü", "αβ 😀 \x00", "[SEP]", "the [SEP] cat", " the cat\n", "[MASK] [PAD]"),
    *("the cat sat on the mat. " * 20, "x" * 300, "the"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(make_model(tmp_path_factory.mktemp("models") / "small"))


@pytest.fixture(scope="module")
def pairs():
    """200 pairs of sentences of 1 to 30 words, among them odd ones and such as repeat."""
    draw = random.Random(0)
    made = [" ".join(draw.choices(WORDS[:11], k=draw.randint(1, 30))) + draw.choice(".!?") for _ in range(120)]
    texts = [*made, *ODD]
    drawn = [(draw.choice(texts), draw.choice(texts)) for _ in range(170)]
    return drawn + drawn[:20] + [(text, text) for text in ODD[-10:]]


@pytest.fixture(autouse=True, scope="module")
def _whole_bert_score():
    """Gives tokenizers the method that bert-score 0.3.13 asks for an empty text, which transformers 5 took away."""
    import transformers

    tokenizers = transformers.tokenization_utils_tokenizers.TokenizersBackend
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizers, "build_inputs_with_special_tokens", _of_no_text, raising=False)
        yield


def _of_no_text(self, tokens):
    assert not tokens
    return self("")["input_ids"]


def file_column(pairs, model, layer):
    # One at a time: where texts of a batch differ in length, bert-score takes 0 for any cosine below it.
    import bert_score

    predictions, references = [one for one, _ in pairs], [other for _, other in pairs]
    return bert_score.score(predictions, references, model_type=model, num_layers=layer, batch_size=1)[2].tolist()


def ours(pairs, model, layer=None):
    predictions = pl.Series([one for one, _ in pairs], dtype=pl.String)
    references = pl.Series([other for _, other in pairs], dtype=pl.String)

    def score(first, second):
        return module.loaded_bertscore(model, layer)(first, second)

    return of_distinct_pairs("bertscore", predictions, references, score).to_list()


def near(figures):
    return pytest.approx(figures, rel=0, abs=TOLERANCE)


@pytest.fixture(scope="module")
def expected(folder, pairs):
    return file_column(pairs, folder, 3)


@pytest.mark.parametrize("batch_size", [1, 7, 32, 1000])
def test_figures_are_those_of_bert_score_at_any_batch_size_and_in_any_order(
    folder, pairs, expected, batch_size, monkeypatch
):
    monkeypatch.setattr(module, "_ENCODED_AT_ONCE", batch_size)
    order = list(range(len(pairs)))
    random.Random(batch_size).shuffle(order)
    assert ours([pairs[place] for place in order], folder) == near([expected[place] for place in order])


@pytest.mark.parametrize("architecture", sorted(SIZES))
def test_each_architecture_gives_the_figures_of_bert_score(tmp_path, pairs, architecture, monkeypatch):
    # bert-score takes any path with "t5" in it for T5, so it must see no more of it than this.
    monkeypatch.chdir(tmp_path)
    model = str(make_model(Path(architecture.lower()), architecture))
    for layer in (0, 1, 2, 3) if architecture == "Bert" else (2, 3):
        assert ours(pairs[:30], model, layer=layer) == near(file_column(pairs[:30], model, layer))


def test_byte_tokenizers_see_a_space_before_the_first_word(tmp_path, pairs, monkeypatch):
    import transformers

    model = str(make_model(tmp_path, "Roberta", vocab_size=103, pad_token_id=1, max_position_embeddings=POSITIONS + 2))
    make_byte_tokenizer(tmp_path)
    # bert-score asks for the space when it encodes; transformers 5 listens only when the tokenizer is made.
    spaced = transformers.AutoTokenizer.from_pretrained(model, add_prefix_space=True)
    assert spaced("the")["input_ids"] != transformers.AutoTokenizer.from_pretrained(model)("the")["input_ids"]
    monkeypatch.setattr(sys.modules["bert_score.score"], "get_tokenizer", lambda *_: spaced)
    plain = [pair for pair in pairs if all(text.isascii() and text.strip() for text in pair)][:40]
    assert ours(plain, model) == near(file_column(plain, model, 3))


def test_texts_without_tokens_get_zero_and_missing_ones_null(folder):
    pairs = [("", ""), ("the", " "), ("\u200b", "the"), ("[SEP]", "the"), (None, "the"), ("the", None), (None, None)]
    assert ours(pairs, folder) == [0.0, 0.0, 0.0, 0.0, None, None, None]
    assert ours([(None, None)], "no model is needed") == [None]
    assert of_distinct_pairs("bertscore", pl.Series([None]), pl.Series(["a"]), list).dtype == pl.Float64


def test_texts_without_tokens_get_zero_from_a_tokenizer_without_cls_and_sep(tmp_path):
    model = str(make_model(tmp_path, "T5"))
    edit(tmp_path / "tokenizer_config.json", cls_token=None, sep_token=None)
    same, empty = ours([("the cat", "the cat"), ("", "the cat")], model)
    assert (same, empty) == (pytest.approx(1), 0.0)


@pytest.mark.parametrize("at_once", [1, 7])
def test_figures_stay_however_many_pairs_are_in_memory_together(folder, pairs, expected, at_once, monkeypatch):
    encode, sizes = module._Encoder.encode, []

    def counted(self, texts):
        sizes.append(len(texts))
        return encode(self, texts)

    monkeypatch.setattr(module._Encoder, "encode", counted)
    assert ours(pairs, folder) == near(expected)
    once = sum(sizes)
    assert once <= len({text for pair in pairs for text in pair})
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", at_once)
    assert ours(pairs, folder) == near(expected)
    assert sum(sizes) - once > once, "texts are encoded again"


def test_a_tokenizer_that_states_no_length_is_held_to_the_positions_of_the_model(tmp_path, pairs):
    for architecture in ("Bert", "Roberta", "MPNet", "Bart"):
        model = make_model(tmp_path / architecture, architecture)
        stated = ours(pairs[:30] + pairs[-3:], str(model))
        edit(model / "tokenizer_config.json", model_max_length=int(1e30))
        assert ours(pairs[:30] + pairs[-3:], str(model)) == near(stated)


def test_recommended_layers_are_those_of_bert_score():
    import bert_score

    assert {name: bert_score.utils.model2layers[name] for name in LAYERS} == LAYERS


def test_a_published_model_gets_its_recommended_layer_and_a_folder_its_last(tmp_path, monkeypatch):
    assert module.recommended_layer("google-bert/bert-base-uncased") == 9
    assert module.recommended_layer("someone/bert-base-uncased") is None
    monkeypatch.chdir(tmp_path)
    make_model(tmp_path / "bert-base-uncased")
    pairs = [("the cat", "a cat")]
    assert ours(pairs, "bert-base-uncased") == ours(pairs, "bert-base-uncased", layer=3)


@pytest.mark.parametrize("layer", [-1, 4])
@pytest.mark.parametrize("architecture", ["Bert", "Albert"])
def test_a_layer_out_of_range_is_refused(tmp_path, architecture, layer):
    model = str(make_model(tmp_path, architecture))
    with pytest.raises(OptionError, match=f"layer: expected a whole number from 0 to 3, .*; got {layer}"):
        ours([("a", "b")], model, layer=layer)


def test_gpt_2_has_neither_cls_nor_padding(tmp_path):
    import torch
    import transformers

    torch.manual_seed(0)
    transformers.GPT2Model(
        transformers.GPT2Config(vocab_size=10, n_embd=32, n_layer=2, n_head=2, n_positions=8)
    ).save_pretrained(tmp_path)
    vocabulary = {piece: number for number, piece in enumerate(["<|endoftext|>", "Ġ", "a", "b", "c"])}
    transformers.GPT2Tokenizer(vocab=vocabulary, merges=[]).save_pretrained(tmp_path)
    pairs = [("a b", "a b"), ("", "a"), ("a b c a b c a b c", "c")]
    together = ours(pairs, str(tmp_path))
    assert together[:2] == [pytest.approx(1), 0.0]
    assert together == near([figure for pair in pairs for figure in ours([pair], str(tmp_path))])


def test_what_is_no_model_is_an_error_of_a_few_lines(tmp_path):
    (tmp_path / "file.txt").write_text("a")
    (tmp_path / "empty").mkdir()
    for model in (tmp_path / "none", tmp_path / "file.txt", tmp_path / "empty", "./none", "no such name!", "", "a/b/c"):
        with pytest.raises(OptionError) as raised:
            ours([("a", "b")], str(model))
        assert f'model "{model}": expected' in str(raised.value)
        assert len(str(raised.value).splitlines()) <= 4


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_broken_file_is_an_error_of_a_few_lines(tmp_path, name):
    (make_model(tmp_path) / name).write_bytes(b"{")
    with pytest.raises(OptionError, match="tried it as the folder\nfound: ") as raised:
        ours([("a", "b")], str(tmp_path))
    assert len(str(raised.value).splitlines()) <= 4


def test_code_that_comes_with_a_model_is_not_run(tmp_path):
    make_model(tmp_path)
    edit(tmp_path / "config.json", model_type="own", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"})
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Config: pass\nclass Model: pass\n")
    with pytest.raises(OptionError, match="tried it as the folder"):
        ours([("a", "b")], str(tmp_path))
    assert not (tmp_path / "ran").exists()


def test_pickled_weights_are_read_but_pickled_code_is_not_run(tmp_path, pairs, folder, expected):
    import torch
    import transformers

    make_model(tmp_path)
    torch.save(transformers.BertModel.from_pretrained(folder).state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "model.safetensors").unlink()
    assert ours(pairs[:20], str(tmp_path)) == near(expected[:20])

    class Touch:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    torch.save({"embeddings.word_embeddings.weight": Touch()}, tmp_path / "pytorch_model.bin", pickle_module=pickle)
    with pytest.raises(OptionError, match="tried it as the folder"):
        ours([("a", "b")], str(tmp_path))
    assert not (tmp_path / "ran").exists()


def test_a_model_without_some_weights_is_refused(tmp_path):
    make_model(tmp_path)
    edit(tmp_path / "config.json", num_hidden_layers=4)
    with pytest.raises(OptionError, match=r"expected weights for every part; 16 have none, such as encoder\.layer\.3"):
        ours([("a", "b")], str(tmp_path))


def test_vectors_that_are_no_numbers_are_refused(tmp_path):
    import torch
    import transformers

    make_model(tmp_path)
    model = transformers.BertModel.from_pretrained(tmp_path)
    with torch.no_grad():
        model.embeddings.LayerNorm.weight.fill_(float("nan"))
    model.save_pretrained(tmp_path)
    with pytest.raises(OptionError, match="gives vectors that are no numbers"):
        ours([("a", "b")], str(tmp_path))
