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
