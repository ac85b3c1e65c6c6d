"""Markdown that is drawn while it grows: `Document` takes text, its blocks return rows. No module imports urwid."""

from zot_tui.markdown.block import MarkdownBlock
from zot_tui.markdown.document import Document

__all__ = ["Document", "MarkdownBlock"]
