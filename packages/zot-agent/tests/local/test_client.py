from pathlib import Path

import pytest

from zot_agent.local.client import LocalClient
from zot_agent.local.pick import local_provider
from zot_agent.local.server import LocalServer, ServerLimits, engine_installed
from zot_provider.errors import ConfigError
from zot_provider.model import Model


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "home"))


def test_what_is_missing_is_said_at_once_in_one_line() -> None:
    with pytest.raises(ConfigError) as caught:
        LocalClient(local_provider()).check(Model("", "local"))
    wanted = "zot local setup" if engine_installed() else "zot-agent[local]"
    assert wanted in str(caught.value)
    assert "--base-url" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_model_file_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        LocalClient(local_provider()).check(Model("no/such.gguf", "local"))
    wanted = "'no/such.gguf'" if engine_installed() else "zot-agent[local]"
    assert wanted in str(caught.value)


async def test_a_file_that_is_no_model_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + b"?" * 100)
    server = LocalServer(str(path))
    wanted = "is it a complete GGUF file" if engine_installed() else "zot-agent"
    with pytest.raises(ConfigError, match=wanted):
        await server.start(local_provider())
    server.stop()
    server.stop()
    assert capfd.readouterr().err == ""


def test_two_servers_have_keys_of_their_own() -> None:
    assert LocalServer("a").key != LocalServer("a").key


def test_the_default_limits() -> None:
    assert ServerLimits() == ServerLimits(context=4096, threads=0, cache=128, load=60.0, warm_up=60.0)
