"""Text files in a prompt: how they are written for the model, and found again in a message."""

from collections.abc import Iterator

TEXT_LIMIT = 1 << 20
"""The most bytes of one text file; the model can read longer files in parts, with its tools."""

_START, _END = '<file path="', "\n</file>"


def written(path: str, text: str) -> str:
    """Return a text file as a part of a prompt; `text` is that of `file_text`, or of an editor."""
    return f'{_START}{path}">\n{text}{_END}'


def attached_files(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that a prompt has. A text that has the end of one in it is cut there."""
    for part in prompt.split(_END)[:-1]:
        path, found, text = part[part.find(_START) + len(_START) :].partition('">\n')
        if found and _START in part:
            yield path, text


def file_text(content: bytes) -> tuple[str, str]:
    """Return the content of a text file as prompts have it, with symbols for control characters and without line breaks
    around it, and a note about its encoding, empty for UTF-8. Raises `NoText`."""
    from locale import getencoding  # noqa: PLC0415  as below

    from zot_core.tools.text.encoding import codec_of, read_text, shown  # noqa: PLC0415  few prompts have a file

    text, encoding = read_text(content, codec_of(getencoding()))
    return shown(text).strip("\r\n"), encoding.note
