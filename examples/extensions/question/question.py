#!/usr/bin/env python3
"""A tool with which the model asks the person, and a command that shows how it looks."""

from zot_ext import Extension, HostError, Result, text_result

OTHER = "something else..."

ext = Extension("question", "1.0.0", capabilities=("ui",))


def ask(question: str, options: list[str]) -> str | None:
    """The answer of the person; None if they closed the dialog."""
    answer = ext.ui.select(question, [*options, OTHER]) if options else OTHER
    return ext.ui.input(question) if answer == OTHER else answer


@ext.tool
def question(question: str, options: list[str] | None = None) -> Result:
    """Ask the user a question and wait for the answer.

    Args:
        question: one line
        options: the likely answers; the user can always type another
    """
    try:
        answer = ask(question, options or [])
    except HostError as error:
        return text_result(f"the user cannot be asked: {error}", is_error=True)
    return text_result("the user did not answer" if answer is None else f"the user answered: {answer}")


@ext.command("question", "see how a question of the model looks")
def show(args: str) -> str:
    answer = ask(args or "Which colour?", ["red", "blue"])
    return "no answer" if answer is None else f"answered: {answer}"


ext.run()
