"""Every literal frame of the protocol documents, with the frame it must decode to."""

import pytest

from zot_ext import ImageBlock, PanelSpec, TextBlock
from zot_ext.protocol import FromExtension, FromHost
from zot_ext.protocol import from_extension as ext
from zot_ext.protocol import from_host as host
from zot_ext.protocol.codec import decode_from_extension, decode_from_host
from zot_ext.protocol.groups import providers as prov
from zot_ext.protocol.groups import tool_ops as ops
from zot_ext.protocol.raw import RawObject

WEATHER_SCHEMA = """{
"type":"object",
"properties":{"city":{"type":"string"}},
"required":["city"]
}"""

FROM_EXTENSION = [
    (
        '{"type":"hello","name":"hello-py","version":"1.0.0","capabilities":["commands"]}',
        ext.Hello("hello-py", "1.0.0", ("commands",)),
    ),
    (
        '{"type":"hello","name":"weather","version":"1.0.0",\n"capabilities":["commands","tools","panels"]}',
        ext.Hello("weather", "1.0.0", ("commands", "tools", "panels")),
    ),
    (
        '{"type": "register_command", "name": "hellopy", "description": "say hi (python)"}',
        ext.RegisterCommand("hellopy", "say hi (python)"),
    ),
    (
        '{"type":"register_tool","name":"weather",\n"description":"Get the current weather for a city.",\n'
        f'"schema":{WEATHER_SCHEMA}}}',
        ext.RegisterTool("weather", "Get the current weather for a city.", RawObject(WEATHER_SCHEMA)),
    ),
    (
        '{"type":"register_tool","name":"read_notes","description":"Read the user\'s scratchpad notes.",'
        '"schema":{"type":"object","properties":{}}}',
        ext.RegisterTool(
            "read_notes",
            "Read the user's scratchpad notes.",
            RawObject('{"type":"object","properties":{}}'),
        ),
    ),
    ('{"type":"ready"}', ext.Ready()),
    (
        '{"type":"tool_result","id":"...",\n"content":[{"type":"text","text":"Berlin: 16°C, fog"}]}',
        ext.ToolResult("...", (TextBlock("Berlin: 16°C, fog"),)),
    ),
    (
        '{"type":"tool_result","id":"def","is_error":true,'
        '"content":[{"type":"image","mime_type":"image/png","data":"aGk="}]}',
        ext.ToolResult("def", (ImageBlock("image/png", "aGk="),), is_error=True),
    ),
    (
        '{"type":"subscribe","events":["session_start","turn_start","tool_call","turn_end",'
        '"assistant_message"],"intercept":["tool_call","turn_start","assistant_message"]}',
        ext.Subscribe(
            ("session_start", "turn_start", "tool_call", "turn_end", "assistant_message"),
            ("tool_call", "turn_start", "assistant_message"),
        ),
    ),
    (
        '{"type":"event_intercept_response","id":"...",\n'
        r'"block":true,"reason":"refused: matches danger pattern \"rm -rf\""}',
        ext.EventInterceptResponse("...", block=True, reason='refused: matches danger pattern "rm -rf"'),
    ),
    (
        '{"type":"event_intercept_response","id":"...","modified_args":{"command":"echo GUARDED: ls"}}',
        ext.EventInterceptResponse("...", modified_args=RawObject('{"command":"echo GUARDED: ls"}')),
    ),
    (
        '{"type":"event_intercept_response","id":"...","replace_text":"[redacted]"}',
        ext.EventInterceptResponse("...", replace_text="[redacted]"),
    ),
    (
        '{"type":"event_intercept_response","id":"1","system_prompt":""}',
        ext.EventInterceptResponse("1", system_prompt=""),
    ),
    (
        '{"type":"command_response","id":"...","action":"prompt",\n'
        '"prompt":"Show today\'s weather for Berlin in one line."}',
        ext.CommandResponse("...", "prompt", prompt="Show today's weather for Berlin in one line."),
    ),
    (
        '{"type":"command_response","id":"1","action":"display","display":"noted: x"}',
        ext.CommandResponse("1", "display", display="noted: x"),
    ),
    (
        '{"type":"command_response","id":"...","action":"open_panel","open_panel":{"id":"todos-main",'
        '"title":"Todos","lines":["□ ship panel api","✓ persist state"],"footer":"esc close"}}',
        ext.CommandResponse(
            "...",
            "open_panel",
            open_panel=PanelSpec("todos-main", "Todos", ("□ ship panel api", "✓ persist state"), "esc close"),
        ),
    ),
    ('{"type":"unregister_tool","name":"grow"}', ext.UnregisterTool("grow")),
    ('{"type":"tool_progress","id":"7","text":"half\\n"}', ext.ShowProgress("7", "half\n")),
    (
        '{"type":"call_tool","id":"t1","name":"bash","args":{"command":"ls"},"parent_id":"7"}',
        ext.CallTool("t1", "bash", RawObject('{"command":"ls"}'), "7"),
    ),
    ('{"type":"call_tool_cancel","id":"t1"}', ext.CallToolCancel("t1")),
    (
        '{"type":"panel_render","panel_id":"todos-main","title":"Todos","lines":["a"],"footer":"f"}',
        ext.PanelRender("todos-main", "Todos", ("a",), "f"),
    ),
    ('{"type":"panel_close","panel_id":"todos-main"}', ext.PanelClose("todos-main")),
    (
        '{"type":"open_panel","panel":{"id":"ask","title":"Allow?"}}',
        ext.OpenPanel(PanelSpec("ask", "Allow?")),
    ),
    (
        '{"type":"notify","level":"info",\n"message":"refreshed cache (12 entries)"}',
        ext.Notify("info", "refreshed cache (12 entries)"),
    ),
    ('{"type":"clear_notes"}', ext.ClearNotes()),
    ('{"type":"submit","text":"go on"}', ext.Submit("go on")),
    (
        '{"type":"register_flag","name":"plan","flag_type":"boolean","default":false,"description":"Only plan."}',
        ext.RegisterFlag("plan", "boolean", default=False, description="Only plan."),
    ),
    (
        '{"type":"host_call","id":"h1","method":"ui.confirm","params":{"title":"Run?"},"parent_id":"7"}',
        ext.HostCall("h1", "ui.confirm", RawObject('{"title":"Run?"}'), "7"),
    ),
    ('{"type":"cancel","id":"h1"}', ext.CancelCall("h1")),
    (
        '{"type":"register_provider","name":"corp","config":{"stream":true}}',
        prov.RegisterProvider("corp", RawObject('{"stream":true}')),
    ),
    ('{"type":"unregister_provider","name":"corp"}', prov.UnregisterProvider("corp")),
    (
        '{"type":"provider_event","id":"s1","event":"text","delta":"Hel"}',
        prov.ProviderEvent("s1", "text", "Hel"),
    ),
    (
        '{"type":"provider_event","id":"s1","event":"done","usage":{"input":1},"stop":"end_turn"}',
        prov.ProviderEvent("s1", "done", usage=RawObject('{"input":1}'), stop="end_turn"),
    ),
    (
        '{"type":"provider_step","id":"p1","url":"https://corp.test/device","user_code":"ABCD"}',
        prov.ProviderStep("p1", "https://corp.test/device", "ABCD"),
    ),
    (
        '{"type":"provider_result","id":"p1","result":{"access":"token"}}',
        prov.ProviderResult("p1", RawObject('{"access":"token"}')),
    ),
    (
        '{"type":"register_tool_ops","name":"me@far","cwd":"/srv/app","home":"/home/me","ops":["files","exec"]}',
        ops.RegisterToolOps("me@far", "/srv/app", "/home/me", ("files", "exec")),
    ),
    ('{"type":"unregister_tool_ops"}', ops.UnregisterToolOps()),
    ('{"type":"op_data","id":"e1","data":"aGk="}', ops.OpOutput("e1", "aGk=")),
    (
        '{"type":"op_response","id":"f1","code":"ENOENT","error":"No such file or directory"}',
        ops.OpResponse("f1", code="ENOENT", error="No such file or directory"),
    ),
    ('{"type":"shutdown_ack"}', ext.ShutdownAck()),
    (
        '{"type":"panel_draw","panel_id":"p","lines":["plain",[{"text":"bold","bold":true}]],'
        '"cursor_row":0,"cursor_column":5}',
        ext.PanelDraw("p", ("plain", [{"text": "bold", "bold": True}]), 0, 5),
    ),
    ('{"type":"panel_key_result","panel_id":"p","seq":7}', ext.PanelKeyResult("p", 7)),
    (
        '{"type":"panel_key_result","panel_id":"p","seq":7,"consumed":false}',
        ext.PanelKeyResult("p", 7, consumed=False),
    ),
]

FROM_HOST = [
    (
        '{"type":"panel_key","panel_id":"p","key":"k","mods":["ctrl","alt"],"seq":7}',
        host.PanelKey("p", "k", "", ("ctrl", "alt"), 7),
    ),
    (
        '{"type":"panel_resize","panel_id":"p","width":18,"height":9,"visible":true}',
        host.PanelResize("p", 18, 9, visible=True),
    ),
    ('{"type":"panel_focus","panel_id":"p","focused":true}', host.PanelFocus("p", focused=True)),
    ('{"type":"panel_paste","panel_id":"p","text":"two\\nlines"}', host.PanelPaste("p", "two\nlines")),
    (
        '{"type":"panel_mouse","panel_id":"p","action":"press","row":1,"column":2,"button":1}',
        host.PanelMouse("p", "press", 1, 2, 1),
    ),
    (
        '{"type":"hello_ack","protocol_version":1,\n"zot_version":"0.0.7","provider":"anthropic",\n'
        '"model":"claude-opus-4-7","cwd":"/Users/pat/Developer/zot"}',
        host.HelloAck(1, "0.0.7", "anthropic", "claude-opus-4-7", "/Users/pat/Developer/zot"),
    ),
    (
        '{"type":"hello_ack","protocol_version":1,"zot_version":"0.0.7","provider":"anthropic",'
        '"model":"claude-opus-4-7","cwd":"/zot","extension_dir":"/zot/.zot/extensions/todos",'
        '"data_dir":"/zot/.zot/extensions/todos"}',
        host.HelloAck(
            1,
            "0.0.7",
            "anthropic",
            "claude-opus-4-7",
            "/zot",
            extension_dir="/zot/.zot/extensions/todos",
            data_dir="/zot/.zot/extensions/todos",
        ),
    ),
    (
        '{"type":"command_invoked","id":"...",\n"name":"weather","args":"berlin"}',
        host.CommandInvoked("...", "weather", "berlin"),
    ),
    (
        '{"type":"tool_call","id":"...","name":"weather",\n"args":{"city":"Berlin"}}',
        host.ToolCall("...", "weather", RawObject('{"city":"Berlin"}')),
    ),
    ('{"type":"event","event":"session_start"}', host.Event("session_start")),
    ('{"type":"event","event":"turn_start","step":1}', host.Event("turn_start", step=1)),
    (
        '{"type":"event","event":"tool_call",\n"tool_id":"...","tool_name":"read","tool_args":{"path":"foo.go"}}',
        host.Event("tool_call", tool_id="...", tool_name="read", tool_args=RawObject('{"path":"foo.go"}')),
    ),
    ('{"type":"event","event":"turn_end","stop":"end_turn"}', host.Event("turn_end", stop="end_turn")),
    (
        '{"type":"event_intercept","id":"...","event":"tool_call",\n"tool_id":"...","tool_name":"bash",\n'
        '"tool_args":{"command":"rm -rf /tmp/foo"}}',
        host.EventIntercept(
            "...",
            "tool_call",
            tool_id="...",
            tool_name="bash",
            tool_args=RawObject('{"command":"rm -rf /tmp/foo"}'),
        ),
    ),
    (
        '{"type":"event_intercept","id":"...","event":"turn_start","step":3}',
        host.EventIntercept("...", "turn_start", step=3),
    ),
    (
        '{"type":"event_intercept","id":"...","event":"assistant_message","text":"here is your api key: sk-ant-..."}',
        host.EventIntercept("...", "assistant_message", text="here is your api key: sk-ant-..."),
    ),
    (
        '{"type":"event_intercept","id":"7","event":"before_agent_start","session_id":"s",'
        '"agent_run_id":"r","cwd":"/w","provider":"p","model":"m","system_prompt":"You are"}',
        host.EventIntercept(
            "7",
            "before_agent_start",
            session_id="s",
            agent_run_id="r",
            cwd="/w",
            provider="p",
            model="m",
            system_prompt="You are",
        ),
    ),
    (
        '{"type":"panel_key","panel_id":"todos-main","key":"down"}',
        host.PanelKey("todos-main", "down"),
    ),
    (
        '{"type":"panel_key","panel_id":"todos-main","key":"rune","text":"x"}',
        host.PanelKey("todos-main", "rune", "x"),
    ),
    ('{"type":"panel_close","panel_id":"todos-main"}', host.PanelClose("todos-main")),
    (
        '{"type":"host_result","id":"h1","result":{"value":true}}',
        host.HostResult("h1", RawObject('{"value":true}')),
    ),
    (
        '{"type":"host_result","id":"h1","code":"busy","error":"too many calls"}',
        host.HostResult("h1", code="busy", error="too many calls"),
    ),
    (
        '{"type":"tool_result","id":"t1","name":"bash","content":[{"type":"text","text":"a"}],"is_error":false,'
        '"truncated":true}',
        host.ToolAnswer("t1", "bash", (TextBlock("a"),), truncated=True),
    ),
    ('{"type":"tool_cancel","id":"7"}', host.ToolCancel("7")),
    ('{"type":"host_progress","id":"h1","delta":"Hel"}', host.HostProgress("h1", "Hel")),
    ('{"type":"cancel","id":"7"}', host.CancelRequest("7")),
    (
        '{"type":"provider_stream","id":"s1","provider":"corp","model":"m","context":{"system":""},"options":{}}',
        prov.ProviderStream("s1", "corp", "m", RawObject('{"system":""}'), RawObject("{}")),
    ),
    (
        '{"type":"provider_request","id":"p1","provider":"corp","op":"refresh","credentials":{"access":"old"}}',
        prov.ProviderQuestion("p1", "corp", "refresh", credentials=RawObject('{"access":"old"}')),
    ),
    ('{"type":"provider_input","id":"p1","text":"1234"}', prov.ProviderInput("p1", "1234")),
    (
        '{"type":"op_request","id":"e1","op":"exec","command":"make","cwd":"/srv/app","env":{"CI":"1"}}',
        ops.OpRequest("e1", "exec", command="make", cwd="/srv/app", env=RawObject('{"CI":"1"}')),
    ),
    ('{"type":"op_input","id":"w1","data":"YWJj","more":true}', ops.OpInput("w1", "YWJj", more=True)),
    (
        '{"type":"registration_result","kind":"tool","name":"read","status":"shadowed","reason":"taken"}',
        host.RegistrationResult("tool", "read", "shadowed", "taken"),
    ),
    ('{"type":"shutdown"}', host.Shutdown()),
]


@pytest.mark.parametrize(("line", "frame"), FROM_EXTENSION)
def test_a_documented_frame_of_an_extension_decodes(line: str, frame: FromExtension) -> None:
    assert decode_from_extension(line.encode()) == frame


@pytest.mark.parametrize(("line", "frame"), FROM_HOST)
def test_a_documented_frame_of_the_host_decodes(line: str, frame: FromHost) -> None:
    assert decode_from_host(line.encode()) == frame


def test_the_documents_show_every_frame() -> None:
    from zot_ext import protocol

    assert {type(frame) for _, frame in FROM_EXTENSION} == set(protocol.FROM_EXTENSION)
    assert {type(frame) for _, frame in FROM_HOST} == set(protocol.FROM_HOST)
