"""The families of Google's models.

Source: Gemini API documentation, "Gemini models" and "Thinking". A request may have a level or a budget, not both.
"""

from zot_provider.families.family import Family
from zot_provider.model import Off, Thinking

_WINDOW = 1_048_576

_THREE = Thinking("level", ("low", "medium", "high"), "lowest")
_FOUR = Thinking("level", ("minimal", "low", "medium", "high"), "lowest")


def _budget(off: Off, least: int, most: int) -> Thinking:
    return Thinking("budget", (), off, least=least, most=most)


FAMILIES = {
    "gemini": (
        Family(("gemini-1*", "gemini-2-0"), None, _WINDOW, 8192, images=True),
        Family(("gemini-2-5-flash-lite",), _budget("disabled", 512, 24_576), _WINDOW, 65_536, images=True),
        Family(("gemini-2-5-flash",), _budget("disabled", 1, 24_576), _WINDOW, 65_536, images=True),
        Family(("gemini-2-5",), _budget("lowest", 128, 32_768), _WINDOW, 65_536, images=True),
        Family(("gemini-3-pro",), _THREE, _WINDOW, 65_536, images=True),
        Family(("gemini-3-5-flash-lite", "gemini-3-6"), _FOUR, _WINDOW, 65_536, images=True, sampling="never"),
        Family(("gemini-3", "gemini-3-1-flash-lite", "gemini-3-5"), _FOUR, _WINDOW, 65_536, images=True),
        Family(("gemini-3-1",), _THREE, _WINDOW, 65_536, images=True),
        Family(("*",), _THREE, _WINDOW, 65_536, images=True, sampling="never"),
    ),
    "gemma": (
        Family(("gemma-2*", "gemma-3*", "gemma2*", "gemma3*"), None, images=True),
        Family(("*",), Thinking("level", ("minimal", "high"), "lowest"), 262_144, 32_768, images=True),
    ),
}
