"""What the pages in docs/ say beside the blocks that are run: rows, links, examples."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from zot_core.hooks import Collect, Gate, Hooks, Observe, Transform
from zot_core.sessions import rows
from zot_core.sessions.file import load
from zot_core.sessions.totals import totals_row
from zot_core.tools import BUILTIN_TOOLS

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(ROOT.glob("packages/*/*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("*/*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
    *sorted((ROOT / "examples").glob("*.md")),
]


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def leads_somewhere(page: Path, target: str, name: str) -> bool:
    there = (page.parent / target) if target else page
    if not there.exists() or not name:
        return there.exists()
    return name in [anchor(each) for each in re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.M)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text("utf-8"))
    assert [link for link in links if not leads_somewhere(page, *link)] == []


def test_the_rows_of_the_sessions_page_are_those_that_are_written(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sessions.md").read_text("utf-8")
    (block,) = re.findall(r"```jsonl\n(.*?)```", page, re.S)
    path = tmp_path / "session.jsonl"
    path.write_text(block, "utf-8")
    stored = load(str(path))
    lines = block.splitlines()
    assert stored.meta.title == "weather"
    assert stored.usage.cost_usd == 0.00795
    assert rows.meta_row(stored.meta.replace(title="")) == lines[0]
    assert [rows.message_row(message) for message in stored.messages] == [line for line in lines if "role" in line]
    assert f'"cumulative":{rows.usage_row(stored.usage, stored.usage).partition("cumulative")[2][2:]}' in lines[-3]
    assert [totals_row(after, run) for after, run in stored.totals.runs.items()] == [lines[-2]]


def test_the_tools_page_has_a_row_for_every_tool() -> None:
    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    table = page.partition("| tool |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.M)) == sorted(tool.name for tool in BUILTIN_TOOLS)


@pytest.mark.parametrize("kind", [Observe, Gate, Transform, Collect])
def test_the_guide_names_every_hook_point_with_its_kind(kind: type) -> None:
    page = (ROOT / "docs" / "sdk.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| `{kind.__name__}` \|[^|]*\|(.*)\|$", page, re.M)
    points = [name for name, point in vars(Hooks()).items() if type(point) is kind]
    assert sorted(re.findall(r"`(\w+)`", row)) == sorted(points)


def test_what_an_entry_of_a_theme_falls_back_on_is_an_entry() -> None:
    page = (ROOT / "docs" / "generated" / "themes.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|.*\| (?:`([^`]+)`)? ?\| [\d.]+ \|$", page, re.M)
    entries = {entry for entry, _ in rows}
    assert len(entries) == page.count("\n| `")
    assert {fallback for _, fallback in rows} - {""} <= entries


def test_every_example_of_pi_has_the_groups_that_it_needs() -> None:
    page = (ROOT / "docs" / "pi.md").read_text("utf-8").partition("<!-- examples -->")[2]
    examples = re.findall(r"^\| `([\w-]+)(?:\.ts)?` \| ", page, re.M)
    guide = (ROOT / "docs" / "extensions.md").read_text("utf-8")
    table = guide.partition("## What extensions of other harnesses do")[2].partition("A pipe cannot")[0]
    named = {name.removesuffix("-on-exit") for name in re.findall(r"[\w-]+", table)}
    assert len(examples) > 70
    assert [name for name in examples if name.removesuffix("-on-exit") not in named] == []


def test_each_page_about_extensions_leads_to_the_next_one_of_their_list() -> None:
    docs = ROOT / "docs"
    start = (docs / "extensions.md").read_text("utf-8")
    listed = re.findall(r"^\d+\. \[[^]]+\]\((extension-\w[\w-]*\.md)\)", start, re.M)
    assert sorted(listed) == sorted(page.name for page in docs.glob("extension-*.md"))
    for page, following in pairwise(["extensions.md", *listed]):
        assert re.search(rf"^.*Next: \[[^]]+\]\({following}\)\.$", (docs / page).read_text("utf-8"), re.M), page
        assert re.search(rf"^Previous: \[[^]]+\]\({page}\)\.", (docs / following).read_text("utf-8"), re.M), following


def test_the_plan_of_the_house_fits_on_a_few_screens() -> None:
    lines = (ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines()
    assert len([line for line in lines if not line.startswith("|")]) <= 120
