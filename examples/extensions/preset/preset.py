#!/usr/bin/env python3
"""Keeps models with their reasoning levels by name, and switches between them."""

from zot_ext import Extension, HostError, Response, display, error

ext = Extension("preset", "1.0.0", capabilities=("model", "storage"))


@ext.command("preset", "use or keep a model and its reasoning: /preset [NAME | save NAME]")
def preset(args: str) -> Response:
    name, _, rest = args.partition(" ")
    if name == "save" and rest:
        now = ext.model.get()
        ext.kv.set(rest, {"provider": now["provider"], "model": now["model"], "reasoning": now["reasoning"]})
        return display(f"{rest} is {now['model']} with reasoning {now['reasoning']}")
    if not name:
        return display(", ".join(ext.kv.keys()) or "no presets; /preset save NAME keeps this one")
    kept = ext.kv.get(name)
    if kept is None:
        return error(f"there is no preset {name}")
    try:
        ext.model.set(kept["model"], provider=kept["provider"])
        ext.model.reasoning(kept["reasoning"])
    except HostError as problem:
        return error(str(problem))
    return display(f"{kept['model']} answers, with reasoning {kept['reasoning']}")


ext.run()
