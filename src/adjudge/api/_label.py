"""`adjudge.label_annotations`."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, File, from_to, written
from adjudge.api.options import Option
from adjudge.llm.work import Asked, Work, asked
from adjudge.version import TITLE

_ENDINGS = (".json", ".parquet")

PairsFile = Annotated[Any, Option("A file of pairs of responses, in any format.", "INPUT", INPUT)]
Traits = Annotated[File, Option(f"Traits to ask for, as TOML; by default {TITLE}'s 40.", "FILE")]
Together = Annotated[int, Option("How many traits are asked in one prompt.", kind=from_to(1))]
OnlyMissing = Annotated[bool, Option("Ask only for votes that the file does not hold yet.")]
LabelledOutput = Annotated[
    File,
    Option("The file to write: .json or .parquet.", "FILE", written(), required=True),
]


@documented
def label_annotations(
    pairs: PairsFile,
    *,
    model: asking.Model,
    traits: Traits = None,
    traits_per_prompt: Together = 10,
    draws: asking.Draws = 1,
    only_missing: OnlyMissing = False,
    columns: common.Columns = None,
    seed: common.Seed = 0,
    prompt: asking.Prompt = None,
    output: LabelledOutput = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Let a model say which of two responses shows a trait more strongly.

    The order of the responses is drawn at random for each pair and written down (adjudge_order: ab or ba); answers are
    text_a, text_b, both or neither, in the pair's own order.

    Arguments
    ---------
    draws: With several, each draw's votes are kept too, and a vote is the most frequent one; where two are equally
        frequent it is not_applicable.
    only_missing: To add traits or models to a labelled file.
    logs: The same call goes on where it was stopped: what was answered is not asked again.

    Returns
    -------
    Asked: how many calls became what. The file holds the input's votes too.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model say which of two responses shows a trait more strongly: polite, concise, confident ...

    Try it without a key:

    adjudge annotations label pairs.json --model mockllm/model --output labelled.json
    """
    values = bound(label_annotations, locals())
    from adjudge.llm.labelling import Labelling, read_all, write_labelled
    from adjudge.llm.labelling import traits as known_traits
    from adjudge.llm.prompts import template
    from adjudge.render.files import check_target

    check_target(Path(values["output"]), _ENDINGS)
    read = read_all(pairs, values["columns"], values.reading)
    labelling = Labelling(
        known_traits(values["traits"]),
        template("annotations_label", values["prompt"]),
        values["model"],
        values["traits_per_prompt"],
        values["draws"],
        values["seed"],
    )
    known = labelling.known(read) if values["only_missing"] else {}
    calls = partial(labelling.calls, read, known)
    write = partial(write_labelled, Path(values["output"]))
    work = Work(calls, lambda ask: labelling.labelled(read, ask(calls())), write)
    return asked(values, "annotations_label", work, {"annotations_label": labelling.template}, read.warnings)
