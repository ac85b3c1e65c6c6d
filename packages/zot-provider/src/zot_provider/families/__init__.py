"""Facts about models by family, so that a model that is newer than the catalogue works.

Each module has the families of one vendor, the most special first. The last one, whose id is a star, is for every other
id of the vendor: a model that nobody knows yet has the rules of the newest models.

The figures come from the vendors' documentation of November 2026. What a server says of its own model counts more.
"""

from functools import lru_cache
from importlib import import_module

from zot_provider.families.family import Family
from zot_provider.model import Model

_VENDORS = {
    "claude": ("claude", "claude"),
    **dict.fromkeys(("gpt", "chatgpt", "codex"), ("gpt", "gpt")),
    "o": ("gpt", "o"),
    "gemini": ("gemini", "gemini"),
    "gemma": ("gemini", "gemma"),
    **dict.fromkeys(("codestral", "devstral", "magistral", "ministral", "mistral", "pixtral"), ("others", "mistral")),
    **dict.fromkeys(("k", "kimi", "moonshot"), ("others", "kimi")),
    **dict.fromkeys(("qwen", "qwq"), ("others", "qwen")),
    **{name: ("others", name) for name in ("deepseek", "glm", "grok", "llama", "mimo", "minimax", "muse", "nova")},
}
"""The module with the families of a vendor, and their key in its `FAMILIES`, by the letters with which the vendor's own
ids begin."""


def family(model_id: str) -> Family | None:
    """Return the family of a model id of any provider, None if its vendor is unknown.

    `anthropic/claude-opus-5.5`, `us.anthropic.claude-opus-5-5-v1:0` and `claude-opus-5-5` belong to one family.
    """
    return _family(model_id[:200])


@lru_cache(4096)
def _family(model_id: str) -> Family | None:
    vendor, id = normal_id(model_id)
    if not vendor:
        return None
    module, key = _VENDORS[vendor]
    families: dict[str, tuple[Family, ...]] = import_module(f"{__name__}.{module}").FAMILIES
    return next(each for each in families[key] if each.fits(id))


def describe(model_id: str, provider_id: str, *, limits: bool = True) -> Model:
    """Return a model with what its family says.

    A model of an unknown vendor has unknown limits, and is assumed to think, so that a request may ask for it.
    `limits=False` leaves out the limits, because a server of the user's own has others.
    """
    found = family(model_id)
    if found is None:
        return Model(model_id, provider_id, reasoning=True)
    window, output = (found.context_window, found.max_output) if limits else (0, 0)
    return Model(
        model_id,
        provider_id,
        context_window=window,
        max_output=output,
        reasoning=found.thinking is not None,
        images=found.images or not limits,
    )


def normal_id(model_id: str) -> tuple[str, str]:
    """Return the vendor of a model id, a key of the table of vendors, and the id in its normal form: in small letters,
    with hyphens, and without what precedes the vendor's own name. Both are empty for an unknown vendor."""
    last = model_id.lower().rpartition("/")[2]
    spelled = "".join(character if character.isalnum() else "-" for character in last)
    parts = [part for part in spelled.split("-") if part]
    if "fireworks" in model_id:
        parts = [part for each in parts for part in _points(each)]
    vendor = next((found for part in parts if (found := _vendor(part))), "")
    if not vendor:
        return "", ""
    start = max(index for index, part in enumerate(parts) if _vendor(part) == vendor)
    return vendor, "-".join(parts[start:])


def _vendor(part: str) -> str:
    """Return the vendor of an id with this component (`claude`, `qwen3`, `o3`), or an empty string."""
    name = next((part[:at] for at, character in enumerate(part) if character.isdigit()), part)
    return name if name in _VENDORS and (name not in ("k", "o") or part[1:].isdigit()) else ""


def _points(part: str) -> list[str]:
    """Return a component in which Fireworks writes a point as the letter p (`v3p2`, `4p7`), divided there."""
    head, letter, tail = part.partition("p")
    return [head, tail] if letter and head[-1:].isdigit() and tail.isdigit() else [part]
