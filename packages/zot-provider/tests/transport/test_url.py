import contextlib
from base64 import b64encode
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zot_provider.errors import ConfigError
from zot_provider.transport.url import ServerUrl, location, parse_url


@pytest.mark.parametrize(
    "url", ["nope", "", "ftp://h/", "http://", "http://h:0/", "http://h:99999/", "http://h:x/", "http://a..b/", "//h"]
)
def test_an_address_that_cannot_be_asked_is_refused_without_its_password(url: str) -> None:
    url = url.replace("://", "://me:secret@")
    with pytest.raises(ConfigError) as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://h", "https://h:443/v1", "HTTP://[::1]:80/x", "http://ümlaut.example/"])
def test_other_addresses_are_not(url: str) -> None:
    parse_url(url)


def test_a_location_is_shown_without_secrets() -> None:
    assert location("https://me:secret@h:8443/v1/x?key=1#f") == "https://h:8443/v1/x"


def test_an_address_of_another_kind_is_shown_with_its_beginning() -> None:
    for url in ("ftp://x", "ftp://me:secret@x"):
        with pytest.raises(ConfigError, match=r"must begin with http:// or https://, got 'ftp://x'"):
            parse_url(url)


def test_a_url_is_split_into_what_a_request_needs() -> None:
    assert parse_url("https://API.example:443/v1/ü?q=a b#f") == ServerUrl(
        "https", "api.example", 443, "api.example", "/v1/%C3%BC?q=a%20b", ""
    )
    assert parse_url("http://[::1]:80") == ServerUrl("http", "::1", 80, "[::1]", "/", "")
    assert parse_url("http://ümlaut.example:8080/%20").authority == "xn--mlaut-jva.example:8080"


@pytest.mark.parametrize("url", ["http://h/\r\nx: y", "http://h\n/", "http://a b/", "http://[::1/"])
def test_a_url_that_would_break_a_request_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        parse_url(url)


@pytest.mark.parametrize("url", ["", "h:x", "http://me:secret@h:x/?secret", "http://me:secret@[::1/"])
def test_a_location_can_be_shown_for_any_text(url: str) -> None:
    assert "secret" not in location(url)


_PIECES = st.sampled_from(
    [*"ab1.-_:/?#@[]% &", "http", "https", "://", "::1", "80", "99999", "%41", "ü", "／", "\ud800"]
)


@given(st.lists(_PIECES, max_size=12).map("".join), st.sampled_from(["", "http://", "HTTPS://h"]))
@example("u%41:p@ss@h:1/a b?c d", "http://")
@example("[::ffff:1.2.3.4]:8/", "http://")
@example("[1.2.3.4]", "http://")
def test_urls_are_split_as_the_standard_library_splits_them(text: str, begin: str) -> None:
    url = begin + text
    found = None
    with contextlib.suppress(ConfigError):
        found = parse_url(url)
    location(url)
    try:
        parts = urlsplit(url)
        port, host = parts.port, (parts.hostname or "").encode("idna").decode()
    except ValueError:
        assert found is None or set("[]／") & set(url.rpartition("@")[0])  # which may be in a password
        return
    if found is None:
        allowed = set("abcdefghijklmnopqrstuvwxyz0123456789.-_:")
        loose = set("[]") & set(parts.netloc)  # the library ignores what is around brackets
        assert parts.scheme not in ("http", "https") or port == 0 or not host or set(host) - allowed or loose
        return
    path, query = (quote(part, "/%:@!$&'()*+,;=~?", errors="surrogatepass") for part in (parts.path, parts.query))
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode("utf-8", "surrogatepass")
    assert found == ServerUrl(
        parts.scheme,
        host,
        port or (443 if parts.scheme == "https" else 80),
        found.authority,
        (path or "/") + (f"?{query}" if query else ""),
        f"Basic {b64encode(user).decode()}" if parts.username is not None else "",
    )
