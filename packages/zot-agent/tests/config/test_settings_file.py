import asyncio
import contextlib
import json
import os
import stat
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zot_agent.config.settings import FILE
from zot_agent.config.settings_file import LOCK, change_settings, project_file, user_file
from zot_provider.errors import ConfigError

few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def change(home: Path, **changes: object) -> None:
    await change_settings(str(home), user_file(str(home)), changes)


async def test_a_change_keeps_unknown_keys_and_the_order(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text('{"codemode": {"b": 1, "a": [2.50, "\\ud800é"]}, "theme": "old", "model": "m", "x": null}')
    await change(tmp_path, theme="new", reasoning="low", model=None)
    assert list(json.loads(path.read_text())) == ["codemode", "theme", "x", "reasoning"]
    assert json.loads(path.read_text()) == {
        "codemode": {"b": 1, "a": [2.5, "\ud800é"]},
        "theme": "new",
        "x": None,
        "reasoning": "low",
    }


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@few
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
async def test_whatever_else_is_in_the_file_stays(tmp_path: Path, others: dict[str, object]) -> None:
    others.pop("theme", None)
    (tmp_path / FILE).write_text(json.dumps(others))
    await change(tmp_path, theme="a")
    assert json.loads((tmp_path / FILE).read_text()) == {**others, "theme": "a"}
    await change(tmp_path, theme=None)
    after = json.loads((tmp_path / FILE).read_text())
    assert (after, list(after)) == (others, list(others))


@pytest.mark.parametrize("depth", [200, 900, 100_000])
async def test_a_file_that_is_nested_deeply_is_changed_or_kept(tmp_path: Path, depth: int) -> None:
    path = tmp_path / FILE
    path.write_text('{"x": ' + "[" * depth + "]" * depth + "}")
    before = path.read_text()
    with contextlib.suppress(ConfigError):
        await change(tmp_path, theme="a")
    assert path.read_text() == before or json.loads(path.read_text())["theme"] == "a"


async def test_a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_bits(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await change(home, theme="a")
    path = home / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    await change(home, theme="b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert sorted(os.listdir(home)) == [FILE, LOCK]


async def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.json").write_text("{}")
    (tmp_path / FILE).symlink_to("dotfiles.json")
    await change(tmp_path, theme="a")
    assert (tmp_path / FILE).is_symlink()
    assert json.loads((tmp_path / "dotfiles.json").read_text()) == {"theme": "a"}


@pytest.mark.parametrize("content", ["[]", '{"theme": ', "\xff"])
async def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / FILE
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError, match=str(path)):
        await change(tmp_path, theme="a")
    assert path.read_bytes() == content.encode("latin-1")


async def test_changes_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    await asyncio.gather(*(change(tmp_path, **{f"key{number}": number}) for number in range(20)))
    assert json.loads((tmp_path / FILE).read_text()) == {f"key{number}": number for number in range(20)}


async def test_a_lock_that_another_process_keeps_is_an_error(tmp_path: Path) -> None:
    with FileLock(tmp_path / LOCK), pytest.raises(ConfigError, match="another process has held"):
        await change_settings(str(tmp_path), user_file(str(tmp_path)), {"theme": "a"}, limit=0.05)
    assert not (tmp_path / FILE).exists()


async def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot write"):
        await change_settings(str(tmp_path), str(tmp_path / "file" / FILE), {"theme": "a"})


async def test_a_projects_file_cannot_be_a_link_to_another_place(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project, outside):
        folder.mkdir()
    assert project_file(str(project)) == f"{project}/.zot/{FILE}"
    (project / ".zot").symlink_to(outside)
    with pytest.raises(ConfigError, match="leads out of the project"):
        project_file(str(project))
