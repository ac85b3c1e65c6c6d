"""The column of the table for Bedrock: the exact body for each conversation."""

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "one question": {
        "messages": [{"role": "user", "content": [{"text": "hello"}]}],
        "system": [{"text": "Be brief."}],
        "inferenceConfig": {"maxTokens": 100, "temperature": 0.5},
    },
    "a tool runs and the user goes on": {
        "messages": [
            {"role": "user", "content": [{"text": "what is in a.txt?"}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "I look."},
                    {"toolUse": {"toolUseId": "call_1", "name": "read", "input": {"path": "a.txt", "n": 100000.0}}},
                    {"toolUse": {"toolUseId": "call_2", "name": "list", "input": {}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "call_1", "content": [{"text": "no such file"}], "status": "error"}},
                    {
                        "toolResult": {
                            "toolUseId": "call_2",
                            "content": [{"text": "b.txt"}, {"text": "c.txt"}],
                            "status": "success",
                        }
                    },
                    {"text": "then b.txt"},
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read",
                        "description": "Read a file.",
                        "inputSchema": {"json": {"type": "object", "properties": {"path": {"type": "string"}}}},
                    }
                },
                {
                    "toolSpec": {
                        "name": "list",
                        "description": "List a folder.",
                        "inputSchema": {"json": {"type": "object", "properties": {}}},
                    }
                },
            ]
        },
    },
    "images from the user and from a tool": {
        "messages": [
            {
                "role": "user",
                "content": [{"text": "compare"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}],
            },
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "call_1", "name": "read", "input": {"path": "b.png"}}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "call_1",
                            "content": [
                                {"text": "b.png:"},
                                {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}},
                            ],
                            "status": "success",
                        }
                    },
                    {"text": "well?"},
                ],
            },
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "call_2", "name": "read", "input": {}}}]},
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "call_2",
                            "content": [{"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}],
                            "status": "success",
                        }
                    }
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read",
                        "description": "Read a file.",
                        "inputSchema": {"json": {"type": "object", "properties": {"path": {"type": "string"}}}},
                    }
                }
            ]
        },
    },
    "images for a model that sees none": {
        "messages": [
            {
                "role": "user",
                "content": [{"text": "(image omitted: this model cannot see images)"}, {"text": "what is it?"}],
            }
        ]
    },
    "a history with holes": {
        "messages": [
            {"role": "user", "content": [{"text": "one"}, {"text": "two �"}]},
            {
                "role": "assistant",
                "content": [
                    {
                        "toolUse": {
                            "toolUseId": "functions_read_0_9a062ddf",
                            "name": "read",
                            "input": {"invalid_arguments": "not JSON"},
                        }
                    }
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "functions_read_0_9a062ddf",
                            "content": [{"text": "tool call was aborted; no result recorded."}],
                            "status": "error",
                        }
                    },
                    {"text": "three"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"text": "half an ans"},
                    {"toolUse": {"toolUseId": "functions_read_0_9a062ddf_2", "name": "read", "input": {}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "functions_read_0_9a062ddf_2",
                            "content": [{"text": "(no output)"}],
                            "status": "success",
                        }
                    }
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read",
                        "description": "This tool is not available any more.",
                        "inputSchema": {"json": {"type": "object", "properties": {}}},
                    }
                }
            ]
        },
    },
    "thinking of three wires": {
        "messages": [
            {"role": "user", "content": [{"text": "think"}]},
            {"role": "assistant", "content": [{"text": "thought"}]},
            {"role": "user", "content": [{"text": "more"}]},
        ],
        "inferenceConfig": {"temperature": 0.5},
    },
    "an effort that the model does not know": {"messages": [{"role": "user", "content": [{"text": "think"}]}]},
    "no effort": {"messages": [{"role": "user", "content": [{"text": "think"}]}]},
    "thinking switched on in the middle of a tool loop": {
        "messages": [
            {"role": "user", "content": [{"text": "go"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "call_1", "name": "list", "input": {}}}]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "call_1", "content": [{"text": "ok"}], "status": "success"}}],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "list",
                        "description": "List a folder.",
                        "inputSchema": {"json": {"type": "object", "properties": {}}},
                    }
                }
            ]
        },
    },
    "an answer with a schema": {
        "messages": [{"role": "user", "content": [{"text": "how many?"}]}],
        "outputConfig": {
            "textFormat": {
                "type": "json_schema",
                "structure": {
                    "jsonSchema": {
                        "name": "answer",
                        "schema": '{"type":"object","properties":{"count":{"type":"integer"}},'
                        '"required":["count"],"additionalProperties":false}',
                    }
                },
            }
        },
    },
}
