#!/usr/bin/env python3
"""Writes the summary of a compaction itself: as a list of decisions, with a model of its own choice."""

from zot_ext import CompactDecision, CompactRequest, Extension, HostError, display

SYSTEM = "Summarise this conversation as a list: what was decided, which files matter, and what is left to do."

ext = Extension("custom-compaction", "1.0.0", capabilities=("model",))
model, written = "", 0


@ext.command("summarizer", "the model that writes summaries: a name, or nothing for the current one")
def choose(name: str) -> object:
    global model
    model = name.strip()
    return display(f"{written} summaries; {model or 'the current model'} writes them")


@ext.intercept("session_before_compact")
def summarise(plan: CompactRequest) -> CompactDecision | None:
    global written
    lines = []
    for message in plan.messages:
        texts = [block["text"] for block in message["content"] if block.get("type") == "text"]
        if message["id"] == plan.first_kept_id:
            break
        lines.append(f"{message['role']}: {' '.join(texts)}"[:4000])
    asked = "\n".join([*lines, "", plan.instructions]).strip()
    try:
        summary = ext.model.complete(asked, system=SYSTEM, model=model)
    except HostError as error:
        ext.log("zot writes the summary:", error)
        return None
    written += 1
    return CompactDecision(summary)


if __name__ == "__main__":
    ext.run()
