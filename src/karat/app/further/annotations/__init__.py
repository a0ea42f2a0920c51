"""Annotations: who votes with whom, and the pairs behind it."""

from collections.abc import Mapping
from typing import Any

from karat.app.further.annotations.pairs import lead_to, pairs
from karat.app.further.annotations.who import known

VIEWS = {"Items": pairs}
START: Mapping[str, Any] = {"matrix": False}
"""Everyone is compared with everyone only where that is looked at: of many annotators it takes seconds."""

__all__ = ["START", "VIEWS", "known", "lead_to"]
