#!/usr/bin/env python3
"""A tool with which the model asks the person several things at once, in a form."""

from zot_ext import Extension, HostError, Result, text_result

ext = Extension("questionnaire", "1.0.0", capabilities=("ui",))


def ask(title: str, questions: list[str], options: dict[str, list[str]]) -> str | None:
    """The questions with the answers of the person; None if they closed the form."""
    fields = []
    for number, question in enumerate(questions, 1):
        choices = options.get(question)
        kind = {"kind": "select", "choices": choices} if choices else {"kind": "text"}
        fields.append({"name": f"q{number}", "description": question, **kind})
    answers = ext.ui.form(title, fields)
    if answers is None:
        return None
    lines = [f"{question}\n{answers.get(f'q{number}', '(no answer)')}" for number, question in enumerate(questions, 1)]
    return "\n\n".join(lines)


@ext.tool
def questionnaire(title: str, questions: list[str], options: dict[str, list[str]] | None = None) -> Result:
    """Ask the user several questions in one form, and wait for the answers. For a single question ask in your answer.

    Args:
        title: what the questions are about, one line
        questions: the questions, one line each
        options: the only possible answers of some questions, by question
    """
    if not questions:
        return text_result("there are no questions", is_error=True)
    try:
        answers = ask(title, questions, options or {})
    except HostError as error:
        return text_result(f"the user cannot be asked: {error}", is_error=True)
    return text_result("the user closed the form" if answers is None else answers)


@ext.command("questionnaire", "see how a form of the model looks")
def show(args: str) -> str:
    return ask(args or "Paint", ["Which colour?", "How much?"], {"Which colour?": ["red", "blue"]}) or "no answers"


ext.run()
