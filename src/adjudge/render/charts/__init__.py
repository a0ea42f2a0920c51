"""The chart of a summary, as an Altair object, an SVG element of a page, and a file."""
