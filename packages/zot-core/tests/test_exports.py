import subprocess
import sys

import pytest

import zot_core


def loaded_by(statement: str) -> set[str]:
    """The modules a fresh interpreter loads for `statement`."""
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    return set(
        subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )


def test_importing_the_package_loads_nothing_else() -> None:
    assert loaded_by("import zot_core") <= {"zot_core"}


def test_a_runtime_is_there_without_pydantic_and_before_the_first_prompt_without_much_else() -> None:
    loaded = loaded_by("from zot_core import Runtime, tool")
    assert loaded.isdisjoint({"pydantic", "yaml", "rich", "click"})


@pytest.mark.parametrize("name", zot_core.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(zot_core, name) is not None
    assert name in dir(zot_core)


def test_the_list_of_names_is_sorted_and_has_no_doubles() -> None:
    assert zot_core.__all__ == sorted(set(zot_core.__all__))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'zot_core' has no attribute 'Runtyme'"):
        zot_core.Runtyme  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_is_the_one_of_its_module() -> None:
    from zot_core.hooks import Hooks
    from zot_core.runtime.runtime import Runtime

    assert zot_core.Runtime is Runtime
    assert zot_core.Hooks is Hooks
