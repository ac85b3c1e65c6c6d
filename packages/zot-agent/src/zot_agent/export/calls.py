"""The calls of tools in an exported page, as on the screen: name and object, how it ended, and what a person saw.

What has changed files and what has failed is open, all else is folded.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence

from zot_core.display import (
    CodeDisplay,
    DiffDisplay,
    DisplayBlock,
    FilesDisplay,
    ImageDisplay,
    TerminalDisplay,
    TodoDisplay,
    main_argument,
    recalled,
    received,
    shown_content,
)
from zot_core.sessions.exchange.markdown import image_line
from zot_core.tools import BUILTIN_TOOLS
from zot_provider.messages import ImageBlock, ToolCallBlock, ToolResultBlock
from zot_tui.text.ansi import strip_ansi

_TOOLS = {tool.name: tool for tool in BUILTIN_TOOLS}
_TITLE = 200
"""Characters of the object of a call."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_ENDS = {"refused": "refused", "stopped": "stopped", "not_run": "not run"}
_MARKS = {"completed": "✓", "in_progress": "▸", "pending": "○"}


def drawn_call(call: ToolCallBlock, result: ToolResultBlock | None) -> str:
    arguments = received(call, _TOOLS)
    display = [] if result is None else recalled(call, result, _TOOLS, arguments)
    facts = [fact for block in display for fact in _facts(block)]
    failed = result is None or result.is_error
    if failed and not any(fact.startswith("exit ") for fact in facts):
        facts.insert(0, "no result" if result is None else _ENDS.get(result.fate, "failed"))
    body = [_drawn(block) for block in display]
    if not display:
        own = result is not None and call.name in _TOOLS  # of which the screen shows no more than the title, either
        shown = shown_content(result.content if result is not None else ())
        body = ["" if own else _arguments(call), *map(_drawn, shown)]
    title = " ".join(main_argument(arguments).split())
    title = title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"
    words = [
        f"<i>{'✗' if failed else '✓'}</i> <b>{html.escape(call.name)}</b>",
        f"<code>{html.escape(title)}</code>" * bool(title),
        f"<small>{html.escape(' · '.join(facts))}</small>" * bool(facts),
    ]
    changes = any(isinstance(block, DiffDisplay) for block in display)
    kind = ' class="failed"' if failed else ""
    state = " open" if failed or changes else ""
    return f"<details{kind}{state}><summary>{' '.join(filter(None, words))}</summary>{''.join(body)}</details>"


def picture(block: ImageBlock | ImageDisplay) -> str:
    """Return an image as HTML; a line in its place if it cannot be shown safely."""
    if block.mime_type in _PICTURES and _BASE64.fullmatch(block.data):
        return f'<img alt="" src="data:{block.mime_type};base64,{block.data}">'
    return f"<p>{html.escape(image_line(ImageBlock(block.mime_type, block.data)))}</p>"


def _facts(block: DisplayBlock) -> Iterator[str]:
    if isinstance(block, TerminalDisplay):
        yield "stopped" if block.exit_code is None else f"exit {block.exit_code}"
        yield f"{block.duration:.1f} s"
    elif isinstance(block, DiffDisplay):
        rows = [row[:1] for row in block.diff.split("\n")]
        yield f"+{rows.count('+')} −{rows.count('-')}"
    elif isinstance(block, CodeDisplay):
        count = block.text.count("\n") + (not block.text.endswith("\n"))
        yield f"{count:,} line{'s' * (count != 1)}"


def _drawn(block: DisplayBlock) -> str:
    if isinstance(block, DiffDisplay):
        return f'<pre class="diff">{"".join(_rows(block))}</pre>'
    if isinstance(block, TerminalDisplay):
        command = "\n  ".join(block.command.split("\n"))
        return f"<pre><b>$ {html.escape(command)}</b>\n{html.escape(strip_ansi(block.output))}</pre>"
    if isinstance(block, ImageDisplay):
        return picture(block)
    if isinstance(block, FilesDisplay):
        return _text("\n".join(block.paths))
    if isinstance(block, TodoDisplay):
        return _text("\n".join(f"{_MARKS[each.status]} {each.content}" for each in block.items))
    return _text(block.text)


def _text(text: str) -> str:
    return f"<pre>{html.escape(strip_ansi(text))}</pre>" if text.strip() else ""


def _rows(block: DiffDisplay) -> Iterator[str]:
    """Yield the rows of a diff, with the number of each line in front: the new one, of a removed line the old one."""
    starts: Sequence[tuple[int, int]] = block.starts
    for number, hunk in enumerate(block.diff.split("\n...\n")):
        if number:
            yield "<span>…</span>"
        old, new = starts[number] if number < len(starts) else (0, 0)
        for row in hunk.split("\n"):
            sign = row[:1]
            element = {"+": "ins", "-": "del"}.get(sign, "span")
            at = old if sign == "-" else new
            place = f' data-line="{at}"' if at else ""
            yield f"<{element}{place}>{html.escape(row) or ' '}</{element}>"
            old += bool(old) and sign != "+"
            new += bool(new) and sign != "-"


def _arguments(call: ToolCallBlock) -> str:
    """Return the arguments of a tool that shows nothing by itself, but for that in the title, a line each."""
    try:
        arguments = call.parsed()
    except ValueError:
        return _text(call.arguments)
    main = main_argument(call.arguments)
    shown = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if value != main or len(main) > _TITLE
    }
    return _text("\n".join(f"{name}: {value}" for name, value in shown.items()))
