"""Annotations in the explorer."""

from collections.abc import Mapping
from typing import Any

VIEWS: Mapping[str, Any] = {}
START: Mapping[str, Any] = {"matrix": False}
"""Everyone is compared with everyone only where that is looked at: of many annotators it takes seconds."""
