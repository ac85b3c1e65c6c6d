import asyncio
import base64
import gc
import os
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_tui.terminal.clipboard import LIMIT, ClipboardContent, copy, osc52, programs, read


def test_the_terminal_is_given_the_text_in_base64() -> None:
    assert osc52("héllo") == "\x1b]52;c;aMOpbGxv\a"


def test_tmux_is_given_it_too_and_passes_it_on() -> None:
    assert osc52("hi", tmux=True) == "\x1b]52;c;aGk=\a\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"


def test_what_terminals_would_drop_is_not_sent() -> None:
    longest = osc52("x" * LIMIT)
    assert longest is not None
    assert len(longest) <= 100_000
    assert base64.b64decode(longest[7:-1]) == b"x" * LIMIT
    assert osc52("x" * LIMIT + "y") is None


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}", **more}


def test_only_programs_that_are_there_and_have_a_display_are_asked(tmp_path: Path) -> None:
    program(tmp_path, "wl-copy", "")
    program(tmp_path, "xclip", "")

    def names(**more: str) -> list[str]:
        return [os.path.basename(command[0]) for command in programs(environment(tmp_path, **more))]

    assert names() == []
    assert names(DISPLAY=":0") == ["xclip"]
    assert names(DISPLAY=":0", WAYLAND_DISPLAY="wayland-0") == ["wl-copy", "xclip"]
    assert names(DISPLAY=":0", SSH_CONNECTION="1 2 3 4") == []


async def test_text_goes_to_the_terminal_and_to_a_program(tmp_path: Path) -> None:
    program(tmp_path, "wl-copy", f"cat > '{tmp_path}/copied'")
    sent: list[str] = []

    ways = await copy("héllo\n", sent.append, environment(tmp_path, WAYLAND_DISPLAY="w"))

    assert ways == ("terminal", "wl-copy")
    assert (tmp_path / "copied").read_text("utf-8") == "héllo\n"
    assert sent == [osc52("héllo\n")]


async def test_a_program_that_fails_gives_way_to_the_next(tmp_path: Path) -> None:
    program(tmp_path, "wl-copy", "exit 1")
    program(tmp_path, "xclip", f"cat > '{tmp_path}/copied'")
    where = environment(tmp_path, WAYLAND_DISPLAY="w", DISPLAY=":0")

    assert await copy("x" * (LIMIT + 1), [].append, where) == ("xclip",)
    assert len((tmp_path / "copied").read_text()) == LIMIT + 1


@pytest.mark.parametrize("script", ["exit 1", "exec <&-; sleep 0.1; exit 1", "head -c 1 >/dev/null", "sleep 600"])
async def test_a_program_that_does_not_read_leaves_no_failure_behind(tmp_path: Path, script: str) -> None:
    program(tmp_path, "wl-copy", script)
    where = environment(tmp_path, WAYLAND_DISPLAY="w")

    assert await copy("x" * 1_000_000, [].append, where, limit=2.0) == ()
    gc.collect()  # now asyncio would log it


async def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(held, True)
    program(tmp_path, "wl-copy", f"exec 3> '{tmp_path}/held'; echo started >&3; sleep 600 & wait")
    try:
        where = environment(tmp_path, WAYLAND_DISPLAY="w")
        assert await copy("x", [].append, where, limit=2.0) == ("terminal",)
        with open(held, closefd=False) as file:
            assert file.read() == "started\n"  # up to its end: nobody holds it any more
    finally:
        os.close(held)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def held(where: dict[str, str], largest: int = 10_000, limit: float = PATIENCE) -> ClipboardContent:
    return asyncio.run(read(where, largest=largest, limit=limit))


def wl_paste(folder: Path, kinds: str, data: bytes) -> dict[str, str]:
    """An environment whose clipboard holds `data`, which it says is of `kinds`."""
    (folder / "kinds").write_text(kinds)
    (folder / "data").write_bytes(data)
    asked = f"echo \"$@\" >> '{folder}/asked'"
    program(
        folder,
        "wl-paste",
        f"{asked}; if [ $1 = --list-types ]; then cat '{folder}/kinds'; else cat '{folder}/data'; fi",
    )
    return environment(folder, WAYLAND_DISPLAY="w")


def test_an_image_is_read_as_the_best_type_there_is(tmp_path: Path) -> None:
    where = wl_paste(tmp_path, "text/html\nimage/bmp\nimage/jpeg\nimage/png\n", PNG)

    assert held(where) == ClipboardContent(PNG)
    assert (tmp_path / "asked").read_text() == "--list-types\n--type image/png\n"


def test_text_is_read_where_there_is_no_image(tmp_path: Path) -> None:
    where = wl_paste(tmp_path, "text/plain\nimage/bmp\n", "héllo".encode())

    assert held(where) == ClipboardContent(text="héllo")
    assert (tmp_path / "asked").read_text() == "--list-types\n--no-newline\n"


def test_xclip_is_asked_for_its_targets(tmp_path: Path) -> None:
    program(
        tmp_path, "xclip", f"case \"$*\" in *TARGETS) echo TARGETS image/png;; *image/png) cat '{tmp_path}/data';; esac"
    )
    (tmp_path / "data").write_bytes(PNG)

    assert held(environment(tmp_path, DISPLAY=":0")) == ClipboardContent(PNG)


def test_macs_and_windows_give_images_in_digits(tmp_path: Path) -> None:
    program(tmp_path, "osascript", f"printf '«data PNGf%s»\\n' {PNG.hex().upper()}")
    assert held(environment(tmp_path)) == ClipboardContent(PNG)
    (tmp_path / "osascript").unlink()
    program(tmp_path, "powershell.exe", f"echo {base64.b64encode(PNG).decode()}")
    assert held(environment(tmp_path, WSL_DISTRO_NAME="Debian")) == ClipboardContent(PNG)


def test_of_an_image_in_digits_that_is_too_large_comes_more_than_wanted(tmp_path: Path) -> None:
    large = PNG * 20
    for name, script, more in (
        ("osascript", f"printf '«data PNGf%s»\\n' {large.hex().upper()}", {}),
        ("powershell.exe", f"echo {base64.b64encode(large).decode()}", {"WSL_DISTRO_NAME": "Debian"}),
    ):
        program(tmp_path, name, script)
        for largest in range(1000, 1008):
            found = held(environment(tmp_path, **more), largest=largest)
            assert len(found.data) > largest
            assert large.startswith(found.data)
        (tmp_path / name).unlink()


def test_no_more_is_read_than_wanted(tmp_path: Path) -> None:
    where = wl_paste(tmp_path, "image/png", b"x" * 1_000_000)

    assert held(where, largest=70_000) == ClipboardContent(b"x" * 70_001)


def test_why_nothing_can_be_read_is_one_line(tmp_path: Path) -> None:
    assert "install wl-clipboard" in held(environment(tmp_path, WAYLAND_DISPLAY="w")).problem
    assert "install xclip" in held(environment(tmp_path, DISPLAY=":0")).problem
    assert "no clipboard can be read" in held(environment(tmp_path)).problem
    where = wl_paste(tmp_path, "image/png", PNG)
    assert "over ssh" in held({**where, "SSH_CONNECTION": "1 2 3 4"}).problem
    where = wl_paste(tmp_path, "", b"")
    assert held(where).problem == "there is neither an image nor text on the clipboard"
    program(tmp_path, "wl-paste", "exit 1")
    assert held(where).problem == "there is neither an image nor text on the clipboard"


def test_a_clipboard_that_is_not_given_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "held")
    descriptor = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    program(tmp_path, "wl-paste", f"exec 3> '{tmp_path}/held'; echo started >&3; sleep 600 & wait")
    try:
        found = held(environment(tmp_path, WAYLAND_DISPLAY="w"), limit=2.0)
        assert found == ClipboardContent(problem="the clipboard could not be read within 2 s")
        with open(descriptor, closefd=False) as file:
            assert file.read() == "started\n"  # up to its end: nobody holds it any more
    finally:
        os.close(descriptor)
