"""Which proxy the environment names for a URL: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for exceptions.

There is no standard. An entry of `no_proxy` is a host, which stands for its subdomains too, a network of addresses
(`10.0.0.0/8`), or `*`; each may have a port. curl, Go and requests each know a part of this.
"""

import os
import re
import sys

from zot_provider.errors import ConfigError
from zot_provider.transport.url import ServerUrl, location

_SCHEMES = {"http": "http", "https": "https", "socks5": "socks5", "socks5h": "socks5h", "socks": "socks5h"}
"""Schemes of proxies, and what they mean: `socks`, which desktops write, leaves host names to the proxy."""
_HOST = r"(\[[0-9A-Fa-f:.]+(?:%[\w.-]+)?\]|[^][:?#]+)(?::([^:]*))?"
_NO_HOSTS = ("direct", "disabled", "false", "no", "none", "null", "off")
"""Words that turn a proxy off in other programs."""


def may_need_proxy(url: ServerUrl) -> bool:
    """Whether a proxy may be set for a URL: the cheap half of `proxy_for`."""
    if not url.secure and url.local:
        return False
    if any(os.environ[name] for name in os.environ if name.lower() in (f"{url.scheme}_proxy", "all_proxy")):
        return True
    if url.secure and sys.platform in ("darwin", "win32"):
        from urllib.request import getproxies  # noqa: PLC0415  imports much; only these systems have their own settings

        return bool({"https", "all"} & getproxies().keys())
    return False


def proxy_for(url: ServerUrl) -> str:
    """Return the URL of the proxy for a URL, empty if it needs none. Raises `ConfigError` for a value that names no
    proxy."""
    if not may_need_proxy(url):
        return ""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  imports much; few use a proxy

    proxies = getproxies()
    proxy = (proxies.get(url.scheme) or proxies.get("all") or "").strip()
    if not proxy or is_excepted(url.host, url.port, proxies.get("no", "")) or proxy_bypass(url.authority):
        return ""
    return checked(proxy)


def checked(proxy: str) -> str:
    """Return the URL of a proxy with a scheme that clients know. Raises `ConfigError`, which does not quote what may be
    a password."""
    scheme, mark, rest = proxy.partition("://")
    scheme, rest = (scheme.lower(), rest) if mark else ("http", proxy)
    found = re.fullmatch(_HOST, rest.rpartition("@")[2].partition("/")[0])
    if scheme not in _SCHEMES or len(proxy.split()) > 1 or found is None or found[1].lower() in _NO_HOSTS:
        shown = location(proxy) if mark and scheme in _SCHEMES else f"{scheme}://..." if mark else "it"
        raise ConfigError(
            f"the proxy of the environment (http_proxy, https_proxy or all_proxy) is not one: {shown} should be "
            "http://HOST:PORT or socks5://HOST:PORT"
        )
    if found[2] is not None and not (found[2].isdigit() and int(found[2]) < 65536):
        raise ConfigError("the proxy of the environment (http_proxy, https_proxy or all_proxy) has no valid port")
    return f"{_SCHEMES[scheme]}://{rest}"


def is_excepted(host: str, port: int, exceptions: str) -> bool:
    """Whether one of the `exceptions`, separated by commas or spaces, is meant for this host and port."""
    host = host.strip("[]").rstrip(".").lower()
    for entry in exceptions.replace(",", " ").lower().split():
        name, entry_port = _split_port(entry)
        if entry_port and entry_port != str(port):
            continue
        if name == "*" or _in_network(host, name):
            return True
        name = name.removeprefix("*").removeprefix(".").rstrip(".")
        if name and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _split_port(entry: str) -> tuple[str, str]:
    """Return the host or network of an entry, and its port, empty without one."""
    if entry.startswith("["):
        name, _, rest = entry[1:].partition("]")
        return name, rest.removeprefix(":")
    head, colon, port = entry.rpartition(":")
    return (head, port) if colon and port.isdigit() and ":" not in head else (entry, "")


def _in_network(host: str, network: str) -> bool:
    if "/" not in network and ":" not in network:
        return False
    from ipaddress import ip_address, ip_network  # noqa: PLC0415  few exceptions are networks

    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
