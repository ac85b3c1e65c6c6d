"""Dialogs with the person."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod

_TIMEOUT = CallParam("timeout_ms", "whole", "Close it after so many milliseconds.")
_TITLE = CallParam("title", "text", "The question, one line.", required=True)
_MESSAGE = CallParam("message", "text", "More about it, below the title.")

PERSON: tuple[HostMethod, ...] = (
    HostMethod(
        "ui.select",
        "ui",
        "Ask for one of several options.",
        (_TITLE, CallParam("options", "list", "Strings, at least one.", required=True), _MESSAGE, _TIMEOUT),
    ),
    HostMethod("ui.confirm", "ui", "Ask a question for yes or no.", (_TITLE, _MESSAGE, _TIMEOUT)),
    HostMethod(
        "ui.input",
        "ui",
        "Ask for a line of text.",
        (
            _TITLE,
            _MESSAGE,
            CallParam("placeholder", "text", "Shown while nothing is typed."),
            CallParam("prefill", "text", "The text to begin with."),
            CallParam("secret", "flag", "Show dots in its place."),
            _TIMEOUT,
        ),
    ),
    HostMethod(
        "ui.editor",
        "ui",
        "Ask for a text of several lines.",
        (_TITLE, _MESSAGE, CallParam("prefill", "text", "The text to begin with."), _TIMEOUT),
    ),
    HostMethod(
        "ui.form",
        "ui",
        "Ask for several values.",
        (
            _TITLE,
            CallParam(
                "fields",
                "list",
                "Objects: `name`, `kind` (`text`, `integer`, `number`, `boolean` or `select`), `required`, `initial`, "
                "`choices` (of `select`), `description`.",
                required=True,
            ),
            _MESSAGE,
            _TIMEOUT,
        ),
    ),
    HostMethod(
        "ui.pick",
        "ui",
        "Ask for rows of a list that can be searched.",
        (
            _TITLE,
            CallParam("rows", "list", "Objects: `id`, `label`, `detail`.", required=True),
            CallParam("multi", "flag", "Any number of them."),
            _MESSAGE,
            _TIMEOUT,
        ),
    ),
)
