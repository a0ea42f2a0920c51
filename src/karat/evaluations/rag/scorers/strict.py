"""The scorer `strict`: what an answer asserts, by rules."""

import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources

import polars as pl

from karat.schemas.answers import SLOTS
from karat.text.folding import UNSPACED, fold, single_spaces, words
from karat.text.values import HAS_FIGURES, figures, numbers_in_words

BATCH = 50_000
"""Rows looked at in one go. It changes no verdict."""

WORKERS = 4
"""Batches looked at at a time, at most: what is held in memory grows with them."""


def strict(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts."""
    batches = [answers.slice(start, BATCH) for start in range(0, max(answers.height, 1), BATCH)]
    with ThreadPoolExecutor(min(pl.thread_pool_size(), WORKERS)) as pool:
        return pl.concat(pool.map(_judged, batches))


def _judged(answers: pl.DataFrame) -> pl.DataFrame:
    """The verdicts on one batch: first what occurs at all, then in which way, for the rows where that can matter."""
    asked, aliases = _distinct(answers)
    rows = _worded(asked, aliases)
    hits = _hits(rows, aliases)
    found = hits.group_by("row", maintain_order=True).agg(
        pl.col("slot").filter(pl.col("slot") >= 0).n_unique().alias("slots_found"),
        (pl.col("slot") < 0).any().alias("false_found"),
        pl.col("alias").filter(pl.col("slot") >= 0).first().alias("truth"),
        pl.col("alias").filter(pl.col("slot") < 0).first().alias("lie"),
    )
    rows = rows.join(found, on="row", how="left", maintain_order="left").with_columns(
        pl.col("slots_found").fill_null(0), pl.col("false_found").fill_null(value=False)
    )
    unclear = pl.col("words").str.contains_any(_phrases().hints) | ((pl.col("slots_found") > 0) & pl.col("false_found"))
    read = _read(_marked(rows.filter(unclear), hits))
    return _verdicts(rows.join(read, on="row", how="left", maintain_order="left"))


def _distinct(answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows with the number (key) of what answers them, and the aliases of each such number, prepared once.

    aliases: key, slot (-1: what the documents say falsely), alias, form (its words), clauses (its words and commas).
    An alias without words (`""`, `"?"`) answers nothing.
    """
    rows = answers.select("response", pl.col("slots").cast(SLOTS), pl.col("false").cast(pl.List(pl.String)))
    keys = rows.select("slots", "false").unique(maintain_order=True).with_row_index("key")
    asked = rows.with_row_index("row").join(
        keys, on=["slots", "false"], how="left", nulls_equal=True, maintain_order="left"
    )
    true = keys.select("key", pl.int_ranges(pl.col("slots").list.len(), dtype=pl.Int32).alias("slot"), alias="slots")
    true = true.explode("slot", "alias").explode("alias")
    false = keys.select("key", pl.lit(-1, pl.Int32).alias("slot"), alias="false").explode("alias")
    listed = pl.concat([true, false]).drop_nulls()
    listed = listed.join(_forms(listed["alias"].unique()), on="alias", maintain_order="left")
    listed = listed.filter(pl.col("form").str.strip_chars() != "").unique(["key", "slot", "form"], maintain_order=True)
    truths = listed.filter(pl.col("slot") >= 0).select("key", "form", true=True).unique()
    listed = listed.join(truths, on=["key", "form"], how="left", maintain_order="left")
    return asked, listed.filter((pl.col("slot") >= 0) | pl.col("true").is_null()).drop("true")


def _forms(aliases: pl.Series) -> pl.DataFrame:
    """The words of each alias, by value; a leading article falls where more follows."""
    # Step by step: an expression that holds another several times, which does so too, takes long to plan.
    frame = aliases.rename("alias").to_frame().lazy().with_columns(form=fold(pl.col("alias")))
    frame = frame.with_columns(form=figures(pl.col("form").str.replace(r"^(?:the|an?) (\S)", "$1")))
    frame = frame.with_columns(form=words(pl.col("form")), clauses=_clauses(pl.col("form")))
    return frame.collect().with_columns(
        pl.col("form").map_batches(numbers_in_words, pl.String),
        pl.col("clauses")
        .str.strip_chars(f" {SENTENCE}{CLAUSE}")
        .pipe(_padded)
        .map_batches(numbers_in_words, pl.String),
    )


def _padded(text: pl.Expr) -> pl.Expr:
    """Words with a space at each edge that is no letter of an unspaced script."""
    spaced = pl.concat_str(pl.lit(" "), text, pl.lit(" "))
    return spaced.str.replace(rf"^ ([{UNSPACED}])", "$1").str.replace(rf"([{UNSPACED}]) $", "$1")


def _worded(asked: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """The rows with the folded text and its words, by value where a value is asked for. Blank texts are missing."""
    valued = aliases.filter(pl.col("form").str.contains(HAS_FIGURES)).select("key", valued=True).unique()
    rows = asked.join(valued, on="key", how="left", maintain_order="left").lazy()
    rows = rows.with_columns(text=fold(pl.col("response")))
    rows = rows.with_columns(text=pl.when(pl.col("text") != "").then("text"))
    rows = rows.with_columns(figured=pl.when(pl.col("valued")).then("text")).with_columns(
        figured=figures(pl.col("figured"))
    )
    rows = rows.with_columns(text=pl.coalesce("figured", "text")).drop("figured")
    rows = rows.with_columns(words=words(pl.col("text"))).drop("response")
    return rows.collect().with_columns(words=_numbered("words"))


def _numbered(column: str) -> pl.Expr:
    """The words with their numbers in digits, where a value is asked for."""
    numbers = pl.when(pl.col("valued")).then(pl.col(column)).map_batches(numbers_in_words, pl.String)
    return pl.coalesce(numbers, column)


def _hits(rows: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Which aliases occur in which rows."""
    pairs = rows.lazy().select("row", "key", "words").join(aliases.lazy(), on="key", maintain_order="left")
    return pairs.filter(pl.col("words").str.contains(pl.col("form"), literal=True)).drop("words", "key").collect()


def _clauses(folded: pl.Expr) -> pl.Expr:
    """The words of a folded text, with a mark where a sentence or a clause ends, and `not` wherever it is said."""
    plain = folded.str.replace_many(_CONTRACTIONS, leftmost=True)
    plain = plain.str.replace_all(r"(?-u:\b)([a-z]|mrs?|ms|dr|st|[js]r|vs|prof|gen|col|lt)\.", "$1 ")
    plain = plain.str.replace_all(r"[.!?]+[\"')\]]*(?:\s|$)|[!?。\n]", f" {SENTENCE} ")
    return words(plain.str.replace_all(r"[,;:()\[\]、（）—]|\s-+\s|--+", f" {CLAUSE} "))


def _marked(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The texts with their aliases replaced by marks, the longest first: `New York City` holds no `New York`.

    Columns row, text, lie. The mark of a true alias is TRUE and the number of its slot, that of a false one FALSE.
    """
    text = rows.lazy().select("row", "valued", "lie", text=_clauses(pl.col("text"))).collect()
    text = text.with_columns(text=_numbered("text").str.replace_all(" ", "  ", literal=True))
    mark = pl.when(pl.col("slot") < 0).then(pl.lit(FALSE)).otherwise(pl.lit(TRUE) + pl.col("slot").cast(pl.String))
    todo = hits.join(text.select("row"), on="row", how="semi").unpivot(
        ["form", "clauses"], index=["row", "slot"], value_name="written"
    )
    todo = todo.unique(["row", "slot", "written"], maintain_order=True).select(
        "row",
        mark=" " + mark + " ",
        length=pl.col("written").str.len_chars(),
        form=pl.col("written").str.replace_all(" ", "  ", literal=True).str.replace("^ ", "").str.replace(" $", ""),
    )
    todo = todo.sort("row", "length", descending=[False, True], maintain_order=True)
    todo = todo.with_columns(turn=pl.int_range(pl.len()).over("row"))
    for turn in todo.partition_by("turn", maintain_order=True):
        joined = pl.col("text").str.split(pl.col("form")).list.join(pl.col("mark"))
        changed = text.lazy().join(turn.lazy(), on="row").select("row", text=joined).collect()
        text = text.update(changed, on="row")
    return text


def _read(marked: pl.DataFrame) -> pl.DataFrame:
    """What the marked texts say: who is denied, what is refused, which error is spoken of."""
    phrases = _phrases()
    text = pl.col("text")
    frame = marked.lazy().with_columns(text=phrases.tagged(text))
    frame = frame.with_columns(refusal=text.str.extract(f"({phrases.refusals})"))
    frame = frame.with_columns(error=text.str.extract(f"({phrases.detections})"))
    frame = frame.with_columns(
        text=pl.coalesce(
            pl.when(pl.col("refusal").is_not_null()).then(text).str.replace_all(phrases.refusals, f"${{0}} {REFUSED}"),
            text,
        )
    )
    for pattern, replacement in _DENIALS:
        frame = frame.with_columns(text=text.str.replace_all(pattern, replacement))
    frame = frame.with_columns(denied_lie=text.str.contains(DENIED + FALSE, literal=True))
    for pattern, replacement in _CORRECTIONS:
        erring = pl.when(pl.col("error").is_not_null() | pl.col("denied_lie")).then(text)
        frame = frame.with_columns(text=pl.coalesce(erring.str.replace_all(pattern, replacement), text))
    return frame.select(
        "row",
        "refusal",
        "error",
        "denied_lie",
        read=text,
        answering=text.str.contains(_ANSWERING),
        denial=text.str.extract(_DENIAL),
    ).collect()


def _verdicts(rows: pl.DataFrame) -> pl.DataFrame:
    """The verdicts, from what was found and what was read."""
    given = pl.col("text").is_not_null()
    was_read = pl.col("read").is_not_null()
    slots = pl.col("slots").list.len()
    left = pl.col("read").str.extract_all(f" {TRUE}[0-9]+ ").list.n_unique()
    # An alias across a stop (`Tampa. Florida`) has words but no mark.
    unmarked = ~pl.col("read").str.contains(f"[{TRUE}{FALSE}]")
    asserted = pl.when(was_read & ~unmarked).then(left).otherwise("slots_found")
    lied = pl.when(was_read).then(pl.col("read").str.contains(f" {FALSE} ", literal=True)).otherwise("false_found")
    rows = rows.with_columns(asserted=asserted, lied=lied.fill_null(value=False))
    whole = pl.col("words").str.strip_chars(" ").is_in(_phrases().whole)
    answered = (pl.col("asserted") > 0) | pl.col("lied") | pl.col("answering").fill_null(value=False)
    rows = rows.with_columns(
        correct=pl.when(given & (slots > 0)).then((pl.col("asserted") == slots) & ~pl.col("lied")),
        rejected=pl.when(given).then((pl.col("refusal").is_not_null() | whole) & ~answered),
        error_detected=pl.when(given & pl.col("false").is_not_null()).then(
            (pl.col("error").is_not_null() | pl.col("denied_lie")).fill_null(value=False)
        ),
        whole=pl.when(whole).then(pl.col("words").str.strip_chars(" ")),
    )
    corrected = pl.when(pl.col("error_detected").is_not_null()).then("correct")
    return rows.select("correct", "rejected", "error_detected", error_corrected=corrected, detail=_detail())


def _detail() -> pl.Expr:
    """The phrase that decided: of the refusal, of the error, the alias found, the denial, the false alias."""
    denial = _readable(pl.col("denial")).str.replace_all("\0", "", literal=True)
    return (
        pl.when("rejected")
        .then(pl.coalesce(_readable(pl.col("refusal")), "whole"))
        .when(pl.col("error_detected") & pl.col("error").is_not_null())
        .then(_readable(pl.col("error")))
        .when("error_detected")
        .then(denial)
        .when("correct")
        .then("truth")
        .when(pl.col("denial").is_not_null())
        .then(denial)
        .when("lied")
        .then("lie")
    )


def _readable(tagged: pl.Expr) -> pl.Expr:
    """A piece of a tagged text without its tags."""
    plain = tagged.str.replace_all(f"{DENIED}?[{TRUE}{FALSE}][0-9]*", "…").str.replace_all(r"[\x01-\x08\x0e-\x1b]", "")
    plain = plain.str.replace_all("_", " ", literal=True).str.replace_all(rf"([{UNSPACED}]) +", "$1")
    return plain.str.replace_all(" {2,}", " ").str.strip_chars(" ")


class _Phrases:
    """The phrase file, made ready: `tagged` marks words of a kind, the rest are patterns over tagged texts."""

    def __init__(self, data: dict[str, dict[str, list[str]]]) -> None:
        self._tags = self._table(data["kinds"])
        self._groups = data["groups"] | data["kinds"]
        self.hints = data["hints"]["any"]
        whole = data["answers"]["whole"]
        shorter = [phrase.replace("can not", short) for phrase in whole for short in ("cannot", "can t")]
        self.whole = list(dict.fromkeys([*whole, *shorter]))
        patterns = data["patterns"]
        self.refusals = self._any_of(patterns["refusals"], patterns["refusals_chinese"])
        self.detections = self._any_of(patterns["detections"], patterns["detections_chinese"])

    def tagged(self, text: pl.Expr) -> pl.Expr:
        """A text whose spaces are doubled, with words of a kind as one word behind their tag; spaces single again."""
        return single_spaces(text.str.replace_many(self._tags, leftmost=True))

    @staticmethod
    def _table(kinds: dict[str, list[str]]) -> dict[str, str]:
        pairs = [(phrase, _TAGS[kind]) for kind, phrases in kinds.items() for phrase in phrases]
        table: dict[str, str] = {}
        for phrase, tag in sorted(pairs, key=lambda pair: -len(pair[0])):
            spaced = phrase if _is_unspaced(phrase) else f" {phrase.replace(' ', '  ')} "
            table.setdefault(spaced, f" {tag}{phrase.replace(' ', '_')} ")
        return table

    def _any_of(self, patterns: list[str], chinese: list[str]) -> str:
        compiled = [self._pattern(each, unspaced=False) for each in patterns]
        compiled += [self._pattern(each, unspaced=True) for each in chinese]
        return "|".join(compiled)

    def _pattern(self, pattern: str, *, unspaced: bool) -> str:
        parts = [self._part(part, unspaced=unspaced) for part in pattern.split()]
        return "".join(parts) + ("" if unspaced or pattern.endswith("$") else r"(?-u:\b)")

    def _part(self, part: str, *, unspaced: bool) -> str:
        fixed = {"...": _LETTERS if unspaced else _WORDS, "^": f"(?:^|{SENTENCE})", "$": f"(?: [{_ENDS}]| ?$)"}
        if part in fixed:
            return fixed[part]
        if not part.startswith("<"):
            return self._literal(part, unspaced=unspaced)
        name = part.strip("<>")
        if name in _TAGS:
            return rf" {_TAGS[name]}[^ ]*"
        members = [self._literal(each, unspaced=unspaced) for each in self._groups[name]]
        return f"(?:{'|'.join(members)})"

    def _literal(self, phrase: str, *, unspaced: bool) -> str:
        """The phrase as it stands in tagged texts."""
        tagged = pl.select(self.tagged(pl.lit("  " + phrase.replace(" ", "  ") + "  "))).item().split()
        return "".join((" ?" if unspaced else " ") + re.escape(each) for each in tagged)


@cache
def _phrases() -> _Phrases:
    return _Phrases(tomllib.loads(resources.files(__package__).joinpath("phrases.toml").read_text("utf-8")))


def _is_unspaced(phrase: str) -> bool:
    return not phrase.isascii()


# Tags and marks stand for words in a text; `fold` lets no such character through. \x01 to \x03 are those of `values`.
SENTENCE, CLAUSE, CONTRAST, CONCESSION, SPENT = "\x04", "\x05", "\x06", "\x07", "\x08"
NEGATION, FALSELY, WRONG, FALSE, TRUE, ERRORS = "\x0e", "\x0f", "\x10", "\x11", "\x12", "\x13"
DOCUMENTS, REALLY, ANSWERING, DENIED, REFUSED, UNTOLD = "\x14", "\x15", "\x16", "\x17", "\x18", "\x19"
_TAGS = {
    "negation": NEGATION,
    "harmless": CLAUSE,
    "falsely": FALSELY,
    "wrong": WRONG,
    "errors": ERRORS,
    "documents": DOCUMENTS,
    "contrast": CONTRAST,
    "really": REALLY,
    "concession": CONCESSION,
    "breaks": CLAUSE,
    "answering": ANSWERING,
}
_CONTRACTIONS = {"won't": "will not", "can't": "can not", "cannot": "can not", "n't": " not"}

_ENDS = SENTENCE + CLAUSE + CONTRAST + CONCESSION
_WORD = rf"(?: [^ {_ENDS}{NEGATION}{TRUE}{FALSE}{DENIED}{UNTOLD}]+)"
_ANY = rf"(?: [^ {_ENDS}{NEGATION}]+)"
_CROSS = rf"(?: [^ {SENTENCE}{TRUE}{FALSE}{DENIED}{UNTOLD}]+)"
_ON = rf"(?: [^ {TRUE}{FALSE}{DENIED}{UNTOLD}]+)"
_WORDS = _ANY + "{0,4}?"
_LETTERS = f"[^{SENTENCE}{CONTRAST}{CONCESSION}{NEGATION}]{{0,8}}?"
_MARK = f"(?:{FALSE}|{TRUE}[0-9]+)"
_IS = "(?:is|was|are|were|be|been|being|as|seems|appears|looks)"
_AUX = "(?:is|was|are|were|did|does|do|has|had|have|would|could|can|should|will)"
_CLAIM = rf"(?: {DOCUMENTS}?(?:information|claim|statement|answer|assertion|fact|date|number|name))?"
_RIGHT = "(?:correct|right|real|true|actual|正确|真实|应)"

# What is denied, in this order. DENIED before a mark: it is not what the answer says. UNTOLD: it is not told.
_DENIALS = (
    (rf"( {REFUSED}{_WORD}{{0,12}}) ({_MARK})", f"${{1}} {UNTOLD}${{2}}"),
    (rf" {NEGATION}([^ ]*{_WORD}{{0,4}}) ({_MARK})", f" {SPENT}${{1}} {DENIED}${{2}}"),
    (rf"( {FALSELY}[^ ]*{_WORD}{{0,9}}) ({_MARK})", f"${{1}} {DENIED}${{2}}"),
    (rf"( {DENIED}{_MARK} (?:or|nor|and also|和|或|或者|也)) ({_MARK})", f"${{1}} {DENIED}${{2}}"),
    (rf" ({_MARK})({_WORD}{{0,2}} {_AUX}{_WORD}? {NEGATION})", f" {DENIED}${{1}}${{2}}"),
    (rf" ({_MARK})( ?[并也就都却]? {NEGATION}(?:不是|并不是|并非|不为|绝非|不会是))", f" {DENIED}${{1}}${{2}}"),
    (rf" ({_MARK})({_WORD}{{0,6}} {_IS}{_WORD}{{0,1}} {WRONG})", f" {DENIED}${{1}}${{2}}"),
    (rf" ({_MARK})({_WORD}{{0,2}} {WRONG}\p{{Han}})", f" {DENIED}${{1}}${{2}}"),
    (rf" ({_MARK})((?: {CLAUSE})? {WRONG}[^ ]*(?: [{_ENDS}]| ?$))", f" {DENIED}${{1}}${{2}}"),
    (
        rf" ({_MARK})({_WORD}{{0,6}}(?: [{_ENDS}][^ ]*){{1,3}} (?:that|this|it|which){_CLAIM} {_IS}{_WORD}{{0,2}} {WRONG})",
        f" {DENIED}${{1}}${{2}}",
    ),
    (
        rf" ({_MARK})({_WORD}{{0,2}}(?: [{_ENDS}][^ ]*){{1,3}} ?(?:这|那|其|该)[^ {_ENDS}]{{0,6}} {WRONG})",
        f" {DENIED}${{1}}${{2}}",
    ),
    (rf" {FALSE}({_WORD}{{0,3}} should{_WORD}{{0,3}} {TRUE})", f" {DENIED}{FALSE}${{1}}"),
    *(
        denial
        for one, other in ((FALSE, TRUE), (f"{TRUE}[0-9]+", FALSE))
        for denial in (
            (
                rf"( {DOCUMENTS}[^ ]*{_CROSS}{{0,14}}) ({one})({_ON}{{0,30}}? [{CONTRAST}{REALLY}][^ ]*{_ON}{{0,14}}? {other})",
                f"${{1}} {DENIED}${{2}}${{3}}",
            ),
            (
                rf"( {CONCESSION}[^ ]*{_WORD}{{0,4}} {DOCUMENTS}[^ ]*{_WORD}{{0,12}}) ({one})({_CROSS}{{0,16}} {other})",
                f"${{1}} {DENIED}${{2}}${{3}}",
            ),
            (
                rf" ({one})({_ON}{{0,12}}? (?:{CONTRAST}{_RIGHT}|{REALLY})[^ ]*{_WORD}{{0,6}} {other})",
                f" {DENIED}${{1}}${{2}}",
            ),
        )
    ),
)
# Where an error is spoken of, what the documents say is not what the answer says.
_CORRECTIONS = (
    (rf"( {DOCUMENTS}[^ ]*{_CROSS}{{0,14}}) ({FALSE} )", f"${{1}} {DENIED}${{2}}"),
    (rf"( (?:they|it|which) (?:say|state|claim|mention|give)s?{_CROSS}{{0,10}}) ({FALSE} )", f"${{1}} {DENIED}${{2}}"),
    (rf" ({FALSE})({_ON}{{0,40}} {CONTRAST}{_RIGHT}[^ ]*{_WORD}{{0,6}} {TRUE})", f" {DENIED}${{1}}${{2}}"),
)
_ANSWERING = rf"{ANSWERING}[^ ]* [^ {_ENDS}{REFUSED}][^{REFUSED}{SENTENCE}]*(?:{SENTENCE}|$)"
_DENIAL = (
    rf"( [{SPENT}{FALSELY}][^ ]*{_WORD}{{0,9}} {DENIED}{_MARK})"
    rf"|( {DENIED}{_MARK}(?: [^ ]+){{0,8}}? [{NEGATION}{WRONG}{CONTRAST}{REALLY}][^ ]*)"
)
