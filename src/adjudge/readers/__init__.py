"""Readers turn files of any format into validated tables, independent of evaluations.

`io` opens containers. `labels`, `pairs`, `spans`, `answers` and `preferences` each hold an evaluation's formats,
`tools` those of other tools; `formats` collects them.
"""
