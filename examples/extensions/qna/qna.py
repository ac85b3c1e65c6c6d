#!/usr/bin/env python3
"""Finds the questions in the last answer, asks them in a form, and sends the answers."""

from zot_ext import Extension, Response, display, error

SYSTEM = (
    "List the questions that this text asks its reader, one a line, each understandable on its own. No other text, no "
    "numbers. Write nothing if there are no questions."
)
MOST = 12

ext = Extension("qna", "1.0.0", capabilities=("session", "model", "messages", "ui"))


@ext.command("qna", "answer the questions of the last answer in a form: /qna [MODEL]")
def qna(model: str) -> Response:
    answers = list(ext.session.entries(kinds=("assistant",)))
    if not answers:
        return error("there is no answer yet")
    found = ext.model.complete(answers[-1]["text"], system=SYSTEM, model=model).splitlines()
    questions = [line.strip(" -*") for line in found if line.strip(" -*")][:MOST]
    if not questions:
        return display("the last answer asks nothing")
    fields = [{"name": f"q{number}", "kind": "text", "description": each} for number, each in enumerate(questions, 1)]
    given = ext.ui.form("Questions", fields)
    if not given:
        return display("nothing was sent")
    said = [f"{each}\n{given[f'q{number}']}" for number, each in enumerate(questions, 1) if f"q{number}" in given]
    ext.messages.send("\n\n".join(said), display_text=f"{len(said)} answers")
    return display(f"{len(said)} of {len(questions)} questions answered")


ext.run()
