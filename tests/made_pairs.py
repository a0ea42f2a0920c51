"""Made-up annotated pairs for tests of their formats."""

from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.pairs.pairs import PairReading, read_pairs
from adjudge.schemas.pairs import VOTES


def comparison(pair="1", votes=None, a="yes", b="no", **further):
    """A comparison of AnnotatedPairs 2.0; votes: annotator -> annotation, or "a" or "b"."""
    spelt = {one: {"pref": vote} if isinstance(vote, str) else vote for one, vote in (votes or {}).items()}
    return {
        "id": pair,
        "prompt": "Really?",
        "response_a": {"text": a},
        "response_b": {"text": b},
        "annotations": spelt,
        **further,
    }


def document(*comparisons, annotators=("ann", "ben"), **metadata):
    """An AnnotatedPairs 2.0 document; annotators: ids, or an object."""
    declared = annotators if isinstance(annotators, dict) else {one: {"type": "human"} for one in annotators}
    return {"metadata": {"version": "2.0", **metadata}, "annotators": declared, "comparisons": list(comparisons)}


def read(path, input_format=None, **options):
    """The pairs in a file."""
    (source,) = sources(path, How(input_format))
    return read_pairs(source, PairReading(**options))


def votes(pairs):
    """Annotator -> its votes, by name."""
    frame = pairs.frame.collect()
    return {one.id: [VOTES[code] for code in frame[one.column]] for one in pairs.annotators}


def column(pairs, name):
    """A column of the pairs' frame as a list."""
    return pairs.frame.select(name).collect().to_series().to_list()
