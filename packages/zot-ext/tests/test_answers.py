"""The types of the answers of calls, from which the documentation is made."""

from typing import get_type_hints, is_typeddict

import pytest

from zot_ext.protocol import answers

TYPES = {name: each for name, each in vars(answers).items() if is_typeddict(each)}


@pytest.mark.parametrize("name", TYPES)
def test_an_answer_has_a_docstring_and_types_that_exist(name: str) -> None:
    fields = get_type_hints(TYPES[name])
    assert fields
    assert (TYPES[name].__doc__ or "").strip().endswith(".")
