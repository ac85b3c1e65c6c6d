"""The events that an extension can observe beyond the ones of every host: each with its group and its members, as data.

Documentation and `zot ext check` read this table. To add an event: its row here, and a row in the table of the host,
`zot_agent/extensions/hooks/observables.py`.
"""

from __future__ import annotations

from zot_ext.protocol.events.row import MODEL, STEP, TOOL, EventRow
from zot_ext.protocol.fields import CallField, param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


_MESSAGE = param(
    "message",
    "object",
    "`id`, `role`, `content`, `time`, `custom_type` if it has one; long texts are cut (`truncated`), images sizes",
)
_AGENT = (
    param("agent_id", "text", "its id"),
    param("agent_run_id", "text", "the same: a sub-agent runs once"),
    param("name", "text", "the name of its definition; empty for none"),
)


def _event(name: str, doc: str, *members: CallField) -> EventRow:
    return EventRow(name, "events2", doc, members)


OBSERVABLE: Mapping[str, EventRow] = {
    row.name: row
    for row in (
        _event("agent_start", "The first turn of a run begins."),
        _event("agent_end", "A run has ended.", param("reason", "text", "`completed`, `aborted`, `error`, ...")),
        _event("agent_settled", "A run has ended, and nothing waits."),
        _event(
            "user_prompt_submit",
            "A message of the user is added to the conversation.",
            param("text", "text", "what the user sees of it"),
            param("image_count", "whole", "how many images it has"),
        ),
        _event("message_start", "An answer begins.", param("role", "text", "`assistant`")),
        _event("message_end", "A message was added to the conversation: a prompt, an answer, a result.", _MESSAGE),
        _event("tool_execution_start", "A tool begins to run.", *TOOL),
        _event("tool_execution_end", "It has ended.", *TOOL, param("is_error", "flag", "whether it has failed")),
        _event(
            "tool_result",
            "A call has its result, whether or not it ran.",
            *TOOL,
            param("tool_args", "object", "the arguments that the tool received, if it ran"),
            param("status", "text", "`completed`, `failed`, `blocked` or `cancelled`"),
            param("executed", "flag", "whether it ran"),
            param("result", "object", "`content`, `is_error`, short `details`, and `truncated` if it was cut"),
        ),
        _event(
            "turn_complete",
            "A turn has ended and its tools have run.",
            STEP,
            _MESSAGE,
            param("tool_results", "list", "the results, as messages"),
        ),
        _event(
            "tool_confirmation_requested",
            "The person is asked about a call.",
            *TOOL,
            param("tool_preview", "text", "why the person is asked"),
        ),
        _event(
            "permission_decision",
            "A call may run, or not.",
            *TOOL,
            param("decision", "text", "`approved`, `denied` or `cancelled`"),
            param("source", "text", "`user`, `policy` or `yolo`"),
            param("stage", "text", "`pre_execution` or `tool_execution` (outside the sandbox)"),
            param("reason", "text", "why"),
        ),
        _event(
            "subagent_start",
            "A sub-agent starts.",
            *_AGENT,
            param("task", "text", "its task, cut like a message"),
            param("model", "text", "its model"),
            param("parent", "text", "the id of the sub-agent that started it; empty for the agent itself"),
        ),
        _event(
            "subagent_stop",
            "A sub-agent has ended.",
            *_AGENT,
            param("status", "text", "`completed`, `aborted`, `error`, or the limit that it has reached"),
            param("error", "text", "why, unless it was completed"),
            param("steps", "whole", "its model calls"),
            param("tokens", "whole", "all tokens that it has used"),
            param("branch", "text", "the git branch with what it changed in a worktree; empty without one"),
        ),
        _event(
            "model_select",
            "Another model answers.",
            *MODEL,
            param("previous_model", "text", "the one before"),
            param("previous_provider", "text", "its provider"),
        ),
        _event(
            "thinking_level_select",
            "Another reasoning level.",
            param("level", "text", "the level"),
            param("previous_level", "text", "the one before"),
        ),
        _event(
            "usage",
            "A model call was counted, before its answer is added.",
            param("input", "whole", "its tokens that were not in the cache"),
            param("output", "whole", "the tokens of the answer"),
            param("cache_read", "whole", "its tokens that were in the cache"),
            param("cache_write", "whole", "its tokens that were added to the cache"),
            param("cost_usd", "any", "its price in US dollars, null if it is unknown"),
            param("reasoning", "any", "the part of `output` that was thought, null if it is unknown"),
        ),
        _event("tools_changed", "The model gets other tools.", param("tools", "list", "their names")),
        _event(
            "queue_update",
            "Prompts wait, or do not wait any more.",
            param("waiting", "list", "the prompts that wait, as typed"),
            param("unread", "list", "messages that the model has not read yet"),
            param("busy", "flag", "whether a run is in progress"),
        ),
        _event(
            "auto_retry_start",
            "A model call has failed and is repeated.",
            param("attempt", "whole", "the number of the repetition, from 1"),
            param("max_attempts", "whole", "how many there are at most"),
            param("delay_ms", "whole", "the wait before it"),
            param("reason", "text", "why the call failed"),
        ),
        _event(
            "auto_retry_end",
            "The repetitions have ended.",
            param("success", "flag", "whether there is an answer"),
            param("attempt", "whole", "the number of the last one"),
            param("final_error", "text", "why the last one failed"),
        ),
        _event(
            "after_provider_response",
            "A provider has begun to answer.",
            *MODEL,
            param("status", "whole", "the status of HTTP"),
            param("headers", "object", "the headers of the answer, without cookies"),
        ),
        _event(
            "pre_compact",
            "The conversation is about to be compacted.",
            param("reason", "text", "`manual`, `threshold` or `overflow`"),
            param("message_count", "whole", "its messages"),
            param("token_estimate", "whole", "its tokens"),
        ),
        _event("post_compact", "That has ended.", param("status", "text", "`completed` or `failed`")),
        _event(
            "session_compact",
            "The conversation was compacted.",
            param("summary", "text", "the summary, cut like a message"),
            param("kept", "whole", "the messages at the end that are kept"),
            param("tokens_before", "whole", "an estimate"),
            param("tokens_after", "whole", "an estimate"),
        ),
        _event(
            "session_tree",
            "The conversation continues at another entry of its session.",
            param("entry", "text", "the id of its last entry; empty for none"),
        ),
        _event("session_info_changed", "The session has another title.", param("title", "text", "the title")),
        _event(
            "session_end",
            "The extension ends with zot, or the conversation continues in another session.",
            param("reason", "text", "`shutdown` or `session_switch`"),
            param("detail", "text", "`quit`, `reload`, `new`, `resume` or `fork`"),
        ),
        _event(
            "entry_appended",
            "The session has a new entry.",
            param("entry", "text", "its id"),
            param("kind", "text", "`user`, `assistant`, `tool` or `custom`"),
        ),
        _event("theme_changed", "The screen has another theme.", param("theme", "text", "its name")),
        _event(
            "resize",
            "The terminal has another size.",
            param("width", "whole", "columns"),
            param("height", "whole", "rows"),
        ),
        EventRow(
            "message_update",
            "stream_events",
            "More of an answer, at most once in 50 ms for each kind.",
            (
                param("kind", "text", "`text`, `reasoning` or `tool_args`"),
                param("delta", "text", "what was added"),
            ),
        ),
        EventRow(
            "tool_progress",
            "stream_events",
            "Output of a running tool, at most once in 50 ms for each call.",
            (param("tool_id", "text", "the id of the call"), param("text", "text", "the latest output")),
        ),
    )
}
"""The events by name."""
