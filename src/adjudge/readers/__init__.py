"""Readers: files of any format become validated tables; they know nothing of evaluations.

`io` opens containers. `labels`, `pairs`, `spans`, `answers` and `preferences` hold the formats of an evaluation each,
`tools` those of other tools; `formats` finds them all.
"""
