"""A session that is exported as a page, in a real browser."""

import pytest
from chromium import browser
from command import Zot

from zot_core.sessions.store import SessionStore
from zot_core.testing import PIXEL
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

EVIL = "</title><script>alert(1)</script>\"'&"


@pytest.mark.needs("chromium")
async def test_an_exported_page_fits_a_phone_and_folds_calls(zot: Zot) -> None:
    session = SessionStore(zot.env["ZOT_HOME"] + "/sessions").create(str(zot.cwd), "m", "p", "0")
    session.meta = session.meta.replace(title=EVIL)
    wide = "```\n" + "z" * 400 + "\n```\n\n" + "| a " * 40 + "|\n" + "|---" * 40 + "|"
    call = ToolCallBlock("c", "bash", '{"command": "' + "x" * 300 + '"}')
    session.append(Message("user", [TextBlock("word " * 100 + "y" * 400)]))
    session.append(Message("assistant", [TextBlock(wide), call]))
    result = ToolResultBlock("c", [TextBlock("w" * 1000), PIXEL])
    session.append(Message("tool", [result]))
    session.close()
    page = zot.cwd / "page.html"
    assert zot.run("sessions", "export", session.path, str(page)).code == 0
    async with browser() as tab:
        await tab.call(
            "Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True
        )  # fmt: skip
        await tab.go(page.as_uri())
        assert await tab.value("document.documentElement.scrollWidth") == 360
        assert await tab.value("document.querySelector('details').open") is False
        await tab.value("document.querySelector('summary').click()")
        assert await tab.value("document.querySelector('details').open") is True
        assert await tab.value("document.documentElement.scrollWidth") == 360
        assert await tab.value("document.querySelector('img').naturalWidth") == 1
        assert await tab.value("document.title") == EVIL
        colours = []
        for scheme in ("light", "dark"):
            await tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colours.append(await tab.value("getComputedStyle(document.body).backgroundColor"))
        assert colours == ["rgb(255, 255, 255)", "rgb(21, 24, 29)"]
        assert tab.complaints == []


@pytest.mark.needs("chromium")
async def test_what_is_folded_begins_on_paper_too_and_what_is_open_is_whole(zot: Zot) -> None:
    session = SessionStore(zot.env["ZOT_HOME"] + "/sessions").create(str(zot.cwd), "m", "p", "0")
    calls = [ToolCallBlock(id, "read", f'{{"path": "{id}"}}') for id in ("folded", "failed")]
    text = [TextBlock("\n".join(map(str, range(100))))]
    session.append(Message("assistant", [*calls]))
    session.append(Message("tool", [ToolResultBlock(each.id, text, is_error=each.id == "failed") for each in calls]))
    session.close()
    page = zot.cwd / "page.html"
    assert zot.run("sessions", "export", session.path, str(page)).code == 0
    rows = """[...document.querySelectorAll("pre")].map((each) => {
      const { paddingTop, borderTopWidth, lineHeight } = getComputedStyle(each);
      const inner = each.offsetHeight - 2 * (parseFloat(paddingTop) + parseFloat(borderTopWidth));
      return each.checkVisibility() ? Math.round(inner / parseFloat(lineHeight)) : 0;
    })"""
    async with browser() as tab:
        await tab.go(page.as_uri())
        assert (await tab.value(rows))[0] == 0
        await tab.call("Emulation.setEmulatedMedia", media="print")
        assert await tab.value(rows) == [12, 100]


@pytest.mark.needs("chromium")
async def test_a_table_breaks_no_word_of_a_narrow_column(zot: Zot) -> None:
    session = SessionStore(zot.env["ZOT_HOME"] + "/sessions").create(str(zot.cwd), "m", "p", "0")
    table = f"| name | price | note |\n|---|---:|---|\n| apple | 12.00 | {'a long note that takes several rows ' * 9} |"
    session.append(Message("assistant", [TextBlock(table)]))
    session.close()
    page = zot.cwd / "page.html"
    assert zot.run("sessions", "export", session.path, str(page)).code == 0
    async with browser() as tab:
        await tab.go(page.as_uri())
        heads = await tab.value("[...document.querySelectorAll('th')].map((each) => each.scrollHeight)")
        assert len({*heads}) == 1
        assert heads[0] < 2 * await tab.value("parseFloat(getComputedStyle(document.querySelector('th')).lineHeight)")
