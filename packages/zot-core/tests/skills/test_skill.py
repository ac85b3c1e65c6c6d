import re
from pathlib import Path

import pytest

from zot_core.skills.front_matter import FrontMatterError
from zot_core.skills.skill import HEAD_LIMIT, Skill, read_skill


def written(folder: Path, text: str | bytes) -> str:
    path = folder / "SKILL.md"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def skill(folder: Path, front: str) -> Skill:
    return read_skill(written(folder, f"---\n{front}---\nDo it.\n"), "user")


def refused(folder: Path, text: str | bytes) -> tuple[int, str]:
    with pytest.raises(FrontMatterError) as caught:
        read_skill(written(folder, text), "user")
    return caught.value.line, str(caught.value)


def test_a_skill_has_the_fields_of_its_front_matter(tmp_path: Path) -> None:
    path = written(tmp_path, "---\nname: forms\ndescription: Fills in forms.\n---\nDo it.\n")
    assert read_skill(path, "project") == Skill("forms", "Fills in forms.", path, str(tmp_path), "project")


def test_fields_with_a_meaning_are_parsed_and_the_others_kept(tmp_path: Path) -> None:
    found = skill(
        tmp_path,
        "name: forms\ndescription: >\n  Fills in\n  forms.\nallowed-tools: Bash(git add:*), Read Write\n"
        "disable-model-invocation: true\nuser-invocable: false\nlicense: MIT\nmetadata:\n  author: me\n"
        "permissions: [net]\n",
    )
    assert found.description == "Fills in forms."
    assert found.allowed_tools == ["Bash(git add:*)", "Read", "Write"]
    assert found.disable_model_invocation
    assert not found.user_invocable
    assert found.fields == {"license": "MIT", "metadata": {"author": "me"}, "permissions": ["net"]}


def test_allowed_tools_may_be_a_list(tmp_path: Path) -> None:
    found = skill(tmp_path, "description: d\nallowed-tools:\n  - Bash(git:*)\n  - Read\n")
    assert found.allowed_tools == ["Bash(git:*)", "Read"]
    assert skill(tmp_path, "description: d\nallowed-tools: [Read, [Write], '']\n").allowed_tools == ["Read"]


def test_a_skill_without_a_name_has_that_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "write-poems").mkdir()
    found = skill(tmp_path / "write-poems", "description: d\n")
    assert found.name == "write-poems"
    assert not found.disable_model_invocation
    assert found.user_invocable


def test_a_name_may_be_another_than_the_folder_and_stand_after_a_prefix(tmp_path: Path) -> None:
    path = written(tmp_path, "---\nname: Old_Name.v2\ndescription: d\n---\n")
    assert read_skill(path, "weather", "weather:").name == "weather:Old_Name.v2"


def test_a_description_is_one_line_without_controls(tmp_path: Path) -> None:
    assert skill(tmp_path, 'description: "a\\e[2J\\n\\tb  c"\n').description == "a b c"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# Forms\n", 1, "no front matter: begin with a line ---"),
        ("", 1, "no front matter"),
        ("---\nname: a\n", 1, "a line --- is missing"),
        ("---\nname: a\n---\n", 1, "a description is missing"),
        ("---\nname: a\ndescription:\n---\n", 3, "a description is missing"),
        ("---\nname: a\ndescription:\n  - b\n---\n", 3, "the description must be text"),
        ("---\ndescription: d\nname: a/b\n---\n", 3, "the name 'a/b' must be 1 to 64 letters"),
        ("---\nname: ../a\ndescription: d\n---\n", 2, "the name '../a' must be"),
        ("---\nname: " + "a" * 65 + "\ndescription: d\n---\n", 2, "must be 1 to 64"),
        ("---\nname: a\ndescription: d\n\tx: y\n---\n", 4, "not YAML"),
        (b"---\nname: a\0\n---\n", 1, "looks binary"),
        ("---\nname: a\nx: " + "b" * HEAD_LIMIT + "\n---\n", 1, "the front matter is longer than 16 KiB"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_line(
    tmp_path: Path, text: str | bytes, line: int, message: str
) -> None:
    where, what = refused(tmp_path, text)
    assert where == line
    assert message in what


def test_a_file_of_any_length_is_a_skill_if_its_front_matter_is_short(tmp_path: Path) -> None:
    path = written(tmp_path, b"---\r\ndescription: caf\xe9\r\n---\r\n" + b"\xc3\xbc" * 1_000_000)
    assert read_skill(path, "user").description == "caf\ufffd"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("disable-model-invocation: ture", "disable-model-invocation: expected true or false, got 'ture'"),
        ("user-invocable: [no]", "user-invocable: expected true or false"),
        (
            "disable-model-invocaton: true",
            "there is no field 'disable-model-invocaton'; did you mean disable-model",
        ),
        ("disallowed-tools: Bash", "the field 'disallowed-tools' seems to hold something back"),
        ("disallowedTools: Bash", "the field 'disallowedTools' seems to hold something back"),
        ("sandbox: strict", "the field 'sandbox' seems to hold something back"),
        ("hooks: {PreToolUse: [x]}", "the hooks of PreToolUse in it would not run"),
    ],
)
def test_a_field_that_holds_a_skill_back_and_is_not_understood_leaves_it_out(
    tmp_path: Path, field: str, said: str
) -> None:
    with pytest.raises(FrontMatterError, match=re.escape(said)):
        skill(tmp_path, f"name: a\ndescription: d\n{field}\n")
    assert skill(tmp_path, "name: a\ndescription: d\nhooks: {Stop: [x]}\ntools: x\nmax-cost: 1\n").name == "a"
