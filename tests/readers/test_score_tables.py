"""Published scores are read as they stand in papers, on pages and in results files."""

import pytest

import adjudge
from adjudge import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.preferences.score_tables import read_scores

MARKED = """\
Rank,System,Relevance,Safety accuracy,WER ↓,Avg.
1,**One**,**45.9%**,40.1,0.12,43.0
2,Two,44.1%,41,–,42.6
"""

READ = [
    ("One", "relevance", "score", 45.9),
    ("One", "safety", "accuracy", 40.1),
    ("One", "all", "WER ↓", 0.12),
    ("One", "average", "score", 43.0),
    ("Two", "relevance", "score", 44.1),
    ("Two", "safety", "accuracy", 41.0),
    ("Two", "all", "WER ↓", None),
    ("Two", "average", "score", 42.6),
]


def read(*paths, **columns):
    return read_scores(sources(list(paths), None, "preferences"), columns)


def test_marks_around_names_and_figures_are_left_out(written):
    found = read(written(MARKED, "results.csv"))
    assert found.frame.rows() == READ
    (warning,) = found.warnings
    assert warning.endswith("results.csv: columns without scores are excluded: Rank")


def test_a_wide_table_of_any_format_reads_alike(written):
    csv = "Team,Relevance,safety_accuracy,WER ↓,Average\nOne,45.9,40.1,0.12,43.0\nTwo,44.1,41,,42.6\n"
    assert read(written(csv, "scores.csv")).frame.rows() == READ
    record = {"Team": "One", "Relevance": 45.9, "safety/accuracy": 40.1, "WER ↓": 0.12}
    assert read(written([record], "scores.json")).frame.rows() == READ[:3]


def test_the_column_of_systems_can_be_named(written):
    path = written("Lab,Entry,accuracy\nX,One,45.9\nX,Two,44.1\n", "scores.csv")
    figures = read(path, system="Entry").frame.rows()
    assert figures == [("One", "all", "accuracy", 45.9), ("Two", "all", "accuracy", 44.1)]
    with pytest.raises(OptionError, match='no column "Entri"'):
        read(path, system="Entri")
    with pytest.raises(OptionError, match="only system can be mapped; got criterion"):
        read(path, criterion="Lab")


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ("system,accuracy\nx,0.9\nx,0.8\n", "a.csv", "rows 1, 2: expected each metric once; system x, criterion all, metric accuracy appears 2 times"),
        ("system,accuracy\nx,0.9\ny,low\n", "a.csv", 'row 2, column value: expected a number, with a decimal point; got "low"'),
        ("system,accuracy\nx,0.9 ± 0.1\n", "a.csv", 'expected a number, with a decimal point; got "0.9 ± 0.1"'),
        ("system,accuracy\nx,90%\ny,0.8\n", "a.csv", 'row 1, column value: expected a % in all rows or in none; got "90%"'),
        ("system,accuracy\n,90\ny,80\n", "a.csv", "row 1, column system: expected a name; got nothing"),
        ("system,team\nx,a\n", "a.csv", "expected a column of scores besides system; got none"),
        ("system,metric,value\nx,accuracy,1\n", "a.csv", "missing column criterion"),
        ("system,accuracy\n", "a.csv", "no rows found"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(written, content, name, expected):
    with pytest.raises(DataError) as error:
        read(written(content, name))
    assert expected in str(error.value)


def test_lower_is_better_turns_a_metric_round(written):
    path = written("system,errors\nx,1\ny,2\n", "a.csv")

    def points(**options):
        return adjudge.rank_preferences(path, **options).estimate("borda", table="ranks", system="x").value

    assert (points(), points(lower_is_better="errors")) == (0.0, 1.0)
    said = r"lower_is_better: no metric .error.\nfound: errors\nfix:   lower_is_better errors"
    with pytest.raises(OptionError, match=said):
        points(lower_is_better="error")
    written("system,errors ↓\nx,1\ny,2\n", "a.csv")
    assert points() == 1.0
