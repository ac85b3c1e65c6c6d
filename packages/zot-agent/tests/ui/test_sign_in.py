"""/login and /logout on the screen of a chat, against servers that check keys and sign people in."""

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from screen import Chats

from zot_provider.providers.spec import Provider
from zot_provider.testing import ScriptedServer, SignInScript, SignInServer

KEY = "sk-ant-0123456789-very-secret"
TERMS = "Acme does not know zot."


@pytest.fixture(autouse=True)
def no_keyring_and_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")


def acme(server: SignInServer, flow: str, **more: str) -> Provider:
    sign_in = server.sign_in("device" if flow == "device" else "browser", **more)
    return Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", default_model="a1", sign_in=sign_in)


def stored(chats: Chats) -> dict[str, object]:
    path = chats.root / "zot-home" / "auth.json"
    found: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
    return found


async def test_login_stores_a_key_and_its_model_answers_at_once(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(key=KEY) as vendor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.base_url("anthropic-messages"))
        async with chats.built(server) as talk:
            talk.type("/login<enter>")
            await talk.shown("Sign in to")
            assert "API key given for this run" in talk.screen()
            talk.type("anthropic<enter>")
            await talk.shown("paste an API key")
            talk.type("<enter>")
            await talk.shown("paste the key")
            talk.paste("sk-ant-wrong-0123456789")
            await talk.press("<enter>")
            await talk.shown("anthropic refuses this key (status 401)")
            talk.paste(KEY)
            await talk.settle()
            assert KEY not in talk.screen()
            talk.type("<enter>")
            await talk.shown("Which model answers next?")
            assert stored(chats) == {"anthropic": {"api_key": KEY}}
            await talk.press("<enter>")
            vendor.add("from the other one")
            await talk.send("hello")
            assert "from the other one" in talk.screen()
            assert KEY not in talk.transcript()


async def test_a_login_that_is_cancelled_stores_nothing(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        talk.type("/login anthropic<enter>")
        await talk.shown("paste an API key")
        talk.type("<enter>")
        await talk.shown("paste the key")
        await talk.press("<esc>")
        await talk.shown("not signed in to Anthropic; nothing was stored")
        assert not talk.dialog_open
        assert stored(chats) == {}


async def test_a_device_code_is_shown_large_and_copied_after_the_terms_are_agreed_to(
    chats: Chats, server: ScriptedServer
) -> None:
    script = SignInScript(device=["authorization_pending"] * 2, interval=0.2)
    with SignInServer(script) as vendor:
        async with chats.built(server) as talk:
            talk.add_provider(acme(vendor, "device", terms=TERMS))
            talk.type("/login acme<enter>")
            await talk.shown(TERMS)
            assert vendor.posts == []
            talk.type("<enter>")
            await talk.shown("W  D  J  B  -  M  J  H  T")
            await talk.until(lambda: any("V0RKQi1NSkhU" in each for each in talk.sequences))  # WDJB-MJHT
            await talk.shown("use acme/a1")
            await talk.press("n")
            assert "acme" in json.dumps(stored(chats))
            assert talk.model == "scripted"


async def test_terms_that_are_not_agreed_to_send_nothing(chats: Chats, server: ScriptedServer) -> None:
    with SignInServer() as vendor:
        async with chats.built(server) as talk:
            talk.add_provider(acme(vendor, "device", terms=TERMS))
            talk.type("/login acme<enter>")
            await talk.shown(TERMS)
            await talk.press("<esc>")
            await talk.shown("nothing was stored")
            assert vendor.posts == []


async def test_the_address_of_a_browser_elsewhere_can_be_pasted(chats: Chats, server: ScriptedServer) -> None:
    with SignInServer() as vendor:
        async with chats.built(server, columns=100) as talk:
            talk.add_provider(acme(vendor, "browser"))
            talk.type("/login acme<enter>")
            await talk.shown("browser on another machine?")
            rows = [row.strip() for row in talk.screen().split("\n")]
            first = next(index for index, row in enumerate(rows) if row.startswith("http"))
            url = "".join(rows[first : rows.index("", first)])
            query = {name: each[0] for name, each in parse_qs(urlsplit(url).query).items()}
            talk.paste("nonsense here")
            await talk.press("<enter>")
            await talk.shown("this is not the code of this sign-in")
            talk.paste(vendor.authorize(query))
            await talk.press("<enter>")
            await talk.shown("use acme/a1")
            await talk.press("<esc>")


async def test_a_declined_sign_in_is_one_line(chats: Chats, server: ScriptedServer) -> None:
    with SignInServer(SignInScript(device=["access_denied"])) as vendor:
        async with chats.built(server) as talk:
            talk.add_provider(acme(vendor, "device"))
            talk.type("/login acme<enter>")
            await talk.shown("acme: the sign-in was declined")
            assert not talk.dialog_open


async def test_logout_deletes_what_is_stored(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir(exist_ok=True)
    Path(home, "auth.json").write_text(json.dumps({"anthropic": {"api_key": KEY}, "groq": {"api_key": "k" * 20}}))
    async with chats.built(server) as talk:
        talk.type("/logout<enter>")
        await talk.shown("Sign out of")
        talk.type("anthropic<enter>")
        await talk.shown("deleted what was stored for anthropic")
        await talk.send("/logout groq", "/logout groq")
        assert "nothing is stored for groq" in talk.screen()
        assert stored(chats) == {}


@pytest.mark.parametrize(
    ("typed", "words"), [("/login anthropc", "did you mean anthropic"), ("/login local", "needs no key")]
)
async def test_a_provider_without_a_sign_in_is_an_error(
    chats: Chats, server: ScriptedServer, typed: str, words: str
) -> None:
    async with chats.built(server) as talk:
        await talk.send(typed)
        await talk.shown(words)


async def test_a_model_whose_provider_has_no_key_leads_to_a_sign_in_and_is_then_used(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(key=KEY) as vendor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.base_url("anthropic-messages"))
        server.add("from the first one")
        async with chats.built(server) as talk:
            await talk.send("hello")
            talk.type("/model anthropic/claude-opus-5-5<enter>")
            await talk.shown("paste an API key")
            assert "no API key for anthropic" in talk.screen()
            talk.type("<enter>")
            await talk.shown("paste the key")
            talk.paste(KEY)
            await talk.press("<enter>")
            await talk.until(lambda: talk.model == "claude-opus-5-5")
            vendor.add("from the other one")
            await talk.send("and now?")
            assert talk.said[-1] == ("assistant", "from the other one")
            assert len(talk.said) == 4


async def test_a_key_that_is_deleted_in_the_middle_is_asked_for_and_the_prompt_is_answered(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(key=KEY) as vendor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.base_url("anthropic-messages"))
        home = chats.root / "zot-home"
        home.mkdir(exist_ok=True)
        (home / "auth.json").write_text(json.dumps({"anthropic": {"api_key": KEY}}))
        vendor.add("one", "two")
        chosen = {"provider": "anthropic", "model": "claude-opus-5-5", "api_key": "", "base_url": ""}
        async with chats.built(server, **chosen) as talk:
            await talk.send("first")
            (home / "auth.json").unlink()
            talk.type("second<enter>")
            await talk.shown("claude-opus-5-5 cannot answer without a key")
            assert "no API key for anthropic" in talk.screen()
            await talk.press("<enter>")
            await talk.shown("paste an API key")
            talk.type("<enter>")
            await talk.shown("paste the key")
            talk.paste(KEY)
            await talk.press("<enter>")
            await talk.until(lambda: len(talk.said) == 4)
            assert talk.said == [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]
