"""Texts with the marks of all sides."""

import json

from adjudge.render.marks import marked_text

WORDS = "word " * 100
"""500 characters, between every five of which a line may be broken."""


def mark(side, start, end, match=None, **further):
    return {"side": side, "start": start, "end": end, "match": match, **further}


def marked(text, *marks):
    return marked_text(text, json.dumps(marks), "me")


def shown(view):
    return {side: "".join(piece.text for piece in pieces) for side, pieces in view.pieces}


def test_each_true_violation_has_a_number_and_what_is_invented_an_x():
    sides = [("true", 1), ("predicted", 1), ("true", None), ("true", None), ("predicted", None), ("predicted", None)]
    view = marked("one two", *(mark(side, 0, 3, match) for side, match in sides))
    assert [row.label for row in view.rows] == ["1", "1", "2", "3", "x1", "x2"]


def test_a_true_violation_has_its_place_in_the_text_as_its_number_whatever_it_matches():
    first, second = mark("true", 0, 3), mark("true", 4, 7)
    view = marked("one two", mark("true", 4, 7, 1), mark("predicted", 4, 7, 1), first)
    assert [(row.label, row.start, row.side) for row in view.rows] == [
        ("1", 0, "true"),
        ("2", 4, "true"),
        ("2", 4, "predicted"),
    ]
    assert [(row.label, row.start) for row in marked("one two", second, first).rows] == [("1", 0), ("2", 4)]


def test_what_matches_nothing_says_why():
    failed = ("nothing there", "rule", "taken")
    view = marked("one two", *(mark("true", 0, 3, failed=why) for why in failed))
    at = view.columns.index("no match because") - 3  # behind label, side and offsets
    assert [row.cells[at] for row in view.rows] == ["nothing overlaps it", "rule differs", "matches another"]


def test_a_text_is_cut_alike_on_all_sides_to_the_room_that_there_is():
    view = marked_text(WORDS, json.dumps([mark("true", 0, 500), mark("predicted", 400, 404)]), "me", room=400)
    true, predicted = shown(view).values()
    assert true == predicted
    assert true.startswith("word " * 18)
    assert len(true) <= 200
