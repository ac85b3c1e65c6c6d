"""Markdown that is drawn while it is written: `Document` takes text, its blocks give rows. No module imports urwid."""

from zot_tui.markdown.block import MarkdownBlock
from zot_tui.markdown.document import Document

__all__ = ["Document", "MarkdownBlock"]
