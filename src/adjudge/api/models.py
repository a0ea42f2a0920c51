"""Functions that ask models: labels, predictions, answers, verdicts and violations."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from adjudge.api.functions import step_of, takes
from adjudge.api.reports import done_to
from adjudge.errors import OptionError, flag_name
from adjudge.evaluations.preferences.outcomes import constant_labels
from adjudge.evaluations.preferences.scoring import item_options, system_names
from adjudge.llm.answering import Answering, AnswerJudge, ExplanationJudge, prompt_rows, questions_of
from adjudge.llm.checking import Checker
from adjudge.llm.labelling import Labelling, read_all, write_labelled
from adjudge.llm.labelling import traits as known_traits
from adjudge.llm.options import (
    AnswerOptions,
    CheckViolationsOptions,
    JudgePreferencesOptions,
    JudgeRagOptions,
    LabelOptions,
    PlantOptions,
    PredictOptions,
    Server,
)
from adjudge.llm.planting import Planting
from adjudge.llm.predicting import Predictions, in_words, predicted_by_model, write_predictions
from adjudge.llm.prompts import template
from adjudge.llm.violation_texts import rules_of, texts_of, write_checked, write_planted
from adjudge.llm.work import Asked, Work, ask_model
from adjudge.options.declaration import arguments
from adjudge.readers.answers.answers import KNOWN_COLUMNS, AnswerReading, combined, read_answers, read_gold
from adjudge.readers.inputs import source_beside, source_of, sources
from adjudge.readers.io.source import How
from adjudge.readers.preferences import preferences as reader
from adjudge.schemas.columns import mapped_columns


@takes(LabelOptions)
def label_annotations(options: LabelOptions) -> Asked:
    """Let a model say which of two responses shows a trait more strongly.

    The order of the responses is drawn at random for each pair and written down (adjudge_order: ab or ba); answers are
    text_a, text_b, both or neither, in the pair's own order.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file includes the input's votes.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    read = read_all(options.pairs, options.columns, How.of(options))
    labelling = Labelling(
        known_traits(options.traits),
        template("annotations_label", options.prompt),
        options.model,
        options.seed,
    )
    calls = partial(labelling.calls, read)
    work = Work(calls, lambda ask: labelling.labelled(read, ask(calls)), Path(options.output), write_labelled)
    return ask_model(options, "annotations_label", work, {"annotations_label": labelling.template}, read.warnings)


@takes(PredictOptions)
def predict_preferences(options: PredictOptions) -> Predictions:
    """Predict which of two responses humans prefer: from labelled items, by a rule, or by a language model.

    Returns
    -------
    Predictions: a frame in the form of a submission, and notes.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.
    """
    _check_predictor(options)

    reading = replace(item_options(options), drop=options.on_invalid == "drop", exact_labels=True)
    by_model = options.predictor in _JUDGES
    if by_model and not {"A", "B"} <= set(labels := reading.task.labels):
        raise OptionError(
            f"expected A and B among them, since a model chooses the better response; got {', '.join(labels)}",
            option="labels",
        )
    with step_of(options)("reading"):
        given = [one for one in (options.items, options.train) if one is not None]
        opened = [source_of(table, How.of(options), "preferences") for table in given]
        readers = (reader.read_items, reader.read_gold)
        read = [read_table(source, reading) for read_table, source in zip(readers, opened, strict=False)]
    notes = (*done_to(opened), *(warning for one in read for warning in one.warnings))
    known, gold = read[0].frame, read[1] if read[1:] else None
    if by_model:
        return predicted_by_model(options, reading.task, known, gold, notes)
    frame = constant_labels(known, gold, reading.task)
    write_predictions(frame, options)
    return Predictions(frame, notes, output=options.output)


_ASKING = ("prompt", *arguments(Server))
_USES: dict[str, tuple[str, ...]] = {
    "majority": ("train",),
    "longer": (),
    "judge": ("train", "model", "swap", "shots", *_ASKING),
    "baseline": ("model", *_ASKING),
}
"""Options that a predictor uses, if not all do."""
_JUDGES = ("judge", "baseline")
"""Predictors that ask a language model."""


def _check_predictor(options: PredictOptions) -> None:
    """Raises OptionError for a predictor without training data, and for options that it does not use."""
    predictor = options.predictor
    if predictor == "majority" and options.train is None:
        raise OptionError("majority needs labelled items to learn from", fix=f"{flag_name('train')} FILE")
    if predictor in _JUDGES and options.model is None:
        fix = f"{flag_name('model')} MODEL, such as openai/gpt-4o-mini"
        raise OptionError(f"{flag_name('predictor')} {predictor} needs a language model", fix=fix)
    used = _USES[predictor]
    known = dict.fromkeys(one for many in _USES.values() for one in many)
    if unused := options.given_names(name for name in known if name not in used):
        why = "" if used else ": it learns nothing"
        if unused[0] == "model":
            problem = f"{flag_name('model')}: the predictor {predictor} does not use it{why}"
            raise OptionError(problem, fix=f"{flag_name('predictor')} judge")
        raise OptionError(f"the predictor {predictor} does not use it{why}", option=unused[0])
    if predictor == "judge" and options.train is None and options.given_names(["shots"]):
        raise OptionError(f"a judge does not use it without labelled items ({flag_name('train')})", option="shots")


@takes(JudgePreferencesOptions)
def judge_preferences(options: JudgePreferencesOptions) -> Asked:
    """Let a model say whether systems' explanations give the reasons that human annotators gave.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file has a row per explanation, as `preferences` reads with `verdicts`:
    id, system, criterion, verdict (yes, no, or null if the model gave none), and the reason.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    reading = replace(item_options(options), explanations=True)
    ours, theirs = (sources(one, How.of(options), "preferences") for one in (options.gold, options.predictions))
    known = reader.read_gold(ours[0], reading)
    names = system_names(theirs, options.system)
    read = (reader.read_predictions(one, reading, known, name) for one, name in zip(theirs, names, strict=True))
    judge = ExplanationJudge(
        template("preferences_explanation", options.prompt),
        in_words(known),
        [(one.name, in_words(one)) for one in read],
        reading.task.criteria,
    )
    work = Work(judge.calls, lambda ask: [*judge.verdicts(ask)], Path(options.output))
    notes = (*done_to([*ours, *theirs]), *known.warnings)
    return ask_model(options, "preferences_judge", work, {"preferences_explanation": judge.template}, notes)


@takes(AnswerOptions)
def answer_rag(options: AnswerOptions) -> Asked:
    """Let a model answer questions from the documents selected for them.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file has an answer per prompt, as `rag` reads them; response is null if
    there is none.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    source = source_of(options.prompts, How.of(options), "rag")
    rows = prompt_rows(source, ("id", "query", "ability"))
    answering = Answering(template("rag_answer", options.prompt), rows, options.model)
    work = Work(answering.calls, lambda ask: [*answering.answers(ask)], Path(options.output))
    return ask_model(options, "rag_answer", work, {"rag_answer": answering.template}, source.warnings)


@takes(JudgeRagOptions)
def judge_rag(options: JudgeRagOptions) -> Asked:
    """Let a model give verdicts on answers: right, rejecting, detecting errors in documents, correcting them.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file has a row per answer received, as `rag` reads with `verdicts`.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    gold_source = None if options.gold is None else source_beside(options.gold, options.reading, options.columns)
    gold = None if gold_source is None else read_gold(gold_source)
    columns = mapped_columns(options.columns, KNOWN_COLUMNS)
    reading = AnswerReading.of(options, columns=columns, model=None, gold=gold)
    opened = sources(options.answers, How.of(options), "rag")
    files = [read_answers(source, reading) for source in opened]
    read = combined(files)
    known, warnings = questions_of(options.questions, options.reading)
    queries = (gold.texts_of(read["id"]) if gold else {}) | known
    judge = AnswerJudge(template("rag_judge", options.prompt), read.to_dicts(), queries)
    work = Work(judge.calls, lambda ask: [*judge.verdicts(ask)], Path(options.output))
    notes = (
        *done_to([*opened, *([gold_source] if gold_source else [])]),
        *warnings,
        *(warning for file in files for warning in file.warnings),
    )
    return ask_model(options, "rag_judge", work, {"rag_judge": judge.template}, notes)


@takes(CheckViolationsOptions)
def check_violations(options: CheckViolationsOptions) -> Asked:
    """Let a model find the passages of texts that break rules.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file holds a line per text: id, text, checker (name@version|model),
    violations. A quote that is not in the text becomes `invented`, without a place: a false positive.
    If the model gave no answer, violations is null, and outcome and reason explain why.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    texts, warnings = texts_of(options.texts, options.columns, How.of(options))
    rules, rule_warnings = rules_of(options.rules, options.reading)
    checker = Checker(template("violations_baseline", options.prompt), texts, rules)
    write = partial(write_checked, texts, checker.label(options.model))
    work = Work(checker.calls, checker.find, Path(options.output), write)
    templates = {"violations_baseline": checker.template}
    return ask_model(options, "violations_check", work, templates, (*warnings, *rule_warnings))


@takes(PlantOptions)
def plant_violations(options: PlantOptions) -> Asked:
    """Write violations into clean texts, so that place, rule, explanation and correction are known.

    A model rewrites sentences so that they break a rule, and reviews the result.

    Returns
    -------
    Asked: the numbers of calls by outcome. The file holds a line per text, as `violations` reads the truth.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra or a key that is missing.
    """
    clean, warnings = texts_of(options.texts, options.columns, How.of(options))
    rules, rule_warnings = rules_of(options.rules, options.reading)
    prompts = (template("violations_plant", options.prompt), template("violations_verify"))
    planting = Planting(clean, rules, *prompts, options.violations_per_text, options.seed)
    work = Work(planting.first, planting.plant, Path(options.output), write_planted)
    first = "only the first step is counted; how much the later ones ask depends on its answers"
    notes = (*warnings, *rule_warnings, *[first] * options.dry_run)
    return ask_model(options, "violations_plant", work, {"violations_plant": planting.template}, notes)
