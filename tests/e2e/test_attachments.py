"""Files that go with the prompt: text, images on every wire, and what cannot be sent."""

import base64
import json
from typing import Any

import pytest
from command import Zot

from zot_provider.testing import ScriptedServer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def content(server: ScriptedServer) -> Any:
    """What the user's message of the last request holds."""
    body = server.requests[-1].body
    messages = body.get("messages") or body.get("input") or body["contents"]
    first = next(message for message in messages if message.get("role") == "user")
    return first.get("content") or first["parts"]


def test_piped_text_prompt_files_attached_files_and_words_come_in_this_order(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    (zot.cwd / "task.md").write_text("the task\n")
    (zot.cwd / "code.py").write_text("x = 1\n")
    done = zot.ask(server, "-p", "see", "@code.py", "--prompt-file", "task.md", "--", "@me", stdin=b"piped\n")
    assert (done.code, done.out, done.err) == (0, "ok\n", "")
    assert content(server) == 'piped\n\n\nthe task\n\n<file path="code.py">\nx = 1\n</file>\n\nsee @me'


def test_an_attached_file_is_read_in_its_encoding_and_shows_control_characters(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("ok")
    (zot.cwd / "old.txt").write_bytes("prix: café \x1b[1m\n".encode("cp1252"))
    (zot.cwd / "wide.txt").write_bytes("größer\n".encode("utf-16"))
    assert zot.ask(server, "-p", "see", "@old.txt", "@wide.txt").result == (0, "ok\n", "")
    assert content(server).split("\n\n") == [
        '<file path="old.txt">\nprix: café \u241b[1m\n</file>\n[note: the file is not UTF-8; guessed: windows-1252]',
        '<file path="wide.txt">\ngrößer\n</file>\n[note: the file is in UTF-16 (little-endian), not UTF-8]',
        "see",
    ]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google"])
def test_an_image_reaches_the_model(zot: Zot, server: ScriptedServer, provider: str) -> None:
    server.add("a dot", "still a dot")
    (zot.cwd / "dot.png").write_bytes(PNG)
    assert zot.ask(server, "-p", "what is this?", "@dot.png", provider=provider).out == "a dot\n"
    data = base64.b64encode(PNG).decode()
    parts = content(server)
    text = next(part["text"] for part in parts if "text" in part)
    assert text == "[image dot.png]\n\nwhat is this?"
    (image,) = [part for part in parts if "text" not in part]
    expected = {
        "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
        "openai": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        "openai-responses": {
            **{"type": "input_image", "detail": "auto"},
            **{"image_url": f"data:image/png;base64,{data}"},
        },
        "google": {"inlineData": {"mimeType": "image/png", "data": data}},
    }
    image.pop("cache_control", None)
    assert image == expected[provider]

    done = zot.run("-p", "-c", *zot.at(server, provider)[-2:], "sure?")
    assert done.out == "still a dot\n"
    assert data in json.dumps(server.requests[-1].body)


def test_an_image_alone_is_a_prompt(zot: Zot, server: ScriptedServer) -> None:
    server.add("a dot")
    (zot.cwd / "dot").write_bytes(PNG)
    done = zot.ask(server, "--json", "@dot")
    assert done.code == 0
    found = done.events[0]["content"][1]
    assert (found["type"], found["mime_type"], found["bytes"]) == ("image", "image/png", len(PNG))


def test_a_word_with_an_at_sign_inside_is_only_a_word(zot: Zot, server: ScriptedServer) -> None:
    server.add("ok")
    assert zot.ask(server, "-p", "@ me@example.org", "and", "you@example.org", "@").code == 0
    assert content(server) == "@ me@example.org and you@example.org @"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["@nope.txt"], "no such file: nope.txt (put a prompt that begins with @ after --)"),
        (["@."], ". is a directory; mention its path in the prompt and zot will look into it"),
        (["@binary"], "binary looks binary; only text and images (PNG, JPEG, GIF, WebP) can be attached"),
        (["@a.heic"], "a.heic is HEIC; convert it first; only text and images"),
        (["--prompt-file", "nope.md"], "no such file: nope.md"),
        (["--prompt-file", "binary"], "binary looks binary"),
        (["--prompt-file"], "expected one argument"),
    ],
)
def test_what_cannot_be_attached(zot: Zot, arguments: list[str], words: str) -> None:
    (zot.cwd / "binary").write_bytes(b"\x7fELF\0\0\0")
    (zot.cwd / "a.heic").write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
    done = zot.run("-p", "look", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.line()
    assert not zot.home.exists()
