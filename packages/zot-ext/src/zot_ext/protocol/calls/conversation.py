"""Messages, the stored conversation, what an extension keeps, models, programs, and other extensions."""

from __future__ import annotations

from zot_ext.protocol.calls.method import IMAGES, HostMethod, read_methods
from zot_ext.protocol.fields import LARGEST, LATEST, CallField, param

_KEY = param("key", "text", "Its name.", required=True, least=1, most=200)
_SCOPE = param(
    "scope",
    "text",
    "`global` (the default), `project` (the folder), `session`, or `process` (until zot ends).",
    choices=("global", "project", "session", "process"),
)
_PORTS = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 65_535}, "maxItems": LARGEST}
LEVELS = ("off", "minimum", "low", "medium", "high", "xhigh", "max")
"""The levels of reasoning."""

CONVERSATION: tuple[HostMethod, ...] = (
    HostMethod(
        "messages.send",
        "messages",
        "Add a message in the name of the user.",
        (
            param("text", "message", "What the model reads.", required=True),
            IMAGES,
            param(
                "deliver_as",
                "text",
                "`steer`: before the next model call. `follow_up` (the default): when the model would stop. "
                "`next_turn`: with the next prompt; it is shown and stored before. `interrupt`: stop what runs, and "
                "answer this.",
                choices=("steer", "follow_up", "next_turn", "interrupt"),
            ),
            param(
                "trigger",
                "flag",
                "If nothing runs, have `steer` and `follow_up` answered now (the default), not as `next_turn`.",
            ),
            param("display_text", "message", "What the person sees in its place."),
            param("hidden", "flag", "Do not show it to the person."),
            param("custom_type", "text", "Stored with it, for the extension.", most=200),
            param("details", "any", "Stored with it, as JSON; 64 KiB at most. Models never see it."),
            param("expand", "flag", "Run a slash command in it; with `follow_up` once the run has ended."),
            param("wait", "flag", "Return when it is part of the conversation; `cancelled` if it never will be."),
        ),
        needs=("submit",),
    ),
    *read_methods("operations.json"),
    HostMethod("kv.get", "storage", "Read a value that the extension keeps.", (_KEY, _SCOPE)),
    HostMethod(
        "kv.set",
        "storage",
        "Keep a value.",
        (_KEY, param("value", "any", "Any JSON value but null.", required=True), _SCOPE),
    ),
    HostMethod("kv.delete", "storage", "Delete a value.", (_KEY, _SCOPE)),
    HostMethod("kv.keys", "storage", "List the keys of a scope.", (_SCOPE,)),
    HostMethod("secret.get", "storage", "Read a secret of the extension.", (_KEY,)),
    HostMethod(
        "secret.set",
        "storage",
        "Keep a secret where zot keeps the keys of providers: the keyring of the system or `auth.json`.",
        (_KEY, param("value", "text", "No spaces around it.", required=True, least=1, most=65_536)),
    ),
    HostMethod("secret.delete", "storage", "Delete a secret, or the tokens of a sign-in.", (_KEY,)),
    HostMethod(
        "auth.authorize",
        "storage",
        "Get an access token for a service of the extension: the token kept as a secret, refreshed if it ends "
        "soon, else that of a new sign-in (OAuth 2.0 with PKCE, for public clients).",
        (
            _KEY,
            param("token_url", "text", "Where codes become tokens; https.", required=True),
            param("client_id", "text", "The id of the extension at the service."),
            param(
                "flow",
                "text",
                "`browser` (the default): a page returns to this machine. `device`: a code.",
                choices=("browser", "device"),
            ),
            param("authorize_url", "text", "The page of the flow `browser`; https."),
            param("device_url", "text", "Where the flow `device` begins; https."),
            param("scope", "text", "What to ask for."),
            param(
                "parameters",
                "object",
                "Strings, added to the first request; `resource` also to those for tokens (RFC 8707).",
            ),
            CallField("ports", _PORTS, "The ports that the service returns to; any by default."),
            param("path", "text", "The path that it returns to; `/callback` by default."),
            param("title", "text", "The name of the service, for the person."),
            param("refused", "text", "A token that the service has refused: get another one."),
            param("ask", "flag", "Whether the person may be asked (the default); else `not_found`."),
        ),
    ),
)

AGENT: tuple[HostMethod, ...] = (
    HostMethod(
        "model.complete",
        "model",
        "Ask a model something, outside of the conversation. Its tokens count for the session.",
        (
            param("prompt", "message", "What to ask; or `messages`."),
            IMAGES,
            param(
                "messages",
                "objects",
                "Objects with `role` (`user` or `assistant`), `text`, `images`; the last comes from the user. Or with "
                "`role` and `content`, blocks as in `prompts.messages`; then the last may also be of the role `tool`.",
            ),
            param(
                "tools",
                "objects",
                "Tools that the model may call: objects with `name`, `description` and `schema`. The calls are in "
                "`content` of the answer; the extension runs them.",
            ),
            param("system", "message", "The system prompt."),
            param("model", "text", "A name as for `--model`; by default the current one."),
            param("max_tokens", "whole", "The longest answer.", least=1, most=10_000_000),
            param("reasoning", "text", "The reasoning level; `off` by default.", choices=LEVELS),
            param("stream", "flag", "Send the text as it comes, as `host_progress`."),
        ),
    ),
    HostMethod(
        "exec.run",
        "exec",
        "Run a program with the rights of the extension, and wait for its end.",
        (
            param("argv", "texts", "The program and its arguments.", required=True, least=1),
            param("cwd", "text", "The folder, from the project on; the project by default."),
            param("timeout_ms", "whole", "End it after this number of milliseconds.", least=1, most=LATEST),
            param(
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
            param(
                name, "texts", f"Paths of {words}, relative to the folder of the extension and inside of it.", most=100
            )
            for name, words in (("skills", "skills"), ("prompts", "prompt templates"), ("themes", "themes"))
        ),
    ),
    HostMethod(
        "bus.emit",
        "bus",
        "Send a message to other extensions, without waiting for them.",
        (
            param("channel", "text", "Its name: no spaces, no `*`, at most 200 characters.", required=True),
            param("data", "any", "Any JSON value, 256 KiB at most."),
            param("to", "text", "The name of the only extension that gets it; by default all that want the channel."),
        ),
    ),
    HostMethod(
        "request.extend",
        "cancel",
        "Ask for more time for the request `parent_id`, once for each.",
        (param("seconds", "whole", "From now on.", required=True, least=1, most=600),),
    ),
)
