#!/usr/bin/env python3
"""Summarizes the conversation with any model, and hands the work over with that summary."""

from zot_ext import Extension, HostError, Response, display, error

SYSTEM = "Summarize this conversation between a user and a coding agent in at most ten lines. State what is left to do."

ext = Extension("summarize", "1.0.0", capabilities=("session", "model", "messages", "ui"))


def summary(model: str) -> str:
    """The summary of the conversation, by a model; empty for the current one."""
    lines = [f"{entry['kind']}: {entry['text']}" for entry in ext.session.entries(kinds=("user", "assistant"))]
    return ext.model.complete("\n".join(lines) or "(nothing)", system=SYSTEM, model=model)


@ext.command("summarize", "summarize the conversation: /summarize [MODEL]")
def summarize(model: str) -> Response:
    return display(summary(model))


@ext.command("handoff", "let another model continue, with a summary that you may edit: /handoff MODEL")
def handoff(model: str) -> Response:
    if not model:
        return error("which model? /handoff MODEL")
    text = ext.ui.editor(f"What should {model} know?", summary(""))
    if not text:
        return display("nothing changed")
    try:
        ext.model.set(model)
    except HostError as problem:
        return error(str(problem))
    ext.messages.send(f"Continue this work:\n\n{text}", display_text=f"handed over to {model}")
    return display(f"{model} continues")


ext.run()
