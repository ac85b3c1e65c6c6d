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

SESSION: tuple[HostMethod, ...] = (
    HostMethod("session.info", "session", "Describe the session."),
    HostMethod(
        "session.entries",
        "session",
        "List entries, from the first on.",
        (CallParam("to", "text", "The branch that ends with this entry, not the current one."), *_PAGE),
    ),
    HostMethod("session.entry", "session", "Read one entry whole.", (_ENTRY,)),
    HostMethod(
        "session.append",
        "session",
        "Store data of the extension as an entry, which models do not see.",
        (
            CallParam("custom_type", "text", "What it is.", required=True),
            CallParam("data", "any", "Any JSON value.", required=True),
        ),
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
    ),
    HostMethod(
        "session.read",
        "session",
        "List entries of a stored session, also another one, as `session.entries` does.",
        (_SESSION, *_PAGE),
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
        in_command=True,
    ),
    HostMethod(
        "session.switch",
        "session",
        "Continue another stored session, in its folder and with its model.",
        (_SESSION,),
        in_command=True,
    ),
    HostMethod(
        "session.fork",
        "session",
        "Continue in a new session with a copy of the conversation up to an entry.",
        (_ENTRY, CallParam("position", "text", "`at` (the default): with the entry. `before`: without it.")),
        in_command=True,
    ),
    HostMethod(
        "session.clone",
        "session",
        "Continue in a new session with a copy of the whole conversation.",
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
        in_command=True,
    ),
)
