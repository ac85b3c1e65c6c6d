import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.acp.content import read_content, resource_name
from zot_agent.operations.fields import OperationFailed


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///home/pat/src/a.py", "src/a.py"),
        ("file:///home/pat/a%20b.py#L3:5", "a b.py (L3:5)"),
        ("file:///etc/hosts", "/etc/hosts"),
        ("https://example.org/x", "https://example.org/x"),
        ("zed://thread/1", "zed://thread/1"),
        ("file:", "file:"),
        ("http://[", "http://["),
    ],
)
def test_a_file_is_called_by_its_path_and_anything_else_by_its_uri(uri: str, name: str) -> None:
    assert resource_name(uri, "/home/pat") == name


@given(st.text())
def test_whatever_a_uri_holds_it_has_a_name(uri: str) -> None:
    assert isinstance(resource_name(uri, "/home/pat"), str)


def test_audio_is_refused_by_name() -> None:
    with pytest.raises(OperationFailed, match="audio"):
        read_content([{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}], "/")


def test_the_text_of_an_embedded_file_goes_to_the_end_and_its_name_stays_in_place() -> None:
    resource = {"uri": "file:///home/pat/a.py", "text": "x = 1\r\n"}
    content = read_content(
        [
            {"type": "text", "text": "Look at "},
            {"type": "resource", "resource": resource},
            {"type": "text", "text": "!"},
        ],
        "/home/pat",
    )

    assert content.text == 'Look at a.py!\n\n<file path="a.py">\nx = 1\n</file>'
