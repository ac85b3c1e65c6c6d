#!/usr/bin/env python3
"""Calls the person, who may look at another window: a failed command, a long one, a time that is up."""

import threading
import time

from zot_ext import Event, Extension, HostError, Response, display, error

LONG = 30.0

ext = Extension("notify", "1.0.0", capabilities=("events2", "widgets"))
began: dict[str, float] = {}


@ext.on("tool_execution_start")
def begin(event: Event) -> None:
    began[event.tool_id] = time.monotonic()


@ext.on("tool_execution_end")
def end(event: Event) -> None:
    seconds = time.monotonic() - began.pop(event.tool_id, time.monotonic())
    if event.extra.get("is_error"):
        call(f"{event.tool_name} has failed")
    elif seconds > LONG:
        call(f"{event.tool_name} is done after {seconds:.0f} s")


@ext.command("alert", "call me: /alert MINUTES WHY")
def alert(args: str) -> Response:
    minutes, _, why = args.partition(" ")
    try:
        seconds = float(minutes) * 60
    except ValueError:
        return error("write /alert MINUTES WHY")
    timer = threading.Timer(max(0.0, seconds), call, [why or "the time is up"])
    timer.daemon = True
    timer.start()
    return display(f"I call you in {minutes} min")


def call(text: str) -> None:
    try:
        ext.widgets.alert(text)
    except HostError as failure:
        ext.log(str(failure))  # one has just been shown, or there is nothing to show it on


ext.run()
