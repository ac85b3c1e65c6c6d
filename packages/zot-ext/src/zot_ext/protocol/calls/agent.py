"""Asking models, programs, what an extension brings, and the open request."""

from __future__ import annotations

from zot_ext.protocol.calls.method import IMAGES, CallParam, HostMethod

AGENT: tuple[HostMethod, ...] = (
    HostMethod(
        "model.complete",
        "model",
        "Ask a model something, outside of the conversation. Its tokens count for the session.",
        (
            CallParam("prompt", "text", "What to ask; or `messages`."),
            IMAGES,
            CallParam(
                "messages",
                "list",
                "Objects with `role` (`user` or `assistant`), `text`, `images`; the last is of the user.",
            ),
            CallParam("system", "text", "The system prompt."),
            CallParam("model", "text", "A name as for `--model`; by default the current one."),
            CallParam("max_tokens", "whole", "The longest answer."),
            CallParam("reasoning", "text", "The reasoning level; `off` by default."),
            CallParam("stream", "flag", "Send the text as it comes, as `host_progress`."),
        ),
    ),
    HostMethod(
        "exec.run",
        "exec",
        "Run a program with the rights of the extension, and wait for its end.",
        (
            CallParam("argv", "list", "The program and its arguments, strings.", required=True),
            CallParam("cwd", "text", "The folder, from the project on; the project by default."),
            CallParam("timeout_ms", "whole", "End it after so many milliseconds."),
            CallParam(
                "foreground",
                "flag",
                "Give it the terminal until it ends, for an editor or ssh: on the screen only, and only in the handler "
                "of a slash command or a shortcut. Its output is not returned.",
            ),
        ),
        needs=("exec",),
    ),
    HostMethod(
        "resources.set",
        "resources",
        "Set the skills, prompt templates and themes that the extension offers besides what its manifest names. Each "
        "call replaces what an earlier one set. They are removed when the extension ends.",
        tuple(
            CallParam(name, "list", f"Paths of {words}, relative to the folder of the extension and inside of it.")
            for name, words in (("skills", "skills"), ("prompts", "prompt templates"), ("themes", "themes"))
        ),
    ),
    HostMethod(
        "bus.emit",
        "bus",
        "Send a message to other extensions, without waiting for them.",
        (
            CallParam("channel", "text", "Its name: no spaces, no `*`, at most 200 characters.", required=True),
            CallParam("data", "any", "Any JSON value, 256 KiB at most."),
            CallParam(
                "to", "text", "The name of the only extension that gets it; by default all that want the channel."
            ),
        ),
    ),
    HostMethod(
        "request.extend",
        "cancel",
        "Ask for more time for the request `parent_id`, once for each.",
        (CallParam("seconds", "whole", "From now on; 600 at most.", required=True),),
    ),
)
