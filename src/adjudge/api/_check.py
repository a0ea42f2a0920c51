"""`adjudge.check_violations` and `adjudge.plant_violations`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from adjudge.api import _asking as asking
from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, File, from_to
from adjudge.api.options import Option
from adjudge.errors import OptionError
from adjudge.llm.work import Asked, Work, asked
from adjudge.version import TITLE

if TYPE_CHECKING:
    from adjudge.llm.asking import Ask
    from adjudge.llm.planting import Written

TextsFile = Annotated[
    Any, Option("Texts with ids, in any format of violations, or a table of id and text.", "TEXTS", INPUT)
]
RulesTable = Annotated[
    Any, Option("A table of rule, description, category.", "RULES", INPUT, flag="--rules", required=True)
]
SomeRules = Annotated[Any, Option("A table of rule, description, category.", "RULES", INPUT, flag="--rules")]
CheckerName = Annotated[
    Literal["prompt-baseline", "zeroshot-index", "brute-context-classifier", "self-consistent-explainer"],
    Option("How the model is asked."),
]
PromptFolder = Annotated[
    File, Option(f"A folder with your own prompts instead of {TITLE}'s, by their names.", "FOLDER")
]
Each = Annotated[int, Option("How many violations a text gets.", kind=from_to(1))]
Phrases = Annotated[
    Any,
    Option(
        "A table of right, wrong, rule, category, explanation, to plant without a model.",
        "TABLE",
        INPUT,
        flag="--phrases",
    ),
]
ModelToPlant = Annotated[Any, Option("The model, as PROVIDER/NAME.", "MODEL", asking.OPTIONAL)]
PLANTED = ("violations_plant", "violations_verify")
_ASKING = ("rules", "prompts", *asking.Asking.__annotations__)
"""Options that a table of phrases has no use for."""


@documented
def check_violations(
    texts: TextsFile,
    rules: RulesTable,
    *,
    model: asking.Model,
    checker: CheckerName = "prompt-baseline",
    draws: asking.Draws = 5,
    columns: common.Columns = None,
    prompts: PromptFolder = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Let a model find the passages of texts that break rules.

    Arguments
    ---------
    checker: prompt-baseline is one plain prompt; zeroshot-index numbers the sentences and takes numbers;
        brute-context-classifier asks for every sentence and every rule, in context; self-consistent-explainer finds,
        verifies, explains and corrects, and keeps what most draws say.
    draws: Of self-consistent-explainer alone.

    Returns
    -------
    Asked: how many calls became what. The file holds a line per text: id, text, checker (name@version|model),
    violations. What is quoted but not in the text stands as `invented`, without a place: a false positive.
    Where the model gave no answer, violations is null, and outcome and reason say why.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Let a model find the passages of texts that break rules, into a file that adjudge violations score reads.

    adjudge violations check texts.jsonl --rules rules.csv --model openai/... --output found.jsonl
    """
    values = bound(check_violations, locals())
    from adjudge.llm.checking import CHECKERS, Checking
    from adjudge.llm.violation_texts import rules_of, templates_of, texts_of, write_checked

    kind = CHECKERS[values["checker"]]
    known, told = texts_of(texts, values["columns"], values.reading)
    listed, said = rules_of(rules, values)
    given = Checking(known, listed, templates_of(kind.templates, values["prompts"]), values["draws"])
    name = f"{kind.name}@{given.version(kind.templates)}|{values['model']}"
    asker, write = kind(given), partial(write_checked, given.texts, name, Path(values["output"]))
    notes = (*told, *said, *(_first_step(values) if len(kind.templates) > 1 else ()))
    work = Work(asker.first, asker.found, write)
    return asked(values, "violations_check", work, given.templates, notes)


@documented
def plant_violations(
    texts: TextsFile,
    rules: SomeRules = None,
    *,
    model: ModelToPlant = None,
    phrases: Phrases = None,
    violations_per_text: Each = 2,
    columns: common.Columns = None,
    seed: common.Seed = 0,
    prompts: PromptFolder = None,
    output: asking.Lines = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Asked:
    """Write violations into clean texts, so that place, rule, explanation and correction are known.

    A model rewrites sentences so that they break a rule, and reviews what it wrote; or a table says which phrases are
    replaced by which.

    Arguments
    ---------
    rules: Needed with a model.

    Returns
    -------
    Asked: how many calls became what. The file holds a line per text, as `violations` reads the truth.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.

    Command
    -------
    Write violations into clean texts, so that the truth is known: by a model, or by a table of phrases.

    adjudge violations plant clean.jsonl --phrases phrases.csv --output planted.jsonl
    """
    values = bound(plant_violations, locals())
    if (model is None) == (phrases is None):
        raise OptionError("model: expected a model, or a table of phrases (--phrases); give one of them")
    from adjudge.llm.planting import Planting, from_phrases
    from adjudge.llm.violation_texts import in_texts, phrases_of, rules_of, templates_of, texts_of, write_planted

    clean, told = texts_of(texts, values["columns"], values.reading)
    if phrases is not None:
        from adjudge.render.files import write_lines

        if unused := values.set_among(_ASKING):
            raise OptionError(f"{unused[0]}: has no use with a table of phrases (--phrases), since no model is asked")
        pairs, said = phrases_of(phrases, values)
        made = from_phrases(clean, pairs, values["violations_per_text"], values["seed"])
        write_lines(made, Path(values["output"]))
        return Asked(notes=(*told, *said, in_texts(sum(len(one["violations"]) for one in made), len(made))))
    if rules is None:
        raise OptionError("rules: expected a table of the rules to break (--rules)")
    listed, said = rules_of(rules, values)
    planting = Planting(
        clean, listed, templates_of(PLANTED, values["prompts"]), values["violations_per_text"], values["seed"]
    )

    def gathered(ask: "Ask") -> "tuple[list[Written], list[Written]]":
        written = planting.written(ask)
        return written, planting.confirmed(written, ask)

    work = Work(planting.first, gathered, partial(write_planted, planting, Path(values["output"])))
    notes = (*told, *said, *_first_step(values))
    return asked(values, "violations_plant", work, planting.templates, notes)


def _first_step(values: Mapping[str, Any]) -> list[str]:
    """What a dry run leaves out of work in several steps."""
    told = "only the first step is counted; how much the later ones ask depends on its answers"
    return [told] if values["dry_run"] else []
