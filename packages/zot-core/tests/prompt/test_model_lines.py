"""Some models are reminded of something in the system prompt."""

import pytest

from zot_core.prompt.model_lines import model_line


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-5.1-codex", ""),
        ("meta-llama/Llama-3.3-70B-Instruct", "written as text"),
        ("qwen3:8b", "written as text"),
        ("claude-opus-5-5", ""),
        ("gemini-3-pro", ""),
        ("a-model-that-nobody-knows", ""),
    ],
)
def test_a_model_gets_the_line_of_its_vendor(model: str, words: str) -> None:
    line = model_line(model, ["bash", "edit"])
    assert (words in line) if words else not line


def test_a_line_about_a_tool_needs_the_tool() -> None:
    assert model_line("qwen3:8b", ["lookup"]) == ""
