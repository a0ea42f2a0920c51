"""What is made once and used again."""

from adjudge.cache import LastResults


def test_the_same_is_made_once_until_what_it_depends_on_changes():
    kept, made = LastResults(), []

    def make(value):
        made.append(value)
        return value

    asked = [("a", 1), ("a", 1), ("b", 1), ("a", 2), ("b", 1), ("a", 1)]
    found = [kept(name, depends, lambda name=name, depends=depends: make((name, depends))) for name, depends in asked]
    assert found == asked
    assert made == [("a", 1), ("b", 1), ("a", 2), ("a", 1)]


def test_nothing_is_kept_too():
    kept, made = LastResults(), []
    assert kept("checked", 1, lambda: made.append(1)) is None
    assert kept("checked", 1, lambda: made.append(1)) is None
    assert made == [1]
