"""Paths that show a hidden folder a second time."""

import sys
from pathlib import Path

import pytest

from zot_core.sandbox.aliases import other_paths, parse_mounts, read_mounts

NAMES = ("/mnt", "/keys", "/a b")


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name in ("mnt/disk/@home/u", "mnt/one/home", "keys", "a b"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_a_line_of_the_table_is_parsed_with_its_escapes() -> None:
    text = "36 35 98:0 /a\\040b /mnt\\134x rw,noatime master:1 - ext3 /dev/root rw\nshort\n"
    assert parse_mounts(text) == [("98:0", "/a b", "/mnt\\x", "ext3")]


@pytest.mark.parametrize(
    ("mounts", "found"),
    [
        ([("8:1", "/", "/")], []),
        ([("8:1", "/", "/"), ("8:2", "/", "{0}/mnt")], []),
        # The whole disk, where the home is a part of it, as with btrfs.
        ([("8:1", "/@", "/"), ("8:1", "/@home/u", "{0}/home"), ("8:1", "/", "{0}/mnt/disk")], ["mnt/disk/@home/u"]),
        # The root once more, from above.
        ([("8:1", "/", "/"), ("8:1", "{0}", "{0}/mnt/one")], ["mnt/one/home"]),
        # A part of the hidden folder alone.
        ([("8:1", "/", "/"), ("8:1", "{0}/home/.ssh", "{0}/keys")], ["keys"]),
        ([("8:1", "/", "/"), ("8:1", "{0}/home/.ssh", "{0}/home/keys")], []),
        # Another disk with the same folders, and a path that is not there.
        ([("8:1", "/", "/"), ("8:2", "{0}", "{0}/mnt/one"), ("8:1", "{0}", "{0}/gone")], []),
    ],
)
def test_a_mount_of_the_same_disk_shows_it(folders: Path, mounts: list[tuple[str, str, str]], found: list[str]) -> None:
    table = [(device, root.format(folders), point.format(folders), "ext4") for device, root, point in mounts]
    assert other_paths([str(folders / "home")], table) == [str(folders / path) for path in found]


def test_processes_and_devices_that_are_mounted_elsewhere_are_hidden(folders: Path) -> None:
    usual = [("0:1", "/", "/proc", "proc"), ("0:2", "/", "/dev", "devtmpfs"), ("0:3", "/", "/dev/pts", "devpts")]
    again = [
        (device, root, f"{folders}{name}", kind) for (device, root, _, kind), name in zip(usual, NAMES, strict=True)
    ]
    assert other_paths([], [*usual, ("8:1", "/", "/", "ext4"), *again]) == [each[2] for each in again]


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux")
def test_a_table_is_read_whole_or_there_is_no_sandbox(tmp_path: Path) -> None:
    assert read_mounts()
    (tmp_path / "table").write_text("36 35 98:0 / /mnt rw - ext3 /dev/root rw\n" * 30_000)
    assert len(read_mounts(str(tmp_path / "table"))) == 30_000
    with pytest.raises(ValueError, match="cannot read where folders are mounted"):
        read_mounts(str(tmp_path / "missing"))
