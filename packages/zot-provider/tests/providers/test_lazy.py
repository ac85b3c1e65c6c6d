"""The table of providers is read as far as it is needed."""

import itertools
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.providers import LazySequence

COUNT = """
import sys
from zot_provider.registry import ModelRegistry
registry = ModelRegistry(environ={"OPENAI_API_KEY": "k"})
assert registry.default("openai").id and registry.has("openai") and registry.ready("openai")
print("zot_provider.providers.gateways" in sys.modules)
print(not registry.has("nobody"), "zot_provider.providers.gateways" in sys.modules)
"""


@given(st.lists(st.integers(), max_size=8), st.lists(st.integers(-10, 10)))
def test_the_items_are_those_of_a_list(items: list[int], indices: list[int]) -> None:
    lazy = LazySequence(iter(items))
    for index in indices:
        assert lazy[index : index + 3] == items[index : index + 3]
        if -len(items) <= index < len(items):
            assert lazy[index] == items[index]
        else:
            with pytest.raises(IndexError):
                lazy[index]
    assert list(lazy) == items == [*lazy]
    assert len(lazy) == len(items)
    assert all(item in lazy for item in items)


def test_only_the_items_that_are_asked_for_are_read() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for item in itertools.count():
            read.append(item)
            yield item

    lazy = LazySequence(items())
    one, other = iter(lazy), iter(lazy)
    assert [next(one), next(one), next(other), lazy[2], next(one)] == [0, 1, 0, 2, 2]
    assert 4 in lazy
    assert read == [0, 1, 2, 3, 4]


def test_the_records_behind_a_provider_in_use_are_not_imported() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]
