"""The methods of `host_call`: what an extension can ask the host for, as data.

Documentation, `zot ext check` and the checks of the host read this table. To add a method: its row here, and a function
with its name in the module of its group in `zot_agent/extensions/calls`.
"""

from __future__ import annotations

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class CallParam(Record):
    """A parameter; `kind` is a key of `KINDS`."""

    name: str
    kind: str
    doc: str
    required: bool = False


class HostMethod(Record):
    """A method: its group, its parameters, and the fields of its result in words."""

    name: str
    group: str
    doc: str
    params: tuple[CallParam, ...] = ()
    result: str = "nothing"


KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "text": ("a string", str),
    "whole": ("a whole number", int),
    "flag": ("true or false", bool),
    "list": ("a list", list),
    "object": ("an object", dict),
    "any": ("a JSON value", object),
}
"""The kinds of parameters, with their name in errors."""

_TIMEOUT = CallParam("timeout_ms", "whole", "Close it after so many milliseconds.")
_TITLE = CallParam("title", "text", "The question, one line.", required=True)
_MESSAGE = CallParam("message", "text", "More about it, below the title.")
_ENTRY = CallParam("entry", "text", "The id of an entry.", required=True)
_KEY = CallParam("key", "text", "1 to 200 characters.", required=True)
_SCOPE = CallParam(
    "scope", "text", "`global` (the default), `project` (the folder), `session`, or `process` (until zot ends)."
)
_ANSWER = "`value`; or `closed`: `user` or `timeout`"

CALLS: tuple[HostMethod, ...] = (
    HostMethod(
        "ui.select",
        "ui",
        "Ask for one of several options.",
        (_TITLE, CallParam("options", "list", "Strings, at least one.", required=True), _MESSAGE, _TIMEOUT),
        _ANSWER + "; `value` is the option, `index` its place from 0",
    ),
    HostMethod(
        "ui.confirm",
        "ui",
        "Ask a question for yes or no.",
        (_TITLE, _MESSAGE, _TIMEOUT),
        _ANSWER + "; `value` is true or false",
    ),
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
        _ANSWER,
    ),
    HostMethod(
        "ui.editor",
        "ui",
        "Ask for a text of several lines.",
        (_TITLE, _MESSAGE, CallParam("prefill", "text", "The text to begin with."), _TIMEOUT),
        _ANSWER,
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
        _ANSWER + "; `value` is an object with the fields that were filled in",
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
        _ANSWER + "; `value` is a list of ids",
    ),
    HostMethod(
        "messages.send",
        "messages",
        "Add a message in the name of the user.",
        (
            CallParam("text", "text", "What the model reads.", required=True),
            CallParam(
                "deliver_as",
                "text",
                "`steer`: before the next model call. `follow_up` (the default): when the model would stop. "
                "`next_turn`: with the next prompt. `interrupt`: stop what runs, and answer this.",
            ),
            CallParam(
                "trigger",
                "flag",
                "If nothing runs, have `steer` and `follow_up` answered now (the default), not later.",
            ),
            CallParam("display_text", "text", "What the person sees in its place."),
            CallParam("hidden", "flag", "Do not show it to the person."),
            CallParam("custom_type", "text", "Stored with it, for the extension."),
            CallParam("expand", "flag", "Run a slash command in it."),
        ),
        "`delivered`: `started`, `queued` or `kept` (for the next prompt)",
    ),
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
        (
            CallParam("whole_tree", "flag", "All branches, not only the current one."),
            CallParam("kinds", "list", "`user assistant tool compaction branch_summary custom`; all by default."),
            CallParam("custom_type", "text", "Only data of this extension with this type."),
            CallParam("after", "text", "The id of the entry to begin after."),
            CallParam("limit", "whole", "At most so many; 200 by default, 1000 at most."),
        ),
        "`entries`: objects with `id`, `parent`, `kind`, `label`, and `text` (its first line) or `custom_type` and "
        "`data`; `current`; `more`: whether others follow",
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
        (_ENTRY, CallParam("label", "text", "Empty to remove it.", required=True)),
    ),
    HostMethod(
        "session.rename",
        "session",
        "Give the session a title.",
        (CallParam("title", "text", "Empty to remove it.", required=True),),
    ),
    HostMethod(
        "kv.get", "storage", "Read a value that the extension keeps.", (_KEY, _SCOPE), "`value`, null without one"
    ),
    HostMethod(
        "kv.set",
        "storage",
        "Keep a value.",
        (_KEY, CallParam("value", "any", "Any JSON value but null.", required=True), _SCOPE),
    ),
    HostMethod("kv.delete", "storage", "Delete a value.", (_KEY, _SCOPE)),
    HostMethod("kv.keys", "storage", "List the keys of a scope.", (_SCOPE,), "`keys`"),
    HostMethod("secret.get", "storage", "Read a secret of the extension.", (_KEY,), "`value`, null without one"),
    HostMethod(
        "secret.set",
        "storage",
        "Keep a secret where zot keeps the keys of providers: the keyring of the system or `auth.json`.",
        (_KEY, CallParam("value", "text", "Not empty.", required=True)),
    ),
    HostMethod("secret.delete", "storage", "Delete a secret.", (_KEY,)),
    HostMethod(
        "control.state",
        "control",
        "Describe what the agent does.",
        (),
        "`idle`, `queued` (waiting prompts), `messages`, `provider`, `model`, `reasoning`, `usage`, `context` "
        "(`tokens`, `window`)",
    ),
    HostMethod("control.abort", "control", "Stop the running prompt.", (), "`stopped`: whether one ran"),
    HostMethod(
        "control.compact",
        "control",
        "Replace all but the last messages with a summary, once nothing runs.",
        (CallParam("instructions", "text", "What the summary must keep."),),
        "`end`: how it ended, `completed` or another reason",
    ),
    HostMethod("control.wait_idle", "control", "Return when nothing runs and waits."),
    HostMethod("model.get", "model", "Describe the model.", (), "`provider`, `model`, `reasoning`, `context_window`"),
    HostMethod(
        "model.set",
        "model",
        "Continue with another model; only while nothing runs.",
        (
            CallParam("model", "text", "A name as for `--model`, a reasoning level may follow.", required=True),
            CallParam("provider", "text", "Its provider."),
        ),
        "`provider`, `model`, `reasoning`, `context_window`",
    ),
    HostMethod(
        "model.complete",
        "model",
        "Ask a model something, outside of the conversation. Its tokens count for the session.",
        (
            CallParam("prompt", "text", "What to ask.", required=True),
            CallParam("system", "text", "The system prompt."),
            CallParam("model", "text", "A name as for `--model`; by default the current one."),
            CallParam("max_tokens", "whole", "The longest answer."),
            CallParam("reasoning", "text", "The reasoning level; `off` by default."),
            CallParam("stream", "flag", "Send the text as it comes, as `host_progress`."),
        ),
        "`text`, `stop`, `provider`, `model`, `usage`",
    ),
    HostMethod(
        "exec.run",
        "exec",
        "Run a program with the rights of the extension, and wait for its end.",
        (
            CallParam("argv", "list", "The program and its arguments, strings.", required=True),
            CallParam("cwd", "text", "The folder, from the project on; the project by default."),
            CallParam("timeout_ms", "whole", "End it after so many milliseconds."),
        ),
        "`output` (of both streams), `code` (null at the time limit), `timed_out`, `truncated`",
    ),
    HostMethod(
        "request.extend",
        "cancel",
        "Ask for more time for the request `parent_id`, once for each.",
        (CallParam("seconds", "whole", "From now on; 600 at most.", required=True),),
    ),
)
"""All methods, by group."""

METHODS: Mapping[str, HostMethod] = {method.name: method for method in CALLS}


def params_problem(method: HostMethod, params: Mapping[str, object]) -> str:
    """Return what is wrong with the parameters of a call, one line; empty if nothing is. Unknown ones are ignored."""
    for param in method.params:
        value = params.get(param.name)
        words, types = KINDS[param.kind]
        if value is None:
            if param.required:
                return f"{param.name} is missing: it must be {words}"
        elif not isinstance(value, types) or (param.kind == "whole" and isinstance(value, bool)):
            return f"{param.name} must be {words}"
    return ""
