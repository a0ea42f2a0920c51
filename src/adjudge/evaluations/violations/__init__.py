"""Violations that a checker marks in texts against the true ones: the span, the rule, and the explanation."""
