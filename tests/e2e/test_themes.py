"""Themes as their authors and users have them: files, extensions that bring nothing else, a terminal with colours."""

import json
import sys
from pathlib import Path
from typing import Any

from command import Zot
from pty_screen import KITTY, PtyScreen

from zot_provider.testing import ScriptedServer

FOCUS_IN, FOCUS_OUT = "\x1b[I", "\x1b[O"
LIGHT = {b"\x1b]11;?\x1b\\": b"\x1b]11;rgb:ff/ff/ff\x1b\\"}


def screen(zot: Zot, server: ScriptedServer, **options: Any) -> PtyScreen:
    """The chat screen on a terminal that tells of focus and shows all colours, once it can be typed into."""
    environment = {**zot.env, "TERM": "xterm-256color", "COLORTERM": "truecolor", **options.pop("environment", {})}
    command = [sys.executable, "-m", "zot_agent", *zot.at(server)]
    answers = {**KITTY, **options.pop("answers", {})}
    pty = PtyScreen(command, environment=environment, cwd=str(zot.cwd), answers=answers, **options)
    pty.wait_for("ask, or / for commands")
    pty.wait_until(lambda: b"\x1b[?1004h" in pty.received)
    return pty


def paper(pty: PtyScreen) -> str:
    """The background of the first cell, `#rrggbb` without the `#`, or `default`."""
    return str(pty.style_at(0, 0).bg)


def mark(pty: PtyScreen) -> str:
    """The colour of the editor's mark."""
    row = next(number for number, line in enumerate(pty.screen().splitlines()) if line.startswith("› "))
    return str(pty.style_at(0, row).fg)


def extension(folder: Path, **theme: Any) -> Path:
    """A theme-only extension in `folder`; its theme."""
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": folder.name, "version": "1.0.0"}))
    path = folder / "theme.json"
    path.write_text(json.dumps(theme))
    return path


def look_away_and_back(pty: PtyScreen) -> None:
    pty.type(FOCUS_OUT)
    pty.type(FOCUS_IN)


def test_an_extension_that_only_brings_a_theme(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    extension(tmp_path / "solar", colors={"background": "#002b36", "user": "#cb4b16", "nosuch": "#ffffff"})
    installed = zot.run("ext", "install", str(tmp_path / "solar"))
    assert installed.code == 0
    assert "runs       nothing" in installed.out
    theme = zot.home / "extensions" / "solar" / "theme.json"
    with screen(zot, server) as pty:
        assert paper(pty) == "default"
        pty.type("/theme\r")
        pty.wait_for("solar")
        pty.type("sol\r")
        pty.wait_until(lambda: paper(pty) == "002b36")
        assert mark(pty) == "cb4b16"
        pty.wait_for("theme solar: 'colors.nosuch': no such entry; it is left out")

        theme.write_text(json.dumps({"colors": {"background": "#301934"}}))
        look_away_and_back(pty)
        pty.wait_until(lambda: paper(pty) == "301934")
        assert mark(pty) == "e6c384"  # what it does not set is taken from zot's own theme

        theme.write_text('{"colors": {')
        look_away_and_back(pty)
        pty.wait_for("not JSON")
        assert paper(pty) == "301934"  # what cannot be read leaves the screen as it was

        theme.unlink()
        look_away_and_back(pty)
        pty.wait_for("no theme 'solar': there are auto, colour-blind, dark, ember")
        theme.write_text(json.dumps({"colors": {"background": "#003300"}}))
        look_away_and_back(pty)
        pty.wait_until(lambda: paper(pty) == "003300")

        pty.type("/theme auto\r")
        pty.wait_until(lambda: paper(pty) == "default")
        pty.type("\x1b[100;5u")
        assert pty.wait_end() == 0
    assert not (zot.home / "logs" / "ext-solar.log").exists()  # nothing was started


def test_a_theme_that_is_installed_while_zot_runs_can_be_chosen_after_a_reload(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    theme = extension(tmp_path / "forest" / "forest", colors={"background": "#0b3d0b"})
    (theme.parent / "themes").mkdir()
    theme.rename(theme.parent / "themes" / "theme.json")
    with screen(zot, server) as pty:
        assert zot.run("ext", "install", str(theme.parent)).code == 0
        pty.type("/reload-ext\r")
        pty.wait_for("reloaded:")
        pty.type("/theme forest\r")
        pty.wait_until(lambda: paper(pty) == "0b3d0b")
        pty.type("\x1b[100;5u")
        assert pty.wait_end() == 0


def test_the_theme_of_the_settings_is_used_once_its_file_can_be_read(zot: Zot, server: ScriptedServer) -> None:
    theme = zot.home / "themes" / "mine.json"
    theme.parent.mkdir(parents=True)
    theme.write_text("{")
    (zot.home / "config.json").write_text('{"theme": "mine"}')
    with screen(zot, server) as pty:
        pty.wait_for("not JSON")
        assert paper(pty) == "default"
        theme.write_text('{"colors": {"background": "#101820"}}')
        look_away_and_back(pty)
        pty.wait_until(lambda: paper(pty) == "101820")
        pty.type("\x1b[100;5u")
        assert pty.wait_end() == 0


def test_a_theme_for_dark_terminals_brings_its_paper_to_a_light_one(zot: Zot, server: ScriptedServer) -> None:
    theme = zot.home / "themes" / "night.json"
    theme.parent.mkdir(parents=True)
    theme.write_text(json.dumps({"mode": "dark", "colors": {"user": "#cb4b16"}}))
    with screen(zot, server, answers=LIGHT, environment={"COLORFGBG": "0;15"}) as pty:
        pty.wait_until(lambda: mark(pty) == "7a4b00")
        assert paper(pty) == "default"
        pty.type("/theme night\r")
        pty.wait_until(lambda: mark(pty) == "cb4b16")
        assert paper(pty) == "1c1e21"
        pty.type("\x1b[100;5u")
        assert pty.wait_end() == 0
