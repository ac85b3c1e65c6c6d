"""A folder of an extension is complete or absent."""

from pathlib import Path

import pytest

from zot_agent.cli.ext.folder.staging import copied_from, copy, delete, publish, staging
from zot_provider.errors import ConfigError


def test_a_staged_folder_is_deleted_unless_it_was_published(tmp_path: Path) -> None:
    place = tmp_path / "extensions"
    for published in (False, True):
        with staging(str(place)) as path:
            Path(path).mkdir()
            (Path(path) / "file").write_text("text")
            if published:
                publish(path, str(place / "weather"))
    assert [each.name for each in place.iterdir()] == ["weather"]


def test_a_staged_folder_is_deleted_after_an_interruption(tmp_path: Path) -> None:
    def interrupted() -> None:
        with staging(str(tmp_path / "extensions")) as path:
            Path(path).mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list((tmp_path / "extensions").iterdir()) == []


def test_a_file_in_place_of_the_folder_of_extensions_is_a_mistake_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "extensions").touch()
    with pytest.raises(ConfigError, match=r"cannot write in .*extensions: "), staging(str(tmp_path / "extensions")):
        pass


def test_nothing_is_published_over_a_folder_with_files(tmp_path: Path) -> None:
    for name in ("staged", "weather"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    with pytest.raises(ConfigError, match="cannot create"):
        publish(str(tmp_path / "staged"), str(tmp_path / "weather"))
    assert (tmp_path / "weather" / "weather").exists()


def test_a_link_is_deleted_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    delete(str(tmp_path / "link"))
    delete(str(tmp_path / "link"))
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept" / "file").exists()


def test_a_copy_knows_its_source_and_leaves_git_out(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / ".git").mkdir(parents=True)
    (source / "below").mkdir()
    (source / "below" / "run").touch(mode=0o755)
    (source / "link").symlink_to("below/run")
    assert copy(str(source), str(target)) == []
    assert sorted(each.name for each in target.iterdir()) == [".zot-source.json", "below", "link"]
    assert (target / "below" / "run").stat().st_mode & 0o777 == 0o755
    assert (target / "link").readlink() == Path("below/run")
    assert (copied_from(str(target)), copied_from(str(source))) == (str(source), "")


def test_a_copy_to_a_taken_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "target").mkdir()
    with pytest.raises(ConfigError, match=r"cannot copy .*target: File exists"):
        copy(str(tmp_path / "source"), str(tmp_path / "target"))
