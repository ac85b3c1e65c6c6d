"""The operations as methods of `host_call`; written by `scripts/generate_operations.py`."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod

OPERATIONS: tuple[HostMethod, ...] = (
    HostMethod("agents.list", "control", "List the sub-agents of the session, oldest first.", needs=("conversation",)),
    HostMethod(
        "agents.steer",
        "control",
        "Add a user message to the conversation of a sub-agent, before its next model call.",
        (
            CallParam("agent", "text", "The id of the agent.", required=True),
            CallParam("message", "text", "The message.", required=True),
        ),
        needs=("conversation", "submit"),
    ),
    HostMethod(
        "agents.stop",
        "control",
        "Stop a sub-agent and its own. The event `subagent_stop` comes before the response.",
        (CallParam("agent", "text", "The id of the agent.", required=True),),
        needs=("conversation",),
    ),
    HostMethod(
        "control.abort",
        "control",
        "Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when idle.",
    ),
    HostMethod(
        "control.commands",
        "control",
        "List the slash commands of prompt templates, skills and extensions. A client waits until "
        "all extensions have registered theirs; an extension gets what is known so far.",
    ),
    HostMethod(
        "control.compact",
        "control",
        "Replace all but the last messages with a summary. Its events end, like those of a prompt, "
        "with `compact_done` and `done`, or with `error` and `done` if it fails or there is nothing "
        "to compact.",
        (
            CallParam("instructions", "text", "What the summary must keep, for the model that writes it."),
            CallParam("wait", "flag", "Answer when it has ended; it ends with the call then."),
        ),
    ),
    HostMethod(
        "control.context", "control", "Say what fills the context window: the parts of the next request in order."
    ),
    HostMethod(
        "control.reload",
        "control",
        "Stop all extensions, read their manifests again and start them. Allowed while busy. An "
        "extension gets no answer: it is restarted too, once its command is answered, and what "
        "failed becomes notices.",
        in_command=True,
    ),
    HostMethod("control.shutdown", "control", "End zot, once nothing runs and waits and the request is answered."),
    HostMethod("control.skills", "control", "List the skills."),
    HostMethod("control.state", "control", "Return the state of the agent."),
    HostMethod("control.system_prompt", "control", "Read the system prompt.", needs=("conversation",)),
    HostMethod("control.wait_idle", "control", "Answer when nothing runs and waits."),
    HostMethod(
        "jobs.list",
        "control",
        "List the commands that run in the background of the session, and the latest that have ended.",
        needs=("conversation",),
    ),
    HostMethod(
        "jobs.stop",
        "control",
        "Stop a command in the background with everything that it started. The event `job_end` "
        "comes before the response.",
        (CallParam("job", "text", "The id of the job.", required=True),),
        needs=("conversation", "restore"),
    ),
    HostMethod("model.get", "model", "Describe the model."),
    HostMethod(
        "model.list",
        "model",
        "List models.",
        (
            CallParam(
                "scope",
                "text",
                "`current` (the default): those of the provider in use. `ready`: those of providers with a "
                "key and of local servers, the current provider's first; servers whose lists are old are "
                "asked. `favourites`: the person's favourites that can be used, in their order. `all`: all "
                "that are known without a request to a server.",
            ),
        ),
    ),
    HostMethod(
        "model.reasoning",
        "model",
        "Set how much the model thinks. Refused while busy.",
        (
            CallParam(
                "reasoning",
                "text",
                "`off`, `minimum`, `low`, `medium`, `high`, `xhigh` or `max`; the nearest that the model has is used.",
                required=True,
            ),
        ),
    ),
    HostMethod(
        "model.set",
        "model",
        "Continue with another model, of any provider with a key. Refused while busy, and without a "
        "key: the error names the variable to set.",
        (
            CallParam(
                "model",
                "text",
                "A model's id, the beginning of one, or PROVIDER/ID; a reasoning level may follow, as for `--model`.",
                required=True,
            ),
            CallParam("provider", "text", "The provider, if it is not part of `model`."),
        ),
    ),
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
        "session.diff",
        "session",
        "List the files that differ from what they were before the session.",
        needs=("conversation",),
    ),
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
        needs=("conversation",),
    ),
    HostMethod(
        "session.entry",
        "session",
        "Read one entry whole.",
        (CallParam("entry", "text", "The id of the entry.", required=True),),
        needs=("conversation",),
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
        needs=("conversation",),
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
        needs=("conversation",),
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
        needs=("submit",),
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
        needs=("conversation",),
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
        needs=("conversation",),
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
        needs=("conversation",),
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
        needs=("conversation",),
    ),
    HostMethod(
        "session.tree",
        "session",
        "List the entries of the session, of all its branches, in the order in which they were added.",
        needs=("conversation",),
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
        needs=("conversation",),
    ),
    HostMethod("tools.active", "tools2", "Name the tools that the model may call."),
    HostMethod("tools.list", "tools2", "List the tools of the agent."),
    HostMethod(
        "tools.set_active",
        "tools2",
        "Take all other tools from the model, from its next request on, until the extension ends. "
        "Tools that are registered later are active. What another extension has taken away stays "
        "away.",
        (CallParam("names", "list", "Names of tools.", required=True),),
    ),
)
