"""What the columns of a table may stand for in each evaluation: guessed by the names people use, and by values.

A guess is made of options, as a user gives them, and never of data. Nothing here reads a file; what a guess is worth
shows when the evaluation's own reader takes it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from karat.errors import nearest
from karat.formats.findings import listed
from karat.formats.naming import SIDES, is_id_name, joined, mentioning, nearest_to, sided, stem, words
from karat.formats.profiles import Column, Table
from karat.formats.roles import annotator_of, items_of
from karat.schemas.answers import QUESTION_ANSWERING
from karat.schemas.preferences import CRITERIA, LABELS

Names = Mapping[str, Sequence[str]]
"""Karat's column -> what people call it, as `naming.joined` writes it, the commonest first."""

_ID = (
    *("id", "itemid", "item", "questionid", "qid", "exampleid", "taskid", "sampleid", "docid", "documentid", "textid"),
    *("conversationid", "promptid", "pairid", "hitid", "unitid", "segmentid", "segid", "rowid", "uid", "uuid"),
    *("index", "idx", "key", "number", "nr", "no", "frage", "frageid", "satz", "aufgabe", "beispiel", "nummer"),
    *("lfdnr", "identifiant", "numéro", "exemple", "pregunta", "ejemplo", "elemento", "número"),
)
_ANNOTATOR = (
    *("annotator", "annotatorid", "annotatorname", "worker", "workerid", "rater", "raterid", "coder", "labeler"),
    *("labeller", "judge", "judgename", "judgeid", "evaluator", "reviewer", "assessor", "participant", "participantid"),
    *("user", "userid", "username", "annotatedby", "completedby", "createdby", "turker", "crowdworker", "who"),
    *("labelledby", "labeledby", "ratedby", "reviewedby", "codedby", "grader", "scorer", "marker"),
    *("prüfer", "prüferin", "bewerter", "bewerterin", "gutachter", "kodierer", "codierer", "annotateur"),
    *("annotatrice", "évaluateur", "juge", "anotador", "anotadora", "evaluador", "evaluadora", "annotatore"),
)
_GOLD = (
    *("reference", "gold", "goldlabel", "goldstandard", "groundtruth", "truth", "truelabel", "trusted", "ytrue"),
    *("correctlabel", "correct", "expected", "expectedlabel", "target", "referencelabel", "expert", "expertlabel"),
    *("adjudicated", "adjudication", "consensus", "qc", "key", "goldanswer", "answerkey", "gt", "actual"),
    *("final", "finallabel", "finalscore", "resolved", "resolvedlabel", "resolvedscore", "agreed", "agreedlabel"),
    *("majority", "majorityvote", "acceptable", "referenz", "musterlösung", "lösung", "richtig", "korrekt", "soll"),
    *("référence", "vérité", "attendu", "referencia", "verdad", "correcto", "esperado", "riferimento", "corretto"),
)
_MODEL = ("model", "modelname", "modelid", "system", "systemname", "generator", "llm", "engine")

NAMES: Mapping[str, Names] = {
    "reliability": {
        "item": _ID,
        "annotator": _ANNOTATOR,
        "label": (
            *("label", "answer", "rating", "judgment", "judgement", "verdict", "vote", "choice", "category", "class"),
            *("score", "decision", "grade", "annotation", "response", "prediction", "predicted", "predictedlabel"),
            *("ypred", "value", "result", "preference", "preferred", "winner", "option", "selected", "sentiment"),
            *("antwort", "bewertung", "urteil", "kategorie", "klasse", "wertung", "étiquette", "réponse", "jugement"),
            *("catégorie", "etiqueta", "respuesta", "categoría", "calificación", "etichetta", "risposta", "giudizio"),
        ),
        "reference": _GOLD,
        "flag": ("flag", "flagged", "isflagged", "itemflag"),
        "skipped": ("skipped", "skip", "isskipped"),
        "cluster": ("cluster", "group", "document", "docid", "conversation", "thread"),
    },
    "annotations": {
        "pair": ("pair", "pairid", "comparisonid", *_ID),
        "prompt": (
            *("prompt", "instruction", "question", "query", "input", "userprompt", "usermessage", "context", "task"),
            *("post", "article", "source", "problem"),
        ),
        "annotator": _ANNOTATOR,
        "vote": (
            *("vote", "winner", "preferred", "preference", "choice", "label", "better", "best", "preferredresponse"),
            *("betterresponse", "preferredoutput", "judgment", "judgement", "verdict", "answer", "rating", "selected"),
        ),
    },
    "preferences": {
        "id": _ID,
        "instruction": ("instruction", "prompt", "question", "query", "input"),
    },
    "violations": {
        "id": ("id", "textid", "docid", "documentid", "document", "doc", *_ID),
        "text": (
            "text",
            "content",
            "document",
            "sentence",
            "passage",
            "body",
            "source",
            "target",
            "output",
            "response",
        ),
        "start": ("start", "begin", "from", "startoffset", "offsetstart", "startchar", "charstart", "spanstart"),
        "end": ("end", "stop", "to", "endoffset", "offsetend", "endchar", "charend", "spanend", "finish", "last"),
        "context": ("context", "quote", "span", "spantext", "snippet", "excerpt", "highlight", "evidence", "phrase"),
        "rule": ("rule", "label", "errortype", "type", "tag", "entity", "violation", "error", "issue", "guideline"),
        "category": ("category", "severity", "kind", "group"),
        "explanation": ("explanation", "reason", "comment", "note", "rationale", "why", "justification"),
        "correction": ("correction", "suggestion", "fix", "replacement", "corrected", "rewrite"),
        "annotator": _ANNOTATOR,
        "checker": ("checker", "tool", *_MODEL),
    },
    "rag": {
        "id": _ID,
        "answer": (
            *("groundtruth", "groundtruths", "reference", "referenceanswer", "gtanswer", "goldanswer", "goldenanswer"),
            *("goldanswers", "expectedoutput", "expectedanswer", "expected", "correctanswer", "idealanswer", "target"),
            *("gold", "truth", "groundtruthanswer", "trueanswer", "answers", "answer", "label"),
        ),
        "response": (
            *("response", "actualoutput", "modelanswer", "modelresponse", "modeloutput", "prediction", "predicted"),
            *("predictedanswer", "generatedanswer", "generation", "output", "completion", "reply", "systemanswer"),
            *("answer", "result"),
        ),
        "documents": (
            *("documents", "contexts", "retrievedcontexts", "retrievedcontext", "retrievalcontext", "context"),
            *("passages", "docs", "chunks", "retrieveddocuments", "sources", "evidence"),
        ),
        "ability": ("ability", "task", "testbed"),
        "model": _MODEL,
        "noise_ratio": ("noiseratio", "noise", "noiserate"),
        "counterfactual": ("counterfactual", "fakeanswer", "wronganswer", "falseanswer"),
        "draw": ("draw", "repetition", "repeat", "trial", "seed", "attempt"),
    },
}
"""What people call the columns of each evaluation."""

_QUESTION = ("question", "query", "userinput", "input", "prompt", "instruction")
_TRUSTED = {
    "gold",
    "qc",
    "lead",
    "expert",
    "reference",
    "truth",
    "adjudicated",
    "adjudicator",
    "consensus",
    "master",
    "human",
    "final",
    "resolved",
    "chief",
    "senior",
    "referenz",
    "expertin",
    "experte",
    "référence",
    "referencia",
    "experto",
}
"""Names of annotators whose word is trusted."""
_FAILED = {
    "fail",
    "failed",
    "incorrect",
    "wrong",
    "unsafe",
    "toxic",
    "bad",
    "reject",
    "rejected",
    "hallucinated",
    "hallucination",
}
"""Of two labels, the one that a judge is there to find."""


@dataclass(frozen=True, slots=True)
class Guess:
    """How an evaluation might read a table.

    columns: Karat's column -> the file's, for all that are known, also those of one name. options: what a user would
    give, with those columns whose names differ. lacking: what nothing in the table says, each with what to do. doubts:
    what may be otherwise and should be looked at. weight: how much speaks for the evaluation, from 0 to 1.
    """

    evaluation: str
    weight: float
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def guesses(table: Table) -> list[Guess]:
    """A guess for each evaluation, the likeliest first."""
    return sorted((make(table) for make in _GUESSERS.values()), key=lambda one: -one.weight)


def guess(evaluation: str, table: Table) -> Guess:
    """How this evaluation might read a table."""
    return _GUESSERS[evaluation](table)


def _found(evaluation: str, names: Sequence[str], table: Table, taken: Sequence[str] = ()) -> dict[str, str]:
    """Karat's columns among those of a table, each of which stands for one, in the order asked for."""
    found: dict[str, str] = {}
    for name in names:
        called = NAMES[evaluation][name]
        called = called if joined(name) in called else (joined(name), *called)
        theirs = nearest_to(called, table.names, (*taken, *found.values()))
        if theirs is not None:
            found[name] = theirs
    return found


def _mapped(columns: Mapping[str, str], **others: object) -> dict[str, Any]:
    """The options that say so; nothing is said of columns that have Karat's names."""
    renamed = {name: theirs for name, theirs in columns.items() if name != theirs}
    return {name: one for name, one in {"columns": renamed, **others}.items() if one}


# --- reliability ---


def _judgments(table: Table) -> Guess:
    """A long table of labels, or a wide one with a column per annotator."""
    labels = [name for name in table.names if table[name].is_label]
    reference = _found("reliability", ["reference"], _only(table, labels))
    long = _long_columns(table, labels, reference.get("reference"))
    if long:
        further = _found(
            "reliability", ["flag", "skipped"], _only(table, labels), [*long.values(), *reference.values()]
        )
        guess = _long_judgments(table, long | reference | further)
    else:
        guess = _wide_judgments(table, reference, labels)
    judged = [guess.columns["label"]] if "label" in guess.columns else guess.options.get("annotator_columns", ())
    return replace(guess, doubts=_scales({value for name in judged for value in table[name].distinct}))


def _long_columns(table: Table, labels: Sequence[str], trusted: str | None) -> dict[str, str]:
    """The columns of a row per judgment, by name, else by how values repeat; none where rows are something else."""
    taken = [trusted] if trusted else []
    people = [name for name in table.names if name not in taken and not _is_voted(table, name, labels)]
    who = nearest_to(_ANNOTATOR, people) or mentioning(_ANNOTATOR, people)
    said = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    if who is None or said is None:
        rest = [name for name in labels if trusted is None or _share(table, trusted, name)]
        both = annotator_of(table, rest, trusted)
        said = said or _label(table, [name for name in rest if name not in {*(both or ()), trusted}], trusted)
        return dict(zip(("item", "annotator", "label"), (*both, said), strict=True)) if both and said else {}
    item = _item(table, [*taken, said], who)
    return {"item": item, "annotator": who, "label": said} if item else {"annotator": who, "label": said}


def _is_voted(table: Table, name: str, labels: Sequence[str]) -> bool:
    """Whether a column holds the labels of another: then it is what an annotator said, not who said it."""
    return name in labels and any(_share(table, name, other) for other in labels if other != name)


def _label(table: Table, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: called so, or a question, or the only one with the labels of the trusted column."""
    named = nearest_to(NAMES["reliability"]["label"], labels)
    asked = [name for name in labels if words(name) and words(name)[0] in _ASKING]
    alike = [name for name in labels if trusted is None or _share(table, trusted, name)]
    return named or next((found[0] for found in (asked, alike) if len(found) == 1), None)


_ASKING = {"is", "has", "contains", "does"}
"""With what a name begins that is a question."""


def _item(table: Table, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two with + between them, that tell rows apart; else the one that is called so."""
    named = nearest_to(_ID, table.names, [*but, annotator or ""])
    called = [named] if named else [name for name in table.names if is_id_name(name)]
    found = items_of(table, called, annotator, but)
    return "+".join(found) or (named if annotator else None)


def one_annotator_each(table: Table) -> Guess | None:
    """How a table of one annotator's labels is read beside others like it; None where it holds no ids and labels."""
    found = _found("reliability", ["label"], _only(table, [name for name in table.names if table[name].is_label]))
    item = _item(table, list(found.values())) if found else None
    columns = {"item": item, **found} if item else {}
    return Guess("reliability", 0.8, columns, _mapped(columns)) if columns else None


def _scales(labels: Collection[str]) -> tuple[str, ...]:
    """What labels may be besides names: places on a scale, or whether something passes."""
    numbers = sorted((one for one in labels if _is_number(one)), key=float)
    if len(numbers) == len(labels) > 2:  # noqa: PLR2004 - two may be any codes
        return (f"the labels are numbers ({listed(numbers)}): if they are a scale, add --ordered numbers",)
    failed = [one for one in labels if joined(one) in _FAILED]
    if len(labels) == 2 and len(failed) == 1:  # noqa: PLR2004 - pass and fail
        return (f'to see how well "{failed[0]}" is found, add --positive {failed[0]}',)
    return ()


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _long_judgments(table: Table, columns: Mapping[str, str]) -> Guess:
    judges = table[columns["annotator"]].distinct
    trusted = trusted_among(judges)
    reference = [trusted] if trusted and "reference" not in columns else []
    lacking = [] if "item" in columns else [_no_column("item", table)]
    if not reference and "reference" not in columns:
        lacking.append(f"nothing says what is trusted: which annotator? --reference NAME of {listed(judges)}")
    weight = 0.55 + 0.2 * ("item" in columns) + 0.2 * ("reference" in columns or bool(reference))
    return Guess("reliability", weight, columns, _mapped(columns, reference=reference), tuple(lacking))


def _wide_judgments(table: Table, columns: Mapping[str, str], labels: Sequence[str]) -> Guess:
    others = [name for name in labels if name not in columns.values()]
    trusted = columns.get("reference")
    judges = _alike(table, others, trusted)
    expert = [name for name in judges if _TRUSTED & set(words(name))]
    if trusted is None and len(expert) == 1 and len(judges) > 1:
        trusted, judges = expert[0], [name for name in judges if name != expert[0]]
    if not judges:
        none = "no columns hold labels of the same kind: which hold those of annotators? --annotator-columns"
        return Guess("reliability", 0.1, columns, _mapped(columns), (none,))
    asked = f"nothing says what is trusted: which column? --reference NAME of {listed(judges)}"
    item = _item(table, [*judges, *([trusted] if trusted else [])])
    held = {**({"item": item} if item else {}), **({"reference": trusted} if trusted else {})}
    weight = 0.4 + 0.2 * ("item" in held) + 0.3 * (trusted is not None)
    return Guess("reliability", weight, held, _mapped(held, annotator_columns=judges), () if trusted else (asked,))


def trusted_column(table: Table) -> str | None:
    """The column that is called trusted, if there is one."""
    return nearest_to(_GOLD, table.names)


def _alike(table: Table, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns that hold labels of one kind: of the trusted column, else the most that share theirs."""
    called = {name for name in names if {*words(name), joined(name)} & {*_ANNOTATOR, "model", "human", "llm", "gpt"}}
    groups = [[other for other in names if _share(table, one, other)] for one in ([trusted] if trusted else names)]
    best = max(groups, key=len, default=[])
    named = [name for name in best if name in called]
    if not trusted and len(best) == 1:
        return []
    return named if len(named) > 1 else best


def _share(table: Table, one: str, other: str) -> bool:
    """Whether two columns hold the same labels: most of the fewer, or of numbers, which mean little, most of both."""
    ours, theirs = set(table[one].distinct), set(table[other].distinct)
    sizes = len(ours), len(theirs)
    least = min(sizes) if table[one].kind == "text" else max(sizes)
    return len(ours & theirs) * 2 >= least


def _only(table: Table, names: Sequence[str]) -> Table:
    return Table({name: table[name] for name in names})


def _no_column(name: str, table: Table) -> str:
    return (
        f"no column {name}{nearest(name, table.names)}: which is it? --columns {name}=COLUMN of {listed(table.names)}"
    )


# --- annotations ---

_RESPONSES = (
    *("response", "text", "output", "answer", "completion", "assistant", "reply", "candidate", "generation", "summary"),
    *("translation", "conversation", "message", "option", "modelresponse", "modelanswer", "modeloutput", "story"),
)
_WRITERS = ("model", "generator", "system", "writer", "modelname", "author", "source", "llm")
_VOTES: Mapping[str, Sequence[str]] = {
    "both": ("tie", "both", "same", "equal", "draw", "bothgood", "similar", "nopreference", "tied", "either", "c"),
    "neither": ("neither", "bothbad", "tiebothbad", "none", "bad", "tiebad"),
    "invalid": ("invalid", "error", "unparseable", "unparsed", "unclear", "unknown", "unsure"),
    "not_applicable": ("notapplicable", "irrelevant"),
}


def _pairs(table: Table) -> Guess:
    """Pairs of responses, with columns of votes or a row per vote."""
    responses, sides = _responses(table)
    columns: dict[str, str] = dict(zip(("text_a", "text_b"), responses, strict=False))
    writers = [
        two for *two, side in sided(table.names) if stem(two[0], side[0]) in _WRITERS and two[0] not in responses
    ]
    columns |= dict(zip(("model_a", "model_b"), writers[0], strict=True)) if writers else {}
    columns |= _found("annotations", ["prompt", "annotator", "pair"], table, list(columns.values()))
    free = [name for name in table.names if name not in columns.values()]
    votes = [name for name in free if _values(table, [name], sides)]
    meant = nearest_to(NAMES["annotations"]["vote"], votes)
    if "annotator" in columns and meant and "pair" in columns:
        columns |= {"vote": meant}
        weight = 0.6 + 0.37 * bool(responses)
        values = _values(table, [meant], sides)
        voters = table[columns["annotator"]].distinct
        options = _mapped(columns, vote_values=_said(values), **trusted_voter(voters))
        return Guess("annotations", weight, columns, options, (), _doubts(values))
    columns.pop("annotator", None)
    judges = _voters(table, votes, meant)
    if columns.get("pair") and not table[columns["pair"]].is_id:
        del columns["pair"]
    values = _values(table, judges, sides)
    options = _mapped(columns, annotator_columns=judges, vote_values=_said(values), **trusted_voter(judges))
    weight = (0.6 if responses else 0.1) + (0.37 if judges and responses else 0)
    return Guess("annotations", weight, columns, options, _lacking_of_pairs(responses, judges), _doubts(values))


def _responses(table: Table) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The two columns of responses, and by which words they differ."""
    pairs = [(two, side) for *two, side in sided(table.names) if all(table[name].is_prose for name in two)]
    called = [one for one in pairs if stem(one[0][0], one[1][0]) in _RESPONSES]
    if not pairs:
        return _named_responses(table)
    two, side = (called or pairs)[0]
    return tuple(two), side


def _named_responses(table: Table) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The two columns of responses where they are called by what wrote them: gpt4_response, claude_response."""
    ends = {name: words(name)[-1] for name in table.names if len(words(name)) > 1 and table[name].is_prose}
    for end in _RESPONSES:
        two = [name for name, last in ends.items() if last == end]
        if len(two) == 2:  # noqa: PLR2004 - one for each side
            first, second = ("".join(words(name)[:-1]) for name in two)
            return tuple(two), (first, second)
    return (), SIDES[0]


def _lacking_of_pairs(responses: Sequence[str], judges: Sequence[str]) -> tuple[str, ...]:
    lacking = []
    if not responses:
        lacking.append("no two columns hold the responses: which are they? --columns text_a=COLUMN,text_b=COLUMN")
    if not judges:
        lacking.append("no column holds votes for one of two responses: which do? --annotator-columns COLUMN,...")
    return tuple(lacking)


def trusted_voter(voters: Sequence[str]) -> dict[str, Any]:
    """The options that say whose votes others are compared with; a single voter's with what style would reward."""
    if len(voters) == 1:
        return {"reference": voters[0], "style": True}
    trusted = trusted_among(voters)
    return {"reference": trusted} if trusted else {}


def trusted_among(voters: Sequence[str]) -> str | None:
    """The one of several whose name says that they are trusted."""
    trusted = [name for name in voters if _TRUSTED & {joined(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


def _voters(table: Table, votes: Sequence[str], meant: str | None) -> list[str]:
    """The columns of votes: those whose names say so, and those that hold the same values."""
    called = [name for name in votes if {*words(name), joined(name)} & {*_ANNOTATOR, "human", "gpt", "llm"}]
    first = [meant] if meant else []
    sure = [name for name in votes if not all(one.isdigit() for one in table[name].distinct)]
    return list(dict.fromkeys([*first, *called, *(sure if not first or not called else [])]))


def _values(table: Table, names: Sequence[str], sides: tuple[str, str]) -> dict[str, list[str]]:
    """Vote -> the values that mean it; empty where a value means none."""
    distinct = list(dict.fromkeys(value for name in names for value in table[name].distinct))
    if not distinct or not all(table[name].is_flat for name in names):
        return {}
    numbers = next((one for one in _NUMBERS if set(distinct) <= one.keys()), {})
    found: dict[str, list[str]] = {}
    for value in distinct:
        vote = numbers.get(value) or _vote(value, sides)
        if vote is None:
            return {}
        found.setdefault(vote, []).append(value)
    return found if {"text_a", "text_b"} & found.keys() else {}


_NUMBERS: Sequence[Mapping[str, str]] = (
    {"1": "text_a", "2": "text_b"},
    {"0": "text_a", "1": "text_b"},
    {"1": "text_a", "2": "text_b", "0": "both"},
    {"1": "text_a", "2": "text_b", "3": "both"},
    {"1": "text_a", "-1": "text_b"},
    {"1": "text_a", "-1": "text_b", "0": "both"},
)
"""What numbers mean where they are all that a column holds: the first that knows them all."""

_ASKED = {"0": ("text_a",), "3": ("both",), "-1": ("text_b",)}
"""Numbers whose meaning a file should say: the vote that is only guessed."""


def _vote(value: str, sides: tuple[str, str]) -> str | None:
    """The vote that a word means."""
    whole, parts = joined(value), words(value)
    for vote, said in _VOTES.items():
        if whole in said:
            return vote
    for one, other in (sides, *SIDES):
        for vote, side in (("text_a", one), ("text_b", other)):
            if parts and (parts[-1] == side or whole == side) and not (side.isdigit() and value.isdigit()):
                return vote
    return None


_USUAL: Mapping[str, str] = {"a": "text_a", "b": "text_b"}


def _said(values: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The option that says so; none where votes have the names that are read without."""
    usual = all(_USUAL.get(value, value) == vote for vote, many in values.items() for value in many)
    return {} if usual else {vote: list(many) for vote, many in values.items()}


def _doubts(values: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    odd = [f"{one} as {vote}" for vote, many in values.items() for one in many if vote in _ASKED.get(one, ())]
    return (f"nothing in the file says what votes mean: read {', '.join(odd)}, and the others to fit",) if odd else ()


# --- preferences ---


def _preferences(table: Table) -> Guess:
    """Items with a label per criterion."""
    found = _found("preferences", ["id", "instruction"], table)
    pair = next((two for *two, side in sided(table.names) if stem(two[0], side[0]) in _RESPONSES), None)
    found |= dict(zip(("output_a", "output_b"), pair, strict=True)) if pair else {}
    free = [name for name in table.names if name not in found.values() and table[name].is_label]
    criteria = {_criterion(name): name for name in free if _criterion(name)}
    found |= {f"{one}_preference": theirs for one, theirs in criteria.items()}
    labels = list(dict.fromkeys(value for theirs in criteria.values() for value in table[theirs].distinct))
    said = {
        "criteria": list(criteria) if set(criteria) != set(CRITERIA) else [],
        "labels": sorted(labels) if not set(labels) <= set(LABELS) else [],
    }
    lacking = [] if "id" in found else [_no_column("id", table)]
    if not criteria:
        lacking.append("no column holds preferences: which do? --columns CRITERION_preference=COLUMN --criteria")
    weight = (
        (0.7 if criteria else 0)
        + 0.2 * (bool(criteria) and "id" in found)
        + 0.1 * (bool(criteria) and pair is not None)
    )
    return Guess("preferences", weight, found, _mapped(found, **said), tuple(lacking))


def _criterion(name: str) -> str:
    """The criterion that a column of preferences is about; empty for other columns."""
    parts = words(name)
    left = [one for one in parts if one not in {"preference", "preferences", "pref"}]
    if left and len(left) < len(parts):
        return "_".join(left)
    return next((one for one in CRITERIA if joined(one) == joined(name)), "")


# --- violations ---


def _violations(table: Table) -> Guess:
    """A row per span, or per text with its spans."""
    names = [
        "start",
        "end",
        "rule",
        "id",
        "text",
        "context",
        "correction",
        "explanation",
        "category",
        "annotator",
        "checker",
    ]
    found = _found("violations", names, table)
    places = {"start", "end"} <= found.keys() and all(_offsets(table, found[name]) for name in ("start", "end"))
    if not places:
        found = {name: theirs for name, theirs in found.items() if name not in {"start", "end"}}
    quoted = "context" in found and "rule" in found and "text" in found and table[found["text"]].is_prose
    lacking = [] if "id" in found else [_no_column("id", table)]
    if not places and not quoted:
        lacking.append("no columns say where violations stand: which do? --columns start=COLUMN,end=COLUMN")
    known = sum(name in found for name in ("id", "text", "rule"))
    weight = (0.65 + 0.1 * known) if places else (0.3 + 0.1 * known) if quoted else 0.0
    return Guess("violations", weight, found, _mapped(found), tuple(lacking))


def _offsets(table: Table, name: str) -> bool:
    return table[name].kind in {"whole numbers", "nothing"}


# --- rag ---


def _answers(table: Table) -> Guess:
    """A row per answer of a model, beside the true one."""
    names = ["answer", "response", "documents", "id", "model", "ability", "noise_ratio", "counterfactual", "draw"]
    found = _found("rag", names, table)
    if "response" not in found and nearest_to(["answer"], [found.get("answer", "")]):
        found["response"] = found.pop("answer")
    question = nearest_to(_QUESTION, table.names, found.values())
    if "id" not in found and question and len(table[question].distinct) == table.height:
        found["id"] = question
    texts = [found[name] for name in ("answer", "response") if name in found]
    lacking = [_no_column(name, table) for name in ("id", "response", "answer") if name not in found]
    constants = {} if "ability" in found else {"ability": QUESTION_ANSWERING}
    labels = bool(texts) and all(_are_labels(table[name]) for name in texts)
    both = len(texts) == 2  # noqa: PLR2004 - the answer and the response
    weight = (
        0.2 * len(texts) + 0.25 * ("documents" in found) + 0.1 * (question is not None) + 0.2 * ("ability" in found)
    )
    weight -= 0.3 * (labels and "documents" not in found and "ability" not in found) + 0.2 * (not both)
    options = _mapped(found, set=constants)
    return Guess("rag", max(weight, 0.0), found, options, tuple(lacking))


def _are_labels(column: Column) -> bool:
    """Whether a column holds labels rather than short answers, which hardly come up twice."""
    return column.is_label and not column.is_prose and len(column.distinct) < len(column.texts)


_GUESSERS: Mapping[str, Callable[[Table], Guess]] = {
    "annotations": _pairs,
    "preferences": _preferences,
    "rag": _answers,
    "reliability": _judgments,
    "violations": _violations,
}
