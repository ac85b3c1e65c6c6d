"""Files that a prompt names as `@PATH`: a text file is part of the prompt, an image goes with it."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress

from zot_core.images import LARGEST, SUFFIXES, foreign_type, image_block, image_type
from zot_core.tools.definition.attached_files import TEXT_LIMIT, file_text, written
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field

MOST_NAMES = 100
"""Words of a prompt that may be names of files; later ones are not looked at."""

_NAME = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')
_PUNCTUATION = ".,;:!?)"


class Attachments(Record):
    """Attached texts and images, in the order of their names."""

    texts: list[str] = field(default_factory=list)
    images: list[ImageBlock] = field(default_factory=list)


def named_files(text: str, cwd: str) -> list[str]:
    """Return the paths of regular files that `text` names as `@PATH` or `@"PATH"`, each once.

    A relative path starts at `cwd`. Other words with an `@`, also names of directories, are text.
    """
    found: dict[str, None] = {}
    for name, _ in zip(_NAME.finditer(text), range(MOST_NAMES), strict=False):
        path = name[1] or name[2]
        shorter = path.rstrip(_PUNCTUATION)
        for each in (path, shorter) if name[1] is None and shorter else (path,):
            if os.path.isfile(expanded(each, cwd)):
                found[each] = None
                break
    return [*found]


def attach(paths: Iterable[str], cwd: str = "", *, hint: str = "") -> Attachments:
    """Read files to attach. Raises `ConfigError` for a file that cannot be attached; `hint` follows the error about a
    file that does not exist."""
    attached = Attachments()
    for path in paths:
        data = read_limited(path, LARGEST, cwd, hint)
        mime_type = image_type(data)
        if mime_type:
            attached.images.append(image_block(mime_type, data))
            attached.texts.append(f"[image {path}]")
        else:
            text, note = as_text(path, data)
            attached.texts.append(written(path, text) + (f"\n[note: {note}]" if note else ""))
    return attached


def as_text(path: str, data: bytes) -> tuple[str, str]:
    """Return the content of a text file, in which symbols stand for control characters, and a note about its encoding,
    empty for UTF-8. Raises `ConfigError` if it is not text, or longer than `TEXT_LIMIT`."""
    from zot_core.tools.text.encoding import NoText  # noqa: PLC0415  few prompts have a file

    if path.lower().endswith(tuple(SUFFIXES)):
        raise ConfigError(f"{path} is not a valid image of its type; attach a PNG, JPEG, GIF or WebP file")
    kind = foreign_type(data)
    advice = f"is {kind}; convert it first" if kind else "looks binary"
    binary = ConfigError(f"{path} {advice}; only text and images (PNG, JPEG, GIF, WebP) can be attached")
    if len(data) > TEXT_LIMIT and b"\0" in data[:8192]:
        raise binary
    _check_size(path, data, TEXT_LIMIT)
    try:
        return file_text(data)
    except NoText:
        raise binary from None


def read_limited(path: str, limit: int, cwd: str = "", hint: str = "") -> bytes:
    """Return the content of a regular file of at most `limit` bytes, or of a pipe that zot inherits. Raises
    `ConfigError`."""
    try:
        if path.startswith("/dev/fd/"):  # `<(COMMAND)` in a shell is a pipe that zot inherits
            with open(path, "rb") as file:
                data = file.read(limit + 1)
        else:
            data = read_start(expanded(path, cwd), limit + 1)
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}{hint}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory; mention its path in the prompt and zot will look into it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from error
    _check_size(path, data, limit)
    return data


def expanded(path: str, cwd: str = "") -> str:
    """Return the path with the home folder for `~`, below `cwd` if it is relative. Where it does not exist, it is the
    one path that is shown so: names have U+FFFD for bytes that are not UTF-8."""
    found = os.path.join(cwd, os.path.expanduser(path))
    if "\ufffd" not in found or os.path.lexists(found):
        return found
    from zot_core.tools.text.paths import replace_undecodable  # noqa: PLC0415  few names are so

    real = ""
    for part in found.split("/"):
        names = [part]
        if "\ufffd" in part and not os.path.lexists(f"{real}{part}"):
            with suppress(OSError):
                names = [name for name in os.listdir(real or ".") if replace_undecodable(name) == part]
        if len(names) != 1:
            return found
        real += f"{names[0]}/"
    return real[:-1]


def _check_size(path: str, data: bytes, limit: int) -> None:
    if len(data) > limit:
        size = f"{limit / 1_000_000:.1f} MB"
        raise ConfigError(f"{path} is larger than {size}; mention its path in the prompt and zot will read it in parts")
