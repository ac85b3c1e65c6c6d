import os
from collections.abc import Callable

import pytest

from zot_core.errors import SessionError
from zot_core.sessions.preview import TEXT_LENGTH, SessionPreview, read_preview
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock, ToolCallBlock
from zot_provider.usage import Usage

Saved = Callable[..., str]


def test_the_last_prompt_and_its_answer_and_the_tokens_of_the_session(store: SessionStore) -> None:
    session = store.create("/p", "m", "p", "0")
    for text, said in (("first", "one"), ("second", "two")):
        session.append(Message("user", [TextBlock(text)]))
        session.append(Message("assistant", [TextBlock("I look."), ToolCallBlock("c", "ls", "{}")]))
        session.append(Message("assistant", [TextBlock(said)]))
    session.append(Message("user", [TextBlock("ghost")], hidden="by an extension"))
    session.usage(Usage(1), Usage(10, 20))
    session.close()
    assert read_preview(session.path) == SessionPreview("second", "two", Usage(10, 20))


def test_a_prompt_without_an_answer_has_none_and_long_texts_are_cut(saved: Saved) -> None:
    path = saved("x" * 2 * TEXT_LENGTH)
    assert read_preview(path) == SessionPreview("x" * TEXT_LENGTH)


def test_only_the_end_of_a_large_file_is_read(saved: Saved) -> None:
    path = saved("first", Message("assistant", [TextBlock("y" * (3 << 20))]), Message("assistant", [TextBlock("end")]))
    assert read_preview(path) == SessionPreview(answer="end")


def test_a_file_that_is_gone_is_an_error(saved: Saved) -> None:
    path = saved()
    os.unlink(path)
    with pytest.raises(SessionError, match="cannot read"):
        read_preview(path)
