"""Cells for messages of the user, and for summaries of a conversation."""

from itertools import count

from zot_agent.ui.format.amounts import tokens
from zot_core.display import TextDisplay, shown_content
from zot_provider.messages import ImageBlock, Message
from zot_tui.widgets.transcript.cell import Cell, CellStyle, PaintedItem
from zot_tui.widgets.transcript.cells import NoteCell, UserCell
from zot_tui.widgets.transcript.painted_cell import PaintedCell

_ids = count(1)


def user_cells(message: Message, style: CellStyle) -> list[Cell]:
    """Return the cells of a message; one of an extension with a `custom_type` may be drawn by a renderer."""
    if message.summarized_tokens is not None:
        return [summary_cell(style, message.text, message.summarized_tokens)]
    if message.hidden:
        return [NoteCell(message.hidden, "info")]
    attached = shown_content([block for block in message.content if isinstance(block, ImageBlock)])
    commands = message.commands
    if commands:
        attached.append(TextDisplay(f"+ output of {commands} command{'' if commands == 1 else 's'}"))
    if message.files:
        attached.append(TextDisplay(f"+ {message.files} file{'' if message.files == 1 else 's'}"))
    text = message.text if message.display_text is None else message.display_text
    whole = "" if text == message.text or commands or message.files else message.text
    cells: list[Cell] = [UserCell(text, style, attached, whole)] if text or attached else []
    if not message.custom_type:
        return cells
    item = PaintedItem(f"message-{next(_ids)}", content=message.content)
    return [PaintedCell(cell, style, "message", message.custom_type, item) for cell in cells]


def summary_cell(style: CellStyle, text: str, before: int, after: int = 0, *facts: str) -> Cell:
    """Return the cell for the summary of a compacted conversation; 0 stands for an unknown number of tokens."""
    from zot_core.compaction.summary import without_heading  # noqa: PLC0415  few conversations get that long
    from zot_tui.widgets.transcript.fold_cell import FoldCell  # noqa: PLC0415  as above

    # Tokens of messages only: a request also has the system prompt and the tools.
    size = f"{tokens(before)} → {tokens(after)}" if after else f"of {tokens(before)}" if before else ""
    shown = [f"{size} tokens of messages", *facts] if size else facts
    return FoldCell("Summary of the conversation", without_heading(text), shown, style)
