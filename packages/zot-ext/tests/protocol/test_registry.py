import pytest

from zot_ext import protocol
from zot_ext.protocol import FROM_EXTENSION, FROM_HOST, PROTOCOL_VERSION, FromExtension, from_extension, from_host
from zot_ext.protocol.frame import Frame
from zot_ext.protocol.kinds import KINDS, REST
from zot_ext.protocol.values import ImageBlock, PanelSpec, TextBlock


def frames_in(module: object) -> set[type[Frame]]:
    return {
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Frame) and value is not Frame
    }


def test_the_protocol_version_is_1() -> None:
    assert PROTOCOL_VERSION == 1


def test_the_unions_list_every_frame_of_their_module() -> None:
    assert set(FROM_EXTENSION) == frames_in(from_extension)
    assert set(FROM_HOST) == frames_in(from_host)


def test_an_extension_sends_these_types() -> None:
    types = {frame.type for frame in FROM_EXTENSION}
    assert types >= {
        "hello",
        "register_command",
        "register_tool",
        "subscribe",
        "ready",
        "command_response",
        "tool_result",
        "event_intercept_response",
        "notify",
        "clear_notes",
        "open_panel",
        "panel_render",
        "panel_close",
        "submit",
        "shutdown_ack",
    }


def test_the_host_sends_these_types() -> None:
    types = {frame.type for frame in FROM_HOST}
    assert types >= {
        "hello_ack",
        "command_invoked",
        "tool_call",
        "event",
        "event_intercept",
        "panel_key",
        "panel_close",
        "shutdown",
    }


@pytest.mark.parametrize("record", [*FROM_EXTENSION, *FROM_HOST, TextBlock, ImageBlock, PanelSpec])
def test_the_codec_knows_every_annotation(record: type[Frame]) -> None:
    assert {annotation for annotation in record.__fields__.values() if annotation != REST} <= set(KINDS)


@pytest.mark.parametrize("record", [*FROM_EXTENSION, *FROM_HOST])
def test_every_frame_says_what_it_is_for(record: type[Frame]) -> None:
    assert record.__doc__


def test_a_union_tells_frames_from_other_values() -> None:
    assert isinstance(from_extension.Ready(), FromExtension)
    assert not isinstance(from_host.Shutdown(), FromExtension)
    assert set(protocol.__all__) >= set(protocol._HOMES)
