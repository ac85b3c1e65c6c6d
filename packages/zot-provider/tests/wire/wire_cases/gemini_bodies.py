"""The column of the table for Gemini: the exact body for each conversation."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "one question": {
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 100, "temperature": 0.5},
    },
    "a tool runs and the user goes on": {
        "contents": [
            {"role": "user", "parts": [{"text": "what is in a.txt?"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "read", "args": {"path": "a.txt", "n": 100000.0}}},
                    {"functionCall": {"name": "list", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "read", "response": {"error": "no such file"}}},
                    {"functionResponse": {"name": "list", "response": {"output": "b.txt\nc.txt"}}},
                ],
            },
            {"role": "user", "parts": [{"text": "then b.txt"}]},
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read",
                        "description": "Read a file.",
                        "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
                    },
                    {
                        "name": "list",
                        "description": "List a folder.",
                        "parametersJsonSchema": {"type": "object", "properties": {}},
                    },
                ]
            }
        ],
    },
    "images from the user and from a tool": {
        "contents": [
            {
                "role": "user",
                "parts": [{"text": "compare"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}],
            },
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": "b.png"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "b.png:"}}}]},
            {
                "role": "user",
                "parts": [
                    {"text": "image of the tool result of read:"},
                    {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
                ],
            },
            {"role": "user", "parts": [{"text": "well?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "read", "response": {"output": "(see the image)"}}}],
            },
            {
                "role": "user",
                "parts": [
                    {"text": "image of the tool result of read:"},
                    {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
                ],
            },
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read",
                        "description": "Read a file.",
                        "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
                    }
                ]
            }
        ],
    },
    "images for a model that sees none": {
        "contents": [
            {
                "role": "user",
                "parts": [{"text": "(image omitted: this model cannot see images)"}, {"text": "what is it?"}],
            }
        ]
    },
    "a history with holes": {
        "contents": [
            {"role": "user", "parts": [{"text": "one"}, {"text": "two �"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"invalid_arguments": "not JSON"}}}]},
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "name": "read",
                            "response": {"error": "tool call was aborted; no result recorded."},
                        }
                    }
                ],
            },
            {"role": "user", "parts": [{"text": "three"}]},
            {"role": "model", "parts": [{"text": "half an ans"}, {"functionCall": {"name": "read", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "(no output)"}}}]},
        ]
    },
    "thinking of three wires": {
        "contents": [
            {"role": "user", "parts": [{"text": "think"}]},
            {"role": "model", "parts": [{"text": "thought"}]},
            {"role": "user", "parts": [{"text": "more"}]},
        ],
        "generationConfig": {"temperature": 0.5, "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True}},
    },
    "an effort that the model does not know": {
        "contents": [{"role": "user", "parts": [{"text": "think"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True}},
    },
    "no effort": {
        "contents": [{"role": "user", "parts": [{"text": "think"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}},
    },
    "thinking switched on in the middle of a tool loop": {
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {
                "role": "model",
                "parts": [
                    {
                        "functionCall": {"id": "call_1", "name": "list", "args": {}},
                        "thoughtSignature": "skip_thought_signature_validator",
                    }
                ],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "call_1", "name": "list", "response": {"output": "ok"}}}],
            },
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "list",
                        "description": "List a folder.",
                        "parametersJsonSchema": {"type": "object", "properties": {}},
                    }
                ]
            }
        ],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True}},
    },
    "an answer with a schema": {
        "contents": [{"role": "user", "parts": [{"text": "how many?"}]}],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseJsonSchema": {
                "type": "object",
                "properties": {"count": {"type": "integer"}},
                "required": ["count"],
                "additionalProperties": False,
            },
        },
    },
}
