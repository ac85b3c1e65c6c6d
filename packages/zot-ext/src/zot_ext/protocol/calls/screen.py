"""Dialogs with the person, and what an extension shows and changes on the screen."""

from __future__ import annotations

from zot_ext.protocol.calls.method import HostMethod
from zot_ext.protocol.fields import LARGEST, LATEST, param

RENDERED = ("tool_call", "tool_progress", "tool_result", "message", "entry", "markdown")
"""The parts of a conversation that a renderer can draw."""

PLACES = (
    *("status", "above_editor", "below_editor", "header", "footer"),
    *("top_left", "top_right", "bottom_left", "bottom_right"),
)
"""Where a widget can be."""

_TIMEOUT = param("timeout_ms", "whole", "Close it after this number of milliseconds.", least=1, most=LATEST)
_TITLE = param("title", "text", "The question, one line.", required=True)
_MESSAGE = param("message", "text", "More about it, below the title.")

PERSON: tuple[HostMethod, ...] = (
    HostMethod(
        "ui.select",
        "ui",
        "Ask for one of several options.",
        (_TITLE, param("options", "texts", "At least one.", required=True, least=1), _MESSAGE, _TIMEOUT),
    ),
    HostMethod("ui.confirm", "ui", "Ask a question for yes or no.", (_TITLE, _MESSAGE, _TIMEOUT)),
    HostMethod(
        "ui.input",
        "ui",
        "Ask for a line of text.",
        (
            _TITLE,
            _MESSAGE,
            param("placeholder", "text", "Shown while nothing is typed."),
            param("prefill", "text", "The text to begin with."),
            param("secret", "flag", "Show dots in its place."),
            _TIMEOUT,
        ),
    ),
    HostMethod(
        "ui.editor",
        "ui",
        "Ask for a text of several lines.",
        (_TITLE, _MESSAGE, param("prefill", "text", "The text to begin with."), _TIMEOUT),
    ),
    HostMethod(
        "ui.form",
        "ui",
        "Ask for several values.",
        (
            _TITLE,
            param(
                "fields",
                "objects",
                "Objects: `name`, `kind` (`text`, `integer`, `number`, `boolean` or `select`), `required`, `initial`, "
                "`choices` (of `select`), `description`.",
                required=True,
                least=1,
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
            param("rows", "objects", "Objects: `id`, `label`, `detail`.", required=True, least=1),
            param("multi", "flag", "Any number of them."),
            _MESSAGE,
            _TIMEOUT,
        ),
    ),
)

_KEY = param("key", "text", "A key such as `f6`, `ctrl+alt+p` or `alt+b`.", required=True)
_COMPLETER = (
    param(
        "trigger",
        "text",
        "The beginning of the words: 1 to 8 characters, no letter or digit first, none of zot's `/`, `@`, `!`.",
    ),
    param("command", "text", "A slash command of this extension, whose arguments are completed."),
)
_RENDERER = (
    param(
        "kind",
        "text",
        "What it draws.",
        required=True,
        choices=RENDERED,
    ),
    param(
        "name",
        "text",
        "The tool, or the `custom_type` of messages or own entries, or `answer` for Markdown; `*` for all.",
        required=True,
        least=1,
        most=100,
    ),
)

SCREEN: tuple[HostMethod, ...] = (
    HostMethod(
        "widgets.set",
        "widgets",
        "Show something beside the conversation, until it is replaced or the extension ends.",
        (
            param("key", "text", "Names it, for the extension.", required=True, least=1, most=100),
            param(
                "lines",
                "list",
                "Strings, which may have colours (SGR), or lists of spans: objects with `text`, and `style`, `bg` "
                "(tokens of the theme or `#rrggbb`), `bold`, `faint`, `italic`, `underline`, `inverse`, `strike`. "
                "Empty or null to remove it.",
                most=50,
            ),
            param(
                "place",
                "text",
                "`status`, `above_editor` (the default), `below_editor`, `header` (above the conversation), `footer` "
                "(in place of the status row), or the borders of the editor: `top_left`, `top_right`, `bottom_left`, "
                "`bottom_right`. Only the first line is shown in the status row and in a border.",
                choices=PLACES,
            ),
            param(
                "priority",
                "whole",
                "Higher ones come first at their place; 0 by default.",
                least=-1_000_000,
                most=1_000_000,
            ),
        ),
    ),
    HostMethod(
        "widgets.title",
        "widgets",
        "Name the window of the terminal.",
        (param("text", "text", "Empty for the title of zot.", required=True),),
    ),
    HostMethod(
        "widgets.alert",
        "widgets",
        "Call the person, once a second at most. The terminal shows a notification on the desktop or rings, as the "
        "setting `notify` says, while another window is in front. Else nothing is shown.",
        (param("text", "text", "One line.", required=True),),
    ),
    HostMethod(
        "widgets.working",
        "widgets",
        "Change the row that shows that work is going on. What is left out is as zot has it.",
        (
            param("message", "text", "In place of what the agent does."),
            param("frames", "texts", "Strings of one cell, shown in turn.", most=50),
            param("interval_ms", "whole", "Milliseconds for each.", least=33, most=LATEST),
            param("hidden", "flag", "Do not show the row."),
            param("thinking", "text", "In place of the word before what the model thinks, from now on."),
        ),
    ),
    HostMethod("theme.get", "widgets", "Say which theme is in use."),
    HostMethod("theme.list", "widgets", "List the themes."),
    HostMethod(
        "theme.set",
        "widgets",
        "Draw with another theme until zot ends.",
        (param("name", "text", "One of `theme.list`.", required=True),),
    ),
    HostMethod("editor.get", "editor", "Read what is being typed.", needs=("conversation",)),
    HostMethod(
        "editor.set",
        "editor",
        "Replace what is being typed.",
        (
            param("text", "text", "The new text.", required=True),
            param("cursor", "whole", "Where the cursor is then; at the end by default.", most=LARGEST),
            param("expected", "text", "Do nothing but fail with `busy` if another text is there now."),
        ),
    ),
    HostMethod(
        "editor.paste",
        "editor",
        "Insert text at the cursor.",
        (param("text", "text", "What to insert.", required=True),),
    ),
    HostMethod(
        "keys.bind",
        "keys",
        "Let a key run a slash command of this extension, until it ends.",
        (_KEY, param("command", "text", "The name of the command, and what follows it.", required=True)),
    ),
    HostMethod("keys.unbind", "keys", "Give a key back.", (_KEY,)),
    HostMethod(
        "completions.register",
        "autocomplete",
        "Suggest words while the person types, until the extension ends: zot asks with `event_intercept`, event "
        "`complete`. With either `trigger` or `command`.",
        _COMPLETER,
    ),
    HostMethod("completions.unregister", "autocomplete", "Suggest nothing there any more.", _COMPLETER),
    HostMethod(
        "renderers.register",
        "renderers",
        "Draw something in the conversation in place of zot, until the extension ends: zot asks with "
        "`event_intercept`, event `render`. The newest renderer counts; of the kind `markdown` each changes what the "
        "one before it has made.",
        _RENDERER,
    ),
    HostMethod("renderers.unregister", "renderers", "Let zot draw it again.", _RENDERER),
    HostMethod("renderers.again", "renderers", "Draw again what this renderer has drawn.", _RENDERER),
    HostMethod(
        "renderers.expand",
        "renderers",
        "Expand everything in the conversation, new cells too, or fold it.",
        (param("expanded", "flag", "Left out, nothing changes."),),
    ),
)

EDITING: tuple[HostMethod, ...] = (
    HostMethod(
        "editor.modes",
        "editor",
        "Give the editor modes, until the extension ends: keys and what they do, as in the field `editor_modes` of a "
        "manifest. The modes of the newest extension are in force.",
        (param("modes", "object", "The modes by name, the first to begin with; null to take them back."),),
    ),
    HostMethod(
        "editor.mode",
        "editor",
        "Switch to another mode of this extension, or say which is in force.",
        (param("name", "text", "Left out, nothing changes."),),
    ),
    HostMethod(
        "editor.keys",
        "editor",
        "Ask this extension about keys before they are typed, with `event_intercept`, event `editor_key`. The newest "
        "extension is asked first.",
        (
            param("on", "flag", "True to be asked.", required=True),
            param(
                "keys",
                "texts",
                "Their names, such as `tab`, `ctrl+k`, `x` or `paste`; left out, all of them.",
                most=200,
            ),
        ),
        needs=("conversation",),
    ),
    HostMethod(
        "editor.decorate",
        "editor",
        "Ask this extension how the text is drawn, now and after every change, with `event_intercept`, event "
        "`editor_decorate`. What the newest extension says is drawn over the rest.",
        (param("on", "flag", "True to be asked, also once more; false to draw it as zot does.", required=True),),
        needs=("conversation",),
    ),
)
