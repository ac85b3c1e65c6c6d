"""The events that an extension can intercept: each with its group, its members and what the answer can change, as data.

Documentation, the SDK, `zot ext check` and the checks of the host read this table. To add one: its row here, a row in
the table of the host, `zot_agent/extensions/hooks/intercepts.py`, and its request and decision in
`zot_ext/interception`.
"""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam, HostMethod, params_problem
from zot_ext.protocol.events.row import MODEL, STEP, TOOL, EventRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class InterceptableEvent(EventRow):
    """An event that is asked about, with the members of the question and of the answer.

    `blockable`: the answer `block` refuses it. `limit` is the field of `ExtensionLimits` with the time for an answer.
    """

    answer: tuple[CallParam, ...] = ()
    blockable: bool = True
    limit: str = "intercept_seconds"


_ARGS = CallParam("tool_args", "object", "its arguments")
_IMAGES = CallParam("images", "list", "its images: `mime_type`, `data` (base64)")
_MESSAGES = CallParam("messages", "list", "messages: `id`, `role`, `content`, `time`")
_COMMAND = CallParam("command", "text", "the command line")
_SUMMARY = CallParam("summary", "text", "the summary; the model is not asked for one")
_OTHER = CallParam("instructions", "text", "what the model reads of this in place of the person's words")
_INSTRUCTIONS = CallParam("instructions", "text", "what the person wants of the summary")


def _intercept(
    name: str,
    doc: str,
    members: tuple[CallParam, ...],
    answer: tuple[CallParam, ...] = (),
    *,
    blockable: bool = True,
    limit: str = "intercept_seconds",
) -> InterceptableEvent:
    return InterceptableEvent(name, "intercepts2", doc, members, answer, blockable, limit)


INTERCEPTABLE: Mapping[str, InterceptableEvent] = {
    row.name: row
    for row in (
        InterceptableEvent(
            "tool_call",
            "events",
            "A tool is about to run.",
            (*TOOL, _ARGS),
            (
                CallParam("modified_args", "object", "the arguments for the tool"),
                CallParam("terminate", "flag", "the model need not answer the result, if all of its batch say so"),
            ),
        ),
        InterceptableEvent(
            "turn_start",
            "events",
            "A model is about to be called.",
            (STEP,),
        ),
        InterceptableEvent(
            "assistant_message",
            "events",
            "A text of the model is about to be shown.",
            (CallParam("text", "text", "the text"),),
            (CallParam("replace_text", "text", "what the user sees; the model keeps its own words"),),
        ),
        InterceptableEvent(
            "before_agent_start",
            "events",
            "The agent is about to begin. With the group `intercepts2` also `prompt` and `message`.",
            (
                CallParam("session_id", "text", "the session"),
                CallParam("agent_run_id", "text", "the run"),
                CallParam("cwd", "text", "the directory of the project"),
                *MODEL,
                CallParam("system_prompt", "text", "the system prompt"),
                CallParam("prompt", "text", "what the user wrote"),
            ),
            (
                CallParam("system_prompt", "text", "the system prompt, exactly; empty removes it"),
                CallParam(
                    "message",
                    "object",
                    "a message before the answer: `content`, and `display`: false hides it; "
                    "`custom_type` and `details` as in `messages.send`",
                ),
            ),
            blockable=False,
        ),
        _intercept(
            "input",
            "The user, or a program in the user's name, sends a prompt, before its slash command is read.",
            (
                CallParam("text", "text", "the prompt"),
                _IMAGES,
                CallParam("source", "text", "where it was typed, as `mode` of `hello_ack`; or `extension`"),
                CallParam("extension", "text", "the extension that has sent it; empty for none"),
                CallParam("deliver_as", "text", "`prompt`, or to a running prompt: `steer` or `follow_up`"),
            ),
            (
                CallParam("text", "text", "the prompt instead"),
                _IMAGES,
                CallParam("handled", "flag", "nothing is sent to the model: the extension did what was wanted"),
            ),
        ),
        _intercept(
            "context",
            "A request is about to be sent: its messages. The conversation itself does not change.",
            (_MESSAGES,),
            (_MESSAGES, CallParam("drop_ids", "list", "the ids of messages to leave out")),
            limit="context_seconds",
        ),
        _intercept(
            "before_provider_request",
            "A request is about to be sent: its body, as the provider reads it.",
            (*MODEL, CallParam("api", "text", "the wire"), CallParam("payload", "object", "the body")),
            (CallParam("payload", "object", "the body instead"),),
            limit="context_seconds",
        ),
        _intercept(
            "before_provider_headers",
            "A request is about to be sent: its headers, without those of the key.",
            (*MODEL, CallParam("headers", "object", "names in lower case, and values")),
            (CallParam("headers", "object", "headers to add or replace; null removes one"),),
        ),
        _intercept(
            "message_end",
            "A message of the user or of the model is about to be added to the conversation.",
            (CallParam("message", "object", "`role`, `content`"),),
            (CallParam("message", "object", "the message instead, of the same role"),),
        ),
        _intercept(
            "tool_result",
            "A tool has run, and the model is about to read its result.",
            (
                *TOOL,
                _ARGS,
                CallParam("content", "list", "text and image blocks"),
                CallParam("details", "object", "what the tool adds for programs"),
                CallParam("is_error", "flag", "whether it has failed"),
            ),
            (
                CallParam("content", "list", "text and image blocks instead"),
                CallParam("details", "object", "details instead"),
                CallParam("is_error", "flag", "whether it counts as failed"),
            ),
        ),
        _intercept(
            "user_bash",
            "The user runs a command with `!`.",
            (
                _COMMAND,
                CallParam("exclude_from_context", "flag", "whether the model will not read its output"),
                CallParam("cwd", "text", "where it runs"),
            ),
            (
                CallParam("command", "text", "the command line instead"),
                CallParam("output", "text", "its output: the command is not run"),
                CallParam("exit_code", "whole", "its exit code, with `output`; 0 by default"),
            ),
        ),
        _intercept(
            "bash_spawn",
            "The tool bash, or the user with `!`, is about to start a shell, after every other check.",
            (_COMMAND, CallParam("cwd", "text", "where it runs"), CallParam("env", "object", "variables added for it")),
            (
                CallParam("command", "text", "the command line instead"),
                CallParam("cwd", "text", "where it runs instead"),
                CallParam("env", "object", "variables to add or replace"),
            ),
        ),
        _intercept(
            "before_stop",
            "The model has answered and calls no tool, so the run is about to end. With `block` the model reads "
            "`reason` as a message of the user, and the run continues, eight times at most.",
            (
                STEP,
                CallParam("text", "text", "the answer"),
                CallParam("continued", "whole", "how many times the run was kept from ending"),
            ),
        ),
        _intercept(
            "project_trust",
            "The project brings what can run, and the person has not decided whether it may be used. With `block` it "
            "is not used in this run. The person is asked only without an answer.",
            (
                CallParam("cwd", "text", "the folder of the project"),
                CallParam("brings", "list", "a line for each thing that it brings"),
                CallParam("changes", "list", "files that have changed since the person allowed it"),
            ),
            (CallParam("trusted", "flag", "true: it is used in this run"),),
        ),
        _intercept(
            "session_before_switch",
            "The conversation is about to continue in another session.",
            (
                CallParam("reason", "text", "`new` or `resume`"),
                CallParam("target_file", "text", "the file of the session that is resumed"),
            ),
        ),
        _intercept(
            "session_before_fork",
            "The conversation is about to continue in a copy of the session.",
            (
                CallParam("entry", "text", "the entry up to which it is copied; empty for all"),
                CallParam("position", "text", "`at` or `before` the entry"),
            ),
        ),
        _intercept(
            "session_before_compact",
            "The conversation is about to be compacted.",
            (
                CallParam("reason", "text", "`manual`, `threshold` or `overflow`"),
                _MESSAGES,
                CallParam("first_kept_id", "text", "the first message that is kept; empty for none"),
                CallParam("tokens_before", "whole", "an estimate"),
                _INSTRUCTIONS,
            ),
            (_SUMMARY, _OTHER, CallParam("first_kept_id", "text", "the first message that is kept, with `summary`")),
            limit="summary_seconds",
        ),
        _intercept(
            "session_before_tree",
            "The conversation is about to continue at another entry of its session.",
            (
                CallParam("target_id", "text", "the entry"),
                CallParam("position", "text", "`at` or `before` the entry"),
                CallParam("old_leaf_id", "text", "the entry at which it is now"),
                CallParam("wants_summary", "flag", "whether the model is to summarise what is left behind"),
                _INSTRUCTIONS,
            ),
            (_SUMMARY, _OTHER, CallParam("label", "text", "a label for the entry")),
            limit="summary_seconds",
        ),
    )
}
"""The events by name, those of every host first."""


def answer_problem(event: str, answer: Mapping[str, object]) -> str:
    """Return what is wrong with the members of an answer, one line; empty if nothing is. Unknown ones are ignored."""
    return row_problem(INTERCEPTABLE[event], answer)


def row_problem(row: InterceptableEvent, answer: Mapping[str, object]) -> str:
    """Do the same for a row."""
    return params_problem(HostMethod(row.name, row.group, row.doc, row.answer), answer)
