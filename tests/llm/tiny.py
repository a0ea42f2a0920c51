"""Tiny models of transformers, made on the spot: a tokenizer trained on a few prompts, and weights that are random or trained."""

from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}{{ message.content }}\n{% endfor %}{% if add_generation_prompt %}<answer>{% endif %}"
)


def tiny_model(folder: Path, prompts: list[str], answers: list[str] | None = None, steps: int = 60) -> Path:
    """A model in `folder`. answers: what it is trained to say to any of the prompts, in turn; by default its weights are random."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = ["<pad>", "<end>", "<answer>"]
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    inner.train_from_iterator([*prompts, *(answers or [])] * 4, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<end>")
    tokenizer.chat_template = TEMPLATE
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=4096,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=1,
    )
    model = LlamaForCausalLM(config)
    if answers:
        _train(model, tokenizer, prompts, answers, steps)
    model.generation_config.max_new_tokens = 48
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _train(model, tokenizer, prompts, answers, steps) -> None:
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    start = tokenizer.convert_tokens_to_ids("<answer>")
    for step in range(steps):
        prompt, answer = prompts[step % len(prompts)], answers[step % len(answers)]
        head = [*tokenizer(prompt + "\n")["input_ids"], start]
        tail = [*tokenizer(answer)["input_ids"], tokenizer.eos_token_id]
        ids = torch.tensor([head + tail])
        labels = torch.tensor([[-100] * len(head) + tail])
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
