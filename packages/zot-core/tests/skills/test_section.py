import re

from zot_core.skills.section import DESCRIPTION_LIMIT, SECTION_LIMIT, skills_section
from zot_core.skills.skill import Skill


def skill(name: str, description: str = "d", *, for_people: bool = False) -> Skill:
    path = f"/skills/{name}/SKILL.md"
    return Skill(name, description, path, f"/skills/{name}", "user", disable_model_invocation=for_people)


def test_each_skill_has_a_line_with_its_description() -> None:
    section = skills_section([skill("forms", "Fills in forms."), skill("weather:maps", "Draws maps.")])
    assert section.startswith("# Skills\n\n")
    assert "call the tool `skill`" in section
    assert section.endswith("\n\n- forms: Fills in forms.\n- weather:maps: Draws maps.")


def test_without_skills_there_is_no_section() -> None:
    assert skills_section([]) == ""
    assert skills_section([skill("forms", for_people=True)]) == ""


def test_zots_own_skill_has_no_section_while_it_is_the_only_one() -> None:
    own = skill("own").replace(source="builtin")
    assert skills_section([own, skill("secret", for_people=True)]) == ""
    assert "- own: d\n- forms: d" in skills_section([own, skill("forms")])


def test_a_skill_for_the_user_alone_is_not_listed() -> None:
    section = skills_section([skill("secret", for_people=True), skill("forms")])
    assert "secret" not in section
    assert "- forms: d" in section


def test_a_long_description_is_cut() -> None:
    section = skills_section([skill("forms", "x" * 5000)])
    assert section.endswith("\n- forms: " + "x" * (DESCRIPTION_LIMIT - 1) + "…")


def test_the_list_is_bounded_and_says_which_skills_have_no_room() -> None:
    section = skills_section([skill(f"s{number:03}", "x" * 1000) for number in range(200)])
    listed = section.partition("\n\n- ")[2]
    assert len(listed) < SECTION_LIMIT + 100
    told = re.findall(r"^(?:- )?(s\d+): x", listed, re.M)
    rest = listed.partition("\n- more skills, without descriptions to save space: ")[2].split(", ")
    assert told == [f"s{number:03}" for number in range(len(told))]
    assert len(told) > 20
    assert rest == [f"s{number:03}" for number in range(len(told), len(told) + len(rest))]
    assert len(rest) > 20


def test_the_longest_names_are_bounded_too() -> None:
    section = skills_section([skill(f"{number:064}", "x" * 1000) for number in range(1000)])
    assert len(section) < SECTION_LIMIT + 500
