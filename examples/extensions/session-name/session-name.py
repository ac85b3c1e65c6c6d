#!/usr/bin/env python3
"""Gives the session a title, which a model makes if you do not."""

from zot_ext import Extension, Response, display, error

SYSTEM = "Answer with a title for this conversation: three to six words, no quotation marks, no full stop."

ext = Extension("session-name", "1.0.0", capabilities=("session", "model"))


@ext.command("session-name", "give the session a title: /session-name [TITLE]")
def session_name(title: str) -> Response:
    if not title:
        prompts = [entry["text"] for entry in ext.session.entries(kinds=("user",))]
        if not prompts:
            return error("there is no prompt yet to make a title from")
        title = ext.model.complete("\n".join(prompts[:20]), system=SYSTEM, max_tokens=40)
        title = " ".join(title.split())[:200]
    ext.session.rename(title)
    return display(f"this session is called {title!r}")


ext.run()
