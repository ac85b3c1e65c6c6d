"""Markdown that is drawn while it is written: `Document` takes text, its blocks give rows. No module imports urwid."""

from zot_tui.markdown.block import Block
from zot_tui.markdown.document import Document

__all__ = ["Block", "Document"]
