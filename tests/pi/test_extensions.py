"""Extensions in pi's style that use corners of its API that no example uses, each through its purpose."""

from pathlib import Path

import pytest
from pi_conversation_rows import call
from pi_drive import Row, Stage, Step, ask, command, drive, file, gone, keys, offered, requested, see, stored

from zot_provider.testing import Call, Turn

pytestmark = pytest.mark.needs("pi")

HERE = Path(__file__).parent / "extensions"
Steps = list[Step | list[Step]]


SKILL = "---\nname: tides\ndescription: Know the tides.\n---\nLook at the table.\n"


def run(root: Path, name: str, steps: Steps, *says: str | Turn, arguments: tuple[str, ...] = ()) -> None:
    """Drive one of them; `says` is what the model answers."""
    files = {"../zot-home/skills/tides/SKILL.md": SKILL}
    drive(Row(str(HERE / f"{name}.ts"), steps, says, arguments=arguments, files=files), root)


def test_a_tool_keeps_its_state_in_results_and_has_a_flag_settings_keys_and_completions(tmp_path: Path) -> None:
    steps: Steps = [
        *(see("0 notes"), ask(), see("All done."), see("NOTE buy tea", "kept 2"), file("other.md", "- buy tea")),
        requested("noted 1: buy tea (good)", "noted 2: old style", "Use note when"),
        *(keys("/notes s"), see("do settings"), keys("ettings\r"), see("Note settings"), keys("\r")),
        *(see("settings: sort=down"), keys("\x1bn"), see("by key 2")),
        *(command("notes", "Show notes", "list"), see("2.0KB")),
    ]
    says = (call("note", text="buy tea", mood="good"), call("note", body="old style"), "All done.")
    run(tmp_path, "notebook", steps, *says, arguments=("--notebook", "other.md"))


def test_tools_of_zot_do_their_work_in_the_hands_of_an_extension(tmp_path: Path) -> None:
    found = "grep: notes.md:1: - buy tea | find: notes.md | ls: .git/ | - buy green tea"
    steps: Steps = [*(see("0 notes"), ask(), see("All done.")), command("notes", "Show notes", "tools"), see(found)]
    run(tmp_path, "notebook", steps, call("note", text="buy tea"), "All done.")


def test_an_extension_hears_a_run_in_pis_order_and_changes_calls_results_and_answers(tmp_path: Path) -> None:
    steps: Steps = [
        *(ask(), see("The [redacted] is out."), see("prompt was 2 long"), requested("hello world", "(checked)")),
        command("diary", "Show the diary"),
        see("session_start:startup message_start:user message_end:user message_start:custom message_end:custom"),
        see("leaf:assistant tool_execution_start message_start:toolResult"),
        *(command("diary", "Show the diary", "exec"), see("exec out err 3 false true")),
        *(command("diary", "Show the diary", "usage"), see("skill of skills/tides/SKILL.md")),
        see("idle true commands true tools true all builtin"),
        *(command("diary", "Show the diary", "timed"), see("timed undefined false true")),
        *(command("diary", "Show the diary", "tree"), see("tree false start go"), see("› go")),
    ]
    run(tmp_path, "diary", steps, call("bash", command="echo hello WHO"), "The secret is out.")


def test_a_message_to_a_running_agent_needs_a_mode_and_a_fork_gives_the_prompt_back(tmp_path: Path) -> None:
    steps: Steps = [
        *(ask(), see("One."), command("diary", "Show the diary", "busy"), see("refused: Agent is already")),
        *(see("Three."), command("diary", "Show the diary", "model"), see("model true scripted high")),
        *(command("diary", "Show the diary", "fork"), see("forked, editor: go"), see("› go")),
    ]
    busy = Turn("Two.", calls=[Call("bash", {"command": "sleep 2"})])
    run(tmp_path, "diary", steps, "One.", busy, "Two b.", "Three.")


def test_sessions_are_begun_resumed_and_compacted_and_a_model_answers_from_the_extension(tmp_path: Path) -> None:
    def keep(words: str = "") -> list[Step]:
        return command("keep", "Keeps sessions", words)

    steps: Steps = [
        *(see("began: startup"), keys("!weather\r"), see("It rains."), ask(), see("One."), requested("It rains.")),
        *(keep("new"), see("I remember."), see("began: new"), requested("remember the tea", "what do you remember?")),
        *(keep("back"), see("back in a session with"), see("began: resume"), ask("more"), see("Two.")),
        *(keep("compact"), see("compacted: kept true"), keep(), see("echo true 9000")),
        *(ask("use it"), see("echo of bash: key=literal-key"), stored("key=literal-key")),
    ]
    # A model whose window is known, so that nothing but the command compacts.
    known = ("--model", "gpt-4.1-mini")
    run(tmp_path, "keeper", steps, "tea " * 40_000 + "One.", "I remember.", "Two.", arguments=known)


def test_widgets_overlays_keys_completions_and_the_bus_are_drawn_and_heard(tmp_path: Path) -> None:
    steps: Steps = [
        *(see("ticks many in true", "The painter"), keys("\x11"), see("pasted"), offered("%bl", "a colour")),
        *(keys("\t"), see("%blue"), keys("\x15"), command("paint", "Paints"), see("What colour?", "width 4")),
        *(keys("green\r"), see("painted green, hidden 1"), ask(), see("Yes."), stored("painted", "green")),
        *(command("paint", "Paints", "off"), gone("The painter"), gone("ticks")),
    ]
    run(tmp_path, "painter", steps, "Yes.")


def test_a_tool_in_the_place_of_zots_own_is_told_once_and_keys_are_no_commands(tmp_path: Path) -> None:
    def told(stage: Stage) -> None:
        assert stage.pty.screen().count("the tool bash takes the place of zot's own") == 1

    def commands(stage: Stage) -> None:
        assert "Say that a key was pressed" not in stage.pty.screen()

    steps: Steps = [
        *(ask(), see("All done."), requested("ours", "hello"), see("takes the place of"), told),
        *(keys("\x1bk"), see("a key was pressed"), keys("/short"), see("A command of the shell"), commands),
    ]
    run(tmp_path, "shell", steps, call("bash", command="echo hello"), "All done.")


def test_two_extensions_share_a_ledger_which_is_in_the_session_and_in_requests(tmp_path: Path) -> None:
    def ledger(words: str) -> list[Step]:
        return command("ledger", "Keep a ledger", words)

    steps: Steps = [
        *(see("Σ 0"), ledger("add"), see("New line of the ledger"), keys("tea\r"), see("write: WHAT AMOUNT")),
        *(keys(" 40\r"), see("ledger: tea 40", "Σ 40"), offered("/ledger drop t", "drop tea"), keys("\x15")),
        *(ask(), see("I see."), gone("esc to stop"), requested("Ledger so far:\\n- tea: 40", "GATE: ask before")),
        *(ledger("pick"), see("Which line?"), keys("\r"), see("picked tea"), gone("Which line?")),
        *(
            ledger("add cake 80"),
            see("▲ 120 of 100"),
            stored("over-budget"),
            keys("\x1b[200~??\x1b[201~\r"),
            see("heard tea=40 cake=120"),
        ),
        *(keys("!echo boom\r"), see("Extension failed, blocking execution: no explosions")),
        *(ask("clean up"), see("Run rm x?"), keys("\x1b[B\r"), see("would run: rm x", "Done."), requested("[key]")),
    ]
    remove, show = call("bash", command="rm x"), call("bash", command="echo sk-secret")
    other = ("-e", str(HERE / "gate.ts"))
    run(tmp_path, "ledger", steps, "I see.", remove, show, "Done.", arguments=other)


def test_an_editor_of_an_extension_gets_pastes_and_what_it_types_is_not_folded(tmp_path: Path) -> None:
    long = "\n".join(f"line {number}" for number in range(24))
    paste = keys(f"\x1b[200~{long}\x1b[201~")
    steps: Steps = [
        *(command("plain", "Type the next paste as it is"), see("paste now"), paste, see("line 22", "line 23")),
        *(keys("\x15"), keys("\r"), see("Yes."), gone("esc to stop"), paste, gone("line 22"), keys("\r"), see("No.")),
        requested("line 22"),
    ]
    run(tmp_path, "paster", steps, "Yes.", "No.")
