"""The project's name and version, as commands, reports and messages state them."""

NAME = "adjudge"
TITLE = "Adjudge"
__version__ = "0.2.0"
