"""The site in build/site, which `make site` has just made, in a browser: in both schemes, on a phone and on a desk. The
pictures that it takes are beside the site, to be looked at."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from chromium import Tab, browser
from published_site import publish
from visited_page import faults

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site" / "html"
PAGES = ("", "install/", "comparison/", "generated/settings/", "api/zot_ext/", "screen/task/")
SCHEMES = {"light": "default", "dark": "slate"}
pytestmark = pytest.mark.needs("axe", "chromium")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A browser that ends while a page loads is no error; what a page lacks fails its test."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is, as that of two versions."""
    assert (SITE / "index.html").exists(), "make site builds it first"
    pages = tmp_path_factory.mktemp("site") / "pages"
    for version in ("0.2.0", "0.1.0"):
        publish(SITE, version, pages)
    server = _Server(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(pages)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


async def show(tab: Tab, url: str, scheme: str, width: int) -> None:
    await tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await tab.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
    )
    await tab.go(url)
    await tab.until("document.readyState === 'complete'")


@pytest.mark.parametrize("page", PAGES)
async def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_window(page: str, address: str) -> None:
    name = page.strip("/").replace("/", "-") or "index"
    found = []
    async with browser() as tab:
        for scheme in SCHEMES:
            for width in (1440, 390):
                await show(tab, f"{address}latest/{page}", scheme, width)
                assert await tab.value("document.body.dataset.mdColorScheme") == SCHEMES[scheme]
                await tab.screenshot(SITE.parent / f"{name}-{scheme}-{width}.png")
                wide = await tab.value("document.documentElement.scrollWidth") - width
                found += [(scheme, width, each) for each in [*await faults(tab), *["it is too wide"] * (wide > 0)]]
    assert found == []


async def test_the_search_finds_a_page_by_what_it_says(address: str) -> None:
    async with browser() as tab:
        await show(tab, f"{address}latest/", "light", 1440)
        entries = await tab.value("fetch('search.json').then((each) => each.text())")
        assert "permissions/" in entries
        assert "What the wall holds" in entries


async def test_the_list_of_versions_leads_to_the_same_page_of_an_older_one_which_says_so(address: str) -> None:
    outdated = "!document.querySelector('[data-md-component=outdated]').hidden"
    async with browser() as tab:
        await show(tab, f"{address}latest/install/", "light", 1440)
        await tab.until("document.querySelector('.md-version__list a')")
        links = "[...document.querySelectorAll('.md-version__list a')]"
        assert await tab.value(f"{links}.map((each) => each.innerText)") == ["0.2.0", "0.1.0"]
        assert await tab.value(outdated) is False
        await tab.load("Runtime.evaluate", expression=f"{links}[1].click()")
        assert await tab.value("location.pathname") == "/0.1.0/install/"
        await tab.until(outdated)
        assert await tab.value("document.querySelector('.md-banner a').href.endsWith('/latest/install/')")
        await tab.screenshot(SITE.parent / "older.png")
        assert await faults(tab) == []
        outside = "api.github.com"  # whose stars the theme shows
        assert [each for each in tab.complaints if outside not in str(each)] == []
