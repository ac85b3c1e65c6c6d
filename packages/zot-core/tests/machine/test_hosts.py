"""Hosts as they are written, judged and connected to."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.machine.hosts import (
    AddressRefused,
    HostPattern,
    canonical_host,
    host_patterns,
    is_public,
    read_web_address,
)
from zot_core.machine.network import NetworkAccess, look_up


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Example.COM.", "example.com"),
        ("2130706433", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0X7F000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("１２７。0．0｡1", "127.0.0.1"),
        ("ｌｏｃａｌｈｏｓｔ", "localhost"),
        ("127․0․0․1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[::ffff:127.0.0.1]", "127.0.0.1"),
        ("[0:0::1]", "::1"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("a_b.example", "a_b.example"),
    ],
)
def test_a_host_is_compared_in_one_form(written: str, meant: str) -> None:
    assert canonical_host(written) == meant
    assert canonical_host(meant) == meant


@pytest.mark.parametrize(
    "written",
    [
        "",
        ".",
        "a..b",
        "localhost\x00.ok.test",
        "a b",
        "user@host",
        "a/b",
        "a\\b",
        "a%2eb",
        "1.2.3.4.5",
        "1.2.3.999",
        "a.0x",
        "[::1%lo]",
        "[::1",
        "::1]",
        "[x]",
        "-a.test",
        "a-.test",
        "a" * 64,
        ".".join(["abc"] * 70),
        "a:80",
        "é" * 300,
    ],
)
def test_what_is_no_host_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="host"):
        canonical_host(written)


@given(st.text(max_size=20) | st.text("0123456789abcdefx.:[]%", max_size=20))
def test_a_host_that_is_accepted_has_a_form_of_its_own(written: str) -> None:
    try:
        host = canonical_host(written)
    except ValueError:
        return
    assert canonical_host(host) == host
    assert host.isascii()


@pytest.mark.parametrize(
    ("pattern", "host", "port", "matches"),
    [
        ("ok.test", "ok.test", 443, True),
        ("OK.test.", "ok.test", 80, True),
        ("ok.test", "ok.test.evil", 443, False),
        ("ok.test", "evilok.test", 443, False),
        ("ok.test", "www.ok.test", 443, False),
        ("*.ok.test", "www.ok.test", 443, True),
        ("*.ok.test", "a.b.ok.test", 443, True),
        ("*.ok.test", "ok.test", 443, False),
        ("*.ok.test", "evilok.test", 443, False),
        ("*", "any.test", 443, True),
        ("ok.test", "ok.test", 22, False),
        ("ok.test:22", "ok.test", 22, True),
        ("ok.test:22", "ok.test", 443, False),
        ("*.ok.test:8443", "a.ok.test", 8443, True),
        ("127.1", "127.0.0.1", 80, True),
        ("[::1]:8080", "::1", 8080, True),
    ],
)
def test_a_pattern_matches_whole_names_and_the_usual_ports(pattern: str, host: str, port: int, matches: bool) -> None:
    assert HostPattern(pattern).matches(host, port) is matches


def test_a_careful_pattern_without_a_port_matches_every_port() -> None:
    assert HostPattern("ok.test", careful=True).matches("ok.test", 22)
    assert not HostPattern("ok.test:80", careful=True).matches("ok.test", 22)


@pytest.mark.parametrize(
    "text", ["", "https://ok.test", "ok.test/x", "a.*.test", "ok.test:0", "ok.test:x", "me@ok.test"]
)
def test_a_wrong_pattern_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="expected HOST"):
        host_patterns([text])


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1",
        "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "::127.0.0.1",
        "2002:7f00:1::", "64:ff9b::10.0.0.1", "2001:db8::1", "64:ff9b:1::1", "100::1",
    ],
)  # fmt: skip
def test_addresses_of_this_machine_and_of_private_networks_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses())
def test_every_address_is_judged(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert is_public(str(address)) in (True, False)


@pytest.mark.parametrize(
    ("written", "url", "host", "port"),
    [
        ("HTTPS://Ok.Test", "https://ok.test/", "ok.test", 443),
        (" http://ok.test:80/a?b=c#d ", "http://ok.test/a?b=c", "ok.test", 80),
        ("http://ok.test?x", "http://ok.test/?x", "ok.test", 80),
        ("https://ok.test:8443/a@b", "https://ok.test:8443/a@b", "ok.test", 8443),
        ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", 80),
        ("http://[::1]:8080/x", "http://[::1]:8080/x", "::1", 8080),
    ],
)
def test_a_url_is_read_into_the_form_that_is_sent(written: str, url: str, host: str, port: int) -> None:
    address = read_web_address(written)
    assert (address.url, address.host, address.port) == (url, host, port)


@pytest.mark.parametrize(
    "written",
    [
        "ok.test",
        "file:///etc/passwd",
        "ftp://ok.test",
        "http://",
        "http:///x",
        "http://ok.test@evil.test/",
        "http://me:pw@ok.test/",
        "http://ok.test\\@evil.test/",
        "http://evil\x00.ok.test/",
        "http://ok.test\n/",
        "https:ok.test",
        "http://ok.test:0/",
        "http://ok.test:99999/",
        "http://ok.test:80:80/",
        "http://[::1]x/",
        "http://ok%2etest/",
        "",
    ],
)
def test_a_url_that_could_mean_another_host_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_web_address(written)


class Names:
    """A resolver that gives other addresses each time it is asked."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers, self.asked = list(answers), 0

    async def look_up(self, name: str, port: int) -> list[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


async def test_a_name_is_looked_up_once_and_its_addresses_are_what_is_connected_to() -> None:
    names = Names(["8.8.8.8"], ["127.0.0.1"])
    assert await NetworkAccess(lookup=names.look_up).addresses("ok.test", 443) == ["8.8.8.8"]
    assert names.asked == 1


@pytest.mark.parametrize("found", [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"], ["8.8.8.8", "::1"]])
async def test_a_name_that_leads_to_a_private_network_is_refused(found: list[str]) -> None:
    with pytest.raises(AddressRefused, match="leads to this machine or to a private network"):
        await NetworkAccess(lookup=Names(found).look_up).addresses("ok.test", 443)
    assert await NetworkAccess(private=True, lookup=Names(found).look_up).addresses("ok.test", 443) == found


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "printer.local", "db.internal", "127.0.0.1", "::1"])
async def test_private_names_and_addresses_are_refused_by_their_words(host: str) -> None:
    with pytest.raises(AddressRefused):
        NetworkAccess().judge(host, 80)


async def test_an_empty_list_of_hosts_allows_none() -> None:
    with pytest.raises(AddressRefused, match=r"ok\.test is not among the hosts that the sandbox allows"):
        await NetworkAccess(hosts=[]).addresses("ok.test", 443)
    with pytest.raises(AddressRefused, match=r"ok\.test:22"):
        await NetworkAccess(hosts=host_patterns(["ok.test"])).addresses("ok.test", 22)


async def test_an_address_is_not_looked_up() -> None:
    names = Names([])
    assert await NetworkAccess(lookup=names.look_up).addresses("8.8.8.8", 443) == ["8.8.8.8"]
    assert names.asked == 0


async def test_the_system_looks_up_what_it_is_asked_for() -> None:
    assert "127.0.0.1" in await look_up("127.0.0.1", 80)


async def test_a_denied_host_counts_more_than_an_allowed_one() -> None:
    access = NetworkAccess(hosts=host_patterns(["*"]), denied=[HostPattern("*.evil.test", careful=True)], private=True)
    assert await access.addresses("127.0.0.1", 80) == ["127.0.0.1"]
    with pytest.raises(AddressRefused, match=r"a rule of the permissions does not allow a\.evil\.test"):
        access.judge("a.evil.test", 443)
