import subprocess
import sys

import pytest

import zot_provider


def loaded_by(statement: str) -> set[str]:
    """The modules a fresh interpreter loads for `statement`."""
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    return set(
        subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )


def test_importing_the_package_loads_nothing_else() -> None:
    assert loaded_by("import zot_provider") <= {"zot_provider"}


def test_the_records_are_there_without_a_transport() -> None:
    loaded = loaded_by("from zot_provider import Message, Request, TextBlock, Usage")
    assert loaded.isdisjoint({"asyncio", "httpx", "zot_provider.client.http"})


@pytest.mark.parametrize("name", zot_provider.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(zot_provider, name) is not None
    assert name in dir(zot_provider)


def test_the_list_of_names_is_sorted_and_has_no_doubles() -> None:
    assert zot_provider.__all__ == sorted(set(zot_provider.__all__))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'zot_provider' has no attribute 'HtppClient'"):
        zot_provider.HtppClient  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_is_the_one_of_its_module() -> None:
    from zot_provider.client.http import HttpClient
    from zot_provider.selection import select

    assert zot_provider.HttpClient is HttpClient
    assert zot_provider.select is select
