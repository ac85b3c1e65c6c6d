"""Makes the site of docs/ in build/site: the pages as they are, in sections, with the Python interfaces and a search.

    uv run scripts/make_site.py [--tag v0.1.0]

The pages are written for GitHub. In a copy, README.md becomes the first page, and links to what is not a page lead to
the repository at the tag. Every page has its place in `SECTIONS`. The built site is then read as a browser would: each
link and each picture in it leads somewhere.
"""

import argparse
import html.parser
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TARGET = ROOT / "build" / "site"
LIMIT = 600
"""Seconds for the build."""

GENERATED = "events extension-events flags frames host-calls rpc screen settings themes tools"
SECTIONS = {
    "Start": "index install first-hour sign-in providers settings troubleshooting comparison",
    "Use": "screen prompts tools sessions undo context themes",
    "Safety": "safety permissions sandbox hooks",
    "Many agents": "agents swarm runs fleet",
    "Connect": "editors acp serve rpc mcp sdk",
    "Extend": (
        "skills extensions extension-calls extension-editor extension-events extension-panels extension-providers "
        "extension-resources extension-tool-ops extension-tools pi"
    ),
    "Reference": " ".join(f"generated/{name}" for name in GENERATED.split()),
    "Develop": "architecture adding eval releasing changelog",
}
"""The pages by section, without `.md`; the pages of the screen and of the packages are found."""
PACKAGES = {
    "zot_core": "the agent: loop, tools, sessions",
    "zot_provider": "one client for all models",
    "zot_ext": "extensions",
    "zot_tui": "parts of chat screens",
    "zot_agent.client": "clients of zot rpc and zot serve",
}
"""Packages whose public names have a page of their own."""
FEATURES = [
    *("content.code.copy", "navigation.footer", "navigation.indexes", "navigation.sections", "navigation.tabs"),
    *("navigation.top", "search.highlight", "toc.follow"),
]
LATEST = "latest/"
"""Where the newest version is, below the address of the site; each version calls the page there the canonical one."""
OUTDATED = """{% extends "base.html" %}
{% block outdated %}
This page belongs to an older version.
<a href="{{ page.canonical_url or config.site_url }}">Read the page of the newest version.</a>
{% endblock %}
"""
"""What the theme shows above each page of a version that is not the newest."""
OVERRIDES = {
    "main.html": OUTDATED,
    # The theme's own asks for `new URL("..")`, which throws on every page; a script that comes later shows the banner.
    "partials/javascripts/outdated.html": "",
}
"""Templates in place of the theme's."""
EXTENSIONS = [
    *("admonition", "attr_list", "md_in_html", "tables", "toc", "pymdownx.highlight", "pymdownx.inlinehilite"),
    "pymdownx.superfences",
]


def repository() -> tuple[str, str]:
    """The address of the repository, and of the site."""
    urls = tomllib.loads((ROOT / "packages/zot-agent/pyproject.toml").read_text("utf-8"))["project"]["urls"]
    return urls["Homepage"], urls["Documentation"]


def pages() -> dict[str, Path]:
    """The source of each page, by its name in the site."""
    found = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}
    return {"index.md": ROOT / "README.md", "changelog.md": ROOT / "CHANGELOG.md", **found}


def _unescaped(row: "re.Match[str]") -> str:
    """A row of a table without the backslash before a bar in code, which GitHub needs and the builder shows."""
    return re.sub(r"`[^`]+`", lambda code: code[0].replace(r"\|", "|"), row[0])


def rewritten(name: str, text: str, folder: Path, names: dict[Path, str], home: str) -> str:
    """The text of a page whose source is in `folder`, as the builder reads it, with links to pages, and else to the
    repository at `home`."""

    def follow(found: "re.Match[str]") -> str:
        before, link, after = found[1], found[2], found[3]
        target, hash, anchor = link.partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        there = (folder / target).resolve()
        if there in names or there.is_relative_to(DOCS / "images"):
            inside = names.get(there) or str(there.relative_to(DOCS))
            return before + os.path.relpath(inside, Path(name).parent) + hash + anchor + after
        kind = "tree" if there.is_dir() else "blob"
        return f"{before}{home.format(kind=kind)}/{there.relative_to(ROOT)}{hash}{anchor}{after}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for at in range(0, len(parts), 2):  # the others are code
        parts[at] = re.sub(r"^\|.*$", _unescaped, parts[at], flags=re.M)
        parts[at] = re.sub(r"(\]\()([^)\s]+)(\))", follow, parts[at])
        parts[at] = re.sub(r'((?:src|srcset|href)=")([^"]+)(")', follow, parts[at])
    return "".join(parts)


def interface(package: str) -> str:
    """The page of a package: one heading for each public name."""
    module = importlib.import_module(package)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "").startswith(package)]
    names = "\n\n".join(f"::: {package}.{name}" for name in vars(module).get("__all__", own))
    return f"# {package}\n\n{PACKAGES[package][0].upper()}{PACKAGES[package][1:]}.\n\n{names}\n"


def nav(names: set[str]) -> list[dict[str, list[object]]]:
    """The sections. Raises `SystemExit` for a page without a place, or a place without a page."""
    found: dict[str, list[object]] = {
        title: [f"{each}.md" for each in text.split()] for title, text in SECTIONS.items()
    }
    found["Reference"].append({"Python": [f"api/{package}.md" for package in PACKAGES]})
    found["Use"].append({"The screen in pictures": sorted(name for name in names if name.startswith("screen/"))})
    placed = [page for pages in found.values() for page in pages if isinstance(page, str)]
    placed += [name for name in names if name.startswith(("screen/", "api/"))]
    if wrong := {*placed} ^ names:
        sys.exit(f"make_site.py: SECTIONS and docs/ do not have the same pages: {', '.join(sorted(wrong))}")
    return [{title: pages} for title, pages in found.items()]


def write(tag: str) -> None:
    """Write the copy of the pages, and what the builder reads."""
    address, url = repository()
    home = f"{address}/{{kind}}/{tag or 'main'}"
    sources = pages()
    names = {path: name for name, path in sources.items()}
    shutil.rmtree(TARGET, ignore_errors=True)
    texts = {
        name: rewritten(name, source.read_text("utf-8"), source.parent, names, home) for name, source in sources.items()
    }
    texts |= {f"api/{package}.md": interface(package) for package in PACKAGES}
    for name, text in texts.items():
        path = TARGET / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(DOCS / "images", TARGET / "docs" / "images")
    shutil.copytree(ROOT / "scripts" / "site_assets", TARGET / "docs" / "assets")
    for name, text in OVERRIDES.items():
        path = TARGET / "overrides" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    sections = nav({*texts})
    options: dict[str, object] = {
        "heading_level": 2,
        "show_source": False,
        "show_root_heading": True,
        "show_root_full_path": False,
    }
    options["preload_modules"] = sorted({package.partition(".")[0] for package in PACKAGES})
    config = {
        "site_name": "zot",
        "site_url": url + LATEST,
        "site_description": "A coding agent for the terminal, in Python",
        "repo_url": address,
        "docs_dir": "docs",
        "site_dir": "html",
        "nav": sections,
        "theme": {
            "custom_dir": "overrides",
            "features": FEATURES,
            "font": False,
            # Without the first one, which follows the system, a browser keeps the scheme of the first visit.
            "palette": [
                {"media": "(prefers-color-scheme)", "toggle": _button("sun-moon", "light")},
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "toggle": _button("sun", "dark")},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "toggle": _button("moon", "system")},
            ],
        },
        "markdown_extensions": EXTENSIONS,
        "extra": {"version": {"provider": "mike"}},  # each page has a list of what ../versions.json names
        "extra_css": ["assets/zot.css"],
        "extra_javascript": ["assets/zot.js"],
        "plugins": [
            "search",
            {"mkdocstrings": {"handlers": {"python": {"options": options, "paths": source_folders()}}}},
        ],
    }
    (TARGET / "mkdocs.yml").write_text(json.dumps(config, indent=1), "utf-8")  # which is YAML too


def _button(icon: str, following: str) -> dict[str, str]:
    return {"icon": f"lucide/{icon}", "name": f"Switch to the {following} scheme"}


def source_folders() -> list[str]:
    return [str(path) for path in sorted((ROOT / "packages").glob("*/src"))]


def listing(url: str) -> str:
    """`llms.txt`: the pages by section, with their titles (https://llmstxt.org)."""
    text = "# zot\n\n> A coding agent for the terminal, in Python. Each page below is Markdown.\n"
    for title, names in SECTIONS.items():
        text += f"\n## {title}\n\n"
        for name in names.split():
            heading = re.search(r"^# (.+)$", (TARGET / "docs" / f"{name}.md").read_text("utf-8"), re.M)
            text += f"- [{heading[1] if heading else name}]({url}{name}.md)\n"
    return text


class _Page(html.parser.HTMLParser):
    """The links and pictures of a page, and the places in it that links can name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)
            elif value and name == "srcset":
                self.links += [each.split()[0] for each in value.split(",")]


def broken_links(folder: Path, url: str) -> list[str]:
    """The links of the built site that lead nowhere in it."""
    found = {path: _Page(path) for path in folder.rglob("*.html")}
    broken = []
    for path, page in found.items():
        for link in page.links:
            base = folder if link.startswith(url) else path.parent
            parts = urllib.parse.urlsplit(link.removeprefix(url))
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            there = (base / urllib.parse.unquote(parts.path)).resolve() if parts.path or base is folder else path
            there = there / "index.html" if there.is_dir() else there
            anchor = urllib.parse.unquote(parts.fragment)
            if not there.exists() or (anchor and there in found and anchor not in found[there].places):
                broken.append(f"{path.relative_to(folder)}: {link}")
    return broken


def main() -> None:
    """Build the site; ends with exit code 1 and what is wrong."""
    parser = argparse.ArgumentParser(prog="make_site", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tag", default="", help="the tag whose files links lead to (default: the branch main)")
    tag = parser.parse_args().tag
    write(tag)
    url = repository()[1]
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=TARGET, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    site = TARGET / "html"
    for name in pages():
        shutil.copy(TARGET / "docs" / name, site / name)
    own = f"{tag.removeprefix('v')}/" if tag else LATEST
    (site / "llms.txt").write_text(listing(url + own), "utf-8")
    shutil.copy(ROOT / "packaging" / "install.sh", site)
    if broken := broken_links(site, url + LATEST):
        sys.exit("links that lead nowhere:\n" + "\n".join(broken))
    print(f"{site}: {len(list(site.rglob('*.html')))} pages, without a warning or a broken link")


if __name__ == "__main__":
    main()
