"""What the user wrote down for good: `config.json` and `models.json`, right and wrong."""

import json
import socket
from typing import Any

import pytest
from command import Zot

from zot_provider.testing import Call, ScriptedServer, Turn
from zot_provider.usage import Usage

CORP_KEY = "corp-key-0123456789"


def write(zot: Zot, name: str, value: object) -> None:
    zot.home.mkdir(exist_ok=True)
    (zot.home / name).write_text(value if isinstance(value, str) else json.dumps(value))


def stats(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line)
    assert found["type"] == "stats"
    return found


@pytest.mark.parametrize(("api", "wire"), [("openai", "openai-chat"), ("anthropic", "anthropic-messages")])
def test_a_provider_of_ones_own_is_like_any_other(zot: Zot, api: str, wire: str) -> None:
    with ScriptedServer([Turn("hi", usage=Usage(1000, 500))], key=CORP_KEY) as server:
        model = {"id": "m1", "priceInput": 2.0, "priceOutput": 8.0}
        corp = {"baseUrl": server.base_url(wire), "api": api, "models": [model], "discover": True}
        write(zot, "models.json", {"providers": {"my-corp": corp}})
        done = zot.run("-p", "x", "--provider", "my-corp", "--model", "m1")
        assert done.code == 2
        assert (
            done.line() == "no API key for my-corp: set MY_CORP_API_KEY, or run zot auth login my-corp (--api-key KEY)"
        )
        zot.env["MY_CORP_API_KEY"] = CORP_KEY
        done = zot.run("-p", "x", "--provider", "my-corp", "--model", "m1", "--stats")
        assert (done.code, done.out) == (0, "hi\n")
        assert server.requests[0].wire == wire
    told = stats(done.err)
    assert (told["provider"], told["model"], told["steps"]) == ("my-corp", "m1", 1)
    assert told["cost_usd"] == pytest.approx(0.006)
    usage = [row for row in zot.rows() if row["type"] == "usage"]
    assert usage[-1]["cumulative"]["cost_usd"] == pytest.approx(0.006)


def test_a_provider_without_keys_that_the_settings_name_needs_no_flag(zot: Zot) -> None:
    zot.env = zot.keyless_env
    with ScriptedServer(["one"], models=["served"]) as server:
        free = {"baseUrl": server.base_url("openai-chat"), "auth": "none"}
        write(zot, "models.json", {"providers": {"free": free}})
        write(zot, "config.json", {"provider": "free", "reasoning": "high", "codemode": {"x": 1}})
        done = zot.run("-p", "x")
        assert (done.code, done.out, done.err) == (0, "one\n", "")
        assert server.requests[-1].body["model"] == "served"
        assert server.requests[-1].body["reasoning_effort"] == "high"
        done = zot.run("--list-models", "--provider", "free")
    assert (done.code, done.out) == (
        0,
        "free/served  context unknown  output unknown  price unknown\n",
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", '{"provider": "unheard"}', "config.json: unknown provider 'unheard'"),
        ("models.json", "nonsense", "models.json: line 1, column 1: "),
        ("models.json", '{"providers": {"a": {"baseUrl": 3}}}', "models.json: providers.a.baseUrl: expected text, got"),
        (
            "models.json",
            '{"providers": {"a": {"baseUrl": "http://h", "models": [{"id": ""}]}}}',
            "a.models[0].id: miss",
        ),
    ],
)
def test_a_wrong_shape_is_one_line_that_names_the_place(zot: Zot, name: str, content: str, words: str) -> None:
    write(zot, name, content)
    done = zot.run("-p", "x")
    assert (done.code, done.out) == (2, "")
    assert done.line().startswith(f"{zot.home}/{name}")
    assert words in done.line()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"reasoning": "ultra"}', "config.json: reasoning: expected one of off, minimum, low"),
        ('{"newer": {}}', "config.json: unknown key 'newer'"),
    ],
)
def test_settings_that_are_wrong_or_newer_and_hold_nothing_back_are_one_line_and_zot_starts(
    zot: Zot, server: ScriptedServer, content: str, words: str
) -> None:
    server.add("hi")
    write(zot, "config.json", content)
    done = zot.ask(server, "-p", "x")
    assert (done.code, done.out) == (0, "hi\n")
    assert words in done.line()


def test_a_limit_is_the_default_of_its_flag(zot: Zot, server: ScriptedServer) -> None:
    write(zot, "config.json", {"max_steps": 1})
    server.add(Turn(calls=[Call("ls", {})]), Turn(calls=[Call("ls", {})]), "done")
    assert zot.ask(server, "-p", "x").code == 4
    assert zot.ask(server, "-p", "x", "--max-steps", "5").out == "done\n"


def test_settings_of_a_project_count_once_it_is_trusted(zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two")
    write(zot, "config.json", {"reasoning": "low"})
    (zot.cwd / ".zot").mkdir()
    (zot.cwd / ".zot" / "config.json").write_text('{"reasoning": "high"}')
    done = zot.ask(server, "-p", "x", "--model", "gpt-5.1")
    assert f"not used, because you have not allowed it: settings reasoning of {zot.cwd}" in done.err
    zot.ask(server, "-p", "x", "--model", "gpt-5.1", "--trust")
    assert [request.body["reasoning_effort"] for request in server.requests] == ["low", "high"]


def test_a_proxy_of_the_settings_is_asked_and_named_when_it_refuses(zot: Zot) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        write(zot, "config.json", {"http_proxy": f"http://me:hunter2@127.0.0.1:{free.getsockname()[1]}"})
        done = zot.run("-p", "x", "--provider", "anthropic", "--base-url", "http://far.example")
    assert done.code == 1
    assert done.line().startswith("anthropic: cannot connect to the proxy http://127.0.0.1:")
    assert done.line().endswith(" on the way to http://far.example/v1/messages: connection refused; check the proxy")
    assert "hunter2" not in done.err


def test_statistics_are_told_after_a_failure_too(zot: Zot, server: ScriptedServer) -> None:
    done = zot.ask(server, "-p", "x", "--stats", "--model", "m")  # nothing is scripted
    assert done.code == 1
    complaint, line = done.err.splitlines()
    assert complaint.startswith("zot: openai: the server answered 500")
    assert stats(line)["steps"] == 1
    assert stats(line)["cost_usd"] is None


def test_models_are_listed(zot: Zot) -> None:
    done = zot.run("--list-models", "haiku-4-5")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("anthropic/claude-haiku-4-5 ")
    done = zot.run("--list-models", "zzz")
    assert (done.code, done.out) == (1, "")
    assert done.line() == "no model matches 'zzz'"
    done = zot.run("--list-models", "--provider", "opnai")
    assert done.code == 2
    assert done.line().startswith("unknown provider 'opnai'; did you mean openai")


@pytest.mark.parametrize(
    ("model", "flags", "thinking", "effort"),
    [
        ("claude-sonnet-5", ("--reasoning", "low"), {"type": "adaptive", "display": "summarized"}, "low"),
        ("claude-sonnet-5-5", ("--reasoning", "off"), {"type": "between_tools"}, None),
        ("claude-opus-9:xhigh", (), {"type": "adaptive", "display": "summarized"}, "xhigh"),
        ("claude-haiku-4-5", ("--reasoning", "low"), {"type": "enabled", "budget_tokens": 4096}, None),
    ],
)
def test_a_model_is_asked_to_think_in_the_way_of_its_family(
    zot: Zot, model: str, flags: tuple[str, ...], thinking: dict[str, object], effort: str | None
) -> None:
    with ScriptedServer(["ok"]) as server:
        zot.env["ANTHROPIC_BASE_URL"] = server.base_url("anthropic-messages")
        zot.env["ANTHROPIC_API_KEY"] = "sk-ant-0123456789"
        done = zot.run("-p", "x", "--provider", "anthropic", "--model", model, *flags)
    assert (done.code, done.out) == (0, "ok\n")
    body = server.requests[0].body
    assert (body["thinking"], body.get("output_config", {}).get("effort")) == (thinking, effort)
    assert body["model"] == model.partition(":")[0]
