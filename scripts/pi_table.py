"""Write the table in `docs/pi.md` from the results of `make pi`: a folder with a JSON file for each example."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "pi.md"
PACKAGE = ROOT / "tests/support/pi/node_modules/@earendil-works/pi-coding-agent/package.json"
STATES = ("works", "works in part", "cannot", "fails")


def table(results: list[dict[str, str]]) -> str:
    """Return how many examples work, and a row for each."""
    counts = {state: sum(each["state"] == state for each in results) for state in STATES}
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    rows = [f"| `{each['name']}` | {each['state']} | {each['why']} |" for each in results]
    share = round(100 * counts["works"] / max(len(results), 1))
    return "\n".join(
        [
            f"{len(results)} examples: {said} ({share} % work).",
            "",
            "| example | under zot | why not |",
            "|---|---|---|",
            *rows,
        ]
    )


def main(folder: str) -> None:
    """Read the results in a folder and write the page."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).glob("*.json"))]
    found = [each for each in found if "package" not in each]
    results = [each | {"why": "" if each["state"] == "fails" else each["why"]} for each in found]
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("<!-- examples -->")
    after = rest.partition("<!-- end -->")[2]
    version = json.loads(PACKAGE.read_text("utf-8"))["version"]
    before = re.sub(r"(`@earendil-works/pi-coding-agent`) \S+ ships", rf"\1 {version} ships", before)
    PAGE.write_text(f"{before}<!-- examples -->\n{table(results)}\n<!-- end -->{after}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
