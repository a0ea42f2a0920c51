"""Predictors: what says which of two responses people prefer, once it has seen labelled items or nothing at all."""
