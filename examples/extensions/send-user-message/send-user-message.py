#!/usr/bin/env python3
"""Sends messages in the name of the user, in each of the four ways, and with an image."""

from pathlib import Path
from typing import Literal

from zot_ext import Extension, HostError, Response, display, error

WAYS: dict[Literal["steer", "follow_up", "next_turn", "interrupt"], str] = {
    "steer": "the model reads it before its next call",
    "follow_up": "the model reads it when it would stop",
    "next_turn": "the model reads it with your next prompt",
    "interrupt": "what ran is stopped, and this is answered",
}

ext = Extension("send-user-message", "1.0.0", capabilities=("messages",))


@ext.command("say", "send a message: /say steer|follow_up|next_turn|interrupt TEXT")
def say(args: str) -> Response:
    word, _, text = args.partition(" ")
    way = next((each for each in WAYS if each == word), None)
    if way is None or not text:
        return error(f"/say {'|'.join(WAYS)} TEXT")
    try:
        delivered = ext.messages.send(text, deliver_as=way, custom_type="said")
    except HostError as problem:
        return error(str(problem))
    return display(f"{delivered}: {WAYS[way]}")


@ext.command("say-image", "send an image: /say-image PATH TEXT")
def say_image(args: str) -> Response:
    path, _, text = args.partition(" ")
    try:
        image = Path(ext.host.cwd, path).read_bytes()
        return display(ext.messages.send(text, images=(image,)))
    except (OSError, HostError) as problem:
        return error(str(problem))


ext.run()
