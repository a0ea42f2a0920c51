"""What a guess is, and the names by which people call columns, annotators and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karat.errors import nearest
from karat.formats.findings import listed
from karat.formats.naming import joined, nearest_to, words
from karat.formats.profiles import Table

Names = Mapping[str, Sequence[str]]
"""Karat's column -> what people call it, as `naming.joined` writes it, the commonest first."""

ID = (
    *("id", "itemid", "item", "questionid", "qid", "exampleid", "taskid", "sampleid", "docid", "documentid", "textid"),
    *("conversationid", "promptid", "pairid", "hitid", "unitid", "segmentid", "segid", "rowid", "uid", "uuid"),
    *("index", "idx", "key", "number", "nr", "no", "frage", "frageid", "satz", "aufgabe", "beispiel", "nummer"),
    *("lfdnr", "identifiant", "numéro", "exemple", "pregunta", "ejemplo", "elemento", "número"),
)
ANNOTATOR = (
    *("annotator", "annotatorid", "annotatorname", "worker", "workerid", "rater", "raterid", "coder", "labeler"),
    *("labeller", "judge", "judgename", "judgeid", "evaluator", "reviewer", "assessor", "participant", "participantid"),
    *("user", "userid", "username", "annotatedby", "completedby", "createdby", "turker", "crowdworker", "who"),
    *("labelledby", "labeledby", "ratedby", "reviewedby", "codedby", "grader", "scorer", "marker"),
    *("prüfer", "prüferin", "bewerter", "bewerterin", "gutachter", "kodierer", "codierer", "annotateur"),
    *("annotatrice", "évaluateur", "juge", "anotador", "anotadora", "evaluador", "evaluadora", "annotatore"),
)
GOLD = (
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
        "item": ID,
        "annotator": ANNOTATOR,
        "label": (
            *("label", "answer", "rating", "judgment", "judgement", "verdict", "vote", "choice", "category", "class"),
            *("score", "decision", "grade", "annotation", "response", "prediction", "predicted", "predictedlabel"),
            *("ypred", "value", "result", "preference", "preferred", "winner", "option", "selected", "sentiment"),
            *("antwort", "bewertung", "urteil", "kategorie", "klasse", "wertung", "étiquette", "réponse", "jugement"),
            *("catégorie", "etiqueta", "respuesta", "categoría", "calificación", "etichetta", "risposta", "giudizio"),
        ),
        "reference": GOLD,
        "flag": ("flag", "flagged", "isflagged", "itemflag"),
        "skipped": ("skipped", "skip", "isskipped"),
        "cluster": ("cluster", "group", "document", "docid", "conversation", "thread"),
    },
    "annotations": {
        "pair": ("pair", "pairid", "comparisonid", *ID),
        "prompt": (
            *("prompt", "instruction", "question", "query", "input", "userprompt", "usermessage", "context", "task"),
            *("post", "article", "source", "problem"),
        ),
        "annotator": ANNOTATOR,
        "vote": (
            *("vote", "winner", "preferred", "preference", "choice", "label", "better", "best", "preferredresponse"),
            *("betterresponse", "preferredoutput", "judgment", "judgement", "verdict", "answer", "rating", "selected"),
        ),
    },
    "preferences": {
        "id": ID,
        "instruction": ("instruction", "prompt", "question", "query", "input"),
    },
    "violations": {
        "id": ("id", "textid", "docid", "documentid", "document", "doc", *ID),
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
        "annotator": ANNOTATOR,
        "checker": ("checker", "tool", *_MODEL),
    },
    "rag": {
        "id": ID,
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

QUESTION = ("question", "query", "userinput", "input", "prompt", "instruction")
TRUSTED = {
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
FAILED = {
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


def found_names(evaluation: str, names: Sequence[str], table: Table, taken: Sequence[str] = ()) -> dict[str, str]:
    """Karat's columns among those of a table, each of which stands for one, in the order asked for."""
    found: dict[str, str] = {}
    for name in names:
        called = NAMES[evaluation][name]
        called = called if joined(name) in called else (joined(name), *called)
        theirs = nearest_to(called, table.names, (*taken, *found.values()))
        if theirs is not None:
            found[name] = theirs
    return found


def mapped(columns: Mapping[str, str], **others: object) -> dict[str, Any]:
    """The options that say so; nothing is said of columns that have Karat's names."""
    renamed = {name: theirs for name, theirs in columns.items() if name != theirs}
    return {name: one for name, one in {"columns": renamed, **others}.items() if one}


def no_column(name: str, table: Table) -> str:
    """What to do about a column that no name or value tells."""
    return (
        f"no column {name}{nearest(name, table.names)}: which is it? --columns {name}=COLUMN of {listed(table.names)}"
    )


def trusted_among(voters: Sequence[str]) -> str | None:
    """The one of several whose name says that they are trusted."""
    trusted = [name for name in voters if TRUSTED & {joined(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None
