"""Exports of doccano are judgments of the annotator whom the file is called after."""

from made_labels import DOCCANO, DOCCANO_1, judgments, lines, rows_of


def test_a_file_per_annotator_is_called_after_them(written):
    ana = written(lines(DOCCANO), "ana.jsonl")
    ben = written(lines([{**one, "label": ["kind"]} for one in DOCCANO]), "ben.jsonl")
    read = judgments(ana, ben, reference=["ana"])
    assert rows_of(read) == [("1", "ben", "kind"), ("2", "ben", "kind"), ("3", "ben", "kind")]
    assert any("ana.jsonl: 1 answer holds several values of label" in one for one in read.warnings)
    assert any("ana.jsonl: skipped, since without an answer to label: 1 line" in one for one in read.warnings)


def test_csv_reads_alike(written):
    ana = written("id,text,label\n1,Good.,kind\n2,Bad.,curt#rude\n", "ana.csv")
    ben = written("id,text,label\n1,Good.,kind\n2,Bad.,rude\n", "ben.csv")
    assert rows_of(judgments(ana, ben, reference=["ana"])) == [("1", "ben", "kind"), ("2", "ben", "rude")]


def test_old_versions_name_users_in_one_file(written):
    read = judgments(written(lines(DOCCANO_1), "all.jsonl"), reference=["1"])
    assert rows_of(read) == [("1", "2", "5")]


def test_records_without_ids_are_told_apart_by_their_file(written):
    records = [{name: value for name, value in one.items() if name != "id"} for one in DOCCANO_1]
    paths = [written(lines(records), name) for name in ("a.jsonl", "b.jsonl")]
    read = judgments(*paths, reference=["1"], input_format="doccano")
    assert read.frame["item"].n_unique() == 2
