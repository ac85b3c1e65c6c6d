"""Examples that draw: dialogs, widgets, overlays, editors, games, renderers."""

import json
from pathlib import Path

from pi_conversation_rows import call
from pi_drive import (
    PI,
    SECONDS,
    ZOT,
    Row,
    Stage,
    Step,
    ask,
    command,
    file,
    gone,
    idle,
    keys,
    offered,
    only,
    requested,
    run_git,
    see,
    slash,
    stored,
    titled,
    typed,
    write,
)

from zot_provider.testing import Call, Turn

_ESC = "\x1b"
_DOWN = "\x1b[B"


def _in_colours(text: str) -> Step:
    """Wait until the letters of a text have several colours."""

    def step(stage: Stage) -> None:
        def colours() -> set[str]:
            rows = stage.pty.screen().splitlines()
            places = [(row.index(text), at) for at, row in enumerate(rows) if text in row]
            return {stage.pty.style_at(x + i, y).fg for x, y in places for i in range(len(text))}

        stage.pty.wait_until(lambda: len(colours()) > 3, SECONDS, f"a colourful {text!r}")

    return step


def made_for(background: str) -> Step:
    """Wait until a text that is always there is dark, for a light background, or light, for a dark one."""

    def step(stage: Stage) -> None:
        text, most = (ZOT.ready, 400) if stage.front is ZOT else ("[Extensions]", 320)

        def is_dark() -> bool:
            rows = stage.pty.screen().splitlines()
            at = next((y for y, row in enumerate(rows) if text in row), 0)
            colour = stage.pty.style_at(max(0, rows[at].find(text)), at).fg
            return len(colour) == 6 and sum(bytes.fromhex(colour)) < most

        stage.pty.wait_until(lambda: is_dark() == (background == "light"), SECONDS, f"a theme for {background}")

    return step


_OVERLAYS = [
    *command("overlay-anchors", "Cycle through all anchor positions"),
    see("top-left"),
    keys(" "),
    see("top-center"),
    keys("\r"),
    see("Selected: top-center"),
    *command("overlay-edge", "Test overlay positioned at terminal edge"),
    see("Edge"),
    keys(_ESC),
    gone("Edge Test"),
    *command("overlay-animation", "Test real-time animation"),
    see("FPS"),
    keys(_ESC),
    gone("FPS"),
]

_ISSUES = json.dumps(
    [{"number": 28, "title": "Tax", "state": "OPEN"}, {"number": 29, "title": "Crash on start", "state": "OPEN"}]
)


def _with_remote(project: Path) -> None:
    run_git(project, "remote", "add", "origin", "git@github.com:shop/till.git")


ROWS = [
    Row("status-line.ts", [see("Ready"), ask(), see("Turn 1 complete")], ["Yes."]),
    Row("model-status.ts", [ask(), see("Yes."), *slash("/model claude-haiku-4-5"), see("Model: ", "🤖")], ["Yes."]),
    Row("system-prompt-header.ts", [ask(), see("System: ", "chars")], ["Yes."]),
    Row("widget-placement.ts", [see("Above editor widget", "Below editor widget")]),
    Row(
        "working-message-test.ts",
        [ask(), see("Working... (custom)")],
        [call("bash", command="until [ -e seen ]; do sleep 0.1; done"), "Yes."],
    ),
    Row(
        "working-indicator.ts",
        [
            see("Indicator: custom spinner"),
            *command("working-indicator", "dot, pulse, none", "pulse"),
            see("Working indicator set to: custom pulse"),
            ask(),
            see("Yes."),
        ],
        ["Yes."],
    ),
    Row(
        "hidden-thinking-label.ts",
        [
            only(PI, keys("\x14")),  # it shows what the model thinks, until Ctrl+T
            *(ask(), see("Yes."), see("Pondering...")),
            *command("thinking-label", "Set the hidden thinking label", "Brewing"),
            *(see("label set to: Brewing"), ask(), see("No."), see("Brewing")),
        ],
        [Turn("Yes.", reasoning="Which one?"), Turn("No.", reasoning="That one?")],
    ),
    Row("titlebar-spinner.ts", [ask(), see("Yes."), idle(), titled("π - project")], ["Yes."]),
    Row(
        "custom-footer.ts",
        [
            ask(),
            see("Yes."),
            *command("footer", "Toggle custom footer"),
            see("Custom footer enabled"),
            see("↑10 ↓5 $0.000", "scripted ("),
            *command("footer", "Toggle custom footer"),
            see("Default footer restored"),
        ],
        ["Yes."],
    ),
    Row(
        "custom-header.ts",
        [
            see("██████████████", "coding agent v"),
            *command("builtin-header", "Restore built-in header"),
            gone("██████████████"),
        ],
    ),
    Row("border-status-editor.ts", [see("openai/scripted · off", "ctx "), ask("hello"), see("Hi.")], ["Hi."]),
    Row(
        "modal-editor.ts",
        [
            *(
                see("INSERT"),
                keys("hello"),
                see("hello"),
                keys("\x1b"),
                see("NORMAL"),
                keys("0x"),
                gone("hello"),
                see("ello"),
            ),
            *(keys("i"), see("INSERT"), keys("J\r"), see("Hi."), requested("Jello")),
        ],
        ["Hi."],
    ),
    Row("rainbow-editor.ts", [keys("ultrathink"), _in_colours("ultrathink")]),
    Row(
        "timed-confirm.ts",
        [
            *command("timed", "Show a timed confirmation dialog"),
            see("Timed Confirmation"),
            see("Cancelled or timed out"),
            *command("timed-select", "Show a timed select dialog"),
            see("Pick an option", "Option B"),
            keys(f"{_DOWN}\r"),
            see("Selected: Option B"),
        ],
    ),
    Row(
        "commands.ts",
        [
            *command("commands", "List available slash commands", "extension"),
            see("Available Commands", "/commands - List"),
            keys(f"{_DOWN}\r"),
            see("View source path?"),
            keys("\r"),
            see("examples/extensions/commands.ts"),
        ],
    ),
    Row(
        "tools.ts",
        [
            *command("tools", "Enable/disable tools"),
            see("Tool Configuration", "enabled"),
            keys("\r"),
            see("disabled"),
            keys(_ESC),
            gone("Tool Configuration"),
            ask(),
            see("Yes."),
            stored("tools-config"),
        ],
        ["Yes."],
    ),
    Row(
        "qna.ts",
        [ask(), see("Which colour?"), *command("qna", "Extract questions"), see("Questions loaded"), see("Q: colour")],
        ["Which colour?", "Q: colour\nA: "],
    ),
    Row(
        "handoff.ts",
        [
            ask(),
            see("Yes."),
            *command("handoff", "Transfer context", "ship it"),
            see("Edit handoff prompt", "Ship the plan"),
            keys("\r"),
            see("Handoff ready"),
            see("Ship the plan"),
        ],
        ["Yes.", "Ship the plan."],
    ),
    Row(
        "summarize.ts",
        [
            ask(),
            see("Yes."),
            *command("summarize", "Summarize the current conversation"),
            see("Conversation Summary", "Nothing is left to do."),
            requested("Summarize this conversation so I can resume it later.", '"model": "gpt-5.2"'),
            keys("\r"),
            gone("Conversation Summary"),
        ],
        ["Yes.", "Nothing is left to do."],
        models={"openai": "gpt-5.2"},
    ),
    Row(
        "overlay-test.ts",
        [
            *command("overlay-test", "Test overlay rendering"),
            see("🧪 Overlay Test"),
            keys("abc"),
            see("Search: abc"),
            keys("\r"),
            see('Search: "abc"'),
        ],
    ),
    Row("overlay-qa-tests.ts", _OVERLAYS),
    Row(
        "snake.ts",
        [
            *(*command("snake", "Play Snake!"), see("Score"), keys("p"), keys(_ESC), gone("Score: ")),
            only(ZOT, stored("snake-save")),  # pi keeps no session without an answer
        ],
        rows=40,
    ),
    Row(
        "space-invaders.ts",
        [*command("invaders", "Play Space Invaders!"), see("Score"), keys("\x1b[C "), keys("q"), gone("Lives")],
        rows=45,
    ),
    Row(
        "tic-tac-toe.ts",
        [
            *command("tic-tac-toe", "tic-tac-toe"),
            *(see("Tic"), keys("\r"), requested("Player X played at (row=", "you are Player O", "Placed O at (0,1)")),
            *(
                see("Your turn"),
                keys("q"),
                only(ZOT, gone("Tic-Tac-Toe")),
                see("Player X played", "✓ Placed O at (0,1)"),
            ),
            stored("tic-tac-toe", '"Placed O at (0,1)'),
        ],
        [
            Turn(calls=[Call("tic_tac_toe", {"action": "move_right"}), Call("tic_tac_toe", {"action": "play"})]),
            "Your move.",
        ],
        rows=45,
    ),
    Row(
        "doom-overlay",
        [*command("doom-overlay", "Play DOOM"), see("Failed to download DOOM WAD file")],
        part="the game's data cannot be had here: without a network only its messages are tried",
        rows=40,
    ),
    Row(
        "interactive-shell.ts",
        [keys("!i echo from-the-$((6 * 7)); sleep 2\r"), see("from-the-42")],
    ),
    Row(
        "mac-system-theme.ts",
        [made_for("light"), write("mode", "true"), made_for("dark")],
        files={"mode": "false"},
        programs={"osascript": "cat mode"},
        variables={"COLORTERM": "truecolor"},
    ),
    Row(
        "built-in-tool-renderer.ts",
        [
            *(
                ask(),
                see("All done."),
                typed(see("$ echo hi", "done (1 lines)", "edit notes.md", "+1 / -1")),
                requested("hi"),
            ),
            file("notes.md", "waves"),
        ],
        [
            call("bash", command="echo hi"),
            call("edit", path="notes.md", edits=[{"oldText": "tides", "newText": "waves"}]),
            "All done.",
        ],
        files={"notes.md": "the tides of Leith\n"},
        prints="go",
    ),
    Row(
        "minimal-mode.ts",
        [ask(), see("All done."), typed(see("$ echo h")), requested("hidden-output"), gone("hidden-output")],
        [call("bash", command="echo hidden-$(echo output)"), "All done."],
        prints="go",
    ),
    Row(
        "github-issue-autocomplete.ts",
        [ask(), see("Yes."), offered("fix #cra", "[open] Crash on start"), keys("\t"), see("fix #29")],
        programs={"gh": f"echo '{_ISSUES}'"},
        says=["Yes."],
        setup=_with_remote,
    ),
    Row(
        "rpc-demo.ts",
        [
            see("--- RPC Extension UI Demo ---", "Turns: 0"),
            only(ZOT, titled("pi RPC Demo")),  # pi's own title comes after it
            *command("rpc-input", "Prompt for text input"),
            see("Enter a value"),
            keys("tea\r"),
            see("You entered: tea"),
            *command("rpc-prefill", "Prefill the input editor"),
            see("This text was set by the rpc-demo extension."),
        ],
    ),
]
