"""What `make site` does before and after the builder, which only the verb itself runs."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = runpy.run_path(str(ROOT / "scripts" / "make_site.py"))


def test_every_page_has_a_place_in_one_section() -> None:
    names = {*SITE["pages"](), *(f"api/{package}.md" for package in SITE["PACKAGES"])}
    sections = SITE["nav"](names)
    assert [len(each) for each in sections] == [1] * 8
    for wrong in (names | {"new.md"}, names - {"install.md"}):
        with pytest.raises(SystemExit, match=r"do not have the same pages: (new|install)\.md"):
            SITE["nav"](wrong)


def test_links_lead_to_pages_of_the_site_and_else_to_the_repository_at_the_tag() -> None:
    names = {path: name for name, path in SITE["pages"]().items()}
    text = (
        "[a](../../README.md#to-use-it) [b](../undo.md) [c](../../examples/sdk) [d](../../LICENSE) [e](#here) "
        "[f](https://example.org/x.md)\n"
        '<img src="../images/task-dark.svg">\n'
        "```md\n[g](../undo.md)\n```\n"
    )
    found = SITE["rewritten"]("screen/new.md", text, ROOT / "docs" / "screen", names, "https://host/{kind}/v1")
    assert found == (
        "[a](../index.md#to-use-it) [b](../undo.md) [c](https://host/tree/v1/examples/sdk) "
        "[d](https://host/blob/v1/LICENSE) [e](#here) [f](https://example.org/x.md)\n"
        '<img src="../images/task-dark.svg">\n'
        "```md\n[g](../undo.md)\n```\n"
    )


def test_links_and_pictures_that_lead_nowhere_in_the_built_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<h2 id="here">x</h2><a name="there"></a><a href="#here"></a>')
    (tmp_path / "x.svg").write_text("<svg/>")
    (tmp_path / "index.html").write_text(
        '<a href="a/#here"></a><a href="https://zot.example/a/#there"></a><a href="https://elsewhere.example/b"></a>'
        '<a href="a/#gone"></a><a href="b/"></a><img srcset="x.svg 1x, y.svg 2x"><a href="https://zot.example/c"></a>'
    )
    assert SITE["broken_links"](tmp_path, "https://zot.example/") == [
        "index.html: a/#gone",
        "index.html: b/",
        "index.html: y.svg",
        "index.html: https://zot.example/c",
    ]
