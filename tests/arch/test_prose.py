"""The language of the project: a stranger reads each sentence once.

The phrases below hide a noun or an actor. Write what is meant: "returns None" for "is none", "the caller" for
"whoever", "again" for "anew", "a file that" for "one that", "the model reads" for "the model is told".
"""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("*.md", "docs/**/*.md", "examples/*/*.md", "packages/*/*.md", "packages/*/src/**/*.md")
CODE = ("packages/*/src/**/*.py", "scripts/**/*.py", "examples/sdk/*.py", "benchmarks/*.py")
GENERATED = ROOT / "docs" / "generated"  # its sentences come from the code

PHRASES = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "is none": r"\b(?:is|are|was|were|be) (?-i:none)\b(?! of)",
        "whoever": r"\bwho(?:m)?ever\b",
        "anew": r"\banew\b",
        "at hand": r"\bat hand\b",
        "one that": r"\b(?:one|ones|those|that) (?:that|which)\b",
        "told": r"\btold\b|\btells? of\b",
        "stands": r"\bstands?\b(?!ard|alone|-in| for\b)",
        "goes on": r"\bgo(?:es|ne)? on\b",
        "may be had": r"\b(?:can|may|could) be had\b|\bto be had\b",
    }.items()
}
ALLOWED: dict[str, int] = {"goes on": 1}
"""Old uses that are left, by phrase. Lower a number when you remove one; never raise it."""


def texts() -> list[Path]:
    found = {path for pattern in (*PAGES, *CODE) for path in ROOT.glob(pattern)}
    return sorted(path for path in found if "node_modules" not in path.parts and GENERATED not in path.parents)


def test_no_new_sentence_uses_a_phrase_that_hides_its_noun() -> None:
    places: dict[str, list[str]] = {name: [] for name in PHRASES}
    for path in texts():
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for name, phrase in PHRASES.items():
                if phrase.search(line):
                    places[name].append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    counts = {name: len(found) for name, found in places.items() if found}
    new = [place for name, found in places.items() if len(found) > ALLOWED.get(name, 0) for place in found]
    assert counts == ALLOWED, "\n".join(["write these differently, or lower the number in ALLOWED:", *new])


def test_fewer_than_a_hundred_old_uses_are_left() -> None:
    assert sum(Counter(ALLOWED).values()) < 100
