"""What the examples draw: `zot` with some of them on a real terminal."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from command import KEY, Zot
from issue_server import IssueServer
from pty_screen import KITTY, PtyScreen
from waiting import wait_until

from zot_provider.testing import Call, ScriptedServer, Turn

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(key=KEY) as running:
        yield running


@contextlib.contextmanager
def on_screen(
    root: Path,
    server: ScriptedServer,
    *names: str,
    rows: int = 24,
    columns: int = 90,
    arguments: Sequence[str] = (),
    answers: Mapping[bytes, bytes] | None = None,
    **variables: str,
) -> Iterator[PtyScreen]:
    """`zot` with these examples, in a terminal of its own."""
    zot = Zot(root)
    subprocess.run(["git", "init", "-q", "."], cwd=zot.cwd, check=True)
    subprocess.run(["git", "remote", "add", "origin", "git@github.com:shop/till.git"], cwd=zot.cwd, check=True)
    named = [word for name in names for word in ("--ext", str(EXTENSIONS / name))]
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), *named, *arguments]
    environment = {**zot.env, "TERM": "xterm-256color", **variables}
    with PtyScreen(
        command, columns=columns, rows=rows, environment=environment, cwd=str(zot.cwd), answers=answers
    ) as pty:
        pty.wait_for("ask, or / for commands")
        yield pty


def test_open_issues_are_suggested_from_the_server(tmp_path: Path, server: ScriptedServer) -> None:
    issues = [{"number": n, "title": title, "user": {"login": "ada"}} for n, title in ((28, "Tax"), (29, "Crash"))]
    with (
        IssueServer({"shop/till": issues}) as url,
        on_screen(tmp_path, server, "github-issue-autocomplete", GITHUB_API_URL=url) as pty,
    ):
        pty.type("/issues")
        pty.wait_for("read the open issues")  # the extension has registered
        pty.type("\r")
        pty.wait_for("2 open issues in shop/till")
        pty.type("fix #cra")
        pty.wait_for("#29 Crash  ada")
        pty.type("\tfirst")
        pty.wait_for("fix #29 first")


def test_calls_results_and_messages_are_drawn_by_examples(tmp_path: Path, server: ScriptedServer) -> None:
    command = "printf '%s\\n' a b c d e f"
    server.add(Turn(calls=[Call("bash", {"command": command})]), "All is well.")
    names = ("built-in-tool-renderer", "message-renderer")
    with on_screen(tmp_path, server, *names, rows=40) as pty:
        pty.type("/remind")
        pty.wait_for("remind the model of something")  # the extension has registered
        pty.type(" buy tea\r")
        pty.wait_for("⏰ buy tea")
        pty.type("go\r")
        pty.wait_for("All is well.")
        pty.wait_for(f"● $ {command}")
        pty.wait_for("┊ 3 lines above")
        pty.type("\x1bo")  # Alt+O
        pty.wait_for("┊ a")
        assert "┊ $" not in pty.screen()


def test_cards_of_an_example_are_in_their_places_after_a_resume(tmp_path: Path, server: ScriptedServer) -> None:
    server.add("All is well.")
    with on_screen(tmp_path, server, "entry-renderer") as pty:
        pty.type("/card")
        pty.wait_for("keep a card in the conversation")  # the extension has registered
        pty.type(" ready\r")
        pty.wait_for("┃ ready")
        pty.type("go\r")
        pty.wait_done("All is well.")
        pty.type("/clone\r")
        pty.wait_for("a new session with the same conversation")
        pty.wait_for("┃ ready")
        pty.type("\x1bo")  # Alt+O
        pty.wait_for("┃ 20")


def test_an_example_changes_what_is_shown_of_an_answer(tmp_path: Path, server: ScriptedServer) -> None:
    server.add("Fixed #12, not `#13`.")
    with on_screen(tmp_path, server, "markdown-transformer") as pty:
        pty.type("/links")
        pty.wait_for("link the numbers of issues")  # the extension has registered
        pty.type(" https://x.test\rgo\r")
        pty.wait_for("Fixed #12")
        pty.wait_for("x.test/12")


def test_a_minimal_screen_has_one_row_for_each_call(tmp_path: Path, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo $((6 * 7))"})]), "Done.")
    with on_screen(tmp_path, server, "minimal-mode") as pty:
        pty.type("/minimal")
        pty.wait_for("hide the results of tools")  # the extension has registered
        pty.type("\x7f" * 8 + "go\r")
        pty.wait_for("Done.")
        wait_until(lambda: (pty.read(0.01), "42" not in pty.screen())[1])
        assert "● bash echo $((6 * 7))" in pty.screen()
        pty.type("\x1bo")  # Alt+O
        pty.wait_for("42")


def test_widgets_of_examples_are_at_their_places(tmp_path: Path, server: ScriptedServer) -> None:
    server.add("Hi.")
    with on_screen(tmp_path, server, "custom-header", "widget-placement", "titlebar-spinner", columns=220) as pty:
        pty.wait_for("◆ project")
        pty.type("/places")
        pty.wait_for("show a widget at each place")  # the extension has registered
        pty.type("\r")
        pty.wait_for("· status")  # the last of them
        rows = pty.screen().splitlines()
        assert rows[1].strip() == "header"
        assert "bottom_left" in next(row for row in rows if "bottom_right" in row)
        pty.type("go\r")
        pty.wait_for("Hi.")
        wait_until(lambda: (pty.read(0.01), pty.title == "✓ zot is done")[1])


def test_the_working_row_of_an_example(tmp_path: Path, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "read line < pipe; echo $line"})]), "Done.")
    with on_screen(tmp_path, server, "working-indicator") as pty:
        os.mkfifo(tmp_path / "project" / "pipe")
        pty.type("/working")
        pty.wait_for("choose the look of the working row")  # the extension has registered
        pty.type(" moon\r")
        pty.wait_for("the working row is moon")
        pty.type("go\r")
        pty.wait_for("thinking hard")
        (tmp_path / "project" / "pipe").write_text("on\n")
        pty.wait_for("Done.")


def test_a_plan_is_shown_above_the_editor_and_ticked(tmp_path: Path, server: ScriptedServer) -> None:
    server.add(
        Turn(calls=[Call("bash", {"command": "touch cake"})]),
        "I only look.\n\nPlan:\n1. cut the cake\n2. eat it",
        Turn(calls=[Call("bash", {"command": "touch cake"}), Call("step_done", {"number": 1})]),
        "One is left.",
    )
    with on_screen(tmp_path, server, "plan-mode", columns=200, arguments=("--plan",)) as pty:
        pty.wait_for("· plan")
        pty.type("plan it\r")
        pty.wait_for("in plan mode nothing is changed")
        pty.wait_for("☐ eat it")
        pty.wait_for("/plan go carries it out")
        assert not (tmp_path / "project" / "cake").exists()
        pty.type("/plan go\r")
        pty.wait_for("One is left.")
        pty.wait_for("☑ cut the cake")
        pty.wait_for("· plan 1/2")
        assert (tmp_path / "project" / "cake").exists()
        pty.type("\x1b\x10")  # Ctrl+Alt+P
        pty.wait_for("plan mode: nothing is changed")
        pty.wait_for("/plan go carries it out")


def test_the_model_is_in_a_border_and_its_change_is_told(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "model-status", "status-line", columns=200) as pty:
        pty.wait_until(lambda: pty.screen().count("scripted") == 2, what="the model in the border")
        server.add("Hi.")
        pty.type("go\r")
        pty.wait_done("turn 1")
        pty.type("/model gpt-5\r")
        pty.wait_for("gpt-5 answers now, in place of scripted")
        pty.wait_for("gpt-5 minimum 272k")


def test_a_failed_command_calls_the_person_in_another_window(tmp_path: Path, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "exit 3"})]), "It failed.")
    with on_screen(tmp_path, server, "notify", answers=KITTY, TERM="xterm-kitty") as pty:
        pty.type("/alert")
        pty.wait_for("call me: /alert")  # the extension has registered
        pty.type("\x7f" * 6 + "go\r")
        pty.type("\x1b[O")  # another window is in front
        pty.wait_for("It failed.")
        wait_until(lambda: (pty.read(0.01), b"p=body;notify: bash has failed\x1b\\" in pty.received)[1])


def test_a_row_of_an_example_takes_the_place_of_the_status_row(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "custom-footer") as pty:
        pty.wait_for("scripted (off)")
        footer, last = pty.screen().splitlines()[-2:]
        assert re.fullmatch(r"master +scripted \(off\) +context [3-6] %", footer.strip())
        assert "no sandbox" in last
        pty.type("/footer off\r")
        pty.wait_until(lambda: "scripted (off)" not in pty.screen(), what="the status row")
        pty.type("/footer on\r")
        pty.wait_for("scripted (off)")


PLACES = {
    "top_left": (1, 1), "top_center": (37, 1), "top_right": (73, 1),
    "left_center": (1, 10), "center": (37, 10), "right_center": (73, 10),
    "bottom_left": (1, 19), "bottom_center": (37, 19), "bottom_right": (73, 19),
}  # fmt: skip
"""Column and row of the first line of an overlay of 16 by 4 on a screen of 90 by 24."""


def places(screen: str) -> dict[str, tuple[int, int]]:
    """Those of `PLACES` where the name of the anchor is."""
    rows = screen.splitlines()
    return {name: at for name, at in PLACES.items() if rows[at[1]][at[0] :].startswith(name)}


def test_overlays_are_at_every_anchor_and_tab_and_clicks_give_them_the_keys(
    tmp_path: Path, server: ScriptedServer
) -> None:
    with on_screen(tmp_path, server, "overlay-test") as pty:
        pty.type("/overlay all\r")
        pty.wait_until(lambda: places(pty.screen()) == PLACES and "has the keys" in pty.screen(), what="nine overlays")

        def with_keys(name: str) -> bool:
            column, row = PLACES[name]
            return pty.screen().splitlines()[row + 1][column:].startswith("has the keys")

        pty.wait_until(lambda: with_keys("bottom_right"), what="the last one")
        pty.type("\t")
        pty.wait_until(lambda: with_keys("center"), what="the first one, after the last")
        pty.type("\x1b[Z")  # Shift+Tab
        pty.wait_until(lambda: with_keys("bottom_right"), what="the last one, before the first")
        pty.type("x\x1b[1;5C")  # Ctrl+Right
        pty.wait_for("ctrl+right")
        for count in range(9, 0, -1):
            pty.wait_until(lambda left=count: len(places(pty.screen())) == left, what=f"{count} overlays")
            pty.type("\x1b" if count % 2 else "q")
        pty.wait_for("ask, or / for commands")
        pty.type("typed")
        pty.wait_for("› typed")


def test_overlays_cover_each_other_and_an_animated_one_takes_no_keys(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "overlay-test") as pty:
        pty.type("/overlay stack\r")
        pty.wait_for("has the keys")
        pty.wait_for("layer 3")
        pty.type("\t")  # to the lowest, which comes to the front
        pty.wait_until(lambda: "layer 1" in pty.screen() and "layer 3" not in pty.screen(), what="the lowest in front")
        for layer in (1, 3, 2):
            pty.wait_for(f"layer {layer}")
            pty.wait_for("has the keys")
            pty.type("q")
            pty.wait_until(lambda gone=f"layer {layer}": gone not in pty.screen(), what="the next one")
        pty.wait_for("ask, or / for commands")
        pty.type("/overlay clock\r")
        seen: set[str] = set()
        pty.wait_until(lambda: len(seen.union(seen.add(pty.screen()) or seen)) > 9, what="ten turns of the clock")
        pty.type("typed beside it")
        pty.wait_for("› typed beside it")
        row = next(at for at, row in enumerate(pty.screen().splitlines()) if row.startswith("› typed"))
        pty.wait_until(lambda: pty.cursor == (len("› typed beside it"), row), what="the cursor behind it")


def test_snake_is_played_with_keys(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "snake") as pty:
        pty.type("/snake\r")
        pty.wait_for("over: enter plays again")
        pty.type("\r")
        pty.wait_until(lambda: "over" not in pty.screen(), what="another game")

        def paused() -> bool:
            if "paused" not in (screen := pty.screen()):
                pty.type("\r" if "over" in screen else "p")  # a game is over soon where keys come late
            return "paused" in screen

        pty.wait_until(paused, what="the pause")
        pty.type("q")
        pty.wait_for("ask, or / for commands")


def test_an_invader_is_shot(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "space-invaders", rows=26) as pty:
        pty.type("/invaders\r")
        pty.wait_for("0 points")
        assert "─ Space invaders ─" in pty.screen()  # the name of the extension is in it
        pty.type("p")
        pty.wait_for("paused")
        pty.type("p")
        pty.wait_until(lambda: "paused" not in pty.screen(), what="the game")

        def shot() -> bool:
            pty.type(" \r")  # Enter: another game if it is lost
            return "10 points" in pty.screen()

        pty.wait_until(shot, what="a hit")
        pty.resize(40, 26)  # too narrow for it: it is not shown and has no keys
        pty.wait_until(lambda: "points" not in pty.screen(), what="the conversation alone")
        pty.type("typed")
        pty.wait_for("typed")
        pty.resize(90, 26)
        pty.wait_for("points")


def test_the_model_plays_tic_tac_toe_with_its_tool(tmp_path: Path, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("tic_tac_toe", {"cell": 1})]), "I take the corner.")
    with on_screen(tmp_path, server, "tic-tac-toe") as pty:
        pty.type("/tic-tac-toe\r")
        pty.wait_for("arrows, enter · q ends")  # the whole footer
        pty.type("\r")
        pty.wait_for("I take the corner.")
        pty.wait_for("your turn")
        cells = [row[row.index("│") + 1 : row.rindex("│")].split() for row in pty.screen().splitlines() if "│" in row]
        assert [row for row in cells if row][:3] == [["O", "·", "·"], ["·", "X", "·"], ["·", "·", "·"]]


def test_the_keys_of_vi_come_from_a_manifest(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "modal-editor") as pty:
        pty.type("one two three")
        pty.wait_for("one two three")
        pty.type("\x1b")
        pty.wait_for("normal")
        pty.type("0wcwTWO")
        pty.wait_for("one TWO three")
        pty.type("\x1b")
        pty.wait_for("normal")
        pty.type("w.u")
        pty.wait_for("one TWO three")
        pty.type("vb")
        pty.wait_for("visual")
        pty.type("d")
        pty.wait_for("one hree")


def test_the_region_of_emacs_comes_from_a_manifest(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "emacs-keys") as pty:
        pty.type("one two\x00\x1bb")
        pty.wait_for("region ·")
        pty.type("\x17")
        wait_until(lambda: (pty.read(0.01), "region ·" not in pty.screen())[1])
        pty.type("\x01\x1bu\x19")
        pty.wait_for("ONEtwo")


def test_examples_draw_the_text_of_the_prompt_and_its_border(tmp_path: Path, server: ScriptedServer) -> None:
    with on_screen(tmp_path, server, "rainbow-editor", "border-status-editor") as pty:
        pty.wait_for("─ scripted off")
        pty.type("ultrathink (")
        pty.wait_for("2 words, 13 characters")
        assert "ultrathink ()" in pty.screen()
        row = next(at for at, row in enumerate(pty.screen().splitlines()) if "ultrathink" in row)
        wait_until(lambda: (pty.read(0.01), len({pty.style_at(column, row).fg for column in range(2, 12)}) > 3)[1])
        pty.type("\x1b[2~")
        pty.wait_for("overwrite")
        pty.type("]")
        pty.wait_for("ultrathink (]")
