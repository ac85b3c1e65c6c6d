"""Questions of the host (`event_intercept`) about something that an extension has registered, as data.

These questions need no subscription. Their rows have the form of events that can be intercepted, so that ids, limits,
cancelling and the check of answers are the same.
"""

from __future__ import annotations

from zot_ext.protocol.calls.screen import RENDERED
from zot_ext.protocol.events.interceptable import InterceptableEvent
from zot_ext.protocol.fields import FieldReader, param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

COMPLETE, RENDER, EDITOR_KEY, EDITOR_DECORATE = "complete", "render", "editor_key", "editor_decorate"

TRIGGER = 8
"""The most characters of a trigger."""

QUESTIONS: Mapping[str, InterceptableEvent] = {
    row.name: row
    for row in (
        InterceptableEvent(
            "tool_prepare",
            "tools2",
            "The model has called a tool with `prepare_args`.",
            (param("tool_name", "text", "the tool"), param("tool_args", "object", "the arguments")),
            (param("modified_args", "object", "the arguments for the tool"),),
            blockable=False,
            limit="prepare_seconds",
        ),
        InterceptableEvent(
            COMPLETE,
            "autocomplete",
            "The person types a word for which `completions.register` has named a completer.",
            (
                param("trigger", "text", "what the word begins with; empty for an argument of a command"),
                param("command", "text", "the slash command; empty for a word with a trigger"),
                param("prefix", "text", "the word up to the cursor, without the trigger"),
                param("line", "text", "the line up to the cursor, at most 2,000 characters"),
            ),
            (
                param(
                    "items",
                    "list",
                    "at most 50, best first: strings, or objects with `text`, which takes the place of the word, "
                    "`label` and `description`",
                ),
            ),
            blockable=False,
            limit="complete_seconds",
        ),
        InterceptableEvent(
            RENDER,
            "renderers",
            "Something is shown for which `renderers.register` has named a renderer.",
            (
                param("kind", "text", "what it is", choices=RENDERED),
                param("name", "text", "the tool, the `custom_type` of the message or entry, or `answer`"),
                param("item", "text", "the id of the call, of the message, of the entry or of the question"),
                param("width", "whole", "how many cells a line has"),
                param("expanded", "flag", "whether the person wants to see all of it"),
                param("state", "text", "of a call: `running`, `ok`, `failed`, `stopped` or `refused`"),
                param("args", "object", "the arguments of the call"),
                param(
                    "text",
                    "text",
                    "the text of the result, of the message or of the progress so far, at most 64 KiB; or the Markdown",
                ),
                param("data", "any", "the data of the entry"),
            ),
            (
                param(
                    "lines",
                    "list",
                    "at most 500 lines, as in `widgets.set`; empty to show nothing, null to show it as zot does",
                ),
                param("text", "message", "of `markdown`: what to show in its place; null to show it as it is"),
            ),
            blockable=False,
            limit="render_seconds",
        ),
        InterceptableEvent(
            EDITOR_KEY,
            "editor",
            "A key was pressed in the editor, about which `editor.keys` wants to be asked.",
            (
                param("key", "text", "its name without modifiers; `rune` for a character, `paste` for a text"),
                param("typed", "text", "the character that it types, the text of a `paste`; empty for other keys"),
                param("mods", "list", "its modifiers: `ctrl`, `alt`, `shift`, `super`, `hyper`"),
                param("text", "text", "what is being typed, at most 64 KiB; of a longer text no key is asked about"),
                param("cursor", "whole", "the place of the cursor in it, from 0"),
                param("mode", "text", "the mode of this extension that is in force; empty if none of them is"),
            ),
            (
                param("consumed", "flag", "the key does nothing more; so it is if there are `ops` or `keys`"),
                param(
                    "ops",
                    "list",
                    "at most 100 objects with one member, done in order: `insert` a text, `delete` a range "
                    "`[from, to]`, `move` the cursor, `set` the text, `do` an action of the keys of zot by its name, "
                    "such as `undo`, `mode` another mode of this extension",
                ),
                param("keys", "list", "at most 20 names of keys that are handled in place of this one"),
            ),
            blockable=False,
            limit="editor_key_seconds",
        ),
        InterceptableEvent(
            EDITOR_DECORATE,
            "editor",
            "The text in the editor has changed, and `editor.decorate` wants to be asked.",
            (
                param("text", "text", "what is being typed, at most 64 KiB; longer texts are drawn as they are"),
                param("cursor", "whole", "the place of the cursor in it, from 0"),
            ),
            (
                param(
                    "spans",
                    "list",
                    "at most 5,000 objects: `start` and `end` in the text, and how that is drawn, as spans of "
                    "`widgets.set`: `style`, `bg`, `bold`, `faint`, `italic`, `underline`, `inverse`, `strike`",
                ),
            ),
            blockable=False,
            limit="editor_decorate_seconds",
        ),
    )
}
"""The questions by the value of `event`."""


def completer_problem(params: Mapping[str, object]) -> str:
    """Return what is wrong with the parameters of `completions.register`, one line; empty if nothing is."""
    trigger, command = str(params.get("trigger") or ""), str(params.get("command") or "")
    if bool(trigger) == bool(command):
        return "either trigger or command must be given"
    if trigger and (len(trigger) > TRIGGER or not trigger.isprintable() or " " in trigger or trigger[0].isalnum()):
        return f"trigger must be 1 to {TRIGGER} characters without spaces, and no letter or digit first"
    if trigger[:1] in ("/", "@", "!"):
        return f"words with {trigger[0]} first are completed by zot"
    return ""


def question_problem(question: str, answer: Mapping[str, object]) -> str:
    """Return what is wrong with the members of the answer to a question, one line; empty if nothing is."""
    return FieldReader("", QUESTIONS[question].answer).problem(answer)
