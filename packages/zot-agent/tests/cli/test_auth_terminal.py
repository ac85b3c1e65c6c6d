"""A sign-in with an account on a terminal, against a server that signs people in."""

import io
import json
import os
import pty
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from waiting import wait_until

from zot_agent.cli.auth.terminal import TerminalSignIn
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import SignInSession
from zot_provider.catalog.user import KnownProviders
from zot_provider.errors import ConfigError, ProviderError
from zot_provider.providers.sign_in import SignIn
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.testing import SignInServer

TERMS = "Acme does not know zot."


@pytest.fixture(autouse=True)
def no_keyring_and_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal as standard input; gives the side at which the person types."""
    person, program = pty.openpty()
    with os.fdopen(program) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield person
    os.close(person)


def session(home: Path, sign_in: SignIn) -> SignInSession:
    provider = Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", sign_in=sign_in)
    registry = ModelRegistry(KnownProviders(providers=(provider,)), environ={})
    return SignInSession(registry, PersonalKeys(str(home), {}), "acme", "account")


def is_stored(home: Path) -> bool:
    return "oauth" in json.loads((home / "auth.json").read_text())["additional_api_key_creds"]["acme"]


async def test_a_person_agrees_and_reads_a_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with SignInServer() as server, terminal(monkeypatch) as person:
        os.write(person, b"y\n")
        running = session(tmp_path, server.sign_in("device", terms=TERMS))
        line = await TerminalSignIn(running, [], agree=False).run()
        assert line.startswith("Acme: stored in")
        err = capsys.readouterr().err
        assert err.index(TERMS) < err.index("continue? (y/n)") < err.index("WDJB-MJHT")
        assert f"open {server.url}/activate and enter this code" in err
    assert is_stored(tmp_path)


async def test_a_person_who_does_not_agree_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SignInServer() as server, terminal(monkeypatch) as person:
        os.write(person, b"n\n")
        running = session(tmp_path, server.sign_in("device", terms=TERMS))
        with pytest.raises(ProviderError, match="acme: not signed in; nothing was sent"):
            await TerminalSignIn(running, [], agree=False).run()
        assert server.posts == []


async def test_a_person_pastes_the_address_of_a_browser_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SignInServer() as server, terminal(monkeypatch) as person:
        sign_in = server.sign_in()
        authorize = server.authorize
        shown = io.StringIO()
        monkeypatch.setattr("sys.stderr", shown)

        def browse_elsewhere() -> None:
            wait_until(lambda: "/authorize?" in shown.getvalue() and shown.getvalue().endswith("\n"))
            (url,) = [line for line in shown.getvalue().splitlines() if line.startswith("http")]
            query = {name: each[0] for name, each in parse_qs(urlsplit(url).query).items()}
            os.write(person, f"\nnonsense here\n{authorize(query)}\n".encode())

        browser = threading.Thread(target=browse_elsewhere)
        browser.start()
        line = await TerminalSignIn(session(tmp_path, sign_in), [], agree=False).run()
        browser.join()
        assert line.startswith("Acme: stored in")
        assert "this is not the code of this sign-in" in shown.getvalue()
    assert is_stored(tmp_path)


async def test_without_a_terminal_the_terms_need_a_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SignInServer() as server, open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        sign_in = server.sign_in("device", terms=TERMS)
        with pytest.raises(ConfigError, match="agree with --agree, or sign in on a terminal"):
            await TerminalSignIn(session(tmp_path, sign_in), [], agree=False).run()
        assert server.posts == []
        await TerminalSignIn(session(tmp_path, sign_in), [], agree=True).run()
    assert is_stored(tmp_path)


async def test_a_failure_is_raised_as_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SignInServer() as server, open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        server.script.device = ["access_denied"]
        with pytest.raises(Exception, match="acme: the sign-in was declined"):
            await TerminalSignIn(session(tmp_path, server.sign_in("device")), [], agree=False).run()
