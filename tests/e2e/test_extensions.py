"""Extensions in the one-shot modes: real processes on both sides, with a scripted model."""

import json
import shutil
from pathlib import Path

import pytest
from command import Zot
from declared import declared
from extension_folder import write_extension
from processes import runs

from zot_provider.testing import Call, ScriptedServer, Turn

EXAMPLES = Path(__file__).parents[2] / "examples/extensions"


def example(name: str, folder: Path) -> str:
    """A copy of an example, which may write into its folder."""
    return str(shutil.copytree(EXAMPLES / name, folder / name))


REDACT = """
@ext.intercept('assistant_message')
def redact(message):
    return AssistantMessageDecision(replace_text=message.text.replace('SECRET', '***'))
"""


def test_a_guard_refuses_a_command_and_tells_the_person(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "sudo rm -rf /tmp/x"})]), "I may not.")

    done = zot.ask(server, "-p", "clean up", "--ext", example("guard", zot.cwd.parent))

    assert (done.code, done.out) == (0, "I may not.\n")
    assert done.err == "[guard] warn: refused: sudo rm -rf /tmp/x\n"
    assert 'refused: matches danger pattern \\"sudo\\"' in json.dumps(server.requests[1].body)


def test_a_tool_of_an_extension_answers_the_model(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("weather", {"city": "Berlin"})]), "Fog.")

    done = zot.ask(server, "--json", "weather?", "-e", example("weather", zot.cwd.parent))

    (result,) = [event for event in done.events if event["type"] == "tool_result"]
    assert result["details"] == {"extension": "weather"}
    assert "Berlin" in result["content"][0]["text"]
    assert done.err == ""


@pytest.mark.parametrize(
    ("flags", "shown"),
    [(["-p"], "a ***\n"), (["--stream"], "a ***\n")],
)
def test_what_an_extension_replaces_is_never_printed(
    zot: Zot, server: ScriptedServer, flags: list[str], shown: str
) -> None:
    server.add("a SECRET")
    folder = write_extension(zot.cwd.parent / "redact", REDACT)

    done = zot.ask(server, *flags, "hi", "--ext", str(folder))

    assert (done.code, done.out, done.err) == (0, shown, "")


def test_events_stream_what_may_be_replaced_unless_it_is_to_be_held(zot: Zot, server: ScriptedServer) -> None:
    server.add("a SECRET", "a SECRET")
    folder = write_extension(zot.cwd.parent / "redact", REDACT)

    told = zot.ask(server, "--json", "hi", "--ext", str(folder))
    held = zot.ask(server, "--json", "--hold-text", "hi", "--ext", str(folder))

    assert "SECRET" in told.out
    assert "SECRET" not in held.out
    for events in (told.events, held.events):
        (message,) = [event for event in events if event["type"] == "assistant_message"]
        assert message["content"] == [{"type": "text", "text": "a ***"}]


def test_a_session_keeps_what_was_shown_beside_what_was_said(zot: Zot, server: ScriptedServer) -> None:
    server.add("a SECRET", "again")
    folder = write_extension(zot.cwd.parent / "redact", REDACT)

    zot.ask(server, "-p", "hi", "--ext", str(folder))
    zot.ask(server, "-p", "-c", "more", "--ext", str(folder))

    messages = [row["message"] for row in zot.rows() if row["type"] == "message"]
    assert messages[1]["content"] == [{"type": "text", "text": "a SECRET"}]
    assert messages[1]["meta"] == {"display_text": "a ***"}
    assert "a SECRET" in json.dumps(server.requests[1].body)


def test_a_hidden_answer_prints_nothing_but_the_reason(zot: Zot, server: ScriptedServer) -> None:
    server.add("a SECRET")
    body = "ext.intercept('assistant_message')(lambda m: AssistantMessageDecision(block=True, reason='not for you'))"

    done = zot.ask(server, "--stream", "hi", "--ext", str(write_extension(zot.cwd.parent / "hide", body)))

    assert (done.code, done.out, done.err) == (0, "", "zot: not for you\n")


def test_a_blocked_turn_ends_with_exit_code_5_and_the_reason(zot: Zot, server: ScriptedServer) -> None:
    body = "ext.intercept('turn_start')(lambda turn: TurnStartDecision(block=True, reason='outside business hours'))"

    done = zot.ask(server, "-p", "hi", "--ext", str(write_extension(zot.cwd.parent / "hours", body)))

    assert (done.code, done.out, done.err) == (5, "", "zot: refused: outside business hours\n")
    assert server.requests == []


def test_installed_extensions_run_unless_they_are_not_wanted(zot: Zot, server: ScriptedServer) -> None:
    server.add("a", "b")
    write_extension(
        zot.home / "extensions" / "hi", "ext.on('session_start')(lambda event: None)\next.tool(lambda: '', name='hi')"
    )

    zot.ask(server, "-p", "hi")
    zot.ask(server, "-p", "hi", "--no-ext")

    tools = [{tool["function"]["name"] for tool in request.body["tools"]} for request in server.requests]
    assert tools[0] - tools[1] == {"hi"}


@pytest.mark.parametrize("mode", ["-p", "--stream", "--json"])
def test_extensions_of_a_project_do_not_run_unasked(zot: Zot, server: ScriptedServer, mode: str) -> None:
    server.add("a", "b", "c")
    write_extension(
        zot.cwd / ".zot/extensions" / "local", "open('started', 'w').close()\next.tool(lambda: '', name='hi')"
    )

    noted = zot.ask(server, mode, "hi")
    started = (zot.cwd / "started").exists() or (zot.cwd / ".zot/extensions/local/started").exists()
    without = zot.ask(server, mode, "hi", "--no-project-ext")
    allowed = zot.ask(server, mode, "hi", "--trust")

    assert not started
    assert noted.err.strip() == (
        f"zot: not used, because you have not allowed it: extensions local of {zot.cwd} "
        "(start zot there to decide, or pass --trust)"
    )
    assert (without.err, allowed.err) == ("", "")
    tools = [{tool["function"]["name"] for tool in request.body["tools"]} for request in server.requests]
    assert tools[0] == tools[1]
    assert tools[2] - tools[1] == {"hi"}


def test_what_an_extension_says_before_the_question_about_a_project_is_answered_is_shown(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("a")
    write_extension(zot.cwd / ".zot/extensions" / "local", "")
    early = "@ext.on_hello\ndef early(host):\n    ext.notify('so early')\n"
    folder = write_extension(zot.cwd.parent / "early", early, name="speaker")

    done = zot.ask(server, "-p", "hi", "--ext", str(folder))

    assert "so early" in done.err


def test_the_tools_of_extensions_can_be_left_out(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")

    zot.ask(server, "-p", "hi", "--no-tools", "--no-ext-tools", "--ext", example("weather", zot.cwd.parent))

    assert "tools" not in server.requests[0].body


def test_a_working_copy_wins_over_the_installed_extension(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    write_extension(zot.home / "extensions" / "one", "ext.tool(lambda: '', name='installed')")
    copy = write_extension(zot.cwd / "copy", "ext.tool(lambda: '', name='copied')", name="one")

    zot.ask(server, "-p", "hi", "--no-tools", "-e", str(copy))

    assert [tool["function"]["name"] for tool in server.requests[0].body["tools"]] == ["copied"]


def test_a_flag_that_names_no_extension_ends_the_run_before_it_begins(zot: Zot, server: ScriptedServer) -> None:
    done = zot.ask(server, "-p", "hi", "--ext", "nowhere")

    assert (done.code, done.out, server.requests) == (2, "", [])
    assert done.line() == f"--ext {zot.cwd}/nowhere: there is no such folder"


def test_an_extension_that_fails_to_start_is_told_of_in_one_line(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    folder = write_extension(zot.cwd.parent / "broken", "raise ValueError('oh')")

    done = zot.ask(server, "-p", "hi", "--ext", str(folder))

    assert (done.code, done.out) == (0, "ok\n")
    assert (
        done.err == "[broken] error: exited with code 1 before it said hello: ValueError: oh; see zot ext logs broken\n"
    )
    assert "ValueError: oh" in (zot.home / "logs/ext-broken.log").read_text()


def test_every_frame_can_be_traced(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("weather", {"city": "Berlin"})]), "Fog.")
    trace = zot.cwd / "trace.jsonl"

    zot.ask(server, "-p", "weather?", "-e", example("weather", zot.cwd.parent), "--ext-trace", str(trace))

    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    kinds = [(row["direction"], row["frame"]["type"]) for row in rows]
    assert kinds[:2] == [("in", "hello"), ("out", "hello_ack")]
    assert [kind for kind in kinds if kind[1].startswith("tool_")] == [("out", "tool_call"), ("in", "tool_result")]
    assert kinds[-2:] == [("out", "shutdown"), ("in", "shutdown_ack")]
    assert {row["extension"] for row in rows} == {"weather"}


def test_no_extension_outlives_zot(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    body = (
        "import os, signal, subprocess, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(zot.cwd / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')"
    )

    zot.ask(server, "-p", "hi", "--ext", str(write_extension(zot.cwd.parent / "parent", body)))

    parent, child = map(int, (zot.cwd / "pids").read_text().split())
    assert not runs(parent)
    assert not runs(child)


def test_the_shell_of_a_project_has_no_business_in_an_extensions_folder(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    body = (
        "import os\n@ext.on_hello\ndef greet(host):\n    ext.notify(f'{os.getcwd()} {host.cwd} {ext.data_dir}', 'info')"
    )
    folder = write_extension(zot.cwd.parent / "where", body)

    done = zot.ask(server, "-p", "hi", "--ext", str(folder))

    assert done.err == f"[where] info: {folder} {zot.cwd} {folder}\n"
    shutil.rmtree(folder)


COMMANDS = """
ext.command("show", "show something")(lambda args: display(f"shown: {args}"))
ext.command("say", "have the agent say something")(lambda args: prompt(f"say {args}"))
ext.command("type", "put something into the editor")(lambda args: insert("typed"))
ext.command("fail", "answer with an error")(lambda args: error("that went wrong"))
"""


@pytest.fixture
def toy(zot: Zot) -> str:
    """The folder of an extension with commands."""
    return str(write_extension(zot.cwd.parent / "toy", COMMANDS))


@pytest.mark.parametrize(
    ("answer", "words"),
    [("ProjectTrustDecision(trusted=True)", "used in this run, because judge allows it"), ("block('no')", "(no)")],
)
def test_an_extension_of_the_user_decides_about_a_project(
    zot: Zot, server: ScriptedServer, answer: str, words: str
) -> None:
    server.add("a")
    write_extension(zot.cwd / ".zot/extensions" / "local", "ext.tool(lambda: '', name='hi')")
    write_extension(zot.home / "extensions" / "judge", f"ext.intercept('project_trust')(lambda project: {answer})")

    said = zot.ask(server, "-p", "hi").err.strip()

    assert said.endswith(f": extensions local of {zot.cwd}")
    assert words in said
    tools = {tool["function"]["name"] for tool in server.requests[0].body["tools"]}
    assert ("hi" in tools) == ("trusted" in answer)


@pytest.mark.parametrize("flag", ["-p", "--stream"])
def test_a_prompt_that_is_a_command_prints_what_the_command_displays(
    zot: Zot, server: ScriptedServer, toy: str, flag: str
) -> None:
    done = zot.ask(server, flag, "/show  it ", "--ext", toy)

    assert (done.code, done.out, done.err) == (0, "shown: it\n", "")
    assert server.requests == []


@pytest.mark.parametrize("flag", ["-p", "--stream"])
def test_a_command_may_have_the_model_answer(zot: Zot, server: ScriptedServer, toy: str, flag: str) -> None:
    server.add("Hello, Ada.")

    done = zot.ask(server, flag, "/SAY hello to Ada", "--ext", toy)

    assert (done.code, done.out, done.err) == (0, "Hello, Ada.\n", "")
    assert server.requests[0].body["messages"][-1]["content"] == "say hello to Ada"


def test_events_of_a_command_are_printed_as_json(zot: Zot, server: ScriptedServer, toy: str) -> None:
    shown = zot.ask(server, "--json", "/show it", "--ext", toy)
    typed = zot.ask(server, "--json", "/type", "--ext", toy)

    assert shown.events == [{"type": "ext_display", "extension": "toy", "text": "shown: it"}, {"type": "done"}]
    assert typed.events == [{"type": "ext_insert", "extension": "toy", "text": "typed"}, {"type": "done"}]
    assert (shown.code, shown.err, typed.code, typed.err) == (0, "", 0, "")


def test_a_command_needs_no_key_until_it_has_a_model_called(zot: Zot, toy: str) -> None:
    zot.env = zot.keyless_env
    shown = zot.run("-p", "/show it", "--ext", toy)
    assert (shown.code, shown.out, shown.err) == (0, "shown: it\n", "")
    asked = zot.run("-p", "/say it", "--ext", toy)
    assert (asked.code, asked.out) == (2, "")
    assert "no API key found: " in asked.err


@pytest.mark.parametrize("flag", ["-p", "--stream", "--json"])
def test_a_command_that_answers_with_an_error_fails_the_run(
    zot: Zot, server: ScriptedServer, toy: str, flag: str
) -> None:
    done = zot.ask(server, flag, "/fail", "--ext", toy)

    assert (done.code, done.line()) == (1, "/fail: extension toy: that went wrong")
    if flag == "--json":
        assert done.events == [{"type": "error", "message": "/fail: extension toy: that went wrong"}, {"type": "done"}]
    else:
        assert done.out == ""
    assert server.requests == []


def test_a_slash_line_that_nobody_knows_is_a_prompt(zot: Zot, server: ScriptedServer, toy: str) -> None:
    server.add("ok")

    done = zot.ask(server, "-p", "/nobody knows this", "--ext", toy)

    assert (done.code, done.out) == (0, "ok\n")
    assert server.requests[0].body["messages"][-1]["content"] == "/nobody knows this"


@pytest.mark.parametrize("flag", ["-p", "--stream", "--json"])
def test_a_message_of_an_extension_is_refused_with_a_note(zot: Zot, server: ScriptedServer, flag: str) -> None:
    server.add(Turn(calls=[Call("more")]), "done")
    body = "@ext.tool\ndef more() -> str:\n    'More.'\n    ext.submit('go on')\n    return 'sent'"
    folder = write_extension(zot.cwd.parent / "eager", body, more="capabilities=('submit',)")

    done = zot.ask(server, flag, "hi", "--ext", str(folder))

    assert done.code == 0
    assert done.err == "[eager]: not sent, because only one prompt is answered in this mode: go on\n"
    assert len(server.requests) == 2
    if flag == "--json":
        assert "ext_submit" not in [event["type"] for event in done.events]
    else:
        assert done.out == "done\n"


@pytest.mark.parametrize("flag", ["-p", "--json"])
def test_what_an_extension_sends_before_the_end_is_answered(zot: Zot, server: ScriptedServer, flag: str) -> None:
    server.add("one", "two", "three")
    body = "@ext.intercept('before_exit')\ndef last(it):\n    if it.turns < 2:\n        ext.submit(f'go on {it.turns}')"
    folder = write_extension(zot.cwd.parent / "eager", body, more="capabilities=('submit', 'intercepts2')")

    done = zot.ask(server, flag, "hi", "--ext", str(folder))

    assert (done.code, done.err) == (0, "")
    assert [each.body["messages"][-1]["content"] for each in server.requests] == ["hi", "go on 0", "go on 1"]
    if flag == "-p":
        assert done.out == "one\ntwo\nthree\n"


EAGER = """
import threading, time
answered = threading.Semaphore(0)
@ext.on("turn_end")
def count(event):
    answered.release()
@ext.intercept("before_exit")
def last(it):
    answered.acquire(timeout=60)
    if it.turns < 2:
        ext.submit(f"go on {it.turns}")
        answered.acquire(timeout=60)
        answered.release()
        time.sleep(0.2)
"""
"""Sends more before the end, and is done with that once it is answered."""


def test_what_is_answered_before_the_extension_is_done_is_not_the_end(zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    folder = write_extension(zot.cwd.parent / "eager", EAGER, more="capabilities=('submit', 'intercepts2')")

    done = zot.ask(server, "-p", "hi", "--ext", str(folder))

    assert (done.code, done.out, done.err) == (0, "one\ntwo\nthree\n", "")


def test_notes_are_printed_as_json_beside_the_words_on_standard_error(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    folder = write_extension(zot.cwd.parent / "hi", "@ext.on('turn_start')\ndef greet(event):\n    ext.notify('hello')")
    program = "ext.intercept('turn_start')(lambda turn: None)\next.run()"  # it has said hello before the model is asked
    (folder / "main.py").write_text((folder / "main.py").read_text().replace("ext.run()", program))

    done = zot.ask(server, "--json", "hi", "--ext", str(folder))

    notes = [event for event in done.events if event["type"] == "ext_notify"]
    assert notes == [{"type": "ext_notify", "extension": "hi", "level": "info", "message": "hello"}]
    assert done.err == "[hi] info: hello\n"


def test_a_command_without_arguments_has_empty_ones_on_the_wire(zot: Zot, server: ScriptedServer) -> None:
    folder = write_extension(zot.cwd.parent / "toy", "ext.command('go')(lambda args: display(repr(args)))")
    trace = zot.cwd / "trace"
    done = zot.ask(server, "-p", "/go", "--ext", str(folder), "--ext-trace", str(trace))
    assert (done.code, done.out) == (0, "''\n")
    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    (frame,) = [row["frame"] for row in rows if row["frame"]["type"] == "command_invoked"]
    assert (frame["name"], frame["args"]) == ("go", "")


@pytest.mark.parametrize("mode", ["-p", "--json", "--stream"])
def test_a_flag_of_an_extension_works_beside_those_of_zot(zot: Zot, server: ScriptedServer, mode: str) -> None:
    server.add("A plan.")
    done = zot.ask(
        *(server, mode, "--plan", "--plan-steps=3", "--ext", example("plan-flag", zot.cwd.parent)),
        stdin=b"go",
    )
    assert done.code == 0
    assert "a plan of at most 3 steps" in json.dumps(server.requests[0].body)


@pytest.mark.needs("node", "tsx")
def test_the_skill_and_the_prompt_of_an_extension_reach_the_first_request(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "package.json").write_text("{}")
    folder = example("team-kit", zot.cwd.parent)
    (zot.cwd.parent / "node_modules").symlink_to(declared("tsx").parents[1])
    server.add("Reviewed.")
    done = zot.ask(server, "-p", "/kit-review main", "--ext", folder)
    assert (done.code, done.out, done.err) == (0, "Reviewed.\n", "")
    body = json.dumps(server.requests[0].body)
    assert "Review the changes of main." in body
    assert "team-kit:tests" in body
    assert "How we test our Node projects." in body
