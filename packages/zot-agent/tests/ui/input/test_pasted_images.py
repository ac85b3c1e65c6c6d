"""Images from the clipboard, as files."""

import os
import shlex
import time
from pathlib import Path

import pytest

from zot_agent.ui.input.external_input import DAYS, from_clipboard, remove_old, save
from zot_agent.ui.input.prompts import with_image_chips
from zot_core.images import LARGEST
from zot_provider.errors import ConfigError
from zot_tui.editor.paste import Pastes

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def clipboard(folder: Path, data: bytes, kind: str = "image/png") -> dict[str, str]:
    """An environment whose clipboard holds this."""
    (folder / "data").write_bytes(data)
    program = folder / "wl-paste"
    program.write_text(f"#!/bin/sh\ncase $1 in --list-types) echo {kind};; *) cat '{folder}/data';; esac\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "WAYLAND_DISPLAY": "w"}


async def test_an_image_becomes_a_file_that_a_paste_takes_as_dropped(tmp_path: Path) -> None:
    home = tmp_path / "Application Support"
    taken = await from_clipboard(str(home), clipboard(tmp_path, PNG))
    (path,) = (home / "pasted").iterdir()
    assert path.read_bytes() == PNG
    assert taken == shlex.quote(str(path))
    pastes = Pastes()
    assert pastes.collapse(taken) == f"[image:{path.name}] "
    assert pastes.expand(f"[image:{path.name}]") == str(path)


async def test_text_is_pasted_as_text(tmp_path: Path) -> None:
    where = clipboard(tmp_path, b"some words", "text/plain")
    assert await from_clipboard(str(tmp_path), where) == "some words"
    assert not (tmp_path / "pasted").exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "neither an image nor text"),
        (b"BM no image", "not a PNG, JPEG, GIF or WebP image"),
        (PNG + bytes(LARGEST), "larger than 3.75 MB"),
    ],
)
async def test_what_cannot_be_sent_is_told_and_not_kept(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        await from_clipboard(str(tmp_path), clipboard(tmp_path, data))
    assert not (tmp_path / "pasted").exists()


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "pasted").touch()
    with pytest.raises(ConfigError, match="cannot save the image in"):
        await from_clipboard(str(tmp_path), clipboard(tmp_path, PNG))


def test_old_images_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "pasted"
    old, new = (Path(save(str(folder), PNG, "image/png")) for _ in range(2))
    long_ago = time.time() - (DAYS + 1) * 86400
    os.utime(old, (long_ago, long_ago))
    remove_old(str(folder))
    assert [*folder.iterdir()] == [new]
    remove_old(str(tmp_path / "nowhere"))


def test_what_was_recovered_has_its_chips_again(tmp_path: Path) -> None:
    path = save(str(tmp_path), PNG, "image/jpeg")
    pastes = Pastes()
    gone = f"{tmp_path}/clipboard-00000000.png"
    text = with_image_chips(f"look at {path}: nice\n{gone} and {path}", str(tmp_path), pastes)
    name = os.path.basename(path)
    assert text == f"look at [image:{name}]: nice\n{gone} and [image:{name}]"
    assert pastes.expand(text) == f"look at {path}: nice\n{gone} and {path}"
