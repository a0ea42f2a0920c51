"""Folding of texts, on examples worked by hand."""

import polars as pl
import pytest

from adjudge.text.folding import fold, lower_case, unbound, words

FOLDED = [
    ("It’s **Paris**", "it's paris"),
    ("Tadej Pogačar", "tadej pogacar"),
    ("Tadej Pogac\u030car", "tadej pogacar"),
    ("Chloe\u0301", "chloe"),
    ("ẞ Straße", "ss strasse"),
    ("İstanbul", "istanbul"),
    ("ＡＢＣ１２３", "abc123"),
    ("DÃ¡in, 10â€“12, 420Â\u00a0mg, naÃ¯ve", "dain, 10-12, 420 mg, naive"),
    ("CHÂTEAU “IRMÃ” Â", 'chateau "irma" a'),
    ("ﬁne ½ ²", "fine 1⁄2 2"),
    ("„a“ “b” «c» ‘d’ 「e」", '"a" "b" "c" \'d\' "e"'),
    ("1990–1995 — x‑y − z", "1990-1995 - x-y - z"),
    ("a…", "a..."),
    ("# Title", "title"),
    ("*a* _b_ ~~c~~ `d` **e** __f__", "a b c d e f"),
    ("snake_case", "snake case"),
    ("C# and F#", "c# and f#"),
    ("[Paris](https://example.org/London)", "[paris]"),
    ("a\tb\u00a0c\u3000d  e", "a b c d e"),
    ("  a \r\n\r\n  b\rc\u2028d  ", "a\nb\nc\nd"),
    ("zero\u200bwidth soft\u00adhyphen", "zerowidth softhyphen"),
    ("詹姆斯 · 卡梅隆", "詹姆斯 · 卡梅隆"),
    ("骁龙８４５，（三）", "骁龙845,(三)"),
    ("ﾊﾝｶｸ", "ハンカク"),
    ("ガ ガ", "ガ ガ"),
    ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
    ("Москва́ Й", "москва́ й"),
    ("القاهرة ١٢", "القاهرة ١٢"),
    ("🙂 ok", "🙂 ok"),
    ("\x00\x01a\x08\x0e\x1bb\x7f", "a b"),
    ("", ""),
    (" \n ", ""),
    ("****", ""),
    ("a" * 10_000, "a" * 10_000),
    (None, None),
]

WORDS = [
    ("it's paris", "␣it␣s␣paris␣"),
    ("j·k·罗琳", "␣j␣k␣罗琳␣"),
    ("詹姆斯 · 卡梅隆", "␣詹姆斯卡梅隆␣"),
    ("巴黎, 伦敦", "␣巴黎伦敦␣"),
    ("骁龙845", "␣骁龙␣845␣"),
    ("在1900年", "␣在␣1900␣年␣"),
    ("2.3%", "␣2␣3%␣"),
    ("c++ (c#)", "␣c++␣c#␣"),
    ("10.48‰", "␣10␣48‰␣"),
    ("a\nb", "␣a␣b␣"),
    ("- a, b; c!", "␣a␣b␣c␣"),
    ("«a» ✓ 🙂 b", "␣a␣b␣"),
    ("東京タワー", "␣東京タワー␣"),
    ("กรุงเทพ", "␣กรุงเทพ␣"),
    ("서울 시", "␣서울␣시␣"),
    ("القاهرة، مصر", "␣القاهرة␣مصر␣"),
    ("москва́", "␣москва́␣"),
    ("\x012", "␣\x012␣"),
    ("...", "␣"),
    ("", "␣"),
    (None, None),
]


def test_texts_are_folded():
    assert fold(pl.Series([text for text, _ in FOLDED])).to_list() == [folded for _, folded in FOLDED]


def test_folding_a_folded_text_changes_nothing():
    once = fold(pl.Series([text for text, _ in FOLDED]))
    assert fold(once).to_list() == once.to_list()


def test_folded_texts_become_words():
    found = words(pl.Series([text for text, _ in WORDS])).str.replace_all(" ", "␣")
    assert found.to_list() == [expected for _, expected in WORDS]


@pytest.mark.parametrize(
    ("phrase", "text", "within"),
    [
        ("Paris", "It is PARIS.", True),
        ("Paris", "A comparison", False),
        ("Spider-Man", "spider man", True),
        ("Pogačar", "Pogacar", True),
        ("巴黎", "在巴黎的", True),
        ("巴黎", "巴 黎", True),
        ("70", "共有70个", True),
        ("70", "170", False),
        ("骁龙845", "是骁龙 845 的", True),
        ("c", "c++", False),
    ],
)
def test_a_phrase_is_found_by_its_words(phrase, text, within):
    frame = pl.DataFrame({"phrase": words(fold(pl.Series([phrase]))), "text": words(fold(pl.Series([text])))})
    found = frame.select(pl.col("text").str.contains(unbound(pl.col("phrase")), literal=True))
    assert found.item() is within


def test_no_texts_are_folded_to_none():
    assert fold(pl.Series([], dtype=pl.String)).to_list() == words(pl.Series([], dtype=pl.String)).to_list() == []
    assert fold(pl.Series([None], dtype=pl.String)).to_list() == [None]


def test_lower_case_is_that_of_every_character():
    texts = pl.Series([chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000])
    lowered, beyond = lower_case(texts)
    assert lowered.to_list() == texts.str.to_lowercase().to_list()
    # White space beyond ASCII, and what NFKC changes, is told; the full-width signs are folded by table.
    other = texts.str.normalize("NFKC") != texts
    spaces = texts.str.contains(r"\s")
    assert "".join(texts.filter(~beyond & other)) == "…" + "".join(map(chr, range(0xFF01, 0xFF21)))
    assert "".join(texts.filter(~beyond & spaces)) == "\t\n\v\f\r "


def test_signs_stand_for_words():
    texts = pl.Series(["so, it's\npa-ris. Oh (no)"])
    assert words(texts, {". ": " \x04 ", "'s": " is", ",": " \x05 "}).item() == " so \x05 it is pa ris \x04 Oh no "
