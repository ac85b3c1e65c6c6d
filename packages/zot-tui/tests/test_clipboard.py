import asyncio
import base64
import os
from pathlib import Path

from zot_tui.clipboard import LIMIT, copy, osc52, programs


def test_the_terminal_is_given_the_text_in_base64():
    assert osc52("héllo") == "\x1b]52;c;aMOpbGxv\a"


def test_tmux_is_given_it_too_and_passes_it_on():
    assert osc52("hi", tmux=True) == "\x1b]52;c;aGk=\a\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"


def test_what_terminals_would_drop_is_not_sent():
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
    return {"PATH": f"{folder}:{os.defpath}", **more}


def test_only_programs_that_are_there_and_have_a_display_are_asked(tmp_path):
    program(tmp_path, "wl-copy", "")
    program(tmp_path, "xclip", "")

    def names(**more: str) -> list[str]:
        return [os.path.basename(command[0]) for command in programs(environment(tmp_path, **more))]

    assert names() == []
    assert names(DISPLAY=":0") == ["xclip"]
    assert names(DISPLAY=":0", WAYLAND_DISPLAY="wayland-0") == ["wl-copy", "xclip"]
    assert names(DISPLAY=":0", SSH_CONNECTION="1 2 3 4") == []


def test_text_goes_to_the_terminal_and_to_a_program(tmp_path):
    program(tmp_path, "wl-copy", f"cat > '{tmp_path}/copied'")
    sent: list[str] = []

    ways = asyncio.run(copy("héllo\n", sent.append, environment(tmp_path, WAYLAND_DISPLAY="w")))

    assert ways == ("terminal", "wl-copy")
    assert (tmp_path / "copied").read_text("utf-8") == "héllo\n"
    assert sent == [osc52("héllo\n")]


def test_a_program_that_fails_gives_way_to_the_next(tmp_path):
    program(tmp_path, "wl-copy", "exit 1")
    program(tmp_path, "xclip", f"cat > '{tmp_path}/copied'")
    where = environment(tmp_path, WAYLAND_DISPLAY="w", DISPLAY=":0")

    assert asyncio.run(copy("x" * (LIMIT + 1), [].append, where)) == ("xclip",)
    assert len((tmp_path / "copied").read_text()) == LIMIT + 1


def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path):
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(held, True)
    program(tmp_path, "wl-copy", f"exec 3> '{tmp_path}/held'; echo started >&3; sleep 600 & wait")
    try:
        where = environment(tmp_path, WAYLAND_DISPLAY="w")
        assert asyncio.run(copy("x", [].append, where, limit=2.0)) == ("terminal",)
        with open(held, closefd=False) as file:
            assert file.read() == "started\n"  # up to its end: nobody holds it any more
    finally:
        os.close(held)
