import pytest

from zot_ext import BusMessage, Extension, NotGranted
from zot_ext.protocol.events import fits
from zot_ext.protocol.from_extension import Hello, HostCall, Subscribe
from zot_ext.testing import FakeHost


def test_messages_go_to_plain_and_async_handlers() -> None:
    ext, seen = Extension("x"), list[BusMessage]()

    @ext.bus.on("plan.*")
    def plain(message: BusMessage) -> None:
        seen.append(message)

    @ext.bus.on("plan.done")
    async def later(message: BusMessage) -> None:
        seen.append(message)
        await ext.soon(ext.bus.emit, "heard", [message.data])

    @ext.command("emit")
    def emit(_: str) -> str:
        return str(ext.bus.emit("a", to="b"))

    with FakeHost(ext, capabilities=("bus",)) as host:
        assert "bus" in host.wait_for(Hello).capabilities
        assert host.wait_for(Subscribe).events == ("bus:plan.*", "bus:plan.done")
        host.bus("plan.done", {"n": 1}, sender="y")
        host.bus("other")
        assert host.command("emit").display == "0"
        host.bus("plan.end")
        host.wait_for(HostCall, count=2)
    assert seen == [BusMessage("plan.done", {"n": 1}, "y")] * 2 + [BusMessage("plan.end", None, "other")]
    assert sorted(host.emitted) == [("a", None), ("heard", [{"n": 1}])]


def test_a_host_without_the_bus_is_not_asked() -> None:
    ext = Extension("x")

    @ext.command("emit")
    def emit(_: str) -> str:
        with pytest.raises(NotGranted):
            ext.bus.emit("a")
        return "no bus"

    with FakeHost(ext) as host:
        assert host.command("emit").display == "no bus"


@pytest.mark.parametrize("pattern", ["", "a b", "a*b", "a**", "x" * 201, "a\nb"])
def test_a_pattern_that_no_channel_fits_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        Extension("x").bus.on(pattern)


@pytest.mark.parametrize(
    ("pattern", "channel", "does"),
    [("plan.*", "plan.done", True), ("plan.*", "plan", False), ("*", "x", True), ("a", "a", True), ("a", "ab", False)],
)
def test_what_a_pattern_covers(pattern: str, channel: str, does: bool) -> None:
    assert fits(pattern, channel) == does
