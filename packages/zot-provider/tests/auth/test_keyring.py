import contextlib
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from secret_service import secret_service

from zot_provider.auth.entry import AccountToken, Entry
from zot_provider.auth.store import AccountStore, Stored
from zot_provider.auth.system_keyring import KeyringFailed, SystemKeyring
from zot_provider.errors import ConfigError

KEY = "sk-0123456789-very-secret"
NULL = "keyring.backends.null.Keyring"
FAIL = "keyring.backends.fail.Keyring"
SECRET_SERVICE = "keyring.backends.SecretService.Keyring"


@pytest.fixture
def keyring_variables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with secret_service() as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", SECRET_SERVICE)  # keyring remembers the first that it found
        import keyring.core

        keyring.core.init_backend()
        yield


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def index(home: Path, backend: object, kinds: object = None) -> Path:
    home.mkdir(exist_ok=True)
    path = home / "keyring.json"
    path.write_text(json.dumps({"backend": backend, "service": "zot-test", "kinds": kinds or {}}))
    return path


def written(home: Path) -> str:
    """Everything in the files of a home."""
    return "".join(each.read_text() for each in home.rglob("*") if each.is_file())


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_a_real_keyring_holds_the_key_and_no_file_does(home: Path) -> None:
    store = AccountStore(str(home))
    token = AccountToken("at-secret", "rt-secret", 1_900_000_000.0, "client", "a b", {"account_id": "é"})
    assert await store.save("openai", Entry(KEY)) == "stored in the keyring (Secret Service)"
    assert await store.save("xai", Entry(token=token)) == "stored in the keyring (Secret Service)"
    other = AccountStore(str(home))
    assert other.listing() == [Stored("openai", "keyring", "api_key"), Stored("xai", "keyring", "oauth")]
    assert await other.load("openai") == Entry(KEY)
    assert await other.load("xai") == Entry(token=token)
    assert await other.load("groq") is None
    assert not any(secret in written(home) for secret in (KEY, "at-secret", "rt-secret"))
    assert await other.delete("openai")
    assert not await other.delete("openai")
    assert await store.load("openai") is None


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_what_is_stored_moves_between_keyring_and_file_and_is_never_in_both(home: Path) -> None:
    store = AccountStore(str(home))
    await store.save("openai", Entry(KEY))
    assert await store.move("file") == ["openai"]
    assert store.listing() == [Stored("openai", "file", "api_key")]
    assert not (home / "keyring.json").exists()
    assert await store.save("xai", Entry("xai-key-000")) == f"stored in {home}/auth.json"
    assert await store.move("keyring") == ["openai", "xai"]
    assert KEY not in written(home)
    assert json.loads((home / "auth.json").read_text()) == {}
    assert await store.load("openai") == Entry(KEY)
    assert await store.move("keyring") == []


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_two_homes_share_a_keyring_and_no_key(home: Path, tmp_path: Path) -> None:
    one, two = AccountStore(str(home)), AccountStore(str(tmp_path / "two"))
    await one.save("openai", Entry("one-key"))
    await two.save("openai", Entry("two-key"))
    assert await one.load("openai") == Entry("one-key")
    await two.delete("openai")
    assert await one.load("openai") == Entry("one-key")


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_a_key_that_another_program_deleted_or_damaged_is_one_line(home: Path) -> None:
    import keyring

    store = AccountStore(str(home))
    await store.save("openai", Entry(KEY))
    service = json.loads((home / "keyring.json").read_text())["service"]
    keyring.set_password(service, "openai", f"no JSON {KEY}")
    with pytest.raises(KeyringFailed, match="something for openai that zot cannot read; run zot auth login") as raised:
        await store.load("openai")
    assert KEY not in str(raised.value)
    keyring.delete_password(service, "openai")
    with pytest.raises(KeyringFailed, match="has no key for openai any more; run zot auth login openai"):
        await store.load("openai")
    assert await store.delete("openai")


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_an_existing_auth_json_is_read_first_and_gets_new_keys(home: Path) -> None:
    home.mkdir()
    (home / "auth.json").write_text('{"openai": {"api_key": "of-the-go-zot"}}')
    (home / "auth.json").chmod(0o600)
    store = AccountStore(str(home))
    await store.keyring.write("openai", Entry("in-the-keyring"))
    await store.keyring.write("groq", Entry("groq-key"))
    assert await store.load("openai") == Entry("of-the-go-zot")
    assert store.place("groq") == "keyring"
    assert await store.save("openai", Entry("new")) == f"stored in {home}/auth.json"
    assert await store.keyring.entry("openai") == Entry("in-the-keyring")
    assert await store.save("xai", Entry("xai-key")) == "stored in the keyring (Secret Service)"


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
@pytest.mark.usefixtures("keyring_variables")
async def test_a_locked_keyring_keeps_what_it_has_and_new_keys_go_into_the_file(home: Path) -> None:
    import secretstorage

    store = AccountStore(str(home))
    await store.save("openai", Entry(KEY))
    with contextlib.closing(secretstorage.dbus_init()) as bus:
        secretstorage.get_default_collection(bus).lock()
    for work in (store.load("openai"), store.delete("openai"), store.move("file")):
        with pytest.raises(KeyringFailed, match=r"^the keyring \(Secret Service\) failed: KeyringLocked$"):
            await work
    assert "KeyringLocked" in await store.save("groq", Entry("groq-key-000"))
    assert AccountStore(str(home)).listing() == [
        Stored("groq", "file", "api_key"),
        Stored("openai", "keyring", "api_key"),
    ]
    assert KEY not in written(home)


async def test_without_a_keyring_the_file_is_used_and_a_line_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", FAIL)
    import keyring.core

    keyring.core.init_backend()
    line = await AccountStore(str(home)).save("openai", Entry(KEY))
    assert line == f"stored in {home}/auth.json, which only you can read: this system has no keyring that answers"
    assert (home / "auth.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("backend", "words"),
    [(NULL, "the keyring did not return what was stored"), (FAIL, "the keyring failed: NoKeyringError")],
)
async def test_a_keyring_that_forgets_or_refuses_leads_to_the_file(home: Path, backend: str, words: str) -> None:
    index(home, backend)
    line = await AccountStore(str(home)).save("openai", Entry(KEY))
    assert line == f"stored in {home}/auth.json, which only you can read: {words}"
    assert await AccountStore(str(home)).load("openai") == Entry(KEY)


async def test_a_keyring_that_hangs_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as bus, tempfile.TemporaryDirectory() as folder:
        bus.bind(f"{folder}/bus")
        bus.listen()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={folder}/bus")
        index(home, SECRET_SERVICE, {"openai": "api_key"})
        store = AccountStore(str(home), keyring_seconds=0.5)
        with pytest.raises(KeyringFailed, match=r"the keyring \(Secret Service\) did not answer within 0.5 s"):
            await store.load("openai")
        assert "did not answer within 0.5 s" in await store.save("groq", Entry(KEY))
        assert await store.load("groq") == Entry(KEY)


@pytest.mark.parametrize("backend", ["os.system", "", 5, "zot_provider.auth.store.AccountStore"])
def test_the_index_can_name_nothing_but_a_keyring(home: Path, backend: object) -> None:
    path = index(home, backend)
    with pytest.raises(ConfigError, match="names no keyring; delete it and sign in again") as raised:
        SystemKeyring(str(home)).kinds()
    assert str(path) in str(raised.value)


async def test_a_keyring_that_is_no_longer_installed_is_one_line(home: Path) -> None:
    index(home, "keyrings.gone.Keyring", {"openai": "api_key"})
    with pytest.raises(KeyringFailed, match=r"the keyring keyrings\.gone\.Keyring is not installed"):
        await AccountStore(str(home)).load("openai")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"backend": 1}', "[" * 100_000])
def test_a_damaged_index_is_one_line(home: Path, text: str) -> None:
    home.mkdir()
    (home / "keyring.json").write_text(text)
    with pytest.raises(ConfigError, match="delete it and sign in again"):
        AccountStore(str(home)).listing()


def test_an_index_that_is_a_pipe_is_refused_at_once(home: Path) -> None:
    home.mkdir()
    os.mkfifo(home / "keyring.json")
    with pytest.raises(ConfigError, match="not a regular file"):
        AccountStore(str(home)).listing()
