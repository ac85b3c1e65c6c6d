"""The screenshots of the screen: each state has two of them and a page, and they show what is seen today."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from waiting import PATIENCE

from zot_agent.version import __version__

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
GUIDES = [ROOT / "docs" / "runs.md"]
"""What has a picture of the terminal beside the pages of the screen."""
PAGES = [*sorted((ROOT / "docs" / "screen").glob("*.md")), *GUIDES]
THEMES = ("dark", "light")
LARGEST = 60_000
"""Bytes of a screenshot."""

SVG = "{http://www.w3.org/2000/svg}"


def screenshots(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the script that takes them."""
    command = [sys.executable, str(ROOT / "scripts" / "screenshots"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=8 * PATIENCE, check=False)


def referenced(page: Path) -> list[Path]:
    """The screenshots of a page, in its order."""
    found = re.findall(r'(?:srcset|src)="([^"]+\.svg)"', page.read_text("utf-8"))
    return [(page.parent / each).resolve() for each in found]


def states() -> dict[str, list[str]]:
    """The names of the states by page, in the order of the pages."""
    by_page: dict[str, list[str]] = {}
    for line in screenshots("--list").stdout.splitlines():
        page, name = line.split()
        by_page.setdefault(page, []).append(name)
    return by_page


BY_PAGE = states()


def test_every_state_of_the_script_has_a_page_and_every_page_a_state() -> None:
    assert sorted(BY_PAGE) == sorted(page.stem for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_its_states_in_both_themes_and_is_in_the_index(page: Path) -> None:
    shown = BY_PAGE[page.stem]
    assert referenced(page) == [IMAGES / f"{name}-{theme}.svg" for name in shown for theme in THEMES]
    alts = re.findall(r'alt="([^"]*)"', page.read_text("utf-8"))
    assert [len(alt) > 20 for alt in alts] == [True] * len(shown)
    if page not in GUIDES:
        assert f"(screen/{page.name})" in (ROOT / "docs" / "screen.md").read_text("utf-8")


def test_every_screenshot_is_on_a_page_and_every_screenshot_of_a_page_is_there() -> None:
    shown = {screenshot for page in [ROOT / "README.md", *PAGES] for screenshot in referenced(page)}
    assert sorted(shown) == sorted(IMAGES.glob("*.svg"))


def test_every_picture_of_a_browser_is_in_a_guide() -> None:
    guides = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("serve.md", "fleet.md", "releasing.md"))
    shown = {IMAGES / name for name in re.findall(r'images/([^")]+\.png)[")]', guides)}
    assert sorted(shown) == sorted(set(IMAGES.iterdir()) - set(IMAGES.glob("*.svg")))


@pytest.mark.parametrize("screenshot", sorted(IMAGES.glob("*.svg")), ids=lambda screenshot: screenshot.stem)
def test_a_screenshot_is_small_and_says_what_it_shows(screenshot: Path) -> None:
    assert screenshot.stat().st_size <= LARGEST
    root = ElementTree.parse(screenshot).getroot()
    assert root.get("role") == "img"
    for name in (f"{SVG}title", f"{SVG}desc"):
        assert root.findtext(name)
    assert len(list(root.iter(f"{SVG}text"))) > 2
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for text in root.iter(f"{SVG}text"):
        end = float(text.get("x", "0")) + float(text.get("textLength", "8"))
        assert end <= width
        assert float(text.get("y", "0")) < height


PARTS = 4
"""So many tests check the screenshots, each many at a time."""


@pytest.mark.parametrize("part", range(PARTS))
def test_a_screenshot_shows_what_is_seen_today(part: int) -> None:
    names = sorted(name for names in BY_PAGE.values() for name in names)
    checked = screenshots("--check", "--theme", "dark", *names[part::PARTS])
    assert checked.returncode == 0, checked.stderr


def test_a_screenshot_that_is_not_current_is_told_with_its_row(tmp_path: Path) -> None:
    place = ("--folder", str(tmp_path), "--theme", "light", "empty")
    assert screenshots("--check", *place).stderr.startswith("empty-light.svg is missing")
    assert screenshots(*place).returncode == 0
    assert screenshots("--check", *place).returncode == 0

    (screenshot,) = tmp_path.iterdir()
    assert f">{__version__}<" in screenshot.read_text("utf-8")
    screenshot.write_text(screenshot.read_text("utf-8").replace(f">{__version__}<", ">99.0.0rc1<"), "utf-8")
    assert screenshots("--check", *place).returncode == 0  # of another version

    screenshot.write_text(screenshot.read_text("utf-8").replace("ask, or /", "say, or /"), "utf-8")

    checked = screenshots("--check", *place)
    assert checked.returncode == 1
    assert "- ›say,or/for" in checked.stderr
    assert "+ ›ask,or/for" in checked.stderr


@pytest.mark.parametrize("theme", THEMES)
def test_the_moving_picture_of_the_readme_begins_with_the_card_and_no_empty_screen(theme: str) -> None:
    root = ElementTree.parse(IMAGES / f"moving-{theme}.svg").getroot()
    style = str(root.findtext(f"{SVG}style"))
    rows = [(str(group.get("class")).split()[0], "".join(group.itertext())) for group in root.iter(f"{SVG}g")]
    first = [text for name, text in rows if f"@keyframes {name}{{0.00%{{visibility:visible" in style]
    assert [text.startswith("zot") for text in first].count(True) == 1


def test_a_moving_picture_draws_each_row_once_and_ends_with_the_last_frame_where_nothing_may_move() -> None:
    draw = runpy.run_path(str(ROOT / "scripts" / "screenshots" / "draw.py"))
    palette = draw["PALETTES"]["dark"]

    def row(text: str) -> list[object]:
        return [draw["Cell"](each, palette.ink, palette.paper) for each in text]

    frames = [draw["Frame"]([row("same"), row(text)], seconds) for text, seconds in (("one ", 1.0), ("two ", 3.0))]
    root = ElementTree.fromstring(draw["moving"](frames, palette, "title", "about"))
    drawn = {"".join(group.itertext()): str(group.get("class")) for group in root.iter(f"{SVG}g")}
    assert set(drawn) == {"same", "one", "two"}
    style = str(root.findtext(f"{SVG}style"))
    first, last = drawn["one"].split()[0], drawn["two"]
    assert f"@keyframes {first}{{0.00%{{visibility:visible}}25.00%{{visibility:hidden}}}}" in style
    assert f"@keyframes {last}{{0.00%{{visibility:hidden}}25.00%{{visibility:visible}}}}" in style
    assert f"animation:{drawn['same']} " not in style
    assert style.endswith("@media (prefers-reduced-motion:reduce){g{animation:none!important}.g{visibility:hidden}}")
    assert [name for name, kind in drawn.items() if kind.endswith(" g")] == ["one"]


def test_runs_stand_at_their_columns_behind_wide_characters_and_markup_is_text() -> None:
    draw = runpy.run_path(str(ROOT / "scripts" / "screenshots" / "draw.py"))
    palette = draw["PALETTES"]["dark"]
    row = [draw["Cell"](text, palette.ink, palette.paper) for text in ("<", "日", "", "a", "&", " ", "▌")]
    svg = draw["screenshot"]([row], palette, "a < b", "c", None)

    root = ElementTree.fromstring(svg)
    columns = [(float(each.get("x", "")) - draw["PADDING"]) / draw["CELL_WIDTH"] for each in root.iter(f"{SVG}text")]
    assert [each.text for each in root.iter(f"{SVG}text")] == ["<", "日", "a&"]
    assert columns == pytest.approx([0, 1, 3])
    assert root.findtext(f"{SVG}title") == "a < b"
    block = root.findall(f"{SVG}rect")[-1]
    # Blocks begin at whole pixels, so that no seam is seen between them.
    assert float(block.get("x", "")) - draw["PADDING"] == pytest.approx(6 * draw["CELL_WIDTH"], abs=0.5)
