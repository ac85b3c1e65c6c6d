"""The agent, models, programs, tools, and the open request."""

from __future__ import annotations

from zot_ext.protocol.calls.method import IMAGES, CallParam, HostMethod

AGENT: tuple[HostMethod, ...] = (
    HostMethod("control.state", "control", "Describe what the agent does, and all that a status row shows."),
    HostMethod("control.abort", "control", "Stop the running prompt."),
    HostMethod(
        "control.compact",
        "control",
        "Replace all but the last messages with a summary, once nothing runs.",
        (CallParam("instructions", "text", "What the summary must keep."),),
    ),
    HostMethod("control.wait_idle", "control", "Return when nothing runs and waits."),
    HostMethod("control.system_prompt", "control", "Read the system prompt."),
    HostMethod("control.commands", "control", "List the slash commands of prompt templates, skills and extensions."),
    HostMethod("control.skills", "control", "List the skills."),
    HostMethod(
        "control.reload",
        "control",
        "Restart all extensions, this one too, once the command is answered.",
        in_command=True,
    ),
    HostMethod("control.shutdown", "control", "End zot, once nothing runs and waits and the request is answered."),
    HostMethod(
        "model.list",
        "model",
        "List models.",
        (
            CallParam(
                "scope",
                "text",
                "`ready` (the default): those with a key. `current`: of the provider in use. `favourites`: the "
                "person's favourites, in their order. `all`.",
            ),
        ),
    ),
    HostMethod("model.get", "model", "Describe the model."),
    HostMethod(
        "model.set",
        "model",
        "Continue with another model; only while nothing runs.",
        (
            CallParam("model", "text", "A name as for `--model`, a reasoning level may follow.", required=True),
            CallParam("provider", "text", "Its provider."),
        ),
    ),
    HostMethod(
        "model.reasoning",
        "model",
        "Change the reasoning level; only while nothing runs.",
        (CallParam("level", "text", "`off`, `low`, `high`, ...; the nearest that the model has.", required=True),),
    ),
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
    ),
    HostMethod("tools.list", "tools2", "List the tools of the agent."),
    HostMethod("tools.active", "tools2", "Name the tools that the model may call."),
    HostMethod(
        "tools.set_active",
        "tools2",
        "Take all other tools from the model, from its next request on, until the extension ends. Tools that are "
        "registered later are active. What another extension has taken away stays away.",
        (CallParam("names", "list", "Names of tools.", required=True),),
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
