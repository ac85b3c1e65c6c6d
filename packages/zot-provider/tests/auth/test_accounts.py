"""Stored accounts as credentials: refresh, commands, and what is loaded for them."""

import asyncio
import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_provider.auth.accounts import Accounts
from zot_provider.auth.entry import AccountToken, Entry, KeyCommand
from zot_provider.auth.keys import put_entry
from zot_provider.auth.oauth import SignInFailed
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.store import AccountStore
from zot_provider.client.http import HttpClient
from zot_provider.errors import ConfigError, MissingKey, ProviderError
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.providers.sign_in import SignIn
from zot_provider.providers.spec import Provider
from zot_provider.request import Request
from zot_provider.testing import ScriptedServer, SignInScript, SignInServer

NOW = 1_900_000_000.0


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    import keyring.core

    keyring.core.init_backend()


def acme(sign_in: SignIn | None = None, **more: object) -> Provider:
    return Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", key_env=("ACME_API_KEY",)).replace(
        sign_in=sign_in, **more
    )


async def sign_in(home: Path, server: SignInServer, expires: float = 0.0) -> AccountToken:
    token = AccountToken("first-access", "first-refresh", expires)
    server.granted.add(token.access)
    server.refresh_tokens.add(token.refresh)
    await AccountStore(str(home)).save("acme", Entry(token=token))
    return token


def accounts(home: Path, now: float = NOW, **more: object) -> Accounts:
    return Accounts(str(home), environ={}, now=lambda: now, **more)  # type: ignore[arg-type]  # fields of the test


@pytest.mark.parametrize(
    ("expires", "margin", "refreshed"),
    [(NOW + 61, 60, False), (NOW + 59, 60, True), (NOW - 1, 60, True), (NOW + 200, 300, True), (0.0, 60, False)],
)
async def test_a_token_is_refreshed_before_its_end(
    tmp_path: Path, expires: float, margin: float, refreshed: bool
) -> None:
    with SignInServer() as server:
        await sign_in(tmp_path, server, expires)
        provider = acme(server.sign_in(margin=margin))
        key = (await accounts(tmp_path).authorize(provider)).key
        assert (key != "first-access") == refreshed
        assert key in server.granted
        assert server.paths() == (["/token"] if refreshed else [])


async def test_the_refreshed_token_is_stored_before_it_is_used_and_used_after_a_restart(tmp_path: Path) -> None:
    with SignInServer() as server:
        await sign_in(tmp_path, server, time.time() - 1)
        provider = acme(server.sign_in())
        key = (await accounts(tmp_path, time.time()).authorize(provider)).key
        assert key in (tmp_path / "auth.json").read_text()
        assert (await accounts(tmp_path, time.time()).authorize(provider)).key == key
        assert "first-refresh" not in (tmp_path / "auth.json").read_text()
        assert server.paths() == ["/token"]


async def test_tasks_and_other_readers_refresh_once_in_all(tmp_path: Path) -> None:
    with SignInServer(SignInScript(slow_answers=0.05)) as server:
        await sign_in(tmp_path, server, NOW - 1)
        provider = acme(server.sign_in())
        readers = [accounts(tmp_path) for _ in range(3)]
        found = await asyncio.gather(*(readers[number % 3].authorize(provider) for number in range(9)))
        assert len({each.key for each in found}) == 1
        assert server.paths() == ["/token"]


_PROCESS = """
import asyncio, sys
from zot_provider.auth.accounts import Accounts
from zot_provider.providers.sign_in import SignIn
from zot_provider.providers.spec import Provider

sign_in = SignIn("a test account", "browser", sys.argv[2], client_id="zot-test")
provider = Provider("acme", "Acme", "openai-chat", None, sign_in=sign_in)
print(asyncio.run(Accounts(sys.argv[1]).authorize(provider)).key)
"""


async def test_processes_refresh_once_in_all(tmp_path: Path) -> None:
    with SignInServer(SignInScript(slow_answers=0.3)) as server:
        await sign_in(tmp_path, server, 1.0)
        command = [sys.executable, "-c", _PROCESS, str(tmp_path), f"{server.url}/token"]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
        keys = {process.communicate(timeout=PATIENCE)[0] for process in processes}
        assert len(keys) == 1
        assert server.paths() == ["/token"]


async def test_a_refused_token_is_refreshed_once_for_all_who_were_refused(tmp_path: Path) -> None:
    with SignInServer() as server:
        await sign_in(tmp_path, server)
        provider, held = acme(server.sign_in()), accounts(tmp_path)
        first = (await held.authorize(provider)).key
        found = await asyncio.gather(*(held.authorize(provider, refused=first) for _ in range(5)))
        assert {each.key for each in found} & {first} == set()
        assert len({each.key for each in found}) == 1
        assert server.paths() == ["/token"]


async def test_turns_that_run_while_the_sign_in_is_revoked_get_one_line_and_ask_once(tmp_path: Path) -> None:
    with SignInServer(SignInScript(revoked=True)) as server:
        await sign_in(tmp_path, server, NOW - 1)
        provider, held = acme(server.sign_in()), accounts(tmp_path)
        found = await asyncio.gather(*(held.authorize(provider) for _ in range(5)), return_exceptions=True)
        for error in found:
            assert isinstance(error, SignInFailed)
            assert error.auth
            assert not error.retryable
            assert str(error).startswith("acme: http://127.0.0.1:")
            assert str(error).endswith("; run zot auth login acme")
            assert "first-refresh" not in str(error)
        assert server.paths() == ["/token"]
        assert (entry := await AccountStore(str(tmp_path)).load("acme")) is not None
        assert entry.kind == "oauth"
        await AccountStore(str(tmp_path)).save("acme", Entry("a-new-key"))
        assert (await held.authorize(provider)).key == "a-new-key"


async def test_a_refresh_that_fails_when_its_caller_has_gone_says_nothing(tmp_path: Path) -> None:
    said: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
    with SignInServer(SignInScript(slow_answers=0.1)) as server:
        await sign_in(tmp_path, server, NOW - 1)
        server.refresh_tokens.clear()
        caller = asyncio.ensure_future(accounts(tmp_path).authorize(acme(server.sign_in())))
        while not (tmp_path / "refresh-acme.lock").exists():
            await asyncio.sleep(0.001)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert server.paths() == ["/token"]
    gc.collect()
    assert said == []


async def test_a_refresh_whose_caller_is_cancelled_is_not_lost(tmp_path: Path) -> None:
    with SignInServer(SignInScript(slow_answers=0.1)) as server:
        await sign_in(tmp_path, server, NOW - 1)
        caller = asyncio.ensure_future(accounts(tmp_path).authorize(acme(server.sign_in())))
        while not (tmp_path / "refresh-acme.lock").exists():
            await asyncio.sleep(0.001)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        entry = await AccountStore(str(tmp_path)).load("acme")
        assert entry is not None
        assert entry.token is not None
        assert server.paths() == ["/token"]
        assert entry.token.refresh in server.refresh_tokens


@pytest.mark.parametrize("wrong_by", [-10 * 365 * 86_400.0, 10 * 365 * 86_400.0])
async def test_a_clock_that_is_wrong_costs_a_refresh_and_no_sign_in(tmp_path: Path, wrong_by: float) -> None:
    with SignInServer() as server:
        await sign_in(tmp_path, server, time.time() + 3600)
        provider, held = acme(server.sign_in()), accounts(tmp_path, time.time() + wrong_by)
        key = (await held.authorize(provider)).key
        assert key in server.granted
        assert (await held.authorize(provider, refused=key)).key in server.granted


async def test_a_server_that_is_down_during_a_refresh_may_be_asked_again(tmp_path: Path) -> None:
    with SignInServer() as server:
        await sign_in(tmp_path, server, NOW - 1)
        down = acme(server.sign_in(token_url="http://127.0.0.1:1/token"))
        with pytest.raises(ProviderError, match="connect"):
            await accounts(tmp_path).authorize(down)
        key = (await accounts(tmp_path).authorize(acme(server.sign_in()))).key
        assert key in server.granted


async def test_a_401_in_the_middle_of_a_run_is_answered_with_a_fresh_token(tmp_path: Path) -> None:
    with SignInServer() as server, ScriptedServer(["yes"], key="to-come") as models:
        token = await sign_in(tmp_path, server)
        keys = PersonalKeys(str(tmp_path), {})
        client = HttpClient(
            acme(server.sign_in()), credentials=_Watched(keys, models), base_url=models.base_url("openai-chat")
        )
        try:
            request = Request(Model("scripted", "acme"), messages=[Message("user", [TextBlock("x")])])
            events = [event async for batch in client.stream(request) for event in batch]
        finally:
            await client.close()
        assert events
        sent = [request.headers["authorization"] for request in models.requests]
        assert sent[0] == f"Bearer {token.access}"
        assert len(set(sent)) == 2
        assert server.paths() == ["/token"]


class _Watched:
    """Credentials that tell the server of the models which token is valid now."""

    def __init__(self, keys: PersonalKeys, server: ScriptedServer) -> None:
        self.keys, self.server = keys, server
        self.check, self.advice = keys.check, keys.advice

    async def authorize(self, provider: Provider, refused: str = "") -> object:
        found = await self.keys.authorize(provider, refused)
        if refused:
            self.server.key = found.key
        return found


async def test_a_variable_with_what_is_exchanged_is_exchanged_in_memory(tmp_path: Path) -> None:
    with SignInServer() as server:
        server.refresh_tokens.add("gh-token")
        provider = acme(server.sign_in("device", exchange=server.exchange(of_variables=True, address_part="proxy-ep")))
        keys = PersonalKeys(str(tmp_path), {"ACME_API_KEY": "gh-token"})
        first = await keys.authorize(provider)
        assert first.key in server.granted
        assert first.base_url == "https://api.example.com"
        assert (await keys.authorize(provider)).key == first.key
        assert (await keys.authorize(provider, refused=first.key)).key != first.key
        assert server.paths() == ["/exchange"] * 2
        assert list(tmp_path.iterdir()) == []
        wrong = PersonalKeys(str(tmp_path), {"ACME_API_KEY": "wrong-gh-token"})
        with pytest.raises(SignInFailed, match="Bad credentials") as raised:
            await wrong.authorize(provider)
        assert "wrong-gh-token" not in str(raised.value)


async def test_a_token_is_only_used_where_zot_signs_in(tmp_path: Path) -> None:
    await AccountStore(str(tmp_path)).save("acme", Entry(token=AccountToken("of-the-go-zot")))
    keys = PersonalKeys(str(tmp_path), {})
    with pytest.raises(MissingKey, match="no API key for acme: set ACME_API_KEY, or run zot auth login acme"):
        keys.check(acme())
    with pytest.raises(MissingKey):
        await keys.authorize(acme())
    assert keys.source(acme()) == ""


async def test_a_key_is_used_by_the_other_providers_of_its_company_unless_they_have_one(tmp_path: Path) -> None:
    store, keys = AccountStore(str(tmp_path)), PersonalKeys(str(tmp_path), {})
    beside = acme(id="acme-plus", key_of="acme")
    with pytest.raises(MissingKey, match="run zot auth login acme-plus"):
        keys.check(beside)
    await store.save("acme", Entry("k-acme"))
    keys.check(beside)
    assert (await keys.authorize(beside)).key == "k-acme"
    await store.save("acme-plus", Entry("k-plus"))
    assert [(await keys.authorize(each)).key for each in (acme(), beside)] == ["k-acme", "k-plus"]


async def test_a_new_key_is_stored_for_all_providers_of_its_company(tmp_path: Path) -> None:
    keys = PersonalKeys(str(tmp_path), {})
    await put_entry(keys, acme(id="acme-plus", key_of="acme"), Entry("k-new"))
    assert (await keys.authorize(acme())).key == "k-new"


def command(script: str, seconds: float = PATIENCE) -> KeyCommand:
    return KeyCommand(sys.executable, ("-c", script), int(seconds * 1000))


async def ask(home: Path, given: KeyCommand) -> str:
    await AccountStore(str(home)).save("acme", Entry(command=given))
    return (await accounts(home).authorize(acme())).key


async def test_a_command_prints_the_key(tmp_path: Path) -> None:
    assert await ask(tmp_path, command("print('sk-of-a-command\\r')")) == "sk-of-a-command"
    assert PersonalKeys(str(tmp_path), {}).check(acme()) is None  # type: ignore[func-returns-value]


async def test_a_command_runs_once_and_again_for_a_refused_key(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    script = f"open({str(counter)!r}, 'a').write('x'); print('key-' + open({str(counter)!r}).read())"
    held = accounts(tmp_path)
    await held.store.save("acme", Entry(command=command(script)))
    assert [(await held.authorize(acme())).key for _ in range(3)] == ["key-x"] * 3
    assert (await held.authorize(acme(), refused="key-x")).key == "key-xx"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (command("import time; time.sleep(600)", 0.5), "took more than 0.5 s"),
        (command("import os, time; os.close(1); time.sleep(600)", 0.5), "took more than 0.5 s"),
        (command("print('secret' * 200_000)"), "printed more than 64 KiB"),
        (command(""), "printed nothing"),
        (command("print('secret\\nsecret')"), "printed several lines"),
        (command("print('secret'); raise SystemExit(3)"), "failed with exit code 3; run it in a terminal"),
        (KeyCommand("/nowhere/op"), "cannot be started: No such file or directory"),
    ],
)
async def test_a_command_that_fails_is_one_line(tmp_path: Path, given: KeyCommand, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        await ask(tmp_path, given)
    text = str(raised.value)
    assert text.startswith("the api_key_command of acme")
    assert "secretsecret" not in text
    assert "\n" not in text


async def test_a_command_gets_no_key_of_its_provider(tmp_path: Path) -> None:
    script = "import os; print('with' if 'ACME_API_KEY' in os.environ else 'without')"
    store = AccountStore(str(tmp_path))
    await store.save("acme", Entry(command=command(script)))
    held = Accounts(str(tmp_path), environ={"ACME_API_KEY": ""}, store=store)
    assert (await held.authorize(acme())).key == "without"


_LOADED = """
import asyncio, os, sys
from zot_provider.auth.personal import PersonalKeys
from zot_provider.providers.spec import Provider

keys = PersonalKeys(sys.argv[1], {"ACME_API_KEY": "of-a-variable"} if sys.argv[2] else {})
provider = Provider("acme", "Acme", "openai-chat", None, key_env=("ACME_API_KEY",))
keys.check(provider)
print(asyncio.run(keys.authorize(provider)).key)
print(*sorted(name for name in sys.modules if name.startswith(("zot_provider.auth", "keyring", "authlib", "filelock"))))
"""


@pytest.mark.parametrize("variable", ["yes", ""])
def test_nothing_of_the_store_is_loaded_for_a_key_in_a_variable_and_little_for_one_in_the_file(
    tmp_path: Path, variable: str
) -> None:
    (tmp_path / "auth.json").write_text(json.dumps({"additional_api_key_creds": {"acme": {"api_key": "of-the-file"}}}))
    command = [sys.executable, "-c", _LOADED, str(tmp_path), variable]
    key, loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert key == ("of-a-variable" if variable else "of-the-file")
    if variable:
        assert loaded.split() == ["zot_provider.auth", "zot_provider.auth.personal"]
    assert not any(name.startswith(("keyring", "authlib", "filelock")) for name in loaded.split())


def test_without_a_store_the_error_names_the_ways_to_get_a_key(tmp_path: Path) -> None:
    keys = PersonalKeys(str(tmp_path), {})
    with pytest.raises(MissingKey, match="no API key for acme: set ACME_API_KEY, or run zot auth login acme"):
        keys.check(acme())
    only = Provider("acme", "Acme", "openai-chat", None, sign_in=SignIn("x", "device", "https://x"))
    with pytest.raises(MissingKey, match="no sign-in for acme: run zot auth login acme"):
        keys.check(only)
    keys.check(Provider("free", "Free", "openai-chat", None))


def test_a_damaged_file_does_not_stop_a_key_in_a_variable(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text("{")
    PersonalKeys(str(tmp_path), {"ACME_API_KEY": "x"}).check(acme())
    with pytest.raises(MissingKey, match="repair it, or move it away"):
        PersonalKeys(str(tmp_path), {}).check(acme())
