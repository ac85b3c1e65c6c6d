"""The families of Anthropic's models.

Sources: Claude API documentation, "Models overview", "Adaptive thinking", "Effort" and "Extended thinking", and the
migration guide of API version 2026-10-21.
"""

from zot_provider.families.family import Family
from zot_provider.model import Off, Thinking

_WORDS = ("low", "medium", "high", "xhigh", "max")


def _budget(max_output: int, *ids: str) -> Family:
    """Return a family of models that think with a budget of tokens."""
    return Family(ids, Thinking("budget"), 200_000, max_output, images=True, sampling="unthinking")


def _adaptive(off: Off, *ids: str) -> Family:
    """Return a family of models that decide themselves how long they think, and refuse a temperature.

    Models that refuse both "enabled" and "disabled" have their lowest effort for "off".
    """
    thinking = Thinking("adaptive", _WORDS, off)
    return Family(ids, thinking, 1_000_000, 128_000, images=True, sampling="never")


FAMILIES = {
    "claude": (
        _budget(64_000, "claude-3-7"),
        Family(("claude-3*",), None, 200_000, 8192, images=True),
        Family(("claude-2*", "claude-instant*", "claude-v*"), None, 100_000, 4096),
        _budget(32_000, "claude-opus-4", "claude-opus-4-0", "claude-opus-4-1", "claude-4-opus"),
        _budget(64_000, "claude-sonnet-4", "claude-sonnet-4-0", "claude-4-sonnet"),
        _budget(64_000, "claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"),
        _adaptive("omitted", "claude-opus-4-6", "claude-sonnet-4-6").replace(
            thinking=Thinking("adaptive", ("low", "medium", "high", "max")), sampling="unthinking"
        ),
        _adaptive("omitted", "claude-opus-4-7", "claude-opus-4-8"),
        # Thinking is on unless the request switches it off.
        _adaptive("disabled", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5-5"),
        _adaptive("between_tools", "claude-sonnet-5-5"),
        _adaptive("lowest", "*"),
    )
}
