"""A session as one HTML page: readable on a phone, in light and dark, without scripts and without the network.

Everything from the session is escaped. The page's policy forbids scripts, forms and whatever is not in the file, so
that a mistake here could not run anything either.
"""

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from zot_agent.export.calls import drawn_call, picture
from zot_core.sessions.exchange.passages import Passage, read_passages
from zot_core.sessions.listing import SessionEntry
from zot_provider.messages import Block, ImageBlock, ReasoningBlock, TextBlock, ToolCallBlock

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --muted: #59636e; --back: #fff; --soft: #f3f5f8; --line: #d5dae1;
  --accent: #3451b2; --error: #b3261e; --done: #1a7f37; --added: #dafbe1; --removed: #ffebe9 }
@media (prefers-color-scheme: dark) { :root { --text: #e3e6eb; --muted: #99a3b0; --back: #15181d; --soft: #1e232a;
  --line: #353c46; --accent: #9db2ff; --error: #ff9d94; --done: #6fd186; --added: #12351d; --removed: #47191b } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { max-width: 48rem; margin: 0 auto; padding: 1.25rem 1rem 4rem }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
header p { color: var(--muted); font-size: .875rem; margin: 0 0 1rem }
article { margin: 0 0 1.5rem }
article > h2 { font-size: .8125rem; color: var(--muted); margin: 0 0 .375rem }
.user > .said { background: var(--soft); border-radius: .5rem; padding: .625rem .875rem; white-space: pre-wrap }
.said > :first-child { margin-top: 0 } .said > :last-child { margin-bottom: 0 }
.said h1, .said h2, .said h3, .said h4 { font-size: 1.0625rem; line-height: 1.3; margin: 1.25rem 0 .5rem }
a { color: var(--accent) }
pre { background: var(--soft); border-radius: .375rem; padding: .75rem; margin: .75rem 0; overflow-x: auto;
  white-space: pre; overflow-wrap: normal; line-height: 1.45 }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em }
:not(pre) > code { background: var(--soft); border-radius: .25rem; padding: .1em .3em }
pre code { font-size: 1em }
table { display: block; overflow-x: auto; border-collapse: collapse } th, td { border: 1px solid var(--line);
  padding: .25rem .625rem; text-align: left; overflow-wrap: break-word }
blockquote { margin: .75rem 0; padding-left: .875rem; border-left: 3px solid var(--line); color: var(--muted) }
img { max-width: 100%; height: auto; border-radius: .375rem }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: 0 .75rem }
summary { cursor: pointer; padding: .5rem 0; font-size: .875rem; color: var(--muted) }
summary b { color: var(--text) } summary i { font-style: normal; color: var(--done) }
summary code { margin: 0 .25rem } summary small { white-space: nowrap }
.failed summary i, .failed summary small { color: var(--error) }
details pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; overflow-y: auto }
.diff { padding: .375rem 0 } .diff > * { display: block; text-decoration: none; padding: 0 .75rem 0 3.75rem }
.diff > ::before { content: attr(data-line); float: left; width: 2.75rem; margin-left: -3.25rem; text-align: right;
  color: var(--muted); user-select: none }
ins { background: var(--added) } del { background: var(--removed) }
@media print { :root { color-scheme: light; --text: #000; --muted: #444; --back: #fff; --soft: #fff; --line: #999;
  --accent: #000; --error: #b3261e; --done: #1a7f37; --added: #dafbe1; --removed: #ffebe9 }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact } main { max-width: none; padding: 0 }
  pre { border: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere } details pre { max-height: none }
  pre, details { -webkit-box-decoration-break: clone; box-decoration-break: clone }
  /* What is folded begins on paper, too: nobody can open it there. */
  details::details-content { content-visibility: visible; block-size: auto } summary { list-style: none }
  details:not([open]) pre { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 12; overflow: clip;
    overflow-clip-margin: content-box }
  h1, h2, summary { break-after: avoid } img, tr, summary, .diff > * { break-inside: avoid } }
"""

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header><h1>{title}</h1><p>{about}</p></header>
"""


def write_html(entry: SessionEntry, target: BinaryIO) -> None:
    """Write the session of `entry` as an HTML page. Raises OSError and `SessionError`."""
    for part in _parts(entry):
        target.write(part.encode("utf-8", "replace") + b"\n")


def _parts(entry: SessionEntry) -> Iterator[str]:
    about = " · ".join(filter(None, [entry.started[:16].replace("T", " "), entry.model, entry.id]))
    title = html.escape(entry.name or "A session")
    yield _HEAD.format(title=title, about=html.escape(about), style=_STYLE)
    parser, speaker = _parser(), ""
    for passage in read_passages(entry.path):
        message = passage.message
        if message.summarized_tokens is not None:
            yield _details("<b>The conversation was compacted here</b>", _said(message.text, parser))
            continue
        said = [part for block in message.shown if (part := _block(block, passage, parser))]
        if not said:
            continue
        heading = "You" if message.role == "user" else "zot"
        shown = f"<h2>{heading}</h2>" if message.role != speaker else ""
        speaker = message.role
        yield f'<article class="{message.role}">{shown}{"".join(said)}</article>'
    yield "</main>\n</body>\n</html>"


def _block(block: Block, passage: Passage, parser: "MarkdownIt") -> str:
    match block:
        case TextBlock(text):
            if not text.strip():
                return ""
            if passage.message.role == "user":
                return f'<div class="said">{html.escape(text.strip())}</div>'
            return _said(text, parser)
        case ImageBlock():
            return picture(block)
        case ReasoningBlock(summary):
            return _details("Reasoning", _said(summary, parser)) if summary.strip() else ""
        case ToolCallBlock(id):
            return drawn_call(block, passage.results.get(id))
        case _:
            return ""


def _details(summary: str, body: str) -> str:
    """`summary` and `body` are HTML."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def _said(text: str, parser: "MarkdownIt") -> str:
    return f'<div class="said">{parser.render(text)}</div>'


def _parser() -> "MarkdownIt":
    """Return a parser that escapes HTML, and leaves out pictures, which would be loaded from the network."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  takes 60 ms

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
