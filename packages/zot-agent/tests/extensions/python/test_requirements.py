from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.extensions.python.environment import RequirementError, requirements
from zot_ext.manifest import Manifest

BLOCK = '# /// script\n# requires-python = ">=3.11"\n# dependencies = ["tiny>=1", "other"]\n# ///\n'


def of_program(folder: Path, text: str, **fields: str) -> tuple[str, ...]:
    (folder / "main.py").write_text(text)
    return requirements(Manifest("x", **{"exec": "./main.py", **fields}), str(folder))  # type: ignore[arg-type]


def test_the_manifest_names_packages(tmp_path: Path) -> None:
    assert requirements(Manifest("x", exec="./x", dependencies=("mcp>=2,<3",)), str(tmp_path)) == ("mcp>=2,<3",)
    assert requirements(Manifest("x", exec="./x"), str(tmp_path)) == ()


def test_a_program_names_packages_in_a_block(tmp_path: Path) -> None:
    assert of_program(tmp_path, f"#!/usr/bin/env python3\n{BLOCK}import tiny\n") == ("tiny>=1", "other")
    named = Manifest("x", exec="python3", args=("main.py",))
    assert requirements(named, str(tmp_path)) == ("tiny>=1", "other")
    named = Manifest("x", exec="python3", args=("main.py",), dependencies=("own",))
    assert requirements(named, str(tmp_path)) == ("own",)


def test_a_program_that_uv_starts_gets_its_packages_from_uv(tmp_path: Path) -> None:
    assert of_program(tmp_path, f"#!/usr/bin/env -S uv run --script\n{BLOCK}") == ()
    assert requirements(Manifest("x", exec="uv", args=("run", "main.py")), str(tmp_path)) == ()


@pytest.mark.parametrize(
    "text",
    ["", "# /// script\n# dependencies = ['x']\nimport x\n", "# /// other\n# dependencies = ['x']\n# ///\n", "\xff"],
)
def test_a_program_without_a_whole_block_needs_nothing(tmp_path: Path, text: str) -> None:
    assert of_program(tmp_path, text) == ()


def test_a_missing_program_needs_nothing(tmp_path: Path) -> None:
    assert requirements(Manifest("x", exec="./main.py"), str(tmp_path)) == ()


def test_a_broken_block_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RequirementError, match="is not TOML"):
        of_program(tmp_path, "# /// script\n# dependencies = [\n# ///\n")
    with pytest.raises(RequirementError, match="is not a list of texts"):
        of_program(tmp_path, "# /// script\n# dependencies = [1]\n# ///\n")


@pytest.mark.parametrize("text", ["-r file", "--index-url=http://x", "", "./here", "a\nb"])
def test_an_option_of_the_installer_is_no_requirement(tmp_path: Path, text: str) -> None:
    with pytest.raises(RequirementError, match="is not a requirement"):
        requirements(Manifest("x", exec="./x", dependencies=(text,)), str(tmp_path))


@given(st.lists(st.sampled_from(["# /// script", "# ///", "#", "# dependencies = ['x']", "x = 1", "# [tool]"])))
def test_any_lines_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    try:
        found = of_program(tmp_path_factory.getbasetemp(), "\n".join(lines))
    except RequirementError:
        return
    assert found in ((), ("x",))
