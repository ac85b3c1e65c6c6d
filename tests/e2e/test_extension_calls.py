"""What slash commands of extensions do on the screen: other sessions, programs on the terminal, the end."""

import json
import sys

from command import Zot
from extension_folder import write_extension
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn

BODY = """
import os, sys

ASKS = "import sys; print('the program asks:'); print('typed', input()); sys.exit(3)"
KILLS = f"import os, signal, time; os.kill({os.getpid()}, signal.SIGKILL); time.sleep(3600)"

@ext.command('give')
def give(program):
    code = {'asks': ASKS, 'kills': KILLS}.get(program)
    argv = [sys.executable, '-c', code] if code else ['/nowhere/program']
    try:
        return f"it ended with {ext.programs.run(argv, foreground=True, timeout_ms=60_000)['code']}"
    except HostError as error:
        return error.code

@ext.command('fresh')
def fresh(text):
    ext.session.new(['known so far'], parent=True)
    return prompt(text)

@ext.command('back')
def back(_):
    session = [each for each in ext.session.list() if each['title'] == 'first'][0]
    ext.session.open(session['id'])

@ext.command('sign')
def sign(_):
    place = 'http://127.0.0.1:9'
    try:
        page = f'{place}/authorize'
        return ext.secrets.authorize('a', f'{place}/token', authorize_url=page, client_id='me', title='Wiki')
    except HostError as error:
        return str(error)

@ext.command('bye')
def bye(_):
    ext.control.shutdown()

@ext.tool
def ask() -> str:
    'Ask.'
    try:
        ext.programs.run(['true'], foreground=True)
    except HostError as error:
        return error.code
"""

GROUPS = "capabilities=('exec', 'session', 'control', 'storage')"


def test_a_command_changes_the_session_on_the_screen_and_ends_zot(zot: Zot, server: ScriptedServer) -> None:
    server.add("answer one", "answer two")
    folder = write_extension(zot.cwd.parent / "giver", BODY, more=GROUPS)
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), "--ext", str(folder)]
    environment = {**zot.env, "TERM": "xterm-256color"}
    with PtyScreen(command, columns=80, rows=24, environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("first\r")
        pty.wait_done("answer one")
        pty.type("/fresh second\r")
        pty.wait_done("answer two")
        assert "answer one" not in pty.screen()
        assert "known so far" in pty.screen()
        pty.type("/back\r")
        pty.wait_for("answer one")
        pty.wait_until(lambda: "answer two" not in pty.screen())
        pty.type("/sign\r")
        pty.wait_for("giver: sign in to Wiki")
        pty.wait_for("Ctrl+Y copy the address")
        pty.type("\x1b")
        pty.wait_for("cancelled: the person closed the sign-in")
        pty.type("/bye\r")
        assert pty.wait_end() == 0


def test_the_screen_steps_aside_for_a_program_and_comes_back(zot: Zot, server: ScriptedServer) -> None:
    folder = write_extension(zot.cwd.parent / "giver", BODY, more=GROUPS)
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), "--ext", str(folder)]
    environment = {**zot.env, "TERM": "xterm-256color"}
    with PtyScreen(command, columns=80, rows=24, environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("/giv")
        pty.wait_for("/give")  # offered once the extension has registered it
        pty.type("e asks\r")
        pty.wait_for("the program asks:")
        pty.type("hello\r")
        pty.wait_for("it ended with 3")
        pty.type("/give none\r")
        pty.wait_for("unavailable")
        pty.type("/give kills\r")
        pty.wait_for("was ended by SIGKILL")
        pty.type("still here")
        pty.wait_for("› still here")
        pty.type("\x15\x04")
        assert pty.wait_end() == 0
        assert b"typed hello" in bytes(pty.received)


def test_without_a_screen_or_a_command_no_program_gets_the_terminal(zot: Zot, server: ScriptedServer) -> None:
    folder = write_extension(zot.cwd.parent / "giver", BODY, more=GROUPS)
    server.add(Turn(calls=[Call("ask", {})]), "done")
    done = zot.ask(server, "--json", "go", "--ext", str(folder))
    (result,) = [event for event in done.events if event["type"] == "tool_result"]
    assert result["content"][0]["text"] == "denied"
    done = zot.ask(server, "-p", "/give asks", "--ext", str(folder))
    assert "unavailable" in done.out + done.err


def test_the_favourite_models_are_those_of_the_settings(zot: Zot, server: ScriptedServer) -> None:
    ids = "each['id'] for each in ext.model.list(scope='favourites')['models']"
    body = f"ext.command('favourites')(lambda _: ' '.join({ids}))"
    folder = write_extension(zot.cwd.parent / "lister", body, more="capabilities=('model',)")
    home = zot.cwd.parent / "zot-home"
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text(json.dumps({"favourite_models": ["gpt-5-mini:low", "openai/gpt-5"]}))
    assert zot.ask(server, "-p", "/favourites", "--ext", str(folder)).out == "gpt-5-mini gpt-5\n"


def test_where_one_prompt_is_answered_the_session_cannot_change(zot: Zot, server: ScriptedServer) -> None:
    body = "ext.command('new')(lambda args: str(ext.session.new()))"
    folder = write_extension(zot.cwd.parent / "new", body, more="capabilities=('session',)")
    done = zot.ask(server, "-p", "/new", "--ext", str(folder))
    assert "the session cannot change in the mode print: it answers one prompt" in done.err
