"""Text in other encodings than UTF-8 gives the same figures, and the report says what it was read as."""

import hashlib

import pytest

import adjudge as library
from adjudge import DataError, OptionError

PLAIN = "item,annotator,label,reference\n1,J,{0},{0}\n2,J,{1},{0}\n3,Z,{0},{0}\n"
TABLE = "item,annotator,label,reference\n1,Jörg,gut,gut\n2,Jörg,„na ja“,gut\n3,Zoë,gut,gut\n"


def figures(report):
    return report["annotators"].to_dicts()


@pytest.fixture
def expected(written):
    return figures(library.reliability(written(TABLE, "plain.csv")))


@pytest.mark.parametrize(
    ("encoding", "mark", "said"),
    [
        ("utf-8", b"\xef\xbb\xbf", None),
        ("cp1252", b"", "read as cp1252; if its letters look wrong, name"),
        ("utf-16-le", b"\xff\xfe", "read as utf-16"),
        ("utf-16-be", b"\xfe\xff", "read as utf-16"),
    ],
)
def test_an_encoding_is_found_out_and_told(tmp_path, expected, encoding, mark, said):
    path = tmp_path / "v.csv"
    path.write_bytes(mark + TABLE.encode(encoding))
    report = library.reliability(path)
    assert figures(report) == expected
    assert [warning.startswith(f"{path}: {said}") for warning in report.warnings] == [True] * bool(said)
    assert report.inputs[0].path == str(path)
    assert report.inputs[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_encoding_that_is_named_is_used_without_a_word(adjudge, tmp_path, expected):
    path = tmp_path / "v.csv"
    path.write_bytes(TABLE.replace("„na ja“", "na ja").encode("mac_roman"))
    report = library.reliability(path, reading=library.Reading(encoding="mac-roman"))
    assert [row["annotator"] for row in figures(report)] == [row["annotator"] for row in expected]
    assert (report.warnings, report.options["encoding"]) == ((), "mac-roman")
    status, printed, _ = adjudge("reliability", path, "--encoding", "mac_roman")
    assert status == 0
    assert "Jörg" in printed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_of_utf8_or_utf16_beside_others_stays_what_it_is(tmp_path, expected, encoding):
    """Such as verdicts that Adjudge wrote beside answers from elsewhere."""
    path = tmp_path / "v.csv"
    path.write_text(TABLE, encoding=encoding)
    report = library.reliability(path, reading=library.Reading(encoding="cp1251"))
    assert figures(report) == expected
    assert report.warnings[0] == f"{path}: read as {encoding.upper()}, which it is, and not as cp1251"


def test_a_word_with_two_letters_beyond_ascii_is_western_european(tmp_path):
    path = tmp_path / "v.csv"
    path.write_bytes("item,annotator,label,reference\n1,J,größe,größe\n".encode("cp1252"))
    assert library.reliability(path).warnings[0].startswith(f"{path}: read as cp1252")


@pytest.mark.parametrize(
    ("sign", "text", "encoding", "golds"),
    [
        ("\t", "Tea, please", "utf-8", ("id\tanswer\tnote, if any\n1\tTea, please\ta, b, c\n", 'id,answer\n1,"Tea, please"\n2,"tea\tor"\n')),
        ("~", "Москва", "cp1251", ("id,answer\n1,Москва\n",)),
    ],
)  # fmt: skip
def test_a_file_beside_the_answers_is_read_as_they_are_and_by_its_own_separator(tmp_path, sign, text, encoding, golds):
    answers, gold = tmp_path / "answers.txt", tmp_path / "gold.txt"
    rows = f"id~ability~model~response\n1~question_answering~m~{text}\n"
    answers.write_text(rows.replace("~", sign), encoding=encoding)
    for content in golds:
        gold.write_text(content, encoding=encoding)
        report = library.rag(answers, gold=gold, reading=library.Reading(encoding=encoding, separator=sign))
        assert report.estimate("accuracy", table="scores").value == 1


def test_what_is_no_text_of_the_named_encoding_is_refused(tmp_path):
    path = tmp_path / "v.csv"
    path.write_bytes(b"item,annotator,label,reference\n1,x,a,a\n2,\x81,a,a\n")
    with pytest.raises(DataError, match=r"v\.csv: expected text in cp1252; got other bytes"):
        library.reliability(path, reading=library.Reading(encoding="cp1252"))


@pytest.mark.parametrize(
    "content",
    [
        TABLE.replace("gut", "gut ä").encode() + b"4,x,\xe4,gut\n",
        PLAIN.format("очень хорошо", "не очень").encode("cp1251"),
        PLAIN.format("问题不大", "产品很差").encode("gb18030"),
    ],
    ids=["mostly utf-8", "cp1251", "gb18030"],
)
def test_an_encoding_that_does_not_show_must_be_named(tmp_path, content):
    path = tmp_path / "v.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"line \d: expected UTF-8 text; got the byte .*\nfix:   encoding NAME,"):
        library.reliability(path)


@pytest.mark.parametrize(
    ("option", "values", "said"),
    [
        ("encoding", ["latin9000", "base64", "\0", "", 3], "expected an? "),
        ("max_size", ["much", "8 PB", -1, True, "1.2.3GB"], "expected a size such as 500MB"),
        ("separator", ["", "ab", "é", "\n", '"', "x", 3], "expected "),
    ],
)
def test_options_of_reading_are_checked(written, option, values, said):
    for given in values:
        with pytest.raises(OptionError, match=f"^{option}: {said}"):
            library.reliability(written(TABLE, "v.csv"), reading=library.Reading(**{option: given}))
