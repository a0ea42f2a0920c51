"""What the fuzzer once found stays mended."""

import json
from pathlib import Path

import pytest

from fuzz.trying import TRIED, try_content

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.json"))


@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path):
    find = json.loads(path.read_text(encoding="utf-8"))
    named = [one for one in TRIED if str(one) == find["sample"]]
    assert named
    for sample in named:  # some differ in their options alone
        found = try_content(sample, find["content"].encode("latin-1"), whole=True)
        assert found.outcome != "wrong", found.said
