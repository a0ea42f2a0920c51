"""Definitions of valid tables."""
