"""The explorer is tried where a browser is: streamlit takes seconds to load."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks all tests of the explorer."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def taken(monkeypatch):
    """What the buttons of a page save: the name of a file -> what makes it.

    Streamlit keeps what its buttons would give to a browser out of sight of tests, so the buttons tell it here.
    """
    import streamlit as st

    made = {}
    button = st.download_button

    def told(title, data, file_name, *others, **named):
        made[file_name] = data
        return button(title, data, file_name, *others, **named)

    monkeypatch.setattr(st, "download_button", told)
    return made
