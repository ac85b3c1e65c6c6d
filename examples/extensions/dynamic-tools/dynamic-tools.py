#!/usr/bin/env python3
"""Tools that come and go while zot runs."""

from zot_ext import Extension

ext = Extension("dynamic-tools", "1.0.0", capabilities=("tools2",))
taught: dict[str, str] = {}


@ext.command("teach", "give the model a tool that answers with a text: /teach deploy_steps first tag, then push")
def teach(args: str) -> str:
    name, _, text = args.partition(" ")
    if not text.strip():
        return "usage: /teach NAME TEXT"
    known = name in taught
    taught[name] = text.strip()
    if known:
        return f"the tool {name} says something else now"
    ext.tool(
        name=name,
        description=f"What the person says about {name}.",
        schema={"type": "object", "properties": {}},
        snippet=f"The person has something to say about {name}: call it before you need that.",
        parallel=True,
        read_only=True,
    )(lambda _: taught.get(name, "nothing"))
    return f"the model has the tool {name}"


@ext.command("forget", "take a tool away that /teach has given: /forget NAME")
def forget(args: str) -> str:
    if taught.pop(args.strip(), None) is None:
        return f"there is no taught tool {args.strip()!r}; there are {', '.join(taught) or 'none'}"
    ext.remove_tool(args.strip())
    return f"the tool {args.strip()} is gone"


ext.run()
