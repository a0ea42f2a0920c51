"""`adjudge.annotations`."""

from typing import Annotated, Any, Literal, Unpack

from adjudge.api import options as common
from adjudge.api.calls import documented
from adjudge.api.kinds import INPUTS, WORD, Text, Texts
from adjudge.api.options import Option
from adjudge.api.reports import run
from adjudge.report import Report


@documented
def annotations(
    data: Annotated[Any, Option("Data sets of annotated pairs.", "INPUT", INPUTS)],
    *,
    reference: Annotated[
        Texts, Option("An annotator to compare with; * and ? are wildcards, model:NAME is a model. Repeatable.", "NAME")
    ] = (),
    annotator: Annotated[
        Texts, Option("An annotator to score; * and ? are wildcards, model:NAME is a model. Repeatable.", "NAME")
    ] = (),
    style: Annotated[bool, Option("Score the style rules too: longer, more lists ...")] = False,
    against: Annotated[
        Text, Option("For annotators model:NAME, count only pairs against this model.", "MODEL", WORD)
    ] = None,
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
    exact_labels: common.ExactLabels = False,
    one_data_set: Annotated[
        Text,
        Option("Take all inputs as parts of one data set of this name, not as data sets to compare.", "NAME", WORD),
    ] = None,
    **further: Unpack[common.OnWorkers],
) -> Report:
    """Which traits votes on pairs of responses reward, and which traits a model shows.

    Each annotator (a person, a model asked about one trait, a rule, "the response that this model wrote")
    is compared with a reference: relevance = its valid votes / all pairs of the population; accuracy = equal votes /
    pairs on which both are valid; kappa = 2 (accuracy - 0.5); strength = kappa x relevance.

    Arguments
    ---------
    data: AnnotatedPairs JSON, a table of a tool or data set (LMArena, MT-bench, AlpacaEval, RewardBench ...), an export
        of Label Studio or Argilla, a wide or a long table, or Adjudge's columnar Parquet. Several are data sets to
        compare side by side.
    reference: By id or name; by default the data set's own. It may be a model (model:NAME) or a style rule
        (style:longer). With several (model:* is every model) all tables have a part for each.
    annotator: By id or name; by default all of the file. model:NAME is the response that this model wrote.
    style: See docs/style.md.
    population: With reference, a missing annotation counts as not valid.
    length_ties: Neither text, or text_b.
    matrix: In the tables matrix and differences.
    one_data_set: For data that stand in many files; see docs/scale.md.

    Returns
    -------
    A Report with the tables overview, agreement, bias, votes, differences and matrix; of several references, data sets
    or groups also side_by_side: annotators x these, with the greatest difference, which comes first.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"text_a": ["Yes.", "No."], "text_b": ["Yes, it is!", "No"], "vote": ["b", "b"]})
    >>> report = adjudge.annotations(table, annotator_columns="vote", reference="style:longer",
    ...                            vote_values={"text_a": "a", "text_b": "b"})
    >>> report.estimate("agreement", "accuracy").value
    0.5

    Source: the figures follow Feedback Forensics (Findeis et al. 2025), except where they are undefined.

    Command
    -------
    Compare annotators of response pairs with a reference: relevance, kappa, strength.

    Several inputs, or several references, are compared side by side. A table of your own, for example:

    adjudge annotations score pairs.csv --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns ann,ben --vote-values text_a=1,text_b=2,both=0 --reference ann --style
    """
    return run(annotations, locals())
