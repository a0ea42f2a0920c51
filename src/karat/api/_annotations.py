"""`karat.annotations` and `karat.convert`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from karat.api import options as common
from karat.api.kinds import INPUT, INPUTS, Text, Texts, written
from karat.api.options import Option, bound, documented
from karat.api.reports import run
from karat.errors import OptionError
from karat.report import Report

if TYPE_CHECKING:
    from karat.schemas.pairs import Pairs


@documented
def annotations(
    data: Annotated[Any, Option("Data sets of annotated pairs.", "INPUT", INPUTS)],
    *,
    reference: Annotated[Text, Option("The annotator to compare with.", "NAME")] = None,
    annotator: Annotated[
        Texts, Option("An annotator to score; * and ? are wildcards, model:NAME is a model. Repeatable.", "NAME")
    ] = (),
    style: Annotated[bool, Option("Score the style rules too: longer, more lists ...")] = False,
    against: Annotated[Text, Option("For model: annotators, count only pairs against this model.", "MODEL")] = None,
    population: Annotated[
        Literal["shared", "reference"],
        Option("Count pairs that both annotate, or all pairs on which the reference's vote is valid."),
    ] = "shared",
    labels: Annotated[
        Literal["valid", "all"],
        Option("Count only votes for text_a and text_b, or also votes for both and for neither."),
    ] = "valid",
    length_ties: Annotated[
        Literal["none", "b"], Option("Which text counts as the longer one when both are equally long.")
    ] = "none",
    matrix: Annotated[
        bool, Option("Also compare each annotator with every other one, if there are at most 40.")
    ] = True,
    annotator_columns: common.AnnotatorColumns = (),
    vote_values: common.VoteValues = None,
    **further: Unpack[common.Scoring],
) -> Report:
    """Which traits votes on pairs of responses reward, and which traits a model shows.

    Each annotator (a person, a model asked about one trait, a rule, "the response that this model wrote")
    is compared with a reference: relevance = its valid votes / all pairs of the population; accuracy = equal votes /
    pairs on which both are valid; kappa = 2 (accuracy - 0.5); strength = kappa x relevance.

    Arguments
    ---------
    data: AnnotatedPairs JSON, CSV, Chatbot Arena, AlpacaEval, a wide or a long table, or Karat's columnar Parquet.
        Several are data sets to compare side by side.
    reference: By id or name; by default the data set's own. It may be a model (model:NAME) or a style rule
        (style:longer).
    annotator: By id or name; by default all of the file. model:NAME is the response that this model wrote.
    style: See docs/style.md.
    population: With reference, a missing annotation counts as not valid.
    length_ties: Neither text, or text_b.
    matrix: In the tables matrix and differences.

    Returns
    -------
    A Report with the tables overview, agreement, bias, votes, differences and matrix.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"text_a": ["Yes.", "No."], "text_b": ["Yes, it is!", "No"], "vote": ["b", "b"]})
    >>> report = karat.annotations(table, annotator_columns="vote", reference="style:longer",
    ...                            vote_values={"text_a": "a", "text_b": "b"})
    >>> report.estimate("agreement", "accuracy").value
    0.5

    Source: the figures follow Feedback Forensics (Findeis et al. 2025), except where they are undefined.

    Command
    -------
    Compare annotators of response pairs with a reference: relevance, kappa, strength.

    Several inputs are data sets to compare side by side. A table of your own, for example:

    karat annotations score pairs.csv --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns ann,ben --vote-values text_a=1,text_b=2,both=0 --reference ann --style
    """
    return run(annotations, locals())


# --- conversion ---


_BY_ENDING = {".json": "annotated-pairs", ".csv": "feedback-csv", ".parquet": "karat"}


@documented
def convert(
    source: Annotated[Any, Option("A file of annotated pairs, in any format.", "IN", INPUT)],
    target: Annotated[Path, Option("The file to write: .parquet, .json or .csv.", "OUT", written())],
    *,
    output_format: Annotated[
        Literal["annotated-pairs", "feedback-csv", "karat"] | None,
        Option("The format to write; by default the one that OUT's ending says."),
    ] = None,
    columns: common.Columns = None,
    annotator_columns: common.AnnotatorColumns = (),
    vote_values: common.VoteValues = None,
    on_invalid: common.OnInvalid = "error",
    **further: Unpack[common.Reading],
) -> tuple[str, ...]:
    """Turn a file of annotated pairs into another format.

    Arguments
    ---------

    Returns
    -------
    Warnings about the file. It is written whole or not at all.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.
    """
    values = bound(convert, locals())
    from karat.formats.pairs import Options, read_pairs
    from karat.formats.source import how_of, source_of
    from karat.formats.tables import damage_named
    from karat.render.files import check_target, replacing

    target, chosen = values["target"], _format(values["target"], values["output_format"])
    check_target(target, [target.suffix] if output_format else list(_BY_ENDING))
    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    reading = Options(*names, drop=values["on_invalid"] == "drop")
    opened = source_of(source, how_of(values), "annotations")
    with damage_named([opened]):
        pairs = read_pairs(opened, reading)
        with replacing(target) as partial:
            _write(partial, pairs, chosen)
    return (*opened.warnings, *pairs.warnings)


def written_pairs(pairs: "Pairs", target: Path) -> None:
    """Write pairs in the format that the file's ending says, whole or not at all."""
    from karat.render.files import replacing

    with replacing(target) as partial:
        _write(partial, pairs, _BY_ENDING[target.suffix])


def _format(target: Path, output_format: str | None) -> str:
    if output_format is not None:
        return output_format
    if target.suffix not in _BY_ENDING:
        known = ", ".join(_BY_ENDING)
        raise OptionError(
            f'{target}: expected a name that ends in one of {known}, or --output-format; got "{target.suffix}"'
        )
    return _BY_ENDING[target.suffix]


def _write(path: Path, pairs: "Pairs", chosen: str) -> None:
    from karat.formats.annotated_pairs_json import annotated_pairs_json
    from karat.formats.columnar import write_columnar
    from karat.formats.feedback_csv import feedback_csv

    if chosen == "karat":
        write_columnar(pairs, path)
        return
    blocks = annotated_pairs_json(pairs) if chosen == "annotated-pairs" else feedback_csv(pairs)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(blocks)
