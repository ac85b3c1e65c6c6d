"""What `make site` does before and after the builder, which only the verb itself runs."""

import ast
import importlib.util
import re
import runpy
from itertools import pairwise
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


def text_below(name: str, module: str) -> str:
    """The docstring of a public name, from where it is written."""
    (spec,) = filter(None, [importlib.util.find_spec(module)])
    source = Path(spec.origin or "")
    stub = source.with_suffix(".pyi")  # has the names that the module loads when they are used
    nodes = ast.parse((stub if stub.exists() else source).read_text("utf-8")).body
    for node, following in pairwise([*nodes, ast.Pass()]):
        match node:
            case ast.ImportFrom(module=str(home), names=names) if name in [each.asname or each.name for each in names]:
                return text_below(name, home)
            case ast.ClassDef(name=found) | ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found):
                if found == name and (text := ast.get_docstring(node)):  # overloads come before it
                    return text
            case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
                if found == name:
                    return ast.unparse(following) if isinstance(following, ast.Expr) else ""
    return ""


@pytest.mark.parametrize("package", SITE["PACKAGES"])
def test_every_heading_of_an_interface_has_a_text(package: str) -> None:
    names = re.findall(r"^::: (\S+)\.(\w+)$", SITE["interface"](package), re.MULTILINE)
    assert len(names) > 5
    assert [name for module, name in names if not text_below(name, module)] == []


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


def test_a_command_in_a_table_has_its_bar_without_the_backslash_that_github_needs() -> None:
    text = "| run | `curl x \\| sh` \\| `a\\|b` |\n`grep 'a\\|b'`\n```text\n| `a \\| b` |\n```\n"
    found = SITE["rewritten"]("new.md", text, ROOT / "docs", {}, "https://host/{kind}/v1")
    assert found == "| run | `curl x | sh` \\| `a|b` |\n`grep 'a\\|b'`\n```text\n| `a \\| b` |\n```\n"


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
