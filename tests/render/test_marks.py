"""Texts with the marks of all sides."""

import json

from adjudge.render.marks import marked_text

WORDS = "word " * 100
"""500 characters, between every five of which a line may be broken."""


def mark(side, start, end, match=None, **further):
    return {"side": side, "start": start, "end": end, "match": match, **further}


def marked(text, *marks, others=()):
    return marked_text(text, json.dumps(marks), "me", others)


def shown(view):
    return {side: "".join(piece.text for piece in pieces) for side, pieces in view.pieces}


def test_all_sides_leave_out_the_same_stretch_between_words():
    text = f"{WORDS}BAD {WORDS}"
    view = marked(text, mark("true", 500, 503))
    texts = set(shown(view).values())
    assert len(texts) == 1
    said = texts.pop()
    assert "BAD" in said
    assert said.count("…") == 2
    assert set(said.replace("…", " ").split()) == {"word", "BAD"}
    assert len(said) < 500


def test_what_one_side_marks_is_left_out_of_no_other():
    text = f"{WORDS}BAD {WORDS}"
    view = marked(text, mark("predicted", 0, 4), others=[{"judge": "you", "spans": [[500, 503, None]]}])
    assert [side for side, _ in view.pieces] == ["True", "me", "you"]
    assert all("BAD" in text for text in shown(view).values())


def test_a_span_of_another_checker_has_the_label_of_the_true_one_that_it_matches():
    others = [{"judge": "you", "spans": [[0, 3, 1], [4, 7, None], [4, 7, 9], ["x"], [0, 99, 0]]}]
    view = marked("one two", mark("true", 4, 7, 1), mark("true", 0, 3), others=others)
    opens = [(one.label, one.kind) for piece in dict(view.pieces)["you"] for one in piece.opens]
    assert opens == [("1", "matched"), ("x", "invented"), ("x", "invented")]
    assert view.unlisted
    assert [(row.label, row.kind) for row in view.rows] == [("1", "missed"), ("2", "matched")]


def test_each_true_violation_has_a_number_and_what_is_invented_an_x():
    sides = [("true", 1), ("predicted", 1), ("true", None), ("true", None), ("predicted", None), ("predicted", None)]
    view = marked("one two", *(mark(side, 0, 3, match) for side, match in sides))
    assert [row.label for row in view.rows] == ["1", "1", "2", "3", "x1", "x2"]
    assert not view.unlisted


def test_a_true_violation_has_its_place_in_the_text_as_its_number_whatever_it_matches():
    first, second = mark("true", 0, 3), mark("true", 4, 7)
    view = marked("one two", mark("true", 4, 7, 1), mark("predicted", 4, 7, 1), first)
    assert [(row.label, row.start, row.side) for row in view.rows] == [
        ("1", 0, "true"),
        ("2", 4, "true"),
        ("2", 4, "predicted"),
    ]
    assert [(row.label, row.start) for row in marked("one two", second, first).rows] == [("1", 0), ("2", 4)]


def nearest(view):
    at = view.columns.index("nearest") - 3  # behind label, side and offsets
    return {row.label: row.cells[at] for row in view.rows}


def test_what_overlaps_nothing_says_how_close_the_closest_violation_of_the_other_side_is():
    marks = [
        *(mark("true", start, end, failed="nothing there") for start, end in ((31, 31), (40, 44), (75, 80))),
        *(mark("predicted", start, end, failed="nothing there") for start, end in ((30, 31), (45, 50), (99, 100))),
    ]
    assert nearest(marked("x" * 100, *marks)) == {
        "1": "violation x1 touches it",  # 31 - 31
        "2": "violation x2 is 1 character away",  # 45 - 44; x1 ends 9 before it
        "3": "violation x3 is 19 characters away",  # 99 - 80; x2 ends 25 before it
        "x1": "violation 1 touches it",
        "x2": "violation 2 is 1 character away",
        "x3": "violation 3 is 19 characters away",
    }


def test_what_is_more_than_20_characters_away_is_not_close():
    marks = [mark("true", 0, 4, failed="nothing there"), mark("predicted", 24, 25, failed="nothing there")]
    assert nearest(marked("x" * 50, *marks))["1"] == "violation x1 is 20 characters away"
    marks[1] = mark("predicted", 25, 26, failed="nothing there")
    assert set(nearest(marked("x" * 50, *marks)).values()) == {"nothing overlaps it"}


def test_what_stands_nowhere_is_close_to_nothing():
    quote = {"side": "predicted", "start": None, "end": None, "invented": "y", "failed": "nothing there"}
    marks = [mark("true", 0, 4, failed="nothing there"), quote]
    assert set(nearest(marked("x" * 50, *marks)).values()) == {"nothing overlaps it"}


def test_a_text_is_cut_alike_on_all_sides_to_the_room_that_there_is():
    view = marked_text(WORDS, json.dumps([mark("true", 0, 500), mark("predicted", 400, 404)]), "me", room=400)
    true, predicted = shown(view).values()
    assert true.startswith("word " * 18)
    assert true.endswith("… The text goes on")
    assert predicted.endswith("… The text goes on; 1 span begins behind this place")
    assert max(len(true), len(predicted)) < 200
    assert (len(view.rows), view.more) == (0, 2)
