"""A session as lines of text, while another process writes it."""

from pathlib import Path

import pytest

from zot_agent.runs.follow import RowLines
from zot_core.agent import user_message
from zot_core.errors import SessionError
from zot_core.runtime.run_rows import first_run_row, run_row, tool_begin_row
from zot_core.sessions.file import SessionFile
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock


def test_rows_are_shown_once_and_half_rows_when_they_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    session = SessionFile(str(path), Meta("id", "/p", "m", "v", "t"))
    session.add_row(first_run_row("fix", "Fix it", "0.1"))
    session.add_row(run_row({"pid": 7, "state": "running"}))
    session.append(user_message("Fix it\nplease"))
    rows = RowLines(str(path))
    assert rows.read() == ["- process 7 has taken the run up", "> Fix it", "> please"]
    calls = [ToolCallBlock("a", "bash", '{"command":"ls\\n  -l"}'), ToolCallBlock("b", "todo", "{}")]
    session.append(Message("assistant", [TextBlock("I look."), *calls]))
    session.add_row(tool_begin_row("x", "a", "bash"))
    session.append(Message("tool", [ToolResultBlock("a", [TextBlock("\n".join(map(str, range(20))))])]))
    session.append(Message("tool", [ToolResultBlock("b", [TextBlock("x" * 400)])]))
    lines = rows.read()
    assert lines[:4] == ["I look.", "* bash ls -l", "* todo {}", "  0"]
    assert lines[11:] == ["  (12 more lines)", f"  {'x' * 300}..."]
    for fields in (
        {"state": "waiting", "question": {"call": "bash rm", "reason": "it writes"}},
        {"answers": {"q": {}}, "state": "running"},
        {"state": "failed", "reason": "no network"},
    ):
        session.add_row(run_row(fields))
    session.append(user_message("not shown", hidden="it"))
    assert rows.read() == ["- waits for an answer: bash rm (it writes)", "- answered", "- failed: no network"]
    session.close()
    with path.open("ab") as file:
        file.write(b'{"type":"run","run":{"state":')
        file.flush()
        assert rows.read() == []
        file.write(b'"done"}}\n{"type":"run","run":3}\nno json\n')
    assert rows.read() == ["- done"]
    path.unlink()
    with pytest.raises(SessionError, match="cannot read session"):
        rows.read()
