"""Ways in which a good file goes bad, as strategies of hypothesis."""

from hypothesis import strategies as st

from fuzz.mutating import mutated


def mutations(content: bytes) -> st.SearchStrategy[bytes]:
    """Every way in which a file of that content may go bad."""
    return st.randoms().map(lambda draw: mutated(content, draw))
