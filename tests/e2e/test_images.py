"""Images on a real terminal: what it is sent, where they stand, what is left of them; and the clipboard."""

import os
import re
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from command import Zot
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn

PLACEHOLDER = "\U0010eeee"
KITTY = {"TERM": "xterm-kitty", "COLORTERM": "truecolor"}
ITERM = {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}
SENT = re.compile(rb"\x1b_Ga=T,U=1,i=(\d+),c=(\d+),r=(\d+),f=100,q=2,m=[01];")
DELETED = re.compile(rb"\x1b_Ga=d,d=I,i=(\d+),q=2\x1b\\")
STRIP = re.compile(rb"\x1b7\x1b\[(\d+)D\x1b\]1337;File=inline=1;size=\d+;width=(\d+);height=1;[^\x07]*\x07\x1b8")


def png(width: int, height: int) -> bytes:
    """An image of many colours."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (x % 256, y % 256, 128)) for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def screen(
    zot: Zot,
    server: ScriptedServer,
    *arguments: str,
    answers: Mapping[bytes, bytes] | None = None,
    shows: str = "ask, or / for commands",
    **environment: str,
) -> PtyScreen:
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), *arguments]
    environment = {**zot.env, **environment}
    answers = {b"\x1b[>c": b"\x1b[>1;4000;40c", **(answers or {})}
    pty = PtyScreen(command, environment=environment, cwd=str(zot.cwd), answers=answers)
    pty.wait_for(shows)
    return pty


def look_at(zot: Zot, server: ScriptedServer, width: int = 320, height: int = 160) -> None:
    """Have the model read an image."""
    (zot.cwd / "a.png").write_bytes(png(width, height))
    server.add(Turn(calls=[Call("read", {"path": "a.png"})]), "So many colours.")


def cells(pty: PtyScreen) -> list[int]:
    """Cells of the image on each row that has any."""
    return [count for row in pty.screen().splitlines() if (count := row.count(PLACEHOLDER))]


def test_kitty_shows_an_image_that_scrolls_and_is_gone_at_the_end(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    server.add("\n\n".join(f"line {number}" for number in range(40)))
    with screen(zot, server, **KITTY) as pty:
        pty.type("look\r")
        pty.wait_for("So many colours.")
        pty.wait_until(lambda: cells(pty) == [40] * 10)  # 320 by 160 pixels in cells of 8 by 16
        shown = pty.screen().splitlines()
        caption = next(number for number, row in enumerate(shown) if "▨ PNG · 320×160" in row)
        for row in range(10):
            assert shown[caption + 1 + row].startswith("    " + PLACEHOLDER)
            assert shown[caption + 1 + row].strip(f" {PLACEHOLDER}") != ""  # the row and the columns
        number, columns, rows = map(int, SENT.findall(bytes(pty.received))[0])
        assert (columns, rows) == (40, 10)
        color = pty.style_at(4, caption + 1).fg
        assert int(color, 16) == number

        pty.type("more\r")
        pty.wait_for("line 39")
        assert cells(pty) == []
        pty.type("\x1b[1;2H")  # Shift+Home
        pty.wait_until(lambda: cells(pty) == [40] * 10)
        pty.type("\x1b[1;2B")  # and a row down
        pty.resize(30, 24)
        pty.wait_until(lambda: bool(cells(pty)) and set(cells(pty)) == {26})
        pty.wait_until(lambda: len(SENT.findall(bytes(pty.received))) == 2)
        pty.type("\x1b[1;2F\x04")
        assert pty.wait_end() == 0
        received = bytes(pty.received)
        sent = [found[0] for found in SENT.findall(received)]
        assert len(sent) == len(set(sent)) == 2
        assert sorted(DELETED.findall(received)) == sorted(sent)
        assert received.rfind(b"\x1b_Ga=d") < received.rfind(b"\x1b[?1049l")
        assert PLACEHOLDER not in pty.screen()


def test_an_image_of_an_earlier_session_is_shown_again(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    assert zot.ask(server, "-p", "look").code == 0
    with screen(zot, server, "-c", **KITTY) as pty:
        pty.wait_until(lambda: cells(pty) == [40] * 10)
        pty.type("\x04")
        assert pty.wait_end() == 0
        assert "▨ PNG · 320×160" in pty.screen()


def test_the_terminal_says_how_large_its_cells_are(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    with screen(zot, server, answers={b"\x1b[16t": b"\x1b[6;32;16t"}, **KITTY) as pty:
        pty.type("look\r")
        pty.wait_until(lambda: cells(pty) == [20] * 5)
        pty.type("\x04")
        assert pty.wait_end() == 0
        assert "6;32" not in pty.screen()


def test_stopping_and_going_on_gives_the_image_again(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    with screen(zot, server, **KITTY) as pty:
        pty.type("look\r")
        pty.wait_until(lambda: cells(pty) == [40] * 10)
        pty.type("\x1a")  # Ctrl+Z; with no shell to stop for it goes on by itself
        pty.wait_until(lambda: len(SENT.findall(bytes(pty.received))) == 2)
        pty.wait_until(lambda: cells(pty) == [40] * 10)
        first, second = SENT.finditer(bytes(pty.received))
        assert first[1] == second[1]
        assert DELETED.search(bytes(pty.received), first.end(), second.start())
        pty.type("\x04")
        assert pty.wait_end() == 0


def test_iterm_is_given_the_rows_that_are_in_view(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    server.add("\n\n".join(f"line {number}" for number in range(40)))
    with screen(zot, server, **ITERM) as pty:
        pty.type("look\r")
        pty.wait_until(lambda: len(STRIP.findall(bytes(pty.received))) >= 10)
        pty.wait_for("So many colours.")
        assert set(STRIP.findall(bytes(pty.received))) == {(b"40", b"40")}
        assert PLACEHOLDER not in pty.screen()
        pty.type("more\r")
        pty.wait_for("line 39")
        before = len(STRIP.findall(bytes(pty.received)))
        pty.type("\x1b[1;2H")
        pty.wait_for("a.png")
        pty.wait_until(lambda: len(STRIP.findall(bytes(pty.received))) == before + 10)
        pty.type("\x04")
        assert pty.wait_end() == 0


def test_other_terminals_show_half_blocks(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    with screen(zot, server, TERM="xterm-256color") as pty:
        pty.type("look\r")
        pty.wait_until(lambda: pty.screen().count("▀") == 400)
        pty.type("\x04")
        assert pty.wait_end() == 0
        assert "▀" not in pty.screen()


def test_an_unknown_way_is_told_once_and_a_setting_turns_images_off(zot: Zot, server: ScriptedServer) -> None:
    look_at(zot, server)
    zot.home.mkdir()
    (zot.home / "config.json").write_text('{"inline_images_enabled": false}')
    with screen(zot, server, TERM="xterm-256color", ZOT_INLINE_IMAGES="sixel") as pty:
        pty.wait_for("ZOT_INLINE_IMAGES: expected one of kitty, iterm, half, off, auto")
        pty.type("look\r")
        pty.wait_for("So many colours.")
        assert "▨ PNG · 320×160" in pty.screen()
        assert "▀" not in pty.screen()
        pty.type("\x04")
        assert pty.wait_end() == 0


# The clipboard


@pytest.fixture
def clipboard(zot: Zot, tmp_path: Path) -> Callable[[bytes, str], None]:
    """Put something on a clipboard that `wl-paste` gives."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "wl-paste"
    program.write_text(f"#!/bin/sh\ncase $1 in --list-types) cat '{folder}/types' ;; *) cat '{folder}/held' ;; esac\n")
    program.chmod(0o755)
    zot.env["PATH"] = os.pathsep.join([str(folder), zot.env["PATH"]])
    zot.env["WAYLAND_DISPLAY"] = "wayland-0"

    def put(data: bytes, kind: str) -> None:
        (folder / "held").write_bytes(data)
        (folder / "types").write_text(f"TIMESTAMP\n{kind}\n")

    return put


def test_an_image_from_the_clipboard_is_sent_with_the_prompt(
    zot: Zot, server: ScriptedServer, clipboard: Callable[[bytes, str], None]
) -> None:
    clipboard(png(16, 16), "image/png")
    server.add("A square.")
    with screen(zot, server, TERM="xterm-256color") as pty:
        pty.type("what is ")
        pty.type("\x16")
        pty.wait_for("[image:clipboard-")
        (kept,) = (zot.home / "pasted").iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600
        assert kept.parent.stat().st_mode & 0o777 == 0o700
        pty.type("?\r")
        pty.wait_for("A square.")
        assert "▨ PNG · 16×16" in pty.screen()
        clipboard(b"some words", "text/plain")
        pty.type("\x16")
        pty.wait_for("some words")
        clipboard(b"", "text/plain")
        pty.type("\x15\x16")
        pty.wait_for("there is neither an image nor text on the clipboard")
        pty.type("\x04")
        assert pty.wait_end() == 0
    content = server.requests[0].body["messages"][-1]["content"]
    assert "image_url" in {part["type"] for part in content}


def test_an_image_that_was_not_sent_is_there_after_a_crash(
    zot: Zot, server: ScriptedServer, clipboard: Callable[[bytes, str], None]
) -> None:
    clipboard(png(16, 16), "image/png")
    with screen(zot, server, TERM="xterm-256color") as pty:
        pty.type("look at \x16")
        pty.wait_for("[image:clipboard-")
        pty.wait_until(lambda: any("clipboard-" in path.read_text() for path in (zot.home / "drafts").glob("*.json")))
        pty.process.kill()
        pty.wait_end()
    server.add("A square.")
    with screen(zot, server, shows="look at [image:clipboard-", TERM="xterm-256color") as pty:
        pty.type("\r")
        pty.wait_for("A square.")
        pty.type("\x04")
        assert pty.wait_end() == 0
    content = server.requests[0].body["messages"][-1]["content"]
    assert "image_url" in {part["type"] for part in content}
