"""What an extension does with the keys of the editor, and how its text is drawn."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod

EDITING: tuple[HostMethod, ...] = (
    HostMethod(
        "editor.modes",
        "editor",
        "Give the editor modes, until the extension ends: keys and what they do, as in the field `editor_modes` of a "
        "manifest. Those of the newest extension are in force.",
        (CallParam("modes", "object", "The modes by name, the first to begin with; null to take them back."),),
    ),
    HostMethod(
        "editor.mode",
        "editor",
        "Switch to another mode of this extension, or say which is in force.",
        (CallParam("name", "text", "Left out, nothing changes."),),
    ),
    HostMethod(
        "editor.keys",
        "editor",
        "Ask this extension about keys before they are typed, with `event_intercept`, event `editor_key`. The newest "
        "extension is asked first.",
        (
            CallParam("on", "flag", "True to be asked.", required=True),
            CallParam("keys", "list", "The names of the keys, such as `tab`, `ctrl+k` or `x`; left out, all of them."),
        ),
    ),
    HostMethod(
        "editor.decorate",
        "editor",
        "Ask this extension how the text is drawn, now and after each change, with `event_intercept`, event "
        "`editor_decorate`. What the newest extension says is drawn over the rest.",
        (CallParam("on", "flag", "True to be asked, also once more; false to draw it as zot does.", required=True),),
    ),
)
