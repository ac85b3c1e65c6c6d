import base64
import os
from pathlib import Path

import pytest

from zot_agent.cli.args import parse
from zot_agent.cli.attachments import attach, is_file_word, read_prompt_file, read_schema
from zot_agent.config.api_key import read_key
from zot_core.images import LARGEST
from zot_core.tools.definition.attached_files import TEXT_LIMIT, attached_files, file_text
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
IMAGES = {
    "a.png": (PNG, "image/png"),
    "b.JPG": (b"\xff\xd8\xff\xe0" + bytes(9), "image/jpeg"),
    "c.gif": (b"GIF89a" + bytes(9), "image/gif"),
    "d.webp": (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    "screenshot": (PNG, "image/png"),
    "photo.png": (b"\xff\xd8\xff\xe0" + bytes(9), "image/jpeg"),
}


@pytest.mark.parametrize("word", ["@a", "@a/b.txt", "@~/x", "@@", "@/"])
def test_a_word_that_names_a_file(word: str) -> None:
    assert is_file_word(word)


@pytest.mark.parametrize("word", ["@", "a@b.c", "mail a@b.c now", "@all of you", "@a\n", "", "-@a"])
def test_a_word_that_does_not(word: str) -> None:
    assert not is_file_word(word)


def test_the_files_of_a_prompt_are_found_in_it_as_they_are(alone: Path) -> None:
    contents = {"a": b"milk\r\n", "my b": b"caf\xe9", "c.png": PNG, "d": b"\xef\xbb\xbf\n\x1b[0m\n\n"}
    for name, content in contents.items():
        (alone / name).write_bytes(content)
    prompt = parse([*(f"@{name}" for name in contents), "go"]).prompt
    assert dict(attached_files(prompt)) == {name: file_text(contents[name])[0] for name in ("a", "my b", "d")}


def test_a_name_with_a_space_is_a_file_where_there_is_one(alone: Path) -> None:
    (alone / "my notes.txt").write_text("milk")
    assert parse(["@my notes.txt", "@all of you"]).prompt == (
        '<file path="my notes.txt">\nmilk\n</file>\n\n@all of you'
    )


def test_text_files_stand_before_the_prompt_in_their_order(alone: Path) -> None:
    (alone / "b.txt").write_bytes(b"\xef\xbb\xbfbee\r\n")
    (alone / "a.txt").write_text("ay\n")
    (alone / "empty").touch()
    (alone / "task.md").write_text("\nthe task\n")
    line = parse(["fix", "@b.txt", "--prompt-file", "task.md", "this", "@a.txt", "--", "@b.txt", "please"])
    assert line.prompt == (
        'the task\n\n<file path="b.txt">\nbee\n</file>\n\n<file path="a.txt">\nay\n</file>\n\nfix this @b.txt please'
    )
    assert attach(["@empty"]).texts == ['<file path="empty">\n\n</file>']


def test_prompt_files_are_joined_and_empty_ones_leave_no_trace(alone: Path) -> None:
    (alone / "one").write_text("1\n")
    (alone / "none").touch()
    assert parse(["--prompt-file", "one", "--prompt-file", "none", "--prompt-file=one", "x"]).prompt == "1\n\n1\n\nx"
    assert read_prompt_file("-") == ""


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_known_by_what_it_holds(alone: Path, name: str) -> None:
    data, mime_type = IMAGES[name]
    (alone / name).write_bytes(data)
    attached = attach([f"@{name}"])
    assert attached.images == [ImageBlock(mime_type, base64.b64encode(data).decode())]
    assert attached.texts == [f"[image {name}]"]


def test_the_home_folder_may_be_written_short(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("y")
    assert attach(["@~/x"]).texts == ['<file path="~/x">\ny\n</file>']


def test_what_cannot_be_attached_is_said_in_one_line(alone: Path) -> None:
    (alone / "binary").write_bytes(b"\x7fELF\0\0")
    (alone / "text.png").write_text("no image")
    (alone / "loop").symlink_to("loop")
    (alone / "large").write_bytes(b"x" * (TEXT_LIMIT + 1))
    (alone / "large.png").write_bytes(PNG + bytes(LARGEST))
    for name, words in {
        "nope": "no such file: nope (put a prompt that begins with @ after --)",
        ".": ". is a directory; mention its path in the prompt",
        "binary": "binary looks binary; only text and images",
        "text.png": "text.png is not a valid image of its type",
        "loop": "cannot read loop: Too many levels of symbolic links",
        "large": "large is larger than 1.0 MB; mention its path in the prompt",
        "large.png": "large.png is larger than 3.8 MB",
    }.items():
        with pytest.raises(ConfigError) as caught:
            attach([f"@{name}"])
        assert str(caught.value).startswith(words)
    with pytest.raises(ConfigError, match=r"^no such file: nope$"):
        read_prompt_file("nope")


def test_the_largest_files_are_taken(alone: Path) -> None:
    (alone / "text").write_bytes(b"x" * TEXT_LIMIT)
    (alone / "image").write_bytes(PNG + bytes(LARGEST - len(PNG)))
    attached = attach(["@text", "@image"])
    assert len(attached.texts[0]) > TEXT_LIMIT
    assert attached.images[0].size == LARGEST


def test_a_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a process\n")
    os.close(writing)
    assert "from a process" in attach([f"@/dev/fd/{reading}"]).texts[0]
    os.close(reading)


@pytest.mark.parametrize("path", ["\ud800", "a\0b"])
def test_what_cannot_be_a_path_is_refused(path: str) -> None:
    for reader in (read_prompt_file, read_schema, lambda path: read_key("", path, standard_input=False)):
        with pytest.raises(ConfigError, match="cannot read "):
            reader(path)


def test_a_named_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "terminal").symlink_to("/dev/ptmx")
    for path in (str(tmp_path / "pipe"), str(tmp_path / "terminal"), "/dev/zero"):
        for reader in (lambda path: attach([f"@{path}"]), read_prompt_file, read_schema):
            with pytest.raises(ConfigError, match=f"^cannot read {path}: not a regular file$"):
                reader(path)
