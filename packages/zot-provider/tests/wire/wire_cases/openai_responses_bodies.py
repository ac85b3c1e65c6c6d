"""The column of the table for Responses: the exact body for each conversation."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "one question": {
        "model": "m-1",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "stream": True,
        "store": False,
        "instructions": "Be brief.",
        "max_output_tokens": 100,
        "temperature": 0.5,
    },
    "a tool runs and the user goes on": {
        "model": "m-1",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "what is in a.txt?"}]},
            {
                "type": "message",
                "id": "msg_6d80a445",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
            },
            {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": '{"path":"a.txt","n":1e5}'},
            {"type": "function_call", "call_id": "call_2", "name": "list", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "error: no such file"},
            {"type": "function_call_output", "call_id": "call_2", "output": "b.txt\nc.txt"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "then b.txt"}]},
        ],
        "stream": True,
        "store": False,
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Read a file.",
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                "strict": False,
            },
            {
                "type": "function",
                "name": "list",
                "description": "List a folder.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            },
        ],
    },
    "images from the user and from a tool": {
        "model": "m-1",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "compare"},
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"},
                ],
            },
            {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": '{"path":"b.png"}'},
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": [
                    {"type": "input_text", "text": "b.png:"},
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"},
                ],
            },
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "well?"}]},
            {"type": "function_call", "call_id": "call_2", "name": "read", "arguments": "{}"},
            {
                "type": "function_call_output",
                "call_id": "call_2",
                "output": [
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"}
                ],
            },
        ],
        "stream": True,
        "store": False,
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Read a file.",
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                "strict": False,
            }
        ],
    },
    "images for a model that sees none": {
        "model": "m-1",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "(image omitted: this model cannot see images)"},
                    {"type": "input_text", "text": "what is it?"},
                ],
            }
        ],
        "stream": True,
        "store": False,
    },
    "a history with holes": {
        "model": "m-1",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two �"}],
            },
            {
                "type": "function_call",
                "call_id": "functions_read_0_9a062ddf",
                "name": "read",
                "arguments": '{"invalid_arguments": "not JSON"}',
            },
            {
                "type": "function_call_output",
                "call_id": "functions_read_0_9a062ddf",
                "output": "error: tool call was aborted; no result recorded.",
            },
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "three"}]},
            {
                "type": "message",
                "id": "msg_e224369a",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "half an ans", "annotations": []}],
            },
            {"type": "function_call", "call_id": "functions_read_0_9a062ddf_2", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "functions_read_0_9a062ddf_2", "output": "(no output)"},
        ],
        "stream": True,
        "store": False,
    },
    "thinking of three wires": {
        "model": "m-2",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "think"}]},
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "summed up"}],
                "encrypted_content": "cipher",
                "id": "rs_1",
            },
            {
                "type": "message",
                "id": "msg_91bb9f6c",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "thought", "annotations": []}],
            },
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "more"}]},
        ],
        "stream": True,
        "store": False,
        "temperature": 0.5,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
    },
    "an effort that the model does not know": {
        "model": "m-3",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "think"}]}],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
    },
    "no effort": {
        "model": "m-3",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "think"}]}],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "none", "summary": "auto"},
    },
    "thinking switched on in the middle of a tool loop": {
        "model": "m-2",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "call_id": "call_1", "name": "list", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
        ],
        "stream": True,
        "store": False,
        "tools": [
            {
                "type": "function",
                "name": "list",
                "description": "List a folder.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
    },
    "an answer with a schema": {
        "model": "m-1",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "how many?"}]}],
        "stream": True,
        "store": False,
        "text": {
            "format": {
                "type": "json_schema",
                "name": "answer",
                "schema": {
                    "type": "object",
                    "properties": {"count": {"type": "integer"}},
                    "required": ["count"],
                    "additionalProperties": False,
                },
                "strict": True,
            }
        },
    },
}
