"""The operations as methods of `host_call`; written by `scripts/generate_operations.py`."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod

OPERATIONS: tuple[HostMethod, ...] = (
    HostMethod(
        "session.append",
        "session",
        "Store data of the extension as an entry, which models do not see.",
        (
            CallParam("custom_type", "text", "What it is.", required=True),
            CallParam("data", "any", "Any JSON value.", required=True),
        ),
    ),
    HostMethod("session.diff", "session", "List the files that differ from what they were before the session."),
    HostMethod(
        "session.entries",
        "session",
        "List entries, from the first on.",
        (
            CallParam("to", "text", "The branch that ends with this entry, not the current one."),
            CallParam("whole_tree", "flag", "All branches, not only the current one."),
            CallParam("kinds", "list", "`user assistant tool compaction branch_summary custom`; all by default."),
            CallParam("custom_type", "text", "Only data of this extension with this type."),
            CallParam("content", "flag", "Also return the blocks of each message, unless the message is too large."),
            CallParam("after", "text", "The id of the entry to begin after."),
            CallParam("limit", "whole", "How many at most; 200 by default."),
        ),
    ),
    HostMethod(
        "session.entry",
        "session",
        "Read one entry whole.",
        (CallParam("entry", "text", "The id of the entry.", required=True),),
    ),
    HostMethod(
        "session.fork",
        "session",
        "Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.",
        (
            CallParam("entry", "text", "The id of the last entry of the copy; all of them by default."),
            CallParam(
                "position",
                "text",
                "`at` (the default): with the entry. `before`: without it, to ask something else in its place.",
            ),
        ),
        in_command=True,
    ),
    HostMethod("session.info", "session", "Describe the session."),
    HostMethod(
        "session.label",
        "session",
        "Give an entry a label, one line of at most 200 characters.",
        (
            CallParam("entry", "text", "The id of the entry.", required=True),
            CallParam("label", "text", "The label; empty to remove it.", required=True),
        ),
    ),
    HostMethod(
        "session.list",
        "session",
        "List the stored sessions, last used first.",
        (
            CallParam(
                "scope",
                "text",
                "`cwd` (the default) for sessions of the folder of the conversation, `all` for every session.",
            ),
            CallParam("limit", "whole", "How many at most; 50 by default."),
            CallParam("after", "text", "The `next` of the page before."),
        ),
    ),
    HostMethod(
        "session.navigate",
        "session",
        "Continue at another entry of the session. Nothing is lost: the entries after it stay in "
        "the tree. The event `session_tree` follows. Refused with files while a job runs, which "
        "could change them; `zot rpc` gives the code `jobs_running` then. Refused while busy.",
        (
            CallParam("entry", "text", "The id of the entry.", required=True),
            CallParam(
                "position",
                "text",
                "`at` (the default): after the entry. `before`: before it, to ask something else in its place.",
            ),
            CallParam("restore", "text", "What goes back: `conversation` (the default), `files` or `both`."),
            CallParam("force", "flag", "Overwrite files that have changed since."),
            CallParam("stop_jobs", "flag", "First stop the commands in the background."),
            CallParam(
                "summarise",
                "flag",
                "First let the model write a summary of what is left behind, which becomes the next entry. "
                "`abort` stops that, and nothing has changed then.",
            ),
            CallParam("instructions", "text", "What that summary must keep."),
            CallParam(
                "label",
                "text",
                "A label for the entry at which the conversation then continues, the summary if there is one.",
            ),
        ),
        in_command=True,
    ),
    HostMethod(
        "session.new",
        "session",
        "Start a new session: no messages, no usage and, if sessions are stored, a new file. Refused while busy.",
        (
            CallParam("parent", "flag", "Store that it comes from this session."),
            CallParam(
                "messages",
                "list",
                "Its first messages, which nobody answers: objects with `text`, `role` (`user` or "
                "`assistant`), `display_text`, `hidden`.",
            ),
        ),
        in_command=True,
    ),
    HostMethod(
        "session.open",
        "session",
        "Continue a stored session, in its folder and with its model. The event `session_start` "
        "follows. Refused, unless `fork`, while another process has the session open. Refused while "
        "busy.",
        (
            CallParam("session", "text", "The id of a session, or its beginning, or a path.", required=True),
            CallParam("fork", "flag", "Continue in a copy, a new session."),
        ),
        in_command=True,
    ),
    HostMethod(
        "session.read",
        "session",
        "List entries of a stored session, also another one, as `session.entries` does.",
        (
            CallParam("session", "text", "The id of a stored session, its beginning, or its path.", required=True),
            CallParam("whole_tree", "flag", "All branches, not only the current one."),
            CallParam("kinds", "list", "`user assistant tool compaction branch_summary custom`; all by default."),
            CallParam("custom_type", "text", "Only data of this extension with this type."),
            CallParam("content", "flag", "Also return the blocks of each message, unless the message is too large."),
            CallParam("after", "text", "The id of the entry to begin after."),
            CallParam("limit", "whole", "How many at most; 200 by default."),
        ),
    ),
    HostMethod(
        "session.redo",
        "session",
        "Take back the last `session.undo`, if nothing was asked since. Refused as "
        "`session.navigate` is. Refused while busy.",
        (
            CallParam("force", "flag", "Overwrite files that have changed since."),
            CallParam("stop_jobs", "flag", "First stop the commands in the background."),
        ),
        in_command=True,
    ),
    HostMethod(
        "session.rename",
        "session",
        "Give a session a title, one line of at most 200 characters; an empty one brings back the "
        "name made from the first prompt.",
        (
            CallParam("title", "text", "The title.", required=True),
            CallParam(
                "session",
                "text",
                "The id of a session, or its beginning; by default the conversation's, the only one for an extension.",
            ),
        ),
    ),
    HostMethod(
        "session.search",
        "session",
        "Find the stored sessions that have all words in their title, prompts and answers, without regard to case.",
        (
            CallParam("query", "text", "Words; text in double quotes must occur as it is.", required=True),
            CallParam("scope", "text", "As in `session.list`."),
            CallParam("limit", "whole", "How many at most; 50 by default."),
        ),
    ),
    HostMethod(
        "session.show",
        "session",
        "Say what a stored session is about: its last prompt and answer, its tokens and cost.",
        (
            CallParam(
                "session", "text", "The id of a session, or its beginning, or a path; by default the conversation's."
            ),
        ),
    ),
    HostMethod(
        "session.tree",
        "session",
        "List the entries of the session, of all its branches, in the order in which they were added.",
    ),
    HostMethod(
        "session.undo",
        "session",
        "Go back to before the last prompt, whose text the answer has, with the files that tools "
        "changed since. Refused as `session.navigate` is. Refused while busy.",
        (
            CallParam("force", "flag", "Overwrite files that have changed since."),
            CallParam("stop_jobs", "flag", "First stop the commands in the background."),
        ),
        in_command=True,
    ),
)
