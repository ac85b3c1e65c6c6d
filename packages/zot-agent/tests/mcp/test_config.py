import json
from pathlib import Path

import pytest

from zot_agent.mcp.config import McpServerConfig, read_servers
from zot_agent.mcp.names import joined, names_of
from zot_agent.mcp.server_files import ConfigProblem, check_files


def read(folder: Path, servers: object, **environ: str) -> tuple[list[McpServerConfig], list[str]]:
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return read_servers([str(path)], environ)


def test_a_server_is_a_command_or_a_url(tmp_path: Path) -> None:
    (one, two), problems = read(
        tmp_path,
        {
            "one": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "timeout": 5000},
            "two": {"type": "http", "url": "https://h/mcp", "headers": {"X": "y"}},
        },
    )
    assert problems == []
    assert (one.command, one.args, one.env, one.timeout, one.what) == (
        "npx",
        ("-y", "x"),
        (("A", "b"),),
        5.0,
        "npx -y x",
    )
    assert (two.url, two.headers, two.timeout, two.what) == ("https://h/mcp", (("X", "y"),), 600.0, "https://h/mcp")


def test_variables_are_those_of_the_environment(tmp_path: Path) -> None:
    given = {"command": "${TOOL}", "args": ["${A:-b c}", "$A", "${B}x"], "env": {"T": "${TOKEN}"}}
    (found,), problems = read(tmp_path, {"s": given}, TOOL="x", B="", TOKEN="secret")
    assert problems == []
    assert (found.command, found.args, found.env) == ("x", ("b c", "$A", "x"), (("T", "secret"),))
    none, problems = read(tmp_path, {"s": given}, TOOL="x", B="")
    assert none == []
    assert problems[0].endswith("server 's': 'env.T' needs the variable TOKEN, which is not set")


def test_of_several_servers_of_one_name_the_first_counts_even_if_it_is_disabled(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(json.dumps({"mcpServers": {"a": {"command": "one", "disabled": True}, "b": {"command": "one"}}}))
    second.write_text(json.dumps({"mcpServers": {name: {"command": "two"} for name in "abc"}}))
    found, _ = read_servers([str(first), str(second), str(tmp_path / "missing")])
    assert [(each.name, each.command) for each in found] == [("b", "one"), ("c", "two")]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "expected either 'command' or 'url'"),
        ({"command": "a", "url": "http://h"}, "expected either 'command' or 'url'"),
        ({"type": "ws", "url": "http://h"}, "type 'ws' is neither stdio nor http nor sse"),
        ({"url": "http://h", "wait_for": -1}, "'wait_for' is not a time of 0 to 590 seconds"),
        ({"url": "h"}, "'url' does not begin with http"),
        ({"command": 1}, "'command' is not a text"),
        ({"command": "a", "args": "b"}, "'args' is not a list"),
        ({"command": "a", "args": [1]}, "'args' is not a text"),
        ({"command": "a", "env": []}, None),
        ({"command": "a", "env": ["b"]}, "'env' is not an object"),
        ({"command": "a", "timeout": True}, "'timeout' is not a time in milliseconds"),
        ({"command": "a", "timeout": 0}, "'timeout' is not a time in milliseconds"),
        ({"command": "a", "deferred": 1}, "'deferred' is neither true nor false"),
        ({"command": "a", "sampling": "yes"}, "'sampling' is ask, allow or deny"),
        ("npx", "expected an object"),
    ],
)
def test_a_mistake_in_one_server_leaves_the_others(tmp_path: Path, given: object, problem: str | None) -> None:
    found, problems = read(tmp_path, {"bad": given, "good": {"command": "x"}, "b/d": {"command": "x"}})
    assert "good" in [each.name for each in found]
    assert [each for each in problems if "'b/d' is not a name" in each]
    assert [problem in each for each in problems if "'bad'" in each] == ([] if problem is None else [True])


@pytest.mark.parametrize("text", ["[", "[1]", '{"mcpServers": 1}', "\xff"])
def test_a_file_that_is_not_of_this_form_is_a_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text, "latin-1")
    found, (problem,) = read_servers([str(path)])
    assert found == []
    assert problem.startswith(str(path))
    assert "\n" not in problem


def test_names_are_those_that_providers_accept() -> None:
    assert joined("time", "convert_time") == "mcp__time__convert_time"
    assert joined("my.server", "a/b c") == "mcp__my_server__a_b_c"
    long = joined("server", "x" * 80)
    assert len(long) == 64
    assert long != joined("server", "x" * 81)


def test_two_names_that_look_the_same_both_stay() -> None:
    found = names_of("s", ["a.b", "a_b", "a b"])
    assert list(found) == ["a.b", "a_b", "a b"]
    assert found["a_b"] == "mcp__s__a_b"
    assert len({*found.values()}) == 3
    assert names_of("s", ["a b", "a_b", "a.b"]) == found
    assert names_of("s", ["a_b"], {"mcp__s__a_b"})["a_b"].startswith("mcp__s__a_b_")


def test_the_spellings_of_other_agents_are_read_where_they_lie(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/mcp"
    given = {"x": {"type": "streamableHttp", "url": url}, "y": {"serverUrl": url}, "h": {"httpUrl": url}}
    servers, problems = read(
        tmp_path, given | {"off": {"command": "x", "enabled": False}, "old": {"type": "sse", "url": url}}
    )
    assert problems == []
    assert [(each.name, each.url, each.transport) for each in servers] == [
        ("x", url, "http"), ("y", url, "http"), ("h", url, "http"), ("old", url, "sse"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('"disabled": "true"', "'disabled' is neither true nor false"),
        ('"disabled": 1', "'disabled' is neither true nor false"),
        ('"disabled": null', "'disabled' is neither true nor false"),
        ('"Disabled": true', "there is no field 'Disabled'; did you mean 'disabled'?"),
        ('"disable": true', "there is no field 'disable'; did you mean 'disabled'?"),
        ('"enabled": "no"', "'enabled' is neither true nor false"),
        ('"sampling": "never"', "'sampling' is ask, allow or deny"),
        ('"Sampling": "deny"', "there is no field 'Sampling'; did you mean 'sampling'?"),
        ('"excludeTools": ["delete"]', "zot chooses no tools by 'excludeTools'; deny them with rules"),
        ('"includeTool": ["read"]', "zot chooses no tools by 'includeTool'; deny them with rules"),
        ('"isActive": false', "there is no field 'isActive'; did you mean 'disabled'?"),
        ('"off": true', "there is no field 'off'; did you mean 'disabled'?"),
        ('"status": "disabled"', "there is no field 'status'; did you mean 'disabled'?"),
        ('"state": "Paused"', "there is no field 'state'; did you mean 'disabled'?"),
        ('"jail": true', "the field 'jail' seems to hold it back"),
        ('"mode": "read-only"', "there is no field 'mode'"),
        ('"autoStart": false', "there is no field 'autoStart'; did you mean 'disabled'?"),
        ('"hiddenTools": ["x"]', "zot chooses no tools by 'hiddenTools'"),
        ('"allowed": ["read"]', "zot chooses no tools by 'allowed'"),
        ('"allowSampling": false', "there is no field 'allowSampling'; did you mean 'sampling'?"),
        ('"read-only": true', "the field 'read-only' seems to hold it back"),
        ('"exlcudedTool": ["x"]', "zot chooses no tools by 'exlcudedTool'"),
        *((f'"{name}": ["read"]', f"zot chooses no tools by '{name}'") for name in ("only", "tools")),
        *(
            (field, f"the field {field.partition(':')[0].replace(chr(34), chr(39))} seems to hold it back")
            for field in (
                *('"include": ["read"]', '"onlyTools": ["read"]', '"toolsAllow": "read"', '"filter": {"x": 1}'),
                *('"network": false', '"inheritEnv": false', '"roots": []', '"allowWrite": "no"', '"network": "none"'),
                *('"elicitation": "deny"', '"ask": true', '"askFirst": true', '"alwaysAsk": ["x"]', '"tools": []'),
            )
        ),
        *(
            (f'"{name}": true', f"there is no field '{name}'; did you mean 'disabled'?")
            for name in ("hidden", "archived")
        ),
        ('"options": {"disabled": "yes"}', "in 'options' 'disabled' is neither true nor false"),
        ('"options": {"requireAproval": true}', "in 'options' the field 'requireAproval' seems to hold it back"),
    ],
)
def test_what_holds_a_server_back_and_is_not_understood_keeps_it_off(tmp_path: Path, field: str, said: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(f'{{"mcpServers": {{"a": {{"command": "x", {field}}}}}}}')
    servers, [problem] = read_servers([str(path)])
    assert servers == []
    assert problem.startswith(f"{path}: server 'a': {said}")
    with pytest.raises(ConfigProblem, match="server 'a': "):
        check_files([str(path)])


@pytest.mark.parametrize(
    "beside",
    [
        *('"disabledServers": ["a"]', '"disabled": ["a"]', '"allowedMcpServers": []', '"sandbox": "on"', '"off": true'),
        *('"include": ["a"]', '"network": false', '"elicitation": "deny"', '"onlyServers": ["a"]'),
        *('"mcp": {"excluded": ["a"]}', '"mcp": {"allowed": []}', '"a": {"b": {"denny": ["x"]}}'),
    ],
)
def test_what_would_hold_servers_back_beside_them_keeps_zot_from_starting(tmp_path: Path, beside: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(f'{{"mcpServers": {{"a": {{"command": "x"}}}}, {beside}}}')
    with pytest.raises(ConfigProblem, match="holds no server back here"):
        check_files([str(path)])
    path.write_text('{"mcpServers": {"a": {"command": "x"}}, "$schema": "x", "inputs": [], "ui": {"enabled": true}}')
    check_files([str(path)])


def test_fields_of_other_programs_that_hold_nothing_back_are_left_alone(tmp_path: Path) -> None:
    others = {"autoApprove": ["read"], "alwaysAllow": [], "trust": True, "note": "x", "readOnly": False, "deny": []}
    others |= {"include": ["*"], "network": True, "ask": False, "tools": ["*"], "toolPrefix": "x", "logging": "off"}
    others |= {"isActive": True, "off": False, "gallery": True, "http_headers": {"X-Safe-Mode": "on"}}
    (found,), problems = read(tmp_path, {"s": {"command": "x", **others}})
    assert (found.name, problems) == ("s", [])


def test_a_server_that_is_not_enabled_is_off(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x", "enabled": false}, "b": {"command": "x", "enabled": true}}}')
    check_files([str(path)])
    assert [each.name for each in read_servers([str(path)])[0]] == ["b"]


@pytest.mark.parametrize(
    "field", ['"disable": false', '"isEnabled": true', '"enable": true', '"capabilities": {"tools": true}']
)
def test_a_switch_of_another_program_that_leaves_a_server_on_stops_nothing(tmp_path: Path, field: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(f'{{"mcpServers": {{"a": {{"command": "x", {field}}}}}}}')
    check_files([str(path)])


@pytest.mark.parametrize(
    "beside",
    [
        *('"disabledMcpServers": []', '"sandbox": {}', '"autoUpdatesEnabled": true'),
        '"preferences": {"dispatchCodeTasksPermissionMode": "acceptEdits", "secureVmFeaturesEnabled": true}',
    ],
)
def test_what_holds_nothing_back_beside_the_servers_stops_nothing(tmp_path: Path, beside: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(f'{{"mcpServers": {{}}, {beside}}}')
    check_files([str(path)])


@pytest.mark.parametrize("beside", ['"enabledMcpServers": []', '"allowedMcpServers": []', '"disableAll": true'])
def test_an_empty_list_of_what_may_run_still_stops(tmp_path: Path, beside: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(f'{{"mcpServers": {{}}, {beside}}}')
    with pytest.raises(ConfigProblem):
        check_files([str(path)])
