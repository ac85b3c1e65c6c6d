"""The events that an extension can observe beyond the ones of every host: each with its group and its members, as data.

Documentation and `zot ext check` read this table. To add an event: its row here, and a row in the table of the host,
`zot_agent/extensions/hooks/observables.py`.
"""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam
from zot_ext.protocol.events.row import MODEL, STEP, TOOL, EventRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


_MESSAGE = CallParam(
    "message",
    "object",
    "`id`, `role`, `content`, `time`, `custom_type` if it has one; long texts are cut (`truncated`), images sizes",
)
_AGENT = (
    CallParam("agent_id", "text", "its id"),
    CallParam("agent_run_id", "text", "the same: a sub-agent runs once"),
    CallParam("name", "text", "the name of its definition; empty for none"),
)


def _event(name: str, doc: str, *members: CallParam) -> EventRow:
    return EventRow(name, "events2", doc, members)


OBSERVABLE: Mapping[str, EventRow] = {
    row.name: row
    for row in (
        _event("agent_start", "The first turn of a run begins."),
        _event("agent_end", "A run has ended.", CallParam("reason", "text", "`completed`, `aborted`, `error`, ...")),
        _event("agent_settled", "A run has ended, and nothing waits."),
        _event(
            "user_prompt_submit",
            "A message of the user is added to the conversation.",
            CallParam("text", "text", "what the user sees of it"),
            CallParam("image_count", "whole", "how many images it has"),
        ),
        _event("message_start", "An answer begins.", CallParam("role", "text", "`assistant`")),
        _event("message_end", "A message was added to the conversation: a prompt, an answer, a result.", _MESSAGE),
        _event("tool_execution_start", "A tool begins to run.", *TOOL),
        _event("tool_execution_end", "It has ended.", *TOOL, CallParam("is_error", "flag", "whether it has failed")),
        _event(
            "tool_result",
            "A call has its result, whether or not it ran.",
            *TOOL,
            CallParam("tool_args", "object", "the arguments that the tool received, if it ran"),
            CallParam("status", "text", "`completed`, `failed`, `blocked` or `cancelled`"),
            CallParam("executed", "flag", "whether it ran"),
            CallParam("result", "object", "`content`, `is_error`, short `details`, and `truncated` if it was cut"),
        ),
        _event(
            "turn_complete",
            "A turn has ended and its tools have run.",
            STEP,
            _MESSAGE,
            CallParam("tool_results", "list", "the results, as messages"),
        ),
        _event(
            "tool_confirmation_requested",
            "The person is asked about a call.",
            *TOOL,
            CallParam("tool_preview", "text", "why the person is asked"),
        ),
        _event(
            "permission_decision",
            "A call may run, or not.",
            *TOOL,
            CallParam("decision", "text", "`approved`, `denied` or `cancelled`"),
            CallParam("source", "text", "`user`, `policy` or `yolo`"),
            CallParam("stage", "text", "`pre_execution` or `tool_execution` (outside the sandbox)"),
            CallParam("reason", "text", "why"),
        ),
        _event(
            "subagent_start",
            "A sub-agent starts.",
            *_AGENT,
            CallParam("task", "text", "its task, cut like a message"),
            CallParam("model", "text", "its model"),
            CallParam("parent", "text", "the id of the sub-agent that started it; empty for the agent itself"),
        ),
        _event(
            "subagent_stop",
            "A sub-agent has ended.",
            *_AGENT,
            CallParam("status", "text", "`completed`, `aborted`, `error`, or the limit that it has reached"),
            CallParam("error", "text", "why, unless it was completed"),
            CallParam("steps", "whole", "its model calls"),
            CallParam("tokens", "whole", "all tokens that it has used"),
            CallParam("branch", "text", "the git branch with what it changed in a worktree; empty without one"),
        ),
        _event(
            "model_select",
            "Another model answers.",
            *MODEL,
            CallParam("previous_model", "text", "the one before"),
            CallParam("previous_provider", "text", "its provider"),
        ),
        _event(
            "thinking_level_select",
            "Another reasoning level.",
            CallParam("level", "text", "the level"),
            CallParam("previous_level", "text", "the one before"),
        ),
        _event(
            "usage",
            "A model call was counted, before its answer is added.",
            CallParam("input", "whole", "its tokens that were not in the cache"),
            CallParam("output", "whole", "the tokens of the answer"),
            CallParam("cache_read", "whole", "its tokens that were in the cache"),
            CallParam("cache_write", "whole", "its tokens that were added to the cache"),
            CallParam("cost_usd", "any", "its price in US dollars, null if it is unknown"),
            CallParam("reasoning", "any", "the part of `output` that was thought, null if it is unknown"),
        ),
        _event("tools_changed", "The model gets other tools.", CallParam("tools", "list", "their names")),
        _event(
            "queue_update",
            "Prompts wait, or do not wait any more.",
            CallParam("waiting", "list", "the prompts that wait, as typed"),
            CallParam("unread", "list", "messages that the model has not read yet"),
            CallParam("busy", "flag", "whether a run is in progress"),
        ),
        _event(
            "auto_retry_start",
            "A model call has failed and is repeated.",
            CallParam("attempt", "whole", "the number of the repetition, from 1"),
            CallParam("max_attempts", "whole", "how many there are at most"),
            CallParam("delay_ms", "whole", "the wait before it"),
            CallParam("reason", "text", "why the call failed"),
        ),
        _event(
            "auto_retry_end",
            "The repetitions have ended.",
            CallParam("success", "flag", "whether there is an answer"),
            CallParam("attempt", "whole", "the number of the last one"),
            CallParam("final_error", "text", "why the last one failed"),
        ),
        _event(
            "after_provider_response",
            "A provider has begun to answer.",
            *MODEL,
            CallParam("status", "whole", "the status of HTTP"),
            CallParam("headers", "object", "the headers of the answer, without cookies"),
        ),
        _event(
            "pre_compact",
            "The conversation is about to be compacted.",
            CallParam("reason", "text", "`manual`, `threshold` or `overflow`"),
            CallParam("message_count", "whole", "its messages"),
            CallParam("token_estimate", "whole", "its tokens"),
        ),
        _event("post_compact", "That has ended.", CallParam("status", "text", "`completed` or `failed`")),
        _event(
            "session_compact",
            "The conversation was compacted.",
            CallParam("summary", "text", "the summary, cut like a message"),
            CallParam("kept", "whole", "the messages at the end that are kept"),
            CallParam("tokens_before", "whole", "an estimate"),
            CallParam("tokens_after", "whole", "an estimate"),
        ),
        _event(
            "session_tree",
            "The conversation continues at another entry of its session.",
            CallParam("entry", "text", "the id of its last entry; empty for none"),
        ),
        _event("session_info_changed", "The session has another title.", CallParam("title", "text", "the title")),
        _event(
            "session_end",
            "The extension ends with zot, or the conversation continues in another session.",
            CallParam("reason", "text", "`shutdown` or `session_switch`"),
            CallParam("detail", "text", "`quit`, `reload`, `new`, `resume` or `fork`"),
        ),
        _event(
            "entry_appended",
            "The session has a new entry.",
            CallParam("entry", "text", "its id"),
            CallParam("kind", "text", "`user`, `assistant`, `tool` or `custom`"),
        ),
        _event("theme_changed", "The screen has another theme.", CallParam("theme", "text", "its name")),
        _event(
            "resize",
            "The terminal has another size.",
            CallParam("width", "whole", "columns"),
            CallParam("height", "whole", "rows"),
        ),
        EventRow(
            "message_update",
            "stream_events",
            "More of an answer, at most once in 50 ms for each kind.",
            (
                CallParam("kind", "text", "`text`, `reasoning` or `tool_args`"),
                CallParam("delta", "text", "what was added"),
            ),
        ),
        EventRow(
            "tool_progress",
            "stream_events",
            "Output of a running tool, at most once in 50 ms for each call.",
            (CallParam("tool_id", "text", "the id of the call"), CallParam("text", "text", "the latest output")),
        ),
    )
}
"""The events by name."""
