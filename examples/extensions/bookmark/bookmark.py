#!/usr/bin/env python3
"""Names places in the conversation: labels, which `/tree` shows, and a list of them."""

from zot_ext import Extension

ext = Extension("bookmark", "1.0.0", capabilities=("session", "storage"))


@ext.command("bookmark", "give the last answer a name: /bookmark NAME")
def bookmark(name: str) -> str:
    answers = [entry for entry in ext.session.entries(kinds=("assistant",))]
    if not answers:
        return "there is no answer yet"
    name = name or f"bookmark {ext.kv.get('count', 0, scope='session') + 1}"
    ext.session.label(answers[-1]["id"], name)
    ext.session.append("bookmark", {"name": name, "entry": answers[-1]["id"]})
    ext.kv.set("count", ext.kv.get("count", 0, scope="session") + 1, scope="session")
    return f"bookmarked as {name!r}: {answers[-1]['text']}"


@ext.command("bookmarks", "list the bookmarks of this branch")
def bookmarks(_: str) -> str:
    names = [entry["data"]["name"] for entry in ext.session.entries(custom_type="bookmark")]
    return "\n".join(names) or "no bookmarks"


ext.run()
