"""The part of the system prompt that tells a model which skills there are."""

from collections.abc import Iterable

from zot_core.skills.skill import Skill

DESCRIPTION_LIMIT = 1024
"""Characters of a description that are told; the standard allows no more."""

SECTION_LIMIT = 24_000
"""Characters of the list. Skills that have no room with their description are told by name, as far as those fit."""

_WORDS = """# Skills

Each skill is a file with instructions for one kind of task. When what you are asked for fits a description below, \
call the tool `skill` with the name first, then do as it says. Do not load one that does not fit."""


def skills_section(skills: Iterable[Skill]) -> str:
    """The section, empty if there is no skill the model may load. The text depends on the skills alone."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    if not shown:
        return ""
    left = SECTION_LIMIT
    rows: list[str] = []
    names: list[str] = []
    for skill in shown:
        row = f"- {skill.name}: {_cut(skill.description)}"
        if not names and left >= len(row):
            rows.append(row)
            left -= len(row) + 1
        elif left >= len(skill.name):
            names.append(skill.name)
            left -= len(skill.name) + 2
    if names:
        rows.append(f"- without a description, for lack of room: {', '.join(names)}")
    return f"{_WORDS}\n\n" + "\n".join(rows)


def _cut(description: str) -> str:
    return description if len(description) <= DESCRIPTION_LIMIT else description[: DESCRIPTION_LIMIT - 1] + "…"
