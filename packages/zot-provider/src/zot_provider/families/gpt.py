"""The families of OpenAI's models.

Sources: OpenAI API documentation, "Models" and "Reasoning models", and the values that the API names when it refuses an
effort. A request with more than 272,000 tokens costs twice as much, so that this is the window of the newer models.
"""

from zot_provider.families.family import Family
from zot_provider.model import Thinking

_HIGHEST = ("low", "medium", "high", "xhigh", "max")


def _gpt(*ids: str, words: tuple[str, ...]) -> Family:
    """Return a family of models with these efforts; with "none" among them, thinking can be off."""
    off = "none" in words
    thinking = Thinking("effort", words, "none" if off else "lowest")
    return Family(ids, thinking, 272_000, 128_000, images=True, sampling="unthinking" if off else "never")


FAMILIES = {
    "gpt": (
        Family(("gpt-oss",), Thinking("effort", ("low", "medium", "high"), "lowest"), 131_072, 32_768),
        Family(("gpt-3*",), None, 16_385, 4096),
        Family(("gpt-4-1",), None, 1_047_576, 32_768, images=True),
        Family(("gpt-4o*", "chatgpt-4o*", "gpt-4-turbo", "gpt-4-5"), None, 128_000, 16_384, images=True),
        Family(("gpt-4*",), None, 8192, 8192),
        Family(("gpt-5-chat", "gpt-5-1-chat", "gpt-5-2-chat", "gpt-5-3-chat"), None, 128_000, 16_384, images=True),
        _gpt("gpt-5-pro", words=("high",)),
        _gpt("gpt-5-codex", "gpt-5-1-codex-mini", words=("low", "medium", "high")),
        _gpt("gpt-5-1-codex-max", "gpt-5-2-codex", words=("low", "medium", "high", "xhigh")),
        _gpt("gpt-5-1-codex", words=("low", "medium", "high")),
        _gpt("gpt-5", words=("minimal", "low", "medium", "high")),
        _gpt("gpt-5-1", words=("none", "low", "medium", "high")),
        _gpt("gpt-5-2-pro", "gpt-5-4-pro", "gpt-5-5-pro", words=("medium", "high", "xhigh")),
        _gpt("gpt-5-2", "gpt-5-3", "gpt-5-4", "gpt-5-5", words=("none", "low", "medium", "high", "xhigh")),
        _gpt("gpt-5-6", "gpt-6-luna", "gpt-6-sol", "gpt-6-1-terra", words=("none", *_HIGHEST)),
        # The newest models have no "none".
        _gpt("*", words=_HIGHEST),
    ),
    "o": (Family(("*",), Thinking("effort", ("low", "medium", "high"), "lowest"), 200_000, 100_000, True, "never"),),
}
