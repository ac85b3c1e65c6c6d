"""No provider's name is known outside its own file: what differs between providers is a field of the record."""

import ast
from pathlib import Path

import pytest

from zot_provider.providers import PROVIDERS
from zot_provider.wire import WIRES

PACKAGES = Path(__file__).parents[3]
OWN_SOURCE = PACKAGES / "zot-provider" / "src" / "zot_provider"

ALLOWED: dict[tuple[str, str], str] = {
    ("zot-agent/src/zot_agent/cli/__init__.py", "local"): "the subcommand `zot local`",
    ("zot-provider/src/zot_provider/catalog/user.py", "anthropic"): "a word of models.json for a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "openai"): "a word of models.json for a wire",
    ("zot-provider/src/zot_provider/catalog/user.py", "openai-responses"): "a word of models.json for a wire",
    **{
        ("zot-provider/src/zot_provider/auth/file.py", id): "a field of auth.json"
        for id in ("anthropic", "deepseek", "github-copilot", "google", "kimi", "openai")
    },
}
"""(file below `packages/`, id) to the reason why that word is meant there, and is no provider's name."""


def strings(source: str) -> list[tuple[int, str]]:
    return [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def own_file(id: str) -> Path:
    return OWN_SOURCE / "providers" / f"{id.replace('-', '_')}.py"


def is_home(path: Path, id: str) -> bool:
    # A wire and a provider may share a name; below `wire/`, and in the server that speaks all wires, it is the wire's.
    wires = {OWN_SOURCE / "wire", OWN_SOURCE / "testing"}
    if path == OWN_SOURCE / "providers" / "__init__.py":  # the table names the modules
        return True
    return path == own_file(id) or (id in WIRES and not wires.isdisjoint(path.parents))


@pytest.mark.parametrize("id", [provider.id for provider in PROVIDERS])
def test_a_provider_stands_in_a_file_of_its_name(id: str) -> None:
    assert id in [value for _, value in strings(own_file(id).read_text(encoding="utf-8"))]


def test_no_provider_is_named_outside_its_own_file() -> None:
    ids = {provider.id for provider in PROVIDERS}
    sources = sorted(PACKAGES.glob("*/src/**/*.py"))
    assert sources
    found = [
        f"{path.relative_to(PACKAGES).as_posix()}:{line}: {value!r}"
        for path in sources
        for line, value in strings(path.read_text(encoding="utf-8"))
        if value in ids and not is_home(path, value) and (path.relative_to(PACKAGES).as_posix(), value) not in ALLOWED
    ]
    assert found == [], "add a field to `Provider` or `Quirks` and read that"


def test_every_allowed_name_is_still_used() -> None:
    for file, id in ALLOWED:
        assert id in [value for _, value in strings((PACKAGES / file).read_text(encoding="utf-8"))]
