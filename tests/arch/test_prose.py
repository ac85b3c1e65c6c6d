"""The language of the project: a stranger reads each sentence once.

The phrases below hide a noun or an actor. Write what is meant: "returns None" for "is none", "the caller" for
"whoever", "again" for "anew", "a file that" for "one that", "the model reads" for "the model is told". In what people
read (pages, docstrings, messages) other phrases stop a native reader: `STUMBLES` has them.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
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
STUMBLES = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "stop to listen": r"\bstop(?:s|ped)? to (?!zot\b)",  # "stop listening"
        "draws it no more": r"\bno more(?=[.:;,]|$)(?<!once no more)",  # "no longer draws it"
        "so many": r"\bso many\b(?! that)",  # "this number of"
        "say what is so": r"\b(?:says?|what) (?:what )?is so\b",
        "those of": r"\bthose of\b",  # repeat the noun
        "is of": r"\b(?:is|are|was|were) of\b",  # "belongs to", "has", "comes from"
        "each, where every is meant": r"\b(?:before|after|with|at) each (?!other\b|of\b|row\b)[a-z`*]|\beach time\b",
    }.items()
}
STUMBLES_OF_DOCSTRINGS = {"What it is": re.compile(r"\Awhat\b", re.IGNORECASE)}  # a noun: "The state of it"
SOURCES = "packages/*/src/**/*.py"

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


def read_by_people(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the texts of a file with their lines, and whether they are docstrings: strings of several words, of a page
    all lines outside blocks of code."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        blocks = re.split(r"^ *```.*$", text, flags=re.M)
        number = 1
        for place, block in enumerate(blocks):
            lines = block.splitlines() or [""]
            if place % 2 == 0:
                yield from ((number + offset, line, False) for offset, line in enumerate(lines))
            number += block.count("\n")
        return
    tree = ast.parse(text)
    docstrings = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1:
            yield node.lineno, node.value, id(node) in docstrings


def test_no_page_docstring_or_message_stops_a_native_reader() -> None:
    found = []
    for path in sorted({path for pattern in (*PAGES, SOURCES) for path in ROOT.glob(pattern)}):
        if "node_modules" in path.parts:
            continue
        for number, text, documents in read_by_people(path):
            phrases = STUMBLES | (STUMBLES_OF_DOCSTRINGS if documents else {})
            found += [
                f"{path.relative_to(ROOT)}:{number}: {name}: {' '.join(text.split())[:100]}"
                for name, phrase in phrases.items()
                if phrase.search(" ".join(text.split()))
            ]
    assert found == [], "\n".join(found)
