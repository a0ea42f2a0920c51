"""The scorer `strict`: what an answer asserts, by rules.

It speaks of answers given: of a null or blank response there is nothing to say. Texts are folded (karat.text.folding),
and numbers and dates read by value (karat.text.values) where an alias holds any. An alias stands in a text where its
words do; an article before it may be left out.

Most texts are clear from what occurs in them. Those with a word that may refuse, deny or speak of an error (`hints` of
phrases.toml), and those with both a true and a false answer, are read: each word becomes one letter, its code, and the
rules of the phrase file are patterns of codes.

Correct: of every slot some alias is asserted, and nothing that the documents say falsely is. With `Paris` for a truth,
and where (L) stands documents that say `London`:

| Answer                                                   | Correct | Why                                             |
|----------------------------------------------------------|---------|-------------------------------------------------|
| `It is Paris, not Rome.`                                 | yes     | a negation denies what follows it               |
| `It is not Paris.`, `It is not Rome or Paris.`           | no      |                                                 |
| `Paris is not the capital.`, `Paris? That is incorrect.` | no      | or, with a verb, what stands before it          |
| `Rome rather than Paris.`                                | no      | so do `instead of`, `other than`                |
| `It is not only Paris.`, `There is no doubt it is Paris` | yes     | no denial (`harmless`)                          |
| `Paris. It is not a small city.`                         | yes     | another sentence                                |
| `It is not Paris. I was wrong: it is Paris.`             | yes     | it is asserted once                             |
| (L) `It is Paris or London.`                             | no      | neither is rejected                             |
| (L) `While the documents say London, it is Paris.`       | yes     | the false one is set aside                      |
| (L) `They say London, but the correct answer is Paris.`  | yes     |                                                 |
| `The documents do not mention Paris.`                    | no      | what a refusal speaks of is not told            |
| `The documents do not say, but I believe it is Paris.`   | yes     | a refusal that then answers is an answer        |

Rejected: it is said that the documents, or the speaker by them, do not answer, and no answer is given: none of the true
and false ones is asserted, and nothing follows words such as `the answer is`, `I believe`, `most likely`.

| Answer                                                   | Rejected | Why                                            |
|----------------------------------------------------------|----------|------------------------------------------------|
| `The documents do not say.`, `I can’t tell from this.`   | yes      |                                                |
| `Unknown.`                                               | yes      | that is all; not so `The unknown soldier.`     |
| `The documents do not say, but most likely it was Rome.` | no       | an answer, if a wrong one                      |
| `He cannot swim.`                                        | no       | nothing is said of answering                   |

Detected, where the documents lie: they are said to hold an error, or what they say falsely is denied.

| Answer (L)                                               | Detected | Why                                            |
|----------------------------------------------------------|----------|------------------------------------------------|
| `The documents contain mistakes.`                        | yes      | whatever the answer is                         |
| `London is wrong.`, `It is Paris, not London.`           | yes      | the false answer is denied                     |
| `There are no factual errors in the documents.`          | no       |                                                |
| `However, it rains.`, `Actually, it is Paris.`           | no       | of the documents nothing is said               |
| `It is not Paris.`                                       | no       | another answer is denied                       |

Corrected: where the documents lie, the same as correct. Who says `Paris` there has not followed them, whether or not
the error is spoken of; `error_correction_rate_detected` is of both.

detail is the phrase that decided: of the error, of the denial or of the refusal; else the alias that was found.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources

import polars as pl

from karat.schemas.answers import SLOTS
from karat.text.folding import UNSPACED, changed, fold, holding, single_spaces, unbound, words
from karat.text.values import DAY, HAS_FIGURES, MONTH, POINT, figures, numbers_in_words

BATCH = 50_000
"""Rows looked at in one go: what is held in memory grows with them. It changes no verdict."""

# Letters that stand for words in codes; `fold` lets no such character through. \x01 to \x03 are those of `values`.
SENTENCE, CLAUSE, DENIED, UNTOLD, REFUSED, SPENT, CUT = "\x04", "\x05", "\x06", "\x07", "\x08", "\x0e", "\x0f"
WORD, LETTER = "W", "Z"
FALSE, LAST_TRUE = "\ue000", "\uf8ff"
"""Marks of aliases: of what is false, and behind it of the slots of the true answer. `words` lets none through."""
MARK, TRUE = f"[{FALSE}-{LAST_TRUE}]", f"[{chr(ord(FALSE) + 1)}-{LAST_TRUE}]"


def strict(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see karat.schemas.answers): correct, rejected, error_detected, error_corrected, detail."""
    return pl.concat([_judged(answers.slice(start, BATCH)) for start in range(0, max(answers.height, 1), BATCH)])


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
    unclear = pl.col("words").str.contains_any(_rules().hints) | ((pl.col("slots_found") > 0) & pl.col("false_found"))
    read = _read(_marked(rows.filter(unclear), hits))
    return _verdicts(rows.join(read, on="row", how="left", maintain_order="left"))


def _distinct(answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows with the number (key) of what answers them, and the aliases of each such number, prepared once.

    aliases: key, slot (-1: what the documents say falsely), alias, form (its words), written (its words as they may
    stand in a text that is read, see _clauses), mark (what then stands for them). An alias without words (`""`, `"?"`)
    answers nothing.
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
    marks = {slot: chr(min(ord(FALSE) + 1 + slot, ord(LAST_TRUE))) for slot in listed["slot"].unique()}
    mark = pl.col("slot").replace_strict(marks, return_dtype=pl.String)
    return asked, listed.filter((pl.col("slot") >= 0) | pl.col("true").is_null()).with_columns(mark=mark).drop("true")


def _forms(aliases: pl.Series) -> pl.DataFrame:
    """The words of each alias, by value; a leading article falls where more follows."""
    folded = figures(fold(aliases).str.replace(r"^(?:the|an?) (\S)", "$1"))
    clauses = pl.col("clauses").str.strip_chars(f" {SENTENCE}{CLAUSE}")
    frame = pl.DataFrame({"alias": aliases, "clauses": numbers_in_words(_clauses(folded))})
    frame = frame.with_columns(clauses=pl.concat_str(pl.lit(" "), clauses, pl.lit(" ")))
    frame = frame.with_columns(form=_unstopped(frame["clauses"])).with_columns(unbound(pl.col("form", "clauses")))
    written = pl.concat_list(_doubled(pl.col("form")), _doubled(pl.col("clauses"))).list.unique()
    return frame.select("alias", "form", written=written)


def _worded(asked: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """The rows with their folded text, its clauses and its words, by value where a value is asked for.

    Blank texts are missing.
    """
    valued = aliases.filter(pl.col("form").str.contains(HAS_FIGURES)).select("key", valued=True).unique()
    where = asked.select("key").join(valued, on="key", how="left", maintain_order="left")["valued"]
    text = fold(asked["response"])
    text = _read_by_value(text.set(text == "", None), where, figures)
    clauses = _read_by_value(_clauses(text), where, numbers_in_words)
    return asked.drop("response").with_columns(text=text, clauses=clauses, words=_unstopped(clauses))


def _read_by_value(texts: pl.Series, where: pl.Series, read: Callable[[pl.Series], pl.Series]) -> pl.Series:
    return changed(texts, where, lambda text: text.map_batches(read, pl.String))


def _clauses(folded: pl.Series) -> pl.Series:
    """The words of folded texts, with a mark where a sentence or a clause ends, and `not` wherever it is said."""
    text = pl.col("text").str.replace_all(r"(?-u:\b)([a-z]|mrs?|ms|dr|st|[js]r|vs|prof|gen|col|lt)\.", "$1 ")
    return words(folded.to_frame("text").select(pl.concat_str(text, pl.lit(" "))).to_series(), _STOPS)


def _unstopped(clauses: pl.Series) -> pl.Series:
    """The words of clauses."""
    return clauses.str.replace_many([f"{SENTENCE} ", f"{CLAUSE} "], [""])


def _hits(rows: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Which aliases occur in which rows."""
    pairs = rows.lazy().select("row", "key", "words").join(aliases.lazy(), on="key", maintain_order="left")
    return pairs.filter(pl.col("words").str.contains(pl.col("form"), literal=True)).drop("words", "key").collect()


def _doubled(worded: pl.Expr) -> pl.Expr:
    """Words with two spaces between them, of which each takes one."""
    return worded.str.replace_all(" ", "  ", literal=True).str.strip_prefix(" ").str.strip_suffix(" ")


def _marked(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The words of texts, with marks for their aliases, the longest first: `New York City` holds no `New York`.

    Columns row, lied (whether the documents lie), text.
    """
    frame = rows.select("row", lied=pl.col("false").is_not_null(), text=_doubled(pl.col("clauses")))
    places = frame.select("row").with_row_index("place")
    todo = hits.join(places, on="row").select("place", "mark", "written").explode("written").unique()
    todo = todo.sort("place", -pl.col("written").str.len_chars().cast(pl.Int32), "mark", "written")
    text = frame["text"]
    for turn in todo.with_columns(turn=pl.int_range(pl.len()).over("place")).partition_by("turn", maintain_order=True):
        beside = turn.with_columns(text=text.gather(turn["place"]))
        marked = beside.select(pl.col("text").str.split(pl.col("written")).list.join(pl.col("mark"))).to_series()
        text = text.scatter(turn["place"], marked)
    return frame.with_columns(text=text)


def _read(marked: pl.DataFrame) -> pl.DataFrame:
    """What the marked texts say: what is refused, which error is spoken of, what is denied, and what is left.

    left, lies: how many slots are told, and whether something false is; null where the text holds no mark, which is so
    of an alias across a stop (`Tampa. Florida`).
    """
    rules, code = _rules(), pl.col("code")
    frame = marked.with_columns(code=rules.vocabulary.coded(marked["text"]))
    frame = _with_phrase(frame, "refusal", pl.lit(value=True), rules.refusals)
    frame = _with_phrase(frame, "error", pl.col("lied"), rules.detections)
    refused, erring = pl.col("refusal").is_not_null(), pl.col("error").is_not_null()
    frame = _rewritten(frame, refused, [(rules.refusals, f"${{0}}{REFUSED}")])
    frame = _rewritten(frame, code.str.contains(MARK), rules.denials)
    frame = _rewritten(frame, code.str.contains(TRUE) & code.str.contains(FALSE, literal=True), rules.set_aside)
    frame = frame.with_columns(denied_lie=code.str.contains(DENIED + FALSE, literal=True))
    frame = _rewritten(frame, erring | pl.col("denied_lie"), rules.corrections)
    frame = _with_phrase(frame, "denial", code.str.contains(DENIED, literal=True), rules.denying)
    told = pl.when(code.str.contains(MARK)).then(code).str.replace_all(f"[{DENIED}{UNTOLD}]+{MARK}", "")
    return frame.drop("lied", "text", "code").with_columns(
        frame.select(
            answering=code.str.contains(rules.answering),
            left=told.str.extract_all(TRUE).list.n_unique(),
            lies=told.str.contains(FALSE, literal=True),
        )
    )


def _rewritten(frame: pl.DataFrame, where: pl.Expr, rules: list[tuple[str, str]]) -> pl.DataFrame:
    """The codes after some rules, where they can matter. Where none fits at first, none does later."""

    def rewritten(code: pl.Expr) -> pl.Expr:
        for pattern, replacement in rules:
            code = code.str.replace_all(pattern, replacement)
        return code

    some = holding(frame["code"], frame.select(where).to_series(), "|".join(pattern for pattern, _ in rules))
    return frame.with_columns(code=changed(frame["code"], some, rewritten))


def _with_phrase(frame: pl.DataFrame, name: str, where: pl.Expr, pattern: str) -> pl.DataFrame:
    """The words of the first place where the pattern is found in the codes, as a column more."""
    code, text = pl.col("code"), pl.col("text")
    found = frame.filter(where & code.str.contains(pattern))
    # The codes before and in the place; only its sentence is split into words.
    cut = code.str.replace(pattern, f"{CUT}${{0}}{CUT}").str.replace(CUT + SENTENCE, SENTENCE + CUT, literal=True)
    cut = cut.str.replace_all(f"[{DENIED}{UNTOLD}{REFUSED}]", "")
    found = found.select("row", "text", before=cut.str.split(CUT).list.get(0), inside=cut.str.split(CUT).list.get(1))
    sentence = pl.col("before").str.count_matches(SENTENCE, literal=True)
    tokens = _rules().vocabulary.split(text.str.split(f" {SENTENCE} ").list.get(sentence))
    start = pl.col("before").str.split(SENTENCE).list.last().str.len_chars()
    length = pl.col("inside").str.strip_chars_end(SENTENCE).str.len_chars()
    phrase = tokens.list.slice(start, length).list.join(" ").str.replace_all("_", " ", literal=True)
    phrase = phrase.str.replace_all(f" ?{CLAUSE}", ",").str.strip_chars_end(",")
    return frame.join(found.select("row", phrase.alias(name)), on="row", how="left", maintain_order="left")


def _verdicts(rows: pl.DataFrame) -> pl.DataFrame:
    """The verdicts, from what was found and what was read."""
    given, slots = pl.col("text").is_not_null(), pl.col("slots").list.len()
    rows = rows.with_columns(
        told=pl.coalesce("left", "slots_found"),
        lied=pl.coalesce("lies", "false_found"),
        whole=pl.when(pl.col("words").is_in(_rules().whole)).then(pl.col("words").str.strip_chars(" ")),
    )
    refused = pl.col("refusal").is_not_null() | pl.col("whole").is_not_null()
    answered = (pl.col("told") > 0) | pl.col("lied") | pl.col("answering").fill_null(value=False)
    detected = pl.col("error").is_not_null() | pl.col("denied_lie").fill_null(value=False)
    rows = rows.with_columns(
        correct=pl.when(given & (slots > 0)).then((pl.col("told") == slots) & ~pl.col("lied")),
        rejected=pl.when(given).then(refused & ~answered),
        error_detected=pl.when(given & pl.col("false").is_not_null()).then(detected),
    )
    corrected = pl.when(pl.col("error_detected").is_not_null()).then("correct")
    return rows.select("correct", "rejected", "error_detected", error_corrected=corrected, detail=_detail(rows))


def _detail(rows: pl.DataFrame) -> pl.Series:
    """The phrase that decided: of the error or the denial, of the refusal; else the alias that was found."""
    phrase = (
        pl.when("error_detected")
        .then(pl.coalesce("error", "denial"))
        .when("rejected")
        .then(pl.coalesce("refusal", "whole"))
        .when(pl.col("correct").not_().fill_null(value=True))
        .then("denial")
    )
    alias = pl.when("correct").then("truth").when("lied").then("lie")
    frame = rows.select("text", "truth", "lie", phrase=phrase).with_row_index("place").drop_nulls("phrase")
    written = frame.lazy().with_columns(phrase=_with_answers(pl.col("phrase"))).select("place", _as_written()).collect()
    return rows.select(alias.alias("detail")).to_series().scatter(written["place"], written["phrase"])


def _with_answers(phrase: pl.Expr) -> pl.Expr:
    """A phrase with its aliases instead of their marks."""
    phrase = phrase.str.split(FALSE).list.join(pl.col("lie").fill_null("…"))
    phrase = phrase.str.replace_all(TRUE, FALSE).str.split(FALSE).list.join(pl.col("truth").fill_null("…"))
    return phrase.str.replace_all(rf"([{UNSPACED}]) +", "$1")


def _as_written() -> pl.Expr:
    """A phrase with its negations as they stand in the text, where that is so."""
    text, phrase = pl.col("text"), pl.col("phrase")
    ways = [phrase, *(phrase.str.replace_all(*pair, literal=True) for pair in _SHORT)]
    return pl.coalesce(*(pl.when(text.str.contains(way, literal=True)).then(way) for way in ways), phrase).alias(
        "phrase"
    )


_Lists = dict[str, list[str]]


class _Vocabulary:
    """The words that rules tell apart, each with the letter that stands for it, its code; words used alike share one.

    A phrase of a kind is one word. Words are written with a space at each edge, so that two stand between them.
    """

    def __init__(self, kinds: _Lists, groups: _Lists, plain: Iterable[str]) -> None:
        longest = sorted({_apart(phrase) for listed in kinds.values() for phrase in listed}, key=_longest)
        self._word = re.compile("|".join([*longest, " [^ ]+ "]))
        uses: dict[str, set[str]] = defaultdict(set)
        for name, listed in (*kinds.items(), *groups.items()):
            for phrase in listed:
                split = self.words(phrase)
                for word in split:
                    uses[word] |= ({name} if word.isascii() else {name, name + _CHINESE}) if len(split) == 1 else {word}
        for word in (word for part in plain for word in self.words(part)):
            uses[word].add(word)
        ranked = {word: (_rank(word, used, kinds), *sorted(used)) for word, used in uses.items()}
        codes = dict(zip(sorted(set(ranked.values())), _CODES, strict=False))
        self._own = {word: codes[use] for word, use in ranked.items()}
        written = {word if word.isascii() else word.replace(" ", ""): code for word, code in self._own.items()}
        self._codes = {f" {stop} ": stop for stop in (SENTENCE, CLAUSE)}
        self._codes |= {word: written[word] for word in sorted(written, key=_longest)}
        self._uses = uses
        self._ranks = [[code for use, code in codes.items() if use[0] == rank] for rank in range(_LETTER + 1)]
        self._one = {word: f" {word.strip().replace('  ', '_')} " for word in longest}

    def words(self, phrase: str) -> list[str]:
        """The words of a phrase."""
        return self._word.findall(_apart(phrase))

    def codes(self, phrase: str) -> str:
        """The codes of a phrase."""
        return "".join(self._own[word] for word in self.words(phrase))

    def of(self, name: str) -> str:
        """The codes of the words of a kind or group, as the inside of a character class."""
        return "".join(sorted({self._own[word] for word, used in self._uses.items() if name in used}))

    def rank(self, rank: int) -> str:
        """The codes of all words of a rank, as the inside of a character class: they stand in a row."""
        return f"{self._ranks[rank][0]}-{self._ranks[rank][-1]}"

    def coded(self, texts: pl.Series) -> pl.Series:
        """The codes of texts; marks in them stay."""
        known = texts.str.replace_many(self._codes, leftmost=True)
        letters = changed(
            known, known.str.contains(f"[{UNSPACED}]"), lambda text: text.str.replace_all(f"[{UNSPACED}]", LETTER)
        )
        numbers = letters.str.replace_all(f" [0-9{MONTH}{DAY}{POINT}]+ ", LETTER)
        other = f" [^ \\p{{Lu}}{SENTENCE}{CLAUSE}{FALSE}-{LAST_TRUE}]+ "
        return numbers.str.replace_all(other, WORD).str.replace_all(" ", "", literal=True)

    def split(self, text: pl.Expr) -> pl.Expr:
        """The words of a text, one for each code."""
        apart = single_spaces(text.str.replace_all(f"[{UNSPACED}]|{MARK}", " ${0} "))
        one = _doubled(apart).str.replace_many(self._one, leftmost=True)
        return one.str.strip_chars(" ").str.split("  ")


class _Rules:
    """The phrase file, made ready: its rules are patterns over codes."""

    def __init__(self, data: dict[str, _Lists]) -> None:
        patterns, denials = data["patterns"], data["denials"]
        parts = {part for listed in (*patterns.values(), *denials.values()) for rule in listed for part in rule.split()}
        self._groups = data["kinds"] | data["groups"]
        self.vocabulary = _Vocabulary(data["kinds"], data["groups"], filter(_is_phrase, parts))
        self._elements = self._fixed()
        self.hints = data["hints"]["any"]
        self.whole = [f" {phrase} " for phrase in data["answers"]["whole"]]
        self.refusals = self._any_of(patterns["refusals"], patterns["refusals_chinese"])
        self.detections = self._any_of(patterns["detections"], patterns["detections_chinese"])
        self.denials = [
            *(self._denial(rule, UNTOLD) for rule in denials["untold"]),
            *(self._denial(rule, spends=True) for rule in denials["negated"]),
            *map(self._denial, denials["denied"]),
        ]
        self.set_aside = [*map(self._denial, _both_ways(denials["set_aside"]))]
        self.corrections = [*map(self._denial, denials["corrected"])]
        ends, of = self.vocabulary.rank(_END), self.vocabulary.of
        self.answering = (
            f"[{of('answering')}][^{ends}{SENTENCE}{CLAUSE}{REFUSED}][^{REFUSED}{SENTENCE}]*(?:{SENTENCE}|$)"
        )
        turning = "".join(map(of, ("negation", "wrong", "contrast", "right", "really")))
        self.denying = (
            f"[{SPENT}{of('falsely')}](?:{self._elements['..']}){{0,9}}{DENIED}{MARK}"
            f"|{DENIED}{MARK}(?:[^{SENTENCE}]{{0,8}}?)[{turning}]"
        )

    def _fixed(self) -> dict[str, str]:
        """What the signs and names in rules stand for."""
        end, negation, kind, word, letter = map(self.vocabulary.rank, range(_LETTER + 1))
        ends = f"{end}{SENTENCE}{CLAUSE}"
        words, run = f"{kind}{word}{WORD}{REFUSED}{SPENT}", f"[{letter}{LETTER}]+"
        sentence = f"{words}{end}{negation}{CLAUSE}"
        return {
            "...": f"(?:[{words}{FALSE}-{LAST_TRUE}]|{run}){{0,4}}?",
            "...:zh": f"[{kind}{letter}{LETTER}{CLAUSE}{FALSE}-{LAST_TRUE}]{{0,8}}?",
            "..": f"(?:[{words}]|{run})",
            "--": f"(?:[{sentence}]|{run})",
            "==": f"(?:[{sentence}{SENTENCE}]|{run})",
            "^": f"(?:^|{SENTENCE})",
            "$": f"(?:[{ends}]|$)",
            "/": f"[{ends}]{{1,3}}",
            ",": f"[{end}{CLAUSE}]",
            "ANSWER": MARK,
            "TRUE": TRUE,
            "FALSE": FALSE,
            "TRUTH": TRUE,
            "LIE": FALSE,
            "DENIED": f"{DENIED}{MARK}",
            "REFUSAL": REFUSED,
        }

    def _any_of(self, rules: list[str], chinese: list[str]) -> str:
        return "|".join(
            [*map(self._pattern, rules), *(self._pattern(rule.replace("...", "...:zh")) for rule in chinese)]
        )

    def _pattern(self, rule: str) -> str:
        return "".join(map(self._part, rule.split()))

    def _part(self, part: str) -> str:
        if part.startswith("<"):
            return self._member(part.strip("<>").split("|"))
        sign, most = part.rstrip("0123456789"), part.lstrip(".-=")
        if sign not in self._elements:
            return self.vocabulary.codes(part)
        return self._elements[sign] + (f"{{0,{most}}}" if most.isdigit() else "")

    def _member(self, names: list[str]) -> str:
        """One of the words or phrases of some kinds or groups."""
        longer = [
            self.vocabulary.codes(phrase)
            for name in names
            for phrase in self._groups.get(name, [])
            if len(self.vocabulary.words(phrase)) > 1
        ]
        single = "".join(map(self.vocabulary.of, names))
        return f"(?:{'|'.join([*longer, *([f'[{single}]'] if single else [])])})"

    def _denial(self, rule: str, sign: str = DENIED, *, spends: bool = False) -> tuple[str, str]:
        """A pattern and what stands for it, with a sign before the answer that is denied."""
        parts = rule.split()
        place = next(place for place, part in enumerate(parts) if part in {"ANSWER", "TRUE", "FALSE"})
        first, between, answer, behind = (
            "".join(map(self._part, some))
            for some in (parts[:place][:1], parts[:place][1:], [parts[place]], parts[place + 1 :])
        )
        return f"({first})({between})({answer})({behind})", f"{SPENT if spends else '${1}'}${{2}}{sign}${{3}}${{4}}"


def _both_ways(rules: list[str]) -> list[str]:
    """Rules on one of two answers, once for each."""
    return [
        rule.replace("ONE", one).replace("OTHER", other)
        for one, other in (("FALSE", "TRUTH"), ("TRUE", "LIE"))
        for rule in rules
    ]


def _is_phrase(part: str) -> bool:
    """Whether a part of a rule is a word, or several of a script without spaces."""
    return part[0].isalnum() and not part.isupper()


def _apart(phrase: str) -> str:
    """The words of a phrase with a space at each edge; a letter of an unspaced script is a word."""
    return "".join(f" {word} " for word in re.findall("[a-z0-9]+|[^a-z0-9 ]", phrase))


def _longest(word: str) -> tuple[int, str]:
    """What sorts words so that the longest stands first: the first that fits is taken."""
    return -len(word), word


def _rank(word: str, used: set[str], kinds: _Lists) -> int:
    """Where the word's code stands among the others."""
    if used & _ENDING:
        return _END
    if "negation" in used:
        return _NEGATION
    if used & kinds.keys():
        return _KIND
    return _WORD if word.isascii() else _LETTER


@cache
def _rules() -> _Rules:
    return _Rules(tomllib.loads(resources.files(__package__).joinpath("phrases.toml").read_text("utf-8")))


# Ranks of codes: what ends a clause, what denies, words of other kinds, words of groups and rules, and such letters.
_END, _NEGATION, _KIND, _WORD, _LETTER = range(5)
_ENDING = {"contrast", "right", "concession", "harmless", "breaks"}
_CHINESE = ":zh"
# Upper-case letters, of which a folded text has none.
_CODES = [chr(code) for code in range(0x100, 0x800) if chr(code) != chr(code).lower()]
_SHORT = [("can not", "cannot"), ("can not", "can't"), (" not", "n't")]
_STOPS = {
    "won't": "will not",
    "can't": "can not",
    "cannot": "can not",
    "n't": " not",
    **{f".{closed}{space}": f" {SENTENCE} " for closed in ("", *"\"')]", '")', ')"') for space in " \n"},
    **dict.fromkeys("!?。\n", f" {SENTENCE} "),
    **dict.fromkeys((*",;:()[]、", " - ", "--"), f" {CLAUSE} "),
}
