"""What tests of marked texts ask of their readers."""

import pytest

from adjudge.errors import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.spans.violations import SpanReading, read_predictions, read_truth
from adjudge.schemas.violations import PLACE


def truth(data, input_format=None, **options):
    """The texts and violations of a truth."""
    how = How(input_format, columns=options.get("columns", {}))
    return read_truth(sources(data, how, "violations")[0], SpanReading(**options))


def predicted(data, gold, checker=None, **options):
    """What each checker or annotator of a file of predictions marks in the texts of a truth."""
    return read_predictions(sources(data, None, "violations")[0], SpanReading(**options), gold, checker)


def refusal(action, *arguments, kind=DataError, **options):
    """How something is refused."""
    with pytest.raises(kind) as caught:
        action(*arguments, **options)
    return str(caught.value)


def spans(marked, *columns):
    """The violations that were read, by some of their columns."""
    return marked.spans.select(columns or (PLACE, "start", "end", "rule")).rows()
