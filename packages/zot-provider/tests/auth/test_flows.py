"""The flows of a sign-in against a server that checks them, and a browser that is a plain HTTP client."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from zot_provider.auth.oauth import OAuthLimits
from zot_provider.auth.personal import PersonalKeys
from zot_provider.auth.session import Method, SignInSession
from zot_provider.auth.steps import (
    AskCode,
    ConfirmTerms,
    EnterCode,
    Mistake,
    NotSignedIn,
    OpenPage,
    SignedIn,
    SignInStep,
)
from zot_provider.catalog.user import KnownProviders
from zot_provider.errors import ConfigError
from zot_provider.providers.sign_in import Callback, SignIn
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.testing import SignInScript, SignInServer
from zot_provider.transport.http import HttpReply, HttpTransport

QUICK = OAuthLimits(pause=0.01, least_pause=0.001, slow_down=0.01, person=30, device=30)
FOREIGN = (
    [{"origin": "https://evil.example"}]
    + [{"sec-fetch-mode": mode, "sec-fetch-site": "cross-site"} for mode in ("cors", "no-cors")]
    + [{"host": "evil.example:80"}]
)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    import keyring.core

    keyring.core.init_backend()


def session(
    home: Path, sign_in: SignIn, method: Method = "account", limits: OAuthLimits = QUICK, **more: object
) -> SignInSession:
    provider = Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", sign_in=sign_in).replace(**more)
    registry = ModelRegistry(KnownProviders(providers=(provider,)), environ={})
    return SignInSession(registry, PersonalKeys(str(home), {}), "acme", method, limits)


async def get(url: str, headers: dict[str, str] | None = None) -> HttpReply:
    transport = HttpTransport()
    try:
        return await transport.send("GET", url, headers or {})
    finally:
        await transport.close()


async def browse(url: str) -> HttpReply:
    """Open the provider's page and follow it back, as a browser does."""
    back = (await get(url)).headers["location"]
    return await get(back)


async def finish(
    running: SignInSession, act: Callable[[SignInStep], object] | None = None, browser: bool = True
) -> list[SignInStep]:
    """Run a sign-in to its end, open its page, and do with each step what the test says."""
    seen: list[SignInStep] = []
    tasks = []
    async with aclosing(running.steps()) as steps:
        async for step in steps:
            seen.append(step)
            if isinstance(step, ConfirmTerms):
                running.agree()
            if isinstance(step, OpenPage) and browser:
                tasks.append(asyncio.ensure_future(browse(step.url)))
            if act is not None:
                act(step)
    for task in tasks:
        await task
    return seen


def stored(home: Path) -> dict[str, str]:
    value = json.loads((home / "auth.json").read_text())["additional_api_key_creds"]["acme"]
    found: dict[str, str] = value.get("oauth", value)
    return found


async def test_the_browser_brings_a_token_back(tmp_path: Path) -> None:
    with SignInServer() as server:
        steps = await finish(session(tmp_path, server.sign_in()))
        assert [type(step) for step in steps] == [OpenPage, AskCode, SignedIn]
        assert stored(tmp_path)["access_token"] in server.granted
        assert stored(tmp_path)["refresh_token"] in server.refresh_tokens
        assert "client_id" not in stored(tmp_path)
        page = steps[0]
        assert isinstance(page, OpenPage)
        query = parse_qs(urlsplit(page.url).query)
        assert query["code_challenge_method"] == ["S256"]
        assert query["redirect_uri"][0].startswith("http://127.0.0.1:")
        ((_, fields),) = server.posts
        assert fields["grant_type"] == "authorization_code"


async def test_an_issued_client_id_is_used_and_stored(tmp_path: Path) -> None:
    with SignInServer() as server:
        sign_in = server.sign_in(issues_client_id=True, nonce=True, parameters={"host": "urn:uuid:{uuid}"})
        steps = await finish(session(tmp_path, sign_in))
        assert isinstance(steps[-1], SignedIn)
        assert stored(tmp_path)["client_id"] == server.posts[0][1]["client_id"]
        assert stored(tmp_path)["client_id"].startswith("issued-")
        page = steps[0]
        assert isinstance(page, OpenPage)
        assert "nonce=" in page.url
        assert "{uuid}" not in page.url


async def test_a_provider_without_oauth_gives_a_permanent_key(tmp_path: Path) -> None:
    with SignInServer() as server:
        sign_in = server.sign_in(
            yields_key=True, client_id="", token_url=f"{server.url}/keys", callback=Callback(path="")
        )
        steps = await finish(session(tmp_path, sign_in))
        assert isinstance(steps[-1], SignedIn)
        assert stored(tmp_path)["api_key"].startswith("permanent-key-")
        assert "state" not in server.posts[0][1]


async def test_the_terms_are_shown_before_anything_is_sent(tmp_path: Path) -> None:
    with SignInServer() as server:
        running = session(tmp_path, server.sign_in("device", terms="The terms of Acme do not mention other programs."))
        steps = running.steps()
        first = await anext(steps)
        assert first == ConfirmTerms("The terms of Acme do not mention other programs.")
        assert server.posts == []
        await steps.aclose()
        assert server.posts == []


@pytest.mark.parametrize("form", ["address", "query", "code", "code#state"])
async def test_a_pasted_code_is_as_good_as_the_callback(tmp_path: Path, form: str) -> None:
    with SignInServer() as server:
        running = session(tmp_path, server.sign_in())

        def paste(step: SignInStep) -> None:
            if isinstance(step, OpenPage):
                back = server.authorize({name: each[0] for name, each in parse_qs(urlsplit(step.url).query).items()})
                query = {name: each[0] for name, each in parse_qs(urlsplit(back).query).items()}
                running.paste(
                    {
                        "address": f"  {back}\n",
                        "query": urlsplit(back).query,
                        "code": query["code"],
                        "code#state": f"{query['code']}#{query['state']}",
                    }[form]
                )

        steps = await finish(running, paste, browser=False)
        assert isinstance(steps[-1], SignedIn), steps


@pytest.mark.parametrize("text", ["x y", "", "abc#wrong", "http://127.0.0.1/callback?code=1&state=no", "?error=no"])
async def test_a_wrong_paste_is_a_mistake_and_the_question_stays(tmp_path: Path, text: str) -> None:
    with SignInServer() as server:
        running = session(tmp_path, server.sign_in())
        pages: list[str] = []

        def act(step: SignInStep) -> None:
            if isinstance(step, OpenPage):
                pages.append(step.url)
                running.paste(text)
            if isinstance(step, Mistake):
                query = {name: each[0] for name, each in parse_qs(urlsplit(pages[0]).query).items()}
                running.paste(server.authorize(query))

        steps = await finish(running, act, browser=False)
        assert [type(step) for step in steps] == [OpenPage, AskCode, Mistake, SignedIn]


async def callback_of(page: OpenPage) -> str:
    return parse_qs(urlsplit(page.url).query)["redirect_uri"][0]


async def opened(running: SignInSession) -> tuple[AsyncIterator[SignInStep], OpenPage]:
    steps = running.steps()
    page = await anext(steps)
    assert isinstance(page, OpenPage)
    return steps, page


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ({"code": "stolen", "state": "wrong"}, {}, 400),
        ({"code": "stolen"}, {}, 400),
        ({}, {}, 400),
        ({"error": "access_denied", "state": "wrong"}, {}, 400),
        *(({"code": "stolen", "state": "RIGHT"}, foreign, 403) for foreign in FOREIGN[:3]),
        ({"code": "stolen", "state": "RIGHT"}, FOREIGN[3], 421),
    ],
)
async def test_a_callback_that_is_not_of_this_sign_in_changes_nothing(
    tmp_path: Path, query: dict[str, str], headers: dict[str, str], status: int
) -> None:
    with SignInServer() as server:
        running = session(tmp_path, server.sign_in())
        steps, page = await opened(running)
        state = parse_qs(urlsplit(page.url).query)["state"][0]
        sent = {name: state if value == "RIGHT" else value for name, value in query.items()}
        reply = await get(f"{await callback_of(page)}?{urlencode(sent)}", headers)
        assert reply.status == status
        assert server.posts == []
        assert (await browse(page.url)).status == 200
        rest = [step async for step in steps]
        assert isinstance(rest[-1], SignedIn)


async def test_a_replayed_callback_is_refused(tmp_path: Path) -> None:
    with SignInServer(SignInScript(slow_answers=0.2)) as server:
        running = session(tmp_path, server.sign_in())
        steps, page = await opened(running)
        back = (await get(page.url)).headers["location"]
        assert (await get(back)).status == 200
        assert (await get(back)).status == 410
        rest = [step async for step in steps]
        assert isinstance(rest[-1], SignedIn)
        assert server.paths() == ["/token"]


async def test_a_person_who_declines_is_one_line(tmp_path: Path) -> None:
    with SignInServer(SignInScript(refuse="access_denied")) as server:
        steps = await finish(session(tmp_path, server.sign_in()))
        last = steps[-1]
        assert isinstance(last, NotSignedIn)
        assert str(last.error) == "acme: the provider refused: you or the provider declined"
        assert not (tmp_path / "auth.json").exists()


async def test_a_taken_port_leads_to_the_next_one_or_to_a_line(tmp_path: Path) -> None:
    with SignInServer() as server, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        steps = await finish(session(tmp_path, server.sign_in(callback=Callback(ports=(taken, 0)))))
        assert isinstance(steps[-1], SignedIn)
        steps = await finish(session(tmp_path, server.sign_in(callback=Callback(ports=(taken,)))))
        assert [type(step) for step in steps] == [NotSignedIn]
        assert f"another program listens on port {taken}" in str(steps[0])


async def test_nobody_who_comes_ends_the_sign_in(tmp_path: Path) -> None:
    with SignInServer() as server:
        running = session(tmp_path, server.sign_in(), limits=QUICK.replace(person=0.05))
        steps = await finish(running, browser=False)
        assert "no sign-in came within 0.05 s" in str(steps[-1])


async def test_a_cancelled_sign_in_closes_its_server(tmp_path: Path) -> None:
    with SignInServer() as server:
        steps, page = await opened(session(tmp_path, server.sign_in()))
        await steps.aclose()  # type: ignore[attr-defined]  # it is a generator
        place = urlsplit(await callback_of(page))
        with socket.socket() as client:
            assert client.connect_ex((place.hostname, place.port)) != 0


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("{}", "sent no token"),
        ("<html>", "sent no token"),
        ('{"access_token": 5}', "sent no token"),
        ('{"access_token": ""}', "sent no token"),
        ("[" * 100_000, "sent no token"),
        ('{"error": {"message": "no"}}', "refused (no)"),
    ],
)
async def test_a_broken_answer_is_one_line(tmp_path: Path, broken: str, words: str) -> None:
    with SignInServer(SignInScript(broken=broken)) as server:
        last = (await finish(session(tmp_path, server.sign_in())))[-1]
        assert isinstance(last, NotSignedIn)
        assert words in str(last.error)
        assert "\n" not in str(last.error)


async def test_a_permission_that_was_not_granted_ends_the_sign_in(tmp_path: Path) -> None:
    with SignInServer() as server:
        last = (await finish(session(tmp_path, server.sign_in(required_scope="use.direct"))))[-1]
        assert "a permission was not granted" in str(last)


async def test_a_code_for_another_machine(tmp_path: Path) -> None:
    script = SignInScript(device=["authorization_pending", "slow_down", "503", "authorization_pending"])
    with SignInServer(script) as server:
        steps = await finish(session(tmp_path, server.sign_in("device")))
        assert [type(step) for step in steps] == [EnterCode, SignedIn]
        code = steps[0]
        assert isinstance(code, EnterCode)
        assert (code.code, code.url) == ("WDJB-MJHT", f"{server.url}/activate")
        assert server.paths() == ["/device", *["/token"] * 5]
        assert stored(tmp_path)["access_token"] in server.granted


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("access_denied", "acme: the sign-in was declined"),
        ("expired_token", "acme: the code has expired; start again"),
        ("invalid_client", "refused (invalid_client)"),
    ],
)
async def test_a_code_that_is_declined_or_expired_is_one_line(tmp_path: Path, word: str, words: str) -> None:
    with SignInServer(SignInScript(device=["authorization_pending", word])) as server:
        last = (await finish(session(tmp_path, server.sign_in("device"))))[-1]
        assert isinstance(last, NotSignedIn)
        assert words in str(last.error)


async def test_a_code_that_nobody_types_expires_here_too(tmp_path: Path) -> None:
    with SignInServer(SignInScript(device=["authorization_pending"] * 10_000)) as server:
        running = session(tmp_path, server.sign_in("device"), limits=QUICK.replace(device=0.1))
        assert "the code has expired" in str((await finish(running))[-1])


@pytest.mark.parametrize("url", ["http://evil.example/x", "javascript:alert(1)", "https://e.com/\x1b[2J", "file:///x"])
async def test_only_safe_addresses_are_shown(tmp_path: Path, url: str) -> None:
    with SignInServer() as server:
        server._device_code = lambda: {"device_code": "d", "user_code": "u", "verification_uri": url}  # type: ignore[method-assign]
        last = (await finish(session(tmp_path, server.sign_in("device"))))[-1]
        assert "zot does not show" in str(last)


async def test_an_exchange_makes_a_key_of_the_token(tmp_path: Path) -> None:
    with SignInServer() as server:
        sign_in = server.sign_in("device", exchange=server.exchange(address_part="proxy-ep"))
        steps = await finish(session(tmp_path, sign_in))
        assert isinstance(steps[-1], SignedIn)
        assert stored(tmp_path)["access_token"].startswith("tid=")
        assert stored(tmp_path)["refresh_token"] in server.refresh_tokens
        keys = PersonalKeys(str(tmp_path), {})
        provider = Provider("acme", "Acme", "openai-chat", None, sign_in=sign_in)
        authorization = await keys.authorize(provider)
        assert authorization.base_url == "https://api.example.com"
        assert authorization.scheme == "bearer"


@pytest.mark.parametrize("method", ["key", "page"])
def test_a_method_that_the_provider_lacks_is_one_line(tmp_path: Path, method: Method) -> None:
    with SignInServer() as server, pytest.raises(ConfigError, match=f"acme has no sign-in by {method}; it has account"):
        session(tmp_path, server.sign_in(), method)
