import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.cli.ext.folder.flag import with_enabled, write_enabled
from zot_agent.extensions.discover import MANIFEST_FILE
from zot_provider.errors import ConfigError

PRETTY = """{
  "name": "weather",
  "exec": "./weather",
  "x-theirs": {"enabled": true, "n": 1e5},
  "enabled": true
}
"""


def test_the_flag_alone_changes() -> None:
    off = with_enabled(PRETTY, False)
    assert off == PRETTY.replace('"enabled": true\n', '"enabled": false\n')
    assert with_enabled(off, True) == PRETTY


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ('{"name":"a","exec":"b"}', '{"name":"a","exec":"b","enabled": false}'),
        ('{ "name": "a" }', '{ "name": "a", "enabled": false }'),
        ('{\n\t"name": "a",\n\t"exec": "b"\n}\n', '{\n\t"name": "a",\n\t"exec": "b",\n\t"enabled": false\n}\n'),
        ('{\r\n  "name": "a, b"\r\n}', '{\r\n  "name": "a, b",\r\n  "enabled": false\r\n}'),
        ('\ufeff{"name":"a"}', '\ufeff{"name":"a","enabled": false}'),
        ('{"enabled":null,"name":"a"}', '{"enabled":false,"name":"a"}'),
        ('{"enabled":true,"enabled":true}', '{"enabled":true,"enabled":false}'),
        ("{}", '{"enabled": false}'),
    ],
)
def test_a_flag_that_is_missing_is_added_as_its_neighbours_are_written(text: str, off: str) -> None:
    assert with_enabled(text, False) == off


def test_a_flag_that_is_missing_means_enabled() -> None:
    assert with_enabled('{"name":"a"}', True) == '{"name":"a"}'


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a"', '{"a":', '{"a":1', '{"a":1 "b":2}', "{1:2}", "3"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        with_enabled(text, False)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(max_size=8) | st.just("enabled"), VALUES, max_size=5),
    st.sampled_from([None, 0, 2, "\t"]),
    st.booleans(),
    st.booleans(),
)
def test_everything_but_the_flag_stays_in_its_order(
    value: dict[str, object], indent: int | str | None, ascii_only: bool, enabled: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    changed = with_enabled(text, enabled)
    expected = list((value if enabled and "enabled" not in value else value | {"enabled": enabled}).items())
    assert json.loads(changed, object_pairs_hook=list) == json.loads(json.dumps(dict(expected)), object_pairs_hook=list)
    assert with_enabled(changed, enabled) == changed


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / MANIFEST_FILE
    path.write_text(PRETTY)
    return path


def test_the_file_keeps_its_permissions_and_nothing_is_left_beside_it(manifest: Path) -> None:
    manifest.chmod(0o640)
    assert write_enabled(str(manifest.parent), False)
    assert not write_enabled(str(manifest.parent), False)
    assert json.loads(manifest.read_text())["enabled"] is False
    assert manifest.stat().st_mode & 0o777 == 0o640
    assert not [name for name in os.listdir(manifest.parent) if name.startswith(".zot")]


def test_a_manifest_that_is_a_link_stays_one(manifest: Path, tmp_path: Path) -> None:
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / MANIFEST_FILE).symlink_to(manifest)
    assert write_enabled(str(folder), False)
    assert (folder / MANIFEST_FILE).is_symlink()
    assert json.loads(manifest.read_text())["enabled"] is False


def test_a_manifest_that_cannot_be_changed_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot change .*extension\.json: No such file"):
        write_enabled(str(tmp_path), False)
    (tmp_path / MANIFEST_FILE).write_text("[]")
    with pytest.raises(ConfigError, match=r"cannot change .*extension\.json: not valid JSON"):
        write_enabled(str(tmp_path), False)
