"""`adjudge.card`."""

from typing import Annotated, Unpack

from adjudge.api import options as common
from adjudge.api.calls import documented
from adjudge.api.kinds import LISTED, PROBABILITY, WORD, Names, Text, Texts, from_to
from adjudge.api.options import Option
from adjudge.api.reports import run
from adjudge.report import Report


@documented
def card(
    data: common.OfPeopleAndJudges,
    *,
    judges: Annotated[
        Texts,
        Option("Who is judged; * stands for any letters, as in gpt-*. All others are people.", "NAME,...", LISTED),
    ] = (),
    reference: Annotated[
        Texts,
        Option("Who the people are, or the one trusted label; by default all who are no judges.", "NAME,...", LISTED),
    ] = (),
    level: common.Level = None,
    ordered: common.Ordered = (),
    epsilon: Annotated[
        float,
        Option(
            "By how much a person may be better than a judge that costs less, in the alternative annotator test: 0.2 "
            "for experts, 0.15 for skilled annotators, 0.1 for crowd workers.",
            kind=PROBABILITY,
        ),
    ] = 0.2,
    min_items: Annotated[
        int, Option("The fewest items on which a judge is tested against a person.", kind=from_to(1))
    ] = 30,
    run_column: common.RunColumn = None,
    position_column: Annotated[
        Text,
        Option("Column that says in which order the judge was shown two responses, such as ab and ba.", "COLUMN", WORD),
    ] = None,
    confidence_column: common.ConfidenceColumn = None,
    responses: Annotated[
        Texts,
        Option(
            "Columns with the text that is judged, or with the two that labels choose between.", "COLUMN,...", LISTED
        ),
    ] = (),
    choices: common.Choices = (),
    family: Annotated[
        Texts,
        Option(
            "Column with the family of models that the judged response comes from, or one for each of two.",
            "COLUMN,...",
            LISTED,
        ),
    ] = (),
    own_family: Annotated[
        Names, Option("The family of a judge, where it is not part of its name.", "JUDGE=FAMILY,...")
    ] = None,
    time: Annotated[
        Text, Option("Column with the window or version in which a label was given.", "COLUMN", WORD)
    ] = None,
    items_without_people: Annotated[
        bool,
        Option(
            "Include items that judges alone labelled, and say what these labels are worth; those that people "
            "labelled have to be drawn at random."
        ),
    ] = False,
    width: common.Width = None,
    assurance: common.Assurance = 0.8,
    flag_values: common.FlagValues = None,
    exact_labels: common.ExactLabels = False,
    annotator_columns: common.AnnotatorColumns = (),
    vote_separator: common.VoteSeparator = None,
    **further: Unpack[common.OnWorkers],
) -> Report:
    """May a judge stand in for people? Its agreement with people beside theirs with one another, and all else.

    agreement = mean over items of the share of people whose label equals the judge's;
    people_agreement = the same of people, each against the others.

    Arguments
    ---------
    data: Several are read as one; one that does not say who judged holds the labels of whoever the file is named after.
        Long tables have the columns item, annotator, label and optionally flag, skipped, cluster, reference. Pairs and
        preferences are labels too.
    reference: A column `reference` holds a trusted label, and is called so here too.
    run_column: Of several labels that somebody gives an item, the first in the file counts wherever one is needed.

    Returns
    -------
    A Report whose main table is judges.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> said = {"ana": "yes no no yes", "ben": "yes no yes yes", "gpt": "yes no yes no"}
    >>> rows = [(i, who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    >>> table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    >>> report = adjudge.card(table, judges="gpt")
    >>> [report.estimate("judges", name, {"judge": "gpt"}).value for name in ("agreement", "people_agreement")]
    [0.625, 0.75]

    Command
    -------
    May a judge stand in for people? Its agreement with people beside theirs with one another, and all else.

    Tables have a row per label (item, annotator, label), or a column per annotator. For example:

    adjudge card labels.csv --judges gpt

    adjudge card sheet.csv --annotator-columns ana,ben,cleo,gpt --judges gpt --ordered 1,2,3,4,5
    """
    return run(card, locals())
