#!/usr/bin/env python3
"""Sends what the person announces to the other extensions, and shows what they send."""

from zot_ext import BusMessage, Extension

ext = Extension("event-bus", "1.0.0")


@ext.command("announce", "send a message to the other extensions")
def announce(text: str) -> str:
    receivers = ext.bus.emit("note.text", {"text": text})
    return f"sent to {receivers} extensions"


@ext.bus.on("note.*")
def show(message: BusMessage) -> None:
    ext.notify(f"{message.sender}, {message.channel}: {message.data}")


ext.run()
