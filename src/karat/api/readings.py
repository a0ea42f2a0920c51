"""How the inputs of each evaluation are read, as its options say: for scoring, and to look up texts later."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.api.arguments import mapped_columns
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.formats import answers, judgments, pairs, preferences, violations
    from karat.schemas.preferences import Task

Options = Mapping[str, Any]
"""The arguments of an evaluation, as they go into its report."""


def of_annotations(options: Options) -> "pairs.Options":
    """Of pairs."""
    from karat.formats import pairs as reader

    return reader.Options(options["columns"], options["annotator_columns"], options["vote_values"], _dropping(options))


def task_of(criteria: Sequence[str], labels: Sequence[str]) -> "Task":
    """Criteria and labels as given, else the usual ones. Raises OptionError for what cannot be told apart."""
    from karat.schemas.preferences import AVERAGE, CRITERIA, LABELS, MOST_LABELS, Task

    if AVERAGE in criteria:
        raise OptionError(f"criteria: {AVERAGE} is the mean over criteria; call yours by another name")
    if len(labels) == 1 or len(labels) > MOST_LABELS or {"missing", ""} & set(labels):
        raise OptionError(
            f"labels: expected 2 to {MOST_LABELS}, none of them empty or called missing; got {', '.join(labels):.300}"
        )
    if "" in criteria:
        raise OptionError("criteria: expected names; one is empty")
    return Task(tuple(criteria) or CRITERIA, tuple(labels) or LABELS)


def of_preferences(options: Options) -> "preferences.Options":
    """Of gold labels and predictions."""
    from karat.formats import preferences as reader

    task, cluster = task_of(options["criteria"], options["labels"]), options["cluster"]
    return reader.Options(
        task=task,
        columns=mapped_columns(options["columns"], None, reader.known_columns(task)),
        by=options["by"],
        cluster=None if cluster == "id" else cluster,
        explanations=options["explanations"],
        drop=_dropping(options),
    )


def of_rag(options: Options) -> "answers.Options":
    """Of answers."""
    from karat.formats import answers as reader

    return reader.Options(
        columns=mapped_columns(options["columns"], None, reader.KNOWN_COLUMNS),
        by=options["by"],
        cluster=options["cluster"],
        model=options["model"],
        drop=_dropping(options),
    )


def of_reliability(options: Options) -> "judgments.Options":
    """Of judgments."""
    from karat.formats import judgments as reader
    from karat.schemas import judgments as schema

    return reader.Options(
        columns=mapped_columns(options["columns"], options["cluster"], schema.TEXT),
        reference=options["reference"],
        by=options["by"],
        flag_values=options["flag_values"] or schema.FLAGS,
        labels=options["labels"] or None,
        drop=_dropping(options),
    )


def of_violations(options: Options) -> "violations.Options":
    """Of marked texts."""
    from karat.evaluations.violations.scoring import CLUSTER
    from karat.formats import violations as reader

    cluster, annotator = options["cluster"], options["truth_annotator"]
    further = {name: name for name in options["by"]} | ({CLUSTER: cluster} if cluster and cluster != "id" else {})
    return reader.Options(
        columns=mapped_columns(options["columns"], None, reader.KNOWN_COLUMNS),
        further=further,
        offset_base=options["offset_base"],
        quote_mismatch=options["quote_mismatch"],
        drop=_dropping(options),
        annotators=[annotator] if annotator else (),
    )


def _dropping(options: Options) -> bool:
    return bool(options["on_invalid"] == "drop")
