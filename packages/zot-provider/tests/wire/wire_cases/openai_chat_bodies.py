"""The column of the table for Chat Completions: the exact body for each conversation."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "one question": {
        "model": "m-1",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0.5,
    },
    "a tool runs and the user goes on": {
        "model": "m-1",
        "messages": [
            {"role": "user", "content": "what is in a.txt?"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"path":"a.txt","n":1e5}'},
                    },
                    {"id": "call_2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "error: no such file"},
            {"role": "tool", "tool_call_id": "call_2", "content": "b.txt\nc.txt"},
            {"role": "user", "content": "then b.txt"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Read a file.",
                    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                },
            },
            {
                "type": "function",
                "function": {
                    "name": "list",
                    "description": "List a folder.",
                    "parameters": {"type": "object", "properties": {}},
                },
            },
        ],
    },
    "images from the user and from a tool": {
        "model": "m-1",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "compare"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"b.png"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "b.png:"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "image of the tool result call_1:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                    {"type": "text", "text": "well?"},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_2", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "call_2", "content": "(an image)"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "image of the tool result call_2:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                ],
            },
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Read a file.",
                    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                },
            }
        ],
    },
    "images for a model that sees none": {
        "model": "m-1",
        "messages": [{"role": "user", "content": "(image omitted: this model cannot see images)\nwhat is it?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "a history with holes": {
        "model": "m-1",
        "messages": [
            {"role": "user", "content": "one\ntwo �"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "functions_read_0_9a062ddf",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"invalid_arguments": "not JSON"}'},
                    }
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "functions_read_0_9a062ddf",
                "content": "error: tool call was aborted; no result recorded.",
            },
            {"role": "user", "content": "three"},
            {
                "role": "assistant",
                "content": "half an ans",
                "tool_calls": [
                    {
                        "id": "functions_read_0_9a062ddf_2",
                        "type": "function",
                        "function": {"name": "read", "arguments": "{}"},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "functions_read_0_9a062ddf_2", "content": "(no output)"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "thinking of three wires": {
        "model": "m-2",
        "messages": [
            {"role": "user", "content": "think"},
            {"role": "assistant", "content": "thought", "reasoning_content": "plain"},
            {"role": "user", "content": "more"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "reasoning_effort": "high",
    },
    "an effort that the model does not know": {
        "model": "m-3",
        "messages": [{"role": "user", "content": "think"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "high",
    },
    "no effort": {
        "model": "m-3",
        "messages": [{"role": "user", "content": "think"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "none",
    },
    "thinking switched on in the middle of a tool loop": {
        "model": "m-2",
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "list", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "list",
                    "description": "List a folder.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "reasoning_effort": "low",
    },
    "an answer with a schema": {
        "model": "m-1",
        "messages": [{"role": "user", "content": "how many?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "schema": {
                    "type": "object",
                    "properties": {"count": {"type": "integer"}},
                    "required": ["count"],
                    "additionalProperties": False,
                },
                "strict": True,
            },
        },
    },
}
