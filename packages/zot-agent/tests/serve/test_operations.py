"""Each operation says the same to a client of `zot serve` as over other transports."""

import json
import re
from pathlib import Path
from typing import Any

from extension_folder import write_extension
from operation_faults import FAULTS, OPERATIONS, REFUSALS
from served import Serving

from zot_agent.serve.page import FILES
from zot_provider.testing import ScriptedServer


async def test_a_client_of_the_server_is_told_which_field_is_wrong(serving: Serving, alone: Path) -> None:
    async with serving() as served:
        id = await served.open(cwd=str(alone))
        for name, fields, code, words in FAULTS:
            answer = await served.command(id, name, **fields)
            assert (answer["success"], answer["code"], answer["error"]) == (False, code, words), name
        for name, fields, code, words in REFUSALS:
            answer = await served.command(id, name, **fields)
            assert (answer["code"], answer["error"][: len(words)]) == (code, words), name


async def test_a_client_of_a_web_socket_is_told_the_same(serving: Serving, alone: Path) -> None:
    async with serving() as served, served.socket(await served.open(cwd=str(alone))) as socket:
        for name, fields, code, words in (*FAULTS, *REFUSALS):
            answer = await socket.call(name, **fields)
            assert (answer["code"], answer["error"][: len(words)]) == (code, words), name


SAME: tuple[tuple[str, dict[str, Any], str, str, dict[str, Any]], ...] = (
    ("session.list", {"limit": 0}, "GET", "/stored?limit=0", {}),
    ("session.list", {"limit": "all"}, "GET", "/stored?limit=all", {}),
    ("session.list", {"after": "none"}, "GET", "/stored?after=none", {}),
    ("session.search", {"query": "x", "limit": 501}, "GET", "/stored?query=x&limit=501", {}),
    ("session.search", {"query": '""'}, "GET", '/stored?query=""', {}),
    ("session.show", {"session": "none"}, "GET", "/stored/none", {}),
    ("session.delete", {"session": "none"}, "DELETE", "/stored/none", {}),
    ("settings.set", {"key": "none", "value": 1}, "PATCH", "/settings", {"none": 1}),
    ("runs.answer", {"run": "none", "answer": "perhaps"}, "POST", "/runs/none/answer", {"answer": "perhaps"}),
    ("runs.answer", {"run": "none", "answer": "no", "message": 7}, "POST", "/runs/none/answer",
     {"answer": "no", "message": 7}),
    ("runs.answer", {"run": "none", "answer": "yes"}, "POST", "/runs/none/answer", {"answer": "yes"}),
)  # fmt: skip
"""Operations, and requests for the same without a session."""


async def test_an_endpoint_says_the_same_as_the_operation(serving: Serving, alone: Path) -> None:
    async with serving() as served:
        id = await served.open(cwd=str(alone))
        for name, fields, method, path, body in SAME:
            told = await served.command(id, name, **fields)
            answer = await served.http.request(method, path, json=body)
            assert answer.json() == {"error": told["error"], "code": told["code"]}, (name, answer.text)
            assert answer.status_code in (400, 404), name


def test_the_page_names_only_operations_that_there_are() -> None:
    sources = {path: file.read_text("utf-8") for path, file in FILES.items() if "vendor" not in path}
    table = json.loads(sources.pop("/operations.js").partition("= ")[2].rstrip(";\n").replace(",\n}", "}"))
    offered = [each for each in OPERATIONS.values() if each.scope != "extension"]
    fields = {name: [each.name for each in one.fields] for one in offered for name in (one.name, one.alias) if name}
    asked = re.compile(r'(?:\bask|attempt|#move|send)\((?:\{ type: )?"([a-z_]+(?:\.[a-z_]+)?)"')
    named = {name for source in sources.values() for name in asked.findall(source)}
    assert table == fields
    assert {"session.fork", "ext_panel_key", "abort"} <= named <= {*fields}


async def test_an_extension_that_keeps_the_session_keeps_its_messages(
    serving: Serving, server: ScriptedServer, alone: Path, tmp_path: Path
) -> None:
    server.add("one")
    body = "@ext.intercept('session_before_switch')\ndef stay(_):\n    return block('keep it')"
    folder = write_extension(tmp_path / "keeper", body)
    async with serving(defaults={"extensions": [str(folder)]}) as served:
        id = await served.open(cwd=str(alone))
        await served.command(id, "prompt", message="first")
        await served.until_state(id, busy=False, message_count=2)
        answer = await served.command(id, "control.clear")
        assert (answer["code"], answer["error"]) == ("denied", "keep it")
        await served.until_state(id, message_count=2)


async def test_what_only_a_process_of_its_own_can_do_is_unavailable(serving: Serving, alone: Path) -> None:
    async with serving() as served:
        id = await served.open(cwd=str(alone))
        answer = await served.command(id, "control.shutdown")
        assert (answer["code"], "zot cannot be ended from here in the mode serve" in answer["error"]) == (
            "unavailable",
            True,
        )
        assert (await served.command(id, "tools.set_active", names=[]))["code"] == "denied"
        assert (await served.command(id, "session.append", custom_type="x", data=1))["code"] == "denied"
