"""What `uv.lock` installs."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LOCK = tomllib.loads((Path(__file__).parents[2] / "uv.lock").read_text("utf-8"))
PACKAGES: dict[str, dict[str, Any]] = {package["name"]: package for package in LOCK["package"]}


def parts(needed: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    """The packages that are needed, and each with each of its extras that are."""
    return [(each["name"], extra) for each in needed for extra in ("", *each.get("extra", ()))]


def installed(group: str) -> set[str]:
    """The packages of an environment with all five distributions, without extras, and a dependency group."""
    root = PACKAGES["zot-workspace"]
    wanted, found = parts([*root["dependencies"], *root["dev-dependencies"][group]]), set()
    while wanted:
        name, extra = wanted.pop()
        if (name, extra) not in found:
            found.add((name, extra))
            package = PACKAGES[name]
            wanted += parts(package["optional-dependencies"][extra] if extra else package.get("dependencies", ()))
    return {name for name, _ in found}


def test_one_httpx_is_installed_and_none_of_the_vendors_sdks() -> None:
    everyday = installed("dev")
    assert {name for name in everyday if name.startswith("httpx")} == {"httpx"}
    assert not everyday & {"anthropic", "google-genai", "openai"}
    assert installed("sdk") >= {"httpx2", "anthropic", "google-genai", "openai"}
