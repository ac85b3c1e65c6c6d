"""`check` against programs that each break one rule, and against one that breaks none."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from waiting import PATIENCE

import zot_ext
from zot_ext import ExtensionLimits
from zot_ext.protocol.events import EVENTS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.events.observable import OBSERVABLE
from zot_ext.protocol.from_extension import CAPABILITIES
from zot_ext.testing import RULES, Report, check

# What must not be too short on a busy machine is long; what a broken program is waited for is short.
PATIENT = ExtensionLimits(
    ready_idle_seconds=0.1, ready_total_seconds=PATIENCE / 12, shutdown_seconds=PATIENCE, kill_seconds=0.5
)
LONG_SILENT = ExtensionLimits(
    ready_idle_seconds=1, ready_total_seconds=PATIENCE / 12, shutdown_seconds=PATIENCE, kill_seconds=0.5
)
"""For a program that waits itself for a second."""


def impatient(request: str) -> ExtensionLimits:
    """For a program that does not answer one kind of request in time."""
    usual = dict.fromkeys(("command_seconds", "tool_seconds", "intercept_seconds"), float(PATIENCE))
    return ExtensionLimits(**{name: getattr(PATIENT, name) for name in PATIENT.__fields__} | usual | {request: 4.0})


QUICK = ExtensionLimits(
    ready_idle_seconds=0.1,
    ready_total_seconds=PATIENCE / 12,
    command_seconds=4,
    tool_seconds=4,
    intercept_seconds=4,
    drain_seconds=4,
    shutdown_seconds=4,
    kill_seconds=0.5,
    write_seconds=4,
)

SOUND = """\
import json, os, sys, time

def send(**frame):
    os.write(1, json.dumps(frame).encode() + b"\\n")

def hello():
    send(type="hello", name="sound", version="1")

def commands():
    send(type="register_command", name="greet", description="says hello")

def tools():
    properties = {"a": {"type": "number"}, "note": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["a"]}
    send(type="register_tool", name="add", description="adds", schema=schema)

def subscribe():
    send(type="subscribe", events=["turn_start"], intercept=["tool_call", "assistant_message", "before_agent_start"])

def ready():
    send(type="ready")

def command(frame):
    send(type="command_response", id=frame["id"], action="display", display="hello")

def tool(frame):
    send(type="tool_result", id=frame["id"], content=[{"type": "text", "text": "3"}])

def intercept(frame):
    send(type="event_intercept_response", id=frame["id"])

def event(frame):
    pass

def shutdown(frame):
    send(type="shutdown_ack")
    sys.exit()

def other(frame):
    pass

def lines():
    yield from sys.stdin.buffer

def end():
    pass

#CHANGE
if __name__ == "__main__":
    hello()
    commands()
    tools()
    subscribe()
    ready()
    for line in lines():
        frame = json.loads(line)
        {
            "command_invoked": command, "tool_call": tool, "event_intercept": intercept, "event": event,
            "shutdown": shutdown,
        }.get(frame["type"], other)(frame)
    end()
"""

BROKEN = [
    ("no-hello", "sys.exit('no config')", QUICK),
    ("hello-not-first", "print('starting up', flush=True)", QUICK),
    ("empty-name", "hello = lambda: send(type='hello', name='  ')", QUICK),
    ("wrong-field-type", "hello = lambda: send(type='hello', name=5)", QUICK),
    ("second-hello", "ready = lambda: (hello(), send(type='ready'))", PATIENT),
    ("no-ready", "ready = lambda: None", PATIENT),
    ("stdout-noise", "ready = lambda: (os.write(1, b'debug: here\\n'), send(type='ready'))", PATIENT),
    ("malformed-frame", "ready = lambda: (os.write(1, b'{\"type\": \"notify\",\\n'), send(type='ready'))", PATIENT),
    ("malformed-frame", "ready = lambda: (send(level='info', message='no type'), send(type='ready'))", PATIENT),
    (
        "not-utf8",
        'ready = lambda: (os.write(1, b\'{"type":"notify","level":"info","message":"\\xff"}\\n\'), '
        "send(type='ready'))",
        PATIENT,
    ),
    (
        "oversized-frame",
        "ready = lambda: (print(json.dumps({'type': 'notify', 'message': 'x' * 4194304}), flush=True), "
        "send(type='ready'))",
        PATIENT,
    ),
    ("wrong-field-type", "commands = lambda: send(type='register_command', name='greet', description=1)", PATIENT),
    ("wrong-field-type", "tool = lambda frame: send(type='tool_result', id=frame['id'], content='3')", PATIENT),
    (
        "wrong-field-type",
        "intercept = lambda frame: send(type='event_intercept_response', id=frame['id'], modified_args='ls')",
        PATIENT,
    ),
    ("missing-field", "ready = lambda: (send(type='notify', level='info'), send(type='ready'))", PATIENT),
    ("unknown-frame", "ready = lambda: (send(type='draw', at=1), send(type='ready'))", PATIENT),
    ("bad-channel", "subscribe = lambda: send(type='subscribe', events=['bus:a*b'])", PATIENT),
    (
        "not-granted",
        "def command(frame):\n"
        "    send(type='submit', text='hello')\n"
        "    send(type='command_response', id=frame['id'], action='noop')",
        PATIENT,
    ),
    *(
        (
            rule,
            "granted = []\nother = lambda frame: granted.extend(frame.get('capabilities', []))\n"
            f"def command(frame):\n    if {when}:\n        send(type='host_call', {call})\n"
            "    send(type='command_response', id=frame['id'], action='noop')",
            PATIENT,
        )
        for rule, when, call in (
            ("not-granted", "not granted", "id=frame['id'], method='model.get'"),
            ("unknown-method", "granted", "id=frame['id'], method='model.sing'"),
            ("bad-params", "granted", "id=frame['id'], method='ui.confirm', params={'title': 5}"),
            ("bad-call-id", "granted", "id='', method='model.get'"),
            ("not-in-command", "granted", "id=frame['id'], method='session.fork'"),
        )
    ),
    (
        "bad-provider-event",
        "def subscribe():\n    send(type='register_provider', name='corp', config={'stream': True})\n"
        "def other(frame):\n    if frame['type'] == 'provider_stream':\n"
        "        send(type='provider_event', id=frame['id'], event='done', stop='tired')",
        PATIENT,
    ),
    ("bad-command-name", "commands = lambda: send(type='register_command', name='say hi', description='')", PATIENT),
    (
        "bad-tool-name",
        "tools = lambda: send(type='register_tool', name='a.b', description='', schema={'type': 'object'})",
        PATIENT,
    ),
    (
        "bad-tool-name",
        "tools = lambda: send(type='register_tool', name='t' * 65, description='', schema={'type': 'object'})",
        PATIENT,
    ),
    *(
        (
            "bad-tool-options",
            "tools = lambda: send(type='register_tool', name='add', description='',"
            f" schema={{'type': 'object'}}, {option})",
            PATIENT,
        )
        for option in ("execution_mode='fast'", "exposure='hidden'", "timeout_ms=600001")
    ),
    *(
        (
            rule,
            "granted = []\nother = lambda frame: granted.extend(frame.get('capabilities', []))\n"
            f"def command(frame):\n    if {when}:\n        send({sent})\n"
            "    send(type='command_response', id=frame['id'], action='noop')",
            PATIENT,
        )
        for rule, when, sent in (
            ("not-granted", "not granted", "type='tool_progress', id=frame['id'], text='x'"),
            ("not-granted", "not granted", "type='panel_draw', panel_id='p', lines=[]"),
            ("not-granted", "not granted", "type='call_tool', id=frame['id'], name='bash', args={}"),
            ("not-registered", "granted", "type='unregister_tool', name='gone'"),
            ("unknown-id", "granted", "type='tool_progress', id=frame['id'], text='x'"),
            ("bad-call-id", "granted", "type='call_tool', id='', name='bash', args={}"),
        )
    ),
    (
        "large-details",
        "tool = lambda frame: send(type='tool_result', id=frame['id'], content=[{'type': 'text', 'text': '3'}],"
        " details={'x': 'y' * 70000})",
        PATIENT,
    ),
    ("bad-tool-schema", "tools = lambda: send(type='register_tool', name='add', description='')", PATIENT),
    (
        "bad-tool-schema",
        "tools = lambda: send(type='register_tool', name='add', description='', schema={'type': 'string'})",
        PATIENT,
    ),
    (
        "bad-tool-schema",
        "tools = lambda: send(type='register_tool', name='add', description='',"
        " schema={'type': 'object', 'properties': {'a': {'type': 'text'}}})",
        PATIENT,
    ),
    ("wrong-field-type", "tools = lambda: send(type='register_tool', name='add', description='', schema=[])", PATIENT),
    ("registered-twice", "ready = lambda: (commands(), send(type='ready'))", PATIENT),
    ("unknown-event", "subscribe = lambda: send(type='subscribe', events=['sunrise'])", PATIENT),
    ("unknown-intercept", "subscribe = lambda: send(type='subscribe', intercept=['turn_end'])", PATIENT),
    (
        "depends-on-ack-time",
        "def commands(register=commands):\n"
        "    import select\n"
        "    if select.select([0], [], [], 1)[0]:\n"
        "        register()",
        LONG_SILENT,
    ),
    ("no-reply", "command = lambda frame: None", impatient("command_seconds")),
    ("no-reply", "tool = lambda frame: None", impatient("tool_seconds")),
    ("no-reply", "intercept = lambda frame: None", impatient("intercept_seconds")),
    (
        "late-reply",
        "quick = command\ndef command(frame):\n    time.sleep(5)\n    quick(frame)",
        impatient("command_seconds"),
    ),
    ("double-reply", "once = tool\ndef tool(frame):\n    once(frame)\n    once(frame)", PATIENT),
    (
        "unknown-id",
        "once = tool\ndef tool(frame):\n    send(type='tool_result', id='0', content=[{'type': 'text', 'text': ''}])\n"
        "    once(frame)",
        PATIENT,
    ),
    ("wrong-reply", "tool = command", PATIENT),
    ("unknown-action", "command = lambda frame: send(type='command_response', id=frame['id'], action='sing')", PATIENT),
    (
        "incomplete-action",
        "command = lambda frame: send(type='command_response', id=frame['id'], action='prompt', display='hello')",
        PATIENT,
    ),
    (
        "incomplete-action",
        "command = lambda frame: send(type='command_response', id=frame['id'], action='open_panel')",
        PATIENT,
    ),
    ("unknown-level", "event = lambda frame: send(type='notify', level='fatal', message='oh')", PATIENT),
    (
        "bad-content",
        "tool = lambda frame: send(type='tool_result', id=frame['id'], content=[{'type': 'video', 'url': 'x'}])",
        PATIENT,
    ),
    (
        "bad-content",
        "tool = lambda frame: send(type='tool_result', id=frame['id'],"
        " content=[{'type': 'image', 'mime_type': 'image/png', 'data': '~~~'}])",
        PATIENT,
    ),
    ("empty-content", "tool = lambda frame: send(type='tool_result', id=frame['id'], content=[])", PATIENT),
    (
        "misplaced-field",
        "intercept = lambda frame: send(type='event_intercept_response', id=frame['id'],"
        " **({'replace_text': 'x'} if frame['event'] == 'tool_call' else {}))",
        PATIENT,
    ),
    ("not-asked-for", "subscribe = lambda: send(type='subscribe', intercept=['input'])", PATIENT),
    ("not-asked-for", "subscribe = lambda: send(type='subscribe', events=['agent_end'])", PATIENT),
    (
        "bad-answer",
        "subscribe = lambda: send(type='subscribe', intercept=['before_agent_start'])\n"
        "intercept = lambda frame: send(type='event_intercept_response', id=frame['id'], message=5)",
        PATIENT,
    ),
    *(
        (
            rule,
            "ready = lambda: None\ndef other(frame):\n    if 'autocomplete' in frame.get('capabilities', []):\n"
            f"        send(type='host_call', id='c', method='completions.register', params={params})\n"
            "    if frame['type'] == 'hello_ack':\n        send(type='ready')\n"
            "intercept = lambda frame: send(type='event_intercept_response', id=frame['id'], items=[{'label': 'x'}])",
            PATIENT,
        )
        for rule, params in (("bad-answer", {"trigger": "#"}), ("bad-params", {"trigger": "@"}))
    ),
    ("exited-early", "command = lambda frame: int(frame['args'])", PATIENT),
    ("exited-early", "def tool(frame, original=tool):\n    original(frame | {'a': frame['args']['a']})", PATIENT),
    ("exited-early", "event = lambda frame: sys.exit('no event wanted')", PATIENT),
    ("exited-early", "event = lambda frame: (time.sleep(0.2), sys.exit(3))", PATIENT),
    (
        "exited-early",
        "hello = lambda: send(type='hello', name='sound', capabilities=['stream_events'])\n"
        "subscribe = lambda: send(type='subscribe', events=['message_update'])\n"
        "event = lambda frame: int(frame['delta'])",
        PATIENT,
    ),
    ("exited-early", "ready = lambda: (send(type='ready'), sys.exit(3))", PATIENT),
    ("breaks-on-unknown-frame", "other = lambda frame: {'hello_ack': 1}[frame['type']]", PATIENT),
    (
        "breaks-on-unknown-field",
        "def command(frame, original=command):\n    known = {'type', 'id', 'name', 'args'}\n"
        "    assert set(frame) <= known, frame\n    original(frame)",
        PATIENT,
    ),
    (
        "breaks-on-non-ascii",
        "def lines():\n    for line in sys.stdin.buffer:\n        yield from line.decode().splitlines()",
        PATIENT,
    ),
    (
        "breaks-on-large-argument",
        "def lines():\n    for line in sys.stdin.buffer:\n        yield line if len(line) < 65536 else sys.exit(9)",
        PATIENT,
    ),
    (
        "breaks-on-joined-frames",
        # One request of every read is answered.
        "def lines():\n    rest = b''\n    for chunk in iter(lambda: os.read(0, 9999999), b''):\n"
        "        *whole, rest = (rest + chunk).split(b'\\n')\n"
        "        yield from [line for line in whole if b'\"args\"' not in line]\n"
        "        yield from [line for line in whole if b'\"args\"' in line][:1]",
        QUICK.longer(3),  # it answers the one request, though late where many programs run
    ),
    (
        "breaks-on-cut-frames",
        "def lines():\n    for chunk in iter(lambda: os.read(0, 9999999), b''):\n"
        "        if len(chunk) >= 512:\n            while not chunk.endswith(b'\\n'):\n"
        "                chunk += os.read(0, 9999999)\n"
        "        yield from chunk.split(b'\\n')[:-1] or sys.exit('half a frame')",
        PATIENT,
    ),
    ("no-shutdown-ack", "shutdown = lambda frame: sys.exit()", PATIENT),
    ("ignores-shutdown", "shutdown = lambda frame: send(type='shutdown_ack')", QUICK),
    ("ignores-shutdown", "shutdown = lambda frame: None", QUICK),
    ("exit-status", "shutdown = lambda frame: (send(type='shutdown_ack'), sys.exit(4))", PATIENT),
    ("ignores-end-of-input", "end = lambda: time.sleep(60)", QUICK),
    (
        "leaves-process",
        "from subprocess import DEVNULL, Popen\nchild = Popen(['sleep', '60'], stdin=DEVNULL, stdout=DEVNULL)",
        PATIENT,
    ),
]
PARTS = 4
"""So many tests check these programs, each many at a time."""
TOLD_BY_OTHER_TESTS = {
    *("bad-manifest", "cannot-start", "no-program", "name-mismatch", "not-permitted"),
    *("flag-not-in-manifest", "unnamed-provider", "bad-resource", "not-the-same", "bad-machine"),
    "guard-not-there",
}


def checked(change: str, folder: Path, limits: ExtensionLimits = PATIENT, *, calls: bool = True) -> Report:
    program = folder / "program.py"
    program.write_text(SOUND.replace("#CHANGE", change))
    return check([sys.executable, "-I", "-S", str(program)], limits=limits, calls=calls)


def test_a_program_that_is_remembered_registers_the_same_at_each_start(tmp_path: Path) -> None:
    changes = "commands = lambda: send(type='register_command', name=f'c{os.getpid()}', description='')"
    for name, change in (("same", ""), ("other", changes)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "program.py").write_text(SOUND.replace("#CHANGE", change))
        manifest = {"name": "sound", "exec": sys.executable, "args": ["program.py"], "remember": True}
        (folder / "extension.json").write_text(json.dumps(manifest))
    same = check(tmp_path / "same", limits=PATIENT, calls=False)
    soon = ExtensionLimits(ready_idle_seconds=0.1, ready_total_seconds=1, kill_seconds=0.5)
    other = check(tmp_path / "other", limits=soon, calls=False)  # which waits in vain for what it has registered before
    assert same.rules == ()
    assert "not-the-same" in other.rules


def test_a_sound_program_has_no_findings(tmp_path: Path) -> None:
    report = checked("", tmp_path)
    assert report.findings == ()
    assert report.ok
    assert report.name == "sound"
    assert (report.commands, report.tools) == (("greet",), ("add",))
    assert report.events == ("turn_start",)
    assert report.intercepts == ("tool_call", "assistant_message", "before_agent_start")


def test_every_event_and_interception_of_the_protocol_is_sent(tmp_path: Path) -> None:
    events, seen = [*EVENTS, *OBSERVABLE], tmp_path / "seen"
    note = f"open({str(seen)!r}, 'a').write(frame['type'] + ' ' + frame['event'] + '\\n')"
    report = checked(
        f"hello = lambda: send(type='hello', name='all', capabilities={[*CAPABILITIES]})\n"
        f"subscribe = lambda: send(type='subscribe', events={events}, intercept={[*INTERCEPTABLE]})\n"
        f"def event(frame):\n    {note}\n"
        f"def intercept(frame, answer=intercept):\n    {note}\n    answer(frame)",
        tmp_path,
    )
    assert report.findings == ()
    asked = {f"event_intercept {name}" for name in INTERCEPTABLE}
    assert set(seen.read_text().splitlines()) == {f"event {name}" for name in events} | asked


@pytest.mark.parametrize("part", range(PARTS))
def test_a_program_that_breaks_one_rule_is_told_of_that_rule_alone(part: int, tmp_path: Path) -> None:
    programs = BROKEN[part::PARTS]
    folders = [tmp_path / f"{number}-{rule}" for number, (rule, _, _) in enumerate(programs)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(8) as pool:  # most of the time is waiting for what never comes
        changes, limits = [each[1] for each in programs], [each[2] for each in programs]
        reports = pool.map(checked, changes, folders, limits)
        told = {folder.name: report for folder, report in zip(folders, reports, strict=True)}
    expected = {folder.name: (rule,) for folder, (rule, _, _) in zip(folders, programs, strict=True)}
    assert {name: report.rules for name, report in told.items()} == expected, told
    assert all(report.ok == (RULES[report.rules[0]][0] != "error") for report in told.values())


def test_every_rule_has_a_program_that_breaks_it() -> None:
    assert {rule for rule, _, _ in BROKEN} | TOLD_BY_OTHER_TESTS == set(RULES)


def write_extension(folder: Path, name: str = "sound", **manifest: object) -> Path:
    (folder / "program.py").write_text(f"#!{sys.executable} -S\n{SOUND}")
    (folder / "program.py").chmod(0o755)
    (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./program.py"} | manifest))
    return folder


def test_a_directory_is_started_as_its_manifest_says(tmp_path: Path) -> None:
    report = check(write_extension(tmp_path), limits=PATIENT)
    assert (report.findings, report.name, report.commands) == ((), "sound", ("greet",))


def test_a_name_other_than_that_of_the_manifest_is_a_warning(tmp_path: Path) -> None:
    report = check(write_extension(tmp_path, name="other"), limits=PATIENT)
    assert report.rules == ("name-mismatch",)
    assert report.ok
    assert report.name == "other"


def test_a_manifest_without_a_program_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    report = check(write_extension(tmp_path, exec="", skills=["notes"]), limits=PATIENT)
    assert (report.rules, report.ok) == (("no-program",), True)


def test_what_the_permissions_of_the_manifest_do_not_name_is_an_error(tmp_path: Path) -> None:
    wanted = {"tools": ["add"], "intercept": ["bash", "assistant_message"]}
    report = check(write_extension(tmp_path, permissions=wanted), limits=PATIENT, calls=False)
    assert report.rules == ("not-permitted",)
    assert [each.text.partition(":")[0] for each in report.findings] == [
        "hosts refuse the command 'greet'",
        "hosts refuse to intercept 'before_agent_start'",
    ]


def test_a_declared_guard_that_the_program_does_not_have_is_an_error(tmp_path: Path) -> None:
    write_extension(tmp_path, guards={"tool_call": {"on_exit": "block"}, "input": {}})
    report = check(tmp_path, limits=PATIENT, calls=False)
    assert report.rules == ("guard-not-there",)
    assert report.findings[0].text == "'guards' in the manifest has 'input', which is not in subscribe.intercept"


def test_a_provider_that_the_manifest_does_not_name_is_an_error(tmp_path: Path) -> None:
    write_extension(tmp_path, providers={"corp": {}})
    program = tmp_path / "program.py"
    register = "def ready():\n    send(type='register_provider', name='other', config={})\n    send(type='ready')"
    program.write_text(program.read_text().replace("#CHANGE", register))
    assert check(tmp_path, limits=PATIENT, calls=False).rules == ("unnamed-provider",)


MACHINE = """
import sys
from zot_ext import Extension, FileStat, ToolOps
class Far(ToolOps):
    def stat(self, path): return FileStat("directory")
    def read(self, path, offset, length): return b""
    def run(self, command, cwd, env, output): return 0
ext = Extension("far", "1")
ext.tool_ops(Far()).claim("far", cwd=sys.argv[1])
ext.run()
"""


@pytest.mark.parametrize(("cwd", "rules"), [("/srv", ()), ("srv", ("bad-machine",))])
def test_a_machine_is_asked_and_what_is_wrong_with_it_is_an_error(
    cwd: str, rules: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(MACHINE)
    manifest = {"name": "far", "exec": sys.executable, "args": [str(tmp_path / "program.py"), cwd]}
    (tmp_path / "extension.json").write_text(json.dumps(manifest))
    report = check(tmp_path, limits=PATIENT)
    assert (report.rules, report.ok) == (rules, not rules)


def test_a_directory_without_a_manifest_is_an_error(tmp_path: Path) -> None:
    report = check(tmp_path)
    assert report.rules == ("bad-manifest",)
    assert "extension.json: cannot be read in" in report.findings[0].text


@pytest.mark.parametrize("program", ["./missing", "no-such-program-anywhere", "./extension.json"])
def test_a_program_that_cannot_be_started_is_an_error(program: str, tmp_path: Path) -> None:
    report = check(write_extension(tmp_path, exec=program), limits=PATIENT)
    assert report.rules == ("cannot-start",)
    assert program.removeprefix("./") in report.findings[0].text


def test_without_calls_no_handler_runs(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    change = f"command = tool = intercept = event = lambda frame: open({str(marks)!r}, 'a').write(str(frame))"
    report = checked(change, tmp_path, calls=False)
    assert report.findings == ()
    assert report.commands == ("greet",)
    assert not marks.exists()


def test_without_calls_the_rest_is_still_checked(tmp_path: Path) -> None:
    assert checked("shutdown = lambda frame: None", tmp_path, QUICK, calls=False).rules == ("ignores-shutdown",)
    for seconds in (0, 0.2):  # longer than silence is listened to
        change = f"other = lambda frame: frame['type'] == 'hello_ack' or (time.sleep({seconds}), sys.exit(1))"
        assert checked(change, tmp_path, calls=False).rules == ("breaks-on-unknown-frame",)


def test_an_acknowledgement_that_comes_late_has_come(tmp_path: Path) -> None:
    before = str(tmp_path / "one has come late")
    late = f"""
def shutdown(frame):
    if not os.path.exists({before!r}):
        open({before!r}, "w").close()
        time.sleep(5)
    send(type="shutdown_ack")
    sys.exit()
"""
    assert "no-shutdown-ack" not in checked(late, tmp_path, QUICK, calls=False).rules


def test_every_handler_is_asked_in_several_ways(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    record = f"def record(frame):\n    open({str(seen)!r}, 'a').write(json.dumps(frame) + chr(10))\n"
    wrap = "".join(
        f"def {name}(frame, original={name}):\n    record(frame)\n    original(frame)\n"
        for name in ("command", "tool", "intercept", "event")
    )
    assert checked(record + wrap, tmp_path).findings == ()
    frames = [json.loads(line) for line in seen.read_text().splitlines()]
    asked = [frame for frame in frames if frame["type"] == "tool_call"]
    assert [each["args"] for each in asked] == [
        {"a": 1, "note": "text"},
        {},
        {"a": 1, "note": "text", "zot_check_unknown": True},
    ]
    commands = [frame["args"] for frame in frames if frame["type"] == "command_invoked"]
    assert commands[:2] == ["", "zot check"]
    assert any("\u2028" in (args or "") for args in commands)
    assert max(len(args or "") for args in commands) == 1024 * 1024
    intercepted = [frame["event"] for frame in frames if frame["type"] == "event_intercept"]
    assert intercepted == ["tool_call", "assistant_message", "before_agent_start"]
    assert [frame["event"] for frame in frames if frame["type"] == "event"] == ["turn_start"]


def test_what_needs_a_grant_may_be_sent_to_a_host_that_gives_it(tmp_path: Path) -> None:
    change = """
granted = []
def other(frame):
    granted.extend(frame.get("capabilities", ()))
def command(frame):
    if "submit" in granted:
        send(type="submit", text="hello")
    send(type="command_response", id=frame["id"], action="noop")
"""
    assert checked(change, tmp_path).findings == ()


def test_an_open_panel_is_used_and_closed(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    change = f"""
def command(frame):
    panel = {{"id": "p", "title": "", "lines": ["one"]}}
    send(type="command_response", id=frame["id"], action="open_panel", open_panel=panel)
def other(frame):
    open({str(seen)!r}, "a").write(frame["type"] + " " + frame.get("key", "") + chr(10))
"""
    assert checked(change, tmp_path).findings == ()
    told = seen.read_text().splitlines()
    assert told[1:4] == ["panel_key down", "panel_key rune", "panel_close "]


def test_a_program_that_ends_is_quoted_with_its_last_words(tmp_path: Path) -> None:
    (finding,) = checked("raise RuntimeError('no key in the environment')", tmp_path, QUICK).findings
    assert finding.text == "it ended before hello with status 1: RuntimeError: no key in the environment"


def test_a_finding_shows_the_frame_and_a_long_one_shortened(tmp_path: Path) -> None:
    change = "ready = lambda: (send(type='notify', level='loud', message='x' * 1000), send(type='ready'))"
    (finding,) = checked(change, tmp_path).findings
    assert finding.frame.startswith('{"type": "notify", "level": "loud", "message": "xxx')
    assert finding.frame.endswith("… (1050 bytes)")
    assert finding.text == "a note of level 'loud'; info, success, warn, error exist"


def test_a_check_that_is_interrupted_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        SOUND.replace(
            "#CHANGE",
            f"""
import signal
def command(frame):
    open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)
""",
        )
    )
    code = "import sys; from zot_ext.testing import check; check(sys.argv[1:])"
    command = [sys.executable, "-c", code, sys.executable, "-I", "-S", str(tmp_path / "program.py")]
    environ = {"PYTHONPATH": str(Path(zot_ext.__file__).parents[1]), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stderr.endswith("KeyboardInterrupt\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pid", "program.py"]


def test_the_report_is_the_same_every_time(tmp_path: Path) -> None:
    change = "command = lambda frame: send(type='command_response', id=frame['id'], action='sing')"
    first, second = (checked(change, tmp_path) for _ in range(2))
    assert first == second
    assert json.loads(json.dumps(first.as_json()))["findings"][0]["rule"] == "unknown-action"


def test_the_files_of_an_extension_go_where_they_are_deleted(tmp_path: Path) -> None:
    change = """
def other(frame):
    if frame["type"] == "hello_ack":
        open(os.path.join(frame["data_dir"], "state"), "a").close()
        sys.stderr.write(frame["data_dir"])
def command(frame):
    sys.exit("kept in " + str(other))
"""
    (finding,) = checked(change.replace("str(other)", "os.environ['PYTHONPATH']"), tmp_path).findings
    kept = Path(finding.text.rpartition("kept in ")[2].rpartition(":")[2])
    assert not kept.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program.py"]


def test_a_program_that_only_intercepts_can_be_checked(tmp_path: Path) -> None:
    assert checked("commands = tools = lambda: None", tmp_path).findings == ()


def test_a_flag_that_the_manifest_does_not_have_is_an_error(tmp_path: Path) -> None:
    source = SOUND.replace(
        "#CHANGE",
        "def other(frame):\n    if 'flags' in frame.get('capabilities', ()):\n"
        "        send(type='register_flag', name='plan', flag_type='boolean')\n"
        "        send(type='register_flag', name='n', flag_type='integer', default=2)\n"
        "        send(type='register_flag', name='x', flag_type='string')\n",
    )
    folder = write_extension(tmp_path, flags=[{"name": "plan"}, {"name": "n", "type": "integer"}])
    (folder / "program.py").write_text(f"#!{sys.executable} -S\n{source}")
    report = check(folder, limits=PATIENT, calls=False)
    assert [each.text for each in report.findings] == [
        "the flag 'n' is integer, by default 2; in the manifest integer, 0",
        "no flag 'x' in the manifest; it can never be given",
    ]
    assert report.rules == ("flag-not-in-manifest",)


def test_resources_that_are_missing_or_outside_of_the_folder_are_errors(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    folder = write_extension(tmp_path, exec="", prompts=["prompts", "more"], skills=["../x"], themes=["t.json"])
    report = check(folder, limits=PATIENT)
    assert [each.text for each in report.findings if each.rule == "bad-resource"] == [
        "skills: '../x' is not in the folder of the extension",
        "prompts: 'more' does not exist",
        "themes: 't.json' does not exist",
    ]
    assert not report.ok
