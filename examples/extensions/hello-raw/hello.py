#!/usr/bin/env python3
"""A slash command in plain Python. Standard output is the protocol: one JSON object per line."""

import json
import sys


def emit(frame: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


# It waits for nobody, and does not even send `ready`: after a quarter of a second of silence it counts as ready.
emit({"type": "hello", "name": "hello-raw", "version": "1.0.0", "capabilities": ["commands"]})
emit({"type": "register_command", "name": "hellopy", "description": "say hi (python)"})

for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "command_invoked":
        prompt = "Greet me very briefly. Add one emoji."
        emit({"type": "command_response", "id": frame["id"], "action": "prompt", "prompt": prompt})
    elif frame["type"] == "shutdown":
        emit({"type": "shutdown_ack"})
        break
