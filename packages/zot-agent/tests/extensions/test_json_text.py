"""The two writers of JSON text, of which neither package may import the other, write the same."""

from hypothesis import given
from hypothesis import strategies as st

from zot_ext.protocol import raw
from zot_provider import json_text

TEXTS = st.text(st.characters() | st.sampled_from('\u2028\u2029\x85\x7f"\\\n\ud83d\ude00'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_extensions_and_providers_get_the_same_text_of_a_value(value: object) -> None:
    text = json_text.dump(value)
    assert raw.dump(value) == text
    assert raw.line_bytes(text) == raw.dumped_bytes(text) == json_text.line_text(text).encode()
    assert json_text.read_strict(text) == value
