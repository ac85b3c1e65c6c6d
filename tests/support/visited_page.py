"""The page of `zot serve` in a browser, as its tests visit it."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from chromium import Tab
from declared import declared
from served import Served


class Visiting(Protocol):
    """Begins a server with these limits and defaults, and a tab that has come in; at the end the tab must have
    complained of nothing."""

    def __call__(self, **given: Any) -> AbstractAsyncContextManager[tuple[Served, Tab]]: ...


async def choose(tab: Tab, id: str) -> None:
    """Choose a session of the list, and wait until its conversation is there. The page looks at the list from time to
    time, and when somebody comes back to it."""
    await tab.value("document.dispatchEvent(new Event('visibilitychange'))")
    await tab.until(f"document.querySelector('[data-id=\"{id}\"]')")
    await tab.value(f"document.querySelector('[data-id=\"{id}\"]').click()")
    await tab.until("document.getElementById('conversation').dataset.ready")


async def log_of(tab: Tab) -> str:
    """Return the text of the conversation."""
    return str(await tab.value("document.getElementById('log').innerText"))


async def click(tab: Tab, what: str) -> None:
    """Click the first element of a selector once it is there."""
    await tab.until(f"document.querySelector({what!r})")
    await tab.value(f"document.querySelector({what!r}).click()")


async def faults(tab: Tab) -> list[str]:
    """What axe-core finds on the page as it is, but what it calls minor. Needs axe."""
    await tab.value(declared("axe").read_text("utf-8") + "; true")
    script = (
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations"
        ".filter(({ impact }) => impact !== 'minor')"
        ".map(({ id, nodes }) => `${id}: ${nodes.map((each) => each.html).join(' ')}`))"
    )
    found: list[str] = await tab.value(script)
    return found
