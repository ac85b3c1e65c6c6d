"""The stored conversation and the other sessions: the group `session`."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod

_ENTRY = CallParam("entry", "text", "The id of an entry.", required=True)
_SESSION = CallParam("session", "text", "The id of a stored session, its beginning, or its path.", required=True)
_PAGE = (
    CallParam("whole_tree", "flag", "All branches, not only the current one."),
    CallParam("kinds", "list", "`user assistant tool compaction branch_summary custom`; all by default."),
    CallParam("custom_type", "text", "Only data of this extension with this type."),
    CallParam("content", "flag", "The blocks of messages too; those of a message that is too large are left out."),
    CallParam("after", "text", "The id of the entry to begin after."),
    CallParam("limit", "whole", "At most so many; 200 by default, 1000 at most."),
)
_ENTRIES = (
    "`entries`: objects with `id`, `parent`, `kind`, `label`, and `text` (its first line) or `custom_type` and `data`; "
    "with `content` also that, and of a message `time` (UTC), `hidden`, and the `custom_type` and `details` that it "
    "was sent with; `current`; `more`: whether others follow. The block of a tool result has the `details` that the "
    "tool has kept"
)
_MOVED = "`session_id`, `entry` (the current one), `messages` (their number)"

SESSION: tuple[HostMethod, ...] = (
    HostMethod(
        "session.info",
        "session",
        "Describe the session.",
        (),
        "`id`, `file`, `title`, `cwd`, `entry` (the current one), `messages` (their number)",
    ),
    HostMethod(
        "session.entries",
        "session",
        "List entries, from the first on.",
        (CallParam("to", "text", "The branch that ends with this entry, not the current one."), *_PAGE),
        _ENTRIES,
    ),
    HostMethod(
        "session.entry",
        "session",
        "Read one entry whole.",
        (_ENTRY,),
        "`id`, `parent`, `kind`, `label`, and `content` (blocks) or `custom_type` and `data`",
    ),
    HostMethod(
        "session.append",
        "session",
        "Store data of the extension as an entry, which models do not see.",
        (
            CallParam("custom_type", "text", "What it is.", required=True),
            CallParam("data", "any", "Any JSON value.", required=True),
        ),
        "`id` of the entry",
    ),
    HostMethod(
        "session.label",
        "session",
        "Give an entry a label.",
        (_ENTRY, CallParam("label", "text", "One line of at most 200 characters; empty to remove it.", required=True)),
    ),
    HostMethod(
        "session.rename",
        "session",
        "Give the session a title.",
        (CallParam("title", "text", "Empty to remove it.", required=True),),
    ),
    HostMethod(
        "session.list",
        "session",
        "List the stored sessions, last used first.",
        (
            CallParam("scope", "text", "`cwd` (the default): those of the folder of the conversation. `all`."),
            CallParam("after", "text", "The `next` of the page before."),
            CallParam("limit", "whole", "At most so many; 50 by default, 500 at most."),
        ),
        "`sessions`: objects with `id`, `title`, `cwd`, `model`, `messages`, `started`, `used`, `size`, `path` and "
        "others; `next`: the `after` of the next page, empty at the end",
    ),
    HostMethod(
        "session.read",
        "session",
        "List entries of a stored session, also another one, as `session.entries` does.",
        (_SESSION, *_PAGE),
        _ENTRIES,
    ),
    HostMethod(
        "session.new",
        "session",
        "Continue with a new session.",
        (
            CallParam("parent", "flag", "Store that it comes from this session."),
            CallParam(
                "messages",
                "list",
                "Its first messages, which nobody answers: objects with `text`, `role` (`user` or `assistant`), "
                "`display_text`, `hidden`.",
            ),
        ),
        _MOVED,
        in_command=True,
    ),
    HostMethod(
        "session.switch",
        "session",
        "Continue another stored session, in its folder and with its model.",
        (_SESSION,),
        _MOVED + ", `notes` (lines for the person)",
        in_command=True,
    ),
    HostMethod(
        "session.fork",
        "session",
        "Continue in a new session with a copy of the conversation up to an entry.",
        (_ENTRY, CallParam("position", "text", "`at` (the default): with the entry. `before`: without it.")),
        _MOVED,
        in_command=True,
    ),
    HostMethod(
        "session.clone",
        "session",
        "Continue in a new session with a copy of the whole conversation.",
        (),
        _MOVED,
        in_command=True,
    ),
    HostMethod(
        "session.navigate",
        "session",
        "Continue at another entry of this session; what comes after it stays in the tree.",
        (
            _ENTRY,
            CallParam("position", "text", "`at` (the default): after the entry. `before`: before it."),
            CallParam("restore", "text", "What goes back: `conversation` (the default), `files` or `both`."),
            CallParam("force", "flag", "Overwrite files that have changed since."),
            CallParam("summarise", "flag", "Have the model write a summary of what is left behind, as the next entry."),
            CallParam("instructions", "text", "What that summary must keep."),
            CallParam(
                "label",
                "text",
                "A label for the entry at which the conversation then continues, the summary if there is one.",
            ),
        ),
        f"{_MOVED}, `restored` (paths of files), `problems` (a line for each file that could not be restored), "
        "`edited` (paths of files that have changed since: nothing was done then, unless `force`)",
        in_command=True,
    ),
)
