"""Exports of other tools, one module per tool."""
