"""The version of Karat, which reports and their signatures say."""

__version__ = "0.2.0"
