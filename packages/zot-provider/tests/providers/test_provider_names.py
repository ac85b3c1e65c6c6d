"""No provider's name is known outside its own file: what differs between providers is a field of the record."""

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path

import pytest

from zot_provider.providers import PROVIDERS
from zot_provider.wire import WIRES

PACKAGES = Path(__file__).parents[3]
OWN_SOURCE = PACKAGES / "zot-provider" / "src" / "zot_provider"

ALLOWED: dict[tuple[str, str], str] = {
    ("zot-agent/src/zot_agent/cli/__init__.py", "local"): "the subcommand `zot local`",
    ("zot-agent/src/zot_agent/cli/mcp/add.py", "local"): "a scope of `claude mcp add`",
    ("zot-agent/src/zot_agent/mcp/forms.py", "local"): "a kind of MCP server in OpenCode's words",
    ("zot-core/src/zot_core/prompt/model_lines.py", "mistral"): "a vendor, whose models many providers serve",
    ("zot-provider/src/zot_provider/catalog/server_list.py", "openai-responses"): "a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "anthropic"): "a word of models.json for a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "google"): "a word of models.json for a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "openai"): "a word of models.json for a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "openai-responses"): "a word of models.json for a wire",
    **{
        ("zot-provider/src/zot_provider/auth/file.py", id): "a field of auth.json"
        for id in ("anthropic", "deepseek", "github-copilot", "google", "kimi", "openai")
    },
    **{
        ("zot-provider/src/zot_provider/catalog/user.py", word): "a word of models.json for a shape of thinking"
        for word in ("deepseek", "openrouter", "together", "zai")
    },
}
"""(file below `packages/`, id) to the reason why that word is meant there, and is no provider's name."""

OTHER_WORDS = {"meta"}
"""Ids that are also words for other things: the first row of a session, a key of the keyboard."""


def strings(source: str, wanted: Collection[str]) -> list[tuple[int, str]]:
    """The lines of these words, each a whole string. A module without any of them is not parsed."""
    if not any(word in source for word in wanted):
        return []
    return [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and node.value in wanted
    ]


@cache
def own_files(id: str) -> list[Path]:
    """The modules of the folder `providers` that have the id, and not only as the name of a wire."""
    found = []
    for path in (OWN_SOURCE / "providers").glob("*.py"):
        source = path.read_text(encoding="utf-8").replace(f'wire="{id}"', 'wire=""')
        if path.name != "__init__.py" and strings(source, {id}):
            found.append(path)
    return found


def is_home(path: Path, id: str) -> bool:
    if path.parent == OWN_SOURCE / "families":  # what the ids of a vendor's models begin with
        return True
    # A wire and a provider may share a name; below `wire/`, and in the server that speaks all wires, it is the wire's.
    wires = {OWN_SOURCE / "wire", OWN_SOURCE / "testing", OWN_SOURCE / "providers"}
    if path == OWN_SOURCE / "providers" / "__init__.py":  # the table names the modules
        return True
    return path in own_files(id) or (id in WIRES and not wires.isdisjoint(path.parents))


@pytest.mark.parametrize("id", [provider.id for provider in PROVIDERS])
def test_a_provider_stands_in_one_file(id: str) -> None:
    assert len(own_files(id)) == 1


def test_no_provider_is_named_outside_its_own_file() -> None:
    ids = {provider.id for provider in PROVIDERS} - OTHER_WORDS
    sources = sorted(PACKAGES.glob("*/src/**/*.py"))
    assert sources
    found = [
        f"{path.relative_to(PACKAGES).as_posix()}:{line}: {value!r}"
        for path in sources
        for line, value in strings(path.read_text(encoding="utf-8"), ids)
        if not is_home(path, value) and (path.relative_to(PACKAGES).as_posix(), value) not in ALLOWED
    ]
    assert found == [], "add a field to `Provider` or `Quirks` and read that"


def test_every_allowed_name_is_still_used() -> None:
    for file, id in ALLOWED:
        assert strings((PACKAGES / file).read_text(encoding="utf-8"), {id})
