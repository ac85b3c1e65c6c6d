"""Write the table in `docs/pi.md` from the results of `make pi`: a folder with a JSON file for each example.

What was not tried this time keeps its row: `make pi` can be ended, and begun again. A row says `works as in pi` where
pi itself was seen to do the same, by the same steps, now or when that row was made.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "pi.md"
AS_IN_PI = "works as in pi"
STATES = (AS_IN_PI, "works", "differs", "works in part", "cannot", "fails")
ROW = re.compile(r"^\| `([^`]+)` \| ([0-9.]+|Atomic) \| ([^|]+) \| ([a-z ]+) \| (.*?) ?\|$", re.M)
PACKAGE = re.compile(r"^\| `([^`]+)`([^|]*) \| ([^|]+) \| ([^|]*) \|$", re.M)
Rows = dict[tuple[str, str], tuple[str, str, str]]
"""How each example was tried, its state and the reason, by its name and the version of pi that has it."""


def read(text: str) -> Rows:
    """Return the rows of a table."""
    return {(name, version): (tried, state, why) for name, version, tried, state, why in ROW.findall(text)}


def merged(before: Rows, results: list[dict[str, str]]) -> Rows:
    """Return the rows with new results."""
    rows = dict(before)
    for each in results:
        key = each["name"], each["version"]
        state = _state(each, before=AS_IN_PI in before.get(key, ()))
        rows[key] = each["tried"], state, "" if state == "fails" else each["why"]
    return dict(sorted(rows.items()))


def _state(result: dict[str, str], *, before: bool) -> str:
    """Return what the table says; `before`: whether it did as in pi when it was compared last."""
    compared = result.get("pi", "yes" if before else "no")
    return AS_IN_PI if compared == "yes" and result["state"] == "works" else result["state"]


def packages(text: str, results: dict[str, dict[str, str]]) -> str:
    """Return the page with the states of packages and collections, by their names, in the last column."""

    def row(match: re.Match[str]) -> str:
        name, version, test, before = match.groups()
        state = _state(results[name], before=before == AS_IN_PI) if name in results else before
        return f"| `{name}`{version} | {test} | {state} |"

    return PACKAGE.sub(row, text)


def table(rows: Rows) -> str:
    """Return how many examples work, and a row for each."""
    states = [state for _, state, _ in rows.values()]
    said = ", ".join(f"{states.count(each)} {each}" for each in STATES if each in states)
    works = round(100 * sum(state in STATES[:2] for state in states) / max(len(states), 1))
    lines = [
        f"| `{name}` | {version} | {tried} | {state} | {why} |" for (name, version), (tried, state, why) in rows.items()
    ]
    head = [
        f"{len(rows)} examples: {said} ({works} % work).",
        "",
        "| example | of pi | prompts | under zot | what not, and why |",
    ]
    return "\n".join([*head, "|---|---|---|---|---|", *lines])


def main(folder: str) -> None:
    """Read the results in a folder and write the page."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).glob("*.json"))]
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("<!-- examples -->")
    old, _, after = rest.partition("<!-- end -->")
    rows = merged(read(old), [each for each in found if "package" not in each])
    before = packages(before, {each["package"]: each for each in found if "package" in each})
    PAGE.write_text(f"{before}<!-- examples -->\n{table(rows)}\n<!-- end -->{after}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
