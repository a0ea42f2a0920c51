"""Profiles of unknown files, and the evaluations that fit them."""
