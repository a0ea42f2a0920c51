"""Names of `span_records` under which tools' modules import them."""

from adjudge.readers.spans.span_records import Line, SpanTool, read_lines

__all__ = ["Line", "SpanTool", "read_lines"]
