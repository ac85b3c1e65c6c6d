"""Numbers that other programs may have written into a session file."""

import pytest

from zot_core.sessions import rows


@pytest.mark.parametrize(
    ("written", "read"), [("2", 2), ("12300", 12_300), ("a", 0), ("-1", 0), ("\u0663", 0), ("9" * 50, 0), ("", 0)]
)
def test_a_number_that_cannot_be_believed_counts_as_unknown(written: str, read: int) -> None:
    prompt = rows.read_message({"role": "user", "content": [], "meta": {"commands": written}})
    assert prompt is not None
    assert prompt.commands == read
    summary = rows.read_message({"role": "user", "meta": {"compaction": "true", "tokens_before": written}})
    assert summary is not None
    assert summary.summarized_tokens == read
