"""Reminders in the system prompt for models of some vendors.

The newest models need little, and an instruction that is not needed does harm (OpenAI, "GPT-5.5 prompting guide"). So a
line belongs here only if models of the vendor make a mistake again and again that it prevents.
"""

from collections.abc import Container

from zot_provider.families import normal_id
from zot_provider.record import Record


class ModelLine(Record):
    """A line for models of some vendors (keys of `zot_provider.families`), where the agent has the tool `tool`."""

    vendors: tuple[str, ...]
    tool: str
    text: str


MODEL_LINES = (
    # Small models write calls as JSON into the answer, as issues of llama.cpp, Ollama and vLLM show.
    ModelLine(
        ("gemma", "llama", "ministral", "mistral", "qwen"),
        "bash",
        "Call tools only through the interface for calls: a call that is written as text does nothing.",
    ),
)


def model_line(model_id: str, tools: Container[str]) -> str:
    """Return the line for a model and an agent with these tools; empty for most."""
    vendor, _ = normal_id(model_id[:200])
    return next((each.text for each in MODEL_LINES if vendor in each.vendors and each.tool in tools), "")
