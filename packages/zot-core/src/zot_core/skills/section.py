"""The section of the system prompt that lists the skills."""

from collections.abc import Iterable

from zot_core.skills.skill import Skill

DESCRIPTION_LIMIT = 1024
"""Maximum characters of a description; the standard allows only this number."""

SECTION_LIMIT = 24_000
"""Maximum characters of the list. Skills whose description does not fit are listed by name, as far as those fit."""

_WORDS = """# Skills

Each skill is a file with instructions for one kind of task. When what you are asked for fits a description below, \
call the tool `skill` with the name first, then do as it says. Do not load a skill that does not fit."""


def own_skill(skills: Iterable[Skill]) -> Skill | None:
    """Return zot's own skill if the model may load no other one, else None."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    return shown[0] if len(shown) == 1 and shown[0].source == "builtin" else None


def skills_section(skills: Iterable[Skill]) -> str:
    """Return the section; empty without skills that the model may load, and if zot's own is the only one: the tool
    `skill` names it. The text depends on the skills alone."""
    shown = [skill for skill in skills if not skill.disable_model_invocation]
    if not shown or own_skill(shown) is not None:
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
        rows.append(f"- more skills, without descriptions to save space: {', '.join(names)}")
    return f"{_WORDS}\n\n" + "\n".join(rows)


def _cut(description: str) -> str:
    return description if len(description) <= DESCRIPTION_LIMIT else description[: DESCRIPTION_LIMIT - 1] + "…"
