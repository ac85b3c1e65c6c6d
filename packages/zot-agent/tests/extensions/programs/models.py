"""An extension that serves models, each of which behaves in its own way."""

import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from zot_ext import (
    CallPart,
    Extension,
    ModelCall,
    ModelFailure,
    Part,
    SignInEnded,
    SignInPage,
    SignInTokens,
    StopPart,
    ThinkingPart,
    TokenCount,
)

ext = Extension("models")
MEMORY = Path("memory")


def times(what: str) -> int:
    """How often this was asked before."""
    file = MEMORY / what
    MEMORY.mkdir(exist_ok=True)
    count = len(file.read_text()) if file.exists() else 0
    file.write_text("x" * (count + 1))
    return count


def plain(call: ModelCall) -> Iterator[Part]:
    yield ThinkingPart("so ")
    yield ThinkingPart("what", signature="signed")
    yield "Hello, "
    yield "world"
    yield CallPart("c1", "read", '{"path":')
    yield CallPart("c1", arguments='"a"}')
    yield TokenCount(10, 2)
    yield TokenCount(10, 7, cache_read=3, reasoning=1)


def echo(call: ModelCall) -> Iterator[Part]:
    yield repr((call.system, call.messages, [each["name"] for each in call.tools], call.reasoning, call.max_tokens))


def dies(call: ModelCall) -> Iterator[Part]:
    yield ThinkingPart("hm")
    if not times("dies"):
        os._exit(3)
    yield "alive"


def dies_late(call: ModelCall) -> Iterator[Part]:
    yield "half"
    os._exit(3)


def stalls(call: ModelCall) -> Iterator[Part]:
    if not times("stalls"):
        yield ThinkingPart("hm")
        while not ext.cancelled:
            time.sleep(0.01)
        (MEMORY / "noticed").touch()
    yield "at last"


def floods(call: ModelCall) -> Iterator[Part]:
    while True:
        yield "x" * 100_000


def limited(call: ModelCall) -> Iterator[Part]:
    if not times("limited"):
        raise ModelFailure("slow down", status=429, retry_after=0.01)
    yield "later"


def token(call: ModelCall) -> Iterator[Part]:
    if call.api_key != "new":
        raise ModelFailure(f"no {call.api_key}", status=401)
    yield "in"


def cut(call: ModelCall) -> Iterator[Part]:
    yield "too lo"
    yield StopPart("length")


def broken(call: ModelCall) -> Iterator[Part]:
    yield "half"
    raise RuntimeError("a bug")


@ext.provider(
    "corp", {"auth": "none", "models": [{"id": "plain", "contextWindow": 9000, "cost": {"input": 1, "output": 2}}]}
)
def corp(call: ModelCall) -> Iterator[Part]:
    return globals()[call.model](call)


@corp.models
async def models(key: str) -> list[dict[str, object]]:
    return [{"id": "one", "contextWindow": 1000}, {"id": "two"}]


async def speak(call: ModelCall) -> AsyncIterator[Part]:
    yield "async "
    yield call.model


members = ext.provider("club", {"auth": "none"})


@members
async def club(call: ModelCall) -> AsyncIterator[Part]:
    if call.api_key != "new":
        raise ModelFailure("no", status=401)
    yield "welcome"


@members.login
def login(page: SignInPage) -> SignInTokens:
    page.show("wait", url="https://club.test/device", user_code="AB-CD")
    word = page.ask("the word?")
    if word == "give up":
        raise SignInEnded("no member")
    return SignInTokens(word, "refresh-1", int(time.time()) + 3600, extra={"member": 7})


@members.refresh
async def refresh(old: SignInTokens) -> SignInTokens:
    count = times("refresh")
    if old.refresh == "gone":
        raise SignInEnded("the membership has ended")
    if old.refresh == "flaky" and not count:
        raise RuntimeError("no connection")
    assert old.extra == {"member": 7}, old
    return SignInTokens("new", "refresh-2", int(time.time()) + 3600)


if __name__ == "__main__":
    if "--not-named" in sys.argv:
        ext.provider("other", {})(plain)
    ext.run()
