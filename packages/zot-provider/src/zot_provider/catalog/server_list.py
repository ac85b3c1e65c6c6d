"""Lists of models as servers give them, in the dialect of each kind of server.

Sources: the API references of Anthropic, Google, OpenRouter, GitHub Copilot and Moonshot ("List models"), and the
documentation of vLLM, LM Studio, llama.cpp's server and Ollama. A server says of its models what it likes: every value
is checked, and a value of another shape is ignored.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from zot_provider.catalog import find_model, unlisted_model
from zot_provider.json_text import without_surrogates
from zot_provider.model import Model, Off, Price, PriceTier, Thinking
from zot_provider.providers.spec import Provider
from zot_provider.wire.reasoning import thinking

MOST_MODELS = 2000
"""Models of one list that are read."""

_LONGEST_ID = 200

Facts: TypeAlias = dict[str, Any]
"""Fields of `Model`, or None for a model that calls no tools or writes no text."""

_WORDS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def parse_list(value: Any, provider: Provider) -> list[Model]:
    """Return the models of a list that an agent can use. What the list does not say comes from the catalogue, else from
    the family. Raises ValueError if the value is not a list of models."""
    models = []
    for entry in _entries(value):
        id = _id(entry)
        facts = read_facts(entry) if id else None
        if facts is not None:
            models.append(described(id, provider, facts))
    return models


def list_owner(value: Any) -> str:
    """Return the owner of the models of a list, by which servers on this machine can be known; empty if unknown."""
    owners = {entry.get("owned_by") for entry in _entries(value) if isinstance(entry.get("owned_by", ""), str)}
    return str(owners.pop()) if len(owners) == 1 else ""


def described(id: str, provider: Provider, facts: Facts) -> Model:
    """Return a model with these facts; the others come from the catalogue, else from the family."""
    known = find_model(provider, id) or unlisted_model(id, provider)
    way = facts.pop("way", {})
    model = known.replace(**facts)
    if way and model.reasoning:
        model = model.replace(thinking=(thinking(model) or Thinking()).replace(**way))
    return model


def read_facts(entry: Mapping[str, Any]) -> Facts | None:
    """Return what an entry of a list says of its model; None for a model that an agent cannot use."""
    for marker, dialect in _DIALECTS:
        if marker in entry:
            facts = dialect(entry)
            return None if facts is None else {name: value for name, value in facts.items() if value is not None}
    return {}


def _entries(value: Any) -> Iterator[Mapping[str, Any]]:
    listed = value
    if isinstance(value, dict):
        listed = value.get("data", value.get("models"))
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise ValueError("not a list of models")
    yield from listed[:MOST_MODELS]


def _id(entry: Mapping[str, Any]) -> str:
    found = next((entry[key] for key in ("id", "slug", "name", "model") if isinstance(entry.get(key), str)), "")
    id = without_surrogates(found.removeprefix("models/"))
    return id if len(id) <= _LONGEST_ID else ""


# The dialects.


def _anthropic(entry: Mapping[str, Any]) -> Facts:
    able = _object(entry, "capabilities")
    efforts = tuple(word for word in _WORDS if _supported(_object(able, "effort"), word))
    types = _object(_object(able, "thinking"), "types")
    adaptive, budget = _supported(types, "adaptive"), _supported(types, "enabled")
    off: Off = "lowest"
    if _supported(types, "disabled"):
        off = "disabled"
    elif _supported(types, "between_tools"):
        off = "between_tools"
    how = Thinking("adaptive", efforts, off) if adaptive else Thinking("budget") if budget else None
    return {
        "name": _text(entry, "display_name"),
        "context_window": _tokens(entry, "max_input_tokens"),
        "max_output": _tokens(entry, "max_tokens"),
        "images": _supported(able, "image_input") if "image_input" in able else None,
        "reasoning": (adaptive or budget) if types else None,
        "thinking": how if types and (efforts or budget) else None,
    }


def _openrouter(entry: Mapping[str, Any]) -> Facts | None:
    parameters, kinds = entry.get("supported_parameters"), _object(entry, "architecture")
    if isinstance(parameters, list) and "tools" not in parameters:
        return None
    if "text" not in _list(kinds, "output_modalities", "text"):
        return None
    best = _object(entry, "top_provider")
    return {
        "name": _text(entry, "name"),
        "context_window": _tokens(best, "context_length") or _tokens(entry, "context_length"),
        "max_output": _tokens(best, "max_completion_tokens"),
        "reasoning": "reasoning" in parameters if isinstance(parameters, list) else None,
        "images": "image" in _list(kinds, "input_modalities") if kinds else None,
        "price": _price_per_token(_object(entry, "pricing")),
    }


def _copilot(entry: Mapping[str, Any]) -> Facts | None:
    able = _object(entry, "capabilities")
    limits, can = _object(able, "limits"), _object(able, "supports")
    if can.get("tool_calls") is False or _object(entry, "policy").get("state") == "disabled":
        return None
    efforts = tuple(word for word in _WORDS if word in _list(can, "reasoning_effort"))
    endpoints = _list(entry, "supported_endpoints")
    wires = (("/v1/messages", "anthropic-messages"), ("/responses", "openai-responses"))
    return {
        "name": _text(entry, "name"),
        "context_window": _tokens(limits, "max_prompt_tokens") or _tokens(limits, "max_context_window_tokens"),
        "max_output": _tokens(limits, "max_output_tokens"),
        "images": can.get("vision") is True if "vision" in can else None,
        "reasoning": True if efforts or can.get("adaptive_thinking") is True else None,
        "way": {"words": efforts} if efforts else None,
        "wire": next((wire for endpoint, wire in wires if endpoint in endpoints), None),
    }


def _kimi(entry: Mapping[str, Any]) -> Facts | None:
    if entry.get("supports_tool_use") is False:
        return None
    efforts = tuple(word for word in _WORDS if word in _list(_object(entry, "think_efforts"), "valid_efforts"))
    return {
        "name": _text(entry, "display_name"),
        "context_window": _tokens(entry, "context_length"),
        "reasoning": entry.get("supports_reasoning") is True,
        "images": entry.get("supports_image_in") is True if "supports_image_in" in entry else None,
        "way": {"words": efforts} if efforts else None,
    }


def _gemini(entry: Mapping[str, Any]) -> Facts | None:
    if "generateContent" not in _list(entry, "supportedGenerationMethods", "generateContent"):
        return None
    return {
        "name": _text(entry, "displayName"),
        "context_window": _tokens(entry, "inputTokenLimit"),
        "max_output": _tokens(entry, "outputTokenLimit"),
        "reasoning": entry["thinking"] if isinstance(entry.get("thinking"), bool) else None,
    }


def _lm_studio(entry: Mapping[str, Any]) -> Facts | None:
    if entry.get("type") == "embeddings":
        return None
    return {
        "context_window": _tokens(entry, "loaded_context_length") or _tokens(entry, "max_context_length"),
        "images": entry["type"] == "vlm" if "type" in entry else None,
    }


def _codex(entry: Mapping[str, Any]) -> Facts:
    levels = _list(entry, "supported_reasoning_levels")
    words = [each.get("effort") if isinstance(each, dict) else each for each in levels]
    efforts = tuple(word for word in _WORDS if word in words)
    return {
        "context_window": _tokens(entry, "context_window"),
        "reasoning": True if efforts else None,
        "way": {"words": efforts} if efforts else None,
    }


def _common(entry: Mapping[str, Any]) -> Facts:
    """Return the facts of servers that name the size of the context, such as Groq's and Together's."""
    return {
        "context_window": _tokens(entry, "context_length") or _tokens(entry, "context_window"),
        "max_output": _tokens(entry, "max_completion_tokens") or _tokens(entry, "max_output_tokens"),
    }


_DIALECTS: tuple[tuple[str, Callable[[Mapping[str, Any]], Facts | None]], ...] = (
    ("max_input_tokens", _anthropic),
    ("inputTokenLimit", _gemini),
    ("top_provider", _openrouter),
    ("model_picker_enabled", _copilot),
    ("supports_reasoning", _kimi),
    ("supported_reasoning_levels", _codex),
    ("max_model_len", lambda entry: {"context_window": _tokens(entry, "max_model_len")}),
    ("max_context_length", _lm_studio),
    ("meta", lambda entry: {"context_window": _tokens(_object(entry, "meta"), "n_ctx")}),
    ("context_length", _common),
    ("context_window", _common),
)
"""A field that only this kind of server has, and the function that reads its entries; the first that fits counts."""


def ollama_facts(shown: Any) -> Facts | None:
    """Return what Ollama's `/api/show` says of a model; None for a model that calls no tools.

    A `num_ctx` of the model file is the running size of the context; else only the largest size is known.
    """
    if not isinstance(shown, dict):
        return {}
    able = shown.get("capabilities")
    if isinstance(able, list) and "tools" not in able:
        return None
    info = _object(shown, "model_info")
    largest = next((_tokens(info, key) for key in info if key.endswith(".context_length")), None)
    lines = [line.split() for line in str(shown.get("parameters", ""))[:10_000].splitlines()]
    running = next((line[1] for line in lines if len(line) == 2 and line[0] == "num_ctx"), "")
    facts: Facts = {"context_window": int(running) if running.isdecimal() and len(running) < 9 else largest}
    if isinstance(able, list):
        facts |= {"reasoning": "thinking" in able, "images": "vision" in able}
    return {name: value for name, value in facts.items() if value is not None}


def llama_cpp_facts(properties: Any) -> Facts:
    """Return what llama.cpp's `/props` says of the loaded model."""
    found = _object(properties, "default_generation_settings") if isinstance(properties, dict) else {}
    window = _tokens(found, "n_ctx")
    facts: Facts = {} if window is None else {"context_window": window}
    sights = _object(properties, "modalities") if isinstance(properties, dict) else {}
    return facts | ({"images": sights["vision"] is True} if "vision" in sights else {})


# Values of any shape.


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _list(value: Mapping[str, Any], key: str, *default: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else list(default)


def _text(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    return without_surrogates(found[:_LONGEST_ID]) if isinstance(found, str) and found.isprintable() else None


def _tokens(value: Mapping[str, Any], key: str) -> int | None:
    found = value.get(key)
    valid = isinstance(found, int) and not isinstance(found, bool) and 0 < found < 1_000_000_000
    return found if valid else None


def _supported(value: Mapping[str, Any], key: str) -> bool:
    found = value.get(key)
    return found is True or (isinstance(found, dict) and found.get("supported") is True)


def _price_per_token(pricing: Mapping[str, Any]) -> Price | None:
    """Return a price from texts of dollars per token; None if it is unknown, as that of a router is (-1)."""
    base = _rates(pricing)
    if base is None:
        return None
    tiers = []
    for each in _list(pricing, "overrides"):
        above = _tokens(each, "min_prompt_tokens") if isinstance(each, dict) else None
        rates = None if above is None else _rates({**pricing, **each})
        if rates is not None and above is not None:
            tiers.append(PriceTier(above, *rates))
    return Price(*base, tiers=tuple(sorted(tiers, key=lambda tier: tier.above)))


def _rates(pricing: Mapping[str, Any]) -> tuple[float, float, float, float] | None:
    """Return dollars per million tokens of input, output, tokens read from and written to the cache."""
    input, output = _rate(pricing, "prompt"), _rate(pricing, "completion")
    if input is None or output is None:
        return None
    read, write = _rate(pricing, "input_cache_read"), _rate(pricing, "input_cache_write")
    return input, output, input if read is None else read, input if write is None else write


def _rate(pricing: Mapping[str, Any], key: str) -> float | None:
    found = pricing.get(key)
    try:
        amount = round(float(found) * 1_000_000, 6) if isinstance(found, str | int | float) else -1.0
    except (ValueError, OverflowError):
        return None
    return amount if 0 <= amount < 1e6 else None
