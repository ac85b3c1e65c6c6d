#!/usr/bin/env python3
"""Shows numbers of issues in answers as links."""

import re

from zot_ext import Extension, HostError, RenderRequest

ext = Extension("markdown-transformer", "1.0.0")
NUMBER = re.compile(r"(```.*?```|`[^`\n]*`)|(?<![\w/\[#])#(\d+)\b", re.DOTALL)  # code, which stays, or a number

begin = "https://github.com/example/shop/issues/"


@ext.renderer("markdown", "answer")
def links(asked: RenderRequest) -> str | None:
    return NUMBER.sub(lambda found: found[1] or f"[#{found[2]}]({begin}{found[2]})", asked.text) if begin else None


@ext.command("links", "link the numbers of issues: /links URL")
def change(url: str) -> str:
    global begin
    begin = url and url.rstrip("/") + "/"
    try:
        ext.rendering.again("markdown", "answer")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where nothing is drawn
            raise
    return f"numbers of issues are links to {begin}" if begin else "numbers of issues are no links"


ext.run()
