"""The column of the table for Anthropic Messages: the exact body for each conversation."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "one question": {
        "model": "m-1",
        "max_tokens": 100,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}]}
        ],
        "temperature": 0.5,
    },
    "a tool runs and the user goes on": {
        "model": "m-1",
        "max_tokens": 4000,
        "stream": True,
        "tools": [
            {
                "name": "read",
                "description": "Read a file.",
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
            },
            {
                "name": "list",
                "description": "List a folder.",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": {"type": "ephemeral"},
            },
        ],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "what is in a.txt?", "cache_control": {"type": "ephemeral"}}],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "call_1", "name": "read", "input": {"path": "a.txt", "n": 100000.0}},
                    {"type": "tool_use", "id": "call_2", "name": "list", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_1",
                        "content": [{"type": "text", "text": "no such file"}],
                        "is_error": True,
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_2",
                        "content": [{"type": "text", "text": "b.txt"}, {"type": "text", "text": "c.txt"}],
                    },
                    {"type": "text", "text": "then b.txt", "cache_control": {"type": "ephemeral"}},
                ],
            },
        ],
    },
    "images from the user and from a tool": {
        "model": "m-1",
        "max_tokens": 4000,
        "stream": True,
        "tools": [
            {
                "name": "read",
                "description": "Read a file.",
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "compare"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_1", "name": "read", "input": {"path": "b.png"}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_1",
                        "content": [
                            {"type": "text", "text": "b.png:"},
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                            },
                        ],
                    },
                    {"type": "text", "text": "well?", "cache_control": {"type": "ephemeral"}},
                ],
            },
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_2", "name": "read", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_2",
                        "content": [
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                            }
                        ],
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
    },
    "images for a model that sees none": {
        "model": "m-1",
        "max_tokens": 4000,
        "stream": True,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "(image omitted: this model cannot see images)"},
                    {"type": "text", "text": "what is it?", "cache_control": {"type": "ephemeral"}},
                ],
            }
        ],
    },
    "a history with holes": {
        "model": "m-1",
        "max_tokens": 4000,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two �"}]},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "functions_read_0_9a062ddf",
                        "name": "read",
                        "input": {"invalid_arguments": "not JSON"},
                    }
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "functions_read_0_9a062ddf",
                        "content": [{"type": "text", "text": "tool call was aborted; no result recorded."}],
                        "is_error": True,
                    },
                    {"type": "text", "text": "three", "cache_control": {"type": "ephemeral"}},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "half an ans"},
                    {"type": "tool_use", "id": "functions_read_0_9a062ddf_2", "name": "read", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "functions_read_0_9a062ddf_2",
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
    },
    "thinking of three wires": {
        "model": "m-2",
        "max_tokens": 64000,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "think", "cache_control": {"type": "ephemeral"}}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "signed", "signature": "s1g"},
                    {"type": "redacted_thinking", "data": "redacted"},
                    {"type": "text", "text": "thought"},
                ],
            },
            {"role": "user", "content": [{"type": "text", "text": "more", "cache_control": {"type": "ephemeral"}}]},
        ],
        "thinking": {"type": "enabled", "budget_tokens": 24576},
    },
    "an effort that the model does not know": {
        "model": "m-3",
        "max_tokens": 8192,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "think", "cache_control": {"type": "ephemeral"}}]}
        ],
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "high"},
    },
    "no effort": {
        "model": "m-3",
        "max_tokens": 8192,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "think", "cache_control": {"type": "ephemeral"}}]}
        ],
    },
    "thinking switched on in the middle of a tool loop": {
        "model": "m-2",
        "max_tokens": 64000,
        "stream": True,
        "tools": [
            {
                "name": "list",
                "description": "List a folder.",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "list", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_1",
                        "content": [{"type": "text", "text": "ok"}],
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
    },
    "an answer with a schema": {
        "model": "m-1",
        "max_tokens": 4000,
        "stream": True,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "how many?", "cache_control": {"type": "ephemeral"}}]}
        ],
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {"count": {"type": "integer"}},
                    "required": ["count"],
                    "additionalProperties": False,
                },
            }
        },
    },
}
